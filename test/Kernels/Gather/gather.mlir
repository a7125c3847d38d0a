// A graph's embedding becomes a dispatch of family gather, with the ops behind it, by the first idea that applies.
// RUN: kgen-opt %s -split-input-file --llm-lower | FileCheck %s

// Threads share a row; its position is read once and taken inside the table.
// CHECK-LABEL: kgen.source @embedding_0
// CHECK-SAME: return within(operands.in1[row]);
// CHECK-SAME: return load_pack(operands.in0 + from * kColumns + column);
// CHECK-SAME: extern \22C\22 __global__ void __launch_bounds__(embedding_0::kThreads)\0A    embedding_0_rows(
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = gather
// CHECK-SAME: threads_per_row = {{[0-9]+}}, unroll = {{[0-9]+}}, vec = 4
// CHECK: kgen.launch @embedding_0::@embedding_0_rows
// CHECK-NOT: kgen.source
func.func @f(%w: tensor<1000x768xf32>, %i: tensor<8x128xi64> {kgen.init = "integer(0, 999)"},
             %p: tensor<128x768xf32>) -> tensor<8x128x768xf32> {
  %0 = aten.embedding %w, %i : (tensor<1000x768xf32>, tensor<8x128xi64>) -> tensor<8x128x768xf32>
  %1 = aten.add.Tensor %0, %p : (tensor<8x128x768xf32>, tensor<128x768xf32>) -> tensor<8x128x768xf32>
  return %1 : tensor<8x128x768xf32>
}

// -----

// Every element has a position; the other coordinates are the result's own, in a table that may be larger.
// CHECK-LABEL: kgen.source @gather_0
// CHECK-SAME: moved.lane[lane] = operands.in0[within(operands.in1[element]) * kInner + element / 180 * 1080 + element / 36 % 5 * 180 + element % 9];
// CHECK-SAME: gather_0_elements(
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = gather
func.func @f(%x: tensor<2x6x20x9xf32>, %i: tensor<2x5x4x9xi64> {kgen.init = "integer(0, 19)"}) -> tensor<2x5x4x9xf32> {
  %0 = aten.gather %x, %i dim 2 : (tensor<2x6x20x9xf32>, tensor<2x5x4x9xi64>) -> tensor<2x5x4x9xf32>
  return %0 : tensor<2x5x4x9xf32>
}
