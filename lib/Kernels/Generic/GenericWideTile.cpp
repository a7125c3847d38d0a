//===- GenericWideTile.cpp - Products and convolutions in double ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The card's right answers to a convolution are most of the time until a search's first kernel. A block of 256 threads
// has 64 x 64 outputs (128 x 32, 256 x 16 where there are fewer channels), a warp 32 x 16 of them, which it multiplies
// 8 x 8 at a time on tensor cores (`mma.m8n8k4` of fp64: products and sums are fused and rounded as fp64's are). What
// comes next is loaded meanwhile. A body that is no product of two factors has the same tiles without tensor cores, a
// thread 4 x 4 outputs, whose operands come in pairs. Where a channel can be walked by itself, the taps of a filter are
// loops of their own, so that what is staged needs no division; and where a transposed convolution has a stride, a
// block's outputs are of one phase of it, and walk the taps of that phase only: all others would multiply the zeros
// between the inputs.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kgen::kernels {

/// A thread's outputs down and across, which lie in pairs.
static constexpr int64_t kEachRow = 4, kEachColumn = 4;

/// EXPR over loops alone.
AffineExpr GenericWriter::expandCoordinates(AffineExpr expr) const {
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < tracer.getNumLoops(); ++i)
    replacements.push_back(extents[i] == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(i, context));
  for (AffineExpr definition : tracer.getNamedCoordinates()) // each is over earlier ones
    replacements.push_back(definition.replaceDims(replacements));
  return expr.replaceDims(replacements);
}

/// Adds EXPR * SCALE, a sum of loops, to COEFFICIENTS and CONSTANT; false where it is none.
static bool addLinear(AffineExpr expr, int64_t scale, MutableArrayRef<int64_t> coefficients, int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += scale;
    return true;
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += scale * number.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, coefficients, constant) &&
           addLinear(binary.getRHS(), scale, coefficients, constant);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return factor && expr.getKind() == AffineExprKind::Mul &&
         addLinear(binary.getLHS(), scale * factor.getValue(), coefficients, constant);
}

/// Finds the loops over outputs whose phase decides which taps of ACCESS are no zeros.
void GenericWriter::findPhases(const Access &access) {
  if (access.kind != Access::Kind::Choice || access.outside->kind != Access::Kind::Literal ||
      !matchPattern(access.outside->literal, m_AnyZeroFloat()))
    return;
  for (const AccessCondition &condition : access.conditions) {
    if (condition.multipleOf == 1)
      continue;
    Phase phase;
    phase.stride = condition.multipleOf;
    SmallVector<int64_t> coefficients(extents.size(), 0);
    bool plain = addLinear(expandCoordinates(condition.expr), 1, coefficients, phase.offset);
    unsigned positions = 0, taps = 0;
    for (auto [loop, coefficient] : llvm::enumerate(coefficients)) {
      if (coefficient == 0)
        continue;
      if (llvm::is_contained(reduction, loop)) {
        ++taps, phase.tap = int(loop), phase.dilation = coefficient;
      } else {
        ++positions, phase.position = unsigned(loop);
        plain &= coefficient == 1 && !llvm::is_contained(batchLoops, loop);
      }
    }
    plain &= positions == 1 && taps <= 1 && phase.dilation >= 0;
    for (const Phase &other : phases)
      plain &= other.position != phase.position && (phase.tap < 0 || other.tap != phase.tap);
    if (plain)
      phases.push_back(phase);
  }
  findPhases(*access.inside);
}

const GenericWriter::Phase *GenericWriter::phaseOf(unsigned loop) const {
  auto it = llvm::find_if(phases, [&](const Phase &phase) { return phase.position == loop; });
  return it == phases.end() ? nullptr : &*it;
}

/// How many positions of LOOP a block's phase has at most.
int64_t GenericWriter::positionsOf(unsigned loop) const {
  const Phase *phase = phaseOf(loop);
  return phase ? llvm::divideCeil(extents[loop], phase->stride) : extents[loop];
}

/// Whether the sums are of products of one factor of each operand.
bool GenericWriter::isProduct() {
  auto product = combiners[0].value.getDefiningOp<arith::MulFOp>();
  const Value first = findStaged(inputs[0]).value, second = findStaged(inputs[1]).value;
  return product && first != second && llvm::is_contained(product->getOperands(), first) &&
         llvm::is_contained(product->getOperands(), second);
}

/// Whether what is staged of OPERAND is zero where it is.
bool GenericWriter::keepsZero(const Operand &operand) {
  llvm::DenseMap<Value, Attribute> known;
  known[operand.argument] = FloatAttr::get(operand.argument.getType(), 0.0);
  Staged staged = findStaged(operand);
  for (Operation *scalar : staged.ops) {
    SmallVector<Attribute> values;
    for (Value value : scalar->getOperands()) {
      Attribute constant = known.lookup(value);
      if (!constant)
        matchPattern(value, m_Constant(&constant));
      values.push_back(constant);
    }
    SmallVector<OpFoldResult> folded;
    if (failed(scalar->fold(values, folded)) || folded.size() != 1)
      return false;
    auto result = dyn_cast<Attribute>(folded[0]);
    known[scalar->getResult(0)] = result ? result : known.lookup(cast<Value>(folded[0]));
  }
  auto zero = dyn_cast_or_null<FloatAttr>(known.lookup(staged.value));
  return zero && zero.getValue().isZero();
}

/// Splits the reduction into taps, which are outer loops, and what a block stages.
void GenericWriter::chooseDeepLoops() {
  // Zeros times what they meet are left out, which is the same for a product of numbers.
  if (isProduct())
    for (const Operand &operand : inputs)
      if (keepsZero(operand))
        findPhases(operand.access);
  std::optional<unsigned> channel;
  for (unsigned loop : reduction) {
    bool tested = false;
    for (const Operand &operand : inputs)
      visitLeaves(operand.access, [&](AffineExpr expr, bool isCondition) {
        tested |= isCondition && expandCoordinates(expr).isFunctionOfDim(loop);
      });
    if (!tested && (!channel || extents[loop] > extents[*channel]))
      channel = loop;
  }
  // A depth of few channels is hardly worth the waiting for each other.
  const int64_t kFewChannels = wideTiles == 1 ? 2 : phases.empty() ? 16 : 4;
  if (reduction.size() > 1 && channel && extents[*channel] >= kFewChannels) {
    for (unsigned loop : reduction)
      (loop == *channel ? deepLoops : tapLoops).push_back(loop);
    return;
  }
  deepLoops = reduction;
  phases.clear();
}

void GenericWriter::chooseWideTile() {
  const int64_t kFewColumns = wideTiles == 1 ? 2 : 4; // a quarter of the smallest tile's; one is no product
  if (!combiners[0].value.getType().isF64() ||
      llvm::any_of(inputs, [](const Operand &operand) { return !operand.argument.getType().isF64(); }))
    return;
  auto count = [&](ArrayRef<unsigned> loops) {
    int64_t positions = 1;
    for (unsigned loop : loops)
      positions *= positionsOf(loop);
    return positions;
  };
  chooseDeepLoops();
  if (count(columnLoops) > count(rowLoops)) {
    std::swap(rowLoops, columnLoops);
    rowOperand = 1;
  }
  const int64_t rows = count(rowLoops), columns = count(columnLoops);
  threadsAcross = columns <= 16 ? 4 : columns <= 32 ? 8 : 16;
  int64_t blocks = llvm::divideCeil(rows, kEachRow * kElementThreads / threadsAcross) *
                   llvm::divideCeil(columns, kEachColumn * threadsAcross) * count(batchLoops);
  for (const Phase &phase : phases)
    blocks *= phase.stride;
  if (columns < kFewColumns || blocks < wideTiles) {
    if (rowOperand == 1)
      std::swap(rowLoops, columnLoops);
    return;
  }
  mapping = Mapping::WideTile;
  lanes = 1, threads = kElementThreads;
  tiles = blocks;
}

/// Declares LOOPS from a linear position in a tile, innermost first.
void GenericWriter::declareTilePosition(StringRef linear, ArrayRef<unsigned> loops, unsigned indent) {
  std::string rest = linear.str();
  for (unsigned i = loops.size(); i-- > 0;) {
    const std::string extent = std::to_string(positionsOf(loops[i]));
    const std::string own = i > 0 ? rest + " % " + extent : rest;
    body.indent(indent) << "const " << indexType << " " << names[loops[i]] << " = ";
    if (const Phase *phase = phaseOf(loops[i]))
      body << (i > 0 ? own : parenthesized(own)) << " * " << phase->stride << " + f" << names[loops[i]];
    else
      body << own;
    body << ";\n";
    rest += " / " + extent;
  }
}

/// `&& d2 < kD2` for those of LOOPS whose last position a phase may lack.
std::string GenericWriter::testPhases(ArrayRef<unsigned> loops) const {
  std::string text;
  for (unsigned loop : loops)
    if (const Phase *phase = phaseOf(loop); phase && extents[loop] % phase->stride != 0)
      text += " && " + names[loop] + " < k" + StringRef(names[loop]).upper();
  return text;
}

/// Whether neighbouring threads walk memory along the reduction, not along the tile: whichever strides less. OWN are
/// OPERAND's loops of a tile. What a phase divides by its stride are neighbours.
bool GenericWriter::walksReduction(const Operand &operand, ArrayRef<unsigned> own) {
  auto strideOf = [&](unsigned inner) {
    int64_t stride = INT64_MAX;
    visitLeaves(operand.access, [&](AffineExpr expr, bool isCondition) {
      SmallVector<int64_t> coefficients(extents.size(), 0);
      if (isCondition || !expandCoordinates(expr).isFunctionOfDim(inner))
        return;
      const bool linear = addCoefficients(expandCoordinates(expr), 1, coefficients, inner, inner);
      stride = std::min<int64_t>(stride, linear ? std::abs(coefficients[inner]) : 2);
    });
    return stride;
  };
  return strideOf(deepLoops.back()) < strideOf(own.back());
}

/// How a staged element of TILE is written, DEEP in the reduction and AT in the tile. Tensor cores read 8 neighbours of
/// 4 depths: those lie together where depths are also written together, else a depth is a row. Either way threads that
/// read or write at once meet different banks.
std::string GenericWriter::spellStaged(StringRef tile, bool alongReduction, StringRef deep, StringRef at) {
  if (isProduct() && alongReduction)
    return (tile + "[(" + deep + ") / 4][" + at + "][(" + deep + ") % 4]").str();
  return (tile + "[" + deep + "][" + at + "]").str();
}

/// Loads what a block stages of OPERAND: OWN are its loops of a tile of SIZE that begins at FIRST, of EXTENT in all.
/// Returns the loop that stores it.
FailureOr<std::string> GenericWriter::writeWideLoad(const Operand &operand, const Staged &staged, StringRef tile,
                                                    StringRef size, StringRef first, StringRef extent,
                                                    ArrayRef<unsigned> own) {
  const bool alongReduction = walksReduction(operand, own);
  const std::string loop =
      ("#pragma unroll\n    for (int n = 0; n * kThreads < " + size + " * kDepth; ++n) {\n" +
       "      const int e = n * kThreads + threadIdx.x;\n      const int at = e " +
       (alongReduction ? "/ kDepth, deep = e % kDepth" : "% " + size + ", deep = e / " + size) + ";\n")
          .str();
  body << "    double " << tile << "Next[(" << size << " * kDepth + kThreads - 1) / kThreads];\n"
       << loop << "      " << tile << "Next[n] = 0.0;\n"
       << "      const " << indexType << " p = " << first << " + at, r = r0 + deep;\n";
  declareTilePosition("p", own, 6);
  declareTilePosition("r", deepLoops, 6);
  // Where the threads are more than there is to stage, AT or DEEP are beyond it.
  const std::string within = ("at < " + size + " && deep < kDepth").str();
  body << "      if (" << within << " && p < " << extent << " && r < kDeep" << testPhases(own) << ") {\n";
  declareCoordinates(findLoops(operand.access));
  FailureOr<std::string> text = writeLoad(operand.access);
  if (failed(text))
    return failure();
  // What is computed of an element waits for it: where nothing becomes nothing, not before all are on their way.
  const bool later = keepsZero(operand);
  auto compute = [&](StringRef element) -> FailureOr<std::string> {
    emitter->setIndent(8);
    emitter->bind(operand.argument, element.str());
    for (Operation *scalar : staged.ops)
      if (failed(emitter->emit(*scalar, nullptr)))
        return failure();
    return emitter->get(staged.value);
  };
  FailureOr<std::string> loaded = later ? text : compute(*text);
  if (failed(loaded))
    return failure();
  const std::string next = (tile + "Next[n]").str();
  body << "        " << next << " = " << *loaded << ";\n      }\n    }\n";
  std::string store;
  std::swap(store, bodyText);
  FailureOr<std::string> stored = later ? compute(next) : FailureOr<std::string>(next);
  std::swap(store, bodyText);
  if (failed(stored))
    return failure();
  return loop + "      if (" + within + ") {\n" + store + "        " + spellStaged(tile, alongReduction, "deep", "at") +
         " = " + *stored + ";\n      }\n    }\n";
}

/// Declares the first tap of a block's phase.
void GenericWriter::declarePhases() {
  for (const Phase &phase : phases) {
    // offset + position + dilation * tap is a multiple of the stride.
    const int64_t offset = ((phase.offset % phase.stride) + phase.stride) % phase.stride;
    const std::string first = "first" + names[phase.position], tap = first + " * " + std::to_string(phase.dilation);
    const int64_t extent = phase.tap < 0 ? 1 : extents[phase.tap], step = phase.step();
    body << "  int " << first << " = 0;\n"
         << "  while (" << first << " < " << step << " && (f" << names[phase.position] << " + " << offset << " + "
         << tap << ") % " << phase.stride << " != 0)\n    ++" << first << ";\n"
         << "  if (" << first << " == " << step << ")\n    " << first << " = " << extent << "; // no tap at all\n";
  }
}

/// Opens the loops over taps, those of a block's phase where there is one. One statement follows.
void GenericWriter::openTapLoops() {
  for (const Phase &phase : phases)
    if (phase.tap < 0) // a filter of one
      body << "    if (first" << names[phase.position] << " == 0)\n";
  for (unsigned loop : tapLoops) {
    auto phase = llvm::find_if(phases, [&](const Phase &p) { return p.tap == int(loop); });
    const bool phased = phase != phases.end();
    const std::string tap = names[loop];
    body << "    for (" << indexType << " " << tap << " = " << (phased ? "first" + names[phase->position] : "0") << "; "
         << tap << " < k" << StringRef(tap).upper() << "; " << tap << " += " << (phased ? phase->step() : 1) << ")\n";
  }
}

/// A depth of products of anything else, without tensor cores.
LogicalResult GenericWriter::writeWideUpdate(const Staged &left, const Staged &right) {
  body << "#pragma unroll 4\n"
       << "    for (int k = 0; k < depth; ++k) {\n"
       << "      Pair a[kEachRow / 2], b[kEachColumn / 2];\n"
       << "#pragma unroll\n"
       << "      for (int n = 0; n < kEachRow / 2; ++n)\n"
       << "        a[n] = *reinterpret_cast<const Pair *>(&left[k][y0 + n * kNextRow]);\n"
       << "#pragma unroll\n"
       << "      for (int n = 0; n < kEachColumn / 2; ++n)\n"
       << "        b[n] = *reinterpret_cast<const Pair *>(&right[k][x0 + n * kNextColumn]);\n"
       << "#pragma unroll\n      for (int y = 0; y < kEachRow; ++y)\n"
       << "#pragma unroll\n        for (int x = 0; x < kEachColumn; ++x) {\n";
  emitter->setIndent(10);
  emitter->bind(left.value, "a[y / 2].lane[y % 2]");
  emitter->bind(right.value, "b[x / 2].lane[x % 2]");
  if (failed(emitScalars()))
    return failure();
  body << "          " << spellUpdate(combiners[0].op, "acc[y][x]", emitter->get(combiners[0].value), helpers)
       << "        }\n    }\n    __syncthreads();\n";
  return success();
}

/// The products of what is staged, on tensor cores: LEFT and RIGHT spell an element of the thread's.
static void writeWideProducts(raw_ostream &os, StringRef left, StringRef right) {
  os << R"(  auto multiply = [&] {
#pragma unroll
    for (int k = 0; k < kDepth; k += 4) {
      double a[kEachRow], b[kEachColumn / 2];
#pragma unroll
      for (int y = 0; y < kEachRow; ++y)
        a[y] = )"
     << left << R"(;
#pragma unroll
      for (int x = 0; x < kEachColumn / 2; ++x)
        b[x] = )"
     << right << R"(;
#pragma unroll
      for (int y = 0; y < kEachRow; ++y)
#pragma unroll
        for (int x = 0; x < kEachColumn / 2; ++x)
          kgen_mma_m8n8k4(acc[y][2 * x], acc[y][2 * x + 1], a[y], b[x]);
    }
  };
  bool staged = false;
)";
}

LogicalResult GenericWriter::writeWideTileBody() {
  auto extentOf = [&](ArrayRef<unsigned> loops) {
    int64_t extent = 1;
    for (unsigned loop : loops)
      extent *= positionsOf(loop);
    return extent;
  };
  const int64_t threadsDown = kElementThreads / threadsAcross, warpsAcross = threadsAcross / 4;
  Operand &left = inputs[rowOperand], &right = inputs[1 - rowOperand];
  const bool multiplies = isProduct();
  const Staged stagedLeft = findStaged(left), stagedRight = findStaged(right);
  for (const Staged *each : {&stagedLeft, &stagedRight})
    leftOutOps.insert_range(each->ops);
  helpers.need(multiplies ? "kgen_mma_m8n8k4" : "kgen_pack");
  const bool deepLeft = walksReduction(left, rowLoops), deepRight = walksReduction(right, columnLoops);
  auto declareStaged = [&](StringRef tile, StringRef size, bool alongReduction) {
    body << "  __shared__ alignas(16) double " << tile;
    if (multiplies && alongReduction)
      body << "[kDepth / 4][" << size << " + 1][4];\n";
    else
      body << "[kDepth][" << size << (multiplies ? " + 4];\n" : " + 2];\n");
  };
  body << "  constexpr int kTall = " << kEachRow * threadsDown << ", kWide = " << kEachColumn * threadsAcross
       << ", kDepth = " << (threadsAcross == 16 ? 16 : 8) << ";\n"
       << "  constexpr int kEachRow = " << kEachRow << ", kEachColumn = " << kEachColumn << ";\n"
       << "  static_assert(kThreads * kEachRow * kEachColumn == kTall * kWide);\n"
       << "  // From one pair of a thread's rows or columns to the next.\n"
       << "  constexpr int " << (multiplies ? "" : "kNextRow = kTall * 2 / kEachRow, ")
       << "kNextColumn = " << (multiplies ? "8" : "kWide * 2 / kEachColumn") << ";\n"
       << "  constexpr " << indexType << " kRows = " << extentOf(rowLoops) << ", kColumns = " << extentOf(columnLoops)
       << ", kDeep = " << extentOf(deepLoops) << ";\n"
       << "  constexpr " << indexType
       << " kDown = (kRows + kTall - 1) / kTall, kAcross = (kColumns + kWide - 1) / kWide;\n"
       << (multiplies ? "" : "  using Pair = kgen_pack<double, 2>;\n");
  declareStaged("left", "kTall", deepLeft);
  declareStaged("right", "kWide", deepRight);
  body << "  " << indexType << " block = blockIdx.x;\n"
       << "  const " << indexType << " column0 = block % kAcross * kWide;\n"
       << "  block /= kAcross;\n";
  for (const Phase &phase : phases) // neighbours share what they read and write
    body << "  const int f" << names[phase.position] << " = block % " << phase.stride << ";\n"
         << "  block /= " << phase.stride << ";\n";
  body << "  const " << indexType << " row0 = block % kDown * kTall;\n";
  if (!batchLoops.empty()) {
    body << "  const " << indexType << " batch = block / kDown;\n";
    declareTilePosition("batch", batchLoops, 2);
  }
  body << "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n";
  if (multiplies)
    body << "  // A warp has 32 x 16 outputs: 4 x 2 products of 8 x 8.\n"
         << "  const int warpRow = warp / " << warpsAcross << " * 32, warpColumn = warp % " << warpsAcross << " * 16;\n"
         << "  const int y0 = warpRow + lane / 4, x0 = warpColumn + lane % 4 * 2;\n";
  else
    body << "  // Of each warp's threads 8 stand below each other, 4 side by side.\n"
         << "  const int y0 = (lane % 8 + warp / " << warpsAcross << " * 8) * 2, x0 = (lane / 8 + warp % "
         << warpsAcross << " * 4) * 2;\n";
  body << "  double acc[kEachRow][kEachColumn];\n"
       << "#pragma unroll\n  for (int y = 0; y < kEachRow; ++y)\n"
       << "#pragma unroll\n    for (int x = 0; x < kEachColumn; ++x)\n      acc[y][x] = ";
  if (failed(writeFirstSum()))
    return failure();
  if (multiplies)
    writeWideProducts(body, spellStaged("left", deepLeft, "k + lane % 4", "warpRow + lane / 4 + y * 8"),
                      spellStaged("right", deepRight, "k + lane % 4", "warpColumn + lane / 4 + x * 8"));
  declarePhases();
  // Taps are inner loops: they read nearly the same of what a channel has.
  body << "  for (" << indexType << " r0 = 0; r0 < kDeep; r0 += kDepth) {\n";
  if (!multiplies)
    body << "    const int depth = kDeep % kDepth == 0 || kDeep - r0 > kDepth ? kDepth : int(kDeep - r0);\n";
  openTapLoops();
  body << "    {\n";
  // All loads before the first store, so that they are in flight together, and beside the products before them.
  FailureOr<std::string> storeLeft = writeWideLoad(left, stagedLeft, "left", "kTall", "row0", "kRows", rowLoops);
  FailureOr<std::string> storeRight =
      writeWideLoad(right, stagedRight, "right", "kWide", "column0", "kColumns", columnLoops);
  if (failed(storeLeft) || failed(storeRight))
    return failure();
  if (multiplies)
    body << "    if (staged)\n      multiply();\n    __syncthreads();\n";
  body << *storeLeft << *storeRight << "    __syncthreads();\n";
  if (multiplies)
    body << "    staged = true;\n";
  else if (failed(writeWideUpdate(stagedLeft, stagedRight)))
    return failure();
  body << "    }\n  }\n";
  if (multiplies)
    body << "  if (staged)\n    multiply();\n";
  const StringRef inRows = multiplies ? "y * 8" : "y / 2 * kNextRow + y % 2";
  body << "#pragma unroll\n  for (int y = 0; y < kEachRow; ++y)\n"
       << "#pragma unroll\n    for (int x = 0; x < kEachColumn; ++x) {\n"
       << "      const " << indexType << " row = row0 + y0 + " << inRows << ";\n"
       << "      const " << indexType << " column = column0 + x0 + x / 2 * kNextColumn + x % 2;\n";
  declareTilePosition("row", rowLoops, 6);
  declareTilePosition("column", columnLoops, 6);
  body << "      if (row < kRows && column < kColumns" << testPhases(rowLoops) << testPhases(columnLoops) << ") {\n";
  accumulators = {"acc[y][x]"};
  writeStores(8);
  body << "      }\n    }\n";
  return success();
}

} // namespace kgen::kernels
