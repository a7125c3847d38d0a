//===- GenericLanes.cpp - Threads that share an output --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of the generic path whose outputs are few, or whose rows walk memory: a warp or a block for each output.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

using namespace mlir;

namespace kgen::kernels {

/// The shuffle of lane + OFFSET's VALUE: only 32 and 64 bit types have one.
static std::string spellShuffle(Type type, StringRef value, CudaHelpers &helpers) {
  auto shuffle = [](const Twine &text) { return ("__shfl_down_sync(0xffffffffu, " + text + ", offset)").str(); };
  if (type.isF16())
    return "__float2half(" + shuffle("__half2float(" + value + ")") + ")";
  if (type.isBF16())
    return "__float2bfloat16(" + shuffle("__bfloat162float(" + value + ")") + ")";
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    return "(" + getStorageType(type).str() + ")" + shuffle("(int)" + value);
  return shuffle(value);
}

/// LANES threads share an output and stride through its reduction.
LogicalResult GenericWriter::writeLanesBody() {
  bool isBlock = lanes == threads;
  if (isBlock) {
    if (outputs > 1)
      body << "  const " << indexType << " " << (parallel.size() == 1 ? names[parallel[0]] : "i") << " = blockIdx.x;\n";
  } else {
    std::string position = parallel.size() == 1 ? names[parallel[0]] : "i";
    body << "  const int lane = threadIdx.x % 32;\n"
         << "  const " << indexType << " " << position << " = "
         << (indexType == "int" ? "blockIdx.x" : "(long long)blockIdx.x") << " * (kThreads / 32) + threadIdx.x / 32;\n"
         << "  if (" << position << " >= kOutputs)\n    return;\n";
  }
  if (parallel.size() > 1)
    declarePosition("i", parallel, 2);
  declareCoordinates(0);
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    accumulators.push_back("acc" + std::to_string(i));
    body << "  " << emitter->getLocalType(combiner.value.getType()) << " " << accumulators[i] << " = "
         << printLiteral(getNeutral(combiner.op), helpers) << ";\n";
  }
  std::string position = reduction.size() == 1 ? names[reduction[0]] : "r";
  body << "  for (" << indexType << " " << position << " = " << (isBlock ? "threadIdx.x" : "lane") << "; " << position
       << " < " << (reduction.size() == 1 ? "k" + StringRef(position).upper() : "kReduced") << "; " << position
       << " += " << (isBlock ? "kThreads" : "32") << ") {\n";
  if (reduction.size() > 1)
    declarePosition("r", reduction, 4);
  for (unsigned depth = 1; depth <= reduction.size(); ++depth)
    for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates()))
      if (coordinateDepth[i] == depth)
        body << "    const " << indexType << " " << names[tracer.getNumLoops() + i] << " = " << writeIndex(definition)
             << ";\n";
  if (failed(bindLoads(/*initial=*/false, 1)))
    return failure();
  if (failed(emitScalars()))
    return failure();
  for (auto [accumulator, combiner] : llvm::zip(accumulators, combiners))
    body << "    " << spellUpdate(combiner.op, accumulator, emitter->get(combiner.value), helpers);
  body << "  }\n";

  body << (isBlock ? "  // Combine the partial results: lanes by shuffles, then warps through shared memory.\n"
                   : "  // Combine the lanes' partial results.\n")
       << "  for (int offset = 16; offset > 0; offset /= 2)" << (combiners.size() > 1 ? " {\n" : "\n");
  for (auto [accumulator, combiner] : llvm::zip(accumulators, combiners)) {
    std::string shuffled = spellShuffle(combiner.value.getType(), accumulator, helpers);
    // Every lane takes part in a shuffle, so it stands on the side of && and || that is always looked at.
    if (combiner.value.getType().isInteger(1))
      body << "    " << accumulator << " = " << combineExpression(combiner.op, shuffled, accumulator, helpers) << ";\n";
    else
      body << "    " << spellUpdate(combiner.op, accumulator, shuffled, helpers);
  }
  if (combiners.size() > 1)
    body << "  }\n";
  if (isBlock) {
    for (auto [i, combiner] : llvm::enumerate(combiners))
      body << "  __shared__ " << emitter->getLocalType(combiner.value.getType()) << " warp" << i
           << "[kThreads / 32];\n";
    body << "  if (threadIdx.x % 32 == 0)" << (combiners.size() > 1 ? " {\n" : "\n");
    for (auto [i, accumulator] : llvm::enumerate(accumulators))
      body << "    warp" << i << "[threadIdx.x / 32] = " << accumulator << ";\n";
    if (combiners.size() > 1)
      body << "  }\n";
    body << "  __syncthreads();\n  if (threadIdx.x == 0) {\n"
         << "    for (int w = 1; w < kThreads / 32; ++w)" << (combiners.size() > 1 ? " {\n" : "\n");
    for (auto [i, combiner] : llvm::enumerate(combiners))
      body << "      " << spellUpdate(combiner.op, accumulators[i], "warp" + std::to_string(i) + "[w]", helpers);
    if (combiners.size() > 1)
      body << "    }\n";
  } else {
    body << "  if (lane == 0) {\n";
  }
  // The initial value enters once, and not at all where it is the neutral element.
  for (Operand &init : inits) {
    unsigned i = init.argument.getArgNumber() - op.getNumDpsInputs();
    if (init.access.kind == Access::Kind::Literal && init.access.literal == getNeutral(combiners[i].op))
      continue;
    FailureOr<std::string> text = writeLoad(init.access);
    if (failed(text))
      return failure();
    std::string operand = init.access.kind == Access::Kind::Choice ? "(" + *text + ")" : *text;
    body << "    " << spellUpdate(combiners[i].op, accumulators[i], operand, helpers);
  }
  writeStores(4);
  body << "  }\n";
  return success();
}

} // namespace kgen::kernels
