//===- Baselines.h - PyTorch on the same problem --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace kgen::evaluate {

/// Medians in microseconds by name: "eager", "compile", "max_autotune", and, where the class allows it,
/// the library's best mode ("eager_tf32", ...). Modes that failed are absent, their reasons in NOTES.
struct Baselines {
  std::map<std::string, double> times;
  std::map<std::string, std::string> notes;
  std::string versions; ///< torch's and the card's
};

/// Times the PyTorch form of a problem (a .py file with class Model, get_inputs, get_init_inputs) on
/// DEVICE with CUDA events and a flushed cache; takes minutes the first time. PYTHON runs the script
/// (default: KGEN_PYTHON or python3). Fails with one sentence without torch or on device host.
llvm::Expected<Baselines> timeBaselines(const std::string &problemFile, const std::string &device,
                                        const std::string &python = "", double wallSeconds = 900);

/// What the script printed, as Baselines. Never throws.
llvm::Expected<Baselines> parseBaselines(const std::string &text);

} // namespace kgen::evaluate
