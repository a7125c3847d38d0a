// A product takes the swaps of its operands' last two dimensions into its dispatch, whose kernels read matrices either way.
// They come before nearer element-wise ops; other views, and a swap that somebody else reads, stay in front.
// RUN: split-file %s %t
// RUN: kgen-opt %t/swaps.mlir --kgen-apply-directives=script=%t/script.mlir | FileCheck %t/swaps.mlir
// RUN: kgen-opt %t/far.mlir --kgen-apply-directives=script=%t/one.mlir | FileCheck %t/far.mlir
// RUN: not kgen-opt %t/others.mlir --kgen-apply-directives=script=%t/script.mlir 2>&1 | FileCheck %t/others.mlir
// RUN: not kgen-opt %t/shared.mlir --kgen-apply-directives=script=%t/script.mlir 2>&1 | FileCheck %t/shared.mlir

//--- script.mlir
%d = transform.kgen.select "aten.matmul" in %f
transform.kgen.fuse %d producers all

//--- swaps.mlir
// CHECK: kgen.dispatch @matmul_0 schedule(#kgen.schedule<family = gemm>) ins(%arg0, %arg1
// CHECK-DAG: aten.numpy_T
// CHECK-DAG: aten.permute
// CHECK: aten.matmul
// CHECK-NEXT: kgen.yield
// CHECK-NOT: aten.
func.func @f(%a: tensor<72x100xf32>, %b: tensor<136x72xf32>) -> tensor<100x136xf32> {
  %0 = aten.numpy_T %a : (tensor<72x100xf32>) -> tensor<100x72xf32>
  %1 = aten.permute %b dims [1, 0] : (tensor<136x72xf32>) -> tensor<72x136xf32>
  %2 = aten.matmul %0, %1 : (tensor<100x72xf32>, tensor<72x136xf32>) -> tensor<100x136xf32>
  return %2 : tensor<100x136xf32>
}

//--- one.mlir
%d = transform.kgen.select "aten.matmul" in %f
transform.kgen.fuse %d producers 1

//--- far.mlir
// CHECK: aten.relu
// CHECK: kgen.dispatch @matmul_0
// CHECK: aten.numpy_T
func.func @f(%a: tensor<72x100xf32>, %b: tensor<72x136xf32>) -> tensor<100x136xf32> {
  %0 = aten.numpy_T %a : (tensor<72x100xf32>) -> tensor<100x72xf32>
  %1 = aten.relu %b : (tensor<72x136xf32>) -> tensor<72x136xf32>
  %2 = aten.matmul %0, %1 : (tensor<100x72xf32>, tensor<72x136xf32>) -> tensor<100x136xf32>
  return %2 : tensor<100x136xf32>
}

//--- others.mlir
// CHECK: expected a producer to fuse, found none: aten.reshape is a view, not an element-wise op
func.func @f(%a: tensor<72x100xf32>, %b: tensor<136x2x36xf32>) -> tensor<2x68x100xf32> {
  %0 = aten.permute %b dims [1, 2, 0] : (tensor<136x2x36xf32>) -> tensor<2x36x136xf32>
  %1 = aten.reshape %0 shape [2, 68, 72] : (tensor<2x36x136xf32>) -> tensor<2x68x72xf32>
  %2 = aten.matmul %1, %a : (tensor<2x68x72xf32>, tensor<72x100xf32>) -> tensor<2x68x100xf32>
  return %2 : tensor<2x68x100xf32>
}

//--- shared.mlir
// CHECK: expected a producer to fuse, found none: aten.numpy_T has users outside
func.func @f(%a: tensor<72x100xf32>, %b: tensor<72x136xf32>) -> (tensor<100x136xf32>, tensor<100x72xf32>) {
  %0 = aten.numpy_T %a : (tensor<72x100xf32>) -> tensor<100x72xf32>
  %1 = aten.matmul %0, %b : (tensor<100x72xf32>, tensor<72x136xf32>) -> tensor<100x136xf32>
  return %1, %0 : tensor<100x136xf32>, tensor<100x72xf32>
}
