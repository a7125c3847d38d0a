//===- AtenScanOps.td - Running sums and products ------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENSCANOPS_TD
#define KGEN_DIALECT_ATEN_ATENSCANOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

/// Element i of a dimension becomes the fold of elements 0 to i.
class Aten_ScanOp<string mnemonic, string meaning> : Aten_Op<mnemonic, "Other"> {
  let summary = "running " # meaning # " along a dimension";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`.\n\n"
      # "Element i of dimension `dim` is the " # meaning # " of elements 0 to i. Integers and bools give an i64. "
      # "dim_c1: `dim` is within the rank.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferScan(*this, getDim(), results)";
  let flops = "operandElements(*this)";
}

def Aten_CumsumOp : Aten_ScanOp<"cumsum", "sum">;
def Aten_CumprodOp : Aten_ScanOp<"cumprod", "product">;

#endif // KGEN_DIALECT_ATEN_ATENSCANOPS_TD
