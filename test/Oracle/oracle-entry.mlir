// RUN: kgen-opt %s -kgen-oracle-entry | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: %{{.*}}: tensor<4xf32> {bufferization.writable = false}
// CHECK-SAME: attributes {llvm.emit_c_interface}
func.func @types(%x: tensor<4xf32> {kgen.small = tensor<2xf32>}, %h: tensor<4xf16>, %i: tensor<4xi64>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xi64>) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = aten.add.Tensor %x, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.relu %h : (tensor<4xf16>) -> tensor<4xf16>
  return %0, %1, %i : tensor<4xf32>, tensor<4xf16>, tensor<4xi64>
}
