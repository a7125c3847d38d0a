//===- RunLog.h - A run as the place of answered questions ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/RunFolder.h"

namespace kgen::search {

/// A run folder as the place where answered questions are kept.
class RunLog : public propose::ExchangeLog {
public:
  explicit RunLog(trajectory::RunFolder &run) : run(run) {}

  std::optional<propose::ModelReply> find(llvm::StringRef hash) override {
    if (const propose::Exchange *known = run.findExchange(hash))
      return known->reply;
    return std::nullopt;
  }
  llvm::Error record(const propose::Exchange &exchange) override { return run.recordExchange(exchange); }

private:
  trajectory::RunFolder &run;
};

} // namespace kgen::search
