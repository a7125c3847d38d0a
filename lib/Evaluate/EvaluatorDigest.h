//===- EvaluatorDigest.h - Which version of the evaluator this is ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kgen::evaluate {

/// SHA-256 of the sources that decide what an evaluator says of a candidate, see CMakeLists.txt.
extern const char *const evaluatorDigest;

} // namespace kgen::evaluate
