//===- Dispatch.h - Forming, growing and dissolving dispatches --*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mechanics of kgen.dispatch, shared by the directives and by the default
// formation. Legality is decided here, on use-def chains; whether a family can
// compute what was formed is the family's own check.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/IR/PatternMatch.h"

namespace kgen {

/// The family that computes a dispatch whose root is OP, an aten op; "generic" when none does.
llvm::StringRef defaultFamily(mlir::Operation *op);

/// Whether kernels of FAMILY read each element of their inputs once, so that element-wise ops run in front of any of
/// its ops at no cost.
bool readsOnce(llvm::StringRef family);

/// Whether OP is a convolution of one tap, transposed or not, that moves by no pixel and has no groups: for each image,
/// a product of its filters, [filters, channels], with its pixels, [channels, pixels].
bool isOneTap(mlir::Operation *op);

/// Whether an operand or a result of OP has no elements. Families compute no such op, and no dispatch grows by it.
bool hasEmptyTensor(mlir::Operation *op);

/// Whether OP computes each result element from one (broadcast) element of each operand.
bool isElementwise(mlir::Operation *op);

/// Whether OP gives its operand's elements in their order, in another shape.
bool keepsOrder(mlir::Operation *op);

/// Whether OP permutes its operand such that dimension 1, the channels, becomes the last one (TOLAST), or the last one
/// dimension 1, and the others keep their order.
bool movesChannels(mlir::Operation *op, bool toLast);

/// Whether OP exchanges its operand's last two dimensions and keeps the others: a transposed matrix, or a batch of
/// them.
bool swapsMatrices(mlir::Operation *op);

/// What a reduction behind a convolution folds: all channels of a pixel, or all pixels of a channel.
struct OutputFold {
  enum class Kind { Max, Min, Sum, Mean, LogSumExp, Softmax } kind;
  bool overChannels; ///< else over pixels, of which there are sums and means only
  bool keepsRank;    ///< what is folded is a dimension of 1, not gone
};

/// How OP folds its first operand, of images of channels; nothing for other ops.
std::optional<OutputFold> readOutputFold(mlir::Operation *op);

/// What a dispatch may take in, and how much of it.
struct FuseLimit {
  int64_t count = 0;            ///< exactly so many ops; 0 for as many as are legal
  bool optional = false;        ///< with count 0: none is fine too
  bool elementwiseOnly = false; ///< whatever else the family could hold
  bool layouts = true;          ///< of a convolution: permutes that put channels last behind it, or first before it
  bool folds = true;            ///< of a convolution: a reduction over channels or pixels
};

/// Tells the caller that OLD was replaced by REPLACEMENT, before OLD is erased.
using DispatchReplaced = llvm::function_ref<void(DispatchOp old, DispatchOp replacement)>;

/// Puts ROOT, an aten op outside of dispatches, into a new dispatch with SCHEDULE. The dispatch
/// gets a name that no symbol and no dispatch of the module has.
DispatchOp formDispatch(mlir::RewriterBase &rewriter, mlir::Operation *root, ScheduleAttr schedule);

/// Absorbs ops that use the results of DISPATCH, in program order. An op can be absorbed when its
/// family can hold it, when no path leads from the dispatch to it through an op outside, and when
/// all users of the results that it hides are inside. Returns the grown dispatch, or failure with
/// the reason in WHY (one clause, lower case) and DISPATCH unchanged.
mlir::FailureOr<DispatchOp> fuseConsumers(mlir::RewriterBase &rewriter, DispatchOp dispatch, FuseLimit limit,
                                          std::string &why, DispatchReplaced replaced = {});

/// Absorbs element-wise ops whose results are used by DISPATCH only, nearest first; of a convolution, which takes
/// none in front, the permutes that put the channels of what it reads first; of a product, swaps of matrices; of a
/// scan, the views that readScan names. Result as for fuseConsumers.
mlir::FailureOr<DispatchOp> fuseProducers(mlir::RewriterBase &rewriter, DispatchOp dispatch, FuseLimit limit,
                                          std::string &why, DispatchReplaced replaced = {});

/// Joins OTHER, a dispatch or aten op of the same block that neither feeds DISPATCH nor is fed by
/// it, into DISPATCH, which then has the results of both.
mlir::FailureOr<DispatchOp> fuseSibling(mlir::RewriterBase &rewriter, DispatchOp dispatch, DispatchOp other,
                                        std::string &why, DispatchReplaced replaced = {});

/// Replaces DISPATCH by two: the ops before AT, an op of its region, stay with the name, idea and schedule; AT and what
/// follows it form a dispatch of AT's own family. Returns the second one; REPLACED tells of the first. Failure, with
/// the reason in WHY and DISPATCH unchanged, when AT is the region's first op.
mlir::FailureOr<DispatchOp> splitDispatch(mlir::RewriterBase &rewriter, DispatchOp dispatch, mlir::Operation *at,
                                          std::string &why, DispatchReplaced replaced = {});

/// Moves the ops of DISPATCH in front of it and erases it.
void inlineDispatch(mlir::RewriterBase &rewriter, DispatchOp dispatch);

} // namespace kgen
