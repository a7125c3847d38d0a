//===- KGenTransformEnums.td - Words of the directives -------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_TRANSFORM_KGENTRANSFORMENUMS
#define KGEN_DIALECT_TRANSFORM_KGENTRANSFORMENUMS

include "mlir/IR/EnumAttr.td"

def KGenTransform_Direction : I32EnumAttr<"Direction", "which neighbours a fusion absorbs", [
    I32EnumAttrCase<"Consumers", 0, "consumers">,
    I32EnumAttrCase<"Producers", 1, "producers">]> {
  let cppNamespace = "::kgen::directive";
}

#endif // KGEN_DIALECT_TRANSFORM_KGENTRANSFORMENUMS
