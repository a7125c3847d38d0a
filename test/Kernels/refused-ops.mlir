// An op that its family cannot take, or a neighbour that cannot join, keeps its generic kernel; an idea for the rest of
// the graph goes on.
// RUN: split-file %s %t
// RUN: kgen-opt %t/prod.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/norm3.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/chain.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/argmin.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/mask.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/mean.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/batches.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/f64.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/integers.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/columns.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/dilated.mlir --llm-lower 2>&1 | FileCheck %s
// RUN: kgen-opt %t/prod.mlir --llm-lower=device=host 2>&1 | FileCheck %s
// RUN: kgen-opt %t/mask.mlir --llm-lower=device=host 2>&1 | FileCheck %s
// RUN: kgen-opt %t/dilated.mlir --llm-lower=device=host 2>&1 | FileCheck %s
// Whoever names such an op is told why it cannot be.
// RUN: not kgen-opt %t/prod.mlir --kgen-apply-directives=script=%t/prod-in-a-row -kgen-lower-dispatches 2>&1 | FileCheck %s --check-prefix=PROD
// RUN: not kgen-opt %t/dilated.mlir --kgen-apply-directives=script=%t/pool-in-a-conv -kgen-lower-dispatches 2>&1 | FileCheck %s --check-prefix=POOL

// CHECK-NOT: warning
// CHECK: kgen.source @mm_0 {{.*}}kgen.schedule = #kgen.schedule<family = gemm
// PROD: error: 'aten.prod.dim_int' op has no place in a row kernel: expected element-wise ops around one row statistic
// POOL: error: family conv fuses pooling without dilation only

//--- prod-in-a-row
%d = transform.kgen.select "aten.prod.dim_int" in %f as row
//--- pool-in-a-conv
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.fuse %d consumers 1
//--- prod.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xf32>) -> (tensor<256x256xf32>, tensor<64xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.prod.dim_int %y dim 1 : (tensor<64x64xf32>) -> tensor<64xf32>
  return %m, %0 : tensor<256x256xf32>, tensor<64xf32>
}
//--- norm3.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xf32>) -> (tensor<256x256xf32>, tensor<64xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.linalg_vector_norm %y ord 3.0 dim [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  return %m, %0 : tensor<256x256xf32>, tensor<64xf32>
}
//--- chain.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xf32>) -> (tensor<256x256xf32>, tensor<64xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.prod.dim_int %y dim 1 : (tensor<64x64xf32>) -> tensor<64xf32>
  %1 = aten.linalg_vector_norm %y ord 3.0 dim [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %2 = aten.add.Tensor %0, %1 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %m, %2 : tensor<256x256xf32>, tensor<64xf32>
}
//--- argmin.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xi64>) -> (tensor<256x256xf32>, tensor<64xi64>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.argmin %y dim 1 : (tensor<64x64xi64>) -> tensor<64xi64>
  return %m, %0 : tensor<256x256xf32>, tensor<64xi64>
}
//--- mask.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %q: tensor<2x64x64xf16>, %k: tensor<64x64xf16>) -> (tensor<256x256xf32>, tensor<2x64x64xf16>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.scaled_dot_product_attention %q, %q, %q attn_mask %k : (tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<64x64xf16>) -> tensor<2x64x64xf16>
  return %m, %0 : tensor<256x256xf32>, tensor<2x64x64xf16>
}
//--- mean.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<8x64x8xf32>) -> (tensor<256x256xf32>, tensor<64xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.mean.dim %y dim [0, 2] : (tensor<8x64x8xf32>) -> tensor<64xf32>
  return %m, %0 : tensor<256x256xf32>, tensor<64xf32>
}
//--- batches.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<2x1x64x8xf16>, %z: tensor<1x3x8x16xf16>) -> (tensor<256x256xf32>, tensor<2x3x64x16xf16>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.matmul %y, %z : (tensor<2x1x64x8xf16>, tensor<1x3x8x16xf16>) -> tensor<2x3x64x16xf16>
  return %m, %0 : tensor<256x256xf32>, tensor<2x3x64x16xf16>
}
//--- f64.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xf64>) -> (tensor<256x256xf32>, tensor<64x64xf64>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.relu %y : (tensor<64x64xf64>) -> tensor<64x64xf64>
  %1 = aten.softmax.int %0 dim 1 : (tensor<64x64xf64>) -> tensor<64x64xf64>
  return %m, %1 : tensor<256x256xf32>, tensor<64x64xf64>
}
//--- integers.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xi64>) -> (tensor<256x256xf32>, tensor<64x64xi64>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.add.Tensor %y, %y : (tensor<64x64xi64>, tensor<64x64xi64>) -> tensor<64x64xi64>
  return %m, %0 : tensor<256x256xf32>, tensor<64x64xi64>
}
//--- columns.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<64x64xf32>) -> (tensor<256x256xf32>, tensor<64x64xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.sum.dim_IntList %y dim [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %1 = aten.add.Tensor %y, %0 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %m, %1 : tensor<256x256xf32>, tensor<64x64xf32>
}
//--- dilated.mlir
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %y: tensor<4x3x34x34xf32>, %k: tensor<32x3x3x3xf32>) -> (tensor<256x256xf32>, tensor<4x32x15x15xf32>) {
  %m = aten.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = aten.conv2d %y, %k : (tensor<4x3x34x34xf32>, tensor<32x3x3x3xf32>) -> tensor<4x32x32x32xf32>
  %1 = aten.max_pool2d %0 kernel [2, 2] stride [2, 2] dilation [2, 2] : (tensor<4x32x32x32xf32>) -> tensor<4x32x15x15xf32>
  return %m, %1 : tensor<256x256xf32>, tensor<4x32x15x15xf32>
}
