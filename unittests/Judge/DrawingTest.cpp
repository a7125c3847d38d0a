//===- DrawingTest.cpp - A seed gives the same bytes everywhere -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DrawBlocks.h"
#include "JudgeSession.h"

#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"

#include "gtest/gtest.h"

#include <cmath>
#include <sys/mman.h>

using namespace kgen;
using namespace kgen::judge;

namespace {

constexpr int64_t rows = 37, columns = 41;

/// Every law, run and alteration in every type: BODY(spec, argument, set).
template <typename Body>
void forAllDrawings(const Body &body) {
  for (int type = 0; type < 8; ++type)
    for (const char *init : {"normal(0, 1)", "normal(3, 40)", "uniform(0, 1)", "uniform(-2, 5)", "integer(0, 1)",
                             "integer(-3, 90)", "integer(7, 7)"})
      for (int kind = 0; kind <= int(InputKind::NaN); ++kind)
        for (unsigned ordinal = 0; ordinal <= (kind == int(InputKind::Special) ? lastSpecial : 0u); ++ordinal)
          for (unsigned argument : {0u, 1u}) {
            candidate::BufferSpec spec;
            spec.name = "x", spec.dtype = candidate::DType(type), spec.shape = {rows, columns}, spec.init = init;
            spec.parameter = argument == 1 && ordinal == 1;
            body(spec, argument, InputSet{InputKind(kind), 0x123456789abcdef, ordinal, argument});
          }
}

std::string describe(const candidate::BufferSpec &spec, const InputSet &set) {
  return candidate::dtypeName(spec.dtype).str() + " " + spec.init + " " + set.name();
}

std::vector<char> drawnBytes(const candidate::BufferSpec &spec, unsigned argument, const InputSet &set) {
  std::vector<char> out(spec.bytes());
  llvm::cantFail(fillInput(spec, argument, set, out, 2));
  return out;
}

/// A graph that reads nothing, and a judge of it on a device, whose inputs have a shape.
class Drawer {
public:
  Drawer(const std::string &name, toolchain::Compiler &compiler, const std::string &arch, std::vector<int64_t> extents)
      : oracle(llvm::cantFail(device::createDevice(name))), own(llvm::cantFail(device::createDevice(name))) {
    auto compiled = [&](llvm::StringRef text) {
      toolchain::CompileOptions options;
      options.arch = arch;
      auto result = llvm::cantFail(compiler.compile(text, options));
      auto *failed = std::get_if<toolchain::CompileFailed>(&result);
      EXPECT_EQ(failed, nullptr) << failed->log;
      return std::get<toolchain::Compiled>(result).artifact;
    };
    for (int type = 0; type < 8; ++type)
      shape.inputs.push_back({"x" + std::to_string(type), candidate::DType(type), extents});
    shape.outputs = {{"out0", candidate::DType::F64, {1}}};
    program = shape;
    for (candidate::BufferSpec &input : program.inputs)
      input.dtype = candidate::DType::F64;
    candidate::Launch launch;
    launch.kernel = "nothing";
    launch.arguments = {candidate::BufferRef{candidate::BufferKind::Output, 0, 0}};
    program.launches = {launch};
    session = llvm::cantFail(JudgeSession::create(
        *oracle, *own, program, compiled("extern \"C\" __global__ void nothing(double *out) { out[0] = 0; }\n"),
        compiled(judgeKernelsText()), shape));
  }

  std::unique_ptr<device::Device> oracle, own;
  candidate::LaunchPlan shape, program;
  std::unique_ptr<JudgeSession> session;
};

} // namespace

TEST(Drawing, VectorsOfAnyWidthHaveTheBitsOfOneElement) {
  forAllDrawings([](const candidate::BufferSpec &spec, unsigned argument, const InputSet &set) {
    const kgen_drawing d = llvm::cantFail(drawingOf(spec, argument, set));
    std::vector<char> single(spec.bytes());
    for (int64_t i = 0; i < spec.elements(); ++i)
      kgen_draw_store(single.data(), int(spec.dtype), i, kgen_draw_element(&d, i));
    for (DrawUnits units : {DrawUnits::Plain, DrawUnits::Avx2, DrawUnits::Avx512}) {
      if (units > availableDrawUnits())
        break;
      // In pieces that no block ends with.
      std::vector<char> blocks(spec.bytes());
      drawElements(d, spec.dtype, blocks.data(), 0, 700, units);
      drawElements(d, spec.dtype, blocks.data(), 700, spec.elements(), units);
      EXPECT_EQ(blocks, single) << describe(spec, set) << " by units " << int(units);
    }
  });
}

/// Whoever was told a seed draws the same inputs again with any version: where this changes, the changelog says so.
TEST(Drawing, ASeedGivesTheBytesThatItGave) {
  uint64_t digest = 0xcbf29ce484222325; // FNV-1a
  forAllDrawings([&](const candidate::BufferSpec &spec, unsigned argument, const InputSet &set) {
    for (char byte : drawnBytes(spec, argument, set))
      digest = (digest ^ uint8_t(byte)) * 0x100000001b3;
  });
  EXPECT_EQ(digest, 16282411722051028001u);
}

TEST(Drawing, FunctionsOfItsOwnAreThoseOfMathematics) {
  for (int i = 1; i < 100000; ++i) {
    const double p = i < 1000 ? std::ldexp(1 + i / 1000.0, -i % 54) : i * 1e-5;
    EXPECT_NEAR(kgen_draw_log(p), std::log(p), 4e-16 * std::max(1.0, std::fabs(std::log(p)))) << p;
    const double u = i * 1e-5;
    EXPECT_NEAR(kgen_draw_spread(u) / std::exp2(8 * u - 4), 1, 5e-16) << u;
  }
  for (double p : {0x1p-53, 1e-10, 0.01, 0.02425, 0.1, 0.5, 0.9, 0.97575, 0.999, 1 - 0x1p-53}) {
    const double x = kgen_draw_is_tail(p) ? kgen_draw_tail(p) : kgen_draw_middle(p);
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2.0)) / 2, p, 1e-7 * p) << p;
  }
  for (uint64_t bits : {uint64_t(0), uint64_t(1), uint64_t(5), ~uint64_t(0), ~uint64_t(0) - 1, uint64_t(1) << 33})
    EXPECT_EQ(kgen_draw_third(bits), bits % 3);
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(kgen_draw_third(kgen_draw_mix(i)), kgen_draw_mix(i) % 3);
  EXPECT_GT(kgen_draw_unit(0), 0);
  EXPECT_LT(kgen_draw_unit(~0ull), 1);
}

/// The very text that a card gets, as kernels are compiled for device host: -O3, products contracted where they can be.
TEST(Drawing, TheCardsTextHasTheBitsOfTheCpu) {
  auto compiler = llvm::cantFail(toolchain::createHostCompiler());
  Drawer drawer("host", *compiler, "", {rows, columns});
  size_t total;
  const std::vector<size_t> offsets = device::packBuffers(drawer.shape.inputs, 0, total);
  forAllDrawings([&](const candidate::BufferSpec &spec, unsigned argument, const InputSet &set) {
    const kgen_drawing d = llvm::cantFail(drawingOf(spec, argument, set));
    EXPECT_EQ(wordsOf(drawingOfWords(wordsOf(d))), wordsOf(d));
    const int type = int(spec.dtype), descriptor = llvm::cantFail(drawer.session->drawInput(0, unsigned(type), d));
    void *at = mmap(nullptr, total, PROT_READ, MAP_SHARED, descriptor, 0);
    ASSERT_NE(at, MAP_FAILED);
    EXPECT_EQ(memcmp(static_cast<char *>(at) + offsets[type], drawnBytes(spec, argument, set).data(), spec.bytes()), 0)
        << describe(spec, set);
    munmap(at, total);
  });
}

TEST(Drawing, CompilesForCards) {
  setenv("KGEN_WORKER", KGEN_EVAL_BINARY, 0); // NVRTC is in a process of its own
  auto compiler = toolchain::createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  for (const char *arch : {"sm_80", "sm_90a"}) {
    toolchain::CompileOptions options;
    options.arch = arch;
    auto result = llvm::cantFail((*compiler)->compile(judgeKernelsText(), options));
    auto *failed = std::get_if<toolchain::CompileFailed>(&result);
    ASSERT_EQ(failed, nullptr) << failed->log;
    for (const candidate::KernelResources &kernel : std::get<toolchain::Compiled>(result).kernels)
      EXPECT_EQ(kernel.spillBytes, 0) << kernel.kernel;
  }
}

/// Every drawing on the card that is there; drawInput() holds each of so few elements against the CPU. Then what
/// drawing 64 MiB takes.
TEST(Drawing, TheCardHasTheBitsOfTheCpu) {
  auto card = device::queryCard(0);
  if (!card)
    GTEST_SKIP() << llvm::toString(card.takeError());
  setenv("KGEN_WORKER", KGEN_EVAL_BINARY, 0);
  auto compiler = llvm::cantFail(toolchain::createNvrtcCompiler());
  static_assert(rows * columns <= 2048);
  Drawer drawer("cuda:0", *compiler, card->arch, {rows, columns});
  forAllDrawings([&](const candidate::BufferSpec &spec, unsigned argument, const InputSet &set) {
    const kgen_drawing d = llvm::cantFail(drawingOf(spec, argument, set));
    auto drawn = drawer.session->drawInput(0, unsigned(spec.dtype), d);
    EXPECT_TRUE(bool(drawn)) << describe(spec, set) << ": " << llvm::toString(drawn.takeError());
  });
  Drawer large("cuda:0", *compiler, card->arch, {16, 1 << 20});
  for (const char *init : {"normal(0, 1)", "uniform(0, 1)", "integer(0, 1000)"})
    for (int kind = 0; kind <= int(InputKind::NaN); ++kind) {
      candidate::BufferSpec spec = large.shape.inputs[1];
      spec.init = init;
      const InputSet set{InputKind(kind), 7};
      const double start = toolchain::monotonicSeconds();
      llvm::cantFail(large.session->drawInput(0, 1, llvm::cantFail(drawingOf(spec, 0, set))));
      printf("%s, 16 Mi numbers: %.2f ms\n", describe(spec, set).c_str(),
             1e3 * (toolchain::monotonicSeconds() - start));
    }
}
