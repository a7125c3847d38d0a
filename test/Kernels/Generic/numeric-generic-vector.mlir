// The generic path's packs of neighbouring outputs against the oracle: broadcasts, views, slices that begin off a pack's boundary, and indices.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s --kgen-lower -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %s --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// RUN: FileCheck %s --check-prefix=TEXT < %t/c/kernel.cu
// TEXT: aten.relu {{.*}}; one thread per 4 outputs.
// TEXT: const auto [[PACK:pack[0-9]+]] = *reinterpret_cast<const kgen_pack<float, kVector> *>(&in0[d0]);
// TEXT: kgen_maximum([[PACK]].lane[lane], 0.0f);
// TEXT: aten.sigmoid {{.*}}; one thread per 2 outputs.
// The slice begins three elements behind a boundary, so it is read element by element.
// TEXT: const int column = d1 + lane;
// TEXT: in1[d0 * 200 + column + 3]

module {
func.func @vectors(%a: tensor<128x132xf32>, %b: tensor<127x130xf32>, %row: tensor<132xf32>, %column: tensor<128x1xf32>, %t: tensor<132x128xf32>, %wide: tensor<128x200xf32>)
    -> (tensor<128x132xf32>, tensor<127x130xf32>, tensor<128x132xf32>, tensor<128x132xf32>, tensor<128x132xf32>, tensor<128x132xf32>) {
  %0 = aten.relu %a : (tensor<128x132xf32>) -> tensor<128x132xf32>
  %1 = aten.sigmoid %b : (tensor<127x130xf32>) -> tensor<127x130xf32>
  %2 = aten.add.Tensor %a, %row : (tensor<128x132xf32>, tensor<132xf32>) -> tensor<128x132xf32>
  %3 = aten.mul.Tensor %2, %column : (tensor<128x132xf32>, tensor<128x1xf32>) -> tensor<128x132xf32>
  %4 = aten.transpose.int %t dim0 0 dim1 1 : (tensor<132x128xf32>) -> tensor<128x132xf32>
  %5 = aten.add.Tensor %a, %4 : (tensor<128x132xf32>, tensor<128x132xf32>) -> tensor<128x132xf32>
  %7 = aten.slice.Tensor %wide dim 1 start 3 end 135 : (tensor<128x200xf32>) -> tensor<128x132xf32>
  %8 = aten.mul.Tensor %7, %a : (tensor<128x132xf32>, tensor<128x132xf32>) -> tensor<128x132xf32>
  %9 = aten.tril %a diagonal 1 : (tensor<128x132xf32>) -> tensor<128x132xf32>
  return %0, %1, %3, %5, %8, %9 : tensor<128x132xf32>, tensor<127x130xf32>, tensor<128x132xf32>, tensor<128x132xf32>, tensor<128x132xf32>, tensor<128x132xf32>
}
}
