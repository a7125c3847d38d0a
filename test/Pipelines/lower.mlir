// Level 2 with one dispatch of a family, one generic dispatch and one loose op: all become launches.
// RUN: kgen-opt %s --kgen-lower | FileCheck %s
// RUN: kgen-opt %s --kgen-lower="arch=sm_80" | FileCheck %s --check-prefix=ARCH
// RUN: kgen-opt %s --kgen-lower | kgen-translate --kgen-to-cuda | FileCheck %s --check-prefix=CUDA
// RUN: kgen-opt %s --kgen-lower | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=PLAN
// The same text in gives the same bytes out.
// RUN: kgen-opt %s --kgen-lower -o %t.1
// RUN: kgen-opt %s --kgen-lower -o %t.2
// RUN: diff %t.1 %t.2

// CHECK: module attributes {kgen.precision = "tf32"}
// CHECK-DAG: kgen.source @product arch "sm_90a"
// CHECK-LABEL: func.func @f
// CHECK-NOT: aten.
// CHECK-NOT: linalg.
// CHECK: kgen.launch @product::@
// CHECK: kgen.launch
// CHECK: return
// ARCH: kgen.source @product arch "sm_80"
// CUDA: extern "C" __global__
// PLAN: "precision": "tf32"
func.func @f(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %0 = kgen.dispatch @product schedule(#kgen.schedule<family = gemm>) ins(%x, %w : tensor<64x32xf32>, tensor<32x32xf32>) {
  ^bb0(%a: tensor<64x32xf32>, %b: tensor<32x32xf32>):
    %r = aten.linear %a, %b : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    kgen.yield %r : tensor<64x32xf32>
  } : tensor<64x32xf32>
  %1 = kgen.dispatch @loose ins(%0 : tensor<64x32xf32>) {
  ^bb0(%a: tensor<64x32xf32>):
    %r = aten.softmax.int %a dim -1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
    kgen.yield %r : tensor<64x32xf32>
  } : tensor<64x32xf32>
  %2 = aten.relu %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}
