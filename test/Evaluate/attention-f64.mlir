// The kernel that answers for attention in fp64 on a card, run on the host: it agrees with the CPU's oracle to the
// last digits, not merely within a tolerance.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s --kgen-promote-f64 -o %t/graph.mlir
// RUN: kgen-opt %t/graph.mlir --kgen-lower -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// CHECK: error declared#0: {{[0-9.]+e-1[0-9]}}
// CHECK: error integer#0: {{[0-9.]+e-1[0-9]}}
// CHECK-NOT: error {{[a-z]+}}#{{[0-9]}}: {{[0-9.]+}}e-0
// CHECK-NOT: ws0
func.func @attention(%q: tensor<2x130x24xf16>, %k: tensor<2x150x24xf16>, %v: tensor<2x150x24xf16>) -> tensor<2x130x24xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v is_causal true : (tensor<2x130x24xf16>, tensor<2x150x24xf16>, tensor<2x150x24xf16>) -> tensor<2x130x24xf16>
  return %0 : tensor<2x130x24xf16>
}
