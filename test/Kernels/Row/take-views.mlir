// RUN: kgen-opt %s -kgen-take-row-views -split-input-file | FileCheck %s
// RUN: kgen-opt %s -kgen-take-row-views -kgen-lower-dispatches -split-input-file | FileCheck %s --check-prefix=TEXT

// Heads of keys between queries and values: 128 rows of 4096 numbers, of which eight times 128 from 2048 on.
// CHECK-LABEL: func.func @heads(
// CHECK-NOT: aten.slice
// CHECK: kgen.dispatch @mean {{.*}} ins(%arg0 : tensor<1x128x4096xbf16>)
// CHECK: aten.slice.Tensor
// CHECK: aten.view
// CHECK: aten.mean.dim
// TEXT-LABEL: kgen.source @mean
// TEXT-SAME: offset_of_in0(long long row, int column) {\0A  return row / 8 * 4096 + row % 8 * 128 + 2048 + column;
// TEXT-SAME: load_pack(operands.in0 + offset_of_in0(row, column))
// TEXT-SAME: vec = 8
func.func @heads(%x: tensor<1x128x4096xbf16>) -> tensor<1x128x8x128xbf16> {
  %0 = aten.slice.Tensor %x dim 2 start 2048 end 3072 : (tensor<1x128x4096xbf16>) -> tensor<1x128x1024xbf16>
  %1 = aten.view %0 size [1, 128, 8, 128] : (tensor<1x128x1024xbf16>) -> tensor<1x128x8x128xbf16>
  %2 = kgen.dispatch @mean schedule(#kgen.schedule<family = row>) ins(%1 : tensor<1x128x8x128xbf16>) {
  ^bb0(%a: tensor<1x128x8x128xbf16>):
    %m = aten.mean.dim %a dim [-1] keepdim true : (tensor<1x128x8x128xbf16>) -> tensor<1x128x8x1xbf16>
    %s = aten.mul.Tensor %a, %m : (tensor<1x128x8x128xbf16>, tensor<1x128x8x1xbf16>) -> tensor<1x128x8x128xbf16>
    kgen.yield %s : tensor<1x128x8x128xbf16>
  } : tensor<1x128x8x128xbf16>
  return %2 : tensor<1x128x8x128xbf16>
}

// -----

// Who else reads a view still has it. A stride of 40 and a begin of 4 leave packs of four.
// CHECK-LABEL: func.func @read_twice(
// CHECK: %[[V:.*]] = aten.narrow %arg0
// CHECK: kgen.dispatch @softmax {{.*}} ins(%arg0 : tensor<6x40xf32>)
// CHECK: aten.narrow
// CHECK: return %{{.*}}, %[[V]]
// TEXT-LABEL: kgen.source @softmax
// TEXT-SAME: return row * 40 + 4 + column;
// TEXT-SAME: vec = 4
func.func @read_twice(%x: tensor<6x40xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>) {
  %0 = aten.narrow %x dim 1 start 4 length 32 : (tensor<6x40xf32>) -> tensor<6x32xf32>
  %1 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>) ins(%0 : tensor<6x32xf32>) {
  ^bb0(%a: tensor<6x32xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x32xf32>) -> tensor<6x32xf32>
    kgen.yield %s : tensor<6x32xf32>
  } : tensor<6x32xf32>
  return %1, %0 : tensor<6x32xf32>, tensor<6x32xf32>
}

// -----

// Rows of odd length are not peeled: where their packs would begin differs from where those of the results do.
// CHECK-LABEL: func.func @odd(
// CHECK: ins(%arg0 : tensor<6x4104xf32>)
// TEXT-LABEL: kgen.source @softmax
// TEXT-SAME: vec = 1
func.func @odd(%x: tensor<6x4104xf32>) -> tensor<6x4097xf32> {
  %0 = aten.narrow %x dim 1 start 4 length 4097 : (tensor<6x4104xf32>) -> tensor<6x4097xf32>
  %1 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>) ins(%0 : tensor<6x4097xf32>) {
  ^bb0(%a: tensor<6x4097xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x4097xf32>) -> tensor<6x4097xf32>
    kgen.yield %s : tensor<6x4097xf32>
  } : tensor<6x4097xf32>
  return %1 : tensor<6x4097xf32>
}

// -----

// The view next to the kernels leaves rows whole, the one in front of it does not.
// CHECK-LABEL: func.func @only_the_last(
// CHECK: %[[T:.*]] = aten.transpose.int %arg0
// CHECK: kgen.dispatch @softmax {{.*}} ins(%[[T]] : tensor<6x40xf32>)
func.func @only_the_last(%x: tensor<40x6xf32>) -> tensor<6x32xf32> {
  %t = aten.transpose.int %x dim0 0 dim1 1 : (tensor<40x6xf32>) -> tensor<6x40xf32>
  %0 = aten.narrow %t dim 1 start 4 length 32 : (tensor<6x40xf32>) -> tensor<6x32xf32>
  %1 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>) ins(%0 : tensor<6x32xf32>) {
  ^bb0(%a: tensor<6x32xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x32xf32>) -> tensor<6x32xf32>
    kgen.yield %s : tensor<6x32xf32>
  } : tensor<6x32xf32>
  return %1 : tensor<6x32xf32>
}

// -----

// What stays: a step of two, a ring, which copies whole rows, a number of packs that rows do not begin at, and a reshape alone.
// CHECK-LABEL: func.func @stay(
// CHECK: %[[A:.*]] = aten.slice.Tensor %arg0 dim 1 step 2
// CHECK: ins(%[[A]] :
// CHECK: %[[B:.*]] = aten.narrow %arg0 dim 1 start 4
// CHECK: ins(%[[B]] :
// CHECK: %[[C:.*]] = aten.narrow %arg0 dim 1 start 2
// CHECK: ins(%[[C]] :
// CHECK: %[[D:.*]] = aten.view
// CHECK: ins(%[[D]] :
func.func @stay(%x: tensor<6x8192xf32>) -> (tensor<6x4096xf32>, tensor<6x4096xf32>, tensor<6x4096xf32>, tensor<12x4096xf32>) {
  %0 = aten.slice.Tensor %x dim 1 step 2 : (tensor<6x8192xf32>) -> tensor<6x4096xf32>
  %1 = kgen.dispatch @step schedule(#kgen.schedule<family = row>) ins(%0 : tensor<6x4096xf32>) {
  ^bb0(%a: tensor<6x4096xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  %2 = aten.narrow %x dim 1 start 4 length 4096 : (tensor<6x8192xf32>) -> tensor<6x4096xf32>
  %3 = kgen.dispatch @ring schedule(#kgen.schedule<family = row, resident = cluster>) ins(%2 : tensor<6x4096xf32>) {
  ^bb0(%a: tensor<6x4096xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  %4 = aten.narrow %x dim 1 start 2 length 4096 : (tensor<6x8192xf32>) -> tensor<6x4096xf32>
  %5 = kgen.dispatch @packs schedule(#kgen.schedule<family = row, vec = 4>) ins(%4 : tensor<6x4096xf32>) {
  ^bb0(%a: tensor<6x4096xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  %6 = aten.view %x size [12, 4096] : (tensor<6x8192xf32>) -> tensor<12x4096xf32>
  %7 = kgen.dispatch @reshape schedule(#kgen.schedule<family = row>) ins(%6 : tensor<12x4096xf32>) {
  ^bb0(%a: tensor<12x4096xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<12x4096xf32>) -> tensor<12x4096xf32>
    kgen.yield %s : tensor<12x4096xf32>
  } : tensor<12x4096xf32>
  return %1, %3, %5, %7 : tensor<6x4096xf32>, tensor<6x4096xf32>, tensor<6x4096xf32>, tensor<12x4096xf32>
}
