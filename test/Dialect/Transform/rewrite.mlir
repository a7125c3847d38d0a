// What transform.kgen.rewrite makes of graphs, and where it leaves them alone.
// RUN: split-file %s %t
// RUN: kgen-opt %t/sum.mlir --kgen-apply-directives=script=%t/sum.script | FileCheck %t/sum.mlir
// RUN: kgen-opt %t/space.mlir --kgen-apply-directives=script=%t/sum.script | FileCheck %t/space.mlir
// RUN: kgen-opt %t/strided.mlir --kgen-apply-directives=script=%t/sum.script | FileCheck %t/strided.mlir
// RUN: kgen-opt %t/one.mlir --kgen-apply-directives=script=%t/sum.script | FileCheck %t/one.mlir
// RUN: kgen-opt %t/pool.mlir --kgen-apply-directives=script=%t/pool.script | FileCheck %t/pool.mlir
// RUN: kgen-opt %t/norm.mlir --kgen-apply-directives=script=%t/norm.script | FileCheck %t/norm.mlir
// RUN: kgen-opt %t/instance.mlir --kgen-apply-directives=script=%t/norm.script | FileCheck %t/instance.mlir
// RUN: not kgen-opt %t/kept-norm.mlir --kgen-apply-directives=script=%t/norm.script 2>&1 | FileCheck %t/norm.script
// RUN: kgen-opt %t/diagonal.mlir --kgen-apply-directives=script=%t/diagonal.script | FileCheck %t/diagonal.mlir
// RUN: not kgen-opt %t/shifted.mlir --kgen-apply-directives=script=%t/diagonal.script 2>&1 | FileCheck %t/diagonal.script
// RUN: kgen-opt %t/attention.mlir --kgen-apply-directives=script=%t/attention.script | FileCheck %t/attention.mlir
// RUN: kgen-opt %t/spelled.mlir --kgen-apply-directives=script=%t/attention.script | FileCheck %t/spelled.mlir
// RUN: kgen-opt %t/slice.mlir --kgen-apply-directives=script=%t/slice.script | FileCheck %t/slice.mlir
// RUN: not kgen-opt %t/kept-slice.mlir --kgen-apply-directives=script=%t/slice.script 2>&1 | FileCheck %t/slice.script
// RUN: not kgen-opt %t/dear-slice.mlir --kgen-apply-directives=script=%t/slice.script 2>&1 | FileCheck %t/slice.script
// RUN: not kgen-opt %t/returned-part.mlir --kgen-apply-directives=script=%t/slice.script 2>&1 | FileCheck %t/slice.script
// RUN: kgen-opt %t/factor.mlir --kgen-apply-directives=script=%t/factor.script | FileCheck %t/factor.mlir
// RUN: not kgen-opt %t/weight.mlir --kgen-apply-directives=script=%t/factor.script 2>&1 | FileCheck %t/factor.script
// RUN: not kgen-opt %t/row-factor.mlir --kgen-apply-directives=script=%t/factor.script 2>&1 | FileCheck %t/factor.script
// RUN: kgen-opt %t/deep.mlir --kgen-apply-directives=script=%t/split.script | FileCheck %t/deep.mlir
// RUN: kgen-opt %t/deep-half.mlir --kgen-apply-directives=script=%t/split.script | FileCheck %t/deep-half.mlir
// RUN: not kgen-opt %t/shallow.mlir --kgen-apply-directives=script=%t/split.script 2>&1 | FileCheck %t/split.script
// RUN: kgen-opt %t/sum.mlir --kgen-apply-directives=script=%t/then.script | FileCheck %t/then.script
// RUN: not kgen-opt %t/as-many.mlir --kgen-apply-directives=script=%t/sum.script 2>&1 | FileCheck %t/sum.script
// RUN: not kgen-opt %t/empty.mlir --kgen-apply-directives=script=%t/sum.script 2>&1 | FileCheck %t/sum.script
// RUN: not kgen-opt %t/kept.mlir --kgen-apply-directives=script=%t/sum.script 2>&1 | FileCheck %t/sum.script
// RUN: not kgen-opt %t/sum.mlir --kgen-apply-directives=script=%t/pool.script 2>&1 | FileCheck %t/pool.script
// RUN: not kgen-opt %t/sum.mlir --kgen-apply-directives=script=%t/late.script 2>&1 | FileCheck %t/late.script
// RUN: not kgen-opt %t/sum.mlir --kgen-apply-directives=script=%t/unknown.script 2>&1 | FileCheck %t/unknown.script

//--- sum.script
transform.kgen.rewrite %f as reduce_first
// CHECK: expected something that reduce_first rewrites, found nothing

//--- pool.script
transform.kgen.rewrite %f as pool_filters
// CHECK: expected something that pool_filters rewrites, found nothing

//--- norm.script
transform.kgen.rewrite %f as norm_statistics
// CHECK: expected something that norm_statistics rewrites, found nothing

//--- norm.mlir
// The pool's input is the norm's, and what makes the norm of it.
// CHECK-LABEL: func.func @norm
// CHECK-DAG: %[[V:.*]] = aten.var.correction %arg0 dim [2, 3] correction 0.000000e+00 keepdim true : (tensor<2x6x8x8xf32>) -> tensor<2x6x1x1xf32>
// CHECK-DAG: %[[M:.*]] = aten.mean.dim %arg0 dim [2, 3] keepdim true
// CHECK-DAG: aten.reshape %[[V]] shape [2, 3, 2]
// CHECK: %[[D:.*]] = aten.sub.Tensor %arg0
// CHECK-NEXT: %[[P:.*]] = aten.mul.Tensor %[[D]]
// CHECK-NEXT: %[[S:.*]] = aten.add.Tensor %[[P]]
// CHECK-NEXT: %[[R:.*]] = aten.relu %[[S]]
// CHECK-NEXT: aten.max_pool2d %[[R]]
func.func @norm(%x: tensor<2x6x8x8xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
  %0 = aten.group_norm %x weight %w bias %b num_groups 3 : (tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
  %1 = aten.relu %0 : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %2 = aten.max_pool2d %1 kernel [2, 2] stride [2, 2] : (tensor<2x6x8x8xf32>) -> tensor<2x6x4x4xf32>
  return %2 : tensor<2x6x4x4xf32>
}

//--- instance.mlir
// A mean over all pixels is made of the channels' numbers.
// CHECK-LABEL: func.func @instance
// CHECK-DAG: %[[M:.*]] = aten.mean.dim %arg0 dim [2, 3] keepdim true
// CHECK: %[[D:.*]] = aten.sub.Tensor %[[M]], %[[M]] : (tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>) -> tensor<2x6x1x1xf32>
// CHECK-NOT: tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
// CHECK: aten.mean.dim %{{.*}} dim [1] keepdim true
func.func @instance(%x: tensor<2x6x8x8xf32>) -> tensor<2xf32> {
  %0 = aten.instance_norm %x : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %1 = aten.mean.dim %0 dim [1, 2, 3] : (tensor<2x6x8x8xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

//--- kept-norm.mlir
// What is as large as the norm is left alone.
func.func @kept_norm(%x: tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32> {
  %0 = aten.group_norm %x num_groups 3 : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %1 = aten.relu %0 : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  return %1 : tensor<2x6x8x8xf32>
}

//--- diagonal.script
transform.kgen.rewrite %f as diagonal_products
// CHECK: expected something that diagonal_products rewrites, found nothing

//--- slice.script
transform.kgen.rewrite %f as slice_first
// CHECK: expected something that slice_first rewrites, found nothing

//--- slice.mlir
// One row of the product, of what is added, and of nothing that is the same for all.
// CHECK-LABEL: func.func @slice
// CHECK: %[[X:.*]] = aten.slice.Tensor %arg0 start 3 end 4 : (tensor<8x64xf32>) -> tensor<1x64xf32>
// CHECK: %[[Y:.*]] = aten.linear %[[X]], %arg1, %arg2 : {{.*}} -> tensor<1x32xf32>
// CHECK: %[[R:.*]] = aten.slice.Tensor %arg3 start 3 end 4
// CHECK: %[[Z:.*]] = aten.add.Tensor %[[Y]], %[[R]]
// CHECK: aten.reshape %[[Z]] shape [32]
func.func @slice(%x: tensor<8x64xf32>, %w: tensor<32x64xf32>, %b: tensor<32xf32>, %r: tensor<8x32xf32>) -> tensor<32xf32> {
  %0 = aten.linear %x, %w, %b : (tensor<8x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %1 = aten.add.Tensor %0, %r : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = aten.select.int %1 dim 0 index 3 : (tensor<8x32xf32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}

//--- kept-slice.mlir
// The product is a result, too: it is computed anyway.
func.func @kept(%x: tensor<8x64xf32>, %w: tensor<32x64xf32>) -> (tensor<32xf32>, tensor<8x32xf32>) {
  %0 = aten.linear %x, %w : (tensor<8x64xf32>, tensor<32x64xf32>) -> tensor<8x32xf32>
  %1 = aten.select.int %0 dim 0 index 3 : (tensor<8x32xf32>) -> tensor<32xf32>
  return %1, %0 : tensor<32xf32>, tensor<8x32xf32>
}

//--- dear-slice.mlir
// Most columns of a matrix of many rows would be copied to leave few of few results out.
func.func @dear(%x: tensor<2x4096xf32>, %w: tensor<4096x32xf32>) -> tensor<2x30xf32> {
  %0 = aten.mm %x, %w : (tensor<2x4096xf32>, tensor<4096x32xf32>) -> tensor<2x32xf32>
  %1 = aten.narrow %0 dim 1 start 0 length 30 : (tensor<2x32xf32>) -> tensor<2x30xf32>
  return %1 : tensor<2x30xf32>
}

//--- returned-part.mlir
// A result is computed: it cannot be an argument.
func.func @part(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>) -> tensor<8x4xf32> {
  %0 = aten.cat %x, %y dim 0 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<7x8xf32>
  %1 = aten.narrow %0 dim 0 start 0 length 4 : (tensor<7x8xf32>) -> tensor<4x8xf32>
  %2 = aten.view %1 size [8, 4] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

//--- factor.script
transform.kgen.rewrite %f as move_factors
// CHECK: expected something that move_factors rewrites, found nothing

//--- factor.mlir
// The larger operand is read where it lies.
// CHECK-LABEL: func.func @factor
// CHECK: %[[A:.*]] = aten.transpose.int %arg0
// CHECK: %[[D:.*]] = aten.reshape %{{.*}} shape [4, 16, 1]
// CHECK: %[[B:.*]] = aten.mul.Tensor %arg2, %[[D]]
// CHECK: aten.bmm %[[A]], %[[B]]
func.func @factor(%x: tensor<4x16x32xf32>, %d: tensor<4x16xf32>, %y: tensor<4x16x8xf32>) -> tensor<4x32x8xf32> {
  %0 = aten.unsqueeze %d dim 2 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
  %1 = aten.mul.Tensor %x, %0 : (tensor<4x16x32xf32>, tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
  %2 = aten.transpose.int %1 dim0 1 dim1 2 : (tensor<4x16x32xf32>) -> tensor<4x32x16xf32>
  %3 = aten.bmm %2, %y : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  return %3 : tensor<4x32x8xf32>
}

//--- weight.mlir
// A weight is scaled once and for all.
func.func @weight(%x: tensor<4x32x16xf32> {kgen.parameter}, %d: tensor<4x1x16xf32> {kgen.parameter}, %y: tensor<4x16x8xf32>) -> tensor<4x32x8xf32> {
  %0 = aten.mul.Tensor %x, %d : (tensor<4x32x16xf32>, tensor<4x1x16xf32>) -> tensor<4x32x16xf32>
  %1 = aten.bmm %0, %y : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  return %1 : tensor<4x32x8xf32>
}

//--- row-factor.mlir
// A factor of each row is the result's.
func.func @rows(%x: tensor<4x32x16xf32>, %d: tensor<4x32x1xf32>, %y: tensor<4x16x8xf32>) -> tensor<4x32x8xf32> {
  %0 = aten.mul.Tensor %x, %d : (tensor<4x32x16xf32>, tensor<4x32x1xf32>) -> tensor<4x32x16xf32>
  %1 = aten.bmm %0, %y : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  return %1 : tensor<4x32x8xf32>
}

//--- attention.script
transform.kgen.rewrite %f as compose_attention

//--- split.script
transform.kgen.rewrite %f as split_attention
// CHECK: expected something that split_attention rewrites, found nothing

//--- deep.mlir
// CHECK-LABEL: func.func @deep
// CHECK-DAG: %[[Q:.*]] = aten.reshape %arg0 shape [6, 20, 160]
// CHECK-DAG: %[[K:.*]] = aten.permute {{.*}} dims [0, 2, 1]
// CHECK: %[[S:.*]] = aten.bmm %[[Q]], %[[K]] : {{.*}} -> tensor<6x20x24xf32>
// CHECK: aten.mul.Scalar %[[S]] {other = 2.500000e-01
// CHECK: aten.softmax.int {{.*}} dim 2
// CHECK: aten.bmm {{.*}} -> tensor<6x20x32xf32>
// CHECK: aten.reshape {{.*}} shape [2, 3, 20, 32]
func.func @deep(%q: tensor<2x3x20x160xf32>, %k: tensor<2x3x24x160xf32>, %v: tensor<2x3x24x32xf32>) -> tensor<2x3x20x32xf32> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v scale 0.25 : (tensor<2x3x20x160xf32>, tensor<2x3x24x160xf32>, tensor<2x3x24x32xf32>) -> tensor<2x3x20x32xf32>
  return %0 : tensor<2x3x20x32xf32>
}

//--- deep-half.mlir
// The product's results are f32 before anything rounds them.
// CHECK-LABEL: func.func @deep
// CHECK: %[[S:.*]] = aten.bmm {{.*}} -> tensor<3x20x24xf16>
// CHECK: %[[W:.*]] = aten._to_copy %[[S]] dtype f32
// CHECK: aten.mul.Scalar %[[W]]
// CHECK: %[[P:.*]] = aten.softmax.int {{.*}} -> tensor<3x20x24xf32>
// CHECK: aten._to_copy %[[P]] dtype f16
// CHECK: aten.bmm {{.*}} -> tensor<3x20x320xf16>
func.func @deep(%q: tensor<3x20x320xf16>, %k: tensor<3x24x320xf16>, %v: tensor<3x24x320xf16>) -> tensor<3x20x320xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<3x20x320xf16>, tensor<3x24x320xf16>, tensor<3x24x320xf16>) -> tensor<3x20x320xf16>
  return %0 : tensor<3x20x320xf16>
}

//--- shallow.mlir
// Heads of 128, of 256 in 16 bits, masks and causal bounds stay.
func.func @shallow(%q: tensor<2x20x128xf32>, %d: tensor<2x20x160xf32>, %m: tensor<20x20xf32>, %h: tensor<2x20x256xf16>)
    -> (tensor<2x20x128xf32>, tensor<2x20x160xf32>, tensor<2x20x160xf32>, tensor<2x20x256xf16>) {
  %0 = aten.scaled_dot_product_attention %q, %q, %q : (tensor<2x20x128xf32>, tensor<2x20x128xf32>, tensor<2x20x128xf32>) -> tensor<2x20x128xf32>
  %1 = aten.scaled_dot_product_attention %d, %d, %d attn_mask %m : (tensor<2x20x160xf32>, tensor<2x20x160xf32>, tensor<2x20x160xf32>, tensor<20x20xf32>) -> tensor<2x20x160xf32>
  %2 = aten.scaled_dot_product_attention %d, %d, %d is_causal true : (tensor<2x20x160xf32>, tensor<2x20x160xf32>, tensor<2x20x160xf32>) -> tensor<2x20x160xf32>
  %3 = aten.scaled_dot_product_attention %h, %h, %h : (tensor<2x20x256xf16>, tensor<2x20x256xf16>, tensor<2x20x256xf16>) -> tensor<2x20x256xf16>
  return %0, %1, %2, %3 : tensor<2x20x128xf32>, tensor<2x20x160xf32>, tensor<2x20x160xf32>, tensor<2x20x256xf16>
}

//--- unknown.script
transform.kgen.rewrite %f as soup
// CHECK: expected one of reduce_first, pool_filters{{.*}}, found soup

//--- late.script
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.rewrite %f as reduce_first
// CHECK: expected a graph of which no dispatch has been formed yet

//--- then.script
transform.kgen.rewrite %f as reduce_first
%d = transform.kgen.select "aten.sum.dim_IntList" number 1 in %f as row
transform.kgen.fuse %d producers 1
// Directives behind it see the rewritten graph.
// CHECK: kgen.dispatch @sum_dim_IntList_0
// CHECK: aten.mul.Tensor
// CHECK-NEXT: aten.sum.dim_IntList

//--- sum.mlir
// A matrix times the sum of the weight's rows; the bias is summed, too, and what followed the sum on one element goes.
// CHECK-LABEL: func.func @sum
// CHECK-DAG: %[[W:.*]] = aten.sum.dim_IntList %arg1 dim [0] keepdim true : (tensor<16x64xf32>) -> tensor<1x64xf32>
// CHECK-DAG: %[[V:.*]] = aten.reshape %[[W]] shape [64]
// CHECK-DAG: %[[P:.*]] = aten.mul.Tensor %arg0, %[[V]]
// CHECK-DAG: %[[S:.*]] = aten.sum.dim_IntList %[[P]] dim [1] keepdim true : (tensor<8x64xf32>) -> tensor<8x1xf32>
// CHECK-DAG: %[[B:.*]] = aten.sum.dim_IntList %arg2 dim [0] keepdim true
// CHECK: %[[R:.*]] = aten.add.Tensor %[[S]], %[[B]]
// CHECK-NEXT: return %[[R]]
func.func @sum(%x: tensor<8x64xf32>, %w: tensor<16x64xf32>, %b: tensor<16xf32>) -> tensor<8x1xf32> {
  %0 = aten.linear %x, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = aten.sum.dim_IntList %0 dim [1] keepdim true : (tensor<8x16xf32>) -> tensor<8x1xf32>
  %2, %3 = aten.max.dim %1 dim 1 keepdim true : (tensor<8x1xf32>) -> (tensor<8x1xf32>, tensor<8x1xi64>)
  %4 = aten.logsumexp %2 dim [1] keepdim true : (tensor<8x1xf32>) -> tensor<8x1xf32>
  return %4 : tensor<8x1xf32>
}

//--- as-many.mlir
// Each of three columns is the mean of five, and there are five rows of them: as many elements, but others.
func.func @as_many(%x: tensor<3x1x15xf32>) -> tensor<3x5x3xf32> {
  %0 = aten.adaptive_avg_pool2d %x output_size [5, 3] : (tensor<3x1x15xf32>) -> tensor<3x5x3xf32>
  return %0 : tensor<3x5x3xf32>
}

//--- empty.mlir
// The mean of no elements is NaN, and that of a bias is not.
func.func @empty(%x: tensor<0x64xf32>, %w: tensor<64x5xf32>, %b: tensor<1xf32>) -> tensor<f32> {
  %0 = aten.mm %x, %w : (tensor<0x64xf32>, tensor<64x5xf32>) -> tensor<0x5xf32>
  %1 = aten.add.Tensor %0, %b : (tensor<0x5xf32>, tensor<1xf32>) -> tensor<0x5xf32>
  %2 = aten.mean.dim %1 dim [0, 1] : (tensor<0x5xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

//--- space.mlir
// Every tap of this transposed convolution meets every pixel: the image and the filter are summed, and the batch norm is
// one of the mean.
// CHECK-LABEL: func.func @space
// CHECK-DAG: aten.sum.dim_IntList %arg0 dim [2, 3] keepdim true : (tensor<2x8x32x32xf32>) -> tensor<2x8x1x1xf32>
// CHECK-DAG: aten.sum.dim_IntList %arg1 dim [2, 3] keepdim true : (tensor<8x4x3x3xf32>) -> tensor<8x4x1x1xf32>
// CHECK: aten.div.Scalar %{{.*}} {other = 1.156000e+03 : f64}
// CHECK-NEXT: %[[N:.*]] = aten.batch_norm %{{.*}} (tensor<2x4x1x1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x1x1xf32>
// CHECK-NEXT: return %[[N]]
func.func @space(%x: tensor<2x8x32x32xf32>, %w: tensor<8x4x3x3xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<2x4x1x1xf32> {
  %0 = aten.conv_transpose2d.input %x, %w : (tensor<2x8x32x32xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x34x34xf32>
  %1 = aten.batch_norm %0 running_mean %m running_var %v : (tensor<2x4x34x34xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x34x34xf32>
  %2 = aten.adaptive_avg_pool2d %1 output_size [1, 1] : (tensor<2x4x34x34xf32>) -> tensor<2x4x1x1xf32>
  return %2 : tensor<2x4x1x1xf32>
}

//--- strided.mlir
// What a tap passes by may be infinite: it is left out, and not multiplied by zero.
// CHECK-LABEL: func.func @strided
// CHECK: %[[M:[0-9]+]] = aten.constant dense<{{.*}}[true], [false], [true], [false], [true], [false], [true], [false]{{.*}}> : tensor<1x8x1xi1>
// CHECK: %[[Z:.*]] = aten.masked_fill.Scalar %{{.*}}, %[[M]] {value = 0.000000e+00 : f64}
// CHECK: aten.sum.dim_IntList %[[Z]]
// CHECK-NOT: aten.conv
func.func @strided(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<2x4x1x1xf32> {
  %0 = aten.conv2d %x, %w stride [2, 2] padding [1, 1] : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x5x5xf32>
  %1 = aten.adaptive_avg_pool2d %0 output_size [1, 1] : (tensor<2x4x5x5xf32>) -> tensor<2x4x1x1xf32>
  return %1 : tensor<2x4x1x1xf32>
}

//--- one.mlir
// A position that is used keeps the maximum of one element.
// CHECK-LABEL: func.func @one
// CHECK-NOT: aten.mean
// CHECK: aten.max.dim
func.func @one(%x: tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8xi64>) {
  %0 = aten.mean.dim %x dim [1] keepdim true : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %1, %2 = aten.max.dim %0 dim 1 : (tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  return %1, %2 : tensor<8xf32>, tensor<8xi64>
}

//--- pool.mlir
// Two pools are one, and with it a plain convolution in the transposed one's place; the norm stays behind it.
// CHECK-LABEL: func.func @pool
// CHECK: %[[C:.*]] = aten.conv3d %arg0, %{{.*}}, %arg2 stride [2, 2, 2] : (tensor<4x3x8x8x8xf32>, tensor<16x3x3x3x3xf32>, tensor<16xf32>) -> tensor<4x16x3x3x3xf32>
// CHECK-NEXT: %[[N:.*]] = aten.batch_norm %[[C]]
// CHECK-NEXT: return %[[N]]
func.func @pool(%x: tensor<4x3x8x8x8xf32>, %w: tensor<3x16x3x3x3xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<4x16x3x3x3xf32> {
  %0 = aten.conv_transpose3d.input %x, %w, %b stride [2, 2, 2] padding [1, 1, 1] : (tensor<4x3x8x8x8xf32>, tensor<3x16x3x3x3xf32>, tensor<16xf32>) -> tensor<4x16x15x15x15xf32>
  %1 = aten.batch_norm %0 running_mean %m running_var %v : (tensor<4x16x15x15x15xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x16x15x15x15xf32>
  %2 = aten.avg_pool3d %1 kernel [2, 2, 2] : (tensor<4x16x15x15x15xf32>) -> tensor<4x16x7x7x7xf32>
  %3 = aten.avg_pool3d %2 kernel [2, 2, 2] : (tensor<4x16x7x7x7xf32>) -> tensor<4x16x3x3x3xf32>
  return %3 : tensor<4x16x3x3x3xf32>
}

//--- diagonal.mlir
// As torch.diag is exported; on the right columns are scaled.
// CHECK-LABEL: func.func @diagonal
// CHECK: %[[C:.*]] = aten.reshape %{{.*}} shape [64, 1]
// CHECK: %[[L:.*]] = aten.mul.Tensor %arg1, %[[C]] : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x48xf32>
// CHECK: %[[R:.*]] = aten.mul.Tensor %arg2, %{{.*}} : (tensor<2x8x64xf32>, tensor<64xf32>) -> tensor<2x8x64xf32>
// CHECK-NEXT: return %[[L]], %[[R]]
func.func @diagonal(%a: tensor<64xf32>, %b: tensor<64x48xf32>, %c: tensor<2x8x64xf32>) -> (tensor<64x48xf32>, tensor<2x8x64xf32>) {
  %0 = aten.unsqueeze %a dim 0 : (tensor<64xf32>) -> tensor<1x64xf32>
  %1 = aten.permute %0 dims [0, 1] : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %2 = aten.arange.start_step start 0.0 end 64.0 dtype i64 : () -> tensor<64xi64>
  %3 = aten.unsqueeze %2 dim -1 : (tensor<64xi64>) -> tensor<64x1xi64>
  %4 = aten.eq.Tensor %2, %3 : (tensor<64xi64>, tensor<64x1xi64>) -> tensor<64x64xi1>
  %5 = aten.view %4 size [64, 64] : (tensor<64x64xi1>) -> tensor<64x64xi1>
  %6 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %7 = aten.where.self %5, %1, %6 : (tensor<64x64xi1>, tensor<1x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %8 = aten.matmul %7, %b : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  %9 = aten.matmul %c, %7 : (tensor<2x8x64xf32>, tensor<64x64xf32>) -> tensor<2x8x64xf32>
  return %8, %9 : tensor<64x48xf32>, tensor<2x8x64xf32>
}

//--- shifted.mlir
// The diagonal above the main one, and ones beside the diagonal instead of zeros.
func.func @shifted(%a: tensor<64xf32>, %b: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %0 = aten.arange.start_step start 0.0 end 64.0 dtype i64 : () -> tensor<64xi64>
  %1 = aten.arange.start_step start 1.0 end 65.0 dtype i64 : () -> tensor<64xi64>
  %2 = aten.unsqueeze %0 dim -1 : (tensor<64xi64>) -> tensor<64x1xi64>
  %3 = aten.eq.Tensor %1, %2 : (tensor<64xi64>, tensor<64x1xi64>) -> tensor<64x64xi1>
  %4 = aten.eq.Tensor %0, %2 : (tensor<64xi64>, tensor<64x1xi64>) -> tensor<64x64xi1>
  %5 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %6 = aten.full size [] fill_value 1.0 dtype f32 : () -> tensor<f32>
  %7 = aten.where.self %3, %a, %5 : (tensor<64x64xi1>, tensor<64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %8 = aten.where.self %4, %a, %6 : (tensor<64x64xi1>, tensor<64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %9 = aten.matmul %7, %b : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  %10 = aten.matmul %8, %b : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  return %9, %10 : tensor<64x48xf32>, tensor<64x48xf32>
}

//--- kept.mlir
// The product is a result itself, its activation is not linear, and a pool that leaves its windows' padding out is no sum.
func.func @kept(%x: tensor<8x64xf32>, %w: tensor<16x64xf32>, %i: tensor<2x4x9x9xf32>, %f: tensor<4x4x3x3xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4x4x4xf32>) {
  %0 = aten.linear %x, %w : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
  %1 = aten.sum.dim_IntList %0 dim [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %2 = aten.linear %x, %w : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
  %3 = aten.relu %2 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = aten.sum.dim_IntList %3 dim [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %5 = aten.conv2d %i, %f : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x7x7xf32>
  %6 = aten.avg_pool2d %5 kernel [2, 2] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<2x4x7x7xf32>) -> tensor<2x4x4x4xf32>
  return %0, %1, %4, %6 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4x4x4xf32>
}

//--- attention.mlir
// As nn.MultiheadAttention spells it; keys are read where they lay. What a mask may hide whole becomes NaN.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Q:.*]] = aten.transpose.int %arg0 dim0 0 dim1 1
// CHECK: %[[P:.*]] = aten.scaled_dot_product_attention %[[Q]], %arg1, %arg2 scale 2.500000e-01
// CHECK: %[[A:.*]] = aten.scaled_dot_product_attention %{{.*}}, %arg1, %arg2 attn_mask %arg3 scale 5.000000e-01
// CHECK-DAG: %[[H:.*]] = aten.eq.Scalar %arg3 {other = 0xFFF0000000000000 : f64} : (tensor<20x24xf32>) -> tensor<20x24xi1>
// CHECK-DAG: %[[R:.*]] = aten.all.dims %[[H]] dim [1] keepdim true : (tensor<20x24xi1>) -> tensor<20x1xi1>
// CHECK: %[[N:.*]] = aten.masked_fill.Scalar %[[A]], %[[R]] {value = 0x7FF8000000000000 : f64}
// CHECK: return %[[P]], %[[N]]
func.func @attention(%q: tensor<20x6x16xf32>, %k: tensor<6x24x16xf32>, %v: tensor<6x24x16xf32>, %m: tensor<20x24xf32>) -> (tensor<6x20x16xf32>, tensor<6x20x16xf32>) {
  %0 = aten.mul.Scalar %q {other = 0.5} : (tensor<20x6x16xf32>) -> tensor<20x6x16xf32>
  %1 = aten.transpose.int %0 dim0 0 dim1 1 : (tensor<20x6x16xf32>) -> tensor<6x20x16xf32>
  %2 = aten.transpose.int %k dim0 -2 dim1 -1 : (tensor<6x24x16xf32>) -> tensor<6x16x24xf32>
  %3 = aten.bmm %1, %2 : (tensor<6x20x16xf32>, tensor<6x16x24xf32>) -> tensor<6x20x24xf32>
  %4 = aten.div.Scalar %3 {other = 2.0} : (tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %5 = aten.softmax.int %4 dim -1 : (tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %6 = aten.bmm %5, %v : (tensor<6x20x24xf32>, tensor<6x24x16xf32>) -> tensor<6x20x16xf32>
  %7 = aten.bmm %1, %2 : (tensor<6x20x16xf32>, tensor<6x16x24xf32>) -> tensor<6x20x24xf32>
  %8 = aten.add.Tensor %m, %7 : (tensor<20x24xf32>, tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %9 = aten.softmax.int %8 dim 2 : (tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %10 = aten.bmm %9, %v : (tensor<6x20x24xf32>, tensor<6x24x16xf32>) -> tensor<6x20x16xf32>
  return %6, %10 : tensor<6x20x16xf32>, tensor<6x20x16xf32>
}

//--- spelled.mlir
// One is rewritten; the others are left: weights or scores that somebody else reads, a softmax over queries or of
// scores that a minus turns round, a fill with a number that weights may keep, heads that no kernel without scores is for.
// CHECK-LABEL: func.func @spelled
// CHECK-COUNT-6: aten.softmax.int
// CHECK: aten.scaled_dot_product_attention
// CHECK-NOT: aten.scaled_dot_product_attention
func.func @spelled(%q: tensor<20x16xf32>, %k: tensor<16x24xf32>, %v: tensor<24x16xf32>, %m: tensor<20x24xi1>, %w: tensor<20x256xf32>, %x: tensor<256x24xf32>, %y: tensor<24x256xf32>)
    -> (tensor<20x16xf32>, tensor<24xf32>, tensor<20x16xf32>, tensor<20x24xf32>, tensor<20x16xf32>, tensor<20x16xf32>, tensor<20x16xf32>, tensor<20x256xf32>, tensor<20x16xf32>) {
  %0 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %1 = aten.softmax.int %0 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %2 = aten.mm %1, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  %3 = aten.mean.dim %1 dim [0] : (tensor<20x24xf32>) -> tensor<24xf32>
  %4 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %5 = aten.softmax.int %4 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %6 = aten.mm %5, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  %7 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %8 = aten.softmax.int %7 dim 0 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %9 = aten.mm %8, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  %10 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %11 = aten.mul.Scalar %10 {other = -1.0} : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %12 = aten.softmax.int %11 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %13 = aten.mm %12, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  %14 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %15 = aten.masked_fill.Scalar %14, %m {value = -1.0e9} : (tensor<20x24xf32>, tensor<20x24xi1>) -> tensor<20x24xf32>
  %16 = aten.softmax.int %15 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %17 = aten.mm %16, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  %18 = aten.mm %w, %x : (tensor<20x256xf32>, tensor<256x24xf32>) -> tensor<20x24xf32>
  %19 = aten.softmax.int %18 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %20 = aten.mm %19, %y : (tensor<20x24xf32>, tensor<24x256xf32>) -> tensor<20x256xf32>
  %21 = aten.mm %q, %k : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
  %22 = aten.softmax.int %21 dim -1 : (tensor<20x24xf32>) -> tensor<20x24xf32>
  %23 = aten.mm %22, %v : (tensor<20x24xf32>, tensor<24x16xf32>) -> tensor<20x16xf32>
  return %2, %3, %6, %4, %9, %13, %17, %20, %23 : tensor<20x16xf32>, tensor<24xf32>, tensor<20x16xf32>, tensor<20x24xf32>, tensor<20x16xf32>, tensor<20x16xf32>, tensor<20x16xf32>, tensor<20x256xf32>, tensor<20x16xf32>
}
