//===- AtenNormOps.td - Normalisation and softmax -------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENNORMOPS_TD
#define KGEN_DIALECT_ATEN_ATENNORMOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

/// softmax_c1: `dim` is within the rank.
class Aten_SoftmaxOp<string mnemonic, string formula> : Aten_Op<mnemonic, "Normalization"> {
  let summary = formula # " along one dimension";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`, "
      # "without `dtype`.\n\nresult = " # formula # ", sums and maxima along `dim`. softmax_c1: `dim` is within the rank.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins Aten_FloatTensor:$self, Aten_I64:$dim);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferSoftmax(*this, getDim(), results)";
  // max, subtract, exp, add, divide
  let flops = "5 * resultElements(*this)";
}

def Aten_LogSoftmaxIntOp : Aten_SoftmaxOp<"log_softmax.int", "x - ln(sum exp(x))">;
def Aten_SoftmaxIntOp : Aten_SoftmaxOp<"softmax.int", "exp(x) / sum exp(x)">;

def Aten_BatchNormOp : Aten_Op<"batch_norm", "Normalization", [AttrSizedOperandSegments]> {
  let summary = "normalisation per channel with given statistics";
  let description = [{
    ATen schema: `aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var,
    bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor`, for training = False.

    result = (input - running_mean[c]) / sqrt(running_var[c] + eps) * weight[c] + bias[c] for channel c, dimension 1.
    batch_norm_c1: `input` has rank 2 or more; batch_norm_c2: each vector has one element per channel and the input's element type.

    Example:

    ```mlir
    %0 = aten.batch_norm %x weight %w bias %b running_mean %m running_var %v eps 0.001
        : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$input, Optional<Aten_FloatTensor>:$weight, Optional<Aten_FloatTensor>:$bias,
                       Aten_FloatTensor:$running_mean, Aten_FloatTensor:$running_var, Aten_DefaultF64<"1e-05">:$eps);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `running_mean` $running_mean `running_var` $running_var
    (`eps` $eps^)? attr-dict `:` functional-type(operands, results)
  }];
  // batch_norm_c1, batch_norm_c2
  let infer = "inferChannelNorm(*this, \"batch_norm\", 2, results)";
  let flops = "4 * resultElements(*this)";
}

def Aten_GroupNormOp : Aten_Op<"group_norm", "Normalization", [AttrSizedOperandSegments]> {
  let summary = "normalisation per sample and group of channels";
  let description = [{
    ATen schema: `aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05,
    bool cudnn_enabled=True) -> Tensor`.

    Mean and (biased) variance over each sample's group of C / num_groups consecutive channels and all spatial positions;
    result = (input - mean) / sqrt(variance + eps) * weight[c] + bias[c].
    group_norm_c1: `input` has rank 2 or more; group_norm_c2: each vector has one element per channel and the input's element type;
    group_norm_c3: `num_groups` is positive and divides the channels.

    Example:

    ```mlir
    %0 = aten.group_norm %x weight %w bias %b num_groups 2
        : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$input, Aten_I64:$num_groups, Optional<Aten_FloatTensor>:$weight,
                       Optional<Aten_FloatTensor>:$bias, Aten_DefaultF64<"1e-05">:$eps);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `num_groups` $num_groups (`eps` $eps^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferGroupNorm(*this, getNumGroups(), results)";
  let flops = "8 * resultElements(*this)";
}

def Aten_InstanceNormOp : Aten_Op<"instance_norm", "Normalization", [AttrSizedOperandSegments]> {
  let summary = "normalisation per sample and channel";
  let description = [{
    ATen schema: `aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var,
    bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor`.

    Mean and (biased) variance over the spatial positions of each sample and channel, or the running ones if not
    `use_input_stats`; result = (input - mean) / sqrt(variance + eps) * weight[c] + bias[c].
    instance_norm_c1: `input` has rank 3 or more; instance_norm_c2: each vector has one element per channel and the input's
    element type; instance_norm_c3: both running statistics are present unless `use_input_stats`.

    Example:

    ```mlir
    %0 = aten.instance_norm %x : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$input, Optional<Aten_FloatTensor>:$weight, Optional<Aten_FloatTensor>:$bias,
                       Optional<Aten_FloatTensor>:$running_mean, Optional<Aten_FloatTensor>:$running_var,
                       Aten_True:$use_input_stats, Aten_DefaultF64<"1e-05">:$eps);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? (`running_mean` $running_mean^)? (`running_var` $running_var^)?
    (`use_input_stats` $use_input_stats^)? (`eps` $eps^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferInstanceNorm(*this, getUseInputStats() || (getRunningMean() && getRunningVar()), results)";
  let flops = "8 * resultElements(*this)";
}

def Aten_LayerNormOp : Aten_Op<"layer_norm", "Normalization", [AttrSizedOperandSegments], ["adaptToOperands"]> {
  let summary = "normalisation over the last dimensions";
  let description = [{
    ATen schema: `aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None,
    float eps=1e-05, bool cudnn_enable=True) -> Tensor`.

    Mean and (biased) variance over the last dimensions, whose extents are `normalized_shape`;
    result = (input - mean) / sqrt(variance + eps) * weight + bias.
    layer_norm_c1: `normalized_shape` is not empty and is the end of the input's shape; layer_norm_c2: `weight` and `bias` have that
    shape and the input's element type.

    Example:

    ```mlir
    %0 = aten.layer_norm %x weight %w bias %b normalized_shape [4, 8]
        : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$input, DenseI64ArrayAttr:$normalized_shape,
                       Optional<Aten_FloatTensor>:$weight, Optional<Aten_FloatTensor>:$bias,
                       Aten_DefaultF64<"1e-05">:$eps);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `normalized_shape` $normalized_shape (`eps` $eps^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferLayerNorm(*this, getNormalizedShape(), results)";
  let flops = "8 * resultElements(*this)";
}

#endif // KGEN_DIALECT_ATEN_ATENNORMOPS_TD
