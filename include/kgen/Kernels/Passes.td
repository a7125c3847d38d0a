//===- Passes.td - From dispatches to CUDA-C text -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KGEN_KERNELS_PASSES_TD
#define KGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerDispatches : Pass<"kgen-lower-dispatches", "mlir::ModuleOp"> {
  let summary = "turn dispatches that have a kernel family into CUDA-C sources and launches";
  let description = [{
    Every `kgen.dispatch` whose schedule names a family other than `generic`
    becomes one `kgen.source` and one or more `kgen.launch`. What the schedule
    leaves open, the family fills in; the completed schedule stays on the source.

    ```mlir
    %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [128, 128, 32]>)
        ins(%x, %y : tensor<512x512xf32>, tensor<512x512xf32>) { ... } : tensor<512x512xf32>
    // becomes
    kgen.source @mm arch "sm_90a" "..." {kgen.schedule = #kgen.schedule<family = gemm, mma = mma_sync, ...>}
    %e = tensor.empty() : tensor<512x512xf32>
    %0 = kgen.launch @mm::@mm_main grid [16, 1, 1] block [128, 1, 1] shared 107520
        ins(%x, %y : tensor<512x512xf32>, tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) : tensor<512x512xf32>
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture that the sources are for">,
    Option<"multiprocessors", "multiprocessors", "int64_t", "0", "multiprocessors of the chip; 0: the architecture's">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "0", "opt-in shared memory of a block, bytes; 0: the architecture's">,
    Option<"assertSizes", "assert-sizes", "bool", "false",
           "append assertions that threads, shared bytes and blocks of launches are what their templates derive, and that "
           "their tiles fit each other">
  ];
  // Families read prologues and epilogues through linalg.
  let dependentDialects = [
    "kgen::KGenDialect", "mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

def FormAttention : Pass<"kgen-form-attention", "mlir::ModuleOp"> {
  let summary = "give attention that no schedule has taken a kernel without a score matrix, and views to all attention";
  let description = [{
    As linalg ops, attention passes its scores through memory: queries times keys
    of every head. So each `aten.scaled_dot_product_attention` outside a dispatch
    becomes a dispatch of family attention with `mma = none`, which works on any
    float type. One that this kernel cannot compute stays for the generic path.
    Products with a softmax between them become one before (`composeAttention`), but
    where the graph's own types round the scores to 16 bits.

    Views in front of a dispatch of this family, whoever formed it, move into it
    where its kernel reads them as strides: transposes, reshapes and expansions.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture that the sources are for">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "0", "opt-in shared memory of a block, bytes; 0: the architecture's">
  ];
  let dependentDialects = ["kgen::KGenDialect"];
}

def TakeRowViews : Pass<"kgen-take-row-views", "mlir::ModuleOp"> {
  let summary = "let kernels of rows read behind views, so that nothing is copied for them";
  let description = [{
    Slices, transposes, expansions and reshapes in front of a dispatch of family
    row move into it where they leave a row's elements neighbours, and its
    schedule is for rows that lie apart. Others stay, and are copied in front.

    ```mlir
    %0 = aten.slice.Tensor %x dim 1 start 2048 end 3072 : (tensor<128x4096xbf16>) -> tensor<128x1024xbf16>
    %1 = kgen.dispatch @mean schedule(#kgen.schedule<family = row>) ins(%0 : tensor<128x1024xbf16>) { ... }
    // becomes
    %1 = kgen.dispatch @mean schedule(#kgen.schedule<family = row>) ins(%x : tensor<128x4096xbf16>) {
    ^bb0(%a: tensor<128x4096xbf16>):
      %0 = aten.slice.Tensor %a dim 1 start 2048 end 3072 : (tensor<128x4096xbf16>) -> tensor<128x1024xbf16>
      ...
    }
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture that the sources are for">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "0", "opt-in shared memory of a block, bytes; 0: the architecture's">
  ];
  let dependentDialects = ["kgen::KGenDialect"];
}

def TakeProductViews : Pass<"kgen-take-product-views", "mlir::ModuleOp"> {
  let summary = "let kernels of products read matrices behind views, so that nothing is copied for them";
  let description = [{
    Slices, transposes, expansions and reshapes in front of a dispatch of family
    gemm move into it where they leave the elements of a matrix's rows, or of its
    columns, neighbours that loads of 16 bytes can read, and its schedule is for
    matrices that lie apart. Others stay, and are copied in front.

    ```mlir
    %0 = aten.permute %x dims [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
    %1 = aten.view %0 size [32, 128, 64] : (tensor<8x4x128x64xf32>) -> tensor<32x128x64xf32>
    %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm>) ins(%1, %y : tensor<32x128x64xf32>, ...) { ... }
    // becomes
    %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm>) ins(%x, %y : tensor<8x128x4x64xf32>, ...) {
    ^bb0(%a: tensor<8x128x4x64xf32>, ...):
      %0 = aten.permute %a dims [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture that the sources are for">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "0", "opt-in shared memory of a block, bytes; 0: the architecture's">
  ];
  let dependentDialects = ["kgen::KGenDialect"];
}

def LowerGeneric : Pass<"kgen-lower-generic", "mlir::ModuleOp"> {
  let summary = "give every linalg op that no family has taken a kernel of its own";
  let description = [{
    Generalizes and fuses the linalg ops of each function, then writes one
    `kgen.source` and one `kgen.launch` for each that is left. Reshapes, slices,
    pads, transposes and broadcasts fold into the loads of their consumers.
    Launches that stand there already stay.

    ```mlir
    %0 = linalg.generic {...} ins(%x : tensor<100x7xf32>) outs(%e : tensor<100x7xf32>) {...}
    // becomes
    kgen.source @f_0_relu arch "sm_90a" "// aten.relu: ..."
    %0 = kgen.launch @f_0_relu::@f_0_relu grid [3, 1, 1] block [256, 1, 1] shared 0
        ins(%x : tensor<100x7xf32>) outs(%e : tensor<100x7xf32>) : tensor<100x7xf32>
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "::kgen::Chip().arch", "the architecture that the sources are for">,
    Option<"wideTiles", "wide-tiles", "int64_t", "132",
           "blocks from which on products and convolutions of fp64 have wide tiles; 1: all, whatever their size">,
    Option<"tiledProducts", "tiled-products", "bool", "false",
           "products of all types by tiles, as kgen.tiled_products has it; the results are the same">,
    Option<"contiguousSlices", "contiguous-slices", "bool", "false",
           "slices that are one piece of memory stay, and kernels get pointers into the buffer">
  ];
  let dependentDialects = [
    "kgen::KGenDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

#endif // KGEN_KERNELS_PASSES_TD
