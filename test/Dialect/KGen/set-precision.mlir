// RUN: kgen-opt %s -kgen-set-precision -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: module attributes {kgen.precision = "tf32"}
func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK: module attributes {kgen.precision = "strict-fp32"}
func.func @pointwise(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = aten.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: module attributes {kgen.precision = "bf16"}
func.func @brain(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = aten.relu %x : (tensor<8xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// CHECK: module attributes {kgen.precision = "fp16"}
func.func @half(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = aten.relu %x : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// What stands there stays.
// CHECK: module attributes {kgen.precision = "strict-fp32"}
module attributes {kgen.precision = "strict-fp32"} {
  func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// expected-error @+1 {{expected kgen.precision to be strict-fp32, tf32, fp16 or bf16, found "fp64"}}
module attributes {kgen.precision = "fp64"} {}
