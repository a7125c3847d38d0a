//===- KGenEnums.td - Enumerations of the kgen dialect -------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_KGEN_KGENENUMS
#define KGEN_DIALECT_KGEN_KGENENUMS

include "mlir/IR/EnumAttr.td"

/// What an idea is about. The six seed categories of the search.
def KGen_Category : I32EnumAttr<"Category", "what an idea is about", [
    I32EnumAttrCase<"Memory", 0, "memory">,
    I32EnumAttrCase<"Async", 1, "async">,
    I32EnumAttrCase<"Dtype", 2, "dtype">,
    I32EnumAttrCase<"Compute", 3, "compute">,
    I32EnumAttrCase<"Parallel", 4, "parallel">,
    I32EnumAttrCase<"Control", 5, "control">
  ]> {
  let cppNamespace = "::kgen";
  let genSpecializedAttr = 0;
}

#endif // KGEN_DIALECT_KGEN_KGENENUMS
