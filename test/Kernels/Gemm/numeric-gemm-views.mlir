// Matrices that are read behind views, where they lie, against the oracle: nothing is copied in front of the kernels.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-take-product-views -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=VIEWS --input-file %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// VIEWS-LABEL: func.func @views
// VIEWS-NOT: aten.

module attributes {kgen.precision = "tf32"} {
func.func @views(%x0: tensor<2x12x3x16xf32>,
    %x1: tensor<2x12x3x16xf32>,
    %x2: tensor<2x12x3x16xf16>,
    %x3: tensor<2x12x3x16xf16>,
    %x4: tensor<2x12x3x16xf32>,
    %x5: tensor<2x12x3x16xf32>,
    %x6: tensor<2x12x3x16xf32>,
    %x7: tensor<2x12x3x16xf32>,
    %x8: tensor<4x20x3x16xf32>,
    %x9: tensor<12x20x8xf32>,
    %x10: tensor<4x20x3x16xf32>,
    %x11: tensor<12x20x8xf32>,
    %x12: tensor<2x30x16xf32>,
    %x13: tensor<20x24xf32>,
    %x14: tensor<20xf32>,
    %x15: tensor<4x6x48xf32>,
    %x16: tensor<12x32xf32>,
    %x17: tensor<12xf32>,
    %x18: tensor<4x6x12xf32>,
    %x19: tensor<6x20x16xf32>,
    %x20: tensor<2x1x16x12xf32>,
    %x21: tensor<5x1x3x16xf32>,
    %x22: tensor<15x16x8xf32>,
    %x23: tensor<3x7x5x9xf32>,
    %x24: tensor<15x9x11xf32>,
    %x25: tensor<3x7x5x9xf32>,
    %x26: tensor<15x9x11xf32>)
    -> (tensor<6x12x12xf32>, tensor<6x12x12xf16>, tensor<6x12x12xf32>, tensor<6x12x12xf32>, tensor<12x16x8xf32>, tensor<12x16x8xf32>, tensor<2x16x20xf32>, tensor<4x6x12xf32>, tensor<6x20x12xf32>, tensor<15x1x8xf32>, tensor<15x7x11xf32>, tensor<15x7x11xf32>) {
  %v1 = aten.permute %x0 dims [0, 2, 1, 3] : (tensor<2x12x3x16xf32>) -> tensor<2x3x12x16xf32>
  %v2 = aten.view %v1 size [6, 12, 16] : (tensor<2x3x12x16xf32>) -> tensor<6x12x16xf32>
  %v3 = aten.permute %x1 dims [0, 2, 3, 1] : (tensor<2x12x3x16xf32>) -> tensor<2x3x16x12xf32>
  %v4 = aten.view %v3 size [6, 16, 12] : (tensor<2x3x16x12xf32>) -> tensor<6x16x12xf32>
  // queries times keys of heads that lie beside each other
  %r0 = kgen.dispatch @heads schedule(#kgen.schedule<family = gemm>)
      ins(%v2, %v4 : tensor<6x12x16xf32>, tensor<6x16x12xf32>) {
  ^bb0(%a0: tensor<6x12x16xf32>, %a1: tensor<6x16x12xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<6x12x16xf32>, tensor<6x16x12xf32>) -> tensor<6x12x12xf32>
    kgen.yield %m : tensor<6x12x12xf32>
  } : tensor<6x12x12xf32>
  %v5 = aten.permute %x2 dims [0, 2, 1, 3] : (tensor<2x12x3x16xf16>) -> tensor<2x3x12x16xf16>
  %v6 = aten.view %v5 size [6, 12, 16] : (tensor<2x3x12x16xf16>) -> tensor<6x12x16xf16>
  %v7 = aten.permute %x3 dims [0, 2, 3, 1] : (tensor<2x12x3x16xf16>) -> tensor<2x3x16x12xf16>
  %v8 = aten.view %v7 size [6, 16, 12] : (tensor<2x3x16x12xf16>) -> tensor<6x16x12xf16>
  %r1 = kgen.dispatch @half schedule(#kgen.schedule<family = gemm>)
      ins(%v6, %v8 : tensor<6x12x16xf16>, tensor<6x16x12xf16>) {
  ^bb0(%a0: tensor<6x12x16xf16>, %a1: tensor<6x16x12xf16>):
    %m = aten.bmm %a0, %a1 : (tensor<6x12x16xf16>, tensor<6x16x12xf16>) -> tensor<6x12x12xf16>
    kgen.yield %m : tensor<6x12x12xf16>
  } : tensor<6x12x12xf16>
  %v9 = aten.permute %x4 dims [0, 2, 1, 3] : (tensor<2x12x3x16xf32>) -> tensor<2x3x12x16xf32>
  %v10 = aten.view %v9 size [6, 12, 16] : (tensor<2x3x12x16xf32>) -> tensor<6x12x16xf32>
  %v11 = aten.permute %x5 dims [0, 2, 3, 1] : (tensor<2x12x3x16xf32>) -> tensor<2x3x16x12xf32>
  %v12 = aten.view %v11 size [6, 16, 12] : (tensor<2x3x16x12xf32>) -> tensor<6x16x12xf32>
  %r2 = kgen.dispatch @api schedule(#kgen.schedule<family = gemm, mma = wmma>)
      ins(%v10, %v12 : tensor<6x12x16xf32>, tensor<6x16x12xf32>) {
  ^bb0(%a0: tensor<6x12x16xf32>, %a1: tensor<6x16x12xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<6x12x16xf32>, tensor<6x16x12xf32>) -> tensor<6x12x12xf32>
    kgen.yield %m : tensor<6x12x12xf32>
  } : tensor<6x12x12xf32>
  %v13 = aten.permute %x6 dims [0, 2, 1, 3] : (tensor<2x12x3x16xf32>) -> tensor<2x3x12x16xf32>
  %v14 = aten.view %v13 size [6, 12, 16] : (tensor<2x3x12x16xf32>) -> tensor<6x12x16xf32>
  %v15 = aten.permute %x7 dims [0, 2, 3, 1] : (tensor<2x12x3x16xf32>) -> tensor<2x3x16x12xf32>
  %v16 = aten.view %v15 size [6, 16, 12] : (tensor<2x3x16x12xf32>) -> tensor<6x16x12xf32>
  %r3 = kgen.dispatch @simt schedule(#kgen.schedule<family = gemm, mma = none>)
      ins(%v14, %v16 : tensor<6x12x16xf32>, tensor<6x16x12xf32>) {
  ^bb0(%a0: tensor<6x12x16xf32>, %a1: tensor<6x16x12xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<6x12x16xf32>, tensor<6x16x12xf32>) -> tensor<6x12x12xf32>
    kgen.yield %m : tensor<6x12x12xf32>
  } : tensor<6x12x12xf32>
  %v17 = aten.permute %x8 dims [0, 2, 3, 1] : (tensor<4x20x3x16xf32>) -> tensor<4x3x16x20xf32>
  %v18 = aten.view %v17 size [12, 16, 20] : (tensor<4x3x16x20xf32>) -> tensor<12x16x20xf32>
  // a left operand across k
  %r4 = kgen.dispatch @states schedule(#kgen.schedule<family = gemm>)
      ins(%v18, %x9 : tensor<12x16x20xf32>, tensor<12x20x8xf32>) {
  ^bb0(%a0: tensor<12x16x20xf32>, %a1: tensor<12x20x8xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<12x16x20xf32>, tensor<12x20x8xf32>) -> tensor<12x16x8xf32>
    kgen.yield %m : tensor<12x16x8xf32>
  } : tensor<12x16x8xf32>
  %v19 = aten.permute %x10 dims [0, 2, 3, 1] : (tensor<4x20x3x16xf32>) -> tensor<4x3x16x20xf32>
  %v20 = aten.view %v19 size [12, 16, 20] : (tensor<4x3x16x20xf32>) -> tensor<12x16x20xf32>
  %r5 = kgen.dispatch @states_simt schedule(#kgen.schedule<family = gemm, mma = none, split_k = 2>)
      ins(%v20, %x11 : tensor<12x16x20xf32>, tensor<12x20x8xf32>) {
  ^bb0(%a0: tensor<12x16x20xf32>, %a1: tensor<12x20x8xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<12x16x20xf32>, tensor<12x20x8xf32>) -> tensor<12x16x8xf32>
    kgen.yield %m : tensor<12x16x8xf32>
  } : tensor<12x16x8xf32>
  %v21 = aten.slice.Tensor %x12 dim 1 start 3 end 27 : (tensor<2x30x16xf32>) -> tensor<2x24x16xf32>
  %v22 = aten.permute %v21 dims [0, 2, 1] : (tensor<2x24x16xf32>) -> tensor<2x16x24xf32>
  // a part of a sequence, its channels first
  %r6 = kgen.dispatch @sequence schedule(#kgen.schedule<family = gemm>)
      ins(%v22, %x13, %x14 : tensor<2x16x24xf32>, tensor<20x24xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x16x24xf32>, %a1: tensor<20x24xf32>, %a2: tensor<20xf32>):
    %m = aten.linear %a0, %a1, %a2 : (tensor<2x16x24xf32>, tensor<20x24xf32>, tensor<20xf32>) -> tensor<2x16x20xf32>
    kgen.yield %m : tensor<2x16x20xf32>
  } : tensor<2x16x20xf32>
  %v23 = aten.slice.Tensor %x15 dim 2 start 16 end 48 : (tensor<4x6x48xf32>) -> tensor<4x6x32xf32>
  // a part of each row: one tall product
  %r7 = kgen.dispatch @queries schedule(#kgen.schedule<family = gemm, split_k = 2>)
      ins(%v23, %x16, %x17, %x18 : tensor<4x6x32xf32>, tensor<12x32xf32>, tensor<12xf32>, tensor<4x6x12xf32>) {
  ^bb0(%a0: tensor<4x6x32xf32>, %a1: tensor<12x32xf32>, %a2: tensor<12xf32>, %a3: tensor<4x6x12xf32>):
    %m = aten.linear %a0, %a1, %a2 : (tensor<4x6x32xf32>, tensor<12x32xf32>, tensor<12xf32>) -> tensor<4x6x12xf32>
    %p = aten.add.Tensor %m, %a3 : (tensor<4x6x12xf32>, tensor<4x6x12xf32>) -> tensor<4x6x12xf32>
    kgen.yield %p : tensor<4x6x12xf32>
  } : tensor<4x6x12xf32>
  %v24 = aten.expand %x20 size [2, 3, 16, 12] : (tensor<2x1x16x12xf32>) -> tensor<2x3x16x12xf32>
  %v25 = aten.view %v24 size [6, 16, 12] : (tensor<2x3x16x12xf32>) -> tensor<6x16x12xf32>
  // keys that heads share
  %r8 = kgen.dispatch @shared schedule(#kgen.schedule<family = gemm>)
      ins(%x19, %v25 : tensor<6x20x16xf32>, tensor<6x16x12xf32>) {
  ^bb0(%a0: tensor<6x20x16xf32>, %a1: tensor<6x16x12xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<6x20x16xf32>, tensor<6x16x12xf32>) -> tensor<6x20x12xf32>
    kgen.yield %m : tensor<6x20x12xf32>
  } : tensor<6x20x12xf32>
  %v26 = aten.permute %x21 dims [0, 2, 1, 3] : (tensor<5x1x3x16xf32>) -> tensor<5x3x1x16xf32>
  %v27 = aten.view %v26 size [15, 1, 16] : (tensor<5x3x1x16xf32>) -> tensor<15x1x16xf32>
  // a row for each matrix
  %r9 = kgen.dispatch @row schedule(#kgen.schedule<family = gemm>)
      ins(%v27, %x22 : tensor<15x1x16xf32>, tensor<15x16x8xf32>) {
  ^bb0(%a0: tensor<15x1x16xf32>, %a1: tensor<15x16x8xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<15x1x16xf32>, tensor<15x16x8xf32>) -> tensor<15x1x8xf32>
    kgen.yield %m : tensor<15x1x8xf32>
  } : tensor<15x1x8xf32>
  // no load of more than one element, which the pass leaves to a copy
  %r10 = kgen.dispatch @odd schedule(#kgen.schedule<family = gemm>)
      ins(%x23, %x24 : tensor<3x7x5x9xf32>, tensor<15x9x11xf32>) {
  ^bb0(%a0: tensor<3x7x5x9xf32>, %a1: tensor<15x9x11xf32>):
    %i = aten.permute %a0 dims [0, 2, 1, 3] : (tensor<3x7x5x9xf32>) -> tensor<3x5x7x9xf32>
    %j = aten.view %i size [15, 7, 9] : (tensor<3x5x7x9xf32>) -> tensor<15x7x9xf32>
    %m = aten.bmm %j, %a1 : (tensor<15x7x9xf32>, tensor<15x9x11xf32>) -> tensor<15x7x11xf32>
    kgen.yield %m : tensor<15x7x11xf32>
  } : tensor<15x7x11xf32>
  %r11 = kgen.dispatch @odd_simt schedule(#kgen.schedule<family = gemm, mma = none>)
      ins(%x25, %x26 : tensor<3x7x5x9xf32>, tensor<15x9x11xf32>) {
  ^bb0(%a0: tensor<3x7x5x9xf32>, %a1: tensor<15x9x11xf32>):
    %i = aten.permute %a0 dims [0, 2, 1, 3] : (tensor<3x7x5x9xf32>) -> tensor<3x5x7x9xf32>
    %j = aten.view %i size [15, 7, 9] : (tensor<3x5x7x9xf32>) -> tensor<15x7x9xf32>
    %m = aten.bmm %j, %a1 : (tensor<15x7x9xf32>, tensor<15x9x11xf32>) -> tensor<15x7x11xf32>
    kgen.yield %m : tensor<15x7x11xf32>
  } : tensor<15x7x11xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11 : tensor<6x12x12xf32>, tensor<6x12x12xf16>, tensor<6x12x12xf32>, tensor<6x12x12xf32>, tensor<12x16x8xf32>, tensor<12x16x8xf32>, tensor<2x16x20xf32>, tensor<4x6x12xf32>, tensor<6x20x12xf32>, tensor<15x1x8xf32>, tensor<15x7x11xf32>, tensor<15x7x11xf32>
}
}
