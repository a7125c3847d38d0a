// RUN: kgen-opt %s -kgen-oracle-lowering | FileCheck %s

// Everything becomes LLVM, results are out parameters, and nothing of MLIR's runner libraries is called.
// CHECK-NOT: memrefCopy
// CHECK: llvm.func @_mlir_ciface_f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-NOT: memrefCopy
func.func @f(%x: tensor<2x3xf32>, %w: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %0 = aten.cat %x, %w dim 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}
