// Every op reads and prints; what is at its schema default is not printed.
// RUN: kgen-opt %s | kgen-opt | FileCheck %s
// RUN: kgen-opt %s --mlir-print-op-generic | kgen-opt | FileCheck %s

//===- Element-wise, one operand

// CHECK-LABEL: @abs(
// CHECK: aten.abs %{{.*}} : (tensor<4x8xi32>) -> tensor<4x8xi32>
func.func @abs(%a: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = aten.abs %a : (tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @erf(
// CHECK: aten.erf %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @erf(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.erf %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @exp(
// CHECK: aten.exp %{{.*}} : (tensor<4x8xf64>) -> tensor<4x8xf64>
func.func @exp(%a: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = aten.exp %a : (tensor<4x8xf64>) -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// CHECK-LABEL: @hardsigmoid(
// CHECK: aten.hardsigmoid %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @hardsigmoid(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.hardsigmoid %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @hardswish(
// CHECK: aten.hardswish %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @hardswish(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.hardswish %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log(
// CHECK: aten.log %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @log(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.log %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @mish(
// CHECK: aten.mish %{{.*}} : (tensor<4x8xf16>) -> tensor<4x8xf16>
func.func @mish(%a: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = aten.mish %a : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// CHECK-LABEL: @neg(
// CHECK: aten.neg %{{.*}} : (tensor<i64>) -> tensor<i64>
func.func @neg(%a: tensor<i64>) -> tensor<i64> {
  %0 = aten.neg %a : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @reciprocal(
// CHECK: aten.reciprocal %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @reciprocal(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.reciprocal %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @relu(
// CHECK: aten.relu %{{.*}} : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
func.func @relu(%a: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = aten.relu %a : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: @rsqrt(
// CHECK: aten.rsqrt %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @rsqrt(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.rsqrt %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @selu(
// CHECK: aten.selu %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @selu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.selu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sigmoid(
// CHECK: aten.sigmoid %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sigmoid(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sigmoid %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @silu(
// CHECK: aten.silu %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @silu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.silu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sqrt(
// CHECK: aten.sqrt %{{.*}} : (tensor<f32>) -> tensor<f32>
func.func @sqrt(%a: tensor<f32>) -> tensor<f32> {
  %0 = aten.sqrt %a : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @square(
// CHECK: aten.square %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @square(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.square %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @tanh(
// CHECK: aten.tanh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @tanh(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//===- Element-wise with constants; defaults are not printed

// CHECK-LABEL: @clamp(
// CHECK: aten.clamp %{{.*}} {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @clamp(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.clamp %a {max = 1.000000e+00, min = 0.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @clamp_2(
// CHECK: aten.clamp %{{.*}} {min = 0.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @clamp_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.clamp %a {min = 0.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @elu(
// CHECK: aten.elu %{{.*}} {alpha = 5.000000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @elu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.elu %a {alpha = 5.000000e-01} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @elu_2(
// CHECK: aten.elu %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @elu_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.elu %a {alpha = 1.0, scale = 1.0, input_scale = 1.0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @gelu(
// CHECK: aten.gelu %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @gelu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.gelu %a {approximate = "none"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @gelu_2(
// CHECK: aten.gelu %{{.*}} {approximate = "tanh"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @gelu_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.gelu %a {approximate = "tanh"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @hardtanh(
// CHECK: aten.hardtanh %{{.*}} {max_val = 2.000000e+00 : f64, min_val = -2.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @hardtanh(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.hardtanh %a {max_val = 2.000000e+00, min_val = -2.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @hardtanh_2(
// CHECK: aten.hardtanh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @hardtanh_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.hardtanh %a {min_val = -1.0, max_val = 1.0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @leaky_relu(
// CHECK: aten.leaky_relu %{{.*}} {negative_slope = 1.000000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @leaky_relu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.leaky_relu %a {negative_slope = 1.000000e-01} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @leaky_relu_2(
// CHECK: aten.leaky_relu %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @leaky_relu_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.leaky_relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @softplus(
// CHECK: aten.softplus %{{.*}} {beta = 2.000000e+00 : f64, threshold = 1.000000e+01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @softplus(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.softplus %a {beta = 2.000000e+00, threshold = 1.000000e+01} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @softplus_2(
// CHECK: aten.softplus %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @softplus_2(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.softplus %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @add_Scalar(
// CHECK: aten.add.Scalar %{{.*}} {other = 5.000000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @add_Scalar(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.add.Scalar %a {other = 5.000000e-01} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @div_Scalar(
// CHECK: aten.div.Scalar %{{.*}} {other = 2.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @div_Scalar(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.div.Scalar %a {other = 2.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @mul_Scalar(
// CHECK: aten.mul.Scalar %{{.*}} {other = 2.000000e+00 : f64} : (tensor<4x8xi64>) -> tensor<4x8xi64>
func.func @mul_Scalar(%a: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %0 = aten.mul.Scalar %a {other = 2.000000e+00} : (tensor<4x8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @pow_Tensor_Scalar(
// CHECK: aten.pow.Tensor_Scalar %{{.*}} {exponent = 3.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @pow_Tensor_Scalar(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.pow.Tensor_Scalar %a {exponent = 3.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @rsub_Scalar(
// CHECK: aten.rsub.Scalar %{{.*}} {other = 1.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @rsub_Scalar(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.rsub.Scalar %a {other = 1.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sub_Scalar(
// CHECK: aten.sub.Scalar %{{.*}} {alpha = 2.000000e+00 : f64, other = 1.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sub_Scalar(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sub.Scalar %a {alpha = 2.000000e+00, other = 1.000000e+00} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//===- Element-wise, two operands that are broadcast

// CHECK-LABEL: @add_Tensor(
// CHECK: aten.add.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @add_Tensor(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.add.Tensor %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @add_Tensor_2(
// CHECK: aten.add.Tensor %{{.*}}, %{{.*}} {alpha = 2.000000e+00 : f64} : (tensor<4x1xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
func.func @add_Tensor_2(%a: tensor<4x1xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.add.Tensor %a, %b {alpha = 2.000000e+00} : (tensor<4x1xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @div_Tensor(
// CHECK: aten.div.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
func.func @div_Tensor(%a: tensor<4x8xf32>, %b: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = aten.div.Tensor %a, %b : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @max_other(
// CHECK: aten.max.other %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
func.func @max_other(%a: tensor<4x8xf32>, %b: tensor<f32>) -> tensor<4x8xf32> {
  %0 = aten.max.other %a, %b : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @maximum(
// CHECK: aten.maximum %{{.*}}, %{{.*}} : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
func.func @maximum(%a: tensor<4x8xi32>, %b: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = aten.maximum %a, %b : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @min_other(
// CHECK: aten.min.other %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
func.func @min_other(%a: tensor<8xf32>, %b: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.min.other %a, %b : (tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @minimum(
// CHECK: aten.minimum %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @minimum(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.minimum %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @mul_Tensor(
// CHECK: aten.mul.Tensor %{{.*}}, %{{.*}} : (tensor<4x1x8xf32>, tensor<3x1xf32>) -> tensor<4x3x8xf32>
func.func @mul_Tensor(%a: tensor<4x1x8xf32>, %b: tensor<3x1xf32>) -> tensor<4x3x8xf32> {
  %0 = aten.mul.Tensor %a, %b : (tensor<4x1x8xf32>, tensor<3x1xf32>) -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// CHECK-LABEL: @sub_Tensor(
// CHECK: aten.sub.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sub_Tensor(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sub.Tensor %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//===- Reductions

// CHECK-LABEL: @max(
// CHECK: aten.max %{{.*}} : (tensor<4x8xf32>) -> tensor<f32>
func.func @max(%a: tensor<4x8xf32>) -> tensor<f32> {
  %0 = aten.max %a : (tensor<4x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @mean(
// CHECK: aten.mean %{{.*}} : (tensor<4x8xf32>) -> tensor<f32>
func.func @mean(%a: tensor<4x8xf32>) -> tensor<f32> {
  %0 = aten.mean %a : (tensor<4x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @min(
// CHECK: aten.min %{{.*}} : (tensor<4x8xi64>) -> tensor<i64>
func.func @min(%a: tensor<4x8xi64>) -> tensor<i64> {
  %0 = aten.min %a : (tensor<4x8xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @prod(
// CHECK: aten.prod %{{.*}} : (tensor<4x8xi32>) -> tensor<i64>
func.func @prod(%a: tensor<4x8xi32>) -> tensor<i64> {
  %0 = aten.prod %a : (tensor<4x8xi32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @sum(
// CHECK: aten.sum %{{.*}} : (tensor<4x8xi1>) -> tensor<i64>
func.func @sum(%a: tensor<4x8xi1>) -> tensor<i64> {
  %0 = aten.sum %a : (tensor<4x8xi1>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @amax(
// CHECK: aten.amax %{{.*}} : (tensor<4x8xf32>) -> tensor<f32>
func.func @amax(%a: tensor<4x8xf32>) -> tensor<f32> {
  %0 = aten.amax %a : (tensor<4x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @amin(
// CHECK: aten.amin %{{.*}} dim [0] : (tensor<4x8xf32>) -> tensor<8xf32>
func.func @amin(%a: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = aten.amin %a dim [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @logsumexp(
// CHECK: aten.logsumexp %{{.*}} dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
func.func @logsumexp(%a: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = aten.logsumexp %a dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: @mean_dim(
// CHECK: aten.mean.dim %{{.*}} dim [2, 3, 4] keepdim true : (tensor<2x3x4x5x6xf32>) -> tensor<2x3x1x1x1xf32>
func.func @mean_dim(%a: tensor<2x3x4x5x6xf32>) -> tensor<2x3x1x1x1xf32> {
  %0 = aten.mean.dim %a dim [2, 3, 4] keepdim true : (tensor<2x3x4x5x6xf32>) -> tensor<2x3x1x1x1xf32>
  return %0 : tensor<2x3x1x1x1xf32>
}

// CHECK-LABEL: @mean_dim_2(
// CHECK: aten.mean.dim %{{.*}} dim [-1, 0] : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @mean_dim_2(%a: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %0 = aten.mean.dim %a dim [-1, 0] : (tensor<2x3x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @sum_dim_IntList(
// CHECK: aten.sum.dim_IntList %{{.*}} dim [1] : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @sum_dim_IntList(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = aten.sum.dim_IntList %a dim [1] keepdim false : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @linalg_vector_norm(
// CHECK: aten.linalg_vector_norm %{{.*}} : (tensor<4x8xf32>) -> tensor<f32>
func.func @linalg_vector_norm(%a: tensor<4x8xf32>) -> tensor<f32> {
  %0 = aten.linalg_vector_norm %a : (tensor<4x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @linalg_vector_norm_2(
// CHECK: aten.linalg_vector_norm %{{.*}} ord 1.000000e+00 dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
func.func @linalg_vector_norm_2(%a: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = aten.linalg_vector_norm %a ord 1.000000e+00 dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: @prod_dim_int(
// CHECK: aten.prod.dim_int %{{.*}} dim 1 : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @prod_dim_int(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = aten.prod.dim_int %a dim 1 : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @max_dim(
// CHECK: aten.max.dim %{{.*}} dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
func.func @max_dim(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %0:2 = aten.max.dim %a dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: @min_dim(
// CHECK: aten.min.dim %{{.*}} dim -1 keepdim true : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
func.func @min_dim(%a: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>) {
  %0:2 = aten.min.dim %a dim -1 keepdim true : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  return %0#0, %0#1 : tensor<4x1xf32>, tensor<4x1xi64>
}

// CHECK-LABEL: @argmax(
// CHECK: aten.argmax %{{.*}} : (tensor<4x8xf32>) -> tensor<i64>
func.func @argmax(%a: tensor<4x8xf32>) -> tensor<i64> {
  %0 = aten.argmax %a : (tensor<4x8xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @argmin(
// CHECK: aten.argmin %{{.*}} dim 1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
func.func @argmin(%a: tensor<4x8xf32>) -> tensor<4x1xi64> {
  %0 = aten.argmin %a dim 1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %0 : tensor<4x1xi64>
}

//===- Products

// CHECK-LABEL: @bmm(
// CHECK: aten.bmm %{{.*}}, %{{.*}} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
func.func @bmm(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = aten.bmm %a, %b : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: @mm(
// CHECK: aten.mm %{{.*}}, %{{.*}} : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
func.func @mm(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %0 = aten.mm %a, %b : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  return %0 : tensor<4x16xf16>
}

// CHECK-LABEL: @matmul(
// CHECK: aten.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = aten.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: @matmul_2(
// CHECK: aten.matmul %{{.*}}, %{{.*}} : (tensor<5x1x4x8xf32>, tensor<3x8x16xf32>) -> tensor<5x3x4x16xf32>
func.func @matmul_2(%a: tensor<5x1x4x8xf32>, %b: tensor<3x8x16xf32>) -> tensor<5x3x4x16xf32> {
  %0 = aten.matmul %a, %b : (tensor<5x1x4x8xf32>, tensor<3x8x16xf32>) -> tensor<5x3x4x16xf32>
  return %0 : tensor<5x3x4x16xf32>
}

// CHECK-LABEL: @matmul_3(
// CHECK: aten.matmul %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
func.func @matmul_3(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<f32> {
  %0 = aten.matmul %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @matmul_4(
// CHECK: aten.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
func.func @matmul_4(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
  %0 = aten.matmul %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @matmul_5(
// CHECK: aten.matmul %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<2x8x16xf32>) -> tensor<2x16xf32>
func.func @matmul_5(%a: tensor<8xf32>, %b: tensor<2x8x16xf32>) -> tensor<2x16xf32> {
  %0 = aten.matmul %a, %b : (tensor<8xf32>, tensor<2x8x16xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// CHECK-LABEL: @linear(
// CHECK: aten.linear %{{.*}}, %{{.*}} : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
func.func @linear(%a: tensor<2x4x8xf32>, %b: tensor<16x8xf32>) -> tensor<2x4x16xf32> {
  %0 = aten.linear %a, %b : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: @linear_2(
// CHECK: aten.linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
func.func @linear_2(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = aten.linear %a, %b, %c : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

//===- Convolutions

// CHECK-LABEL: @conv1d(
// CHECK: aten.conv1d %{{.*}}, %{{.*}} dilation [2] : (tensor<1x4x16xf32>, tensor<8x4x3xf32>) -> tensor<1x8x12xf32>
func.func @conv1d(%a: tensor<1x4x16xf32>, %b: tensor<8x4x3xf32>) -> tensor<1x8x12xf32> {
  %0 = aten.conv1d %a, %b dilation [2] : (tensor<1x4x16xf32>, tensor<8x4x3xf32>) -> tensor<1x8x12xf32>
  return %0 : tensor<1x8x12xf32>
}

// CHECK-LABEL: @conv2d(
// CHECK: aten.conv2d %{{.*}}, %{{.*}}, %{{.*}} stride [4, 4] padding [2, 2] : (tensor<4x3x64x64xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<4x96x15x15xf32>
func.func @conv2d(%a: tensor<4x3x64x64xf32>, %b: tensor<96x3x11x11xf32>, %c: tensor<96xf32>) -> tensor<4x96x15x15xf32> {
  %0 = aten.conv2d %a, %b, %c stride [4, 4] padding [2, 2] : (tensor<4x3x64x64xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<4x96x15x15xf32>
  return %0 : tensor<4x96x15x15xf32>
}

// CHECK-LABEL: @conv2d_2(
// CHECK: aten.conv2d %{{.*}}, %{{.*}} groups 4 : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
func.func @conv2d_2(%a: tensor<1x4x8x8xf32>, %b: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = aten.conv2d %a, %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 4 : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: @conv3d(
// CHECK: aten.conv3d %{{.*}}, %{{.*}} padding [0, 1, 2] groups 2 : (tensor<1x4x8x8x8xf32>, tensor<6x2x3x3x3xf32>) -> tensor<1x6x6x8x10xf32>
func.func @conv3d(%a: tensor<1x4x8x8x8xf32>, %b: tensor<6x2x3x3x3xf32>) -> tensor<1x6x6x8x10xf32> {
  %0 = aten.conv3d %a, %b padding [0, 1, 2] groups 2 : (tensor<1x4x8x8x8xf32>, tensor<6x2x3x3x3xf32>) -> tensor<1x6x6x8x10xf32>
  return %0 : tensor<1x6x6x8x10xf32>
}

// CHECK-LABEL: @conv_transpose1d(
// CHECK: aten.conv_transpose1d %{{.*}}, %{{.*}} stride [2] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x17xf32>
func.func @conv_transpose1d(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) -> tensor<1x6x17xf32> {
  %0 = aten.conv_transpose1d %a, %b stride [2] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x17xf32>
  return %0 : tensor<1x6x17xf32>
}

// CHECK-LABEL: @conv_transpose2d_input(
// CHECK: aten.conv_transpose2d.input %{{.*}}, %{{.*}}, %{{.*}} stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<1x6x16x16xf32>
func.func @conv_transpose2d_input(%a: tensor<1x4x8x8xf32>, %b: tensor<4x6x3x3xf32>, %c: tensor<6xf32>) -> tensor<1x6x16x16xf32> {
  %0 = aten.conv_transpose2d.input %a, %b, %c stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<1x6x16x16xf32>
  return %0 : tensor<1x6x16x16xf32>
}

// CHECK-LABEL: @conv_transpose3d_input(
// CHECK: aten.conv_transpose3d.input %{{.*}}, %{{.*}} groups 2 dilation [2, 1, 1] : (tensor<1x4x4x4x4xf32>, tensor<4x3x3x3x3xf32>) -> tensor<1x6x8x6x6xf32>
func.func @conv_transpose3d_input(%a: tensor<1x4x4x4x4xf32>, %b: tensor<4x3x3x3x3xf32>) -> tensor<1x6x8x6x6xf32> {
  %0 = aten.conv_transpose3d.input %a, %b groups 2 dilation [2, 1, 1] : (tensor<1x4x4x4x4xf32>, tensor<4x3x3x3x3xf32>) -> tensor<1x6x8x6x6xf32>
  return %0 : tensor<1x6x8x6x6xf32>
}

//===- Attention

// CHECK-LABEL: @scaled_dot_product_attention(
// CHECK: aten.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x2x64x32xf16>, tensor<1x2x48x32xf16>, tensor<1x2x48x16xf16>) -> tensor<1x2x64x16xf16>
func.func @scaled_dot_product_attention(%a: tensor<1x2x64x32xf16>, %b: tensor<1x2x48x32xf16>, %c: tensor<1x2x48x16xf16>) -> tensor<1x2x64x16xf16> {
  %0 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<1x2x64x32xf16>, tensor<1x2x48x32xf16>, tensor<1x2x48x16xf16>) -> tensor<1x2x64x16xf16>
  return %0 : tensor<1x2x64x16xf16>
}

// CHECK-LABEL: @scaled_dot_product_attention_2(
// CHECK: aten.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} is_causal true scale 1.250000e-01 : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
func.func @scaled_dot_product_attention_2(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = aten.scaled_dot_product_attention %a, %b, %c is_causal true scale 1.250000e-01 : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// CHECK-LABEL: @scaled_dot_product_attention_3(
// CHECK: aten.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} attn_mask %{{.*}} : (tensor<1x2x64x32xf32>, tensor<1x2x48x32xf32>, tensor<1x2x48x32xf32>, tensor<64x48xi1>) -> tensor<1x2x64x32xf32>
func.func @scaled_dot_product_attention_3(%a: tensor<1x2x64x32xf32>, %b: tensor<1x2x48x32xf32>, %c: tensor<1x2x48x32xf32>, %d: tensor<64x48xi1>) -> tensor<1x2x64x32xf32> {
  %0 = aten.scaled_dot_product_attention %a, %b, %c attn_mask %d : (tensor<1x2x64x32xf32>, tensor<1x2x48x32xf32>, tensor<1x2x48x32xf32>, tensor<64x48xi1>) -> tensor<1x2x64x32xf32>
  return %0 : tensor<1x2x64x32xf32>
}

//===- Pooling

// CHECK-LABEL: @max_pool1d(
// CHECK: aten.max_pool1d %{{.*}} kernel [8] stride [1] padding [4] dilation [3] : (tensor<2x4x32xf32>) -> tensor<2x4x19xf32>
func.func @max_pool1d(%a: tensor<2x4x32xf32>) -> tensor<2x4x19xf32> {
  %0 = aten.max_pool1d %a kernel [8] stride [1] padding [4] dilation [3] : (tensor<2x4x32xf32>) -> tensor<2x4x19xf32>
  return %0 : tensor<2x4x19xf32>
}

// CHECK-LABEL: @max_pool2d(
// CHECK: aten.max_pool2d %{{.*}} kernel [3, 3] stride [2, 2] : (tensor<2x4x15x15xf32>) -> tensor<2x4x7x7xf32>
func.func @max_pool2d(%a: tensor<2x4x15x15xf32>) -> tensor<2x4x7x7xf32> {
  %0 = aten.max_pool2d %a kernel [3, 3] stride [2, 2] : (tensor<2x4x15x15xf32>) -> tensor<2x4x7x7xf32>
  return %0 : tensor<2x4x7x7xf32>
}

// CHECK-LABEL: @max_pool2d_2(
// CHECK: aten.max_pool2d %{{.*}} kernel [2, 2] ceil_mode true : (tensor<4x7x8xf32>) -> tensor<4x4x4xf32>
func.func @max_pool2d_2(%a: tensor<4x7x8xf32>) -> tensor<4x4x4xf32> {
  %0 = aten.max_pool2d %a kernel [2, 2] ceil_mode true : (tensor<4x7x8xf32>) -> tensor<4x4x4xf32>
  return %0 : tensor<4x4x4xf32>
}

// CHECK-LABEL: @max_pool3d(
// CHECK: aten.max_pool3d %{{.*}} kernel [2, 2, 2] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>
func.func @max_pool3d(%a: tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32> {
  %0 = aten.max_pool3d %a kernel [2, 2, 2] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>
  return %0 : tensor<2x4x4x4x4xf32>
}

// CHECK-LABEL: @avg_pool1d(
// CHECK: aten.avg_pool1d %{{.*}} kernel [8] stride [1] padding [4] : (tensor<2x4x32xf32>) -> tensor<2x4x33xf32>
func.func @avg_pool1d(%a: tensor<2x4x32xf32>) -> tensor<2x4x33xf32> {
  %0 = aten.avg_pool1d %a kernel [8] stride [1] padding [4] : (tensor<2x4x32xf32>) -> tensor<2x4x33xf32>
  return %0 : tensor<2x4x33xf32>
}

// CHECK-LABEL: @avg_pool2d(
// CHECK: aten.avg_pool2d %{{.*}} kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false divisor_override 7 : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
func.func @avg_pool2d(%a: tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32> {
  %0 = aten.avg_pool2d %a kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false divisor_override 7 : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// CHECK-LABEL: @avg_pool3d(
// CHECK: aten.avg_pool3d %{{.*}} kernel [3, 3, 3] stride [2, 2, 2] padding [1, 1, 1] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>
func.func @avg_pool3d(%a: tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32> {
  %0 = aten.avg_pool3d %a kernel [3, 3, 3] stride [2, 2, 2] padding [1, 1, 1] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>
  return %0 : tensor<2x4x4x4x4xf32>
}

// CHECK-LABEL: @adaptive_avg_pool1d(
// CHECK: aten.adaptive_avg_pool1d %{{.*}} output_size [5] : (tensor<2x4x8xf32>) -> tensor<2x4x5xf32>
func.func @adaptive_avg_pool1d(%a: tensor<2x4x8xf32>) -> tensor<2x4x5xf32> {
  %0 = aten.adaptive_avg_pool1d %a output_size [5] : (tensor<2x4x8xf32>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}

// CHECK-LABEL: @adaptive_avg_pool2d(
// CHECK: aten.adaptive_avg_pool2d %{{.*}} output_size [1, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>
func.func @adaptive_avg_pool2d(%a: tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32> {
  %0 = aten.adaptive_avg_pool2d %a output_size [1, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>
  return %0 : tensor<2x4x1x1xf32>
}

// CHECK-LABEL: @adaptive_avg_pool3d(
// CHECK: aten.adaptive_avg_pool3d %{{.*}} output_size [1, 2, 3] : (tensor<4x8x8x8xf32>) -> tensor<4x1x2x3xf32>
func.func @adaptive_avg_pool3d(%a: tensor<4x8x8x8xf32>) -> tensor<4x1x2x3xf32> {
  %0 = aten.adaptive_avg_pool3d %a output_size [1, 2, 3] : (tensor<4x8x8x8xf32>) -> tensor<4x1x2x3xf32>
  return %0 : tensor<4x1x2x3xf32>
}

//===- Normalisations

// CHECK-LABEL: @softmax_int(
// CHECK: aten.softmax.int %{{.*}} dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @softmax_int(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.softmax.int %a dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log_softmax_int(
// CHECK: aten.log_softmax.int %{{.*}} dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @log_softmax_int(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.log_softmax.int %a dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @batch_norm(
// CHECK: aten.batch_norm %{{.*}} weight %{{.*}} bias %{{.*}} running_mean %{{.*}} running_var %{{.*}} eps 1.000000e-03 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
func.func @batch_norm(%a: tensor<2x4x8xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.batch_norm %a weight %b bias %c running_mean %d running_var %e eps 1.000000e-03 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @batch_norm_2(
// CHECK: aten.batch_norm %{{.*}} running_mean %{{.*}} running_var %{{.*}} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
func.func @batch_norm_2(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = aten.batch_norm %a running_mean %b running_var %c : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @group_norm(
// CHECK: aten.group_norm %{{.*}} weight %{{.*}} bias %{{.*}} num_groups 2 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
func.func @group_norm(%a: tensor<2x4x8xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.group_norm %a weight %b bias %c num_groups 2 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @group_norm_2(
// CHECK: aten.group_norm %{{.*}} num_groups 4 eps 1.000000e-03 : (tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @group_norm_2(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = aten.group_norm %a num_groups 4 eps 1.000000e-03 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @instance_norm(
// CHECK: aten.instance_norm %{{.*}} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
func.func @instance_norm(%a: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.instance_norm %a : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @instance_norm_2(
// CHECK: aten.instance_norm %{{.*}} bias %{{.*}} running_mean %{{.*}} running_var %{{.*}} use_input_stats false : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
func.func @instance_norm_2(%a: tensor<2x4x8xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.instance_norm %a bias %b running_mean %c running_var %d use_input_stats false : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @layer_norm(
// CHECK: aten.layer_norm %{{.*}} weight %{{.*}} bias %{{.*}} normalized_shape [4, 8] : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
func.func @layer_norm(%a: tensor<2x4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.layer_norm %a weight %b bias %c normalized_shape [4, 8] : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @layer_norm_2(
// CHECK: aten.layer_norm %{{.*}} bias %{{.*}} normalized_shape [8] eps 1.000000e-03 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
func.func @layer_norm_2(%a: tensor<2x4x8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.layer_norm %a bias %b normalized_shape [8] eps 1.000000e-03 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

//===- Views

// CHECK-LABEL: @reshape(
// CHECK: aten.reshape %{{.*}} shape [4, -1] : (tensor<2x4x8xf32>) -> tensor<4x16xf32>
func.func @reshape(%a: tensor<2x4x8xf32>) -> tensor<4x16xf32> {
  %0 = aten.reshape %a shape [4, -1] : (tensor<2x4x8xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: @view(
// CHECK: aten.view %{{.*}} size [64] : (tensor<2x4x8xi32>) -> tensor<64xi32>
func.func @view(%a: tensor<2x4x8xi32>) -> tensor<64xi32> {
  %0 = aten.view %a size [64] : (tensor<2x4x8xi32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// CHECK-LABEL: @expand(
// CHECK: aten.expand %{{.*}} size [2, -1, 8] : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
func.func @expand(%a: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.expand %a size [2, -1, 8] : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @flatten_using_ints(
// CHECK: aten.flatten.using_ints %{{.*}} : (tensor<2x4x8xf32>) -> tensor<64xf32>
func.func @flatten_using_ints(%a: tensor<2x4x8xf32>) -> tensor<64xf32> {
  %0 = aten.flatten.using_ints %a : (tensor<2x4x8xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: @flatten_using_ints_2(
// CHECK: aten.flatten.using_ints %{{.*}} start_dim 1 : (tensor<2x4x8xf32>) -> tensor<2x32xf32>
func.func @flatten_using_ints_2(%a: tensor<2x4x8xf32>) -> tensor<2x32xf32> {
  %0 = aten.flatten.using_ints %a start_dim 1 : (tensor<2x4x8xf32>) -> tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}

// CHECK-LABEL: @numpy_T(
// CHECK: aten.numpy_T %{{.*}} : (tensor<2x4x8xf32>) -> tensor<8x4x2xf32>
func.func @numpy_T(%a: tensor<2x4x8xf32>) -> tensor<8x4x2xf32> {
  %0 = aten.numpy_T %a : (tensor<2x4x8xf32>) -> tensor<8x4x2xf32>
  return %0 : tensor<8x4x2xf32>
}

// CHECK-LABEL: @permute(
// CHECK: aten.permute %{{.*}} dims [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
func.func @permute(%a: tensor<2x4x8xf32>) -> tensor<8x2x4xf32> {
  %0 = aten.permute %a dims [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  return %0 : tensor<8x2x4xf32>
}

// CHECK-LABEL: @transpose_int(
// CHECK: aten.transpose.int %{{.*}} dim0 1 dim1 -1 : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
func.func @transpose_int(%a: tensor<2x4x8xf32>) -> tensor<2x8x4xf32> {
  %0 = aten.transpose.int %a dim0 1 dim1 -1 : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// CHECK-LABEL: @unsqueeze(
// CHECK: aten.unsqueeze %{{.*}} dim -1 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
func.func @unsqueeze(%a: tensor<2x4xf32>) -> tensor<2x4x1xf32> {
  %0 = aten.unsqueeze %a dim -1 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x4x1xf32>
}

// CHECK-LABEL: @squeeze_dim(
// CHECK: aten.squeeze.dim %{{.*}} dim 1 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>
func.func @squeeze_dim(%a: tensor<2x1x8xf32>) -> tensor<2x8xf32> {
  %0 = aten.squeeze.dim %a dim 1 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @squeeze_dim_2(
// CHECK: aten.squeeze.dim %{{.*}} dim 2 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
func.func @squeeze_dim_2(%a: tensor<2x1x8xf32>) -> tensor<2x1x8xf32> {
  %0 = aten.squeeze.dim %a dim 2 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  return %0 : tensor<2x1x8xf32>
}

// CHECK-LABEL: @select_int(
// CHECK: aten.select.int %{{.*}} dim 1 index -1 : (tensor<2x4x8xf32>) -> tensor<2x8xf32>
func.func @select_int(%a: tensor<2x4x8xf32>) -> tensor<2x8xf32> {
  %0 = aten.select.int %a dim 1 index -1 : (tensor<2x4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @slice_Tensor(
// CHECK: aten.slice.Tensor %{{.*}} dim 1 start 1 end 9223372036854775807 step 2 : (tensor<2x4x8xf32>) -> tensor<2x2x8xf32>
func.func @slice_Tensor(%a: tensor<2x4x8xf32>) -> tensor<2x2x8xf32> {
  %0 = aten.slice.Tensor %a dim 1 start 1 end 9223372036854775807 step 2 : (tensor<2x4x8xf32>) -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}

// CHECK-LABEL: @slice_Tensor_2(
// CHECK: aten.slice.Tensor %{{.*}} end -1 : (tensor<4xf32>) -> tensor<3xf32>
func.func @slice_Tensor_2(%a: tensor<4xf32>) -> tensor<3xf32> {
  %0 = aten.slice.Tensor %a end -1 : (tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @narrow(
// CHECK: aten.narrow %{{.*}} dim 1 start 1 length 2 : (tensor<2x4x8xf32>) -> tensor<2x2x8xf32>
func.func @narrow(%a: tensor<2x4x8xf32>) -> tensor<2x2x8xf32> {
  %0 = aten.narrow %a dim 1 start 1 length 2 : (tensor<2x4x8xf32>) -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}

// CHECK-LABEL: @cat(
// CHECK: aten.cat %{{.*}}, %{{.*}} dim 1 : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<2x12xf32>
func.func @cat(%a: tensor<2x4xf32>, %b: tensor<2x8xf32>) -> tensor<2x12xf32> {
  %0 = aten.cat %a, %b dim 1 : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// CHECK-LABEL: @cumsum(
// CHECK: aten.cumsum %{{.*}} dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @cumsum(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.cumsum %a dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @cumprod(
// CHECK: aten.cumprod %{{.*}} dim 0 : (tensor<4x8xi1>) -> tensor<4x8xi64>
func.func @cumprod(%a: tensor<4x8xi1>) -> tensor<4x8xi64> {
  %0 = aten.cumprod %a dim 0 : (tensor<4x8xi1>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @flip(
// CHECK: aten.flip %{{.*}} dims [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @flip(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.flip %a dims [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @tril(
// CHECK: aten.tril %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @tril(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.tril %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @triu(
// CHECK: aten.triu %{{.*}} diagonal 1 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
func.func @triu(%a: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = aten.triu %a diagonal 1 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}
