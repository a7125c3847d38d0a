//===- Passes.td - What turns a graph into a CPU's fp64 answer -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the oracle that upstream MLIR does not have.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_ORACLE_PASSES_TD
#define KGEN_ORACLE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PromoteF64Pass : Pass<"kgen-promote-f64", "mlir::ModuleOp"> {
  let summary = "compute a graph in double precision";
  let description = [{
    Replaces every floating-point type in the aten graph by f64, in arguments,
    results, constants and attributes. Ops are polymorphic in their element type, so
    the graph stays valid. Integers and booleans stay as they are. The graph must
    not be lowered yet: a cast such as `arith.extf` has no f64-to-f64 form.

    ```mlir
    func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
      %0 = aten.relu %x : (tensor<4xf16>) -> tensor<4xf16>
    // becomes
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %0 = aten.relu %x : (tensor<4xf64>) -> tensor<4xf64>
    ```
  }];
}

def MagnitudesPass : Pass<"kgen-magnitudes", "mlir::ModuleOp"> {
  let summary = "compute the size of what was added up instead of the answer";
  let description = [{
    Each function of linalg on tensors returns, for each float result v, a magnitude M(v) >= |v|, such that arithmetic
    of unit roundoff u may be blamed for an error of a small multiple of u M(v): a running error analysis (N. J. Higham,
    "Accuracy and Stability of Numerical Algorithms", section 3.3) without the order of the additions. M of an argument
    or a constant is its absolute value, 0 where that is infinite; a sum's or difference's is M(a) + M(b), a product's
    M(a)|b| + |a|M(b), a maximum's the larger one, and a function's |f'(a)| M(a) + |f(a)|. Matrix products of
    arguments thus give twice |A||B|, the scale of the error bounds of LAPACK. Integer results stay as they are.

    ```mlir
    ^bb0(%x: f64, %sum: f64): %0 = arith.subf %sum, %x ... linalg.yield %0
    // becomes
    ^bb0(%x: f64, %sum: f64): %a = math.absf %x ... %0 = arith.addf %sum, %a ... linalg.yield %0
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect"];
}

def ReachPass : Pass<"kgen-reach", "mlir::ModuleOp"> {
  let summary = "compute how large partial sums and products may get instead of the answer";
  let description = [{
    Each function of linalg on tensors returns, for each float result, the largest size that a partial result of the sums
    and products it was folded of may have in any order: the sum of the terms' sizes, and of the factors those above 1
    multiplied. Where a product itself is no smaller than fp32's smallest normal number, the inverse of what those below 1
    make counts as well. A product of products, as scans make them of segments, counts all its factors. Whatever else is
    computed has the largest reach of its operands (of those that a choice takes), and what nothing was folded for has 0.
    What is not finite counts nothing. An integer result is 1 where that leaves what fp32 holds, or where it follows
    from a comparison of two numbers that fp32 does not tell apart with some certainty: closer than 2^-20 of their sizes and
    reach, but not 2^-40, and not both numbers of fp32; else 0.

    ```mlir
    ^bb0(%x: f64, %product: f64): %0 = arith.mulf %product, %x ... linalg.yield %0
    // becomes
    ^bb0(%x: f64, %product: f64): %a = math.absf %x ... %b = arith.maximumf %a, %one %0 = arith.mulf %product, %b ...
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect"];
}

def OracleDeclaredPass : Pass<"kgen-oracle-declared", "mlir::ModuleOp"> {
  let summary = "take and return f64 around a computation in the declared types";
  let description = [{
    Float arguments and results of linalg on tensors become f64, and are converted on the way in and out. Inside, each op
    rounds to the type that the graph declares, as PyTorch does op by op.

    ```mlir
    func.func @f(%x: tensor<4xf16>) -> tensor<4xf16>
    // becomes
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> { %0 = linalg.generic ... arith.truncf ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def RoundFactorsPass : Pass<"kgen-round-factors", "mlir::ModuleOp"> {
  let summary = "round the f32 factors of contractions to tf32, as matrix units take them";
  let description = [{
    In each `linalg.generic` with a reduction, two f32 values that are multiplied are rounded to the 10 bits of fraction
    that tf32 keeps, ties to even, before they are; what is not finite stays as it is. Products that the reduction itself
    makes (`aten.prod`) and squares stay, and so does what was a half, which tf32 holds.

    ```mlir
    ^bb0(%x: f32, %y: f32, %sum: f32): %0 = arith.mulf %x, %y ... %1 = arith.addf %sum, %0 ... linalg.yield %1
    // becomes
    ^bb0(%x: f32, %y: f32, %sum: f32): %a = arith.bitcast %x ... %b = arith.bitcast %y ... %0 = arith.mulf %a, %b ...
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def OracleEntryPass : Pass<"kgen-oracle-entry", "mlir::ModuleOp"> {
  let summary = "make functions callable from C without touching their inputs";
  let description = [{
    Marks each public function for a C wrapper and its arguments as read-only for
    bufferization, and drops kgen's own attributes, which LLVM's dialect refuses.

    ```mlir
    func.func @f(%x: tensor<4xf64> {kgen.name = "x"}) -> tensor<4xf64>
    // becomes
    func.func @f(%x: tensor<4xf64> {bufferization.writable = false}) -> tensor<4xf64>
        attributes {llvm.emit_c_interface}
    ```
  }];
}

def OracleFusePass : Pass<"kgen-oracle-fuse", "mlir::ModuleOp"> {
  let summary = "fuse element-wise linalg ops unless that repeats work";
  let description = [{
    Upstream's element-wise fusion, but only where each element that the producer
    computes is read once: an exponential never moves into a matrix product, where it
    would be evaluated once for each output column.

    ```mlir
    %e = linalg.generic ... ins(%x) { math.exp }        // d0, d1
    %s = linalg.generic ... ins(%e) { arith.addf }      // d0, reduction d1
    // becomes one op: exp, then addf
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect"];
}

def OracleSlicePass : Pass<"kgen-oracle-slice", "mlir::ModuleOp"> {
  let summary = "compute what is too large for memory slice by slice";
  let description = [{
    An intermediate tensor larger than `limit` bytes, such as attention's scores in
    fp64, is never whole: the op behind it that gives a small result is tiled along
    its leading dimensions, and the producers move into the loop. A producer moves only
    if the slices together are no more work than the whole.

    ```mlir
    %s = linalg.generic ... -> tensor<8x4096x4096xf64>   // scores
    %r = linalg.generic ... ins(%s, %v) -> tensor<8x4096x64xf64>
    // becomes
    scf.for %b = 0 to 8 { %s = ... -> tensor<1x4096x4096xf64> ... }
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", /*default=*/"int64_t(1) << 30",
                        "bytes above which an intermediate tensor is sliced">];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect", "mlir::scf::SCFDialect",
                           "mlir::tensor::TensorDialect"];
}

def OracleArrangeContractionsPass : Pass<"kgen-oracle-arrange-contractions", "mlir::ModuleOp"> {
  let summary = "give every contraction an innermost loop that vectorizes";
  let description = [{
    A contraction (matrix product, convolution) runs fast on one core when its
    innermost loop is parallel and walks both the output and one input with unit
    stride, the other input being constant. This pass picks such a loop, transposes
    the operands that stand in its way, and moves it innermost.

    ```mlir
    // out[m, n] += x[m, k] * w[n, k]       loops m, n, k
    // becomes, with wt = transpose(w)
    // out[m, n] += x[m, k] * wt[k, n]      loops m, k, n
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def OracleOutParamsPass : Pass<"kgen-oracle-out-params", "mlir::ModuleOp"> {
  let summary = "let the caller own a bufferized function's results";
  let description = [{
    Each result becomes one more argument. A result that is a buffer of its own is computed in the argument from
    the start; one that shares a buffer with an argument or with another result is copied
    at the end. (Upstream's buffer-results-to-out-params crashes on the latter with its allocations hoisted.)

    ```mlir
    func.func @f(%x: memref<4xf64>) -> memref<4xf64> { %0 = memref.alloc() ... return %0 }
    // becomes
    func.func @f(%x: memref<4xf64>, %out: memref<4xf64>) { ... return }
    ```
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
}

def OracleFreePass : Pass<"kgen-oracle-free", "mlir::ModuleOp"> {
  let summary = "free each buffer after its last use";
  let description = [{
    For bufferized functions in which no buffer leaves the block that allocates it: time in
    proportion to the ops, where upstream's deallocation compares all pairs of buffers,
    which took minutes for the thousands of steps of recurrent layers. What an op makes of
    a buffer (a view, a loop's result) counts as that buffer. Where one leaves its block,
    upstream's deallocation does the whole module.

    ```mlir
    %0 = memref.alloc() : memref<4xf64>
    linalg.exp ins(%x) outs(%0)
    linalg.tanh ins(%0) outs(%out)
    // becomes
    ... linalg.tanh ins(%0) outs(%out)
    memref.dealloc %0
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
                           "mlir::func::FuncDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def OracleUntanglePass : Pass<"kgen-oracle-untangle", "mlir::func::FuncOp"> {
  let summary = "give bufferization little to look at";
  let description = [{
    One-shot bufferization takes time in proportion to the square, or the cube, of how many
    ops share a buffer: minutes for the few hundred steps of a recurrent layer. So each op
    that writes to an empty tensor, or one that is filled, has one of its own; and a
    concatenation of more than sixteen neighbouring parts, a chain of
    `tensor.insert_slice`, becomes chains of sixteen whose results are put together the
    same way.

    ```mlir
    %1 = tensor.insert_slice %p0 into %0[0, 0] [1, 8] [1, 1]
    ...
    %64 = tensor.insert_slice %p63 into %63[63, 0] [1, 8] [1, 1]
    // becomes four chains into tensors of 16 x 8, and one of four parts
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def OracleOutlinePass : Pass<"kgen-oracle-outline", "mlir::ModuleOp"> {
  let summary = "make a function of every step, equal steps the same one";
  let description = [{
    LLVM's passes take time in proportion to the square of a function's loops, and a
    network has hundreds of steps, of which most are alike. After bufferization each
    linalg op, copy and loop of a public function becomes a private function that is not
    inlined.

    ```mlir
    linalg.generic ... ins(%a) outs(%b) {...}
    linalg.generic ... ins(%b) outs(%c) {...}
    // becomes, where both do the same
    call @step(%a, %b)
    call @step(%b, %c)
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def OracleLoopsPass : Pass<"kgen-oracle-loops", "mlir::ModuleOp"> {
  let summary = "tile contractions on buffers for the caches and make loops of linalg ops";
  let description = [{
    Expects bufferized linalg. Contractions are tiled so that what the inner loops
    read again stays in the second-level cache; `memref.copy` becomes a loop, since
    its runtime function is not in every binary; the rest becomes plain `scf.for`.

    ```mlir
    linalg.generic ... ins(%a, %b : memref<64x64xf64>, ...) { ... }
    // becomes
    scf.for %i = ... { scf.for %j = ... { memref.load ... memref.store } }
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

#endif // KGEN_ORACLE_PASSES_TD
