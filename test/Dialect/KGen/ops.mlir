// Round trip of every op and attribute of the dialect, twice: as text and in the generic form.
// RUN: kgen-opt %s | kgen-opt | FileCheck %s
// RUN: kgen-opt %s --mlir-print-op-generic | kgen-opt | FileCheck %s

// CHECK: kgen.source @relu arch "sm_90a" "extern \22C\22 __global__ void relu_main(const float *x, float *y) {}"
kgen.source @relu arch "sm_90a" "extern \22C\22 __global__ void relu_main(const float *x, float *y) {}"

// CHECK-LABEL: func.func @dispatch
func.func @dispatch(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: kgen.dispatch @relu
  // CHECK-SAME: idea(#kgen.idea<"vector loads", category = memory>)
  // CHECK-SAME: schedule(#kgen.schedule<family = pointwise, vec = 4>)
  // CHECK-SAME: ins(%{{.*}} : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8xf32>):
  // CHECK-NEXT: aten.relu %[[A]]
  // CHECK-NEXT: kgen.yield %{{.*}} : tensor<8xf32>
  // CHECK-NEXT: } : tensor<8xf32>
  %0 = kgen.dispatch @relu idea(#kgen.idea<"vector loads", category = memory>)
      schedule(#kgen.schedule<family = pointwise, vec = 4>) ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %r = aten.relu %a : (tensor<8xf32>) -> tensor<8xf32>
    kgen.yield %r : tensor<8xf32>
  } : tensor<8xf32>
  // Neither idea nor schedule, and two results.
  // CHECK: kgen.dispatch @two ins(
  // CHECK: } : tensor<8xf32>, tensor<8xf32>
  %1:2 = kgen.dispatch @two ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %r = aten.exp %a : (tensor<8xf32>) -> tensor<8xf32>
    kgen.yield %r, %a : tensor<8xf32>, tensor<8xf32>
  } : tensor<8xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @launch
func.func @launch(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: kgen.launch @relu::@relu_main grid [1, 1, 1] block [8, 1, 1] shared 0
  // CHECK-SAME: ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) : tensor<8xf32>
  %1 = kgen.launch @relu::@relu_main grid [1, 1, 1] block [8, 1, 1] shared 0
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  // CHECK: kgen.launch @relu::@relu_main grid [2147483647, 65535, 65535] block [16, 1, 64] shared 232448 scalars [5 : i32, 7, 5.000000e-01 : f32] outs
  %2 = kgen.launch @relu::@relu_main grid [2147483647, 65535, 65535] block [16, 1, 64] shared 232448
      scalars [5 : i32, 7 : i64, 0.5 : f32] outs(%1 : tensor<8xf32>) : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Every family, category and kind of key; keys print in alphabetical order.
// CHECK-LABEL: module @attributes
// CHECK-SAME: t.s0 = #kgen.schedule<family = conv, dtype = fp16, im2col = raw_smem, mma = mma_sync, pipeline = cp_async, stages = 4, tile = [128, 96, 32]>
// CHECK-SAME: t.s1 = #kgen.schedule<family = generic>
module @attributes attributes {
  t.s0 = #kgen.schedule<family = conv, tile = [128, 96, 32], mma = mma_sync, dtype = "fp16", stages = 4, pipeline = cp_async, im2col = raw_smem>,
  t.s1 = #kgen.schedule<family = generic>,
  t.s2 = [#kgen.schedule<family = pool>, #kgen.schedule<family = row>, #kgen.schedule<family = gemm>,
        #kgen.schedule<family = attention>, #kgen.schedule<family = scan>],
  t.i = [#kgen.idea<"a", category = memory>, #kgen.idea<"b", category = async>, #kgen.idea<"c", category = dtype>,
       #kgen.idea<"d", category = compute>, #kgen.idea<"e", category = parallel>, #kgen.idea<"f", category = control>]
} {}
