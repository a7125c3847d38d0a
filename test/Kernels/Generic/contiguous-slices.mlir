// A slice that is one piece of memory is a pointer into it, so that the steps of a layer have one kernel.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s --kgen-lower=contiguous-slices --kgen-merge-sources -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file %t/lowered.mlir
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t/c/plan.json
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-eval %t/c --graph %s --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// RUN: kgen-opt %s --kgen-lower --kgen-merge-sources | FileCheck %s --check-prefix=OTHERWISE

// Rows begin at multiples of 256 bytes; a column, and half of a row, are read where they lie.
// IR-COUNT-3: kgen.source
// IR-NOT: kgen.source
// IR: kgen.launch @steps_0_tanh::@steps_0_tanh
// IR: kgen.launch @steps_0_tanh::@steps_0_tanh
// PLAN: "kernel": "steps_0_tanh"
// PLAN-NEXT: {"buffer": "in0", "offset": 256}
// PLAN: "kernel": "steps_0_tanh"
// PLAN-NEXT: {"buffer": "in0", "offset": 512}
// PLAN: "kernel": "steps_{{[0-9]}}_tanh"
// PLAN-NEXT: {"buffer": "in0"}
// PLAN: "kernel": "steps_{{[0-9]}}_tanh"
// PLAN-NEXT: {"buffer": "in0", "offset": 768}

// Each kernel has its offset otherwise.
// OTHERWISE-COUNT-4: kgen.source
func.func @steps(%x: tensor<4x64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<4xf32>, tensor<32xf32>) {
  %0 = aten.select.int %x dim 0 index 1 : (tensor<4x64xf32>) -> tensor<64xf32>
  %1 = aten.tanh %0 : (tensor<64xf32>) -> tensor<64xf32>
  %2 = aten.select.int %x dim 0 index 2 : (tensor<4x64xf32>) -> tensor<64xf32>
  %3 = aten.tanh %2 : (tensor<64xf32>) -> tensor<64xf32>
  %4 = aten.select.int %x dim 1 index 3 : (tensor<4x64xf32>) -> tensor<4xf32>
  %5 = aten.tanh %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = aten.select.int %x dim 0 index 3 : (tensor<4x64xf32>) -> tensor<64xf32>
  %7 = aten.narrow %6 dim 0 start 32 length 32 : (tensor<64xf32>) -> tensor<32xf32>
  %8 = aten.tanh %7 : (tensor<32xf32>) -> tensor<32xf32>
  return %1, %3, %5, %8 : tensor<64xf32>, tensor<64xf32>, tensor<4xf32>, tensor<32xf32>
}
