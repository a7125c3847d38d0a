// Scans from the end of a row, of what stands before each element, and of what a mask leaves: one kernel each, that moves nothing first.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-form-dispatches -o %t/dispatches.mlir
// RUN: kgen-opt %t/dispatches.mlir -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %t/dispatches.mlir -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: grep -c 'kgen.launch' %t/lowered.mlir | FileCheck %s --check-prefix=LAUNCHES
// LAUNCHES: {{^14$}}
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// One place further is seen, in results that pass through shared memory and in those that do not.
// RUN: mkdir %t/one %t/two && cp %t/c/plan.json %t/one && cp %t/c/plan.json %t/two
// RUN: sed 's/&runs\[warp\]\[lead + pack/\&runs[warp][pack/' %t/c/kernel.cu > %t/one/kernel.cu
// RUN: not kgen-eval %t/one --graph %t/graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/combine(prefix, value\[i\]\[j - 1\])/combine(prefix, value[i][j])/' %t/c/kernel.cu > %t/two/kernel.cu
// RUN: not kgen-eval %t/two --graph %t/graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

module {
func.func @scans(%a: tensor<3x9000xf32>, %b: tensor<4x1031xf16>, %c: tensor<2x150x7xf32>, %d: tensor<6x4096xf32>,
    %mask: tensor<6x4096xi1>, %e: tensor<5x600xf32> {kgen.init = "uniform(0.99, 1.01)"}, %f: tensor<4x40xbf16> {kgen.init = "uniform(0.9, 1.1)"}, %g: tensor<9x520xf16>, %long: tensor<2x20000xf16>)
    -> (tensor<3x9000xf32>, tensor<4x1031xf16>, tensor<2x150x7xf32>, tensor<3x9000xf32>, tensor<3x9000xf32>, tensor<3x9000xf32>,
        tensor<2x9001xf32>, tensor<6x4096xf32>, tensor<5x601xf32>, tensor<4x40xbf16>, tensor<9x521xf16>, tensor<2x151x7xf32>, tensor<9x520xf16>, tensor<2x20001xf16>) {
  // Both ways, from the end.
  %f0 = aten.flip %a dims [1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %s0 = aten.cumsum %f0 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %r0 = aten.flip %s0 dims [-1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %f1 = aten.flip %b dims [1] : (tensor<4x1031xf16>) -> tensor<4x1031xf16>
  %s1 = aten.cumsum %f1 dim 1 : (tensor<4x1031xf16>) -> tensor<4x1031xf16>
  %r1 = aten.flip %s1 dims [1] : (tensor<4x1031xf16>) -> tensor<4x1031xf16>
  // Across rows, and read alone.
  %f2 = aten.flip %c dims [1] : (tensor<2x150x7xf32>) -> tensor<2x150x7xf32>
  %r2 = aten.cumsum %f2 dim 1 : (tensor<2x150x7xf32>) -> tensor<2x150x7xf32>
  // Written alone, with ops on both sides.
  %n3 = aten.neg %a : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %s3 = aten.cumsum %n3 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %f3 = aten.flip %s3 dims [1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %r3 = aten.add.Tensor %f3, %a : (tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xf32>
  // Before each element, as many as there are.
  %z4 = aten.full size [3, 1] fill_value 0.0 dtype f32 : () -> tensor<3x1xf32>
  %c4 = aten.cat %z4, %a dim 1 : (tensor<3x1xf32>, tensor<3x9000xf32>) -> tensor<3x9001xf32>
  %v4 = aten.slice.Tensor %c4 dim 1 start 0 end -1 : (tensor<3x9001xf32>) -> tensor<3x9000xf32>
  %r4 = aten.cumsum %v4 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  // The same by a pad, from the end.
  %f5 = aten.flip %a dims [1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %p5 = aten.constant_pad_nd %f5 pad [1, -1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %s5 = aten.cumsum %p5 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %r5 = aten.flip %s5 dims [1] : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  // One more than there are, of fewer rows.
  %z6 = aten.full size [3, 1] fill_value 0.0 dtype f32 : () -> tensor<3x1xf32>
  %c6 = aten.cat %z6, %a dim 1 : (tensor<3x1xf32>, tensor<3x9000xf32>) -> tensor<3x9001xf32>
  %v6 = aten.slice.Tensor %c6 end -1 : (tensor<3x9001xf32>) -> tensor<2x9001xf32>
  %r6 = aten.cumsum %v6 dim 1 : (tensor<2x9001xf32>) -> tensor<2x9001xf32>
  // What a mask leaves.
  %m7 = aten._to_copy %mask dtype f32 : (tensor<6x4096xi1>) -> tensor<6x4096xf32>
  %x7 = aten.mul.Tensor %d, %m7 : (tensor<6x4096xf32>, tensor<6x4096xf32>) -> tensor<6x4096xf32>
  %r7 = aten.cumsum %x7 dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
  // Products, one more than there are.
  %z8 = aten.full size [5, 1] fill_value 1.0 dtype f32 : () -> tensor<5x1xf32>
  %c8 = aten.cat %z8, %e dim 1 : (tensor<5x1xf32>, tensor<5x600xf32>) -> tensor<5x601xf32>
  %r8 = aten.cumprod %c8 dim 1 : (tensor<5x601xf32>) -> tensor<5x601xf32>
  %f9 = aten.flip %f dims [-1] : (tensor<4x40xbf16>) -> tensor<4x40xbf16>
  %r9 = aten.cumprod %f9 dim 1 : (tensor<4x40xbf16>) -> tensor<4x40xbf16>
  %p10 = aten.constant_pad_nd %g pad [1, 0] : (tensor<9x520xf16>) -> tensor<9x521xf16>
  %r10 = aten.cumsum %p10 dim 1 : (tensor<9x521xf16>) -> tensor<9x521xf16>
  %z11 = aten.full size [2, 1, 7] fill_value 0.0 dtype f32 : () -> tensor<2x1x7xf32>
  %c11 = aten.cat %z11, %c dim 1 : (tensor<2x1x7xf32>, tensor<2x150x7xf32>) -> tensor<2x151x7xf32>
  %r11 = aten.cumsum %c11 dim 1 : (tensor<2x151x7xf32>) -> tensor<2x151x7xf32>
  // Without views, beside them.
  %s12 = aten.cumsum %g dim 1 : (tensor<9x520xf16>) -> tensor<9x520xf16>
  // Long rows of 16 bits hold fewer packs a step.
  %p13 = aten.constant_pad_nd %long pad [1, 0] : (tensor<2x20000xf16>) -> tensor<2x20001xf16>
  %r13 = aten.cumsum %p13 dim 1 : (tensor<2x20001xf16>) -> tensor<2x20001xf16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %s12, %r13 : tensor<3x9000xf32>, tensor<4x1031xf16>, tensor<2x150x7xf32>, tensor<3x9000xf32>, tensor<3x9000xf32>, tensor<3x9000xf32>, tensor<2x9001xf32>, tensor<6x4096xf32>, tensor<5x601xf32>, tensor<4x40xbf16>, tensor<9x521xf16>, tensor<2x151x7xf32>, tensor<9x520xf16>, tensor<2x20001xf16>
}
}
