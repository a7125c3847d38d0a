//===- Passes.td - The pass that asks for an idea ------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_PIPELINES_PASSES
#define KGEN_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def MaterializeIdea : Pass<"kgen-materialize-idea", "::mlir::ModuleOp"> {
  let summary = "ask a proposer for an idea and apply its directives";
  let description = [{
    Level 1 to level 2. Asks `provider` for ideas on the graph, takes the one
    whose key is `idea` (the first one without), and applies the first of its
    materialisations that is legal. A graph that no idea applies to stays as it
    is. Deterministic for the providers builtin and replay.

    ```mlir
    %0 = aten.linear %x, %w : ...
    ```
    becomes
    ```mlir
    %0 = kgen.dispatch @linear_0 idea(#kgen.idea<"...", category = compute>)
        schedule(#kgen.schedule<family = gemm, ...>) ins(%x, %w : ...) {...}
    ```
  }];
  let options = [
    Option<"provider", "provider", "std::string", "\"builtin\"", "who has ideas: builtin or replay:RUN">,
    Option<"device", "device", "std::string", "\"cuda\"", "what the kernels are for: host or cuda">,
    Option<"idea", "idea", "std::string", "\"\"", "key of the idea to carry out; empty for the first">,
    Option<"variant", "variant", "int", "0", "which of its legal materialisations, from 0; the last when there are fewer">,
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture">
  ];
  // Families read what is fused through linalg.
  let dependentDialects = [
    "::kgen::KGenDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::transform::TransformDialect"
  ];
}

def PartitionNetwork : Pass<"kgen-partition", "::mlir::ModuleOp"> {
  let summary = "cut a network into tasks, each text once";
  let description = [{
    A task is an anchor (a product, a convolution, attention, a reduction or
    norm, a pooling, a scan) with the element-wise ops that fuse into it, or a
    chain of element-wise ops. Views, constants and casts of arguments are
    copied to whoever reads them; what only has another shape is passed as it
    is. Equal texts are one function, with `kgen.count` calls.

    ```mlir
    func.func @net(...) {
      %0 = aten.linear %x, %w : ...
      %1 = aten.relu %0 : ...
      %2 = aten.linear %1, %v : ...
      %3 = aten.relu %2 : ...
    ```
    becomes
    ```mlir
    func.func private @t00_linear(...) attributes {kgen.count = 2 : i64, kgen.precision = "tf32"} {
      %0 = aten.linear %arg0, %arg1 : ...
      %1 = aten.relu %0 : ...
    func.func @net(...) {
      %0 = call @t00_linear(%x, %w) : ...
      %1 = call @t00_linear(%0, %v) : ...
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // KGEN_PIPELINES_PASSES
