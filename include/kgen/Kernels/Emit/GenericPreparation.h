//===- GenericPreparation.h - Linalg ops made ready for kernels -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace kgen::kernels {

/// Turns named linalg ops of FUNCTION into linalg.generic, fuses element-wise ones where that saves
/// memory traffic, and inserts a copy where a view has to become a buffer: a returned argument, a
/// reshaped constant that a launch reads.
mlir::LogicalResult prepareForGeneric(mlir::func::FuncOp function);

/// Fuses element-wise producers into their consumers in BLOCK. With ALWAYS, whatever can be fused
/// is, as an epilogue function needs; else only what saves memory traffic.
void fuseElementwise(mlir::Block &block, bool always);

/// Turns OP, a named linalg op, into linalg.generic; fills stay.
mlir::LogicalResult generalizeNamed(mlir::Block &block);

/// The names of the ops that OP computes, "aten.add.Tensor + aten.relu": from its attribute
/// `kgen.computes`, else from its location's name, else from its own. Never empty.
std::string describeOrigin(mlir::Operation *op);

/// The scalar ops in the body of OP, "subf, exp, addf", in order and without repeats.
std::string describeBody(mlir::linalg::GenericOp op);

} // namespace kgen::kernels
