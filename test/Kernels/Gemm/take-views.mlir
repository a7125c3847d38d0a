// RUN: kgen-opt %s -kgen-take-product-views -split-input-file | FileCheck %s
// RUN: kgen-opt %s -kgen-take-product-views -kgen-lower-dispatches -split-input-file | FileCheck %s --check-prefix=TEXT

// A sequence of 64 rows of 8 heads with 64 channels each: for each head a left operand across k, 512 elements from row to row.
// CHECK-LABEL: func.func @states(
// CHECK-NOT: aten.permute
// CHECK: kgen.dispatch @bmm {{.*}} ins(%arg0, %arg1 : tensor<4x64x8x64xf32>, tensor<32x64x16xf32>)
// CHECK: aten.permute
// CHECK: aten.view
// CHECK: aten.bmm
// TEXT-LABEL: kgen.source @bmm
// TEXT-SAME: A_STRIDE = 512;
// TEXT-SAME: A_ALIGNED = 64;
// TEXT-SAME: B_STRIDE = 16;
// TEXT-SAME: a += (long long)batch / 8 * 32768 + (long long)batch % 8 * 64;\0A
// TEXT-SAME: b += (long long)(BATCHES_OF_B == 1 ? 0 : batch) * K * N;\0A
func.func @states(%x: tensor<4x64x8x64xf32>, %y: tensor<32x64x16xf32>) -> tensor<32x64x16xf32> {
  %0 = aten.permute %x dims [0, 2, 3, 1] : (tensor<4x64x8x64xf32>) -> tensor<4x8x64x64xf32>
  %1 = aten.view %0 size [32, 64, 64] : (tensor<4x8x64x64xf32>) -> tensor<32x64x64xf32>
  %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm, mma = none>) ins(%1, %y : tensor<32x64x64xf32>, tensor<32x64x16xf32>) {
  ^bb0(%a: tensor<32x64x64xf32>, %b: tensor<32x64x16xf32>):
    %m = aten.bmm %a, %b : (tensor<32x64x64xf32>, tensor<32x64x16xf32>) -> tensor<32x64x16xf32>
    kgen.yield %m : tensor<32x64x16xf32>
  } : tensor<32x64x16xf32>
  return %2 : tensor<32x64x16xf32>
}

// -----

// Rows of 9 elements allow no load of 16 bytes: they are copied.
// CHECK-LABEL: func.func @narrow(
// CHECK: aten.permute %arg0
// CHECK: kgen.dispatch
// TEXT-LABEL: kgen.source @bmm
// TEXT-NOT: A_STRIDE
func.func @narrow(%x: tensor<4x20x8x9xf32>, %y: tensor<32x9x16xf32>) -> tensor<32x20x16xf32> {
  %0 = aten.permute %x dims [0, 2, 1, 3] : (tensor<4x20x8x9xf32>) -> tensor<4x8x20x9xf32>
  %1 = aten.view %0 size [32, 20, 9] : (tensor<4x8x20x9xf32>) -> tensor<32x20x9xf32>
  %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm, mma = none>) ins(%1, %y : tensor<32x20x9xf32>, tensor<32x9x16xf32>) {
  ^bb0(%a: tensor<32x20x9xf32>, %b: tensor<32x9x16xf32>):
    %m = aten.bmm %a, %b : (tensor<32x20x9xf32>, tensor<32x9x16xf32>) -> tensor<32x20x16xf32>
    kgen.yield %m : tensor<32x20x16xf32>
  } : tensor<32x20x16xf32>
  return %2 : tensor<32x20x16xf32>
}

// -----

// So are rows of 16 bytes, of which a sector of memory has two.
// CHECK-LABEL: func.func @short(
// CHECK: aten.permute %arg0
// CHECK: kgen.dispatch
func.func @short(%x: tensor<4x20x8x4xf32>, %y: tensor<32x4x16xf32>) -> tensor<32x20x16xf32> {
  %0 = aten.permute %x dims [0, 2, 1, 3] : (tensor<4x20x8x4xf32>) -> tensor<4x8x20x4xf32>
  %1 = aten.view %0 size [32, 20, 4] : (tensor<4x8x20x4xf32>) -> tensor<32x20x4xf32>
  %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm, mma = none>) ins(%1, %y : tensor<32x20x4xf32>, tensor<32x4x16xf32>) {
  ^bb0(%a: tensor<32x20x4xf32>, %b: tensor<32x4x16xf32>):
    %m = aten.bmm %a, %b : (tensor<32x20x4xf32>, tensor<32x4x16xf32>) -> tensor<32x20x16xf32>
    kgen.yield %m : tensor<32x20x16xf32>
  } : tensor<32x20x16xf32>
  return %2 : tensor<32x20x16xf32>
}

// -----

// A kernel on warpgroups copies tiles of matrices that follow each other: its schedule stays, and so does the permutation.
// CHECK-LABEL: func.func @warpgroups(
// CHECK: aten.permute %arg0
// CHECK: kgen.dispatch {{.*}}wgmma
func.func @warpgroups(%x: tensor<2x128x4x64xf16>, %y: tensor<8x64x128xf16>) -> tensor<8x128x128xf16> {
  %0 = aten.permute %x dims [0, 2, 1, 3] : (tensor<2x128x4x64xf16>) -> tensor<2x4x128x64xf16>
  %1 = aten.view %0 size [8, 128, 64] : (tensor<2x4x128x64xf16>) -> tensor<8x128x64xf16>
  %2 = kgen.dispatch @bmm schedule(#kgen.schedule<family = gemm, mma = wgmma>) ins(%1, %y : tensor<8x128x64xf16>, tensor<8x64x128xf16>) {
  ^bb0(%a: tensor<8x128x64xf16>, %b: tensor<8x64x128xf16>):
    %m = aten.bmm %a, %b : (tensor<8x128x64xf16>, tensor<8x64x128xf16>) -> tensor<8x128x128xf16>
    kgen.yield %m : tensor<8x128x128xf16>
  } : tensor<8x128x128xf16>
  return %2 : tensor<8x128x128xf16>
}

// -----

// Half of k of each matrix, of weights that somebody else reads whole.
// CHECK-LABEL: func.func @part(
// CHECK: %[[S:.*]] = aten.slice.Tensor %arg1
// CHECK: kgen.dispatch @mm {{.*}} ins(%arg0, %arg1 :
// CHECK: return %{{.*}}, %[[S]]
// TEXT-LABEL: kgen.source @mm
// TEXT-SAME: B_STRIDE = 64;
// TEXT-SAME: b += 32;
func.func @part(%x: tensor<16x32xf32>, %w: tensor<24x64xf32>) -> (tensor<16x24xf32>, tensor<24x32xf32>) {
  %0 = aten.slice.Tensor %w dim 1 start 32 end 64 : (tensor<24x64xf32>) -> tensor<24x32xf32>
  %1 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, mma = none>) ins(%x, %0 : tensor<16x32xf32>, tensor<24x32xf32>) {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<24x32xf32>):
    %m = aten.linear %a, %b : (tensor<16x32xf32>, tensor<24x32xf32>) -> tensor<16x24xf32>
    kgen.yield %m : tensor<16x24xf32>
  } : tensor<16x24xf32>
  return %1, %0 : tensor<16x24xf32>, tensor<24x32xf32>
}
