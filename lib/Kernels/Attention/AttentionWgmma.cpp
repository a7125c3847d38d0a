//===- AttentionWgmma.cpp - Attention by warpgroup products on sm_90a -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace mlir;

namespace kgen::kernels {
namespace {

/// Depth of the tiles: whole panels of 64 elements. Tensor maps fill what a head does not have with zeros.
int64_t widthOf(const AttentionProgram &program) { return llvm::alignTo(program.depth, 64); }

/// Registers of a producer's and a consumer's thread, by the number of consumers.
struct RegisterSplit {
  int64_t producer, consumer;
};
RegisterSplit splitOf(int64_t consumers) { return consumers == 3 ? RegisterSplit{32, 160} : RegisterSplit{24, 240}; }

int64_t tilesOf(const AttentionProgram &program, ArrayRef<int64_t> tile) {
  return program.heads * llvm::divideCeil(program.queries, tile[0]);
}

/// Tiles of the blocks, which stay for the whole kernel. No tile is -1.
using Deal = SmallVector<SmallVector<int64_t, 0>, 0>;

/// Deals the tiles of queries out. All are alike without a causal mask. With it, the longest goes first to
/// the block that has least to do, within a group of heads whose keys and values stay in the second-level cache.
Deal dealTiles(const AttentionProgram &program, ArrayRef<int64_t> tile, int64_t blocks) {
  Deal deal(blocks);
  int64_t queryTiles = llvm::divideCeil(program.queries, tile[0]);
  constexpr int64_t cached = 16 << 20;
  int64_t group = std::clamp<int64_t>(cached / (4 * program.keys * program.depth), 1, program.heads);
  using Load = std::pair<int64_t, int64_t>; // key tiles so far, block
  std::priority_queue<Load, std::vector<Load>, std::greater<>> idle;
  for (int64_t block = 0; block < blocks; ++block)
    idle.push({0, block});
  for (int64_t head = 0; head < program.heads; head += group)
    for (int64_t queryTile = queryTiles - 1; queryTile >= 0; --queryTile)
      for (int64_t h = head; h < std::min(head + group, program.heads); ++h) {
        auto [load, block] = idle.top();
        idle.pop();
        deal[block].push_back(h * queryTiles + queryTile);
        int64_t seen = std::min(program.keys, (queryTile + 1) * tile[0]);
        idle.push({load + 1 + int64_t(llvm::divideCeil(seen, tile[1])), block});
      }
  return deal;
}
/// Tables of more tiles than this would be longer than the kernel; those tiles are dealt out in turn.
bool isDealt(const AttentionProgram &program, ArrayRef<int64_t> tile) {
  return program.causal && tilesOf(program, tile) <= 8192;
}

/// Blocks of the grid, and the most tiles that one of them computes.
struct Shares {
  int64_t blocks, rounds;
};
Shares sharesOf(const AttentionProgram &program, ArrayRef<int64_t> tile, const Chip &chip) {
  int64_t tiles = tilesOf(program, tile), blocks = std::min(tiles, chip.multiprocessors);
  int64_t rounds = llvm::divideCeil(tiles, blocks);
  if (isDealt(program, tile))
    for (const auto &mine : dealTiles(program, tile, blocks))
      rounds = std::max<int64_t>(rounds, mine.size());
  return {blocks, rounds};
}

/// Text of `tile_of`.
std::string printDeal(const AttentionProgram &program, ArrayRef<int64_t> tile, Shares shares) {
  std::string text, table;
  if (isDealt(program, tile)) {
    Deal deal = dealTiles(program, tile, shares.blocks);
    table = llvm::formatv("/// Tiles by round and block, dealt out so that all blocks see about as many keys.\n"
                          "__device__ const short DEAL[{0}][{1}] = {{\n",
                          shares.rounds, shares.blocks);
    for (int64_t round = 0; round < shares.rounds; ++round) {
      auto at = [&](const auto &mine) { return std::to_string(round < int64_t(mine.size()) ? mine[round] : -1); };
      table += "    {" + llvm::join(llvm::map_range(deal, at), ", ") + "},\n";
    }
    table += "};\n";
    text = "  return DEAL[round][block];\n";
  } else {
    text = llvm::formatv("  const int tile = round * BLOCKS + block;\n  return tile < {0} ? tile : -1;\n",
                         tilesOf(program, tile));
  }
  return table +
         "/// The tile that block BLOCK computes in a round, or -1.\n"
         "__device__ __forceinline__ int tile_of(int block, int round) {\n" +
         text + "}\n";
}

/// Bytes of one tile of queries, STAGES of keys and values, their barriers, and a mark for each round.
int64_t sharedBytes(const AttentionProgram &program, ArrayRef<int64_t> tile, int64_t stages, const Chip &chip) {
  return (tile[0] + 2 * stages * tile[1]) * widthOf(program) * 2 + 8 * (2 + 4 * stages) +
         llvm::alignTo(sharesOf(program, tile, chip).rounds, 16);
}

class AttentionWgmma : public AttentionKernel {
public:
  schedule::Mma mma() const override { return schedule::Mma::Wgmma; }
  std::string fault(const AttentionProgram &program, const Chip &chip) const override {
    if (!chip.isHopper())
      return "cannot be computed by wgmma on " + chip.arch + ", expected sm_90a";
    if (program.mask)
      return "has a mask, which attention by wgmma does not read";
    // A tensor map has one stride for the heads and one for the rows, multiples of 16 bytes.
    for (const AttentionInput *input : {&program.query, &program.key, &program.value})
      if (input->row % 8 || input->heads.size() > 1 ||
          (input->heads.empty() ? program.heads > 1 : input->heads[0].stride % 8 || input->heads[0].stride == 0))
        return "reads heads that are not one stride apart, a multiple of 16 bytes, which attention by wgmma does not";
    // The first head of a slice is one of the map's, too.
    for (const AttentionInput *input : {&program.query, &program.key, &program.value})
      if (input->base && (input->heads.empty() || input->base % input->heads[0].stride))
        return "reads a slice that does not begin a whole number of heads behind its tensor's first";
    if (program.out.row % 8 || llvm::any_of(program.out.heads, [](Span span) { return span.stride % 8 != 0; }))
      return "writes rows that do not begin at multiples of 16 bytes";
    return narrowFault(program);
  }
  LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                         const Chip &chip) const override;
  DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                    const Chip &chip) const override;
};

} // namespace

LogicalResult AttentionWgmma::complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                       const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectAttention(dispatch, text); };
  int64_t width = widthOf(program), consumers = width == 64 ? 3 : 2;
  consumers = std::min<int64_t>(consumers, llvm::divideCeil(program.queries, 64));
  SmallVector<int64_t> tile =
      params.intsOr(context, key::tile, {64 * params.getInt(key::consumers).value_or(consumers), 128});
  if (int64_t asked = params.intOr(context, key::consumers, tile[0] / 64); asked != tile[0] / 64)
    return reject("consumers = " + Twine(asked) + " with a tile of " + Twine(tile[0]) +
                  " queries, expected one for each 64");
  params.wordOr(context, key::pipeline, schedule::Pipeline::Tma);
  // Scores, weights and results of 64 rows by 128 threads, in 32-bit registers; the rest is for addresses and rows.
  int64_t held = tile[1] / 2 + tile[1] / 4 + width / 2, most = splitOf(tile[0] / 64).consumer - 30;
  if (held > most)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] holds " + Twine(held) +
                  " registers of scores, weights and results in a thread, at most " + Twine(most) + " fit");
  int64_t fitting = 2;
  if (sharedBytes(program, tile, 3, chip) <= chip.sharedBytesPerBlock && width == 64)
    fitting = 3;
  int64_t stages = params.intOr(context, key::stages, fitting);
  if (stages < 2 || sharedBytes(program, tile, stages, chip) > chip.sharedBytesPerBlock)
    return reject("stages = " + Twine(stages) + " of " + Twine(tile[1]) + " keys need " +
                  Twine(sharedBytes(program, tile, stages, chip)) +
                  " bytes of shared memory, expected 2 or more stages in " + Twine(chip.sharedBytesPerBlock));
  bool pingpong = params.wordOr(context, key::pingpong, tile[0] > 64);
  if (pingpong && tile[0] == 64)
    return reject("pingpong = on with a tile of 64 queries, expected two warpgroups or more to take turns");
  // Two consumers leave the tensor cores idle unless each overlaps its own products; three do not.
  params.wordOr(context, key::overlap, tile[0] < 192);
  params.wordOr(context, key::lazy, true);
  return completeOperands(dispatch, dtypeOf(program.element), params);
}

DispatchCode AttentionWgmma::emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                                  const Chip &chip) const {
  auto schedule = schedule::AttentionWgmma::read(params);
  const auto &tile = schedule.tile;
  int64_t stages = schedule.stages, consumers = schedule.consumers;
  Shares shares = sharesOf(program, tile, chip);
  RegisterSplit split = splitOf(consumers);
  std::string name = dispatch.getName().str();
  bool half = program.element.isF16();
  CudaHelpers helpers;
  std::string scale = printLiteral(FloatAttr::get(Float32Type::get(dispatch.getContext()), program.scale), helpers);
  auto flag = [](bool value) { return value ? "true" : "false"; };

  std::string constants = llvm::formatv(
      "namespace {0} {{\nusing Element = {1};\n"
      "constexpr int QUERIES = {2}, KEYS = {3}, DEPTH = {4};\n"
      "constexpr bool CAUSAL = {5};\nconstexpr float SCALE = {6};\n"
      "constexpr int CONSUMERS = {7}, TILE_KEYS = {8}, STAGES = {9};\n"
      "constexpr bool PINGPONG = {10}; // consumers take turns at the tensor cores\n"
      "constexpr bool OVERLAP = {11}; // exponentials of a tile beside the product of the one before\n"
      "constexpr bool LAZY = {12}; // exponentials shifted by the first tile's maximum, until they grow\n",
      name, getStorageType(program.element), program.queries, program.keys, program.depth,
      program.causal ? "true" : "false", scale, consumers, tile[1], stages, flag(schedule.pingpong),
      flag(schedule.overlap), flag(schedule.lazy));
  std::string deal = printDeal(program, tile, shares);
  constants += llvm::formatv("constexpr int BLOCKS = {0}; // of the grid\n"
                             "constexpr int ROUNDS = {1}; // tiles of a block, at most\n"
                             "constexpr int PRODUCER_REGISTERS = {2}, CONSUMER_REGISTERS = {3};\n"
                             "__device__ __forceinline__ unsigned pack(float low, float high) {{\n"
                             "  const {4} pair = {5}(low, high);\n  unsigned bits;\n  memcpy(&bits, &pair, "
                             "sizeof(bits));\n  return bits;\n}\n",
                             shares.blocks, shares.rounds, split.producer, split.consumer,
                             half ? "__half2" : "__nv_bfloat162", half ? "__floats2half2_rn" : "__floats2bfloat162_rn");
  constants += llvm::formatv(
      "template <int N>\n"
      "__device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {{\n"
      "  kgen::wgmma_{0}<N>(d, a, b, accumulate);\n}\n"
      "template <int N>\n"
      "__device__ __forceinline__ void multiply(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool "
      "accumulate) "
      "{{\n  kgen::wgmma_{0}_ra<N, 1>(d, a, b, accumulate);\n}\n",
      half ? "f16" : "bf16");
  auto first = [](const AttentionInput &input) { return input.base ? input.base / input.heads[0].stride : 0; };
  // Heads of slices, and results beside each other.
  const bool isSliced =
      !program.out.plain || llvm::any_of(llvm::ArrayRef{&program.query, &program.key, &program.value},
                                         [&](const AttentionInput *input) { return first(*input) != 0; });
  if (isSliced) {
    constants +=
        llvm::formatv("constexpr int FIRST_QUERY = {0}, FIRST_KEY = {1}, FIRST_VALUE = {2}; // heads in maps\n",
                      first(program.query), first(program.key), first(program.value));
    constants += llvm::formatv("constexpr int OUT_ROW = {0};\n"
                               "__device__ __forceinline__ long long out_start(long long head) {{ return {1}; }\n",
                               program.out.row, program.out.offset());
  }
  constants += deal + "} // namespace " + name + "\n";
  TemplateFill fill;
  fill.name = name;
  if (isSliced)
    fill.sections.insert("sliced");
  fill.replacements["constants"] = constants;

  DispatchCode code;
  code.source = attentionSizes(name, program) + "#include \"kgen_hopper.cuh\"\n" +
                fillTemplate(findCudaTemplate("attention_wgmma.cuh"), fill);
  LaunchSpec launch{name + "_attention",
                    {shares.blocks, 1, 1},
                    {128 * (consumers + 1), 1, 1},
                    sharedBytes(program, tile, stages, chip),
                    program.inputs,
                    {DispatchBuffer::result(0)}};
  const AttentionInput *inputs[] = {&program.query, &program.key, &program.value};
  for (auto [i, input] : llvm::enumerate(inputs)) {
    int64_t rows = i == 0 ? program.queries : program.keys;
    int64_t head = input->heads.empty() ? rows * input->row : input->heads[0].stride;
    launch.maps.push_back({input->buffer,
                           program.element,
                           {program.depth, rows, program.heads + first(*input)},
                           {2 * input->row, 2 * head},
                           {64, i == 0 ? tile[0] : tile[1], 1},
                           /*swizzle=*/128,
                           /*l2=*/256});
  }
  launch.sizedBy = "attention_wgmma.cuh";
  code.launches.push_back(std::move(launch));
  return code;
}

std::unique_ptr<AttentionKernel> createAttentionWgmma() { return std::make_unique<AttentionWgmma>(); }

} // namespace kgen::kernels
