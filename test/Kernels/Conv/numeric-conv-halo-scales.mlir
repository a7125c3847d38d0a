// Family conv with im2col = halo and f32 data as fp16, against the fp64 oracle, where pixels differ in magnitude by up to 2^230: by channels, so that
// steps, and the portions of one, have powers of two of their own; by rows; by images, between tiles; with channels of zeros in front of others, and with filters that travel.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 --compile-limit=120 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @scales(%x0: tensor<2x12x8x9x12xf32>,
    %r0: tensor<1x12x1x1x1xf32> {kgen.init = "uniform(-40, 40)"},
    %w0: tensor<24x96x3x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x1: tensor<1x12x8x9x11xf32>,
    %r1: tensor<1x12x1x1x1xf32> {kgen.init = "uniform(-40, 40)"},
    %w1: tensor<24x96x3x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x2: tensor<1x40x24x8xf32>,
    %r2: tensor<1x1x24x1xf32> {kgen.init = "uniform(0, 8)"},
    %w2: tensor<16x40x3x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x3: tensor<3x5x8x6x7xf32>,
    %r3: tensor<3x5x1x1x1xf32> {kgen.init = "uniform(-80, 40)"},
    %w3: tensor<40x16x3x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x4: tensor<3x6x8x4x4x8xf32>,
    %r4: tensor<3x6x1x1x1x1xf32> {kgen.init = "uniform(-80, 80)"},
    %w4: tensor<20x48x3x1x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x5: tensor<140x24x5x6xf32>,
    %r5: tensor<140x1x1x1xf32> {kgen.init = "uniform(-70, 70)"},
    %w5: tensor<16x24x3x3xf32> {kgen.init = "normal(0, 0.2)"},
    %x6: tensor<1x32x8x7x28xf32>,
    %r6: tensor<1x32x1x1x1xf32> {kgen.init = "uniform(-40, 40)"},
    %w6: tensor<16x256x3x3xf32> {kgen.init = "normal(0, 0.2)"})
    -> (tensor<2x24x9x12xf32>, tensor<1x24x5x6xf32>, tensor<1x16x22x6xf32>, tensor<3x16x13x15xf32>, tensor<3x20x2x4x8xf32>, tensor<140x16x5x6xf32>, tensor<1x16x7x28xf32>) {
  %s0 = kgen.dispatch @s0 schedule(#kgen.schedule<family = pointwise>) ins(%x0, %r0 : tensor<2x12x8x9x12xf32>, tensor<1x12x1x1x1xf32>) {
  ^bb0(%a: tensor<2x12x8x9x12xf32>, %b: tensor<1x12x1x1x1xf32>):
    %e = aten.exp %b : (tensor<1x12x1x1x1xf32>) -> tensor<1x12x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<2x12x8x9x12xf32>, tensor<1x12x1x1x1xf32>) -> tensor<2x12x8x9x12xf32>
    kgen.yield %m : tensor<2x12x8x9x12xf32>
  } : tensor<2x12x8x9x12xf32>
  %y0 = kgen.dispatch @c0 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [128, 64, 16]>) ins(%s0, %w0 : tensor<2x12x8x9x12xf32>, tensor<24x96x3x3xf32>) {
  ^bb0(%a: tensor<2x12x8x9x12xf32>, %b: tensor<24x96x3x3xf32>):
    %v = aten.reshape %a shape [2, 96, 9, 12] : (tensor<2x12x8x9x12xf32>) -> tensor<2x96x9x12xf32>
    %c = aten.conv2d %v, %b padding [1, 1] : (tensor<2x96x9x12xf32>, tensor<24x96x3x3xf32>) -> tensor<2x24x9x12xf32>
    kgen.yield %c : tensor<2x24x9x12xf32>
  } : tensor<2x24x9x12xf32>
  %s1 = kgen.dispatch @s1 schedule(#kgen.schedule<family = pointwise>) ins(%x1, %r1 : tensor<1x12x8x9x11xf32>, tensor<1x12x1x1x1xf32>) {
  ^bb0(%a: tensor<1x12x8x9x11xf32>, %b: tensor<1x12x1x1x1xf32>):
    %e = aten.exp %b : (tensor<1x12x1x1x1xf32>) -> tensor<1x12x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<1x12x8x9x11xf32>, tensor<1x12x1x1x1xf32>) -> tensor<1x12x8x9x11xf32>
    kgen.yield %m : tensor<1x12x8x9x11xf32>
  } : tensor<1x12x8x9x11xf32>
  %y1 = kgen.dispatch @c1 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [64, 64, 32], mma_inflight = 0>) ins(%s1, %w1 : tensor<1x12x8x9x11xf32>, tensor<24x96x3x3xf32>) {
  ^bb0(%a: tensor<1x12x8x9x11xf32>, %b: tensor<24x96x3x3xf32>):
    %v = aten.reshape %a shape [1, 96, 9, 11] : (tensor<1x12x8x9x11xf32>) -> tensor<1x96x9x11xf32>
    %c = aten.conv2d %v, %b stride [2, 2] padding [1, 1] : (tensor<1x96x9x11xf32>, tensor<24x96x3x3xf32>) -> tensor<1x24x5x6xf32>
    kgen.yield %c : tensor<1x24x5x6xf32>
  } : tensor<1x24x5x6xf32>
  %s2 = kgen.dispatch @s2 schedule(#kgen.schedule<family = pointwise>) ins(%x2, %r2 : tensor<1x40x24x8xf32>, tensor<1x1x24x1xf32>) {
  ^bb0(%a: tensor<1x40x24x8xf32>, %b: tensor<1x1x24x1xf32>):
    %e = aten.exp %b : (tensor<1x1x24x1xf32>) -> tensor<1x1x24x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<1x40x24x8xf32>, tensor<1x1x24x1xf32>) -> tensor<1x40x24x8xf32>
    kgen.yield %m : tensor<1x40x24x8xf32>
  } : tensor<1x40x24x8xf32>
  %y2 = kgen.dispatch @c2 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [64, 64, 16], stages = 3>) ins(%s2, %w2 : tensor<1x40x24x8xf32>, tensor<16x40x3x3xf32>) {
  ^bb0(%a: tensor<1x40x24x8xf32>, %b: tensor<16x40x3x3xf32>):
    %c = aten.conv2d %a, %b  : (tensor<1x40x24x8xf32>, tensor<16x40x3x3xf32>) -> tensor<1x16x22x6xf32>
    kgen.yield %c : tensor<1x16x22x6xf32>
  } : tensor<1x16x22x6xf32>
  %s3 = kgen.dispatch @s3 schedule(#kgen.schedule<family = pointwise>) ins(%x3, %r3 : tensor<3x5x8x6x7xf32>, tensor<3x5x1x1x1xf32>) {
  ^bb0(%a: tensor<3x5x8x6x7xf32>, %b: tensor<3x5x1x1x1xf32>):
    %p = aten.relu %b : (tensor<3x5x1x1x1xf32>) -> tensor<3x5x1x1x1xf32>
    %e = aten.expm1 %p : (tensor<3x5x1x1x1xf32>) -> tensor<3x5x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<3x5x8x6x7xf32>, tensor<3x5x1x1x1xf32>) -> tensor<3x5x8x6x7xf32>
    kgen.yield %m : tensor<3x5x8x6x7xf32>
  } : tensor<3x5x8x6x7xf32>
  %y3 = kgen.dispatch @c3 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [64, 64, 16]>) ins(%s3, %w3 : tensor<3x5x8x6x7xf32>, tensor<40x16x3x3xf32>) {
  ^bb0(%a: tensor<3x5x8x6x7xf32>, %b: tensor<40x16x3x3xf32>):
    %v = aten.reshape %a shape [3, 40, 6, 7] : (tensor<3x5x8x6x7xf32>) -> tensor<3x40x6x7xf32>
    %c = aten.conv_transpose2d.input %v, %b stride [2, 2] : (tensor<3x40x6x7xf32>, tensor<40x16x3x3xf32>) -> tensor<3x16x13x15xf32>
    kgen.yield %c : tensor<3x16x13x15xf32>
  } : tensor<3x16x13x15xf32>
  %s4 = kgen.dispatch @s4 schedule(#kgen.schedule<family = pointwise>) ins(%x4, %r4 : tensor<3x6x8x4x4x8xf32>, tensor<3x6x1x1x1x1xf32>) {
  ^bb0(%a: tensor<3x6x8x4x4x8xf32>, %b: tensor<3x6x1x1x1x1xf32>):
    %e = aten.exp %b : (tensor<3x6x1x1x1x1xf32>) -> tensor<3x6x1x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<3x6x8x4x4x8xf32>, tensor<3x6x1x1x1x1xf32>) -> tensor<3x6x8x4x4x8xf32>
    kgen.yield %m : tensor<3x6x8x4x4x8xf32>
  } : tensor<3x6x8x4x4x8xf32>
  %y4 = kgen.dispatch @c4 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [64, 64, 16]>) ins(%s4, %w4 : tensor<3x6x8x4x4x8xf32>, tensor<20x48x3x1x3xf32>) {
  ^bb0(%a: tensor<3x6x8x4x4x8xf32>, %b: tensor<20x48x3x1x3xf32>):
    %v = aten.reshape %a shape [3, 48, 4, 4, 8] : (tensor<3x6x8x4x4x8xf32>) -> tensor<3x48x4x4x8xf32>
    %c = aten.conv3d %v, %b padding [0, 0, 1] : (tensor<3x48x4x4x8xf32>, tensor<20x48x3x1x3xf32>) -> tensor<3x20x2x4x8xf32>
    kgen.yield %c : tensor<3x20x2x4x8xf32>
  } : tensor<3x20x2x4x8xf32>
  %s5 = kgen.dispatch @s5 schedule(#kgen.schedule<family = pointwise>) ins(%x5, %r5 : tensor<140x24x5x6xf32>, tensor<140x1x1x1xf32>) {
  ^bb0(%a: tensor<140x24x5x6xf32>, %b: tensor<140x1x1x1xf32>):
    %e = aten.exp %b : (tensor<140x1x1x1xf32>) -> tensor<140x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<140x24x5x6xf32>, tensor<140x1x1x1xf32>) -> tensor<140x24x5x6xf32>
    kgen.yield %m : tensor<140x24x5x6xf32>
  } : tensor<140x24x5x6xf32>
  %y5 = kgen.dispatch @c5 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [64, 64, 16]>) ins(%s5, %w5, %r5 : tensor<140x24x5x6xf32>, tensor<16x24x3x3xf32>, tensor<140x1x1x1xf32>) {
  ^bb0(%a: tensor<140x24x5x6xf32>, %b: tensor<16x24x3x3xf32>, %d: tensor<140x1x1x1xf32>):
    %c = aten.conv2d %a, %b padding [1, 1] : (tensor<140x24x5x6xf32>, tensor<16x24x3x3xf32>) -> tensor<140x16x5x6xf32>
    %n = aten.neg %d : (tensor<140x1x1x1xf32>) -> tensor<140x1x1x1xf32>
    %e = aten.exp %n : (tensor<140x1x1x1xf32>) -> tensor<140x1x1x1xf32>
    %m = aten.mul.Tensor %c, %e : (tensor<140x16x5x6xf32>, tensor<140x1x1x1xf32>) -> tensor<140x16x5x6xf32>
    kgen.yield %m : tensor<140x16x5x6xf32>
  } : tensor<140x16x5x6xf32>
  %s6 = kgen.dispatch @s6 schedule(#kgen.schedule<family = pointwise>) ins(%x6, %r6 : tensor<1x32x8x7x28xf32>, tensor<1x32x1x1x1xf32>) {
  ^bb0(%a: tensor<1x32x8x7x28xf32>, %b: tensor<1x32x1x1x1xf32>):
    %e = aten.exp %b : (tensor<1x32x1x1x1xf32>) -> tensor<1x32x1x1x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<1x32x8x7x28xf32>, tensor<1x32x1x1x1xf32>) -> tensor<1x32x8x7x28xf32>
    kgen.yield %m : tensor<1x32x8x7x28xf32>
  } : tensor<1x32x8x7x28xf32>
  %y6 = kgen.dispatch @c6 schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [192, 64, 32], stages = 2>) ins(%s6, %w6 : tensor<1x32x8x7x28xf32>, tensor<16x256x3x3xf32>) {
  ^bb0(%a: tensor<1x32x8x7x28xf32>, %b: tensor<16x256x3x3xf32>):
    %v = aten.reshape %a shape [1, 256, 7, 28] : (tensor<1x32x8x7x28xf32>) -> tensor<1x256x7x28xf32>
    %c = aten.conv2d %v, %b padding [1, 1] : (tensor<1x256x7x28xf32>, tensor<16x256x3x3xf32>) -> tensor<1x16x7x28xf32>
    kgen.yield %c : tensor<1x16x7x28xf32>
  } : tensor<1x16x7x28xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6 : tensor<2x24x9x12xf32>, tensor<1x24x5x6xf32>, tensor<1x16x22x6xf32>, tensor<3x16x13x15xf32>, tensor<3x20x2x4x8xf32>, tensor<140x16x5x6xf32>, tensor<1x16x7x28xf32>
}
}
