//===- AtenLogicOps.td - Comparisons, logic, choices, casts -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENLOGICOPS_TD
#define KGEN_DIALECT_ATEN_ATENLOGICOPS_TD

include "kgen/Dialect/Aten/AtenPointwiseOps.td"

//===----------------------------------------------------------------------===//
// Comparisons: true is 1 of an i1
//===----------------------------------------------------------------------===//

/// Two broadcast operands of one element type; the result is an i1.
class Aten_PredicateOp<string mnemonic, Type type, string formula> : Aten_BinaryOp<mnemonic, type, formula> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, Tensor other) -> Tensor`.\n\n"
      # "result = " # formula # " for elements x of `self` and y of `other`, which are broadcast against each other. "
      # "A comparison with NaN is false, but `ne`.\n\n"
      # "broadcast_c1: extents are equal or one of them is 1; broadcast_c2: element types are equal.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>\n```\n";
  let results = (outs Aten_BoolTensor:$result);
  let infer = "inferPredicate(*this, results)";
}

/// The same with a Python number.
class Aten_ScalarPredicateOp<string mnemonic, string formula>
    : Aten_ScalarOp<mnemonic, Aten_Tensor, formula> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, Scalar other) -> Tensor`.\n\n"
      # "result = " # formula # " for each element x of `self`. A comparison with NaN is false, but `ne`.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>\n```\n";
  let results = (outs Aten_BoolTensor:$result);
  let infer = "inferPredicate(*this, results)";
}

/// One operand, of which something is asked.
class Aten_UnaryPredicateOp<string mnemonic, Type type, string formula> : Aten_UnaryOp<mnemonic, type, formula> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self) -> Tensor`.\n\n"
      # "result = " # formula # " for each element x of `self`.\n\nExample:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x : (tensor<4x8xf32>) -> tensor<4x8xi1>\n```\n";
  let results = (outs Aten_BoolTensor:$result);
  let infer = "inferPredicate(*this, results)";
}

def Aten_EqScalarOp : Aten_ScalarPredicateOp<"eq.Scalar", "x == other">;
def Aten_EqTensorOp : Aten_PredicateOp<"eq.Tensor", Aten_Tensor, "x == y">;
def Aten_GeScalarOp : Aten_ScalarPredicateOp<"ge.Scalar", "x >= other">;
def Aten_GeTensorOp : Aten_PredicateOp<"ge.Tensor", Aten_Tensor, "x >= y">;
def Aten_GtScalarOp : Aten_ScalarPredicateOp<"gt.Scalar", "x > other">;
def Aten_GtTensorOp : Aten_PredicateOp<"gt.Tensor", Aten_Tensor, "x > y">;
def Aten_LeScalarOp : Aten_ScalarPredicateOp<"le.Scalar", "x <= other">;
def Aten_LeTensorOp : Aten_PredicateOp<"le.Tensor", Aten_Tensor, "x <= y">;
def Aten_LtScalarOp : Aten_ScalarPredicateOp<"lt.Scalar", "x < other">;
def Aten_LtTensorOp : Aten_PredicateOp<"lt.Tensor", Aten_Tensor, "x < y">;
def Aten_NeScalarOp : Aten_ScalarPredicateOp<"ne.Scalar", "x != other">;
def Aten_NeTensorOp : Aten_PredicateOp<"ne.Tensor", Aten_Tensor, "x != y">;

def Aten_IsinfOp : Aten_UnaryPredicateOp<"isinf", Aten_FloatTensor, "|x| == infinity">;
def Aten_IsnanOp : Aten_UnaryPredicateOp<"isnan", Aten_FloatTensor, "x != x">;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

def Aten_LogicalAndOp : Aten_PredicateOp<"logical_and", Aten_Tensor, "x != 0 and y != 0">;
def Aten_LogicalNotOp : Aten_UnaryPredicateOp<"logical_not", Aten_Tensor, "x == 0">;
def Aten_LogicalOrOp : Aten_PredicateOp<"logical_or", Aten_Tensor, "x != 0 or y != 0">;
def Aten_LogicalXorOp : Aten_PredicateOp<"logical_xor", Aten_Tensor, "(x != 0) != (y != 0)">;

/// On the bits of integers; on i1, logic.
class Aten_BitwiseOp<string mnemonic, string formula> : Aten_BinaryOp<mnemonic, Aten_IntegerTensor, formula> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, Tensor other) -> Tensor`.\n\n"
      # "result = " # formula # " for elements x of `self` and y of `other`, bit by bit; they are broadcast against each other.\n\n"
      # "broadcast_c1: extents are equal or one of them is 1; broadcast_c2: element types are equal.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x, %y : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>\n```\n";
}
class Aten_BitwiseScalarOp<string mnemonic, string formula> : Aten_ScalarOp<mnemonic, Aten_IntegerTensor, formula> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, Scalar other) -> Tensor`.\n\n"
      # "result = " # formula # " for each element x of `self`, bit by bit.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x {other = 3.0} : (tensor<4x8xi64>) -> tensor<4x8xi64>\n```\n";
}

def Aten_BitwiseAndScalarOp : Aten_BitwiseScalarOp<"bitwise_and.Scalar", "x & other">;
def Aten_BitwiseAndTensorOp : Aten_BitwiseOp<"bitwise_and.Tensor", "x & y">;
def Aten_BitwiseNotOp : Aten_UnaryOp<"bitwise_not", Aten_IntegerTensor, "~x"> {
  let description = "ATen schema: `aten::bitwise_not(Tensor self) -> Tensor`.\n\n"
      # "Every bit of x turned round; on i1, not x.\n\n"
      # "Example:\n\n```mlir\n%0 = aten.bitwise_not %x : (tensor<4x8xi1>) -> tensor<4x8xi1>\n```\n";
}
def Aten_BitwiseOrScalarOp : Aten_BitwiseScalarOp<"bitwise_or.Scalar", "x | other">;
def Aten_BitwiseOrTensorOp : Aten_BitwiseOp<"bitwise_or.Tensor", "x | y">;
def Aten_BitwiseXorScalarOp : Aten_BitwiseScalarOp<"bitwise_xor.Scalar", "x ^ other">;
def Aten_BitwiseXorTensorOp : Aten_BitwiseOp<"bitwise_xor.Tensor", "x ^ y">;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

def Aten_WhereSelfOp : Aten_Op<"where.self", "Elementwise"> {
  let summary = "one of two elements";
  let description = [{
    ATen schema: `aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor`.

    The element of `self` where `condition` is true, else that of `other`; all three are broadcast against each other.
    broadcast_c1: extents are equal or one of them is 1; where_c1: `self` and `other` have one element type.

    Example:

    ```mlir
    %0 = aten.where.self %c, %x, %y : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Aten_BoolTensor:$condition, Aten_Tensor:$self, Aten_Tensor:$other);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$condition `,` $self `,` $other attr-dict `:` functional-type(operands, results)";
  let infer = "inferWhere(*this, results)";
  let flops = "resultElements(*this)";
}

def Aten_MaskedFillScalarOp : Aten_Op<"masked_fill.Scalar", "Elementwise"> {
  let summary = "a number where a mask is true";
  let description = [{
    ATen schema: `aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor`.

    `value` where `mask` is true, else the element of `self`; the two are broadcast against each other.
    broadcast_c1: extents are equal or one of them is 1.

    Example:

    ```mlir
    %0 = aten.masked_fill.Scalar %x, %m {value = 0.0} : (tensor<4x8xf32>, tensor<8xi1>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_BoolTensor:$mask, Aten_F64:$value);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `,` $mask attr-dict `:` functional-type(operands, results)";
  let infer = "inferMaskedFill(*this, results)";
  let flops = "resultElements(*this)";
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

def Aten_ToCopyOp : Aten_Op<"_to_copy", "Elementwise"> {
  let summary = "the same values in another element type";
  let description = [{
    ATen schema: `aten::_to_copy(Tensor self, *, ScalarType? dtype=None, ...) -> Tensor`.

    Each element in element type `dtype`: floats are rounded to the nearest, a float becomes an integer without its
    fraction, and what is not zero becomes true of an i1.

    Example:

    ```mlir
    %0 = aten._to_copy %x dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_ElementType:$dtype);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `dtype` $dtype attr-dict `:` functional-type(operands, results)";
  let infer = "inferCast(*this, getDtype(), results)";
  let flops = "0";
}

#endif // KGEN_DIALECT_ATEN_ATENLOGICOPS_TD
