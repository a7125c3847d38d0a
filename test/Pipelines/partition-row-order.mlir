// RUN: kgen-opt --kgen-partition -split-input-file %s | FileCheck %s

// PyTorch's attention of [batch][sequence]: products take rows as they lie, and the transposes around them are
// attention's, which reads and writes by strides.

// CHECK: func.func private @t00_linear(%{{.*}}: tensor<10x2x128xf32>
// CHECK-NEXT: aten.linear {{.*}} -> tensor<10x2x384xf32>
// CHECK-NEXT: return
// CHECK: func.func private @t01_scaled_dot_product_attention
// CHECK: %[[HEADS:.*]] = aten.scaled_dot_product_attention
// CHECK-NEXT: %[[ROWS:.*]] = aten.permute %[[HEADS]] dims [0, 2, 1, 3] : {{.*}} -> tensor<10x2x4x32xf32>
// CHECK-NEXT: return %[[ROWS]]
// CHECK: func.func private @t02_linear(%{{.*}}: tensor<10x2x128xf32>
// CHECK-NEXT: aten.linear {{.*}} -> tensor<10x2x128xf32>
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: return
// CHECK-NOT: func.func private
func.func @attention(%x: tensor<10x2x128xf32>, %w: tensor<384x128xf32>, %b: tensor<384xf32>, %v: tensor<128x128xf32>)
    -> tensor<10x2x128xf32> {
  %rows = aten.transpose.int %x dim0 1 dim1 0 : (tensor<10x2x128xf32>) -> tensor<2x10x128xf32>
  %all = aten.linear %rows, %w, %b : (tensor<2x10x128xf32>, tensor<384x128xf32>, tensor<384xf32>) -> tensor<2x10x384xf32>
  %parts = aten.view %all size [2, 10, 3, 4, 32] : (tensor<2x10x384xf32>) -> tensor<2x10x3x4x32xf32>
  %heads = aten.permute %parts dims [2, 1, 3, 0, 4] : (tensor<2x10x3x4x32xf32>) -> tensor<3x10x4x2x32xf32>
  %q = aten.select.int %heads dim 0 index 0 : (tensor<3x10x4x2x32xf32>) -> tensor<10x4x2x32xf32>
  %k = aten.select.int %heads dim 0 index 1 : (tensor<3x10x4x2x32xf32>) -> tensor<10x4x2x32xf32>
  %u = aten.select.int %heads dim 0 index 2 : (tensor<3x10x4x2x32xf32>) -> tensor<10x4x2x32xf32>
  %a = aten.scaled_dot_product_attention %q, %k, %u : (tensor<10x4x2x32xf32>, tensor<10x4x2x32xf32>, tensor<10x4x2x32xf32>) -> tensor<10x4x2x32xf32>
  %beside = aten.permute %a dims [2, 0, 1, 3] : (tensor<10x4x2x32xf32>) -> tensor<2x10x4x32xf32>
  %flat = aten.view %beside size [20, 128] : (tensor<2x10x4x32xf32>) -> tensor<20x128xf32>
  %out = aten.linear %flat, %v : (tensor<20x128xf32>, tensor<128x128xf32>) -> tensor<20x128xf32>
  %two = aten.view %out size [2, 10, 128] : (tensor<20x128xf32>) -> tensor<2x10x128xf32>
  %back = aten.transpose.int %two dim0 1 dim1 0 : (tensor<2x10x128xf32>) -> tensor<10x2x128xf32>
  %sum = aten.add.Tensor %x, %back : (tensor<10x2x128xf32>, tensor<10x2x128xf32>) -> tensor<10x2x128xf32>
  return %sum : tensor<10x2x128xf32>
}

// -----

// What somebody else reads in the other order, and a product that attention has nothing to do with, stay.
// CHECK: func.func private @t00_linear(%{{.*}}: tensor<10x2x128xf32>
// CHECK-NEXT: aten.transpose.int
// CHECK-NEXT: aten.linear {{.*}} -> tensor<2x10x128xf32>
// CHECK: func.func private @t03_linear(%{{.*}}: tensor<2x10x128xf32>
// CHECK: func.func private @t04_relu
// CHECK-NEXT: aten.transpose.int
func.func @others(%x: tensor<10x2x128xf32>, %w: tensor<128x128xf32>) -> (tensor<10x1x2x128xf32>, tensor<2x10x128xf32>, tensor<10x2x128xf32>) {
  %rows = aten.transpose.int %x dim0 1 dim1 0 : (tensor<10x2x128xf32>) -> tensor<2x10x128xf32>
  %l = aten.linear %rows, %w : (tensor<2x10x128xf32>, tensor<128x128xf32>) -> tensor<2x10x128xf32>
  %t = aten.transpose.int %l dim0 1 dim1 0 : (tensor<2x10x128xf32>) -> tensor<10x2x128xf32>
  %h = aten.unsqueeze %t dim 1 : (tensor<10x2x128xf32>) -> tensor<10x1x2x128xf32>
  %a = aten.scaled_dot_product_attention %h, %h, %h : (tensor<10x1x2x128xf32>, tensor<10x1x2x128xf32>, tensor<10x1x2x128xf32>) -> tensor<10x1x2x128xf32>
  %e = aten.exp %l : (tensor<2x10x128xf32>) -> tensor<2x10x128xf32>
  %m = aten.linear %e, %w : (tensor<2x10x128xf32>, tensor<128x128xf32>) -> tensor<2x10x128xf32>
  %n = aten.transpose.int %m dim0 1 dim1 0 : (tensor<2x10x128xf32>) -> tensor<10x2x128xf32>
  %r = aten.relu %n : (tensor<10x2x128xf32>) -> tensor<10x2x128xf32>
  return %a, %e, %r : tensor<10x1x2x128xf32>, tensor<2x10x128xf32>, tensor<10x2x128xf32>
}
