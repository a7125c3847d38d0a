// What a step writes of a cache is one position of the argument's own memory: a thread for each element there, and none that reads or
// writes the rest. The plan says which argument a result is.
// RUN: split-file %s %t
// RUN: kgen-opt %t/step.mlir --kgen-lower -o %t/lowered && kgen-translate --kgen-to-cuda %t/lowered | FileCheck %s
// RUN: kgen-translate --kgen-to-plan %t/lowered | FileCheck %s --check-prefix=PLAN
// CHECK: 1x8x2048x64xf32 from 1xi64, 1x8x1x64xf32; in place, one thread per element put
// CHECK: kOutputs = 512;
// CHECK: const float t1 = in1[d0 * 64 + d2];
// CHECK: if (t4 < 0 || t4 >= 2048)
// CHECK-NEXT: return;
// CHECK-NEXT: const int p2 = (int)t4;
// CHECK-NEXT: out0[(d0 * 2048 + p2) * 64 + d2] = t1;
// CHECK: in place, one thread per element put
// CHECK: out0[(p0 * 16 + p1) * 8 + d2] = t
// PLAN: "name": "cache"{{.*}} "read_bytes": 0}
// PLAN: "name": "table"{{.*}}"shape": [4, 16, 8], "init": "normal(0, 1)"}
// PLAN: "out0", "dtype": "f32", "shape": [1, 8, 2048, 64], "updates": 0}
// PLAN: "out1", "dtype": "f16", "shape": [4, 16, 8], "updates": 3}
// PLAN: "args": [{"buffer": "in1"}, {"buffer": "in2"}, {"buffer": "out0"}]}
// PLAN: {"buffer": "out1"}]}
// PLAN: {"buffer": "out1"}

// What is lowered stays as it is.
// RUN: kgen-opt %t/lowered --kgen-lower | diff - %t/lowered

// For who computes right answers, every result has memory of its own.
// RUN: kgen-opt %t/step.mlir --kgen-lower=separate-results | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=SEPARATE --implicit-check-not=updates
// SEPARATE: "out0"
// RUN: kgen-opt %t/task.mlir --kgen-convert-aten-to-linalg --kgen-lower=separate-results | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=SEPARATE --implicit-check-not=updates
// RUN: kgen-opt %t/task.mlir --kgen-convert-aten-to-linalg --kgen-lower | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=TASK
// TASK: "updates": 0

// Another result that is the same elements is the copy, whichever comes first.
// RUN: kgen-opt %t/view.mlir --kgen-lower | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=VIEW
// VIEW: "out0"{{.*}}"shape": [8, 8]}
// VIEW: "out1"{{.*}}"shape": [16, 4], "updates": 0}
// VIEW: "kernel": "view_0_index_put"
// VIEW-NEXT: {"buffer": "out1"}]}
// VIEW: "kernel": "view_1_copy"
// VIEW-NEXT: "args": [{"buffer": "out1"}, {"buffer": "out0"}]}

// The argument's old value is read elsewhere, several positions are written, values are added, or nobody says that it is one's new value.
// RUN: kgen-opt %t/others.mlir --kgen-lower -split-input-file | FileCheck %s --check-prefix=OTHERS --implicit-check-not=kgen.updates --implicit-check-not="in place"
// OTHERS-COUNT-4: func.func @
// RUN: not kgen-opt %t/wrong.mlir --kgen-lower 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: wrong.mlir:1:1: error: result 0 has kgen.updates, expected an index_put of one position into that argument, which nothing else reads

//--- step.mlir
func.func @step(%cache: tensor<1x8x2048x64xf32> {kgen.name = "cache"}, %at: tensor<1xi64> {kgen.init = "integer(0, 2047)"}, %row: tensor<1x8x1x64xf32>,
    %table: tensor<4x16x8xf16> {kgen.name = "table"}, %i: tensor<i64> {kgen.init = "integer(0, 3)"}, %j: tensor<1xi32> {kgen.init = "integer(0, 15)"}, %v: tensor<8xf16>)
    -> (tensor<1x8x2048x64xf32> {kgen.mutates = "cache"}, tensor<4x16x8xf16> {kgen.mutates = "table"}, tensor<4x16xf16>) {
  %0 = aten.index_put %cache, %at values %row dims [2] : (tensor<1x8x2048x64xf32>, tensor<1xi64>, tensor<1x8x1x64xf32>) -> tensor<1x8x2048x64xf32>
  %e = aten.exp %v : (tensor<8xf16>) -> tensor<8xf16>
  %1 = aten.index_put %table, %i, %j values %e dims [0, 1] : (tensor<4x16x8xf16>, tensor<i64>, tensor<1xi32>, tensor<8xf16>) -> tensor<4x16x8xf16>
  %2 = aten.sum.dim_IntList %1 dim [2] : (tensor<4x16x8xf16>) -> tensor<4x16xf16>
  return %0, %1, %2 : tensor<1x8x2048x64xf32>, tensor<4x16x8xf16>, tensor<4x16xf16>
}

//--- task.mlir
func.func @task(%c: tensor<16x4xf32>, %i: tensor<1xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<1x4xf32>) -> (tensor<16x4xf32> {kgen.updates = 0 : i64}) {
  %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

//--- view.mlir
func.func @view(%c: tensor<16x4xf32> {kgen.name = "c"}, %i: tensor<1xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<1x4xf32>) -> (tensor<8x8xf32>, tensor<16x4xf32> {kgen.mutates = "c"}) {
  %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
  %1 = aten.view %0 size [8, 8] : (tensor<16x4xf32>) -> tensor<8x8xf32>
  return %1, %0 : tensor<8x8xf32>, tensor<16x4xf32>
}

//--- others.mlir
func.func @read(%c: tensor<16x4xf32> {kgen.name = "c"}, %i: tensor<1xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<1x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32> {kgen.mutates = "c"}) {
  %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
  %1 = aten.exp %c : (tensor<16x4xf32>) -> tensor<16x4xf32>
  return %1, %0 : tensor<16x4xf32>, tensor<16x4xf32>
}
// -----
func.func @several(%c: tensor<16x4xf32> {kgen.name = "c"}, %i: tensor<3xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<3x4xf32>) -> (tensor<16x4xf32> {kgen.mutates = "c"}) {
  %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}
// -----
func.func @added(%c: tensor<16x4xf32> {kgen.name = "c"}, %i: tensor<1xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<1x4xf32>) -> (tensor<16x4xf32> {kgen.mutates = "c"}) {
  %0 = aten.index_put %c, %i values %v dims [0] accumulate true : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}
// -----
func.func @plain(%c: tensor<16x4xf32>, %i: tensor<1xi64> {kgen.init = "integer(0, 15)"}, %v: tensor<1x4xf32>) -> tensor<16x4xf32> {
  %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

//--- wrong.mlir
func.func @wrong(%c: tensor<16x4xf32>) -> (tensor<16x4xf32> {kgen.updates = 0 : i64}) {
  %0 = aten.relu %c : (tensor<16x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}
