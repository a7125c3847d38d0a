//===- AtenTypes.td - Type constraints of the op graph --*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENTYPES_TD
#define KGEN_DIALECT_ATEN_ATENTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

class Aten_StaticTensorOf<list<Type> elements, string summary>
    : Type<StaticShapeTensorOf<elements>.predicate, summary, "::mlir::RankedTensorType">;

/// Every tensor that a graph may hold.
def Aten_Tensor : Aten_StaticTensorOf<[F64, F32, F16, BF16, I64, I32, I1],
    "static-shape tensor of f64, f32, f16, bf16, i64, i32 or i1">;
/// What arithmetic that is closed over the integers takes.
def Aten_NumberTensor : Aten_StaticTensorOf<[F64, F32, F16, BF16, I64, I32],
    "static-shape tensor of f64, f32, f16, bf16, i64 or i32">;
def Aten_FloatTensor : Aten_StaticTensorOf<[F64, F32, F16, BF16],
    "static-shape tensor of f64, f32, f16 or bf16">;
def Aten_IndexTensor : Aten_StaticTensorOf<[I64], "static-shape tensor of i64">;
/// Positions in another tensor.
def Aten_PositionTensor : Aten_StaticTensorOf<[I64, I32], "static-shape tensor of i64 or i32">;
def Aten_IntegerTensor : Aten_StaticTensorOf<[I64, I32, I1], "static-shape tensor of i64, i32 or i1">;
def Aten_BoolTensor : Aten_StaticTensorOf<[I1], "static-shape tensor of i1">;
def Aten_MaskTensor : Aten_StaticTensorOf<[F64, F32, F16, BF16, I1],
    "static-shape tensor of f64, f32, f16, bf16 or i1">;

#endif // KGEN_DIALECT_ATEN_ATENTYPES_TD
