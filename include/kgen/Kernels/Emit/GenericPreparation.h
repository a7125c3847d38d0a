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

/// Inserts copies in BLOCK so that no view is put together of more than kMostParts others, and no kernel reads many
/// times as many: each part is a branch of the load, and may be a buffer of its own.
void limitParts(mlir::Block &block);

/// Each part of a concatenation is a branch for every element that is read of it: of 64 parts some 32 in the mean, more
/// than what writing groups of them and reading them again takes.
constexpr int64_t kMostParts = 64;

/// A kernel of its own that writes VALUE to a fresh buffer, at BUILDER's place.
mlir::Value insertCopy(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

/// Marks the slices in BLOCK that are one piece of a buffer, from a multiple of 256 bytes on, as kPartAttr has it:
/// kernels that read equal slices elsewhere, as the time steps of a layer do, have equal texts.
void markContiguousSlices(mlir::Block &block);

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
