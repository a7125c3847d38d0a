//===- AtenShapeOps.td - Ops that move elements ---------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENSHAPEOPS_TD
#define KGEN_DIALECT_ATEN_ATENSHAPEOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

/// One tensor in, its elements out in another shape or order. `params` is the
/// schema's text after `Tensor self`.
class Aten_RearrangeOp<string mnemonic, string params, string meaning, string example, list<string> shapeMethods = []>
    : Aten_Op<mnemonic, "View", [], shapeMethods> {
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self" # params # ") -> Tensor`.\n\n" # meaning
      # "\n\nExample:\n\n```mlir\n%0 = aten." # mnemonic # " " # example # "\n```\n";
  let arguments = (ins Aten_Tensor:$self);
  let results = (outs Aten_Tensor:$result);
  let flops = "0";
}

/// view_c1: at most one -1, all others positive; view_c2: as many elements as before.
class Aten_ReshapeLikeOp<string mnemonic, string attribute>
    : Aten_RearrangeOp<mnemonic, ", int[] " # attribute,
        "The elements in row-major order under the extents `" # attribute # "`, of which one may be -1: whatever remains. "
        # "view_c1: at most one is -1, the others are positive; view_c2: the number of elements stays.",
        "%x " # attribute # " [4, -1] : (tensor<2x4x8xf32>) -> tensor<4x16xf32>", ["adaptToOperands"]> {
  let summary = "the same elements under another shape";
}

def Aten_ReshapeOp : Aten_ReshapeLikeOp<"reshape", "shape"> {
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$self `shape` $shape attr-dict `:` functional-type(operands, results)";
  let infer = "inferView(*this, getShape(), results)";
}
def Aten_ViewOp : Aten_ReshapeLikeOp<"view", "size"> {
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$size);
  let assemblyFormat = "$self `size` $size attr-dict `:` functional-type(operands, results)";
  let infer = "inferView(*this, getSize(), results)";
}

def Aten_ExpandOp : Aten_RearrangeOp<"expand", ", int[] size",
    "Repeats dimensions of extent 1 and adds leading ones; -1 keeps an extent. "
    # "expand_c1: not fewer dimensions than before; expand_c2: an extent other than 1 stays.",
    "%x size [2, -1, 8] : (tensor<4x1xf32>) -> tensor<2x4x8xf32>", ["adaptToOperands"]> {
  let summary = "repeats dimensions of extent 1";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$size);
  let assemblyFormat = "$self `size` $size attr-dict `:` functional-type(operands, results)";
  let infer = "inferExpand(*this, getSize(), results)";
}

def Aten_FlattenUsingIntsOp : Aten_RearrangeOp<"flatten.using_ints", ", int start_dim=0, int end_dim=-1",
    "Merges the dimensions from `start_dim` to `end_dim`, both included. "
    # "dim_c1: both are within the rank; flatten_c1: in this order.",
    "%x start_dim 1 : (tensor<2x4x8xf32>) -> tensor<2x32xf32>"> {
  let summary = "merges neighbouring dimensions";
  let arguments = (ins Aten_Tensor:$self, Aten_DefaultI64<"0">:$start_dim, Aten_DefaultI64<"-1">:$end_dim);
  let assemblyFormat = [{
    $self (`start_dim` $start_dim^)? (`end_dim` $end_dim^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferFlatten(*this, getStartDim(), getEndDim(), results)";
}

def Aten_NumpyTOp : Aten_RearrangeOp<"numpy_T", "", "Reverses the order of the dimensions.",
    "%x : (tensor<2x4x8xf32>) -> tensor<8x4x2xf32>"> {
  let summary = "reverses the order of the dimensions";
  let assemblyFormat = "$self attr-dict `:` functional-type(operands, results)";
  let infer = "inferReversed(*this, results)";
}

def Aten_PermuteOp : Aten_RearrangeOp<"permute", ", int[] dims",
    "Dimension i of the result is dimension `dims[i]` of `self`. permute_c1: `dims` is a permutation.",
    "%x dims [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>"> {
  let summary = "reorders the dimensions";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$self `dims` $dims attr-dict `:` functional-type(operands, results)";
  let infer = "inferPermute(*this, getDims(), results)";
}

def Aten_TransposeIntOp : Aten_RearrangeOp<"transpose.int", ", int dim0, int dim1",
    "Swaps two dimensions. dim_c1: both are within the rank.",
    "%x dim0 1 dim1 2 : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>"> {
  let summary = "swaps two dimensions";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim0, Aten_I64:$dim1);
  let assemblyFormat = "$self `dim0` $dim0 `dim1` $dim1 attr-dict `:` functional-type(operands, results)";
  let infer = "inferTranspose(*this, getDim0(), getDim1(), results)";
}

def Aten_UnsqueezeOp : Aten_RearrangeOp<"unsqueeze", ", int dim",
    "Inserts a dimension of extent 1 so that it is dimension `dim` of the result. dim_c1: it is within the result's rank.",
    "%x dim -1 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>"> {
  let summary = "inserts a dimension of extent 1";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim);
  let assemblyFormat = "$self `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferUnsqueeze(*this, getDim(), results)";
}

def Aten_SqueezeDimOp : Aten_RearrangeOp<"squeeze.dim", ", int dim",
    "Drops dimension `dim` if its extent is 1. dim_c1: it is within the rank.",
    "%x dim 1 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>"> {
  let summary = "drops a dimension of extent 1";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim);
  let assemblyFormat = "$self `dim` $dim attr-dict `:` functional-type(operands, results)";
  let infer = "inferSqueeze(*this, getDim(), results)";
}

def Aten_SelectIntOp : Aten_RearrangeOp<"select.int", ", int dim, int index",
    "The slice at `index` of `dim`, which is dropped. dim_c1: `dim` is within the rank; select_c1: `index` within the extent.",
    "%x dim 1 index 0 : (tensor<2x4x8xf32>) -> tensor<2x8xf32>"> {
  let summary = "one position of a dimension";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_I64:$index);
  let assemblyFormat = "$self `dim` $dim `index` $index attr-dict `:` functional-type(operands, results)";
  let infer = "inferSelect(*this, getDim(), getIndex(), results)";
}

def Aten_SliceTensorOp : Aten_RearrangeOp<"slice.Tensor", ", int dim=0, int? start=None, int? end=None, int step=1",
    "Positions from `start` up to, not including, `end` in steps of `step`. Negative bounds count from the end, then both "
    # "are clamped to the extent: `getBounds()` gives the result. dim_c1: `dim` is within the rank; slice_c1: `step` is positive; "
    # "slice_c2: at least one position is left.",
    "%x dim 1 start 1 end 4 : (tensor<2x4x8xf32>) -> tensor<2x3x8xf32>"> {
  let summary = "a range of a dimension";
  let arguments = (ins Aten_Tensor:$self, Aten_DefaultI64<"0">:$dim, OptionalAttr<Aten_I64>:$start,
                       OptionalAttr<Aten_I64>:$end, Aten_DefaultI64<"1">:$step);
  let assemblyFormat = [{
    $self (`dim` $dim^)? (`start` $start^)? (`end` $end^)? (`step` $step^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferSlice(*this, getDim(), getStart(), getEnd(), getStep(), results)";
  let extraClassDeclaration = [{
    /// `start` and `end` as they act: defaults filled in, counted from the front and within the extent.
    std::pair<int64_t, int64_t> getBounds() {
      int64_t dim = getDim() < 0 ? getDim() + getSelf().getType().getRank() : getDim();
      return ::kgen::aten::clampSlice(getStart(), getEnd(), getSelf().getType().getDimSize(dim));
    }
  }];
}

def Aten_NarrowOp : Aten_RearrangeOp<"narrow", ", int dim, int start, int length",
    "`length` positions from `start` on. dim_c1: `dim` is within the rank; narrow_c1: the range is within the extent.",
    "%x dim 1 start 1 length 2 : (tensor<2x4x8xf32>) -> tensor<2x2x8xf32>"> {
  let summary = "a range of a dimension, by its length";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dim, Aten_I64:$start, Aten_I64:$length);
  let assemblyFormat = [{
    $self `dim` $dim `start` $start `length` $length attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferNarrow(*this, getDim(), getStart(), getLength(), results)";
}

def Aten_FlipOp : Aten_RearrangeOp<"flip", ", int[] dims",
    "Reverses the order of the elements along `dims`. reduce_c1: each is within the rank; reduce_c2: none is named twice.",
    "%x dims [1] : (tensor<2x4xf32>) -> tensor<2x4xf32>"> {
  let summary = "reverses the order of elements along dimensions";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$self `dims` $dims attr-dict `:` functional-type(operands, results)";
  let infer = "inferFlip(*this, getDims(), results)";
}

def Aten_RepeatOp : Aten_RearrangeOp<"repeat", ", SymInt[] repeats",
    "The tensor `repeats[d]` times one after the other along each dimension d; dimensions that `self` lacks are added in front. "
    # "repeat_c1: at least as many numbers as dimensions; repeat_c2: none is negative.",
    "%x repeats [3, 1, 2] : (tensor<2x4xf32>) -> tensor<3x2x8xf32>"> {
  let summary = "the same tensor several times";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$repeats);
  let assemblyFormat = "$self `repeats` $repeats attr-dict `:` functional-type(operands, results)";
  let infer = "inferRepeat(*this, getRepeats(), results)";
}

def Aten_RollOp : Aten_RearrangeOp<"roll", ", SymInt[1] shifts, int[1] dims=[]",
    "Element i of dimension dims[n] goes to i + shifts[n], counted round the extent. roll_c1: as many shifts as dimensions; "
    # "reduce_c1: each is within the rank; reduce_c2: none is named twice.",
    "%x shifts [1] dims [1] : (tensor<2x4xf32>) -> tensor<2x4xf32>"> {
  let summary = "moves elements round dimensions";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$shifts, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$self `shifts` $shifts `dims` $dims attr-dict `:` functional-type(operands, results)";
  let infer = "inferRoll(*this, getShifts(), getDims(), results)";
}

def Aten_ConstantPadNdOp : Aten_RearrangeOp<"constant_pad_nd", ", SymInt[] pad, Scalar value=0",
    "`value` around the dimensions: `pad` holds the numbers of elements before and after, the last dimension's first; a negative "
    # "one drops elements. pad_c1: `pad` has two numbers for each of at most all dimensions; pad_c2: none drops more than there is.",
    "%x pad [1, 2] value 0.5 : (tensor<2x4xf32>) -> tensor<2x7xf32>"> {
  let summary = "a number around a tensor";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$pad, Aten_DefaultF64<"0.0">:$value);
  let assemblyFormat = "$self `pad` $pad (`value` $value^)? attr-dict `:` functional-type(operands, results)";
  let infer = "inferConstantPad(*this, getPad(), results)";
}

def Aten_UnfoldOp : Aten_RearrangeOp<"unfold", ", int dimension, SymInt size, SymInt step",
    "Windows of `size` elements of `dimension`, one every `step`: dimension `dimension` of the result counts the windows, a new "
    # "last one the elements of each. dim_c1: `dimension` is within the rank; unfold_c1: `size` is within the extent, and `step` positive.",
    "%x dimension 1 size 3 step 2 : (tensor<2x8xf32>) -> tensor<2x3x3xf32>"> {
  let summary = "the windows of a dimension";
  let arguments = (ins Aten_Tensor:$self, Aten_I64:$dimension, Aten_I64:$size, Aten_I64:$step);
  let assemblyFormat = [{
    $self `dimension` $dimension `size` $size `step` $step attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferUnfold(*this, getDimension(), getSize(), getStep(), results)";
}

def Aten_DiagonalOp : Aten_RearrangeOp<"diagonal", ", int offset=0, int dim1=0, int dim2=1",
    "The elements whose position along `dim2` is that along `dim1` plus `offset`, as a new last dimension. dim_c1: both are within the "
    # "rank; diagonal_c1: they differ. One beside the matrix is empty.",
    "%x offset 1 : (tensor<4x8xf32>) -> tensor<4xf32>"> {
  let summary = "a diagonal of two dimensions";
  let arguments = (ins Aten_Tensor:$self, Aten_DefaultI64<"0">:$offset, Aten_DefaultI64<"0">:$dim1, Aten_DefaultI64<"1">:$dim2);
  let assemblyFormat = [{
    $self (`offset` $offset^)? (`dim1` $dim1^)? (`dim2` $dim2^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferDiagonal(*this, getOffset(), getDim1(), getDim2(), results)";
}

def Aten_AsStridedOp : Aten_RearrangeOp<"as_strided", ", SymInt[] size, SymInt[] stride, SymInt? storage_offset=None",
    "Element (i, j, ...) is number storage_offset + i * stride[0] + j * stride[1] + ... of `self`, whose elements are counted in "
    # "row-major order. as_strided_c1: as many strides as extents, none negative; as_strided_c2: every element is within `self`.",
    "%x size [3, 2] stride [1, 2] : (tensor<2x4xf32>) -> tensor<3x2xf32>"> {
  let summary = "elements at given distances";
  let arguments = (ins Aten_Tensor:$self, DenseI64ArrayAttr:$size, DenseI64ArrayAttr:$stride, Aten_DefaultI64<"0">:$storage_offset);
  let assemblyFormat = [{
    $self `size` $size `stride` $stride (`storage_offset` $storage_offset^)? attr-dict `:` functional-type(operands, results)
  }];
  let infer = "inferAsStrided(*this, getSize(), getStride(), getStorageOffset(), results)";
}

def Aten_CatOp : Aten_Op<"cat", "View"> {
  let summary = "joins tensors along one dimension";
  let description = [{
    ATen schema: `aten::cat(Tensor[] tensors, int dim=0) -> Tensor`.

    cat_c1: at least one tensor; cat_c2: equal element types and, but for `dim`, extents; dim_c1: `dim` is within the rank.

    Example:

    ```mlir
    %0 = aten.cat %x, %y dim 1 : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Variadic<Aten_Tensor>:$tensors, Aten_DefaultI64<"0">:$dim);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$tensors (`dim` $dim^)? attr-dict `:` functional-type(operands, results)";
  let infer = "inferCat(*this, getDim(), results)";
  let flops = "0";
}

/// Keeps a triangle and zeroes the rest: needs the position, so it is not element-wise.
class Aten_TriangleOp<string mnemonic, string kept> : Aten_Op<mnemonic, "Other"> {
  let summary = "keeps the " # kept # " triangle of each matrix";
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, int diagonal=0) -> Tensor`.\n\n"
      # "Elements [..., i, j] with j - i " # !if(!eq(kept, "lower"), "<=", ">=") # " `diagonal` stay, the others become 0. "
      # "triangle_c1: rank 2 or more.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x diagonal 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins Aten_Tensor:$self, Aten_DefaultI64<"0">:$diagonal);
  let results = (outs Aten_Tensor:$result);
  let assemblyFormat = "$self (`diagonal` $diagonal^)? attr-dict `:` functional-type(operands, results)";
  let infer = "inferTriangle(*this, results)";
  let flops = "0";
}

def Aten_TrilOp : Aten_TriangleOp<"tril", "lower">;
def Aten_TriuOp : Aten_TriangleOp<"triu", "upper">;

#endif // KGEN_DIALECT_ATEN_ATENSHAPEOPS_TD
