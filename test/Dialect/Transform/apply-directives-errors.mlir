// Each failure is one sentence with the place in the script, and the graph stays as it was.
// RUN: split-file %s %t
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/number.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/taken.mlir 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/handle.mlir 2>&1 | FileCheck %s --check-prefix=HANDLE
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/users.mlir 2>&1 | FileCheck %s --check-prefix=USERS
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/returned.mlir 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/producers.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCERS
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/cycle.mlir 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/sibling.mlir 2>&1 | FileCheck %s --check-prefix=SIBLING
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/family.mlir 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/param.mlir 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/unset.mlir 2>&1 | FileCheck %s --check-prefix=UNSET
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/vec.mlir 2>&1 | FileCheck %s --check-prefix=VEC
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/variant.mlir 2>&1 | FileCheck %s --check-prefix=VARIANT
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/generic.mlir 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/stages.mlir 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/block.mlir 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/fp16.mlir 2>&1 | FileCheck %s --check-prefix=FP16
// RUN: not kgen-opt %t/strict.mlir --kgen-apply-directives=script=%t/mma.mlir 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not kgen-opt %t/strict.mlir --kgen-apply-directives=script=%t/tf32.mlir 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not kgen-opt %t/half.mlir --kgen-apply-directives=script=%t/bf16.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: kgen-opt %t/half.mlir --kgen-apply-directives=script=%t/fp16.mlir
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/foreign.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/brace.mlir 2>&1 | FileCheck %s --check-prefix=BRACE
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives="script=%t/none.mlir idea=x category=y" 2>&1 | FileCheck %s --check-prefix=CATEGORY

// NONE: none.mlir:1:6: error: expected aten.bmm number 0 outside of dispatches, found 0 of them
//--- none.mlir
%d = transform.kgen.select "aten.bmm" in %f
// NUMBER: number.mlir:2:6: error: expected aten.exp number 2 outside of dispatches, found 2 of them
//--- number.mlir

%d = transform.kgen.select "aten.exp" number 2 in %f
// TAKEN: taken.mlir:2:6: error: expected aten.linear number 0 outside of dispatches, found 0 of them
//--- taken.mlir
%d = transform.kgen.select "aten.linear" in %f
%e = transform.kgen.select "aten.linear" in %f
// HANDLE: handle.mlir:1:1: error: expected a handle to a kgen.dispatch, found builtin.module
//--- handle.mlir
transform.kgen.vec %f 4
// COUNT: count.mlir:2:1: error: expected 3 consumers to fuse, found 0: aten.softmax.int is a normalisation, which family gemm does not fuse (
//--- count.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.fuse %d consumers 3
// USERS: users.mlir:2:1: error: expected a consumer to fuse, found none: aten.linear is a contraction, which family pointwise does not fuse (
// USERS-SAME: graph.mlir:5:8: in dispatch @neg_0)
//--- users.mlir
%d = transform.kgen.select "aten.neg" in %f
transform.kgen.fuse %d consumers all
// RETURNED: returned.mlir:2:1: error: expected a consumer to fuse, found none: the graph returns a result (
//--- returned.mlir
%d = transform.kgen.select "aten.exp" in %f
transform.kgen.fuse %d consumers all
// PRODUCERS: producers.mlir:2:1: error: expected a producer to fuse, found none: aten.neg has users outside (
//--- producers.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.fuse %d producers all
// CYCLE: cycle.mlir:2:1: error: expected a consumer to fuse, found none: aten.softmax.int is a normalisation, which family pointwise does not fuse (
//--- cycle.mlir
%d = transform.kgen.select "aten.linear" in %f as pointwise
transform.kgen.fuse %d consumers all
// SIBLING: sibling.mlir:3:1: error: expected independent dispatches, found that one needs a result of the other (
//--- sibling.mlir
%d = transform.kgen.select "aten.neg" in %f
%e = transform.kgen.select "aten.relu" in %f
transform.kgen.fuse_siblings %e with %d
// FAMILY: family.mlir:2:1: error: schedule key 'im2col' is not taken by family gemm, which takes cluster, consumers, {{.*}} (
// FAMILY-SAME: in dispatch @linear_0)
//--- family.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.im2col %d raw_smem
// PARAM: param.mlir:3:1: error: schedule key 'stages' expected an integer from 2 to 8, found 12
//--- param.mlir
%d = transform.kgen.select "aten.linear" in %f
%p = transform.tune.knob<"stages"> = 12 from options = [2, 12] -> !transform.any_param
transform.kgen.pipeline %d stages = %p
// UNSET: unset.mlir:2:6: error: {{.*}}non-deterministic choice "stages"
//--- unset.mlir
%d = transform.kgen.select "aten.linear" in %f
%p = transform.tune.knob<"stages"> options = [2, 3] -> !transform.any_param
transform.kgen.pipeline %d stages = %p
// VEC: vec.mlir:2:1: error: expected vector accesses of at most 16 bytes, found vec = 8 which makes 32 bytes (
//--- vec.mlir
%d = transform.kgen.select "aten.neg" in %f
transform.kgen.vec %d 8
// VARIANT: variant.mlir:3:1: error: schedule key 'smem_pad' is not taken by gemm/wgmma and gemm/cluster, which take cluster, consumers, convert_at, dtype, {{.*}} (
//--- variant.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma %d wgmma
transform.kgen.smem_layout %d smem_pad = 8
// EARLY: early.mlir:3:1: error: 'transform.kgen.cluster' op schedule key 'cluster' is not taken by gemm/simt and gemm/vector, which take dtype, min_blocks, mma, pipeline, raster, rows_per_block, split_k, stages, thread_tile, tile, vec
//--- early.mlir
%d = transform.kgen.select "aten.linear" in %f as gemm
transform.kgen.mma %d none
transform.kgen.cluster %d 2
// OPEN: open.mlir:3:1: error: 'transform.kgen.unroll' op schedule key 'unroll' is not taken by family attention, which takes block, consumers, dtype, {{.*}}
//--- open.mlir
%d = transform.kgen.select "aten.linear" in %f as attention
%p = transform.param.constant 4 : i64 -> !transform.param<i64>
transform.kgen.unroll %d %p : !transform.param<i64>
// GENERIC: generic.mlir:2:1: error: 'transform.kgen.vec' op schedule key 'vec' is not taken by family generic, which takes no keys
//--- generic.mlir
%d = transform.kgen.select "aten.linear" in %f as generic
transform.kgen.vec %d 4
// STAGES: stages.mlir:2:1: error: 'transform.kgen.pipeline' op schedule key 'stages' expected an integer from 2 to 8, found 1
//--- stages.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.pipeline %d cp_async stages = 1
// BLOCK: block.mlir:2:1: error: 'transform.kgen.occupancy' op schedule key 'block' expected a multiple of 32 from 32 to 1024, found 100
//--- block.mlir
%d = transform.kgen.select "aten.neg" in %f
transform.kgen.occupancy %d 100
// FP16: fp16.mlir:2:1: error: expected an operand type within precision class tf32, found fp16 (
//--- fp16.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma_dtype %d fp16
// STRICT: expected an operand type within precision class strict-fp32, found tf32 (
//--- mma.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma %d wmma
//--- tf32.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma_dtype %d tf32
// HALF: expected an operand type within precision class fp16, found bf16 (
//--- bf16.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.mma_dtype %d bf16
// WORD: word.mlir:1:1: error: custom op 'transform.kgen.go_faster' is unknown
//--- word.mlir
transform.kgen.go_faster %f
// FOREIGN: foreign.mlir:1:1: error: expected a directive (transform.kgen.*), a parameter or a knob, found transform.print
//--- foreign.mlir
transform.print %f : !transform.any_op
// BRACE: brace.mlir:{{[0-9]+:[0-9]+}}: error: expected operation name in quotes
//--- brace.mlir
%d = transform.kgen.select "aten.linear" in %f
}
// ABSENT: cannot read the script '{{.*}}absent.mlir': No such file
// CATEGORY: expected a category memory, async, dtype, compute, parallel or control, found 'y'

//--- graph.mlir
func.func @graph(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // %n has two users, one of them a product: neither direction of fusion may hide it.


  %n = aten.neg %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = aten.linear %n, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = aten.softmax.int %0 dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = aten.exp %n : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // Depends on the product directly and through the softmax: taking it in would close a cycle.
  %3 = aten.mul.Tensor %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = aten.relu %n : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = aten.exp %4 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %3, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

//--- strict.mlir
module attributes {kgen.precision = "strict-fp32"} {
  func.func @graph(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

//--- half.mlir
func.func @graph(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
  %0 = aten.linear %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
