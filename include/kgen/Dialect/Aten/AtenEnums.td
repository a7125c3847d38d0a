//===- AtenEnums.td - What sort of computation an op is -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENENUMS_TD
#define KGEN_DIALECT_ATEN_ATENENUMS_TD

include "mlir/IR/EnumAttr.td"

def Aten_OpKind : I32EnumAttr<"OpKind", "what sort of computation an op is", [
    // One result element needs one (broadcast) element of each operand, and
    // nothing else: not its position.
    I32EnumAttrCase<"Elementwise", 0>,
    // Folds some dimensions away.
    I32EnumAttrCase<"Reduction", 1>,
    // Multiply-accumulate over an inner dimension: linear, matmul, convolution, attention.
    I32EnumAttrCase<"Contraction", 2>,
    // Folds a sliding window: pooling.
    I32EnumAttrCase<"Window", 3>,
    // Keeps the shape, needs statistics of a row, group or channel.
    I32EnumAttrCase<"Normalization", 4>,
    // Moves or repeats elements, computes nothing.
    I32EnumAttrCase<"View", 5>,
    I32EnumAttrCase<"Other", 6>]> {
  let cppNamespace = "::kgen::aten";
  let genSpecializedAttr = 0;
}

#endif // KGEN_DIALECT_ATEN_ATENENUMS_TD
