//===- GemmVector.cpp - Matrix times a few vectors ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_vector.cuh in.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

constexpr int64_t threads = 256, mostVectors = 8, mostSums = 32;

/// Which operand is the matrix, and what it has.
struct Operands {
  bool right; ///< the vectors are columns of B
  const GemmOperand &matrix, &vectors;
  int64_t lines, count; ///< of the matrix; vectors
  int64_t steps;        ///< of a block that has whole lines

  explicit Operands(const Gemm &gemm)
      : right(gemm.n <= gemm.m), matrix(right ? gemm.a : gemm.b), vectors(right ? gemm.b : gemm.a),
        lines(std::max(gemm.m, gemm.n)), count(std::min(gemm.m, gemm.n)) {
    int64_t pack = 128 / int64_t(gemm.elementType.getIntOrFloatBitWidth());
    while (gemm.k % pack)
      pack /= 2;
    steps = ceilDiv(gemm.k / pack, threads);
  }
};

} // namespace

LogicalResult completeVector(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  const Operands operands(gemm);
  if (operands.count > mostVectors)
    return dispatch.emitError("rows_per_block is for a matrix times at most ")
           << mostVectors << " vectors, found " << operands.count;
  if (!operands.matrix.kContiguous || !operands.vectors.kContiguous)
    return dispatch.emitError("rows_per_block needs a matrix and vectors that are contiguous along k, found ")
           << (operands.matrix.kContiguous ? "vectors" : "a matrix") << " across it";
  params.wordOr(context, key::mma, schedule::Mma::None);
  params.wordOr(context, key::dtype, schedule::Dtype::Fp32);
  int64_t lines = params.intOr(context, key::rowsPerBlock, 4);
  if (lines * operands.count > mostSums)
    return dispatch.emitError("a thread keeps at most ")
           << mostSums << " sums, found rows_per_block = " << lines << " of " << operands.count << " vectors";
  // Some 64 blocks for each multiprocessor, for a short tail, each of 8 steps or more.
  int64_t groups = gemm.batch * ceilDiv(operands.lines, lines);
  int64_t split = std::clamp<int64_t>(std::min(ceilDiv(64 * chip.multiprocessors, groups), operands.steps / 8), 1, 64);
  while (split > 1 && (split - 1) * ceilDiv(operands.steps, split) >= operands.steps)
    --split;
  split = params.intOr(context, key::splitK, split);
  if ((split - 1) * ceilDiv(operands.steps, split) >= operands.steps)
    return dispatch.emitError("split_k = ")
           << split << " leaves a slice empty: k has " << operands.steps << " steps of " << threads << " threads";
  return success();
}

FailureOr<DispatchCode> emitVector(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmVector &schedule) {
  auto epilogueOr = emitGemmEpilogue(dispatch, gemm);
  if (failed(epilogueOr))
    return failure();
  auto &[epilogue, epilogueText] = *epilogueOr;
  const Operands operands(gemm);
  const std::string name = dispatch.getName().str();
  const int64_t split = schedule.splitK, lines = schedule.rowsPerBlock;

  std::string constants = epilogue.functions;
  llvm::raw_string_ostream os(constants);
  os << printProblem(name, gemm, gemm.elementType, "A and B");
  os << llvm::formatv(
      "constexpr int BATCHES_OF_MATRIX = {0}, BATCHES_OF_VECTORS = {1}; // 1: the same for every batch\n",
      operands.matrix.batches, operands.vectors.batches);
  os << "constexpr bool RIGHT = " << (operands.right ? "true" : "false")
     << "; // the vectors are columns of B; else rows of A\n// The schedule.\n";
  os << "constexpr int LINES = " << lines << "; // of the matrix, of a block\n";
  os << "constexpr int SPLIT_K = " << split << "; // slices of k, whose sums a second kernel adds\n";
  os << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = constants;
  fill.replacements["epilogue"] = epilogueText;
  const bool splits = split > 1;
  const std::string in = "const " + name + "::In *__restrict__ ";
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS)\n    " + name +
                                "_main(" + in + "matrix, " + in + "vectors" + (splits ? "" : epilogue.parameters()) +
                                ", " + (splits ? "float" : name + "::Out") + " *__restrict__ c) {";
  fill.replacements["store"] =
      "  c[((long long)batch * M + row) * N + column] = epilogue(sum, batch, row, column" + epilogue.arguments() + ");";
  fill.replacements["reduce"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + name +
                                "_reduce(const float *__restrict__ partial" + epilogue.parameters() + ", " + name +
                                "::Out *__restrict__ c) {";
  fill.replacements["reduce_call"] = "  c[index] = epilogue(sum, batch, row, column" + epilogue.arguments() + ");";
  if (splits)
    fill.sections.insert("split_k");

  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("gemm_vector.cuh"), fill);
  SmallVector<DispatchBuffer> extras =
      llvm::map_to_vector(epilogue.operands, [](const EpilogueOperand &operand) { return operand.buffer; });
  const int64_t results = gemm.batch * gemm.m * gemm.n;
  DispatchBuffer stored = DispatchBuffer::result(0);
  if (splits) {
    code.workspaces.push_back(RankedTensorType::get({split * results}, Float32Type::get(dispatch.getContext())));
    stored = DispatchBuffer::workspace(0);
  }
  LaunchSpec main{name + "_main",
                  {gemm.batch * ceilDiv(operands.lines, lines) * split, 1, 1},
                  {threads, 1, 1},
                  0,
                  {operands.matrix.buffer, operands.vectors.buffer},
                  {stored}};
  if (!splits)
    main.reads.append(extras);
  main.sizedBy = "gemm_vector.cuh";
  code.launches.push_back(main);
  if (splits) {
    LaunchSpec reduce{name + "_reduce", {ceilDiv(results, 256), 1, 1}, {256, 1, 1}, 0,
                      {stored},         {DispatchBuffer::result(0)}};
    reduce.reads.append(extras);
    code.launches.push_back(reduce);
  }
  return code;
}

} // namespace kgen::kernels
