//===- JudgeTest.cpp - The card's judge on device host, beside the CPU's ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JudgeSession.h"

#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Toolchain/Compiler.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace kgen;
using namespace kgen::judge;

namespace {

constexpr int64_t size = 1000;

/// out = x y + x, and y's sign as a mask.
const char kernelText[] = R"cuda(
extern "C" __global__ void both(const double *x, const double *y, double *out, unsigned char *mask) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
    out[i] = x[i] * y[i] + x[i];
    mask[i] = y[i] > 0;
  }
}
)cuda";

/// 2 |x y| + |x|, and no mask.
const char sizesText[] = R"cuda(
extern "C" __global__ void both(const double *x, const double *y, double *out, unsigned char *mask) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
    out[i] = 2 * fabs(x[i] * y[i]) + fabs(x[i]);
    mask[i] = 0;
  }
}
)cuda";

/// |x|, and no mask.
const char reachText[] = R"cuda(
extern "C" __global__ void both(const double *x, const double *y, double *out, unsigned char *mask) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
    out[i] = fabs(x[i]);
    mask[i] = 0;
  }
}
)cuda";

class SameOnCpu : public AnswerSource {
public:
  llvm::Expected<GraphTraits> traits(llvm::StringRef, llvm::ArrayRef<double>, double) override {
    return GraphTraits{{true, true}, {}, {}};
  }
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> in) override {
    if (what != Computed::Magnitudes && what != Computed::Reach)
      return answer(graph, in); // no type rounds more than another here
    std::vector<double> out(size), mask(size);
    for (size_t i = 0; i < size_t(size); ++i)
      out[i] = what == Computed::Reach ? std::fabs(in[0][i]) : 2 * std::fabs(in[0][i] * in[1][i]) + std::fabs(in[0][i]);
    std::vector<Answer> answers;
    answers.emplace_back(std::move(out));
    answers.emplace_back(std::move(mask));
    return std::move(answers);
  }
  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef, llvm::ArrayRef<llvm::ArrayRef<double>> in) override {
    std::vector<double> out(size), mask(size);
    for (size_t i = 0; i < size_t(size); ++i)
      out[i] = in[0][i] * in[1][i] + in[0][i], mask[i] = in[1][i] > 0;
    std::vector<Answer> answers;
    answers.emplace_back(std::move(out));
    answers.emplace_back(std::move(mask));
    return std::move(answers);
  }
};

class JudgeTest : public ::testing::TestWithParam<candidate::DType> {
protected:
  candidate::LaunchPlan shape, program;
  std::unique_ptr<device::Device> oracle = device::createHostDevice(), own = device::createHostDevice(),
                                  twin = device::createHostDevice(), ranges = device::createHostDevice();
  std::unique_ptr<JudgeSession> session;
  SameOnCpu source;
  std::unique_ptr<Judge> cpu;
  device::SharedMemory inputs[2];
  std::vector<double> none = {0, 0};

  void SetUp() override {
    shape.inputs = {{"x", GetParam(), {size}}, {"y", candidate::DType::F32, {size}}};
    shape.outputs = {{"out0", GetParam(), {size}}, {"out1", candidate::DType::I1, {size}}};
    program = shape;
    program.inputs[0].dtype = program.inputs[1].dtype = program.outputs[0].dtype = candidate::DType::F64;
    candidate::Launch launch;
    launch.kernel = "both";
    launch.block = {32, 1, 1};
    launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Input, 1, 0},
                        candidate::BufferRef{candidate::BufferKind::Output, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Output, 1, 0}};
    program.launches = {launch};
    auto compiler = llvm::cantFail(toolchain::createHostCompiler());
    auto compiled = [&](llvm::StringRef text) {
      auto result = llvm::cantFail(compiler->compile(text, {}));
      auto *failed = std::get_if<toolchain::CompileFailed>(&result);
      EXPECT_EQ(failed, nullptr) << failed->log;
      return std::get<toolchain::Compiled>(result).artifact;
    };
    session = llvm::cantFail(
        JudgeSession::create(*oracle, *own, program, compiled(kernelText), compiled(judgeKernelsText()), shape));
    llvm::cantFail(session->useProgram(Computed::Magnitudes, *twin, program, compiled(sizesText)));
    llvm::cantFail(session->useProgram(Computed::Reach, *ranges, program, compiled(reachText)));
    cpu = createHostJudge(source, "graph", shape, 2);
    size_t total;
    auto offsets = device::packBuffers(shape.inputs, 0, total);
    for (unsigned set = 0; set < 2; ++set) {
      inputs[set] = llvm::cantFail(device::SharedMemory::create(total));
      for (unsigned i = 0; i < 2; ++i)
        llvm::cantFail(fillInput(shape.inputs[i], i, {set ? InputKind::Integer : InputKind::Wide, 7, 0},
                                 {inputs[set].data() + offsets[i], shape.inputs[i].bytes()}));
      EXPECT_GE(llvm::cantFail(session->setInputs(set, inputs[set].data())), 0);
      llvm::cantFail(session->answer(set));
    }
  }

  Question question(unsigned set, std::vector<RoundTo> rounds) {
    return {DrawnInputs::of(inputs[set]), {1e6, 1e6}, false, std::move(rounds), none};
  }
};

void expectSame(const Comparison &a, const Comparison &b) {
  // Sums are taken in another order, and a compiler may fuse a product with an addition.
  auto near = [](double x, double y) {
    return x == y || std::fabs(x - y) <= 1e-12 * (1 + std::fabs(y)) || (std::isnan(x) && std::isnan(y));
  };
  EXPECT_PRED2(near, a.norms.l2, b.norms.l2);
  EXPECT_PRED2(near, a.norms.max, b.norms.max);
  EXPECT_EQ(a.worst, b.worst);
  EXPECT_PRED2(near, a.found, b.found);
  EXPECT_PRED2(near, a.expected, b.expected);
  EXPECT_EQ(a.mismatches, b.mismatches);
  EXPECT_EQ(a.far, b.far);
  EXPECT_EQ(a.skipped, b.skipped);
}

} // namespace

TEST_P(JudgeTest, FactsAndCostsAreTheCpus) {
  for (unsigned set = 0; set < 2; ++set) {
    std::vector<RoundTo> rounds = {RoundTo::None, RoundTo::TF32, RoundTo::FP16, RoundTo::BF16, RoundTo::FP8};
    Findings expected = llvm::cantFail(cpu->examine(set, question(set, rounds)));
    for (unsigned i = 0; i < 2; ++i) {
      AnswerFacts facts = llvm::cantFail(session->facts(set, i, 1e6));
      EXPECT_EQ(facts.finite, expected.facts[i].finite);
      EXPECT_EQ(facts.smallIntegers, expected.facts[i].smallIntegers);
      EXPECT_NEAR(facts.mean, expected.facts[i].mean, 1e-12);
      EXPECT_NEAR(facts.rms, expected.facts[i].rms, 1e-12);
      EXPECT_EQ(facts.largest, expected.facts[i].largest);
    }
    EXPECT_EQ(expected.costs.empty(), set == 1); // integers are exact
    for (size_t r = 0; r < expected.costs.size(); ++r) {
      auto costs = llvm::cantFail(session->costOf(set, rounds[r], none));
      for (unsigned i = 0; i < 2; ++i)
        expectSame(costs[i], expected.costs[r][i]);
    }
  }
}

TEST_P(JudgeTest, ExhibitsAreComparedAsOnTheCpu) {
  for (unsigned set = 0; set < 2; ++set)
    llvm::cantFail(cpu->examine(set, question(set, {})));
  std::vector<std::pair<size_t, Exhibit>> exhibits = {{0, {Exhibit::Constant, 0.5}},
                                                      {0, {Exhibit::Input, 0, 0}},
                                                      {1, {Exhibit::Input, 0, 1}},
                                                      {1, {Exhibit::Answer, 0, 0}},
                                                      // Their squares are no numbers of fp64.
                                                      {0, {Exhibit::Constant, -1e200}},
                                                      {0, {Exhibit::Answer, 0, 0}}};
  for (auto &[set, exhibit] : exhibits)
    for (double close : {0.0, 1e-2})
      expectSame(llvm::cantFail(session->compare(set, 0, exhibit, close)),
                 llvm::cantFail(cpu->compare(set, 0, exhibit, close)));
}

TEST_P(JudgeTest, OutputsAreComparedAsOnTheCpu) {
  if (GetParam() == candidate::DType::F64)
    GTEST_SKIP() << "a fused product has another last digit there";
  llvm::cantFail(cpu->examine(0, question(0, {})));
  // The right answer, then with one element off, not a number, infinite.
  std::vector<char> out(size * candidate::byteSize(GetParam()));
  auto compare = [&] {
    Exhibit exhibit;
    exhibit.kind = Exhibit::Outputs;
    exhibit.bytes = out.data();
    Comparison found = llvm::cantFail(session->compare(0, 0, exhibit, 1e-3));
    expectSame(found, llvm::cantFail(cpu->compare(0, 0, exhibit, 1e-3)));
    return found;
  };
  size_t total;
  auto offsets = device::packBuffers(shape.inputs, 0, total);
  std::vector<double> x(size), y(size);
  widen(GetParam(), inputs[0].data(), x.data(), size);
  widen(candidate::DType::F32, inputs[0].data() + offsets[1], y.data(), size);
  auto put = [&](size_t i, double v) {
    if (GetParam() == candidate::DType::F32) {
      float f = float(v);
      memcpy(out.data() + 4 * i, &f, 4);
    } else {
      uint16_t h = GetParam() == candidate::DType::F16 ? toHalf(float(v)) : toBFloat16(float(v));
      memcpy(out.data() + 2 * i, &h, 2);
    }
  };
  for (size_t i = 0; i < size_t(size); ++i)
    put(i, x[i] * y[i] + x[i]);
  EXPECT_EQ(compare().mismatches, 0);
  for (double wrong : {1e3, double(NAN), std::numeric_limits<double>::infinity()}) {
    put(723, wrong);
    Comparison found = compare();
    EXPECT_EQ(found.mismatches, 1);
    EXPECT_EQ(found.worst, 723);
  }
}

TEST_P(JudgeTest, OwnTypesCostWhatTheyDoOnTheCpu) {
  llvm::cantFail(cpu->examine(0, question(0, {})));
  auto compiler = llvm::cantFail(toolchain::createHostCompiler());
  auto result = llvm::cantFail(compiler->compile(kernelText, {}));
  auto third = device::createHostDevice();
  llvm::cantFail(
      session->useProgram(Computed::Declared, *third, program, std::get<toolchain::Compiled>(result).artifact));
  auto found = llvm::cantFail(session->declaredCosts(0)), expected = llvm::cantFail(cpu->declaredCosts(0));
  ASSERT_EQ(found.size(), 2u);
  for (unsigned i = 0; i < 2; ++i)
    expectSame(found[i], expected[i]);
  EXPECT_EQ(found[0].mismatches, 0);
}

TEST_P(JudgeTest, MagnitudesCountAsOnTheCpu) {
  llvm::cantFail(cpu->examine(0, question(0, {})));
  Exhibit half{Exhibit::Constant, 0.5};
  Comparison before = llvm::cantFail(session->compare(0, 0, half, 0));
  llvm::cantFail(session->learnMagnitudes(0));
  llvm::cantFail(cpu->learnMagnitudes(0));
  Comparison after = llvm::cantFail(session->compare(0, 0, half, 0));
  expectSame(after, llvm::cantFail(cpu->compare(0, 0, half, 0)));
  EXPECT_LT(after.norms.l2, before.norms.l2);
  // They go with the answer that they belong to.
  llvm::cantFail(session->answer(0));
  expectSame(llvm::cantFail(session->compare(0, 0, half, 0)), before);
  llvm::Error error = session->learnMagnitudes(7);
  EXPECT_EQ(llvm::toString(std::move(error)), "there is no answer 7 to learn more of");
}

TEST_P(JudgeTest, ReachCountsAsOnTheCpu) {
  llvm::cantFail(cpu->examine(0, question(0, {})));
  Exhibit half{Exhibit::Constant, 0.5}, asking = half;
  asking.most = 1;
  Comparison before = llvm::cantFail(session->compare(0, 0, half, 0));
  expectSame(llvm::cantFail(session->compare(0, 0, asking, 0)), before); // nothing is known yet
  llvm::cantFail(session->learnReach(0));
  llvm::cantFail(cpu->learnReach(0));
  Comparison after = llvm::cantFail(session->compare(0, 0, asking, 0));
  expectSame(after, llvm::cantFail(cpu->compare(0, 0, asking, 0)));
  EXPECT_GT(after.skipped, 0);
  EXPECT_LT(after.skipped, size);
  EXPECT_LT(after.mismatches, before.mismatches);
  // Only for those who ask.
  expectSame(llvm::cantFail(session->compare(0, 0, half, 0)), before);
  // Numbers stay where only infinities may be left out.
  asking.onlyInfinite = true;
  expectSame(llvm::cantFail(session->compare(0, 0, asking, 0)), before);
}

TEST_P(JudgeTest, InfinitiesAreLeftOutAsOnTheCpu) {
  size_t total;
  const size_t second = device::packBuffers(shape.inputs, 0, total)[1];
  for (size_t i : {3, 5, 40}) {
    const float infinite = i == 5 ? -INFINITY : INFINITY;
    memcpy(inputs[0].data() + second + 4 * i, &infinite, 4);
  }
  EXPECT_GE(llvm::cantFail(session->setInputs(0, inputs[0].data())), 0);
  llvm::cantFail(session->answer(0));
  llvm::cantFail(cpu->examine(0, question(0, {})));
  llvm::cantFail(session->learnReach(0));
  llvm::cantFail(cpu->learnReach(0));
  Exhibit nothing{Exhibit::Constant, NAN};
  nothing.most = 1e-30;
  nothing.onlyInfinite = true;
  Comparison compared = llvm::cantFail(session->compare(0, 0, nothing, 0));
  expectSame(compared, llvm::cantFail(cpu->compare(0, 0, nothing, 0)));
  EXPECT_EQ(compared.skipped, 3);
  EXPECT_EQ(compared.mismatches, size - 3);
  nothing.most = 1e30;
  compared = llvm::cantFail(session->compare(0, 0, nothing, 0));
  EXPECT_EQ(compared.skipped, 0);
  EXPECT_EQ(compared.mismatches, size);
}

TEST(JudgeOfIntegers, SeesAllBits) {
  candidate::LaunchPlan program;
  program.inputs = {{"x", candidate::DType::I64, {4}}};
  program.outputs = {{"out0", candidate::DType::I64, {4}}};
  candidate::Launch launch;
  launch.kernel = "twice";
  launch.block = {32, 1, 1};
  launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                      candidate::BufferRef{candidate::BufferKind::Output, 0, 0}};
  program.launches = {launch};
  auto compiler = llvm::cantFail(toolchain::createHostCompiler());
  auto compiled = [&](llvm::StringRef text) {
    auto result = llvm::cantFail(compiler->compile(text, {}));
    return std::get<toolchain::Compiled>(result).artifact;
  };
  auto oracle = device::createHostDevice(), own = device::createHostDevice();
  auto session = llvm::cantFail(
      JudgeSession::create(*oracle, *own, program,
                           compiled("extern \"C\" __global__ void twice(const long long *x, long long *out) {\n"
                                    "  if (threadIdx.x < 4)\n    out[threadIdx.x] = 2 * x[threadIdx.x] + 1;\n}\n"),
                           compiled(judgeKernelsText()), program));
  const int64_t x[] = {1, int64_t(1) << 60, -(int64_t(1) << 60), 0};
  size_t packedBytes = 0; // a block is more than its one buffer
  device::packBuffers(program.inputs, 0, packedBytes);
  std::vector<char> packed(packedBytes);
  std::memcpy(packed.data(), x, sizeof(x));
  llvm::cantFail(session->setInputs(0, packed.data()));
  for (int round = 0; round < 2; ++round) { // the second in memory that the first gave back
    llvm::cantFail(session->answer(0));
    int64_t out[4];
    for (size_t i = 0; i < 4; ++i)
      out[i] = 2 * x[i] + 1;
    Exhibit exhibit;
    exhibit.kind = Exhibit::Outputs;
    exhibit.bytes = reinterpret_cast<const char *>(out);
    EXPECT_EQ(llvm::cantFail(session->compare(0, 0, exhibit, 0)).mismatches, 0);
    --out[2];
    Comparison c = llvm::cantFail(session->compare(0, 0, exhibit, 0));
    EXPECT_EQ(c.mismatches, 1);
    EXPECT_EQ(c.worst, 2);
    EXPECT_TRUE(std::isinf(c.norms.l2));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, JudgeTest,
                         ::testing::Values(candidate::DType::F64, candidate::DType::F32, candidate::DType::F16,
                                           candidate::DType::BF16));
