// Several sums of the same rows in one pass, in every way that they can be taken, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @sums(%x0: tensor<33x70xf32>,
    %x1: tensor<33x70xf32>,
    %x2: tensor<37x30xf32>,
    %x3: tensor<37x30xf32>,
    %x4: tensor<5x3001xf32>,
    %x5: tensor<5x3001xf32>,
    %x6: tensor<6x5000xf32>,
    %x7: tensor<6x5000xf32>,
    %x8: tensor<3x9000xf32>,
    %x9: tensor<3x9000xf32>,
    %x10: tensor<6x900xf32>,
    %x11: tensor<6x900xf32>,
    %x12: tensor<3x70x9xf32>,
    %x13: tensor<3x70x9xf32>,
    %x14: tensor<2x70000xf32>,
    %x15: tensor<2x70000xf32>,
    %x16: tensor<7x30xf32>,
    %x17: tensor<7x30xf32>,
    %x18: tensor<500xf32>,
    %x19: tensor<500xi64> {kgen.init = "integer(0, 9)"})
    -> (tensor<33xf32>, tensor<37xf32>, tensor<5xf32>, tensor<6x1xf32>, tensor<3xf32>, tensor<6xf32>, tensor<3x9xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) {
  %r0 = kgen.dispatch @warp schedule(#kgen.schedule<family = row>)
      ins(%x0, %x1 : tensor<33x70xf32>, tensor<33x70xf32>) {
  ^bb0(%x: tensor<33x70xf32>, %y: tensor<33x70xf32>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<33x70xf32>) -> tensor<33xf32>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<33x70xf32>) -> tensor<33xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<33x70xf32>, tensor<33x70xf32>) -> tensor<33x70xf32>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<33x70xf32>) -> tensor<33xf32>
    %q = aten.div.Tensor %s, %a : (tensor<33xf32>, tensor<33xf32>) -> tensor<33xf32>
    %o = aten.div.Tensor %q, %b : (tensor<33xf32>, tensor<33xf32>) -> tensor<33xf32>
    kgen.yield %o : tensor<33xf32>
  } : tensor<33xf32>
  %r1 = kgen.dispatch @one_thread schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 32, resident = none>)
      ins(%x2, %x3 : tensor<37x30xf32>, tensor<37x30xf32>) {
  ^bb0(%x: tensor<37x30xf32>, %y: tensor<37x30xf32>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<37x30xf32>) -> tensor<37xf32>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<37x30xf32>) -> tensor<37xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<37x30xf32>, tensor<37x30xf32>) -> tensor<37x30xf32>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<37x30xf32>) -> tensor<37xf32>
    %q = aten.div.Tensor %s, %a : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xf32>
    %o = aten.div.Tensor %q, %b : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xf32>
    kgen.yield %o : tensor<37xf32>
  } : tensor<37xf32>
  %r2 = kgen.dispatch @peeled schedule(#kgen.schedule<family = row>)
      ins(%x4, %x5 : tensor<5x3001xf32>, tensor<5x3001xf32>) {
  ^bb0(%x: tensor<5x3001xf32>, %y: tensor<5x3001xf32>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<5x3001xf32>) -> tensor<5xf32>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<5x3001xf32>) -> tensor<5xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<5x3001xf32>, tensor<5x3001xf32>) -> tensor<5x3001xf32>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<5x3001xf32>) -> tensor<5xf32>
    %q = aten.div.Tensor %s, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %o = aten.div.Tensor %q, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    kgen.yield %o : tensor<5xf32>
  } : tensor<5xf32>
  %r3 = kgen.dispatch @block schedule(#kgen.schedule<family = row>)
      ins(%x6, %x7 : tensor<6x5000xf32>, tensor<6x5000xf32>) {
  ^bb0(%x: tensor<6x5000xf32>, %y: tensor<6x5000xf32>):
    %a = aten.linalg_vector_norm %x dim [1] keepdim true : (tensor<6x5000xf32>) -> tensor<6x1xf32>
    %b = aten.linalg_vector_norm %y dim [1] keepdim true : (tensor<6x5000xf32>) -> tensor<6x1xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<6x5000xf32>, tensor<6x5000xf32>) -> tensor<6x5000xf32>
    %s = aten.sum.dim_IntList %m dim [1] keepdim true : (tensor<6x5000xf32>) -> tensor<6x1xf32>
    %q = aten.div.Tensor %s, %a : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
    %o = aten.div.Tensor %q, %b : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
    kgen.yield %o : tensor<6x1xf32>
  } : tensor<6x1xf32>
  %r4 = kgen.dispatch @split schedule(#kgen.schedule<family = row, split_rows = 2, resident = none>)
      ins(%x8, %x9 : tensor<3x9000xf32>, tensor<3x9000xf32>) {
  ^bb0(%x: tensor<3x9000xf32>, %y: tensor<3x9000xf32>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<3x9000xf32>) -> tensor<3xf32>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<3x9000xf32>) -> tensor<3xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xf32>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<3x9000xf32>) -> tensor<3xf32>
    %q = aten.div.Tensor %s, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %o = aten.div.Tensor %q, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    kgen.yield %o : tensor<3xf32>
  } : tensor<3xf32>
  %r5 = kgen.dispatch @registers schedule(#kgen.schedule<family = row, resident = reg>)
      ins(%x10, %x11 : tensor<6x900xf32>, tensor<6x900xf32>) {
  ^bb0(%x: tensor<6x900xf32>, %y: tensor<6x900xf32>):
    %a = aten.mean.dim %x dim [1] : (tensor<6x900xf32>) -> tensor<6xf32>
    %d = aten.sub.Tensor %x, %y : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    %b = aten.linalg_vector_norm %d ord 1.0 dim [1] : (tensor<6x900xf32>) -> tensor<6xf32>
    %o = aten.add.Tensor %a, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    kgen.yield %o : tensor<6xf32>
  } : tensor<6xf32>
  %r6 = kgen.dispatch @middle schedule(#kgen.schedule<family = row>)
      ins(%x12, %x13 : tensor<3x70x9xf32>, tensor<3x70x9xf32>) {
  ^bb0(%x: tensor<3x70x9xf32>, %y: tensor<3x70x9xf32>):
    %a = aten.mean.dim %x dim [1] : (tensor<3x70x9xf32>) -> tensor<3x9xf32>
    %d = aten.sub.Tensor %x, %y : (tensor<3x70x9xf32>, tensor<3x70x9xf32>) -> tensor<3x70x9xf32>
    %b = aten.linalg_vector_norm %d ord 1.0 dim [1] : (tensor<3x70x9xf32>) -> tensor<3x9xf32>
    %o = aten.add.Tensor %a, %b : (tensor<3x9xf32>, tensor<3x9xf32>) -> tensor<3x9xf32>
    kgen.yield %o : tensor<3x9xf32>
  } : tensor<3x9xf32>
  %r7 = kgen.dispatch @long_rows schedule(#kgen.schedule<family = row, threads_per_row = 32, rows_per_block = 4, resident = none, split_rows = 1>)
      ins(%x14, %x15 : tensor<2x70000xf32>, tensor<2x70000xf32>) {
  ^bb0(%x: tensor<2x70000xf32>, %y: tensor<2x70000xf32>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<2x70000xf32>) -> tensor<2xf32>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<2x70000xf32>) -> tensor<2xf32>
    %m = aten.mul.Tensor %x, %y : (tensor<2x70000xf32>, tensor<2x70000xf32>) -> tensor<2x70000xf32>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<2x70000xf32>) -> tensor<2xf32>
    %q = aten.div.Tensor %s, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %o = aten.div.Tensor %q, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    kgen.yield %o : tensor<2xf32>
  } : tensor<2xf32>
  %r8 = kgen.dispatch @everything schedule(#kgen.schedule<family = row>)
      ins(%x16, %x17 : tensor<7x30xf32>, tensor<7x30xf32>) {
  ^bb0(%x: tensor<7x30xf32>, %y: tensor<7x30xf32>):
    %a = aten.linalg_vector_norm %x dim [0, 1] : (tensor<7x30xf32>) -> tensor<f32>
    %b = aten.linalg_vector_norm %y dim [0, 1] : (tensor<7x30xf32>) -> tensor<f32>
    %m = aten.mul.Tensor %x, %y : (tensor<7x30xf32>, tensor<7x30xf32>) -> tensor<7x30xf32>
    %s = aten.sum.dim_IntList %m dim [0, 1] : (tensor<7x30xf32>) -> tensor<f32>
    %q = aten.div.Tensor %s, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %o = aten.div.Tensor %q, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kgen.yield %o : tensor<f32>
  } : tensor<f32>
  %r9 = kgen.dispatch @counted schedule(#kgen.schedule<family = row>)
      ins(%x18, %x19 : tensor<500xf32>, tensor<500xi64>) {
  ^bb0(%x: tensor<500xf32>, %t: tensor<500xi64>):
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<500xi64>) -> tensor<500xi1>
    %1 = aten.full size [] fill_value 1.0 dtype f32 : () -> tensor<f32>
    %0 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %w = aten.where.self %ne, %1, %0 : (tensor<500xi1>, tensor<f32>, tensor<f32>) -> tensor<500xf32>
    %n = aten.sum %w : (tensor<500xf32>) -> tensor<f32>
    %s = aten.sum %x : (tensor<500xf32>) -> tensor<f32>
    %o = aten.div.Tensor %s, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kgen.yield %o : tensor<f32>
  } : tensor<f32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<33xf32>, tensor<37xf32>, tensor<5xf32>, tensor<6x1xf32>, tensor<3xf32>, tensor<6xf32>, tensor<3x9xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>
}
}
