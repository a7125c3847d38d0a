//===- Passes.td - Applying directives -----------------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_TRANSFORM_PASSES
#define KGEN_DIALECT_TRANSFORM_PASSES

include "mlir/Pass/PassBase.td"

def ApplyDirectives : Pass<"kgen-apply-directives", "::mlir::ModuleOp"> {
  let summary = "apply a script of transform.kgen.* directives to the graph";
  let description = [{
    The script is a module with a named sequence `@__transform_main`, or just the
    body of that sequence, in which `%f` is the graph:

    ```mlir
    %d = transform.kgen.select "aten.conv2d" in %f
    transform.kgen.fuse %d consumers all
    transform.kgen.tile %d [128, 96, 32]
    ```
    turns

    ```mlir
    %0 = aten.conv2d %x, %w : ...
    %1 = aten.relu %0 : ...
    ```
    into

    ```mlir
    %1 = kgen.dispatch @conv2d_0 schedule(#kgen.schedule<family = conv, tile = [128, 96, 32]>) ins(%x, %w : ...) {...}
    ```
    A value that no variant of the family takes, and a schedule under which the family has no kernel for the dispatch,
    are errors at the directive.
  }];
  let dependentDialects = ["::kgen::KGenDialect", "::mlir::transform::TransformDialect"];
  let options = [
    Option<"script", "script", "std::string", "\"\"", "file of the directives">,
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "chip that the dispatches have to have a kernel for">,
    Option<"idea", "idea", "std::string", "\"\"", "text of the idea to record on the dispatches">,
    Option<"category", "category", "std::string", "\"compute\"", "category of the idea">
  ];
}

#endif // KGEN_DIALECT_TRANSFORM_PASSES
