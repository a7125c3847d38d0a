// Channels last between convolutions: permutations are in tasks, at most around one op, and the network computes the same.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && mkdir %t/resnet %t/convnext %t/pixels %t/halves %t/grouped
// RUN: kgen-opt %t/resnet.mlir --kgen-apply-directives=script=%t/script --kgen-partition | FileCheck %t/resnet.mlir
// RUN: kgen-opt %t/convnext.mlir --kgen-apply-directives=script=%t/script --kgen-partition | FileCheck %t/convnext.mlir
// RUN: kgen-opt %t/pixels.mlir --kgen-apply-directives=script=%t/script --kgen-partition | FileCheck %t/pixels.mlir
// RUN: kgen-opt %t/halves.mlir --kgen-apply-directives=script=%t/script --kgen-partition | FileCheck %t/halves.mlir
// RUN: kgen-opt %t/grouped.mlir --kgen-apply-directives=script=%t/script --kgen-partition | FileCheck %t/grouped.mlir
// RUN: kgen-opt %t/halves.mlir --kgen-apply-directives=script=%t/script -o %t/halves/last.mlir
// RUN: kgen-opt %t/grouped.mlir --kgen-apply-directives=script=%t/script -o %t/grouped/last.mlir
// RUN: kgen-opt %t/resnet.mlir --kgen-apply-directives=script=%t/script -o %t/resnet/last.mlir
// RUN: kgen-opt %t/convnext.mlir --kgen-apply-directives=script=%t/script -o %t/convnext/last.mlir
// RUN: kgen-opt %t/pixels.mlir --kgen-apply-directives=script=%t/script -o %t/pixels/last.mlir

// A second time there is nothing left to do.
// RUN: not kgen-opt %t/resnet/last.mlir --kgen-apply-directives=script=%t/script 2>&1 | FileCheck %t/script
// RUN: not kgen-opt %t/convnext/last.mlir --kgen-apply-directives=script=%t/script 2>&1 | FileCheck %t/script

// RUN: kgen-opt %t/resnet/last.mlir --kgen-lower -o %t/resnet/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/resnet/lowered.mlir -o %t/resnet/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/resnet/lowered.mlir -o %t/resnet/plan.json
// RUN: kgen-eval %t/resnet --graph %t/resnet.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// RUN: kgen-opt %t/convnext/last.mlir --kgen-lower -o %t/convnext/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/convnext/lowered.mlir -o %t/convnext/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/convnext/lowered.mlir -o %t/convnext/plan.json
// RUN: kgen-eval %t/convnext --graph %t/convnext.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// RUN: kgen-opt %t/pixels/last.mlir --kgen-lower -o %t/pixels/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/pixels/lowered.mlir -o %t/pixels/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/pixels/lowered.mlir -o %t/pixels/plan.json
// RUN: kgen-eval %t/pixels --graph %t/pixels.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// RUN: kgen-opt %t/grouped/last.mlir --kgen-lower -o %t/grouped/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/grouped/lowered.mlir -o %t/grouped/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/grouped/lowered.mlir -o %t/grouped/plan.json
// RUN: kgen-eval %t/grouped --graph %t/grouped.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// RUN: kgen-opt %t/halves/last.mlir --kgen-lower -o %t/halves/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/halves/lowered.mlir -o %t/halves/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/halves/lowered.mlir -o %t/halves/plan.json
// RUN: kgen-eval %t/halves --graph %t/halves.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: verdict PASS

//--- script
transform.kgen.channels_last %f
// CHECK: expected a conv2d of at least 16 channels in another order, found none

//--- resnet.mlir
// The first layer stays, the pooling behind it changes the order; one tap is a linear product; a residual is read in front of the sum, a norm without
// a convolution is a factor and a term, the second result leaves in its own order. Weights of several taps are permuted once.
// CHECK-LABEL: func.func private @t00_conv2d
// CHECK-NOT: aten.permute
// CHECK-LABEL: func.func private @t01_max_pool2d
// CHECK-NEXT: aten.max_pool2d
// CHECK-NEXT: aten.permute {{.*}} -> tensor<2x8x8x32xf32>
// CHECK-LABEL: func.func private @t02_linear
// CHECK-NEXT: aten.linear %arg0, %arg1 {{.*}} -> tensor<2x8x8x16xf32>
// CHECK-NEXT: aten.relu
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t03_permute(%arg0: tensor<16x16x3x3xf32> {kgen.parameter}) -> tensor<16x3x3x16xf32>
// CHECK-LABEL: func.func private @t04_conv2d
// CHECK-NEXT: %[[A:.*]] = aten.permute %arg0 dims [0, 3, 1, 2]
// CHECK-NEXT: %[[W:.*]] = aten.permute %arg1 dims [0, 3, 1, 2]
// CHECK-NEXT: %[[B:.*]] = aten.conv2d %[[A]], %[[W]]
// CHECK-NEXT: %[[C:.*]] = aten.relu %[[B]]
// CHECK-NEXT: aten.permute %[[C]] dims [0, 2, 3, 1]
// CHECK-LABEL: func.func private @t08_conv2d
// CHECK-NEXT: aten.permute %arg0 dims [0, 3, 1, 2]
// CHECK-NEXT: aten.permute %arg1 dims [0, 3, 1, 2]
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: %[[R:.*]] = aten.permute %arg3 dims [0, 3, 1, 2]
// CHECK-NEXT: aten.add.Tensor %{{.*}}, %[[R]]
// CHECK-NEXT: aten.relu
// CHECK-NEXT: aten.reshape %arg4 shape [1, 32, 1, 1]
// CHECK-NEXT: aten.mul.Tensor
// CHECK: aten.permute {{.*}} dims [0, 2, 3, 1]
// CHECK-LABEL: func.func private @t09_permute
// CHECK-LABEL: func.func private @t10_mean
// CHECK-NEXT: aten.mean.dim %arg0 dim [1, 2] keepdim true
// CHECK-LABEL: func.func @resnet
// CHECK-NOT: aten.permute
// CHECK: call @t03_permute(%arg3) {kgen.prepare}
// CHECK-NOT: aten.permute
// CHECK: return
func.func @resnet(%x: tensor<2x3x32x32xf32>, %w0: tensor<32x3x7x7xf32> {kgen.parameter}, %w1: tensor<16x32x1x1xf32> {kgen.parameter}, %w2: tensor<16x16x3x3xf32> {kgen.parameter}, %w3: tensor<32x16x3x3xf32> {kgen.parameter}, %b: tensor<32xf32> {kgen.parameter}, %m: tensor<32xf32> {kgen.parameter}, %v: tensor<32xf32> {kgen.parameter, kgen.init = "uniform(0.5, 1.5)"}, %l: tensor<10x32xf32> {kgen.parameter}) -> (tensor<2x10xf32>, tensor<2x32x8x8xf32>) {
  %0 = aten.conv2d %x, %w0 stride [2, 2] padding [3, 3] : (tensor<2x3x32x32xf32>, tensor<32x3x7x7xf32>) -> tensor<2x32x16x16xf32>
  %1 = aten.relu %0 : (tensor<2x32x16x16xf32>) -> tensor<2x32x16x16xf32>
  %2 = aten.max_pool2d %1 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x32x16x16xf32>) -> tensor<2x32x8x8xf32>
  %3 = aten.conv2d %2, %w1 : (tensor<2x32x8x8xf32>, tensor<16x32x1x1xf32>) -> tensor<2x16x8x8xf32>
  %4 = aten.relu %3 : (tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %5 = aten.conv2d %4, %w2 padding [1, 1] : (tensor<2x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x8x8xf32>
  %6 = aten.relu %5 : (tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %7 = aten.conv2d %6, %w3, %b padding [1, 1] : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>, tensor<32xf32>) -> tensor<2x32x8x8xf32>
  %8 = aten.add.Tensor %7, %2 : (tensor<2x32x8x8xf32>, tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %9 = aten.relu %8 : (tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %10 = aten.batch_norm %9 weight %b bias %m running_mean %m running_var %v eps 0.001 : (tensor<2x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x32x8x8xf32>
  %11 = aten.adaptive_avg_pool2d %10 output_size [1, 1] : (tensor<2x32x8x8xf32>) -> tensor<2x32x1x1xf32>
  %12 = aten.flatten.using_ints %11 start_dim 1 : (tensor<2x32x1x1xf32>) -> tensor<2x32xf32>
  %13 = aten.linear %12, %l : (tensor<2x32xf32>, tensor<10x32xf32>) -> tensor<2x10xf32>
  return %13, %10 : tensor<2x10xf32>, tensor<2x32x8x8xf32>
}

//--- convnext.mlir
// The model's own permutations are gone, or what a convolution writes; the sum joins the product in front of it.
// CHECK-LABEL: func.func private @t00_conv2d
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.permute {{.*}} -> tensor<2x8x8x32xf32>
// CHECK-LABEL: func.func private @t01_layer_norm
// CHECK-NEXT: aten.layer_norm %arg0
// CHECK-LABEL: func.func private @t02_conv2d
// CHECK-NEXT: aten.permute %arg0 dims [0, 3, 1, 2]
// CHECK-NEXT: aten.conv2d {{.*}} groups 32
// CHECK-NEXT: aten.permute {{.*}} dims [0, 2, 3, 1]
// CHECK-LABEL: func.func private @t04_linear
// CHECK-NEXT: aten.linear
// CHECK-NEXT: aten.mul.Tensor
// CHECK-NEXT: aten.add.Tensor %arg4
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t07_mean
// CHECK-NEXT: aten.mean.dim %arg0 dim [1, 2] :
// CHECK-LABEL: func.func @convnext
// CHECK-NOT: aten.permute
// CHECK: return
func.func @convnext(%x: tensor<2x3x32x32xf32>, %w0: tensor<32x3x4x4xf32> {kgen.parameter}, %b: tensor<32xf32> {kgen.parameter}, %d: tensor<32x1x7x7xf32> {kgen.parameter}, %e: tensor<32xf32> {kgen.parameter}, %u: tensor<64x32xf32> {kgen.parameter}, %p: tensor<32x64xf32> {kgen.parameter}, %w1: tensor<48x32x2x2xf32> {kgen.parameter}) -> tensor<2x48xf32> {
  %0 = aten.conv2d %x, %w0, %b stride [4, 4] : (tensor<2x3x32x32xf32>, tensor<32x3x4x4xf32>, tensor<32xf32>) -> tensor<2x32x8x8xf32>
  %1 = aten.permute %0 dims [0, 2, 3, 1] : (tensor<2x32x8x8xf32>) -> tensor<2x8x8x32xf32>
  %2 = aten.layer_norm %1 weight %b bias %e normalized_shape [32] eps 1.0e-06 : (tensor<2x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x8x8x32xf32>
  %3 = aten.permute %2 dims [0, 3, 1, 2] : (tensor<2x8x8x32xf32>) -> tensor<2x32x8x8xf32>
  %4 = aten.conv2d %3, %d, %b padding [3, 3] groups 32 : (tensor<2x32x8x8xf32>, tensor<32x1x7x7xf32>, tensor<32xf32>) -> tensor<2x32x8x8xf32>
  %5 = aten.permute %4 dims [0, 2, 3, 1] : (tensor<2x32x8x8xf32>) -> tensor<2x8x8x32xf32>
  %6 = aten.layer_norm %5 weight %b bias %e normalized_shape [32] eps 1.0e-06 : (tensor<2x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x8x8x32xf32>
  %7 = aten.linear %6, %u : (tensor<2x8x8x32xf32>, tensor<64x32xf32>) -> tensor<2x8x8x64xf32>
  %8 = aten.gelu %7 : (tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32>
  %9 = aten.linear %8, %p, %b : (tensor<2x8x8x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<2x8x8x32xf32>
  %10 = aten.mul.Tensor %e, %9 : (tensor<32xf32>, tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  %11 = aten.permute %10 dims [0, 3, 1, 2] : (tensor<2x8x8x32xf32>) -> tensor<2x32x8x8xf32>
  %12 = aten.add.Tensor %3, %11 : (tensor<2x32x8x8xf32>, tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %13 = aten.permute %12 dims [0, 2, 3, 1] : (tensor<2x32x8x8xf32>) -> tensor<2x8x8x32xf32>
  %14 = aten.layer_norm %13 weight %b bias %e normalized_shape [32] eps 1.0e-06 : (tensor<2x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x8x8x32xf32>
  %15 = aten.permute %14 dims [0, 3, 1, 2] : (tensor<2x8x8x32xf32>) -> tensor<2x32x8x8xf32>
  %16 = aten.conv2d %15, %w1 stride [2, 2] : (tensor<2x32x8x8xf32>, tensor<48x32x2x2xf32>) -> tensor<2x48x4x4xf32>
  %17 = aten.mean.dim %16 dim [-2, -1] : (tensor<2x48x4x4xf32>) -> tensor<2x48xf32>
  return %17 : tensor<2x48xf32>
}

//--- pixels.mlir
// Sequences of pixels are channels-last images; gates are images of one pixel, whose convolutions are products of few rows.
// CHECK-LABEL: func.func private @t00_conv2d
// CHECK-NEXT: aten.permute %arg0 dims [0, 3, 1, 2]
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.silu
// CHECK-NEXT: aten.permute {{.*}} dims [0, 2, 3, 1]
// CHECK-NOT: aten.conv2d
// CHECK: aten.linear {{.*}} -> tensor<2x1x1x8xf32>
// CHECK-NEXT: aten.relu
// CHECK-NOT: aten.conv2d
// CHECK: aten.linear {{.*}} -> tensor<2x1x1x32xf32>
// CHECK-NEXT: aten.sigmoid
// CHECK-NOT: aten.conv2d
// CHECK: func.func @pixels
// CHECK-NOT: aten.permute
// CHECK-NOT: aten.transpose
// CHECK: return
func.func @pixels(%x: tensor<2x64x32xf32>, %d: tensor<32x1x3x3xf32> {kgen.parameter}, %b: tensor<32xf32> {kgen.parameter}, %l: tensor<10x32xf32> {kgen.parameter},  %s1: tensor<8x32x1x1xf32> {kgen.parameter}, %s2: tensor<32x8x1x1xf32> {kgen.parameter}) -> tensor<2x64x10xf32> {
  %0 = aten.transpose.int %x dim0 1 dim1 2 : (tensor<2x64x32xf32>) -> tensor<2x32x64xf32>
  %1 = aten.view %0 size [2, 32, 8, 8] : (tensor<2x32x64xf32>) -> tensor<2x32x8x8xf32>
  %2 = aten.conv2d %1, %d, %b padding [1, 1] groups 32 : (tensor<2x32x8x8xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>) -> tensor<2x32x8x8xf32>
  %a = aten.silu %2 : (tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %3 = aten.adaptive_avg_pool2d %a output_size [1, 1] : (tensor<2x32x8x8xf32>) -> tensor<2x32x1x1xf32>
  %4 = aten.conv2d %3, %s1 : (tensor<2x32x1x1xf32>, tensor<8x32x1x1xf32>) -> tensor<2x8x1x1xf32>
  %5 = aten.relu %4 : (tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
  %6 = aten.conv2d %5, %s2 : (tensor<2x8x1x1xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x1x1xf32>
  %7 = aten.sigmoid %6 : (tensor<2x32x1x1xf32>) -> tensor<2x32x1x1xf32>
  %8 = aten.mul.Tensor %a, %7 : (tensor<2x32x8x8xf32>, tensor<2x32x1x1xf32>) -> tensor<2x32x8x8xf32>
  %9 = aten.flatten.using_ints %8 start_dim 2 : (tensor<2x32x8x8xf32>) -> tensor<2x32x64xf32>
  %10 = aten.transpose.int %9 dim0 1 dim1 2 : (tensor<2x32x64xf32>) -> tensor<2x64x32xf32>
  %11 = aten.linear %10, %l : (tensor<2x64x32xf32>, tensor<10x32xf32>) -> tensor<2x64x10xf32>
  return %11 : tensor<2x64x10xf32>
}

//--- grouped.mlir
// Weights of groups are put in order once, too; of one tap there is nothing to do.
// CHECK-DAG: aten.permute %arg0 dims [0, 2, 3, 1] : (tensor<24x8x3x3xf32>) -> tensor<24x3x3x8xf32>
// CHECK-LABEL: func.func @grouped
// CHECK: {kgen.prepare}
// CHECK-NOT: {kgen.prepare}
func.func @grouped(%x: tensor<2x16x8x8xf32>, %w0: tensor<24x8x3x3xf32> {kgen.parameter}, %w1: tensor<16x12x1x1xf32> {kgen.parameter}) -> tensor<2x16x8x8xf32> {
  %0 = aten.conv2d %x, %w0 padding [1, 1] groups 2 : (tensor<2x16x8x8xf32>, tensor<24x8x3x3xf32>) -> tensor<2x24x8x8xf32>
  %1 = aten.relu %0 : (tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  %2 = aten.conv2d %1, %w1 groups 2 : (tensor<2x24x8x8xf32>, tensor<16x12x1x1xf32>) -> tensor<2x16x8x8xf32>
  return %2 : tensor<2x16x8x8xf32>
}

//--- halves.mlir
// A norm of bf16 is a factor and a term in fp32, which join the convolution in front; both are prepared.
// CHECK-LABEL: func.func private @t04_conv2d
// CHECK: aten.conv2d
// CHECK-NEXT: aten._to_copy {{.*}} dtype f32
// CHECK: aten.mul.Tensor
// CHECK: aten.add.Tensor
// CHECK-NEXT: aten._to_copy {{.*}} dtype bf16
// CHECK-NEXT: aten.relu
// CHECK-NEXT: aten.permute {{.*}} dims [0, 2, 3, 1]
// CHECK-LABEL: func.func @halves
// CHECK: call @t02_add({{.*}}) {kgen.prepare}
// CHECK: call @t03_mul({{.*}}) {kgen.prepare}
func.func @halves(%x: tensor<2x16x8x8xbf16>, %w0: tensor<16x16x3x3xbf16> {kgen.parameter}, %w1: tensor<16x16x3x3xbf16> {kgen.parameter}, %b: tensor<16xbf16> {kgen.parameter}, %m: tensor<16xbf16> {kgen.parameter}, %v: tensor<16xbf16> {kgen.parameter, kgen.init = "uniform(0.5, 1.5)"}) -> tensor<2x16x8x8xbf16> {
  %0 = aten.conv2d %x, %w0 padding [1, 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x3x3xbf16>) -> tensor<2x16x8x8xbf16>
  %1 = aten.batch_norm %0 weight %b bias %m running_mean %m running_var %v eps 0.001 : (tensor<2x16x8x8xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<2x16x8x8xbf16>
  %2 = aten.relu %1 : (tensor<2x16x8x8xbf16>) -> tensor<2x16x8x8xbf16>
  %3 = aten.conv2d %2, %w1 padding [1, 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x3x3xbf16>) -> tensor<2x16x8x8xbf16>
  return %3 : tensor<2x16x8x8xbf16>
}
