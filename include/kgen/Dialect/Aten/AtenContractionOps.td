//===- AtenContractionOps.td - Products, convolution, attention -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENCONTRACTIONOPS_TD
#define KGEN_DIALECT_ATEN_ATENCONTRACTIONOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

def Aten_BmmOp : Aten_Op<"bmm", "Contraction"> {
  let summary = "batched matrix product";
  let description = [{
    ATen schema: `aten::bmm(Tensor self, Tensor mat2) -> Tensor`.

    result[b, m, n] = sum over k of self[b, m, k] * mat2[b, k, n].
    bmm_c1: both have rank 3; bmm_c2: equal batch and inner extents and element types.

    Example:

    ```mlir
    %0 = aten.bmm %x, %y : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_FloatTensor:$mat2);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `,` $mat2 attr-dict `:` functional-type(operands, results)";
  let infer = "inferBmm(*this, 3, results)";
  let flops = "2 * resultElements(*this) * lastExtent(getSelf())";
}

def Aten_MmOp : Aten_Op<"mm", "Contraction"> {
  let summary = "matrix product of two matrices";
  let description = [{
    ATen schema: `aten::mm(Tensor self, Tensor mat2) -> Tensor`.

    result[m, n] = sum over k of self[m, k] * mat2[k, n]. bmm_c1: both have
    rank 2; bmm_c2: equal inner extents and element types.

    Example:

    ```mlir
    %0 = aten.mm %x, %y : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_FloatTensor:$mat2);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `,` $mat2 attr-dict `:` functional-type(operands, results)";
  let infer = "inferBmm(*this, 2, results)";
  let flops = "2 * resultElements(*this) * lastExtent(getSelf())";
}

def Aten_MatmulOp : Aten_Op<"matmul", "Contraction"> {
  let summary = "matrix product with broadcast batch dimensions";
  let description = [{
    ATen schema: `aten::matmul(Tensor self, Tensor other) -> Tensor`.

    result[..., m, n] = sum over k of self[..., m, k] * other[..., k, n]; the
    leading dimensions are broadcast against each other. A rank-1 `self` is a
    row, a rank-1 `other` a column, and that dimension is dropped again.
    matmul_c1: no operand has rank 0; matmul_c2: inner extents are equal;
    matmul_c3: element types are equal; broadcast_c1 for the batch.

    Example:

    ```mlir
    %0 = aten.matmul %x, %y : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_FloatTensor:$other);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `,` $other attr-dict `:` functional-type(operands, results)";
  let infer = "inferMatmul(*this, results)";
  let flops = "2 * resultElements(*this) * lastExtent(getSelf())";
}

def Aten_LinearOp : Aten_Op<"linear", "Contraction"> {
  let summary = "product with a transposed weight, plus bias";
  let description = [{
    ATen schema: `aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor`.

    result[..., n] = sum over k of input[..., k] * weight[n, k] + bias[n].
    linear_c1: `weight` has rank 2 and `input` at least 1; linear_c2: equal inner extents; linear_c3: `bias`
    has extent n; linear_c4: element types are equal.

    Example:

    ```mlir
    %0 = aten.linear %x, %w, %b : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$input, Aten_FloatTensor:$weight, Optional<Aten_FloatTensor>:$bias);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
  let infer = "inferLinear(*this, results)";
  let flops = "(2 * lastExtent(getInput()) + (getBias() ? 1 : 0)) * resultElements(*this)";
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

class Aten_ConvOp<string mnemonic, int n, string description_>
    : Aten_Op<mnemonic, "Contraction"> {
  let summary = n # "-D convolution (cross-correlation)";
  let description = description_;
  let arguments = (ins Aten_FloatTensor:$input, Aten_FloatTensor:$weight, Optional<Aten_FloatTensor>:$bias,
                       Aten_DefaultInts<"1", n>:$stride, Aten_DefaultInts<"0", n>:$padding,
                       Aten_DefaultInts<"1", n>:$dilation, Aten_DefaultI64<"1">:$groups);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? (`stride` $stride^)? (`padding` $padding^)? (`dilation` $dilation^)?
    (`groups` $groups^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferConvolution(*this, {getStride(), getPadding(), getDilation(), getGroups()}, results)";
  let flops = "convolutionFlops(*this, getInput(), getWeight())";
}

class Aten_ConvText<int n, string params, string example> {
  string text = "ATen schema: `aten::conv" # n # "d(Tensor input, Tensor weight, Tensor? bias=None, " # params # ") -> Tensor`.\n\n"
      # "`input` is (N, C, spatial...), `weight` (F, C / groups, kernel...), `bias` (F). Output channel f belongs to "
      # "group f / (F / groups) and sees only that group's input channels. Each spatial extent becomes "
      # "(in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down.\n\n"
      # "conv_c1: `input` and `weight` have rank " # !add(n, 2) # "; conv_c2: extent 1 of `weight` is the input channels / "
      # "`groups`; conv_c3: `bias` has one element per output channel; conv_c4: " # n # " strides and dilations of at least "
      # "1, " # n # " paddings of at least 0; conv_c5: `groups` divides both channel counts; conv_c6: the dilated kernel "
      # "fits the padded input; conv_c7: element types are equal.\n\n"
      # "Example:\n\n```mlir\n" # example # "\n```\n";
}

def Aten_Conv1dOp : Aten_ConvOp<"conv1d", 1, Aten_ConvText<1, "int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1",
    "%0 = aten.conv1d %x, %w dilation [2] : (tensor<1x4x16xf32>, tensor<8x4x3xf32>) -> tensor<1x8x12xf32>">.text>;
def Aten_Conv2dOp : Aten_ConvOp<"conv2d", 2, Aten_ConvText<2, "int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1",
    "%0 = aten.conv2d %x, %w, %b stride [4, 4] padding [2, 2] "
    # ": (tensor<4x3x64x64xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<4x96x15x15xf32>">.text>;
def Aten_Conv3dOp : Aten_ConvOp<"conv3d", 3, Aten_ConvText<3, "int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1",
    "%0 = aten.conv3d %x, %w groups 2 "
    # ": (tensor<1x4x8x8x8xf32>, tensor<6x2x3x3x3xf32>) -> tensor<1x6x6x6x6xf32>">.text>;

class Aten_ConvTransposeOp<string mnemonic, int n, string description_>
    : Aten_Op<mnemonic, "Contraction"> {
  let summary = n # "-D transposed convolution";
  let description = description_;
  let arguments = (ins Aten_FloatTensor:$input, Aten_FloatTensor:$weight, Optional<Aten_FloatTensor>:$bias,
                       Aten_DefaultInts<"1", n>:$stride, Aten_DefaultInts<"0", n>:$padding,
                       Aten_DefaultInts<"0", n>:$output_padding, Aten_DefaultI64<"1">:$groups,
                       Aten_DefaultInts<"1", n>:$dilation);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? (`stride` $stride^)? (`padding` $padding^)? (`output_padding` $output_padding^)?
    (`groups` $groups^)? (`dilation` $dilation^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferConvTranspose(*this, {getStride(), getPadding(), getDilation(), getGroups()}, "
      # "getOutputPadding(), results)";
  let flops = "convTransposeFlops(*this, getInput(), getWeight())";
}

class Aten_ConvTransposeText<string name, int n, string example> {
  string text = "ATen schema: `aten::" # name # "(Tensor input, Tensor weight, Tensor? bias=None, int[" # n # "] stride=1, int["
      # n # "] padding=0, int[" # n # "] output_padding=0, int groups=1, int[" # n # "] dilation=1) -> Tensor`.\n\n"
      # "The gradient of the convolution with respect to its input. `input` is (N, C, spatial...), `weight` "
      # "(C, F / groups, kernel...), `bias` (F). Each spatial extent becomes (in - 1) * stride - 2 * padding + "
      # "dilation * (kernel - 1) + output_padding + 1.\n\n"
      # "conv_transpose_c1: `input` and `weight` have rank " # !add(n, 2) # "; conv_transpose_c2: extent 0 of `weight` is the "
      # "input channels; conv_transpose_c3: `bias` has one element per output channel; conv_transpose_c4: " # n
      # " strides and dilations of at least 1, " # n # " paddings and output paddings of at least 0; conv_transpose_c5: `groups` "
      # "divides the input channels; conv_transpose_c6: an output padding is below its stride or dilation, and the output is "
      # "not empty; conv_transpose_c7: element types are equal.\n\n"
      # "Example:\n\n```mlir\n" # example # "\n```\n";
}

def Aten_ConvTranspose1dOp : Aten_ConvTransposeOp<"conv_transpose1d", 1, Aten_ConvTransposeText<"conv_transpose1d", 1,
    "%0 = aten.conv_transpose1d %x, %w stride [2] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x17xf32>">.text>;
def Aten_ConvTranspose2dInputOp : Aten_ConvTransposeOp<"conv_transpose2d.input", 2,
    Aten_ConvTransposeText<"conv_transpose2d.input", 2,
    "%0 = aten.conv_transpose2d.input %x, %w, %b stride [2, 2] padding [1, 1] output_padding [1, 1] "
    # ": (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<1x6x16x16xf32>">.text>;
def Aten_ConvTranspose3dInputOp : Aten_ConvTransposeOp<"conv_transpose3d.input", 3,
    Aten_ConvTransposeText<"conv_transpose3d.input", 3,
    "%0 = aten.conv_transpose3d.input %x, %w groups 2 "
    # ": (tensor<1x4x4x4x4xf32>, tensor<4x3x3x3x3xf32>) -> tensor<1x6x6x6x6xf32>">.text>;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def Aten_ScaledDotProductAttentionOp : Aten_Op<"scaled_dot_product_attention", "Contraction"> {
  let summary = "softmax(query * key^T * scale + mask) * value";
  let description = [{
    ATen schema: `aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
    float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor`.

    `query` is (..., L, E), `key` (..., S, E), `value` (..., S, Ev), with equal leading dimensions; the result is
    (..., L, Ev). `scale` is 1 / sqrt(E) when absent. With `is_causal`, row i sees the keys 0 to i. A mask is broadcast to
    (..., L, S): of type i1, false hides a key; of a float type it is added. The softmax is over S.
    sdpa_c1: ranks are equal and at least 2; sdpa_c2: leading extents, E and S agree; sdpa_c3: `attn_mask`
    broadcasts to (..., L, S) and is i1 or of the query's element type; sdpa_c4: no mask together with `is_causal`;
    sdpa_c5: `dropout_p` is 0; sdpa_c6: element types are equal. Grouped queries are left out.

    Example:

    ```mlir
    %0 = aten.scaled_dot_product_attention %q, %k, %v is_causal true
        : (tensor<1x2x64x32xf16>, tensor<1x2x64x32xf16>, tensor<1x2x64x32xf16>) -> tensor<1x2x64x32xf16>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$query, Aten_FloatTensor:$key, Aten_FloatTensor:$value,
                       Optional<Aten_MaskTensor>:$attn_mask, Aten_DefaultF64<"0.0">:$dropout_p,
                       Aten_False:$is_causal, OptionalAttr<Aten_F64>:$scale);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`attn_mask` $attn_mask^)? (`dropout_p` $dropout_p^)? (`is_causal` $is_causal^)?
    (`scale` $scale^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferAttention(*this, getDropoutP(), getIsCausal(), results)";
  let flops = "attentionFlops(getQuery(), getKey(), getValue(), getIsCausal())";
}

#endif // KGEN_DIALECT_ATEN_ATENCONTRACTIONOPS_TD
