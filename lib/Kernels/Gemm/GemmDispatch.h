//===- GemmDispatch.h - What family gemm reads off a dispatch --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Emit/ContractionDispatch.h"
#include "kgen/Kernels/Emit/StridedView.h"

#include "llvm/Support/MathExtras.h"

namespace kgen::kernels {

/// Where matrices lie whose rows, as they are stored, are neighbours in a buffer but do not follow each other.
struct MatrixPlaces {
  int64_t stride; ///< elements from row to row
  Spans batches;  ///< of the matrices
  int64_t offset; ///< elements in front of the first one
};

/// One operand as the kernel sees it: `batches` matrices, k contiguous or not.
struct GemmOperand {
  DispatchBuffer buffer;
  int64_t batches = 1;
  bool kContiguous = true;
  std::optional<MatrixPlaces> places; ///< nothing where one matrix follows the other

  /// What every place where a load may begin is a multiple of, in elements; LENGTH of a row.
  int64_t alignment(int64_t length) const;
};

/// Which results are zero whatever their products are: those right of a diagonal (LOWER is kept), or left of it.
struct Triangle {
  bool lower;
  int64_t diagonal;
};

/// Rows in groups, each of which meets the matrix of its group: group g ends before row `ends[g]`.
struct RowGroups {
  DispatchBuffer ends; ///< in any order: the g-th smallest is where group g ends
  mlir::Type endType;  ///< i32 or i64
  int64_t count;
};

/// C[batch] = A[batch] * B[batch] (+ bias), then the epilogue. With groups of rows there is one A and one C, and B has
/// a matrix for each group.
struct Gemm {
  ContractionDispatch ops;
  GemmOperand a, b;
  std::optional<DispatchBuffer> bias; ///< one value per column; of a convolution, per row
  int64_t batch = 1, m = 1, n = 1, k = 1;
  mlir::Type elementType, resultType;
  std::optional<Triangle> triangle; ///< of each batch's matrix
  std::optional<RowGroups> groups;

  /// Tiles of BM rows, one below the other, that the result takes at most: a group begins with a tile of its own.
  int64_t rowTiles(int64_t bm) const;
  /// Bytes of shared memory in which a block puts its groups in order.
  int64_t groupBytes() const { return groups ? 4 * groups->count : 0; }

  /// For the constants of a template whose section `skip` leaves out the products of tiles that are all zeros; "" where
  /// there is no triangle.
  std::string printTriangle() const;
};

/// Reads DISPATCH; one diagnostic at what stands in the way.
mlir::FailureOr<Gemm> readGemm(DispatchOp dispatch);

/// Whether a tensor map can copy rows across k of OPERAND, which has ACROSS rows or columns: rows of 16 bytes. Tensor
/// cores take f32 so only out of registers, and of a left operand.
bool liesAcross(const Gemm &gemm, const GemmOperand &operand, int64_t across);
/// Whether registers can take one of GEMM's operands, of f32, on its way to products in DTYPE: for tf32 one that lies
/// across k, for fp16 any; rows have a multiple of 16 bytes.
bool canPassRegisters(const Gemm &gemm, schedule::Dtype dtype);
/// Whether that is the right one, the one of two that takes longer to write anew: the kernel computes the transposed
/// result then.
bool registersTakeRight(const Gemm &gemm, schedule::Dtype dtype);
/// The product of GEMM's transposed operands, whose result is the transposed one.
Gemm transposeProduct(Gemm gemm);

/// The sections of a template on warpgroups by which the left operand, of f32, goes through registers to products in
/// DTYPE.
void useRegisters(TemplateFill &fill, schedule::Dtype dtype);

/// Whether GEMM reads an operand behind views.
inline bool liesApart(const Gemm &gemm) { return gemm.a.places || gemm.b.places; }
/// The sections and constants of a template that reads operands behind views.
void usePlaces(const Gemm &gemm, TemplateFill &fill);
/// Its constants, for a kernel's namespace; "" where no operand lies apart.
std::string printPlaces(const Gemm &gemm);

/// The sections of a template by which a block's rows are those of one group.
void useGroups(const Gemm &gemm, TemplateFill &fill);
/// Its parameter behind the operands; "" without groups.
std::string printGroupParameter(const Gemm &gemm);

/// The operands behind the epilogue's parameters, and the text of `Out epilogue(float value, int batch, int row, int
/// column, ...)`. ROWS: the constant of the kernel that counts the result's rows.
mlir::FailureOr<std::pair<Epilogue, std::string>> emitGemmEpilogue(DispatchOp dispatch, const Gemm &gemm,
                                                                   llvm::StringRef rows = "M");

/// The beginning of a kernel's constants, in namespace NAME: element types, MULTIPLIED of TYPE, and sizes. SLICES: of
/// k, where the main kernel writes partial sums when there are several.
std::string printProblem(llvm::StringRef name, const Gemm &gemm, mlir::Type type, llvm::StringRef multiplied,
                         std::optional<int64_t> slices = std::nullopt);

/// The schedule of a product on warpgroups (mma = wgmma): checks what it holds and fills in the rest.
mlir::LogicalResult completeWgmma(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip);
/// Its kernels.
mlir::FailureOr<DispatchCode> emitWgmma(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmWgmma &schedule,
                                        const Chip &chip);

/// The same of a cluster for each tile (split_at = cluster).
mlir::LogicalResult completeCluster(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitCluster(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmCluster &schedule);

/// The same of a left operand that stays while columns pass by (persistent = static, mma = mma_sync).
mlir::LogicalResult completeStream(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitStream(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmStream &schedule,
                                         const Chip &chip);
/// The same of a matrix times a few vectors (rows_per_block).
mlir::LogicalResult completeVector(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitVector(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmVector &schedule);
/// The template's function `mma`, a warp's product of operands of DTYPE.
std::string printWarpProduct(schedule::Dtype dtype);
/// Whether that is what PARAMS, which leave it open, become: of a convolution whose filters fit.
bool prefersStream(DispatchOp dispatch, const Gemm &gemm, const ScheduleParams &params, const Chip &chip);

/// An f32 operand as the main kernel copies it: 16-bit matrices, one after the other, and the exponent of each line
/// along K.
struct PreparedOperand {
  DispatchBuffer buffer, exponents;
};
/// Appends workspaces and the launches that fill A, where it is not null, and B to CODE; returns the kernels' text.
/// TYPE: of the PARTS matrices whose sum is an operand. NAME: the namespace.
std::string emitPreparation(const Gemm &gemm, llvm::StringRef name, int64_t parts, mlir::Type type, DispatchCode &code,
                            PreparedOperand *a, PreparedOperand &b);
/// Appends a workspace for each of A (LEFT) and B (RIGHT), f32, and the launch that lays them out there in rows along k
/// to CODE; A and B become those. Returns the kernel's text.
std::string emitArrangement(const Gemm &gemm, llvm::StringRef name, bool left, bool right, DispatchCode &code,
                            DispatchBuffer &a, DispatchBuffer &b);
/// Elements from row to row of a prepared matrix whose rows have LENGTH.
inline int64_t preparedPitch(int64_t length) { return llvm::alignTo(length, 8); }

/// Whether no chip's second-level cache holds the results, so that a reader behind the launch has no use for it.
bool outgrowsCache(const Gemm &gemm);

inline int64_t ceilDiv(int64_t a, int64_t b) { return llvm::divideCeil(a, b); }

} // namespace kgen::kernels
