// NaN and infinities as PyTorch has them, in the generic kernels and in every family that compares or adds up.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c %t/g
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-opt %t/graph.mlir --kgen-lower -o %t/generic.mlir
// RUN: kgen-translate --kgen-to-cuda %t/generic.mlir -o %t/g/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/generic.mlir -o %t/g/plan.json
// RUN: kgen-eval %t/g --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @nonfinite(%x: tensor<20x37xf32>, %y: tensor<1x1x20x37xf32>)
    -> (tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20xf32>, tensor<20xi64>, tensor<20xi64>, tensor<20xf32>, tensor<20xi64>, tensor<20xi64>, tensor<20x37xf32>, tensor<1x1x9x18xf32>, tensor<1x1x9x18xf32>) {
  %bad = kgen.dispatch @bad schedule(#kgen.schedule<family = pointwise>) ins(%x : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %0 = aten.add.Scalar %a {other = 2.2} : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %1 = aten.log %0 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %2 = aten.add.Scalar %a {other = 1.9} : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %3 = aten.relu %2 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %4 = aten.reciprocal %3 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %r = aten.add.Tensor %1, %4 : (tensor<20x37xf32>, tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_relu = kgen.dispatch @p_relu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.relu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_clamp = kgen.dispatch @p_clamp schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.clamp %a {min = -0.5, max = 2.0} : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_hardtanh = kgen.dispatch @p_hardtanh schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.hardtanh %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_leaky_relu = kgen.dispatch @p_leaky_relu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.leaky_relu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_elu = kgen.dispatch @p_elu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.elu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_selu = kgen.dispatch @p_selu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.selu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_softplus = kgen.dispatch @p_softplus schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.softplus %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_hardsigmoid = kgen.dispatch @p_hardsigmoid schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.hardsigmoid %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_hardswish = kgen.dispatch @p_hardswish schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.hardswish %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_gelu = kgen.dispatch @p_gelu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.gelu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_silu = kgen.dispatch @p_silu schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.silu %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_mish = kgen.dispatch @p_mish schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.mish %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_sigmoid = kgen.dispatch @p_sigmoid schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.sigmoid %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_tanh = kgen.dispatch @p_tanh schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.tanh %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_abs = kgen.dispatch @p_abs schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.abs %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_erf = kgen.dispatch @p_erf schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.erf %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_sqrt = kgen.dispatch @p_sqrt schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.sqrt %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_exp = kgen.dispatch @p_exp schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.exp %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_max = kgen.dispatch @p_max schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %0 = aten.neg %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %r = aten.maximum %0, %a : (tensor<20x37xf32>, tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %p_min = kgen.dispatch @p_min schedule(#kgen.schedule<family = pointwise>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %0 = aten.neg %a : (tensor<20x37xf32>) -> tensor<20x37xf32>
    %r = aten.minimum %0, %a : (tensor<20x37xf32>, tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_logsumexp = kgen.dispatch @r_logsumexp schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.logsumexp %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_amax = kgen.dispatch @r_amax schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.amax %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_amin = kgen.dispatch @r_amin schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.amin %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_sum = kgen.dispatch @r_sum schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.sum.dim_IntList %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_mean = kgen.dispatch @r_mean schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.mean.dim %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_linalg_vector_norm = kgen.dispatch @r_linalg_vector_norm schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.linalg_vector_norm %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_lse_one = kgen.dispatch @r_lse_one schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 4>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.logsumexp %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_lse_wide = kgen.dispatch @r_lse_wide schedule(#kgen.schedule<family = row, threads_per_row = 64, rows_per_block = 1>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.logsumexp %a dim [1] : (tensor<20x37xf32>) -> tensor<20xf32>
    kgen.yield %r : tensor<20xf32>
  } : tensor<20xf32>
  %r_softmax = kgen.dispatch @r_softmax schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.softmax.int %a dim 1 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_log_softmax = kgen.dispatch @r_log_softmax schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.log_softmax.int %a dim 1 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_two_pass = kgen.dispatch @r_two_pass schedule(#kgen.schedule<family = row, reduce = two_pass, resident = reg>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.softmax.int %a dim 1 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_layer = kgen.dispatch @r_layer schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.layer_norm %a normalized_shape [37] : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_layer_one = kgen.dispatch @r_layer_one schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 4>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.layer_norm %a normalized_shape [37] : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %r_max_dim:2 = kgen.dispatch @r_max_dim schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r0, %r1 = aten.max.dim %a dim 1 : (tensor<20x37xf32>) -> (tensor<20xf32>, tensor<20xi64>)
    kgen.yield %r0, %r1 : tensor<20xf32>, tensor<20xi64>
  } : tensor<20xf32>, tensor<20xi64>
  %r_argmax = kgen.dispatch @r_argmax schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.argmax %a dim 1 : (tensor<20x37xf32>) -> tensor<20xi64>
    kgen.yield %r : tensor<20xi64>
  } : tensor<20xi64>
  %r_min_dim:2 = kgen.dispatch @r_min_dim schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r0, %r1 = aten.min.dim %a dim 1 : (tensor<20x37xf32>) -> (tensor<20xf32>, tensor<20xi64>)
    kgen.yield %r0, %r1 : tensor<20xf32>, tensor<20xi64>
  } : tensor<20xf32>, tensor<20xi64>
  %r_argmin = kgen.dispatch @r_argmin schedule(#kgen.schedule<family = row>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.argmin %a dim 1 : (tensor<20x37xf32>) -> tensor<20xi64>
    kgen.yield %r : tensor<20xi64>
  } : tensor<20xi64>
  %cumsum = kgen.dispatch @cumsum schedule(#kgen.schedule<family = scan>) ins(%bad : tensor<20x37xf32>) {
  ^bb0(%a: tensor<20x37xf32>):
    %r = aten.cumsum %a dim 1 : (tensor<20x37xf32>) -> tensor<20x37xf32>
    kgen.yield %r : tensor<20x37xf32>
  } : tensor<20x37xf32>
  %image = kgen.dispatch @image schedule(#kgen.schedule<family = pointwise>) ins(%y : tensor<1x1x20x37xf32>) {
  ^bb0(%a: tensor<1x1x20x37xf32>):
    %0 = aten.add.Scalar %a {other = 2.2} : (tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    %1 = aten.log %0 : (tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    %2 = aten.add.Scalar %a {other = 1.9} : (tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    %3 = aten.relu %2 : (tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    %4 = aten.reciprocal %3 : (tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    %r = aten.add.Tensor %1, %4 : (tensor<1x1x20x37xf32>, tensor<1x1x20x37xf32>) -> tensor<1x1x20x37xf32>
    kgen.yield %r : tensor<1x1x20x37xf32>
  } : tensor<1x1x20x37xf32>
  %pool_max = kgen.dispatch @pool_max schedule(#kgen.schedule<family = pool>) ins(%image : tensor<1x1x20x37xf32>) {
  ^bb0(%a: tensor<1x1x20x37xf32>):
    %r = aten.max_pool2d %a kernel [3, 3] stride [2, 2] : (tensor<1x1x20x37xf32>) -> tensor<1x1x9x18xf32>
    kgen.yield %r : tensor<1x1x9x18xf32>
  } : tensor<1x1x9x18xf32>
  %pool_avg = kgen.dispatch @pool_avg schedule(#kgen.schedule<family = pool>) ins(%image : tensor<1x1x20x37xf32>) {
  ^bb0(%a: tensor<1x1x20x37xf32>):
    %r = aten.avg_pool2d %a kernel [3, 3] stride [2, 2] : (tensor<1x1x20x37xf32>) -> tensor<1x1x9x18xf32>
    kgen.yield %r : tensor<1x1x9x18xf32>
  } : tensor<1x1x9x18xf32>
  return %bad, %p_relu, %p_clamp, %p_hardtanh, %p_leaky_relu, %p_elu, %p_selu, %p_softplus, %p_hardsigmoid, %p_hardswish, %p_gelu, %p_silu, %p_mish, %p_sigmoid, %p_tanh, %p_abs, %p_erf, %p_sqrt, %p_exp, %p_max, %p_min, %r_logsumexp, %r_amax, %r_amin, %r_sum, %r_mean, %r_linalg_vector_norm, %r_lse_one, %r_lse_wide, %r_softmax, %r_log_softmax, %r_two_pass, %r_layer, %r_layer_one, %r_max_dim#0, %r_max_dim#1, %r_argmax, %r_min_dim#0, %r_min_dim#1, %r_argmin, %cumsum, %pool_max, %pool_avg
      : tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20x37xf32>, tensor<20xf32>, tensor<20xi64>, tensor<20xi64>, tensor<20xf32>, tensor<20xi64>, tensor<20xi64>, tensor<20x37xf32>, tensor<1x1x9x18xf32>, tensor<1x1x9x18xf32>
}
}
