//===- AtenBase.td - Base class of the aten ops ---------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENBASE_TD
#define KGEN_DIALECT_ATEN_ATENBASE_TD

include "kgen/Dialect/Aten/AtenDialect.td"
include "kgen/Dialect/Aten/AtenInterfaces.td"
include "kgen/Dialect/Aten/AtenTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An aten op. `infer` and `flops` are C++ expressions; what they call is in
/// ShapeInference.h and Cost.h, one function for each family of ops, so that an
/// op is data here and its rule is written once there.
class Aten_Op<string mnemonic, string kind, list<Trait> traits = [],
              list<string> shapeMethods = []>
    : Op<Aten_Dialect, mnemonic, traits # [Pure,
          DeclareOpInterfaceMethods<AtenShapeOpInterface, shapeMethods>,
          DeclareOpInterfaceMethods<AtenCostOpInterface>]> {
  string infer = ?;
  string flops = ?;
  let extraClassDefinition = "::llvm::LogicalResult $cppClass::inferResultTypes("
      # "::llvm::SmallVectorImpl<::mlir::Type> &results) {\n  return " # infer # ";\n}\n"
      # "double $cppClass::getFlops() {\n  return " # flops # ";\n}\n"
      # "::kgen::aten::OpKind $cppClass::getKind() {\n  return ::kgen::aten::OpKind::" # kind # ";\n}\n";
}

/// `N` copies of VALUE as a C++ initialiser list, for defaults such as `{1, 1}`.
class Aten_Repeat<string value, int n> {
  string text = "{" # !interleave(!listsplat(value, n), ", ") # "}";
}

/// ATen's `int` and `float`: I64Attr and F64Attr, read as int64_t and double.
def Aten_I64 : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute"> {
  let convertFromStorage = "$_self.getInt()";
}
def Aten_F64 : FloatAttrBase<F64, "64-bit float attribute"> {
  let returnType = "double";
  let convertFromStorage = "$_self.getValueAsDouble()";
}

/// ATen's ScalarType: the element type of a result.
def Aten_ElementType : TypeAttrOf<AnyTypeOf<[F64, F32, F16, BF16, I64, I32, I1]>>;

class Aten_DefaultInts<string value, int n>
    : DefaultValuedAttr<DenseI64ArrayAttr, Aten_Repeat<value, n>.text>;
def Aten_NoInts : DefaultValuedAttr<DenseI64ArrayAttr, "{}">;
def Aten_False : DefaultValuedAttr<BoolAttr, "false">;
def Aten_True : DefaultValuedAttr<BoolAttr, "true">;
class Aten_DefaultF64<string value> : DefaultValuedAttr<Aten_F64, value>;
class Aten_DefaultI64<string value> : DefaultValuedAttr<Aten_I64, value>;

#endif // KGEN_DIALECT_ATEN_ATENBASE_TD
