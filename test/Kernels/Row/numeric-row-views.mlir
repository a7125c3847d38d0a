// Rows that are read behind views, where they lie, against the oracle: nothing is copied in front of the kernels.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-take-row-views -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=VIEWS --input-file %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// VIEWS-LABEL: func.func @views
// VIEWS-NOT: aten.

module {
func.func @views(%x0: tensor<2x5x128xbf16>,
    %x1: tensor<16xbf16>,
    %x2: tensor<2x5x96xf32>,
    %x3: tensor<16xf32>,
    %x4: tensor<16xf32>,
    %x5: tensor<6x1000xf32>,
    %x6: tensor<7x1009xf32>,
    %x7: tensor<6x3x70xf32>,
    %x8: tensor<3x20000xf32>,
    %x9: tensor<3x16384xf32>,
    %x10: tensor<3x1x64xf32>,
    %x11: tensor<4x12x5x4xf32>,
    %x12: tensor<6xf32>,
    %x13: tensor<9x80xf32>,
    %x14: tensor<9x1xi64> {kgen.init = "integer(0, 39)"})
    -> (tensor<2x5x2x16xbf16>, tensor<2x4x5x16xf32>, tensor<6x512xf32>, tensor<7x1000xf32>, tensor<6x1xf32>, tensor<3x16384xf32>, tensor<3x16384xf32>, tensor<3x4x64xf32>, tensor<4x6x5x4xf32>, tensor<9x1xf32>) {
  // the norm of each key, between queries and values
  %v0 = aten.slice.Tensor %x0 dim 2 start 64 end 96 : (tensor<2x5x128xbf16>) -> tensor<2x5x32xbf16>
  %v1 = aten.view %v0 size [2, 5, 2, 16] : (tensor<2x5x32xbf16>) -> tensor<2x5x2x16xbf16>
  %r0 = kgen.dispatch @rows0 schedule(#kgen.schedule<family = row>) ins(%v1, %x1 : tensor<2x5x2x16xbf16>, tensor<16xbf16>) {
  ^bb0(%a0: tensor<2x5x2x16xbf16>, %a1: tensor<16xbf16>):
    %f = aten._to_copy %a0 dtype f32 : (tensor<2x5x2x16xbf16>) -> tensor<2x5x2x16xf32>
    %p = aten.pow.Tensor_Scalar %f {exponent = 2.0} : (tensor<2x5x2x16xf32>) -> tensor<2x5x2x16xf32>
    %m = aten.mean.dim %p dim [-1] keepdim true : (tensor<2x5x2x16xf32>) -> tensor<2x5x2x1xf32>
    %e = aten.add.Scalar %m {other = 1.0e-06} : (tensor<2x5x2x1xf32>) -> tensor<2x5x2x1xf32>
    %q = aten.rsqrt %e : (tensor<2x5x2x1xf32>) -> tensor<2x5x2x1xf32>
    %n = aten.mul.Tensor %f, %q : (tensor<2x5x2x16xf32>, tensor<2x5x2x1xf32>) -> tensor<2x5x2x16xf32>
    %h = aten._to_copy %n dtype bf16 : (tensor<2x5x2x16xf32>) -> tensor<2x5x2x16xbf16>
    %s = aten.mul.Tensor %a1, %h : (tensor<16xbf16>, tensor<2x5x2x16xbf16>) -> tensor<2x5x2x16xbf16>
    kgen.yield %s : tensor<2x5x2x16xbf16>
  } : tensor<2x5x2x16xbf16>
  // a layer norm of heads that are transposed
  %v2 = aten.narrow %x2 dim -1 start 32 length 64 : (tensor<2x5x96xf32>) -> tensor<2x5x64xf32>
  %v3 = aten.view %v2 size [2, 5, 4, 16] : (tensor<2x5x64xf32>) -> tensor<2x5x4x16xf32>
  %v4 = aten.transpose.int %v3 dim0 1 dim1 2 : (tensor<2x5x4x16xf32>) -> tensor<2x4x5x16xf32>
  %r1 = kgen.dispatch @rows1 schedule(#kgen.schedule<family = row>) ins(%v4, %x3, %x4 : tensor<2x4x5x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<2x4x5x16xf32>, %a1: tensor<16xf32>, %a2: tensor<16xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [16] : (tensor<2x4x5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x4x5x16xf32>
    kgen.yield %s : tensor<2x4x5x16xf32>
  } : tensor<2x4x5x16xf32>
  // rows that begin at a multiple of four elements
  %v5 = aten.narrow %x5 dim 1 start 100 length 512 : (tensor<6x1000xf32>) -> tensor<6x512xf32>
  %r2 = kgen.dispatch @rows2 schedule(#kgen.schedule<family = row>) ins(%v5 : tensor<6x512xf32>) {
  ^bb0(%a0: tensor<6x512xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<6x512xf32>) -> tensor<6x512xf32>
    kgen.yield %s : tensor<6x512xf32>
  } : tensor<6x512xf32>
  // rows that begin anywhere
  %v6 = aten.slice.Tensor %x6 dim 1 start 3 end 1003 : (tensor<7x1009xf32>) -> tensor<7x1000xf32>
  %r3 = kgen.dispatch @rows3 schedule(#kgen.schedule<family = row, reduce = two_pass, resident = reg>) ins(%v6 : tensor<7x1000xf32>) {
  ^bb0(%a0: tensor<7x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<7x1000xf32>) -> tensor<7x1000xf32>
    kgen.yield %s : tensor<7x1000xf32>
  } : tensor<7x1000xf32>
  // two inputs, both parts of one buffer, and two sums of them
  %v7 = aten.select.int %x7 dim 1 index 1 : (tensor<6x3x70xf32>) -> tensor<6x70xf32>
  %v8 = aten.select.int %x7 dim 1 index -1 : (tensor<6x3x70xf32>) -> tensor<6x70xf32>
  %r4 = kgen.dispatch @rows4 schedule(#kgen.schedule<family = row>) ins(%v7, %v8 : tensor<6x70xf32>, tensor<6x70xf32>) {
  ^bb0(%a0: tensor<6x70xf32>, %a1: tensor<6x70xf32>):
    %d = aten.mul.Tensor %a0, %a1 : (tensor<6x70xf32>, tensor<6x70xf32>) -> tensor<6x70xf32>
    %u = aten.sum.dim_IntList %d dim [1] keepdim true : (tensor<6x70xf32>) -> tensor<6x1xf32>
    %t = aten.linalg_vector_norm %a1 ord 2.0 dim [1] keepdim true : (tensor<6x70xf32>) -> tensor<6x1xf32>
    %s = aten.add.Tensor %u, %t : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
    kgen.yield %s : tensor<6x1xf32>
  } : tensor<6x1xf32>
  // long rows, shared by blocks in two launches
  %v9 = aten.slice.Tensor %x8 dim 1 start 1024 end 17408 : (tensor<3x20000xf32>) -> tensor<3x16384xf32>
  %r5 = kgen.dispatch @rows5 schedule(#kgen.schedule<family = row, split_rows = 2, resident = none>) ins(%v9 : tensor<3x16384xf32>) {
  ^bb0(%a0: tensor<3x16384xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x16384xf32>) -> tensor<3x16384xf32>
    kgen.yield %s : tensor<3x16384xf32>
  } : tensor<3x16384xf32>
  // the same, read twice, with a second input that lies as rows do
  %r7 = kgen.dispatch @rows7 schedule(#kgen.schedule<family = row, resident = none>) ins(%v9, %x9 : tensor<3x16384xf32>, tensor<3x16384xf32>) {
  ^bb0(%a0: tensor<3x16384xf32>, %a1: tensor<3x16384xf32>):
    %y = aten.add.Tensor %a0, %a1 : (tensor<3x16384xf32>, tensor<3x16384xf32>) -> tensor<3x16384xf32>
    %z = aten.softmax.int %y dim 1 : (tensor<3x16384xf32>) -> tensor<3x16384xf32>
    %m = aten.mul.Tensor %z, %a1 : (tensor<3x16384xf32>, tensor<3x16384xf32>) -> tensor<3x16384xf32>
    %s = aten.add.Tensor %m, %a0 : (tensor<3x16384xf32>, tensor<3x16384xf32>) -> tensor<3x16384xf32>
    kgen.yield %s : tensor<3x16384xf32>
  } : tensor<3x16384xf32>
  // rows that repeat
  %v11 = aten.expand %x10 size [3, 4, 64] : (tensor<3x1x64xf32>) -> tensor<3x4x64xf32>
  %r8 = kgen.dispatch @rows8 schedule(#kgen.schedule<family = row>) ins(%v11 : tensor<3x4x64xf32>) {
  ^bb0(%a0: tensor<3x4x64xf32>):
    %s = aten.log_softmax.int %a0 dim 2 : (tensor<3x4x64xf32>) -> tensor<3x4x64xf32>
    kgen.yield %s : tensor<3x4x64xf32>
  } : tensor<3x4x64xf32>
  // groups of the second half of the channels
  %v12 = aten.slice.Tensor %x11 dim 1 start 6 end 12 : (tensor<4x12x5x4xf32>) -> tensor<4x6x5x4xf32>
  %r9 = kgen.dispatch @rows9 schedule(#kgen.schedule<family = row>) ins(%v12, %x12 : tensor<4x6x5x4xf32>, tensor<6xf32>) {
  ^bb0(%a0: tensor<4x6x5x4xf32>, %a1: tensor<6xf32>):
    %s = aten.group_norm %a0 weight %a1 num_groups 3 : (tensor<4x6x5x4xf32>, tensor<6xf32>) -> tensor<4x6x5x4xf32>
    kgen.yield %s : tensor<4x6x5x4xf32>
  } : tensor<4x6x5x4xf32>
  // one element of each row
  %v13 = aten.slice.Tensor %x13 dim 1 start 40 end 80 : (tensor<9x80xf32>) -> tensor<9x40xf32>
  %r10 = kgen.dispatch @rows10 schedule(#kgen.schedule<family = row>) ins(%v13, %x14 : tensor<9x40xf32>, tensor<9x1xi64>) {
  ^bb0(%a0: tensor<9x40xf32>, %a1: tensor<9x1xi64>):
    %l = aten.log_softmax.int %a0 dim 1 : (tensor<9x40xf32>) -> tensor<9x40xf32>
    %s = aten.gather %l, %a1 dim 1 : (tensor<9x40xf32>, tensor<9x1xi64>) -> tensor<9x1xf32>
    kgen.yield %s : tensor<9x1xf32>
  } : tensor<9x1xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r7, %r8, %r9, %r10
      : tensor<2x5x2x16xbf16>, tensor<2x4x5x16xf32>, tensor<6x512xf32>, tensor<7x1000xf32>, tensor<6x1xf32>, tensor<3x16384xf32>, tensor<3x16384xf32>, tensor<3x4x64xf32>, tensor<4x6x5x4xf32>, tensor<9x1xf32>
}
}
