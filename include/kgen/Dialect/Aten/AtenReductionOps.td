//===- AtenReductionOps.td - Ops that fold dimensions away -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENREDUCTIONOPS_TD
#define KGEN_DIALECT_ATEN_ATENREDUCTIONOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

/// Folds every dimension: the result is a rank-0 tensor.
class Aten_FullReductionOp<string mnemonic, Type type, string meaning>
    : Aten_Op<mnemonic, "Reduction"> {
  let summary = meaning # " of all elements";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self) -> Tensor`.\n\n"
      # "The " # meaning # " of all elements of `self`, as a rank-0 tensor.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x : (tensor<4x8xf32>) -> tensor<f32>\n```\n";
  let arguments = (ins type:$self);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self attr-dict `:` functional-type(operands, results)";
  let flops = "operandElements(*this)";
}

def Aten_MaxOp : Aten_FullReductionOp<"max", Aten_NumberTensor, "maximum"> {
  let infer = "inferReduction(*this, {}, false, results)";
}
def Aten_MeanOp : Aten_FullReductionOp<"mean", Aten_FloatTensor, "mean"> {
  let infer = "inferReduction(*this, {}, false, results)";
}
def Aten_MinOp : Aten_FullReductionOp<"min", Aten_NumberTensor, "minimum"> {
  let infer = "inferReduction(*this, {}, false, results)";
}
def Aten_ProdOp : Aten_FullReductionOp<"prod", Aten_Tensor, "product"> {
  let infer = "inferSum(*this, {}, false, results)";
}
def Aten_SumOp : Aten_FullReductionOp<"sum", Aten_Tensor, "sum"> {
  let infer = "inferSum(*this, {}, false, results)";
}

/// Folds the dimensions that `dim` names.
class Aten_DimsReductionOp<string mnemonic, Type type, string meaning, string params>
    : Aten_Op<mnemonic, "Reduction"> {
  let summary = meaning # " over dimensions";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self" # params # ") -> Tensor`.\n\n"
      # "The " # meaning # " over the dimensions in `dim` (all when it is empty), which are dropped, or kept "
      # "with extent 1 if `keepdim`. A negative one counts from the end.\n\nreduce_c1: each is within the rank; "
      # "reduce_c2: none is named twice.\n\nExample:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>\n```\n";
  let arguments = (ins type:$self, Aten_NoInts:$dim, Aten_False:$keepdim);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    $self (`dim` $dim^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferReduction(*this, getDim(), getKeepdim(), results)";
  let flops = "operandElements(*this)";
}

def Aten_AmaxOp : Aten_DimsReductionOp<"amax", Aten_NumberTensor, "maximum", ", int[1] dim=[], bool keepdim=False">;
def Aten_AminOp : Aten_DimsReductionOp<"amin", Aten_NumberTensor, "minimum", ", int[1] dim=[], bool keepdim=False">;
def Aten_LogsumexpOp : Aten_DimsReductionOp<"logsumexp", Aten_FloatTensor, "logarithm of the sum of exponentials",
    ", int[1] dim, bool keepdim=False"> {
  // max, subtract, exp, add
  let flops = "4 * operandElements(*this)";
}
def Aten_MeanDimOp : Aten_DimsReductionOp<"mean.dim", Aten_FloatTensor, "mean", ", int[1]? dim, bool keepdim=False">;
def Aten_SumDimIntListOp : Aten_DimsReductionOp<"sum.dim_IntList", Aten_Tensor, "sum",
    ", int[1]? dim, bool keepdim=False"> {
  let infer = "inferSum(*this, getDim(), getKeepdim(), results)";
}

/// Folds truth values: what is not zero is true.
class Aten_TruthReductionOp<string mnemonic, string meaning> : Aten_DimsReductionOp<mnemonic, Aten_Tensor, meaning,
    ", int[]? dim=None, bool keepdim=False"> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor`.\n\n"
      # "Whether " # meaning # " over the dimensions in `dim` (all when it is empty) is not zero. reduce_c1: each is within the rank; "
      # "reduce_c2: none is named twice.\n\nExample:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi1>\n```\n";
  let results = (outs Aten_BoolTensor:$result);
  let infer = "inferTruth(*this, getDim(), getKeepdim(), results)";
}
def Aten_AllDimsOp : Aten_TruthReductionOp<"all.dims", "every element">;
def Aten_AnyDimsOp : Aten_TruthReductionOp<"any.dims", "some element">;

def Aten_VarCorrectionOp : Aten_Op<"var.correction", "Reduction"> {
  let summary = "variance over dimensions";
  let description = [{
    ATen schema: `aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor`.

    sum (x - mean)^2 / max(N - `correction`, 0) over the N elements of the dimensions in `dim`, all when it is empty.
    reduce_c1: each of `dim` is within the rank; reduce_c2: none is named twice.

    Example:

    ```mlir
    %0 = aten.var.correction %x dim [1] correction 0.0 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_NoInts:$dim, Aten_DefaultF64<"1.0">:$correction, Aten_False:$keepdim);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $self (`dim` $dim^)? (`correction` $correction^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferReduction(*this, getDim(), getKeepdim(), results)";
  let flops = "4 * operandElements(*this)";
}

def Aten_LinalgVectorNormOp : Aten_Op<"linalg_vector_norm", "Reduction"> {
  let summary = "vector norm over dimensions";
  let description = [{
    ATen schema: `aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False) -> Tensor`.

    (sum |x| ** ord) ** (1 / ord) over the dimensions in `dim`, all when it is
    empty; the maximum of |x| for `ord` = infinity, the minimum for minus
    infinity, the number of non-zeros for 0. reduce_c1: each of `dim` is within the rank; reduce_c2: none is named twice.

    Example:

    ```mlir
    %0 = aten.linalg_vector_norm %x ord 1.0 dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_DefaultF64<"2.0">:$ord, Aten_NoInts:$dim, Aten_False:$keepdim);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = [{
    $self (`ord` $ord^)? (`dim` $dim^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferReduction(*this, getDim(), getKeepdim(), results)";
  let flops = "2 * operandElements(*this)";
}

def Aten_ProdDimIntOp : Aten_Op<"prod.dim_int", "Reduction"> {
  let summary = "product over one dimension";
  let description = [{
    ATen schema: `aten::prod.dim_int(Tensor self, int dim, bool keepdim=False) -> Tensor`.

    Example:

    ```mlir
    %0 = aten.prod.dim_int %x dim 1 : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_False:$keepdim);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    $self `dim` $dim (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferSum(*this, getDim(), getKeepdim(), results)";
  let flops = "operandElements(*this)";
}

/// Extremum and its position along one dimension.
class Aten_ExtremumDimOp<string mnemonic, string meaning> : Aten_Op<mnemonic, "Reduction"> {
  let summary = meaning # " over one dimension, and where it is";
  let description = "ATen schema: `aten::" # mnemonic
      # "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`.\n\n"
      # "`indices` holds the position of the first " # meaning # " along `dim`. ATen leaves open which of "
      # "several equal ones it is; here it is the first.\n\nExample:\n\n```mlir\n%v, %i = aten." # mnemonic
      # " %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)\n```\n";
  let arguments = (ins Aten_NumberTensor:$self, Aten_I64:$dim, Aten_False:$keepdim);
  let results = (outs Aten_NumberTensor:$values, Aten_IndexTensor:$indices);
  let assemblyFormat = [{
    $self `dim` $dim (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferExtremumDim(*this, getDim(), getKeepdim(), results)";
  let flops = "operandElements(*this)";
}

def Aten_MaxDimOp : Aten_ExtremumDimOp<"max.dim", "maximum">;
def Aten_MinDimOp : Aten_ExtremumDimOp<"min.dim", "minimum">;

/// Position of the extremum along one dimension, or in the flattened tensor.
class Aten_ArgExtremumOp<string mnemonic, string meaning> : Aten_Op<mnemonic, "Reduction"> {
  let summary = "position of the " # meaning;
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`.\n\n"
      # "The position of the first " # meaning # " along `dim`; without `dim` its position in the flattened "
      # "tensor.\n\nExample:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x dim 1 : (tensor<4x8xf32>) -> tensor<4xi64>\n```\n";
  let arguments = (ins Aten_NumberTensor:$self, OptionalAttr<Aten_I64>:$dim, Aten_False:$keepdim);
  let results = (outs Aten_IndexTensor:$result);
  let assemblyFormat = [{
    $self (`dim` $dim^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferArgExtremum(*this, getDim(), getKeepdim(), results)";
  let flops = "operandElements(*this)";
}

def Aten_ArgmaxOp : Aten_ArgExtremumOp<"argmax", "maximum">;
def Aten_ArgminOp : Aten_ArgExtremumOp<"argmin", "minimum">;

#endif // KGEN_DIALECT_ATEN_ATENREDUCTIONOPS_TD
