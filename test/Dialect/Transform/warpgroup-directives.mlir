// The directives of a product on warpgroups: what they set, and what a precision class refuses.
// RUN: split-file %s %t
// RUN: kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/all.mlir | FileCheck %s
// RUN: kgen-opt %t/strict.mlir --kgen-apply-directives=script=%t/all.mlir -kgen-lower-dispatches | FileCheck %s --check-prefix=LOWERED
// RUN: not kgen-opt %t/strict.mlir --kgen-apply-directives=script=%t/whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/unscaled.mlir 2>&1 | FileCheck %s --check-prefix=UNSCALED
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/registers.mlir 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: kgen-opt %t/linear.mlir --kgen-apply-directives=script=%t/rounded.mlir -kgen-lower-dispatches | FileCheck %s --check-prefix=ROUNDED
// RUN: kgen-opt %t/linear.mlir --kgen-apply-directives=script=%t/cluster.mlir -kgen-lower-dispatches | FileCheck %s --check-prefix=CLUSTER

// CHECK: family = gemm, cluster = 2, consumers = 2, convert_at = prepass, dtype = fp16, mma = wgmma, mma_inflight = 0, persistent = static, pipeline = tma, promote_k = 64, reg_split = [40, 232], split_precision = fp16x3, stages = 3, store = tma, tile = [128, 128, 64]
// LOWERED: kgen.launch @mm_0::@mm_0_main {{.*}} cluster [2, 1, 1] maps [#kgen.tensor_map<operand = 0, dtype = f16, dims = [512, 512, 2]
// WHOLE: expected an operand type within precision class strict-fp32, found fp16
// UNSCALED: expected an operand type within precision class tf32, found fp16
// REGISTERS: schedule key 'reg_split' of gemm/wgmma expected [a multiple of 8 from 24 to 256, a multiple of 8 from 24 to 256], found [40, 41]

// f32 operands as they are: no launch before the product, and none behind it where a cluster adds its slices.
// ROUNDED-NOT: kgen.launch
// ROUNDED: kgen.launch @linear_0::@linear_0_main {{.*}} cluster [2, 1, 1] maps [#kgen.tensor_map<operand = 0, dtype = tf32, dims = [768, 1024, 1], strides = [3072, 3145728], box = [32, 128, 1], swizzle = 128, l2 = 256>, #kgen.tensor_map<operand = 1, dtype = tf32, dims = [768, 768, 1], strides = [3072, 2359296], box = [32, 96, 1]
// ROUNDED-NOT: kgen.launch
// CLUSTER-NOT: kgen.launch
// CLUSTER: kgen.launch @linear_0::@linear_0_main grid [144, 1, 1] block [384, 1, 1] {{.*}} cluster [6, 1, 1] maps [{{.*}} box = [32, 128, 1], {{.*}} box = [32, 64, 1]
// CLUSTER-NOT: kgen.launch

//--- rounded.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma %d wgmma dtype = tf32
transform.kgen.tile %d [128, 192, 32]
transform.kgen.cluster %d 2
transform.kgen.split_k %d 1
//--- cluster.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma %d wgmma
transform.kgen.tile %d [128, 128, 32]
transform.kgen.cluster %d 2
transform.kgen.split_k %d 3 split_at = cluster
//--- linear.mlir
func.func @linear(%x: tensor<8x128x768xf32>, %w: tensor<768x768xf32>) -> tensor<8x128x768xf32> {
  %0 = aten.linear %x, %w : (tensor<8x128x768xf32>, tensor<768x768xf32>) -> tensor<8x128x768xf32>
  return %0 : tensor<8x128x768xf32>
}
//--- all.mlir
%d = transform.kgen.select "aten.mm" in %f
transform.kgen.tile %d [128, 128, 64]
transform.kgen.mma %d wgmma dtype = fp16
transform.kgen.pipeline %d tma stages = 3
transform.kgen.specialize %d 2
transform.kgen.reg_split %d [40, 232]
transform.kgen.mma_inflight %d 0
transform.kgen.persistent %d static
transform.kgen.cluster %d 2
transform.kgen.store %d tma
transform.kgen.convert_at %d prepass
transform.kgen.split_precision %d fp16x3 promote_k = 64
//--- whole.mlir
%d = transform.kgen.select "aten.mm" in %f
transform.kgen.split_precision %d none
transform.kgen.mma %d wgmma dtype = fp16
//--- unscaled.mlir
%d = transform.kgen.select "aten.mm" in %f
transform.kgen.mma %d mma_sync dtype = fp16
//--- registers.mlir
%d = transform.kgen.select "aten.mm" in %f
transform.kgen.reg_split %d [40, 41]
//--- graph.mlir
func.func @graph(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = aten.mm %a, %b : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
//--- strict.mlir
module attributes {kgen.precision = "strict-fp32"} {
func.func @graph(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = aten.mm %a, %b : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}
