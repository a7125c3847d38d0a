//===- NetworkRewrites.h - What directives for a network share ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace kgen::directive {

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

/// SHAPE with the element type of LIKE.
inline mlir::RankedTensorType withShape(mlir::Value like, llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, typeOf(like).getElementType());
}

/// The functions with a body under the payload of TARGET.
inline llvm::SmallVector<mlir::func::FuncOp> functionsOf(mlir::Value target, mlir::transform::TransformState &state) {
  llvm::SmallVector<mlir::func::FuncOp> functions;
  for (mlir::Operation *payload : state.getPayloadOps(target))
    payload->walk([&](mlir::func::FuncOp func) {
      if (!func.isExternal())
        functions.push_back(func);
    });
  return functions;
}

using Effects = llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// The EFFECTS of a directive OP that rewrites its target.
inline void effectsOf(mlir::Operation *op, Effects &effects) {
  mlir::transform::onlyReadsHandle(op->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

/// Whether OP is a view or element-wise: where it reads a slice it costs no launch more.
inline bool isLight(mlir::Operation *op) {
  auto kind = mlir::dyn_cast<aten::AtenCostOpInterface>(op);
  return kind && (kind.getKind() == aten::OpKind::Elementwise || kind.getKind() == aten::OpKind::View);
}

/// Whether OP makes of each row along its operand's last dimension one number, or norms it: kernels of rows read a
/// slice where it lies.
bool normalizesLast(mlir::Operation *op);

/// Moves what VALUE, which depends on no inputs, is made of in front of BEFORE.
void hoist(mlir::Value value, mlir::Operation *before);

/// Where QUERY and KEY are the heads of neighbouring slices of one product and are made of them by the same ops (norms
/// of each head, rotary embeddings), makes them of both at once, and the two slices of that: half as many tasks. Each
/// has its heads in the dimension before the last two. Whether it did.
bool mergeHeads(mlir::Value query, mlir::Value key);

} // namespace kgen::directive
