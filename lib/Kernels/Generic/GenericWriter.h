//===- GenericWriter.h - Writes one kernel of the generic path ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to GenericKernel.cpp (analysis, and a thread for each output), GenericLanes.cpp (threads that share one),
// GenericVector.cpp (packs of neighbouring outputs), GenericTile.cpp (tiles of products), GenericWideTile.cpp (those of
// products and convolutions in double) and GenericUpdate.cpp (what is written in place).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "GenericKernel.h"
#include "kgen/Kernels/Emit/GenericAccess.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <numeric>

namespace kgen::kernels {

constexpr int64_t kElementThreads = 256;

/// A reduction `combiner(accumulator, value)` over one result.
struct Combiner {
  mlir::Operation *op;
  mlir::Value value; ///< what is combined into the accumulator
};

/// Writes one kernel.
class GenericWriter {
public:
  GenericWriter(mlir::linalg::GenericOp op, llvm::StringRef name, llvm::StringRef what, bool anyTiles,
                int64_t wideTiles)
      : op(op), name(name), what(what), context(op.getContext()), tracer(op.getContext(), op.getStaticLoopRanges()),
        anyTiles(anyTiles), wideTiles(wideTiles), body(bodyText) {}

  mlir::FailureOr<GenericKernel> write();
  /// The result is the init's own memory (emitUpdateKernel).
  void writeInPlace() { mapping = Mapping::Update; }

private:
  enum class Mapping { Element, Lanes, Tile, WideTile, Update };

  struct Operand {
    mlir::BlockArgument argument;
    Access access;
  };

  /// What a tile holds of an operand: a value of the body, and the ops that compute it of the operand alone.
  struct Staged {
    mlir::Value value;
    llvm::SetVector<mlir::Operation *> ops;
  };

  /// Zeros between the inputs of a transposed convolution: POSITION + DILATION * TAP + OFFSET is a multiple of STRIDE
  /// where there are none.
  struct Phase {
    unsigned position = 0;
    int tap = -1; ///< none where the filter has one
    int64_t stride = 1, dilation = 0, offset = 0;
    /// From one tap of a phase to the next.
    int64_t step() const { return stride / std::gcd(stride, dilation); }
  };

  mlir::LogicalResult checkOp();
  mlir::LogicalResult traceOperands();
  void orderLoops();
  void mergeLoops();
  bool canMerge(unsigned outer, unsigned inner);
  void findCombiners();
  void chooseMapping();
  void nameLoops();
  bool needsWideIndex() const;

  mlir::FailureOr<std::string> writeLoad(const Access &access);
  std::string bufferName(mlir::Value buffer);
  mlir::AffineExpr substitute(mlir::AffineExpr expr) const;
  std::string writeIndex(mlir::AffineExpr expr) { return printIndex(substitute(expr), names); }
  void declareCoordinates(unsigned depth);
  mlir::LogicalResult bindLoads(bool initial, unsigned depth);
  void declarePosition(llvm::StringRef linear, llvm::ArrayRef<unsigned> loops, unsigned indent);
  void declareThread(llvm::ArrayRef<unsigned> loops);
  mlir::LogicalResult emitScalars();
  mlir::LogicalResult writeElementBody();
  mlir::LogicalResult writeLanesBody();
  void chooseVector();
  mlir::LogicalResult writeVectorBody();
  void chooseTile();
  mlir::LogicalResult writeTileBody();
  Staged findStaged(const Operand &operand);
  mlir::LogicalResult writeTileLoad(const Operand &operand, const Staged &staged, llvm::StringRef tile,
                                    llvm::StringRef first, llvm::StringRef extent, llvm::ArrayRef<unsigned> own);
  void chooseWideTile();
  void chooseDeepLoops();
  void findPhases(const Access &access);
  const Phase *phaseOf(unsigned loop) const;
  int64_t positionsOf(unsigned loop) const;
  mlir::AffineExpr expandCoordinates(mlir::AffineExpr expr) const;
  mlir::LogicalResult writeWideTileBody();
  mlir::FailureOr<std::string> writeWideLoad(const Operand &operand, const Staged &staged, llvm::StringRef tile,
                                             llvm::StringRef size, llvm::StringRef first, llvm::StringRef extent,
                                             llvm::ArrayRef<unsigned> own);
  mlir::LogicalResult writeWideUpdate(const Staged &left, const Staged &right);
  bool isProduct();
  bool walksReduction(const Operand &operand, llvm::ArrayRef<unsigned> own);
  std::string spellStaged(llvm::StringRef tile, bool alongReduction, llvm::StringRef deep, llvm::StringRef at);
  bool keepsZero(const Operand &operand);
  void declareTilePosition(llvm::StringRef linear, llvm::ArrayRef<unsigned> loops, unsigned indent);
  std::string testPhases(llvm::ArrayRef<unsigned> loops) const;
  void declarePhases();
  void openTapLoops();
  void findLoops(mlir::AffineExpr expr, llvm::BitVector &loops) const;
  llvm::BitVector findLoops(const Access &access) const;
  /// Writes what a tile's sums begin with, and the statement's end.
  mlir::LogicalResult writeFirstSum();
  /// Declares the named coordinates that need no other loops than LOOPS, where an operand of a tile is read.
  void declareCoordinates(const llvm::BitVector &loops);
  bool isPacked(const Access &access) const;
  bool walksInner(mlir::AffineExpr index) const;
  void writeStores(unsigned indent);
  mlir::LogicalResult findNamedLoops();
  mlir::LogicalResult writeUpdateBody();
  std::string spellExtract(mlir::Operation *extract);
  void forEachLeaf(llvm::function_ref<void(mlir::AffineExpr, bool isCondition)> visit) const;

  mlir::linalg::GenericOp op;
  llvm::StringRef name, what;
  mlir::MLIRContext *context;
  AccessTracer tracer;
  const bool anyTiles;                             ///< not only of fp64
  const int64_t wideTiles;                         ///< blocks that wide tiles need; 1: whatever the size
  llvm::SmallVector<Operand> inputs, inits;        ///< only those that the body reads
  llvm::SmallVector<mlir::AffineExpr> outputIndex; ///< linear position of each result's element
  llvm::SmallVector<int64_t> extents;              ///< of the loops, after merging
  llvm::SmallVector<unsigned> parallel, reduction; ///< loops that are left, outermost first
  llvm::SmallVector<Combiner> combiners;           ///< one per result, or none at all
  Mapping mapping = Mapping::Element;
  int64_t lanes = 1, threads = kElementThreads, outputs = 1, reduced = 1;
  int64_t vector = 1; ///< neighbouring outputs of one thread, which travel in packs
  int64_t tiles = 0;  ///< blocks of Mapping::Tile and Mapping::WideTile
  /// Of both, parallel loops by the operands that they move: the first, the second, both.
  llvm::SmallVector<unsigned> rowLoops, columnLoops, batchLoops;
  /// What emitScalars() leaves out: of Mapping::Tile what is computed where operands are staged, of Mapping::Update
  /// what asks for the position.
  llvm::SmallPtrSet<mlir::Operation *, 16> leftOutOps;
  /// Of Mapping::WideTile: the reduction's outer loops and those that are staged, the operand that ROW_LOOPS move.
  llvm::SmallVector<unsigned> tapLoops, deepLoops;
  llvm::SmallVector<Phase> phases;
  unsigned rowOperand = 0;
  int64_t threadsAcross = 16;
  /// Of Mapping::Update: loops that a position names, with it; what else is asked; what is written.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> namedLoops;
  llvm::SmallVector<mlir::Value> otherConditions;
  mlir::Value put;
  std::string indexType = "int";
  llvm::SmallVector<std::string> names;        ///< of loops and named coordinates, by dimension
  llvm::SmallVector<unsigned> coordinateDepth; ///< number of reduction loops that must be open
  llvm::SmallVector<std::string> accumulators;
  std::map<std::string, std::string> loaded; ///< text of a load -> its variable

  CudaHelpers helpers;
  std::string bodyText;
  llvm::raw_string_ostream body;
  std::unique_ptr<ScalarEmitter> emitter;
  llvm::SmallVector<mlir::Value> buffers;                        ///< parameters, in order of first use
  llvm::SmallVector<std::pair<std::string, mlir::Value>> tables; ///< constants that live in the source
};

/// `acc0 += t3;`, or `acc0 = kgen_maximum(acc0, t3);`.
std::string spellUpdate(mlir::Operation *combiner, llvm::StringRef accumulator, llvm::StringRef value,
                        CudaHelpers &helpers);

/// The neutral element of COMBINER as an attribute of its type; null when it is none that lanes
/// can share.
mlir::Attribute getNeutral(mlir::Operation *combiner);

/// Adds EXPR * SCALE to COEFFICIENTS; false when dimension A or B stands under a division.
bool addCoefficients(mlir::AffineExpr expr, int64_t scale, llvm::MutableArrayRef<int64_t> coefficients, unsigned a,
                     unsigned b);

/// Calls VISIT for every index of a load in ACCESS, and with true for every expression that a condition tests.
void visitLeaves(const Access &access, llvm::function_ref<void(mlir::AffineExpr, bool)> visit);

} // namespace kgen::kernels
