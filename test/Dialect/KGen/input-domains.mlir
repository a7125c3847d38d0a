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
