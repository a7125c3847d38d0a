//===- Python.h - Which Python imports problems and times PyTorch ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace kgen::toolchain {

/// $KGEN_PYTHON; else the Python of the virtual environment that is active, or of .venv beside kgen's sources; else
/// python3, to be looked for on PATH. Never one of the working folder: somebody else may have made that.
std::string findPython();

} // namespace kgen::toolchain
