//===- AtenIndexOps.td - Positions that are read at run time -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENINDEXOPS_TD
#define KGEN_DIALECT_ATEN_ATENINDEXOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

// A position outside its dimension, which ATen refuses at run time, reads the nearest one inside it and writes nothing:
// no implementation of these ops may touch other memory.

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

def Aten_EmbeddingOp : Aten_Op<"embedding", "Other"> {
  let summary = "rows of a table";
  let description = [{
    ATen schema: `aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, ...) -> Tensor`.

    result[..., e] = weight[indices[...], e]. embedding_c1: `weight` has rank 2.

    Example:

    ```mlir
    %0 = aten.embedding %w, %i : (tensor<16x8xf32>, tensor<2x4xi64>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$weight, Aten_PositionTensor:$indices);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$weight `,` $indices attr-dict `:` functional-type(operands, results)";
  let infer = "inferEmbedding(*this, results)";
  let flops = "0";
}

def Aten_IndexSelectOp : Aten_Op<"index_select", "Other"> {
  let summary = "positions of a dimension";
  let description = [{
    ATen schema: `aten::index_select(Tensor self, int dim, Tensor index) -> Tensor`.

    Position i of `dim` is position index[i] of `self`. dim_c1: `dim` is within the rank; index_select_c1: `index` has
    rank 1 (or 0, which counts as one position).

    Example:

    ```mlir
    %0 = aten.index_select %x, %i dim 1 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_PositionTensor:$index);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `,` $index `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferIndexSelect(*this, getDim(), results)";
  let flops = "0";
}

def Aten_GatherOp : Aten_Op<"gather", "Other"> {
  let summary = "one position of a dimension for each element";
  let description = [{
    ATen schema: `aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor`.

    result[..., i, ...] = self[..., index[..., i, ...], ...] at dimension `dim`. dim_c1: `dim` is within the rank;
    gather_c1: `index` has the rank of `self`, and but for `dim` no larger extent.

    Example:

    ```mlir
    %0 = aten.gather %x, %i dim 1 : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_PositionTensor:$index);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `,` $index `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferGather(*this, getDim(), results)";
  let flops = "0";
}

def Aten_IndexTensorOp : Aten_Op<"index.Tensor", "Other"> {
  let summary = "elements at the positions that tensors hold";
  let description = [{
    ATen schema: `aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor`.

    Indexing with integer tensors, as NumPy has it: `dims` are the dimensions of `self` that `indices` index, in order;
    those are broadcast against each other, and their common shape takes the place of `dims` where these are neighbours,
    and else stands first. A negative position counts from the end. index_c1: as many `dims` as `indices`, increasing
    and within the rank; broadcast_c1: the indices broadcast.

    Example:

    ```mlir
    %0 = aten.index.Tensor %x, %i, %j dims [0, 1] : (tensor<4x8x2xf32>, tensor<3x1xi64>, tensor<5xi64>) -> tensor<3x5x2xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Variadic<Aten_PositionTensor>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self `,` $indices `dims` $dims attr-dict `:` functional-type(operands, results)";
  let infer = "inferIndex(*this, getDims(), results)";
  let flops = "0";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

def Aten_IndexPutOp : Aten_Op<"index_put", "Other"> {
  let summary = "a tensor with elements put at the positions that tensors hold";
  let description = [{
    ATen schema: `aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor`.

    `self`, but `values`, broadcast to the shape that `index.Tensor` would give, stand at those positions, or are
    added there if `accumulate`. Of several values at one position the last one stays; ATen leaves open which.
    index_c1, broadcast_c1 as for `index.Tensor`; index_put_c1: `values` has the element type of `self` and broadcasts.

    Example:

    ```mlir
    %0 = aten.index_put %x, %i values %v dims [0]
        : (tensor<4x8xf32>, tensor<2xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Variadic<Aten_PositionTensor>:$indices, Aten_Tensor:$values,
                       DenseI64ArrayAttr:$dims, Aten_False:$accumulate);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    $self `,` $indices `values` $values `dims` $dims (`accumulate` $accumulate^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferIndexPut(*this, getDims(), results)";
  let flops = "0";
}

/// What is written lies along one dimension of `self`, at the positions in `index`.
class Aten_ScatterOp<string mnemonic, string params, string meaning, string operands, string types>
    : Aten_Op<mnemonic, "Other"> {
  let summary = "a tensor with elements put at positions of a dimension";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int dim, Tensor index, " # params # ") -> Tensor`.\n\n"
      # "`self`, but " # meaning # " at position index[..., i, ...] of dimension `dim` for each element of `index`. "
      # "Where several elements of `index` name one position the last one counts; ATen leaves open which. "
      # "dim_c1: `dim` is within the rank; gather_c1: `index` has the rank of `self`, and but for `dim` no larger extent; "
      # "scatter_c1: `src` has the rank of `index`, no smaller extent, and the element type of `self`.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x, %i" # operands # " : (tensor<4x8xf32>, tensor<4x3xi64>" # types
      # ") -> tensor<4x8xf32>\n```\n";
  let results = (outs Aten_Tensor:$result);
  let infer = "inferScatter(*this, getDim(), results)";
  let flops = "0";
}

class Aten_ScatterSourceOp<string mnemonic, string meaning>
    : Aten_ScatterOp<mnemonic, "Tensor src", meaning, ", %s dim 1", ", tensor<4x3xf32>"> {
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_PositionTensor:$index, Aten_Tensor:$src);
  let assemblyFormat = "$self `,` $index `,` $src `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Aten_ScatterSrcOp : Aten_ScatterSourceOp<"scatter.src", "src[..., i, ...] stands">;
def Aten_ScatterAddOp : Aten_ScatterSourceOp<"scatter_add", "src[..., i, ...] is added">;
def Aten_ScatterValueOp : Aten_ScatterOp<"scatter.value", "Scalar value", "`value` stands", " dim 1 value 0.5", ""> {
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_PositionTensor:$index, Aten_F64:$value);
  let assemblyFormat = "$self `,` $index `dim` $dim `value` $value attr-dict `:` functional-type(operands, results)";
}
def Aten_ScatterReduceTwoOp : Aten_ScatterOp<"scatter_reduce.two", "Tensor src, str reduce, *, bool include_self=True",
    "the `reduce` (sum, prod, mean, amax or amin) of the elements of `src` and, if `include_self`, of `self` stands",
    ", %s dim 1 reduce \"amax\"", ", tensor<4x3xf32>"> {
  let arguments = (ins Aten_NumberTensor:$self, Aten_I64:$dim, Aten_PositionTensor:$index, Aten_NumberTensor:$src,
                       StrAttr:$reduce, Aten_True:$include_self);
  let assemblyFormat = [{
    $self `,` $index `,` $src `dim` $dim `reduce` $reduce (`include_self` $include_self^)?
    attr-dict `:` functional-type(operands, results)
  }];
  // scatter_reduce_c1: `reduce` is one of the five, and mean is of floats.
  let infer = "inferScatterReduce(*this, getDim(), getReduce(), results)";
}

def Aten_SliceScatterOp : Aten_Op<"slice_scatter", "Other"> {
  let summary = "a tensor with a range of a dimension replaced";
  let description = [{
    ATen schema: `aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1)
    -> Tensor`.

    `self`, but `src` stands at the positions that `slice.Tensor` would take. dim_c1, slice_c1 and slice_c2 as there;
    slice_scatter_c1: `src` has the type of that slice.

    Example:

    ```mlir
    %0 = aten.slice_scatter %x, %s dim 1 start 1 end 4 : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Aten_Tensor:$self, Aten_Tensor:$src, Aten_DefaultI64<"0">:$dim, OptionalAttr<Aten_I64>:$start,
                       OptionalAttr<Aten_I64>:$end, Aten_DefaultI64<"1">:$step);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = [{
    $self `,` $src (`dim` $dim^)? (`start` $start^)? (`end` $end^)? (`step` $step^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferSliceScatter(*this, getDim(), getStart(), getEnd(), getStep(), results)";
  let flops = "0";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def Aten_SortOp : Aten_Op<"sort", "Other"> {
  let summary = "elements in order along a dimension, and where they were";
  let description = [{
    ATen schema: `aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)`.

    Equal elements keep their order; NaN counts as the largest. dim_c1: `dim` is within the rank.

    Example:

    ```mlir
    %v, %i = aten.sort %x dim 0 descending true : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
    ```
  }];
  let arguments = (ins Aten_NumberTensor:$self, Aten_DefaultI64<"-1">:$dim, Aten_False:$descending);
  let results = (outs Aten_NumberTensor:$values, Aten_IndexTensor:$indices);
  let assemblyFormat = [{
    $self (`dim` $dim^)? (`descending` $descending^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferTopk(*this, std::nullopt, getDim(), results)";
  let flops = "operandElements(*this)";
}

def Aten_TopkOp : Aten_Op<"topk", "Other"> {
  let summary = "the first elements in order along a dimension, and where they were";
  let description = [{
    ATen schema: `aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True)
    -> (Tensor values, Tensor indices)`.

    The `k` largest elements (smallest unless `largest`), in order; of equal ones the first come first, where ATen leaves
    open which come at all. NaN counts as the largest. dim_c1: `dim` is within the rank; topk_c1: `k` is within the extent.

    Example:

    ```mlir
    %v, %i = aten.topk %x k 2 : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
    ```
  }];
  let arguments = (ins Aten_NumberTensor:$self, Aten_I64:$k, Aten_DefaultI64<"-1">:$dim, Aten_True:$largest);
  let results = (outs Aten_NumberTensor:$values, Aten_IndexTensor:$indices);
  let assemblyFormat = [{
    $self `k` $k (`dim` $dim^)? (`largest` $largest^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferTopk(*this, getK(), getDim(), results)";
  let flops = "operandElements(*this)";
}

//===----------------------------------------------------------------------===//
// A product whose weight is picked at run time
//===----------------------------------------------------------------------===//

def Aten_GroupedMmOp : Aten_Op<"_grouped_mm", "Contraction"> {
  let summary = "products of groups of rows with a matrix each";
  let description = [{
    ATen schema: `aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType?
    out_dtype=None) -> Tensor`, for a `self` of rank 2.

    result[m, n] = sum over k of self[m, k] * mat2[g, k, n], where g is the number of elements of `offs` that are not above
    m: group g ends before row offs[g]. grouped_mm_c1: `self` has rank 2 and `mat2` rank 3; grouped_mm_c2: equal inner extents
    and element types; grouped_mm_c3: `offs` has one element for each matrix.

    Example:

    ```mlir
    %0 = aten._grouped_mm %x, %w, %o : (tensor<6x4xf32>, tensor<3x4x8xf32>, tensor<3xi32>) -> tensor<6x8xf32>
    ```
  }];
  let arguments = (ins Aten_FloatTensor:$self, Aten_FloatTensor:$mat2, Aten_PositionTensor:$offs);
  let results = (outs Aten_FloatTensor:$result);
  let assemblyFormat = "$self `,` $mat2 `,` $offs attr-dict `:` functional-type(operands, results)";
  let infer = "inferGroupedMm(*this, results)";
  let flops = "2 * resultElements(*this) * lastExtent(getSelf())";
}

#endif // KGEN_DIALECT_ATEN_ATENINDEXOPS_TD
