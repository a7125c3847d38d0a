//===- Passes.td - Passes on the op graph --------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_PASSES_TD
#define KGEN_DIALECT_ATEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ResizePass : Pass<"kgen-resize", "::mlir::ModuleOp"> {
  let summary = "Gives a graph's arguments other extents and infers every type again";
  let description = [{
    Replaces the types of function arguments and runs shape inference over the
    aten ops in order, so that the same graph exists at another size. Attributes
    that hold sizes follow where they can be derived (`normalized_shape`, the
    extents of a view or expand); where they cannot, the pass fails at that op.

    The new extents come from one of three places:
    - `size=small`: the argument attribute `kgen.small`, which is dropped;
    - `dims=0:0=4`: argument 0, dimension 0 becomes 4; repeatable by commas;
    - `max-flops`, `max-elements`: found by halving. Extents that several
      arguments share shrink together, the largest first, as long as inference
      succeeds; stops when the graph has at most so many floating-point operations and
      no tensor has more elements. The smallest size that was found may exceed them
      `slack` times where none is within. Where it exceeds them more often, `cut` keeps the
      first ops, as many as are within `slack` times the limits, and what they need; the last of
      their results that is a number is what the function returns then.

    Before:
    ```mlir
    func.func @f(%x: tensor<4096x8xf32> {kgen.small = tensor<4x8xf32>}) -> tensor<4096x8xf32> {
      %0 = aten.relu %x : (tensor<4096x8xf32>) -> tensor<4096x8xf32>
      return %0 : tensor<4096x8xf32>
    }
    ```
    After `kgen-resize{size=small}`:
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = aten.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::kgen::aten::AtenDialect"];
  let options = [
    Option<"size", "size", "std::string", "\"\"", "`small`: take the types in the kgen.small argument attributes">,
    ListOption<"dims", "dims", "std::string", "new extents, each ARGUMENT:DIMENSION=EXTENT">,
    Option<"maxFlops", "max-flops", "double", "0", "shrink until the graph has at most so many operations; 0: no limit">,
    Option<"maxElements", "max-elements", "int64_t", "0", "shrink until no tensor has more elements; 0: no limit">,
    Option<"slack", "slack", "double", "1", "how many times the smallest size may exceed these limits where none is within">,
    Option<"cut", "cut", "bool", "false", "where no size is within them, keep only the first ops">
  ];
}

#endif // KGEN_DIALECT_ATEN_PASSES_TD
