// RUN: kgen-opt %s -split-input-file -kgen-set-precision | FileCheck %s
// RUN: kgen-opt %s -split-input-file -kgen-lower-dispatches | FileCheck %s

// A variance is never negative, in no kind of input set; the other vectors stay as they are.
// CHECK-LABEL: func.func @norm
// CHECK-SAME: %{{.*}}: tensor<2x3x4xf32>, %{{.*}}: tensor<3xf32> {kgen.init = "normal(0, 0.25)"}, %{{.*}}: tensor<3xf32> {kgen.init = "uniform(0.0625, 0.5)", kgen.parameter})
func.func @norm(%x: tensor<2x3x4xf32>, %m: tensor<3xf32> {kgen.init = "normal(0, 0.25)"},
                %v: tensor<3xf32> {kgen.init = "normal(0, 0.25)", kgen.parameter}) -> tensor<2x3x4xf32> {
  %0 = aten.batch_norm %x running_mean %m running_var %v : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Behind a view and in a dispatch; nothing is declared.
// CHECK-LABEL: func.func @hidden
// CHECK-SAME: %{{.*}}: tensor<2x3x4xf32>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3x1xf32> {kgen.init = "uniform(0.5, 1.5)"})
func.func @hidden(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = kgen.dispatch @d ins(%x, %m, %v : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3x1xf32>) {
  ^bb0(%a: tensor<2x3x4xf32>, %b: tensor<3xf32>, %c: tensor<3x1xf32>):
    %w = aten.view %c size [3] : (tensor<3x1xf32>) -> tensor<3xf32>
    %r = aten.batch_norm %a running_mean %b running_var %w : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    kgen.yield %r : tensor<2x3x4xf32>
  } : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A norm that was taken apart: the root of a parameter. The root of an input is the problem's affair, and what is positive stays.
// CHECK-LABEL: func.func @apart
// CHECK-SAME: %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32> {kgen.init = "uniform(0.2, 4)", kgen.parameter}, %{{.*}}: tensor<3xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter})
func.func @apart(%x: tensor<3xf32>, %v: tensor<3xf32> {kgen.init = "uniform(0.2, 4)", kgen.parameter},
                 %w: tensor<3xf32> {kgen.init = "normal(-1, 0.1)", kgen.parameter}) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = aten.sqrt %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = aten.add.Scalar %v {other = 1.0e-5} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = aten.rsqrt %1 : (tensor<3xf32>) -> tensor<3xf32>
  %3 = aten.log %w : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Groups of rows end between the rows, unless something else is declared.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %{{.*}}: tensor<3xi64> {kgen.init = "integer(0, 6)"}, %{{.*}}: tensor<3xi32> {kgen.init = "integer(2, 4)"})
func.func @groups(%x: tensor<6x5xf32>, %w: tensor<3x5x8xf32>, %ends: tensor<3xi64>, %declared: tensor<3xi32> {kgen.init = "integer(2, 4)"})
    -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %0 = aten._grouped_mm %x, %w, %ends : (tensor<6x5xf32>, tensor<3x5x8xf32>, tensor<3xi64>) -> tensor<6x8xf32>
  %1 = aten._grouped_mm %x, %w, %declared : (tensor<6x5xf32>, tensor<3x5x8xf32>, tensor<3xi32>) -> tensor<6x8xf32>
  return %0, %1 : tensor<6x8xf32>, tensor<6x8xf32>
}
