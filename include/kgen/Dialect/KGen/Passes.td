//===- Passes.td - Passes on dispatches ----------------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_KGEN_PASSES
#define KGEN_DIALECT_KGEN_PASSES

include "mlir/Pass/PassBase.td"

def FormDispatches : Pass<"kgen-form-dispatches", "::mlir::ModuleOp"> {
  let summary = "group every aten op into dispatches, without an idea";
  let description = [{
    Greedy: each contraction takes its element-wise consumers, then each window,
    reduction and normalisation takes its element-wise consumers, then what is
    left of the element-wise ops forms chains. The root picks the family; no
    schedule parameter is set. Views and ops without a family stay outside.

    ```mlir
    %0 = aten.linear %x, %w : (...) -> tensor<4x8xf32>
    %1 = aten.relu %0 : tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = kgen.dispatch @linear_0 schedule(#kgen.schedule<family = gemm>) ins(%x, %w : ...) {
    ^bb0(%a: ..., %b: ...):
      %1 = aten.linear %a, %b : (...) -> tensor<4x8xf32>
      %2 = aten.relu %1 : tensor<4x8xf32>
      kgen.yield %2 : tensor<4x8xf32>
    } : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::kgen::KGenDialect"];
}

def InlineDispatches : Pass<"kgen-inline-dispatches", "::mlir::ModuleOp"> {
  let summary = "dissolve the dispatches of family generic";
  let description = [{
    Moves the ops of each `kgen.dispatch` whose family is `generic` back in front
    of it. Those ops take the generic path. With `all`, dissolves every dispatch.
  }];
  let options = [Option<"all", "all", "bool", "false", "dissolve the dispatches of every family">];
}

def MarkUpdates : Pass<"kgen-mark-updates", "::mlir::ModuleOp"> {
  let summary = "mark results that are arguments written in place";
  let description = [{
    A result that is the new value of an argument (`kgen.mutates`), and differs from it in one position, is that
    argument's memory: its kernel writes the position and leaves the rest alone. `kgen.updates` says which argument;
    the plan says so, too. With `separate`, every result gets memory of its own.

    ```mlir
    func.func @step(%cache: tensor<8x64xf32> {kgen.name = "cache"}, ...)
        -> (tensor<8x64xf32> {kgen.mutates = "cache"}) {
      %0 = aten.index_put %cache, %position values %row dims [0] : ...
    // becomes
        -> (tensor<8x64xf32> {kgen.mutates = "cache", kgen.updates = 0 : i64}) {
    ```
  }];
  let options = [Option<"separate", "separate", "bool", "false", "results have memory of their own; takes marks away">];
}

def MergeSources : Pass<"kgen-merge-sources", "::mlir::ModuleOp"> {
  let summary = "keep one of the sources that differ in their names only";
  let description = [{
    A network lowered as a whole has a kernel for each of its layers, and most layers
    are alike. Compiling takes time for each kernel, so launches of equal ones share
    the first.

    ```mlir
    kgen.source @f_0_gelu arch "sm_90a" "... f_0_gelu(...) { body }"
    kgen.source @f_3_gelu arch "sm_90a" "... f_3_gelu(...) { body }"
    kgen.launch @f_3_gelu::@f_3_gelu ...
    // becomes
    kgen.source @f_0_gelu arch "sm_90a" "... f_0_gelu(...) { body }"
    kgen.launch @f_0_gelu::@f_0_gelu ...
    ```
  }];
}

def SetPrecision : Pass<"kgen-set-precision", "::mlir::ModuleOp"> {
  let summary = "write the graph's precision class on the module";
  let description = [{
    Sets the module attribute `kgen.precision` to the class that the ops imply,
    unless it is there. Later levels no longer show it: a lowered graph has no
    contraction to recognise.

    ```mlir
    module { ... aten.linear ... }
    ```
    becomes
    ```mlir
    module attributes {kgen.precision = "tf32"} { ... aten.linear ... }
    ```
  }];
}

#endif // KGEN_DIALECT_KGEN_PASSES
