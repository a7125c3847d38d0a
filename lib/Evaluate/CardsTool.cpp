//===- CardsTool.cpp - How many cards there are ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EvaluatorDigest.h"
#include "kgen/Device/Device.h"
#include "kgen/Evaluate/Workers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace kgen;
namespace json = llvm::json;

int kgen::evaluate::printCards() {
  json::Object answer{{"version", evaluatorDigest}};
  int count = 0;
  for (;; ++count) {
    auto card = device::queryCard(count);
    if (card)
      continue;
    // The first one says why there is none; a later one that there are no more.
    std::string why = llvm::toString(card.takeError());
    if (count == 0)
      answer["why"] = json::fixUTF8(why);
    break;
  }
  answer["cards"] = count;
  llvm::outs() << json::Value(std::move(answer)) << '\n';
  return 0;
}
