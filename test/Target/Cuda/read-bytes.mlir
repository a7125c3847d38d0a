// What a graph reads of a tensor whatever its indices are counts, not the tensor: of a table's rows one, since all tokens may be the same.
// RUN: kgen-opt %s --kgen-lower | kgen-translate --kgen-to-plan | FileCheck %s
// CHECK: "shape": [30522, 768], "init": "normal(0, 1)", "parameter": true, "read_bytes": 3072}
// CHECK: "shape": [8], "init": "integer(0, 30521)"}
// CHECK: "shape": [64, 4], "init": "normal(0, 1)", "read_bytes": 32}
// CHECK: "shape": [2, 4], "init": "normal(0, 1)"}
// Of the groups' matrices one: all rows may be of one group.
// CHECK: "shape": [6, 5], "init": "normal(0, 1)"}
// CHECK: "shape": [3, 5, 8], "init": "normal(0, 1)", "parameter": true, "read_bytes": 160}
// CHECK: "shape": [3], "init": "integer(0, 6)"}
func.func @rows(%table: tensor<30522x768xf32> {kgen.parameter}, %ids: tensor<8xi64> {kgen.init = "integer(0, 30521)"},
                %x: tensor<64x4xf32>, %y: tensor<2x4xf32>, %r: tensor<6x5xf32>, %m: tensor<3x5x8xf32> {kgen.parameter}, %ends: tensor<3xi32>)
    -> (tensor<8x768xf32>, tensor<2x4xf32>, tensor<6x8xf32>) {
  %0 = aten.embedding %table, %ids : (tensor<30522x768xf32>, tensor<8xi64>) -> tensor<8x768xf32>
  %1 = aten.narrow %x dim 0 start 3 length 2 : (tensor<64x4xf32>) -> tensor<2x4xf32>
  %2 = aten.add.Tensor %1, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = aten._grouped_mm %r, %m, %ends : (tensor<6x5xf32>, tensor<3x5x8xf32>, tensor<3xi32>) -> tensor<6x8xf32>
  return %0, %2, %3 : tensor<8x768xf32>, tensor<2x4xf32>, tensor<6x8xf32>
}
