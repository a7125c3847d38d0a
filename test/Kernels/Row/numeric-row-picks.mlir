// One element of each row of a softmax, which is not written: cross entropy, in every way that a row can be held, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @picks(%x0: tensor<33x70xf32>,
    %x1: tensor<33xi64> {kgen.init = "integer(0, 69)"},
    %x2: tensor<37x30xf32>,
    %x3: tensor<37xi64> {kgen.init = "integer(0, 29)"},
    %x4: tensor<5x3001xf32>,
    %x5: tensor<5xi64> {kgen.init = "integer(0, 3000)"},
    %x6: tensor<6x5000xf32>,
    %x7: tensor<6xi64> {kgen.init = "integer(0, 4999)"},
    %x8: tensor<3x9000xf32>,
    %x9: tensor<3xi64> {kgen.init = "integer(0, 8999)"},
    %x10: tensor<5x9000xf32>,
    %x11: tensor<5xi64> {kgen.init = "integer(0, 8999)"},
    %x12: tensor<2x7x5x3xf32>,
    %x13: tensor<2x5x3xi64> {kgen.init = "integer(0, 6)"},
    %x14: tensor<2x40x5x3xf32>,
    %x15: tensor<2x5x3xi64> {kgen.init = "integer(0, 39)"},
    %x16: tensor<9x20xf32>,
    %x17: tensor<20xi64> {kgen.init = "integer(0, 8)"},
    %x18: tensor<33x70xf32>,
    %x19: tensor<33xi64> {kgen.init = "integer(0, 69)"},
    %x20: tensor<1x70xf32>,
    %x21: tensor<2x7x5x3xf32>,
    %x22: tensor<2x5x3xi64> {kgen.init = "integer(0, 6)"},
    %x23: tensor<1x7x1x1xf32>,
    %x24: tensor<20x300xf32>,
    %x25: tensor<20xi64> {kgen.init = "integer(0, 299)"},
    %x26: tensor<20x300xf32>,
    %x27: tensor<20xi64> {kgen.init = "integer(0, 299)"})
    -> (tensor<33xf32>, tensor<37xf32>, tensor<5xf32>, tensor<6xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<20xf32>, tensor<33xf32>, tensor<2x5x3xf32>, tensor<20x1xf32>, tensor<20xf32>) {
  %r0 = kgen.dispatch @warp schedule(#kgen.schedule<family = row>)
      ins(%x0, %x1 : tensor<33x70xf32>, tensor<33xi64>) {
  ^bb0(%x: tensor<33x70xf32>, %t: tensor<33xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<33x70xf32>) -> tensor<33x70xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<33xi64>) -> tensor<33xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<33xi1>, tensor<33xi64>, tensor<i64>) -> tensor<33xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<33xi64>) -> tensor<33x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<33x70xf32>, tensor<33x1xi64>) -> tensor<33x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<33x1xf32>) -> tensor<33xf32>
    %n = aten.neg %s : (tensor<33xf32>) -> tensor<33xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<33xi64>) -> tensor<33xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<33xi1>, tensor<33xf32>, tensor<f32>) -> tensor<33xf32>
    kgen.yield %o : tensor<33xf32>
  } : tensor<33xf32>
  %r1 = kgen.dispatch @one_thread schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 32, resident = none>)
      ins(%x2, %x3 : tensor<37x30xf32>, tensor<37xi64>) {
  ^bb0(%x: tensor<37x30xf32>, %t: tensor<37xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<37x30xf32>) -> tensor<37x30xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<37xi64>) -> tensor<37xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<37xi1>, tensor<37xi64>, tensor<i64>) -> tensor<37xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<37xi64>) -> tensor<37x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<37x30xf32>, tensor<37x1xi64>) -> tensor<37x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<37x1xf32>) -> tensor<37xf32>
    %n = aten.neg %s : (tensor<37xf32>) -> tensor<37xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<37xi64>) -> tensor<37xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<37xi1>, tensor<37xf32>, tensor<f32>) -> tensor<37xf32>
    kgen.yield %o : tensor<37xf32>
  } : tensor<37xf32>
  %r2 = kgen.dispatch @peeled schedule(#kgen.schedule<family = row, resident = reg>)
      ins(%x4, %x5 : tensor<5x3001xf32>, tensor<5xi64>) {
  ^bb0(%x: tensor<5x3001xf32>, %t: tensor<5xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<5x3001xf32>) -> tensor<5x3001xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<5xi64>) -> tensor<5xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<5xi1>, tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<5xi64>) -> tensor<5x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<5x3001xf32>, tensor<5x1xi64>) -> tensor<5x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<5x1xf32>) -> tensor<5xf32>
    %n = aten.neg %s : (tensor<5xf32>) -> tensor<5xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<5xi64>) -> tensor<5xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<5xi1>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
    kgen.yield %o : tensor<5xf32>
  } : tensor<5xf32>
  %r3 = kgen.dispatch @block schedule(#kgen.schedule<family = row, threads_per_row = 256>)
      ins(%x6, %x7 : tensor<6x5000xf32>, tensor<6xi64>) {
  ^bb0(%x: tensor<6x5000xf32>, %t: tensor<6xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<6x5000xf32>) -> tensor<6x5000xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<6xi64>) -> tensor<6xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<6xi1>, tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<6xi64>) -> tensor<6x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<6x5000xf32>, tensor<6x1xi64>) -> tensor<6x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<6x1xf32>) -> tensor<6xf32>
    %n = aten.neg %s : (tensor<6xf32>) -> tensor<6xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<6xi64>) -> tensor<6xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<6xi1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    kgen.yield %o : tensor<6xf32>
  } : tensor<6xf32>
  %r4 = kgen.dispatch @split schedule(#kgen.schedule<family = row, split_rows = 2, resident = none>)
      ins(%x8, %x9 : tensor<3x9000xf32>, tensor<3xi64>) {
  ^bb0(%x: tensor<3x9000xf32>, %t: tensor<3xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<3xi64>) -> tensor<3xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<3xi1>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<3xi64>) -> tensor<3x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<3x9000xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<3x1xf32>) -> tensor<3xf32>
    %n = aten.neg %s : (tensor<3xf32>) -> tensor<3xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<3xi64>) -> tensor<3xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    kgen.yield %o : tensor<3xf32>
  } : tensor<3xf32>
  %r5 = kgen.dispatch @streamed schedule(#kgen.schedule<family = row, threads_per_row = 64, resident = hybrid>)
      ins(%x10, %x11 : tensor<5x9000xf32>, tensor<5xi64>) {
  ^bb0(%x: tensor<5x9000xf32>, %t: tensor<5xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<5x9000xf32>) -> tensor<5x9000xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<5xi64>) -> tensor<5xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<5xi1>, tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<5xi64>) -> tensor<5x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<5x9000xf32>, tensor<5x1xi64>) -> tensor<5x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<5x1xf32>) -> tensor<5xf32>
    %n = aten.neg %s : (tensor<5xf32>) -> tensor<5xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<5xi64>) -> tensor<5xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<5xi1>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
    kgen.yield %o : tensor<5xf32>
  } : tensor<5xf32>
  %r6 = kgen.dispatch @middle schedule(#kgen.schedule<family = row>)
      ins(%x12, %x13 : tensor<2x7x5x3xf32>, tensor<2x5x3xi64>) {
  ^bb0(%x: tensor<2x7x5x3xf32>, %t: tensor<2x5x3xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<2x7x5x3xf32>) -> tensor<2x7x5x3xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<2x5x3xi1>, tensor<2x5x3xi64>, tensor<i64>) -> tensor<2x5x3xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<2x5x3xi64>) -> tensor<2x1x5x3xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<2x7x5x3xf32>, tensor<2x1x5x3xi64>) -> tensor<2x1x5x3xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<2x1x5x3xf32>) -> tensor<2x5x3xf32>
    %n = aten.neg %s : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<2x5x3xi1>, tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x5x3xf32>
    kgen.yield %o : tensor<2x5x3xf32>
  } : tensor<2x5x3xf32>
  %r7 = kgen.dispatch @middle_shared schedule(#kgen.schedule<family = row, threads_per_row = 4, rows_per_block = 32>)
      ins(%x14, %x15 : tensor<2x40x5x3xf32>, tensor<2x5x3xi64>) {
  ^bb0(%x: tensor<2x40x5x3xf32>, %t: tensor<2x5x3xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<2x40x5x3xf32>) -> tensor<2x40x5x3xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<2x5x3xi1>, tensor<2x5x3xi64>, tensor<i64>) -> tensor<2x5x3xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<2x5x3xi64>) -> tensor<2x1x5x3xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<2x40x5x3xf32>, tensor<2x1x5x3xi64>) -> tensor<2x1x5x3xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<2x1x5x3xf32>) -> tensor<2x5x3xf32>
    %n = aten.neg %s : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<2x5x3xi1>, tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x5x3xf32>
    kgen.yield %o : tensor<2x5x3xf32>
  } : tensor<2x5x3xf32>
  %r8 = kgen.dispatch @first schedule(#kgen.schedule<family = row>)
      ins(%x16, %x17 : tensor<9x20xf32>, tensor<20xi64>) {
  ^bb0(%x: tensor<9x20xf32>, %t: tensor<20xi64>):
    %l = aten.log_softmax.int %x dim 0 : (tensor<9x20xf32>) -> tensor<9x20xf32>
    %u = aten.unsqueeze %t dim 0 : (tensor<20xi64>) -> tensor<1x20xi64>
    %g = aten.gather %l, %u dim 0 : (tensor<9x20xf32>, tensor<1x20xi64>) -> tensor<1x20xf32>
    %s = aten.squeeze.dim %g dim 0 : (tensor<1x20xf32>) -> tensor<20xf32>
    %n = aten.neg %s : (tensor<20xf32>) -> tensor<20xf32>
    kgen.yield %n : tensor<20xf32>
  } : tensor<20xf32>
  %r9 = kgen.dispatch @weighted schedule(#kgen.schedule<family = row>)
      ins(%x18, %x19, %x20 : tensor<33x70xf32>, tensor<33xi64>, tensor<1x70xf32>) {
  ^bb0(%x: tensor<33x70xf32>, %t: tensor<33xi64>, %w: tensor<1x70xf32>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<33x70xf32>) -> tensor<33x70xf32>
    %m = aten.mul.Tensor %l, %w : (tensor<33x70xf32>, tensor<1x70xf32>) -> tensor<33x70xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<33xi64>) -> tensor<33xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<33xi1>, tensor<33xi64>, tensor<i64>) -> tensor<33xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<33xi64>) -> tensor<33x1xi64>
    %g = aten.gather %m, %u dim 1 : (tensor<33x70xf32>, tensor<33x1xi64>) -> tensor<33x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<33x1xf32>) -> tensor<33xf32>
    %n = aten.neg %s : (tensor<33xf32>) -> tensor<33xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<33xi64>) -> tensor<33xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<33xi1>, tensor<33xf32>, tensor<f32>) -> tensor<33xf32>
    kgen.yield %o : tensor<33xf32>
  } : tensor<33xf32>
  %r10 = kgen.dispatch @weighted_middle schedule(#kgen.schedule<family = row>)
      ins(%x21, %x22, %x23 : tensor<2x7x5x3xf32>, tensor<2x5x3xi64>, tensor<1x7x1x1xf32>) {
  ^bb0(%x: tensor<2x7x5x3xf32>, %t: tensor<2x5x3xi64>, %w: tensor<1x7x1x1xf32>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<2x7x5x3xf32>) -> tensor<2x7x5x3xf32>
    %m = aten.mul.Tensor %l, %w : (tensor<2x7x5x3xf32>, tensor<1x7x1x1xf32>) -> tensor<2x7x5x3xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<2x5x3xi1>, tensor<2x5x3xi64>, tensor<i64>) -> tensor<2x5x3xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<2x5x3xi64>) -> tensor<2x1x5x3xi64>
    %g = aten.gather %m, %u dim 1 : (tensor<2x7x5x3xf32>, tensor<2x1x5x3xi64>) -> tensor<2x1x5x3xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<2x1x5x3xf32>) -> tensor<2x5x3xf32>
    %n = aten.neg %s : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<2x5x3xi1>, tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x5x3xf32>
    kgen.yield %o : tensor<2x5x3xf32>
  } : tensor<2x5x3xf32>
  %r11 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>)
      ins(%x24, %x25 : tensor<20x300xf32>, tensor<20xi64>) {
  ^bb0(%x: tensor<20x300xf32>, %t: tensor<20xi64>):
    %l = aten.softmax.int %x dim 1 : (tensor<20x300xf32>) -> tensor<20x300xf32>
    %u = aten.unsqueeze %t dim 1 : (tensor<20xi64>) -> tensor<20x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<20x300xf32>, tensor<20x1xi64>) -> tensor<20x1xf32>
    kgen.yield %g : tensor<20x1xf32>
  } : tensor<20x1xf32>
  %r12 = kgen.dispatch @front schedule(#kgen.schedule<family = row>)
      ins(%x26, %x27 : tensor<20x300xf32>, tensor<20xi64>) {
  ^bb0(%x: tensor<20x300xf32>, %t: tensor<20xi64>):
    %f = aten.mul.Scalar %x {other = 2.5} : (tensor<20x300xf32>) -> tensor<20x300xf32>
    %l = aten.log_softmax.int %f dim 1 : (tensor<20x300xf32>) -> tensor<20x300xf32>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<20xi64>) -> tensor<20xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<20xi1>, tensor<20xi64>, tensor<i64>) -> tensor<20xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<20xi64>) -> tensor<20x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<20x300xf32>, tensor<20x1xi64>) -> tensor<20x1xf32>
    %s = aten.squeeze.dim %g dim 1 : (tensor<20x1xf32>) -> tensor<20xf32>
    %n = aten.neg %s : (tensor<20xf32>) -> tensor<20xf32>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<20xi64>) -> tensor<20xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<20xi1>, tensor<20xf32>, tensor<f32>) -> tensor<20xf32>
    kgen.yield %o : tensor<20xf32>
  } : tensor<20xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12 : tensor<33xf32>, tensor<37xf32>, tensor<5xf32>, tensor<6xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<20xf32>, tensor<33xf32>, tensor<2x5x3xf32>, tensor<20x1xf32>, tensor<20xf32>
}
}
