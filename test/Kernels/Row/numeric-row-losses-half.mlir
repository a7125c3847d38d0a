// Picked elements and several sums of rows of 16-bit floats, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @losses(%x0: tensor<9x64xf16>,
    %x1: tensor<9xi64> {kgen.init = "integer(0, 63)"},
    %x2: tensor<9x40xbf16>,
    %x3: tensor<9xi64> {kgen.init = "integer(0, 39)"},
    %x4: tensor<2x7x5x3xf16>,
    %x5: tensor<2x5x3xi64> {kgen.init = "integer(0, 6)"},
    %x6: tensor<1x7x1x1xf16>,
    %x7: tensor<9x640xf16>,
    %x8: tensor<9x640xf16>,
    %x9: tensor<9x640xbf16>,
    %x10: tensor<9x640xbf16>)
    -> (tensor<9xf16>, tensor<9xbf16>, tensor<2x5x3xf16>, tensor<9xf16>, tensor<9xbf16>) {
  %r0 = kgen.dispatch @picked_half schedule(#kgen.schedule<family = row>)
      ins(%x0, %x1 : tensor<9x64xf16>, tensor<9xi64>) {
  ^bb0(%x: tensor<9x64xf16>, %t: tensor<9xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<9x64xf16>) -> tensor<9x64xf16>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<9xi64>) -> tensor<9xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<9xi1>, tensor<9xi64>, tensor<i64>) -> tensor<9xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<9xi64>) -> tensor<9x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<9x64xf16>, tensor<9x1xi64>) -> tensor<9x1xf16>
    %s = aten.squeeze.dim %g dim 1 : (tensor<9x1xf16>) -> tensor<9xf16>
    %n = aten.neg %s : (tensor<9xf16>) -> tensor<9xf16>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<9xi64>) -> tensor<9xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f16 : () -> tensor<f16>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<9xi1>, tensor<9xf16>, tensor<f16>) -> tensor<9xf16>
    kgen.yield %o : tensor<9xf16>
  } : tensor<9xf16>
  %r1 = kgen.dispatch @picked_bfloat schedule(#kgen.schedule<family = row>)
      ins(%x2, %x3 : tensor<9x40xbf16>, tensor<9xi64>) {
  ^bb0(%x: tensor<9x40xbf16>, %t: tensor<9xi64>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<9x40xbf16>) -> tensor<9x40xbf16>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<9xi64>) -> tensor<9xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<9xi1>, tensor<9xi64>, tensor<i64>) -> tensor<9xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<9xi64>) -> tensor<9x1xi64>
    %g = aten.gather %l, %u dim 1 : (tensor<9x40xbf16>, tensor<9x1xi64>) -> tensor<9x1xbf16>
    %s = aten.squeeze.dim %g dim 1 : (tensor<9x1xbf16>) -> tensor<9xbf16>
    %n = aten.neg %s : (tensor<9xbf16>) -> tensor<9xbf16>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<9xi64>) -> tensor<9xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype bf16 : () -> tensor<bf16>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<9xi1>, tensor<9xbf16>, tensor<bf16>) -> tensor<9xbf16>
    kgen.yield %o : tensor<9xbf16>
  } : tensor<9xbf16>
  %r2 = kgen.dispatch @picked_middle schedule(#kgen.schedule<family = row>)
      ins(%x4, %x5, %x6 : tensor<2x7x5x3xf16>, tensor<2x5x3xi64>, tensor<1x7x1x1xf16>) {
  ^bb0(%x: tensor<2x7x5x3xf16>, %t: tensor<2x5x3xi64>, %w: tensor<1x7x1x1xf16>):
    %l = aten.log_softmax.int %x dim 1 : (tensor<2x7x5x3xf16>) -> tensor<2x7x5x3xf16>
    %m = aten.mul.Tensor %l, %w : (tensor<2x7x5x3xf16>, tensor<1x7x1x1xf16>) -> tensor<2x7x5x3xf16>
    %ne = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
    %p = aten.where.self %ne, %t, %z : (tensor<2x5x3xi1>, tensor<2x5x3xi64>, tensor<i64>) -> tensor<2x5x3xi64>
    %u = aten.unsqueeze %p dim 1 : (tensor<2x5x3xi64>) -> tensor<2x1x5x3xi64>
    %g = aten.gather %m, %u dim 1 : (tensor<2x7x5x3xf16>, tensor<2x1x5x3xi64>) -> tensor<2x1x5x3xf16>
    %s = aten.squeeze.dim %g dim 1 : (tensor<2x1x5x3xf16>) -> tensor<2x5x3xf16>
    %n = aten.neg %s : (tensor<2x5x3xf16>) -> tensor<2x5x3xf16>
    %ne2 = aten.ne.Scalar %t {other = 3.0} : (tensor<2x5x3xi64>) -> tensor<2x5x3xi1>
    %z2 = aten.full size [] fill_value 0.0 dtype f16 : () -> tensor<f16>
    %o = aten.where.self %ne2, %n, %z2 : (tensor<2x5x3xi1>, tensor<2x5x3xf16>, tensor<f16>) -> tensor<2x5x3xf16>
    kgen.yield %o : tensor<2x5x3xf16>
  } : tensor<2x5x3xf16>
  %r3 = kgen.dispatch @sums_half schedule(#kgen.schedule<family = row>)
      ins(%x7, %x8 : tensor<9x640xf16>, tensor<9x640xf16>) {
  ^bb0(%x: tensor<9x640xf16>, %y: tensor<9x640xf16>):
    %a = aten.linalg_vector_norm %x dim [1] : (tensor<9x640xf16>) -> tensor<9xf16>
    %b = aten.linalg_vector_norm %y dim [1] : (tensor<9x640xf16>) -> tensor<9xf16>
    %m = aten.mul.Tensor %x, %y : (tensor<9x640xf16>, tensor<9x640xf16>) -> tensor<9x640xf16>
    %s = aten.sum.dim_IntList %m dim [1] : (tensor<9x640xf16>) -> tensor<9xf16>
    %q = aten.div.Tensor %s, %a : (tensor<9xf16>, tensor<9xf16>) -> tensor<9xf16>
    %o = aten.div.Tensor %q, %b : (tensor<9xf16>, tensor<9xf16>) -> tensor<9xf16>
    kgen.yield %o : tensor<9xf16>
  } : tensor<9xf16>
  %r4 = kgen.dispatch @sums_bfloat schedule(#kgen.schedule<family = row>)
      ins(%x9, %x10 : tensor<9x640xbf16>, tensor<9x640xbf16>) {
  ^bb0(%x: tensor<9x640xbf16>, %y: tensor<9x640xbf16>):
    %a = aten.mean.dim %x dim [1] : (tensor<9x640xbf16>) -> tensor<9xbf16>
    %d = aten.sub.Tensor %x, %y : (tensor<9x640xbf16>, tensor<9x640xbf16>) -> tensor<9x640xbf16>
    %b = aten.linalg_vector_norm %d ord 1.0 dim [1] : (tensor<9x640xbf16>) -> tensor<9xbf16>
    %o = aten.add.Tensor %a, %b : (tensor<9xbf16>, tensor<9xbf16>) -> tensor<9xbf16>
    kgen.yield %o : tensor<9xbf16>
  } : tensor<9xbf16>
  return %r0, %r1, %r2, %r3, %r4 : tensor<9xf16>, tensor<9xbf16>, tensor<2x5x3xf16>, tensor<9xf16>, tensor<9xbf16>
}
}
