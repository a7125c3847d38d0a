// Attention that nobody scheduled gets the kernel without a score matrix, in the element type of the graph, with a mask
// too.
// RUN: kgen-opt %s --kgen-lower | FileCheck %s
// RUN: kgen-opt %s --kgen-promote-f64 --kgen-lower | FileCheck %s --check-prefix=F64

// CHECK: kgen.source @scaled_dot_product_attention_0
// CHECK-SAME: using Element = __half;
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = attention, mma = none, reduce = online, tile = [64, 64]>
// CHECK-LABEL: func.func @plain
// CHECK-NOT: 4096x4096
// CHECK: kgen.launch @scaled_dot_product_attention_0::@scaled_dot_product_attention_0_attention
// CHECK-NOT: kgen.launch
// CHECK-LABEL: func.func @scheduled_generic
// CHECK: kgen.launch @scaled_dot_product_attention_1::@
// CHECK-NOT: kgen.launch
// CHECK-LABEL: func.func @masked
// CHECK: kgen.launch @scaled_dot_product_attention_2::@scaled_dot_product_attention_2_attention
// CHECK-NOT: kgen.launch
// F64: using Real = double;
// F64-LABEL: func.func @plain
// F64-NOT: 4096x4096
// F64: kgen.launch @scaled_dot_product_attention_0::@{{.*}}tensor<1x4096x128xf64>
func.func @plain(%q: tensor<1x4096x128xf16>, %k: tensor<1x4096x128xf16>, %v: tensor<1x4096x128xf16>) -> tensor<1x4096x128xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x4096x128xf16>, tensor<1x4096x128xf16>, tensor<1x4096x128xf16>) -> tensor<1x4096x128xf16>
  return %0 : tensor<1x4096x128xf16>
}
func.func @scheduled_generic(%q: tensor<2x64x16xf32>, %k: tensor<2x64x16xf32>, %v: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %0 = kgen.dispatch @loose ins(%q, %k, %v : tensor<2x64x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xf32>) {
  ^bb0(%a: tensor<2x64x16xf32>, %b: tensor<2x64x16xf32>, %c: tensor<2x64x16xf32>):
    %r = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x64x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
    kgen.yield %r : tensor<2x64x16xf32>
  } : tensor<2x64x16xf32>
  return %0 : tensor<2x64x16xf32>
}
func.func @masked(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %m: tensor<8x8xi1>) -> tensor<2x8x4xf32> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v attn_mask %m : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<8x8xi1>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// Attention that a graph spells out is one, but where its own types round the scores.
// CHECK-LABEL: func.func @spelled
// CHECK-NOT: 4096x4096
// CHECK: kgen.launch @scaled_dot_product_attention_{{[0-9]}}::@{{.*}}_attention
// CHECK-NOT: kgen.launch
// CHECK-LABEL: func.func @rounded
// CHECK: 4096x4096xf16
// F64-LABEL: func.func @rounded
// F64-NOT: 4096x4096
func.func @spelled(%q: tensor<1x4096x128xf32>, %k: tensor<1x128x4096xf32>, %v: tensor<1x4096x128xf32>) -> tensor<1x4096x128xf32> {
  %0 = aten.bmm %q, %k : (tensor<1x4096x128xf32>, tensor<1x128x4096xf32>) -> tensor<1x4096x4096xf32>
  %1 = aten.softmax.int %0 dim -1 : (tensor<1x4096x4096xf32>) -> tensor<1x4096x4096xf32>
  %2 = aten.bmm %1, %v : (tensor<1x4096x4096xf32>, tensor<1x4096x128xf32>) -> tensor<1x4096x128xf32>
  return %2 : tensor<1x4096x128xf32>
}
func.func @rounded(%q: tensor<1x4096x128xf16>, %k: tensor<1x128x4096xf16>, %v: tensor<1x4096x128xf16>) -> tensor<1x4096x128xf16> {
  %0 = aten.bmm %q, %k : (tensor<1x4096x128xf16>, tensor<1x128x4096xf16>) -> tensor<1x4096x4096xf16>
  %1 = aten.softmax.int %0 dim -1 : (tensor<1x4096x4096xf16>) -> tensor<1x4096x4096xf16>
  %2 = aten.bmm %1, %v : (tensor<1x4096x4096xf16>, tensor<1x4096x128xf16>) -> tensor<1x4096x128xf16>
  return %2 : tensor<1x4096x128xf16>
}
