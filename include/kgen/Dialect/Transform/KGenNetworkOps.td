//===- KGenNetworkOps.td - Directives for a whole network ----*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transform.kgen.*: what a partition idea may ask of a network before it is cut
// into tasks. The graph that comes out computes the same.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_TRANSFORM_KGENNETWORKOPS
#define KGEN_DIALECT_TRANSFORM_KGENNETWORKOPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class KGenNetwork_Op<string opMnemonic> : Op<Transform_Dialect, "kgen." # opMnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::kgen::directive";
}

def KGenNetwork_FoldScalesOp : KGenNetwork_Op<"fold_scales"> {
  let summary = "fold batch norms and scales into the weights in front of them";
  let description = [{
    A batch norm, or a product with a factor for each channel, behind a
    convolution or a linear product becomes a part of that op's weight and bias:
    w' = w * s and b' = (b - mean) * s + bias with s = weight / sqrt(var + eps).
    Only where all of it is weights and nobody else reads the product, so that
    w' and b' are prepared once. Finding nothing to fold is a failure.

    ```mlir
    transform.kgen.fold_scales %f
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target);
  let assemblyFormat = "$target attr-dict";
}

def KGenNetwork_JoinProductsOp : KGenNetwork_Op<"join_products"> {
  let summary = "join linear products of one operand into one";
  let description = [{
    Linear products that read the same operand (q, k and v; gate and up) become
    one product with their weights, and biases, one after the other, and slices
    of its result. Only where weights are weights, so that they are joined once,
    and where all or none have a bias. Finding no two such products is a failure.

    ```mlir
    transform.kgen.join_products %f
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target);
  let assemblyFormat = "$target attr-dict";
}

def KGenNetwork_JoinHeadsOp : KGenNetwork_Op<"join_heads"> {
  let summary = "join the linear products that one attention alone reads";
  let description = [{
    Linear products of one operand whose results reach one and the same
    attention by views alone (q, k and v; k and v where the queries are others'),
    a query or key also by element-wise ops, as rotary embeddings are, and by norms
    along the last dimension, as of each head, become one
    product, as by `join_products`, since kernels of attention read
    slices as they read what was split into heads, and kernels of rows where the
    rows lie: two launches less for each layer, and no other more. Where queries and
    keys of one batch go through the same ops, these become one each, of the heads of
    both. A product without a bias gets one of zeros where
    another has one, and a number that a query or key is multiplied by becomes a
    part of the attention's `scale`. Finding no two such products is a failure.

    ```mlir
    transform.kgen.join_heads %f
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target);
  let assemblyFormat = "$target attr-dict";
}

def KGenNetwork_ChannelsLastOp : KGenNetwork_Op<"channels_last"> {
  let summary = "keep channels last between convolutions";
  let description = [{
    Two-dimensional convolutions and what lies between them (element-wise ops,
    batch norms of weights, pooling, means of all pixels, cat) read and write
    tensors whose channels are the last dimension, and permutations of the
    network between the two orders go. A convolution of one tap with stride 1 is a
    linear product then, and so is one of large windows that lie beside each
    other (an embedding of patches), which are copied into rows; another one of
    fewer than 16 channels reads what it is given. Arguments and results of the
    network keep their order. Finding no convolution that changes is a failure.

    ```mlir
    transform.kgen.channels_last %f
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target);
  let assemblyFormat = "$target attr-dict";
}

def KGenNetwork_FuseTasksOp : KGenNetwork_Op<"fuse_tasks"> {
  let summary = "make two tasks one at a boundary";
  let description = [{
    The tasks of the aten ops of that name become a part of the task that reads
    what they compute, where just one does: a convolution and the pooling behind
    it, a norm and the product behind it. One task has one search, whose ideas
    may fuse its kernels. Finding no such op is a failure.

    ```mlir
    transform.kgen.fuse_tasks "aten.conv2d" before "aten.max_pool2d" in %f
    ```
  }];
  let arguments = (ins StrAttr:$op_name, StrAttr:$reader, Transform_AnyOpType:$target);
  let assemblyFormat = "$op_name `before` $reader `in` $target attr-dict";
}

def KGenNetwork_SplitTasksOp : KGenNetwork_Op<"split_tasks"> {
  let summary = "begin a task at an op";
  let description = [{
    The aten ops of that name join no task in front of them, so that what they
    read is written to memory. Finding no such op is a failure.

    ```mlir
    transform.kgen.split_tasks "aten.gelu" in %f
    ```
  }];
  let arguments = (ins StrAttr:$op_name, Transform_AnyOpType:$target);
  let assemblyFormat = "$op_name `in` $target attr-dict";
}

#endif // KGEN_DIALECT_TRANSFORM_KGENNETWORKOPS
