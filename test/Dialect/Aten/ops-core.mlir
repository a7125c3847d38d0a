// What came with Core ATen reads and prints: comparisons, logic, casts, tensors out of nothing, indexing, and the rest.
// RUN: kgen-opt %s | kgen-opt | FileCheck %s
// RUN: kgen-opt %s --mlir-print-op-generic | kgen-opt | FileCheck %s

// CHECK-LABEL: @acos(
// CHECK: aten.acos %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @acos(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.acos %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @acosh(
// CHECK: aten.acosh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @acosh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.acosh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @all_dims(
// CHECK: aten.all.dims %{{.*}} dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi1>
func.func @all_dims(%x: tensor<4x8xf32>) -> tensor<4x1xi1> {
  %0 = aten.all.dims %x dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi1>
  return %0 : tensor<4x1xi1>
}

// CHECK-LABEL: @any_dims(
// CHECK: aten.any.dims %{{.*}} dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi1>
func.func @any_dims(%x: tensor<4x8xf32>) -> tensor<4x1xi1> {
  %0 = aten.any.dims %x dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi1>
  return %0 : tensor<4x1xi1>
}

// CHECK-LABEL: @arange_start_step(
// CHECK: aten.arange.start_step start {{[-+.e0-9]+}} end {{[-+.e0-9]+}} step {{[-+.e0-9]+}} dtype i64 : () -> tensor<4xi64>
func.func @arange_start_step() -> tensor<4xi64> {
  %0 = aten.arange.start_step start 0.0 end 8.0 step 2.0 dtype i64 : () -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: @as_strided(
// CHECK: aten.as_strided %{{.*}} size [3, 2] stride [1, 2] : (tensor<2x4xf32>) -> tensor<3x2xf32>
func.func @as_strided(%x: tensor<2x4xf32>) -> tensor<3x2xf32> {
  %0 = aten.as_strided %x size [3, 2] stride [1, 2] : (tensor<2x4xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @asin(
// CHECK: aten.asin %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @asin(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.asin %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @asinh(
// CHECK: aten.asinh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @asinh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.asinh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @atan2(
// CHECK: aten.atan2 %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @atan2(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.atan2 %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @atan(
// CHECK: aten.atan %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @atan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.atan %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @atanh(
// CHECK: aten.atanh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @atanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.atanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @bitwise_and_Scalar(
// CHECK: aten.bitwise_and.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xi64>) -> tensor<4x8xi64>
func.func @bitwise_and_Scalar(%x: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_and.Scalar %x {other = 3.0} : (tensor<4x8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @bitwise_and_Tensor(
// CHECK: aten.bitwise_and.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
func.func @bitwise_and_Tensor(%x: tensor<4x8xi64>, %y: tensor<8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_and.Tensor %x, %y : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @bitwise_not(
// CHECK: aten.bitwise_not %{{.*}} : (tensor<4x8xi1>) -> tensor<4x8xi1>
func.func @bitwise_not(%x: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %0 = aten.bitwise_not %x : (tensor<4x8xi1>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @bitwise_or_Scalar(
// CHECK: aten.bitwise_or.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xi64>) -> tensor<4x8xi64>
func.func @bitwise_or_Scalar(%x: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_or.Scalar %x {other = 3.0} : (tensor<4x8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @bitwise_or_Tensor(
// CHECK: aten.bitwise_or.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
func.func @bitwise_or_Tensor(%x: tensor<4x8xi64>, %y: tensor<8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_or.Tensor %x, %y : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @bitwise_xor_Scalar(
// CHECK: aten.bitwise_xor.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xi64>) -> tensor<4x8xi64>
func.func @bitwise_xor_Scalar(%x: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_xor.Scalar %x {other = 3.0} : (tensor<4x8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @bitwise_xor_Tensor(
// CHECK: aten.bitwise_xor.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
func.func @bitwise_xor_Tensor(%x: tensor<4x8xi64>, %y: tensor<8xi64>) -> tensor<4x8xi64> {
  %0 = aten.bitwise_xor.Tensor %x, %y : (tensor<4x8xi64>, tensor<8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @ceil(
// CHECK: aten.ceil %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @ceil(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.ceil %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @constant(
// CHECK: aten.constant dense<[1.0{{.*}}, {{[-+.e0-9]+}}, {{[-+.e0-9]+}}]> : tensor<3xf32> : () -> tensor<3xf32>
func.func @constant() -> tensor<3xf32> {
  %0 = aten.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : () -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @constant_pad_nd(
// CHECK: aten.constant_pad_nd %{{.*}} pad [1, 2] value {{[-+.e0-9]+}} : (tensor<2x4xf32>) -> tensor<2x7xf32>
func.func @constant_pad_nd(%x: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %0 = aten.constant_pad_nd %x pad [1, 2] value 0.5 : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// CHECK-LABEL: @cos(
// CHECK: aten.cos %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @cos(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.cos %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @cosh(
// CHECK: aten.cosh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @cosh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.cosh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @diagonal(
// CHECK: aten.diagonal %{{.*}} offset 1 : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @diagonal(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = aten.diagonal %x offset 1 : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @div_Tensor_mode(
// CHECK: aten.div.Tensor_mode %{{.*}}, %{{.*}} {rounding_mode = "floor"} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @div_Tensor_mode(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.div.Tensor_mode %x, %y {rounding_mode = "floor"} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @embedding(
// CHECK: aten.embedding %{{.*}}, %{{.*}} : (tensor<16x8xf32>, tensor<2x4xi64>) -> tensor<2x4x8xf32>
func.func @embedding(%w: tensor<16x8xf32>, %i: tensor<2x4xi64>) -> tensor<2x4x8xf32> {
  %0 = aten.embedding %w, %i : (tensor<16x8xf32>, tensor<2x4xi64>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @eq_Scalar(
// CHECK: aten.eq.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @eq_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.eq.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @eq_Tensor(
// CHECK: aten.eq.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @eq_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.eq.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @erfc(
// CHECK: aten.erfc %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @erfc(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.erfc %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @erfinv(
// CHECK: aten.erfinv %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @erfinv(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.erfinv %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @exp2(
// CHECK: aten.exp2 %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @exp2(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.exp2 %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @expm1(
// CHECK: aten.expm1 %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @expm1(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.expm1 %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @floor(
// CHECK: aten.floor %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @floor(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.floor %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @fmod_Scalar(
// CHECK: aten.fmod.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @fmod_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.fmod.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @fmod_Tensor(
// CHECK: aten.fmod.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @fmod_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.fmod.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @full_like(
// CHECK: aten.full_like %{{.*}} fill_value {{[-+.e0-9]+}} dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
func.func @full_like(%x: tensor<4x8xf32>) -> tensor<4x8xi64> {
  %0 = aten.full_like %x fill_value 1.0 dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @full(
// CHECK: aten.full size [4, 8] fill_value {{[-+.e0-9]+}} dtype f32 : () -> tensor<4x8xf32>
func.func @full() -> tensor<4x8xf32> {
  %0 = aten.full size [4, 8] fill_value 0.5 dtype f32 : () -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @gather(
// CHECK: aten.gather %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
func.func @gather(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>) -> tensor<4x3xf32> {
  %0 = aten.gather %x, %i dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @ge_Scalar(
// CHECK: aten.ge.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @ge_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.ge.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @ge_Tensor(
// CHECK: aten.ge.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @ge_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.ge.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @_grouped_mm(
// CHECK: aten._grouped_mm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x4xf32>, tensor<3x4x8xf32>, tensor<3xi32>) -> tensor<6x8xf32>
func.func @_grouped_mm(%x: tensor<6x4xf32>, %w: tensor<3x4x8xf32>, %o: tensor<3xi32>) -> tensor<6x8xf32> {
  %0 = aten._grouped_mm %x, %w, %o : (tensor<6x4xf32>, tensor<3x4x8xf32>, tensor<3xi32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// CHECK-LABEL: @gt_Scalar(
// CHECK: aten.gt.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @gt_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.gt.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @gt_Tensor(
// CHECK: aten.gt.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @gt_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.gt.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @index_put(
// CHECK: aten.index_put %{{.*}}, %{{.*}} values %{{.*}} dims [0] : (tensor<4x8xf32>, tensor<2xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
func.func @index_put(%x: tensor<4x8xf32>, %i: tensor<2xi64>, %v: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.index_put %x, %i values %v dims [0]
    : (tensor<4x8xf32>, tensor<2xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @index_select(
// CHECK: aten.index_select %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
func.func @index_select(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> tensor<4x3xf32> {
  %0 = aten.index_select %x, %i dim 1 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @index_Tensor(
// CHECK: aten.index.Tensor %{{.*}}, %{{.*}}, %{{.*}} dims [0, 1] : (tensor<4x8x2xf32>, tensor<3x1xi64>, tensor<5xi64>) -> tensor<3x5x2xf32>
func.func @index_Tensor(%x: tensor<4x8x2xf32>, %i: tensor<3x1xi64>, %j: tensor<5xi64>) -> tensor<3x5x2xf32> {
  %0 = aten.index.Tensor %x, %i, %j dims [0, 1] : (tensor<4x8x2xf32>, tensor<3x1xi64>, tensor<5xi64>) -> tensor<3x5x2xf32>
  return %0 : tensor<3x5x2xf32>
}

// CHECK-LABEL: @isinf(
// CHECK: aten.isinf %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @isinf(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.isinf %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @isnan(
// CHECK: aten.isnan %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @isnan(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.isnan %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @le_Scalar(
// CHECK: aten.le.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @le_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.le.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @le_Tensor(
// CHECK: aten.le.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @le_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.le.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @log10(
// CHECK: aten.log10 %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @log10(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.log10 %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log1p(
// CHECK: aten.log1p %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @log1p(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.log1p %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log2(
// CHECK: aten.log2 %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @log2(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.log2 %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @logical_and(
// CHECK: aten.logical_and %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @logical_and(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.logical_and %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @logical_not(
// CHECK: aten.logical_not %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @logical_not(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.logical_not %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @logical_or(
// CHECK: aten.logical_or %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @logical_or(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.logical_or %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @logical_xor(
// CHECK: aten.logical_xor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @logical_xor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.logical_xor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @lt_Scalar(
// CHECK: aten.lt.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @lt_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.lt.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @lt_Tensor(
// CHECK: aten.lt.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @lt_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.lt.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @masked_fill_Scalar(
// CHECK: aten.masked_fill.Scalar %{{.*}}, %{{.*}} {value = {{.*}}} : (tensor<4x8xf32>, tensor<8xi1>) -> tensor<4x8xf32>
func.func @masked_fill_Scalar(%x: tensor<4x8xf32>, %m: tensor<8xi1>) -> tensor<4x8xf32> {
  %0 = aten.masked_fill.Scalar %x, %m {value = 0.0} : (tensor<4x8xf32>, tensor<8xi1>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @ne_Scalar(
// CHECK: aten.ne.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
func.func @ne_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = aten.ne.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @ne_Tensor(
// CHECK: aten.ne.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
func.func @ne_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  %0 = aten.ne.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @pow_Scalar(
// CHECK: aten.pow.Scalar %{{.*}} {self = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @pow_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.pow.Scalar %x {self = 2.0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @pow_Tensor_Tensor(
// CHECK: aten.pow.Tensor_Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @pow_Tensor_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.pow.Tensor_Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @remainder_Scalar(
// CHECK: aten.remainder.Scalar %{{.*}} {other = {{.*}}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @remainder_Scalar(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.remainder.Scalar %x {other = 0.5} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @remainder_Tensor(
// CHECK: aten.remainder.Tensor %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @remainder_Tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.remainder.Tensor %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @repeat(
// CHECK: aten.repeat %{{.*}} repeats [3, 1, 2] : (tensor<2x4xf32>) -> tensor<3x2x8xf32>
func.func @repeat(%x: tensor<2x4xf32>) -> tensor<3x2x8xf32> {
  %0 = aten.repeat %x repeats [3, 1, 2] : (tensor<2x4xf32>) -> tensor<3x2x8xf32>
  return %0 : tensor<3x2x8xf32>
}

// CHECK-LABEL: @roll(
// CHECK: aten.roll %{{.*}} shifts [1] dims [1] : (tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @roll(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = aten.roll %x shifts [1] dims [1] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @round(
// CHECK: aten.round %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @round(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.round %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @scatter_add(
// CHECK: aten.scatter_add %{{.*}}, %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
func.func @scatter_add(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %0 = aten.scatter_add %x, %i, %s dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @scatter_reduce_two(
// CHECK: aten.scatter_reduce.two %{{.*}}, %{{.*}}, %{{.*}} dim 1 reduce "amax" : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
func.func @scatter_reduce_two(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %0 = aten.scatter_reduce.two %x, %i, %s dim 1 reduce "amax" : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @scatter_src(
// CHECK: aten.scatter.src %{{.*}}, %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
func.func @scatter_src(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %0 = aten.scatter.src %x, %i, %s dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @scatter_value(
// CHECK: aten.scatter.value %{{.*}}, %{{.*}} dim 1 value {{[-+.e0-9]+}} : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x8xf32>
func.func @scatter_value(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>) -> tensor<4x8xf32> {
  %0 = aten.scatter.value %x, %i dim 1 value 0.5 : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sign(
// CHECK: aten.sign %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sign(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sign %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sin(
// CHECK: aten.sin %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sin(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sin %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sinh(
// CHECK: aten.sinh %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @sinh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.sinh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @slice_scatter(
// CHECK: aten.slice_scatter %{{.*}}, %{{.*}} dim 1 start 1 end 4 : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
func.func @slice_scatter(%x: tensor<2x8xf32>, %s: tensor<2x3xf32>) -> tensor<2x8xf32> {
  %0 = aten.slice_scatter %x, %s dim 1 start 1 end 4 : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @sort(
// CHECK: aten.sort %{{.*}} dim 0 descending true : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %v, %i = aten.sort %x dim 0 descending true : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %v, %i : tensor<4x8xf32>, tensor<4x8xi64>
}

// CHECK-LABEL: @tan(
// CHECK: aten.tan %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @tan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.tan %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @_to_copy(
// CHECK: aten._to_copy %{{.*}} dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
func.func @_to_copy(%x: tensor<4x8xf32>) -> tensor<4x8xi64> {
  %0 = aten._to_copy %x dtype i64 : (tensor<4x8xf32>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// CHECK-LABEL: @topk(
// CHECK: aten.topk %{{.*}} k 2 : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
func.func @topk(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  %v, %i = aten.topk %x k 2 : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi64>
}

// CHECK-LABEL: @trunc(
// CHECK: aten.trunc %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @trunc(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.trunc %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @unfold(
// CHECK: aten.unfold %{{.*}} dimension 1 size 3 step 2 : (tensor<2x8xf32>) -> tensor<2x3x3xf32>
func.func @unfold(%x: tensor<2x8xf32>) -> tensor<2x3x3xf32> {
  %0 = aten.unfold %x dimension 1 size 3 step 2 : (tensor<2x8xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// CHECK-LABEL: @var_correction(
// CHECK: aten.var.correction %{{.*}} dim [1] correction {{[-+.e0-9]+}} keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
func.func @var_correction(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = aten.var.correction %x dim [1] correction 0.0 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: @where_self(
// CHECK: aten.where.self %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
func.func @where_self(%c: tensor<4x8xi1>, %x: tensor<4x8xf32>, %y: tensor<f32>) -> tensor<4x8xf32> {
  %0 = aten.where.self %c, %x, %y : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
