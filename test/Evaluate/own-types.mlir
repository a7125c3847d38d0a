// Where the graph's own types destroy the answer, as PyTorch does in them, a set of inputs says nothing of a kernel: it is
// left out and named, and round 0 is right.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in attention_by_hand_fp16 rmsnorm_by_hand_fp16 var_by_moments_f32 fp16_offset_overflow rms_fp16; do mkdir $n && kgen-opt $n.mlir --kgen-lower -o $n/lowered && kgen-translate --kgen-to-cuda $n/lowered -o $n/kernel.cu && kgen-translate --kgen-to-plan $n/lowered -o $n/plan.json || exit 1; done
// RUN: kgen-eval attention_by_hand_fp16 --graph attention_by_hand_fp16.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval rmsnorm_by_hand_fp16 --graph rmsnorm_by_hand_fp16.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval var_by_moments_f32 --graph var_by_moments_f32.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval fp16_offset_overflow --graph fp16_offset_overflow.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval rms_fp16 --graph rms_fp16.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// CHECK: warning input offset#0 says nothing: computed in the types that the graph declares, output 0

//--- attention_by_hand_fp16.mlir
func.func @f(%q: tensor<2x32x64xf16>, %k: tensor<2x64x32xf16>, %v: tensor<2x32x64xf16>) -> tensor<2x32x64xf16> {
  %0 = aten.matmul %q, %k : (tensor<2x32x64xf16>, tensor<2x64x32xf16>) -> tensor<2x32x32xf16>
  %1 = aten.mul.Scalar %0 {other = 0.125} : (tensor<2x32x32xf16>) -> tensor<2x32x32xf16>
  %2 = aten.softmax.int %1 dim 2 : (tensor<2x32x32xf16>) -> tensor<2x32x32xf16>
  %3 = aten.matmul %2, %v : (tensor<2x32x32xf16>, tensor<2x32x64xf16>) -> tensor<2x32x64xf16>
  return %3 : tensor<2x32x64xf16>
}
//--- rmsnorm_by_hand_fp16.mlir
func.func @f(%x: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = aten.pow.Tensor_Scalar %x {exponent = 2.0} : (tensor<32x64xf16>) -> tensor<32x64xf16>
  %1 = aten.mean.dim %0 dim [1] keepdim true : (tensor<32x64xf16>) -> tensor<32x1xf16>
  %2 = aten.add.Scalar %1 {other = 1.0e-5} : (tensor<32x1xf16>) -> tensor<32x1xf16>
  %3 = aten.sqrt %2 : (tensor<32x1xf16>) -> tensor<32x1xf16>
  %4 = aten.div.Tensor %x, %3 : (tensor<32x64xf16>, tensor<32x1xf16>) -> tensor<32x64xf16>
  return %4 : tensor<32x64xf16>
}
//--- var_by_moments_f32.mlir
func.func @f(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = aten.square %x : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = aten.mean.dim %0 dim [1] keepdim true : (tensor<32x64xf32>) -> tensor<32x1xf32>
  %2 = aten.mean.dim %x dim [1] keepdim true : (tensor<32x64xf32>) -> tensor<32x1xf32>
  %3 = aten.square %2 : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %4 = aten.sub.Tensor %1, %3 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %5 = aten.sqrt %4 : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %6 = aten.div.Tensor %x, %5 : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  return %6 : tensor<32x64xf32>
}
//--- fp16_offset_overflow.mlir
func.func @f(%x: tensor<4x1xf16>, %y: tensor<1x8xf16>) -> tensor<4x8xf16> {
  %0 = aten.mm %x, %y : (tensor<4x1xf16>, tensor<1x8xf16>) -> tensor<4x8xf16>
  %1 = aten.softmax.int %0 dim 1 : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}
//--- rms_fp16.mlir
func.func @f(%x: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = aten.pow.Tensor_Scalar %x {exponent = 3.0} : (tensor<32x64xf16>) -> tensor<32x64xf16>
  %1 = aten.tanh %0 : (tensor<32x64xf16>) -> tensor<32x64xf16>
  %2 = aten.sub.Tensor %0, %1 : (tensor<32x64xf16>, tensor<32x64xf16>) -> tensor<32x64xf16>
  %3 = aten.softmax.int %2 dim 1 : (tensor<32x64xf16>) -> tensor<32x64xf16>
  return %3 : tensor<32x64xf16>
}
