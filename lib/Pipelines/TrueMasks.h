//===- TrueMasks.h - Masks of attention that hide nothing -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. Models of the transformers package ask for each query whether its number is at least 0 where
// nothing is to be hidden (ViT, wav2vec 2.0).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen::pipelines {

/// Takes masks of attention in FUNC that follow from constants and are true everywhere away: with one there is no
/// kernel on warpgroups.
void dropTrueMasks(mlir::func::FuncOp func);

} // namespace kgen::pipelines
