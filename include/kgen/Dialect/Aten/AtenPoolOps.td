//===- AtenPoolOps.td - Sliding windows -----------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENPOOLOPS_TD
#define KGEN_DIALECT_ATEN_ATENPOOLOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

class Aten_PoolText<string name, int n, string what, string params, string example> {
  string text = "ATen schema: `aten::" # name # "(Tensor self, int[" # n # "] kernel_size, int[" # n # "] stride=[], int["
      # n # "] padding=0" # params # ") -> Tensor`.\n\n"
      # "The " # what # " of each window over the last " # n # " dimensions of `self`, which is (N, C, spatial...) or "
      # "(C, spatial...). An empty `stride` means `kernel_size`: `getEffectiveStride()` says which. Each extent becomes "
      # "(in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down, or up with `ceil_mode` "
      # "as long as the last window starts inside the input or its left padding.\n\n"
      # "pool_c1: `self` has rank " # !add(n, 1) # " or " # !add(n, 2) # "; pool_c2: " # n # " sizes of each sort (`stride` may be "
      # "empty), windows, strides and dilations at least 1, paddings at least 0; pool_c3: a padding is at most half its window; "
      # "pool_c4: the window fits the padded input.\n\n"
      # "Example:\n\n```mlir\n" # example # "\n```\n";
}

class Aten_PoolOp<string mnemonic, string description_> : Aten_Op<mnemonic, "Window"> {
  let description = description_;
  let results = (outs Aten_FloatTensor:$result);
  let flops = "windowFlops(*this, getKernelSize())";
  let extraClassDeclaration = [{
    /// The distance between windows: `stride`, or `kernel_size` where that is empty.
    ::llvm::ArrayRef<int64_t> getEffectiveStride() { return getStride().empty() ? getKernelSize() : getStride(); }
  }];
}

class Aten_MaxPoolOp<int n, string example>
    : Aten_PoolOp<"max_pool" # n # "d", Aten_PoolText<"max_pool" # n # "d", n,
        "maximum (padding counts as minus infinity)", ", int[" # n # "] dilation=1, bool ceil_mode=False", example>.text> {
  let summary = n # "-D maximum pooling";
  let arguments = (ins Aten_FloatTensor:$self, DenseI64ArrayAttr:$kernel_size, Aten_NoInts:$stride,
                       Aten_DefaultInts<"0", n>:$padding, Aten_DefaultInts<"1", n>:$dilation, Aten_False:$ceil_mode);
  let assemblyFormat = [{
    $self `kernel` $kernel_size (`stride` $stride^)? (`padding` $padding^)? (`dilation` $dilation^)?
    (`ceil_mode` $ceil_mode^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferPool(*this, {getKernelSize(), getEffectiveStride(), getPadding(), getDilation(), getCeilMode()}, "
      # n # ", results)";
}

def Aten_MaxPool1dOp : Aten_MaxPoolOp<1,
    "%0 = aten.max_pool1d %x kernel [8] stride [1] padding [4] dilation [3] : (tensor<2x4x32xf32>) -> tensor<2x4x19xf32>">;
def Aten_MaxPool2dOp : Aten_MaxPoolOp<2,
    "%0 = aten.max_pool2d %x kernel [3, 3] stride [2, 2] : (tensor<2x4x15x15xf32>) -> tensor<2x4x7x7xf32>">;
def Aten_MaxPool3dOp : Aten_MaxPoolOp<3,
    "%0 = aten.max_pool3d %x kernel [2, 2, 2] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>">;

/// The average divides by the window's size, by the part of it inside the
/// input if not `count_include_pad`, or by `divisor_override`.
class Aten_AvgPoolOp<int n, string params, string example>
    : Aten_PoolOp<"avg_pool" # n # "d", Aten_PoolText<"avg_pool" # n # "d", n,
        "average (padding counts as 0)", ", bool ceil_mode=False, bool count_include_pad=True" # params, example>.text> {
  let summary = n # "-D average pooling";
  let infer = "inferPool(*this, {getKernelSize(), getEffectiveStride(), getPadding(), {}, getCeilMode()}, " # n # ", results)";
}

def Aten_AvgPool1dOp : Aten_AvgPoolOp<1, "",
    "%0 = aten.avg_pool1d %x kernel [8] stride [1] padding [4] : (tensor<2x4x32xf32>) -> tensor<2x4x33xf32>"> {
  let arguments = (ins Aten_FloatTensor:$self, DenseI64ArrayAttr:$kernel_size, Aten_NoInts:$stride,
                       Aten_DefaultInts<"0", 1>:$padding, Aten_False:$ceil_mode, Aten_True:$count_include_pad);
  let assemblyFormat = [{
    $self `kernel` $kernel_size (`stride` $stride^)? (`padding` $padding^)? (`ceil_mode` $ceil_mode^)?
    (`count_include_pad` $count_include_pad^)? attr-dict `:` functional-type(operands, results)
  }];
}

class Aten_DivisorAvgPoolOp<int n, string example> : Aten_AvgPoolOp<n, ", int? divisor_override=None", example> {
  let arguments = (ins Aten_FloatTensor:$self, DenseI64ArrayAttr:$kernel_size, Aten_NoInts:$stride,
                       Aten_DefaultInts<"0", n>:$padding, Aten_False:$ceil_mode, Aten_True:$count_include_pad,
                       OptionalAttr<Aten_I64>:$divisor_override);
  let assemblyFormat = [{
    $self `kernel` $kernel_size (`stride` $stride^)? (`padding` $padding^)? (`ceil_mode` $ceil_mode^)?
    (`count_include_pad` $count_include_pad^)? (`divisor_override` $divisor_override^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Aten_AvgPool2dOp : Aten_DivisorAvgPoolOp<2,
    "%0 = aten.avg_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false "
    # ": (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>">;
def Aten_AvgPool3dOp : Aten_DivisorAvgPoolOp<3,
    "%0 = aten.avg_pool3d %x kernel [2, 2, 2] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x4x4x4xf32>">;

class Aten_AdaptiveAvgPoolOp<int n, string example> : Aten_Op<"adaptive_avg_pool" # n # "d", "Window"> {
  let summary = n # "-D average pooling to a given size";
  let description = "ATen schema: `aten::adaptive_avg_pool" # n # "d(Tensor self, int[" # n # "] output_size) -> Tensor`.\n\n"
      # "Output position i along a dimension is the average of the inputs from i * in / out, rounded down, to "
      # "(i + 1) * in / out, rounded up.\n\nadaptive_c1: `self` has rank " # !add(n, 1) # " or " # !add(n, 2)
      # "; adaptive_c2: " # n # " output sizes of at least 1.\n\n"
      # "Example:\n\n```mlir\n" # example # "\n```\n";
  let arguments = (ins Aten_FloatTensor:$self, DenseI64ArrayAttr:$output_size);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `output_size` $output_size attr-dict `:` functional-type(operands, results)";
  let infer = "inferAdaptivePool(*this, getOutputSize(), " # n # ", results)";
  let flops = "operandElements(*this)";
}

def Aten_AdaptiveAvgPool1dOp : Aten_AdaptiveAvgPoolOp<1,
    "%0 = aten.adaptive_avg_pool1d %x output_size [5] : (tensor<2x4x8xf32>) -> tensor<2x4x5xf32>">;
def Aten_AdaptiveAvgPool2dOp : Aten_AdaptiveAvgPoolOp<2,
    "%0 = aten.adaptive_avg_pool2d %x output_size [1, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>">;
def Aten_AdaptiveAvgPool3dOp : Aten_AdaptiveAvgPoolOp<3,
    "%0 = aten.adaptive_avg_pool3d %x output_size [1, 1, 1] : (tensor<2x4x8x8x8xf32>) -> tensor<2x4x1x1x1xf32>">;

#endif // KGEN_DIALECT_ATEN_ATENPOOLOPS_TD
