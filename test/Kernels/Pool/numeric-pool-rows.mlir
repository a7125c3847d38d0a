// Windows along one dimension whose rows pass through shared memory, against the fp64 oracle on the host: strides and dilations with and without
// a common divisor, rows that begin between two packs of 16 bytes, paddings, both counts of an average, 16-bit elements, ops in front and
// behind, rows shorter than a stretch.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && kgen-opt rows.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt rows.mlir -kgen-lower-dispatches=assert-sizes -o lowered.mlir && kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: FileCheck %s --check-prefix=PLAN --implicit-check-not=_windows < c/plan.json
// PLAN: "kernel": "dilated_rows", "grid": [12, 1, 1], "block": [96, 1, 1]
// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// One wrong index is seen, and elements of a neighbouring row that count.
// RUN: mkdir skip apart first begin neighbour && for d in skip apart first begin neighbour; do cp c/plan.json $d/; done
// RUN: sed 's/held\[skip + mine/held[mine/' c/kernel.cu > skip/kernel.cu
// RUN: not kgen-eval skip --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/held\[mine + i \* kApart\] = /held[mine + i * kApart + (i == 3)] = /' c/kernel.cu > apart/kernel.cu
// RUN: not kgen-eval apart --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/x = x0 + at; x >= 0/x = x0 + at; x > 0/' c/kernel.cu > first/kernel.cu
// RUN: not kgen-eval first --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/value\[i\] = held\[skip + mine \* kStrideX/value[i] = held[skip + mine/' c/kernel.cu > begin/kernel.cu
// RUN: not kgen-eval begin --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/\*value\[j\] = x + lane + j >= 0 && x + lane + j < kInputX/*value[j] = x + lane + j >= 0 \&\& x + lane + j <= kInputX/' c/kernel.cu > neighbour/kernel.cu
// RUN: not kgen-eval neighbour --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict {{WRONG|RACE}}

//--- rows.mlir
module {
func.func @rows(%x0: tensor<2x3x1234xf32>, %x1: tensor<3x1031xf32>, %x2: tensor<5x1x2063xf32>, %x3: tensor<2x2x1333xf16>, %x4: tensor<3x1400xbf16>, %x5: tensor<7x61xf32>, %x6: tensor<2x900xf32>)
    -> (tensor<2x3x1221xf32>, tensor<3x1032xf32>, tensor<5x1x1032xf32>, tensor<2x2x660xf16>, tensor<3x1398xbf16>, tensor<7x20xf32>, tensor<2x446xf32>) {
  %r0 = kgen.dispatch @dilated schedule(#kgen.schedule<family = pool>) ins(%x0 : tensor<2x3x1234xf32>) {
  ^bb0(%a: tensor<2x3x1234xf32>):
    %y = aten.max_pool1d %a kernel [8] stride [1] padding [4] dilation [3] : (tensor<2x3x1234xf32>) -> tensor<2x3x1221xf32>
    kgen.yield %y : tensor<2x3x1221xf32>
  } : tensor<2x3x1221xf32>
  %r1 = kgen.dispatch @average schedule(#kgen.schedule<family = pool>) ins(%x1 : tensor<3x1031xf32>) {
  ^bb0(%a: tensor<3x1031xf32>):
    %y = aten.avg_pool1d %a kernel [8] stride [1] padding [4] : (tensor<3x1031xf32>) -> tensor<3x1032xf32>
    %z = aten.relu %y : (tensor<3x1032xf32>) -> tensor<3x1032xf32>
    kgen.yield %z : tensor<3x1032xf32>
  } : tensor<3x1032xf32>
  %r2 = kgen.dispatch @inside schedule(#kgen.schedule<family = pool>) ins(%x2 : tensor<5x1x2063xf32>) {
  ^bb0(%a: tensor<5x1x2063xf32>):
    %b = aten.neg %a : (tensor<5x1x2063xf32>) -> tensor<5x1x2063xf32>
    %y = aten.avg_pool1d %b kernel [5] stride [2] padding [2] count_include_pad false : (tensor<5x1x2063xf32>) -> tensor<5x1x1032xf32>
    kgen.yield %y : tensor<5x1x1032xf32>
  } : tensor<5x1x1032xf32>
  %r3 = kgen.dispatch @half schedule(#kgen.schedule<family = pool>) ins(%x3 : tensor<2x2x1333xf16>) {
  ^bb0(%a: tensor<2x2x1333xf16>):
    %y = aten.max_pool1d %a kernel [6] stride [2] padding [3] dilation [4] : (tensor<2x2x1333xf16>) -> tensor<2x2x660xf16>
    %z = aten.neg %y : (tensor<2x2x660xf16>) -> tensor<2x2x660xf16>
    kgen.yield %z : tensor<2x2x660xf16>
  } : tensor<2x2x660xf16>
  %r4 = kgen.dispatch @brain schedule(#kgen.schedule<family = pool, coarsen = 4, block = 128>) ins(%x4 : tensor<3x1400xbf16>) {
  ^bb0(%a: tensor<3x1400xbf16>):
    %y = aten.avg_pool1d %a kernel [3] stride [1] : (tensor<3x1400xbf16>) -> tensor<3x1398xbf16>
    kgen.yield %y : tensor<3x1398xbf16>
  } : tensor<3x1398xbf16>
  %r5 = kgen.dispatch @short schedule(#kgen.schedule<family = pool, resident = smem>) ins(%x5 : tensor<7x61xf32>) {
  ^bb0(%a: tensor<7x61xf32>):
    %y = aten.max_pool1d %a kernel [4] stride [3] padding [1] : (tensor<7x61xf32>) -> tensor<7x20xf32>
    kgen.yield %y : tensor<7x20xf32>
  } : tensor<7x20xf32>
  %r6 = kgen.dispatch @apart5 schedule(#kgen.schedule<family = pool, resident = smem>) ins(%x6 : tensor<2x900xf32>) {
  ^bb0(%a: tensor<2x900xf32>):
    %b = aten.relu %a : (tensor<2x900xf32>) -> tensor<2x900xf32>
    %y = aten.max_pool1d %b kernel [3] stride [2] padding [1] dilation [5] : (tensor<2x900xf32>) -> tensor<2x446xf32>
    kgen.yield %y : tensor<2x446xf32>
  } : tensor<2x446xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<2x3x1221xf32>, tensor<3x1032xf32>, tensor<5x1x1032xf32>, tensor<2x2x660xf16>, tensor<3x1398xbf16>, tensor<7x20xf32>, tensor<2x446xf32>
}
}
