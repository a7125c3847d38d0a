//===- AttentionFamily.cpp - Scaled dot product attention -----------------===//

#include "ConditionalText.h"
#include "ContractionDispatch.h"
#include "ElementPiece.h"

#include "kgen/Conversion/KGenToCuda/CudaTemplate.h"
#include "kgen/Conversion/KGenToCuda/Family.h"
#include "kgen/Conversion/KGenToCuda/ScalarEmitter.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace kgen {

namespace {

/// The sizes of an attention, and the dispatch's operands that it reads.
struct AttentionProgram {
  Type element;
  int64_t heads = 1, queries = 0, keys = 0, depth = 0;
  double scale = 1;
  bool causal = false;
  SmallVector<DispatchBuffer> inputs; ///< queries, keys, values
};

class AttentionFamily : public Family {
public:
  StringRef name() const override { return "attention"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyze(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;

private:
  static FailureOr<AttentionProgram> analyze(DispatchOp dispatch);
};

/// Bytes of the key and value tiles in flight; rows carry 16 bytes of padding.
int64_t sharedBytes(const AttentionProgram &program, int64_t keys, int64_t stages) {
  return stages * 2 * keys * (program.depth + 8) * 2;
}

} // namespace

FailureOr<AttentionProgram> AttentionFamily::analyze(DispatchOp dispatch) {
  AttentionProgram program;
  aten::ScaledDotProductAttentionOp attention;
  for (Operation &op : dispatch.getYield()->getBlock()->without_terminator()) {
    auto found = dyn_cast<aten::ScaledDotProductAttentionOp>(op);
    if (!found || attention)
      return op.emitOpError("has no place in an attention kernel: expected one scaled_dot_product_attention alone");
    attention = found;
  }
  if (!attention)
    return dispatch.emitOpError("holds no scaled_dot_product_attention");
  if (attention.getAttnMask())
    return attention.emitOpError("has a mask, which family attention does not read");
  program.element = elementTypeOf(attention.getQuery());
  if (!program.element.isF16() && !program.element.isBF16())
    return attention.emitOpError("works on ") << program.element << ", expected f16 or bf16";
  ArrayRef<int64_t> query = shapeOf(attention.getQuery()), key = shapeOf(attention.getKey());
  for (int64_t extent : query.drop_back(2))
    program.heads *= extent;
  program.queries = query[query.size() - 2];
  program.keys = key[key.size() - 2];
  program.depth = query.back();
  constexpr int64_t kMostDepth = 128;
  if (shapeOf(attention.getValue()).back() != program.depth || program.depth % 16 != 0 || program.depth > kMostDepth)
    return attention.emitOpError("has heads of ")
           << program.depth << " and values of " << shapeOf(attention.getValue()).back()
           << " elements, expected the same multiple of 16, at most " << kMostDepth;
  program.causal = attention.getIsCausal();
  program.scale = 1 / std::sqrt(static_cast<double>(program.depth));
  if (attention.getScaleAttr())
    program.scale = attention.getScaleAttr().getValueAsDouble();
  if (!(program.scale > 0))
    return attention.emitOpError("has a scale of ") << program.scale << ", expected a positive one";
  for (Value input : {attention.getQuery(), attention.getKey(), attention.getValue()}) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument)
      return attention.emitOpError("reads a value that is not an input of the dispatch");
    program.inputs.push_back(DispatchBuffer::operand(argument.getArgNumber()));
  }
  return program;
}

LogicalResult AttentionFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<AttentionProgram> program = analyze(dispatch);
  if (failed(program) || failed(checkKeys(dispatch, params, "attention", {"dtype", "mma", "reduce", "stages", "tile"})))
    return failure();
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) -> LogicalResult {
    return dispatch.emitError("attention schedule of @") << dispatch.getName() << ": " << text;
  };
  SmallVector<int64_t> tile = params.intsOr(context, "tile", {program->queries > 64 ? 128 : 64, 64});
  if (tile.size() != 2)
    return reject("tile has " + Twine(tile.size()) + " entries, expected [queries, keys]");
  if (tile[0] % 16 != 0 || tile[0] / 16 * 32 > chip.threadsPerBlock)
    return reject("a tile of " + Twine(tile[0]) +
                  " queries, expected a multiple of 16, one warp for each 16, at most " +
                  Twine(chip.threadsPerBlock / 2));
  if (tile[1] % 16 != 0)
    return reject("a tile of " + Twine(tile[1]) + " keys, expected a multiple of 16");
  // Scores, results and queries of 16 rows by 32 lanes, in 32-bit registers; the rest is for addresses.
  int64_t held = tile[1] / 2 + program->depth / 2 + program->depth / 4;
  int64_t threads = tile[0] * 2, most = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads) - 40;
  if (held > most)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] holds " + Twine(held) +
                  " registers of operands in a thread, at most " + Twine(most) + " fit");
  int64_t stages = params.intOr(context, "stages", 2);
  if (stages < 2 || sharedBytes(*program, tile[1], stages) > chip.sharedBytesPerBlock)
    return reject("stages = " + Twine(stages) + " of " + Twine(tile[1]) + " keys need " +
                  Twine(sharedBytes(*program, tile[1], stages)) +
                  " bytes of shared memory, expected 2 or more stages in " + Twine(chip.sharedBytesPerBlock));
  std::string mma = params.wordOr(context, "mma", "mma_sync");
  if (mma != "mma_sync")
    return reject("mma = " + mma + ", expected mma_sync");
  std::string dtype = program->element.isF16() ? "fp16" : "bf16", wanted = params.wordOr(context, "dtype", dtype);
  if (wanted != dtype)
    return reject("dtype = " + wanted + ", expected " + dtype + ", the type of the queries");
  std::string reduce = params.wordOr(context, "reduce", "online");
  return reduce == "online" ? success() : reject("reduce = " + reduce + ", expected online");
}

FailureOr<DispatchCode> AttentionFamily::emit(DispatchOp dispatch, const ScheduleParams &params,
                                              const Chip &chip) const {
  FailureOr<AttentionProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  SmallVector<int64_t> tile = *params.getInts("tile");
  int64_t stages = *params.getInt("stages"), warps = tile[0] / 16;
  std::string name = dispatch.getName().str();
  bool half = program->element.isF16();
  CudaHelpers helpers;
  std::string scale = printLiteral(FloatAttr::get(Float32Type::get(dispatch.getContext()), program->scale), helpers);

  DispatchCode code;
  code.source = llvm::formatv(
      "// {0}: {1}attention of {2} heads, {3} queries by {4} keys of {5} elements.\n#include \"kgen_device.cuh\"\n\n"
      "namespace {0} {{\nusing Element = {6};\nconstexpr int kQueries = {3}, kKeys = {4}, kDepth = {5};\n"
      "constexpr int kWarps = {7}, kTileQueries = 16 * kWarps, kTileKeys = {8};\n"
      "constexpr int kStages = {9}; // tiles of keys and values in shared memory\n",
      name, program->causal ? "causal " : "", program->heads, program->queries, program->keys, program->depth,
      getStorageType(program->element), warps, tile[1], stages);
  code.source += llvm::formatv(
      "constexpr int kQueryTiles = (kQueries + kTileQueries - 1) / kTileQueries;\nconstexpr float kScale = {0};\n\n"
      "/// Two neighbouring elements in a register.\n"
      "__device__ __forceinline__ unsigned pack(float low, float high) {{\n"
      "  const {1} pair = {2}(low, high);\n  unsigned bits;\n  memcpy(&bits, &pair, sizeof(bits));\n  return "
      "bits;\n}\n\n"
      "__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {{\n"
      "  kgen::mma_m16n8k16_{3}(d, a, b);\n}\n} // namespace {4}\n\n",
      scale, half ? "__half2" : "__nv_bfloat162", half ? "__floats2half2_rn" : "__floats2bfloat162_rn",
      half ? "f16" : "bf16", name);
  llvm::StringSet<> truths;
  if (program->causal)
    truths.insert("CAUSAL");
  TemplateFill fill;
  fill.name = name;
  code.source += fillTemplate(chooseVariant(templateBody("attention.cuh"), truths), fill);

  int64_t blocks = program->heads * llvm::divideCeil(program->queries, tile[0]);
  code.launches.push_back({name + "_attention",
                           {blocks, 1, 1},
                           {32 * warps, 1, 1},
                           sharedBytes(*program, tile[1], stages),
                           program->inputs,
                           {DispatchBuffer::result(0)}});
  return code;
}

std::unique_ptr<Family> createAttentionFamily() { return std::make_unique<AttentionFamily>(); }

} // namespace kgen
