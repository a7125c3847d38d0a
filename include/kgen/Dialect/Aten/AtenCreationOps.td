//===- AtenCreationOps.td - Tensors out of nothing ------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENCREATIONOPS_TD
#define KGEN_DIALECT_ATEN_ATENCREATIONOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

def Aten_ConstantOp : Aten_Op<"constant", "Other"> {
  let summary = "a tensor whose elements stand in the text";
  let description = [{
    ATen has no schema for it: it is a tensor that a module's forward makes out of Python numbers.
    constant_c1: `value` has the result's type.

    Example:

    ```mlir
    %0 = aten.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : () -> tensor<3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` functional-type(operands, results)";
  let infer = "inferConstant(*this, getValue().getType(), results)";
  let flops = "0";
}

def Aten_FullOp : Aten_Op<"full", "Other"> {
  let summary = "one number everywhere";
  let description = [{
    ATen schema: `aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, ...) -> Tensor`.

    full_c1: no extent is negative.

    Example:

    ```mlir
    %0 = aten.full size [4, 8] fill_value 0.5 dtype f32 : () -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$size, Aten_F64:$fill_value, Aten_ElementType:$dtype);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    `size` $size `fill_value` $fill_value `dtype` $dtype attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferFull(*this, getSize(), getDtype(), results)";
  let flops = "0";
}

def Aten_FullLikeOp : Aten_Op<"full_like", "Other"> {
  let summary = "one number everywhere, in the shape of a tensor";
  let description = [{
    ATen schema: `aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, ...) -> Tensor`.

    The elements of `self` are not read.

    Example:

    ```mlir
    %0 = aten.full_like %x fill_value 1.0 dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_F64:$fill_value, Aten_ElementType:$dtype);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    $self `fill_value` $fill_value `dtype` $dtype attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferCast(*this, getDtype(), results)";
  let flops = "0";
}

def Aten_ArangeStartStepOp : Aten_Op<"arange.start_step", "Other"> {
  let summary = "numbers at equal distances";
  let description = [{
    ATen schema: `aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, ...) -> Tensor`.

    Element i is `start` + i * `step`, as long as that does not reach `end`.
    arange_c1: `step` is not zero and leads from `start` to `end`.

    Example:

    ```mlir
    %0 = aten.arange.start_step start 0.0 end 8.0 step 2.0 dtype i64 : () -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Aten_F64:$start, Aten_F64:$end, Aten_DefaultF64<"1.0">:$step, Aten_ElementType:$dtype);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    `start` $start `end` $end (`step` $step^)? `dtype` $dtype attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferArange(*this, getStart(), getEnd(), getStep(), getDtype(), results)";
  let flops = "0";
}

#endif // KGEN_DIALECT_ATEN_ATENCREATIONOPS_TD
