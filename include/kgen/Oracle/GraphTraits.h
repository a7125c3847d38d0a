//===- GraphTraits.h - What follows from a graph for all inputs ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits may be asked for only where every honest kernel computes the same ones.
// That follows from the graph, never from what values happened to be: of
// integers, half the slope of a leaky_relu is an integer often enough.
// No mlir/ types here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kgen::oracle {

/// What follows from a graph for inputs of whatever values.
struct GraphTraits {
  /// By result, whether it is exact on integer inputs, in any order of additions: no op between makes anything but
  /// integers of them, every sum of sizes is one that the type holds, and what enters a contraction is an integer that
  /// the class's units hold. Where a 16-bit type rounds an intermediate result, it is taken to have held it: that is
  /// for who knows the values to look at.
  std::vector<bool> exact;
  /// By argument, whether its infinities are factors of a contraction, where a kernel may multiply them with the zeros
  /// that it fills up with.
  std::vector<bool> multiplied;
  /// By argument, whether its NaN stay NaN, or are chosen against, in every honest kernel: they are no factors of a
  /// contraction, and none becomes an integer.
  std::vector<bool> keepsNaN;
};

/// The traits of GRAPH, MLIR text with one public function of aten ops (or linalg on tensors). LARGEST has the largest
/// absolute value of each argument, PRODUCTS is the largest integer up to which the class's units hold all factors.
/// NAME is the graph's file in messages.
llvm::Expected<GraphTraits> findTraits(llvm::StringRef graph, llvm::ArrayRef<double> largest, double products,
                                       llvm::StringRef name = "graph");

/// The same as text: REQUEST is LIMIT:SIZE,SIZE,... (PRODUCTS and LARGEST); the reply has a 1 or a 0 for each result, a
/// blank, one for each argument's MULTIPLIED, a blank, and one for each argument's KEEPSNAN.
llvm::Expected<std::string> describeTraits(llvm::StringRef graph, llvm::StringRef request,
                                           llvm::StringRef name = "graph");

/// Floating-point operations of GRAPH's aten ops.
llvm::Expected<double> countFlops(llvm::StringRef graph, llvm::StringRef name = "graph");

} // namespace kgen::oracle
