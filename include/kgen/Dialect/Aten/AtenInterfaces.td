//===- AtenInterfaces.td - Shape inference and cost -----*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENINTERFACES_TD
#define KGEN_DIALECT_ATEN_ATENINTERFACES_TD

include "mlir/IR/OpBase.td"

def AtenShapeOpInterface : OpInterface<"AtenShapeOpInterface"> {
  let cppNamespace = "::kgen::aten";
  let description = [{
    Result types from operand types and attributes. Unlike upstream's
    InferTypeOpInterface it works on an existing op, whose operands may have
    changed their types since it was built, and reports a violated constraint
    at that op. The verifier compares what it infers with what is written.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends the types that the results must have. Emits one diagnostic at
        the op, with the tag of the violated constraint, and fails if the
        operands and attributes do not fit together.
      }],
      "::llvm::LogicalResult", "inferResultTypes",
      (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$results)>,
    InterfaceMethod<[{
        Rewrites attributes that hold sizes (a view's shape) after the operands'
        types changed from `before` to what they are now. `rename` maps the
        old extent of a dimension to its new one where the caller knows it.
        Emits a diagnostic and fails if the sizes cannot be derived. The
        default does nothing: most attributes do not depend on extents.
      }],
      "::llvm::LogicalResult", "adaptToOperands",
      (ins "::mlir::TypeRange":$before, "::llvm::function_ref<int64_t(int64_t)>":$rename),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return ::mlir::success(); }]>
  ];
  let verify = [{ return ::kgen::aten::verifyInferredTypes($_op); }];
}

def AtenCostOpInterface : OpInterface<"AtenCostOpInterface"> {
  let cppNamespace = "::kgen::aten";
  let description = [{
    What an op costs and what sort of computation it is, so that fusion and
    ideas need no lists of names. Compulsory bytes are a property of a graph:
    see `compulsoryBytes`.
  }];
  let methods = [
    InterfaceMethod<[{
        Floating-point operations: 2 per multiply-accumulate, 1 per element and
        elementary step elsewhere (a transcendental counts 1).
      }],
      "double", "getFlops", (ins)>,
    InterfaceMethod<"The sort of computation.",
      "::kgen::aten::OpKind", "getKind", (ins)>
  ];
}

#endif // KGEN_DIALECT_ATEN_ATENINTERFACES_TD
