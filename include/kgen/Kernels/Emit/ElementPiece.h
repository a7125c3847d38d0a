//===- ElementPiece.h - Element-wise ops between two points of a kernel --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row, pointwise and pool kernels call the element-wise ops fused into them as
// one device function for each stretch: before the values that a kernel holds,
// and behind them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/Emit/PointwiseFunction.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kgen::kernels {

/// The element-wise ops from some values to one value, as a device function; or nothing to do.
struct ElementPiece {
  mlir::Value root;
  std::string name;
  PointwiseFunction function;
  llvm::SmallVector<mlir::Value> scalars; ///< the values behind the function's accN
  bool identity = false;                  ///< the root itself is held: there is no function
};

/// Whether OP is computed element by element: from known statistics if it is a norm, from nothing if it is one number.
bool isPointwiseAten(mlir::Operation *op);

/// Whether kernels read VALUE in packs: it has the given shape and is f32, f16 or bf16.
bool isPacked(mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Bytes of the widest element that DISPATCH reads or writes in packs of SHAPE; 1 when there is none.
int64_t widestPackedElement(DispatchOp dispatch, llvm::ArrayRef<int64_t> shape);

/// The ops that lead from STOPS and block arguments to ROOT, in program order; empty when ROOT
/// itself is one of STOPS.
llvm::SmallVector<mlir::Operation *> sliceBetween(mlir::Value root, llvm::ArrayRef<mlir::Value> stops);

/// The piece from STOPS and from the block arguments of SHAPE to ROOT; the kernel spells those
/// values, every other input is read inside the function. OPTIONS: see emitPointwiseFunction.
mlir::FailureOr<ElementPiece> makeElementPiece(std::string name, mlir::Value root, llvm::ArrayRef<mlir::Value> stops,
                                               llvm::ArrayRef<int64_t> shape, PointwiseOptions options = {});

/// The call of PIECE. SCALAR spells the element of a value, DIMS the coordinates of the root's
/// element; those that the function ignores are passed as 0.
std::string callElementPiece(const ElementPiece &piece, llvm::function_ref<std::string(mlir::Value)> scalar,
                             llvm::ArrayRef<std::string> dims);

/// Whether PIECE's function reads coordinate DIM.
bool usesCoordinate(const ElementPiece &piece, unsigned dim);

/// The block arguments of SHAPE among the scalars of PIECES that are not EXCEPTED, each once.
llvm::SmallVector<mlir::Value> packsOf(llvm::ArrayRef<const ElementPiece *> pieces,
                                       llvm::ArrayRef<mlir::Value> excepted, llvm::ArrayRef<int64_t> shape);

/// Conversions between a storage type and float, and names: in0, in1, ... are block arguments.
std::string toFloat(std::string expression, mlir::Type type);
std::string fromFloat(std::string expression, mlir::Type type);
std::string inputName(mlir::Value argument);
mlir::Type elementTypeOf(mlir::Value value);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// The coordinates in SHAPE of lane `lane` of a pack of VECTOR elements whose first one is number FIRST, an expression.
llvm::SmallVector<std::string> packCoordinates(llvm::ArrayRef<int64_t> shape, int64_t vector, llvm::StringRef first);

/// `  const Pack<float> in0 = load_pack(operands.in0 + OFFSET);` for each of PACKS.
std::string loadPacks(llvm::ArrayRef<mlir::Value> packs, llvm::StringRef offset);

/// The struct of a dispatch's pointers, kernel parameters and the arguments that fill the struct.
std::string operandStruct(DispatchOp dispatch);
std::string kernelParameters(DispatchOp dispatch, bool writes, llvm::StringRef between = "");
std::string kernelArguments(DispatchOp dispatch, bool writes);
/// The include lines for the dispatch's 16-bit types.
std::string includeLines(DispatchOp dispatch);

} // namespace kgen::kernels
