// Products of family gemm against the fp64 oracle: layouts, tails, batches, slices and odd sizes.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @gemm(%x0: tensor<37x51xf32>,
    %x1: tensor<51x29xf32>,
    %x2: tensor<64x48xf32>,
    %x3: tensor<48x64xf32>,
    %x4: tensor<37x51xf32>,
    %x5: tensor<51x29xf32>,
    %x6: tensor<37x51xf32>,
    %x7: tensor<51x29xf32>,
    %x8: tensor<70x90xf32>,
    %x9: tensor<90x1xf32>,
    %x10: tensor<2x17x40xf32>,
    %x11: tensor<36x40xf32>,
    %x12: tensor<36xf32>,
    %x13: tensor<2x17x36xf32>,
    %x14: tensor<2x17x40xf32>,
    %x15: tensor<36x40xf32>,
    %x16: tensor<36xf32>,
    %x17: tensor<2x17x36xf32>,
    %x18: tensor<40x24xf32>,
    %x19: tensor<40x28xf32>,
    %x20: tensor<40x24xf32>,
    %x21: tensor<40x28xf32>,
    %x22: tensor<3x20x24xf32>,
    %x23: tensor<3x24x33xf32>,
    %x24: tensor<20x24xf32>)
    -> (tensor<37x29xf32>, tensor<64x64xf32>, tensor<37x29xf32>, tensor<37x29xf32>, tensor<70x1xf32>, tensor<2x17x36xf32>, tensor<2x17x36xf32>, tensor<24x28xf32>, tensor<24x28xf32>, tensor<3x20x33xf32>, tensor<3x20x33xf32>) {
  %r0 = kgen.dispatch @nn_odd schedule(#kgen.schedule<family = gemm>)
      ins(%x0, %x1 : tensor<37x51xf32>, tensor<51x29xf32>) {
  ^bb0(%a0: tensor<37x51xf32>, %a1: tensor<51x29xf32>):
    %m = aten.mm %a0, %a1 : (tensor<37x51xf32>, tensor<51x29xf32>) -> tensor<37x29xf32>
    kgen.yield %m : tensor<37x29xf32>
  } : tensor<37x29xf32>
  %r1 = kgen.dispatch @nn_even schedule(#kgen.schedule<family = gemm, tile = [32, 64, 16], warp_tile = [32, 32]>)
      ins(%x2, %x3 : tensor<64x48xf32>, tensor<48x64xf32>) {
  ^bb0(%a0: tensor<64x48xf32>, %a1: tensor<48x64xf32>):
    %m = aten.mm %a0, %a1 : (tensor<64x48xf32>, tensor<48x64xf32>) -> tensor<64x64xf32>
    kgen.yield %m : tensor<64x64xf32>
  } : tensor<64x64xf32>
  %r2 = kgen.dispatch @nn_simt schedule(#kgen.schedule<family = gemm, mma = none>)
      ins(%x4, %x5 : tensor<37x51xf32>, tensor<51x29xf32>) {
  ^bb0(%a0: tensor<37x51xf32>, %a1: tensor<51x29xf32>):
    %m = aten.mm %a0, %a1 : (tensor<37x51xf32>, tensor<51x29xf32>) -> tensor<37x29xf32>
    kgen.yield %m : tensor<37x29xf32>
  } : tensor<37x29xf32>
  %r3 = kgen.dispatch @warp_api schedule(#kgen.schedule<family = gemm, mma = wmma>)
      ins(%x6, %x7 : tensor<37x51xf32>, tensor<51x29xf32>) {
  ^bb0(%a0: tensor<37x51xf32>, %a1: tensor<51x29xf32>):
    %m = aten.mm %a0, %a1 : (tensor<37x51xf32>, tensor<51x29xf32>) -> tensor<37x29xf32>
    kgen.yield %m : tensor<37x29xf32>
  } : tensor<37x29xf32>
  %r4 = kgen.dispatch @column schedule(#kgen.schedule<family = gemm, split_k = 2>)
      ins(%x8, %x9 : tensor<70x90xf32>, tensor<90x1xf32>) {
  ^bb0(%a0: tensor<70x90xf32>, %a1: tensor<90x1xf32>):
    %m = aten.mm %a0, %a1 : (tensor<70x90xf32>, tensor<90x1xf32>) -> tensor<70x1xf32>
    kgen.yield %m : tensor<70x1xf32>
  } : tensor<70x1xf32>
  %r5 = kgen.dispatch @layer schedule(#kgen.schedule<family = gemm>)
      ins(%x10, %x11, %x12, %x13 : tensor<2x17x40xf32>, tensor<36x40xf32>, tensor<36xf32>, tensor<2x17x36xf32>) {
  ^bb0(%a0: tensor<2x17x40xf32>, %a1: tensor<36x40xf32>, %a2: tensor<36xf32>, %a3: tensor<2x17x36xf32>):
    %m = aten.linear %a0, %a1, %a2 : (tensor<2x17x40xf32>, tensor<36x40xf32>, tensor<36xf32>) -> tensor<2x17x36xf32>
    %p = aten.relu %m : (tensor<2x17x36xf32>) -> tensor<2x17x36xf32>
    %q = aten.add.Tensor %p, %a3 : (tensor<2x17x36xf32>, tensor<2x17x36xf32>) -> tensor<2x17x36xf32>
    kgen.yield %q : tensor<2x17x36xf32>
  } : tensor<2x17x36xf32>
  %r6 = kgen.dispatch @layer_simt schedule(#kgen.schedule<family = gemm, mma = none, split_k = 3, tile = [16, 16, 4], thread_tile = [2, 2]>)
      ins(%x14, %x15, %x16, %x17 : tensor<2x17x40xf32>, tensor<36x40xf32>, tensor<36xf32>, tensor<2x17x36xf32>) {
  ^bb0(%a0: tensor<2x17x40xf32>, %a1: tensor<36x40xf32>, %a2: tensor<36xf32>, %a3: tensor<2x17x36xf32>):
    %m = aten.linear %a0, %a1, %a2 : (tensor<2x17x40xf32>, tensor<36x40xf32>, tensor<36xf32>) -> tensor<2x17x36xf32>
    %p = aten.relu %m : (tensor<2x17x36xf32>) -> tensor<2x17x36xf32>
    %q = aten.add.Tensor %p, %a3 : (tensor<2x17x36xf32>, tensor<2x17x36xf32>) -> tensor<2x17x36xf32>
    kgen.yield %q : tensor<2x17x36xf32>
  } : tensor<2x17x36xf32>
  %r7 = kgen.dispatch @tn schedule(#kgen.schedule<family = gemm>)
      ins(%x18, %x19 : tensor<40x24xf32>, tensor<40x28xf32>) {
  ^bb0(%a0: tensor<40x24xf32>, %a1: tensor<40x28xf32>):
    %t = aten.numpy_T %a0 : (tensor<40x24xf32>) -> tensor<24x40xf32>
    %m = aten.mm %t, %a1 : (tensor<24x40xf32>, tensor<40x28xf32>) -> tensor<24x28xf32>
    kgen.yield %m : tensor<24x28xf32>
  } : tensor<24x28xf32>
  %r8 = kgen.dispatch @tn_simt schedule(#kgen.schedule<family = gemm, mma = none>)
      ins(%x20, %x21 : tensor<40x24xf32>, tensor<40x28xf32>) {
  ^bb0(%a0: tensor<40x24xf32>, %a1: tensor<40x28xf32>):
    %t = aten.numpy_T %a0 : (tensor<40x24xf32>) -> tensor<24x40xf32>
    %m = aten.mm %t, %a1 : (tensor<24x40xf32>, tensor<40x28xf32>) -> tensor<24x28xf32>
    kgen.yield %m : tensor<24x28xf32>
  } : tensor<24x28xf32>
  %r9 = kgen.dispatch @batches schedule(#kgen.schedule<family = gemm, raster = 1, tile = [16, 16, 16]>)
      ins(%x22, %x23 : tensor<3x20x24xf32>, tensor<3x24x33xf32>) {
  ^bb0(%a0: tensor<3x20x24xf32>, %a1: tensor<3x24x33xf32>):
    %m = aten.bmm %a0, %a1 : (tensor<3x20x24xf32>, tensor<3x24x33xf32>) -> tensor<3x20x33xf32>
    kgen.yield %m : tensor<3x20x33xf32>
  } : tensor<3x20x33xf32>
  %r10 = kgen.dispatch @shared schedule(#kgen.schedule<family = gemm>)
      ins(%x24, %x23 : tensor<20x24xf32>, tensor<3x24x33xf32>) {
  ^bb0(%a0: tensor<20x24xf32>, %a1: tensor<3x24x33xf32>):
    %m = aten.matmul %a0, %a1 : (tensor<20x24xf32>, tensor<3x24x33xf32>) -> tensor<3x20x33xf32>
    kgen.yield %m : tensor<3x20x33xf32>
  } : tensor<3x20x33xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10
      : tensor<37x29xf32>, tensor<64x64xf32>, tensor<37x29xf32>, tensor<37x29xf32>, tensor<70x1xf32>, tensor<2x17x36xf32>, tensor<2x17x36xf32>, tensor<24x28xf32>, tensor<24x28xf32>, tensor<3x20x33xf32>, tensor<3x20x33xf32>
}
}
