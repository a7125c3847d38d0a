//===- SiblingTool.cpp - kgen's tools beside this one ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/SiblingTool.h"

#include "kgen/Toolchain/Process.h"

#include "llvm/Support/Path.h"

using namespace kgen;
using namespace kgen::toolchain;

std::string kgen::toolchain::siblingTool(const char *name) {
  return llvm::sys::path::parent_path(workerBinary()).str() + "/" + name;
}

llvm::Expected<std::optional<std::string>> kgen::toolchain::runSiblingTool(const std::string &program,
                                                                           const std::vector<std::string> &arguments,
                                                                           const std::string &output) {
  ProcessRequest request;
  request.arguments = {program};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  request.arguments.insert(request.arguments.end(), {"-o", output});
  ProcessLimits limits;
  limits.wallSeconds = 120;
  for (bool again = false;; again = true) {
    auto result = runProcess(request, limits);
    if (!result)
      return result.takeError();
    if (result->end == ProcessResult::End::Exited && result->code == 0)
      return std::nullopt;
    if (result->end == ProcessResult::End::TimedOut)
      return "it ran longer than " + std::to_string(int(limits.wallSeconds)) + " s";
    if (result->end == ProcessResult::End::Exited)
      return llvm::StringRef(result->output).split('\n').first.str();
    if (!isForeignSignal(result->code))
      return "it died of signal " + std::to_string(result->code);
    if (again)
      return llvm::make_error<ProcessLost>(program + " was killed (signal " + std::to_string(result->code) +
                                           "), twice");
  }
}
