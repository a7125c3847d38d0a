// Positions in a table that shrinks stay within it; a mask stays 0 and 1.
// RUN: kgen-opt %s --kgen-resize=dims=0:0=16,2:0=1 | FileCheck %s

// CHECK: func.func @f(%{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<4xi64> {kgen.init = "integer(0, 15)"}, %{{.*}}: tensor<1xi1> {kgen.init = "integer(0, 1)"})
func.func @f(%w: tensor<64x8xf32>, %i: tensor<4xi64> {kgen.init = "integer(0, 63)"}, %m: tensor<2xi1> {kgen.init = "integer(0, 1)"})
    -> (tensor<4x8xf32>, tensor<2xi1>) {
  %0 = aten.embedding %w, %i : (tensor<64x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = aten.logical_not %m : (tensor<2xi1>) -> tensor<2xi1>
  return %0, %1 : tensor<4x8xf32>, tensor<2xi1>
}
