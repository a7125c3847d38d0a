//===- KGenDialect.td - The kgen dialect ---------------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatches, schedules, ideas, CUDA-C sources and launches.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_KGEN_KGENDIALECT
#define KGEN_DIALECT_KGEN_KGENDIALECT

include "mlir/IR/DialectBase.td"

def KGen_Dialect : Dialect {
  let name = "kgen";
  let cppNamespace = "::kgen";
  let summary = "how an op graph is computed: dispatches, schedules, sources and launches";
  let description = [{
    The dialect holds two of the three levels of a snapshot. Level 2 groups the
    aten ops of a graph into `kgen.dispatch` regions, each of which becomes one
    kernel family instance under a `#kgen.schedule`. Level 3 replaces each
    dispatch by a `kgen.source` (CUDA-C text) and one or more `kgen.launch` ops.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // KGEN_DIALECT_KGEN_KGENDIALECT
