//===- CardAnswersTest.cpp - The card's oracle on device host --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JudgeServer.h"
#include "JudgeSession.h"

#include "kgen/Judge/Answers.h"
#include "kgen/Judge/Judge.h"
#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Judge/Reference.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace kgen;
using namespace kgen::judge;

namespace {

/// kgen-oracle, that tells how often it was asked for answers, and may be made wrong.
class CountedOracle : public AnswerSource {
public:
  CountedOracle(std::atomic<int> &asked, double fault, double work) : asked(asked), fault(fault), work(work) {}
  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                             llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return compute(Computed::Answers, graph, inputs);
  }
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    ++asked;
    auto answers = own->compute(what, graph, inputs);
    if (!answers || fault == 0)
      return answers;
    std::vector<double> values((*answers)[0].data(), (*answers)[0].data() + (*answers)[0].size());
    values[values.size() / 2] += fault;
    std::vector<Answer> wrong;
    wrong.emplace_back(std::move(values));
    return std::move(wrong);
  }
  llvm::Expected<GraphTraits> traits(llvm::StringRef graph, llvm::ArrayRef<double> largest, double products) override {
    return own->traits(graph, largest, products);
  }
  llvm::Expected<double> flops(llvm::StringRef graph) override { return work > 0 ? work : own->flops(graph); }
  void rest(llvm::StringRef graph) override { own->rest(graph); }

private:
  std::atomic<int> &asked;
  const double fault, work; ///< WORK: the flops of every graph, where it is above 0
  std::unique_ptr<AnswerSource> own = createOracleProcess();
};

/// A task called NAME: sigmoid(relu(x)) of ROWS x 1024, which is looked at as 4 x 16, drawn from NORMAL(0, SCALE).
std::string graphOf(int64_t rows, const char *scale, const char *name = "task") {
  const std::string type = "tensor<" + std::to_string(rows) + "x1024xf32>";
  return "func.func @" + std::string(name) + "(%arg0: " + type + " {kgen.init = \"normal(0, " + scale +
         ")\", kgen.small = tensor<4x16xf32>}) -> " + type + " {\n  %0 = aten.relu %arg0 : (" + type + ") -> " + type +
         "\n  %1 = aten.sigmoid %0 : (" + type + ") -> " + type + "\n  return %1 : " + type + "\n}\n";
}

candidate::LaunchPlan planOf(std::vector<std::vector<int64_t>> inputs, std::vector<int64_t> output) {
  candidate::LaunchPlan plan;
  for (auto &shape : inputs)
    plan.inputs.push_back({"x", candidate::DType::F32, shape});
  plan.outputs = {{"y", candidate::DType::F32, output}};
  plan.precision = "strict-fp32";
  return plan;
}

class CardAnswersTest : public ::testing::Test {
protected:
  llvm::SmallString<128> cache;
  std::atomic<int> asked = 0;
  std::unique_ptr<AnswerSource> source;

  void SetUp() override {
    llvm::sys::fs::createUniqueDirectory("kgen-answers", cache);
    setenv("KGEN_CACHE_DIR", cache.c_str(), 1);
    setenv("KGEN_WORKER", KGEN_EVAL_BINARY, 1); // beside which the tools lie
    open(0);
  }
  void TearDown() override {
    source.reset();
    llvm::sys::fs::remove_directories(cache);
    unsetenv("KGEN_WORKER");
    unsetenv("KGEN_CACHE_DIR");
  }

  void open(double fault, double work = 0) {
    std::shared_ptr<toolchain::Compiler> compiler = llvm::cantFail(toolchain::createHostCompiler());
    source = createCardOracle("host", "host", compiler, std::make_unique<CountedOracle>(asked, fault, work));
  }

  /// What CARD and CPU find of one declared set of PLAN's only input.
  static std::pair<Findings, Findings> examineBoth(Judge &card, Judge &cpu, const candidate::LaunchPlan &plan) {
    const size_t bytes = plan.inputs[0].bytes();
    device::SharedMemory inputs = llvm::cantFail(device::SharedMemory::create(bytes));
    llvm::cantFail(fillInput(plan.inputs[0], 0, {InputKind::Declared, 7, 0}, {inputs.data(), bytes}));
    Question question;
    question.inputs = DrawnInputs::of(inputs);
    return {llvm::cantFail(card.examine(0, question)), llvm::cantFail(cpu.examine(0, question))};
  }
};

} // namespace

TEST_F(CardAnswersTest, AnswersAreTheCpus) {
  const candidate::LaunchPlan plan = planOf({{1100, 1024}}, {1100, 1024});
  auto made = source->judge(graphOf(1100, "1"), plan, 1);
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  std::unique_ptr<Judge> card = std::move(*made);
  EXPECT_EQ(asked, 1); // for the reduced form
  auto cpu = createHostJudge(*source, graphOf(1100, "1"), plan, 1);
  const auto [found, expected] = examineBoth(*card, *cpu, plan);
  EXPECT_GT(found.facts[0].rms, 0);
  EXPECT_NEAR(found.facts[0].rms, expected.facts[0].rms, 1e-12);
  EXPECT_NEAR(found.facts[0].mean, expected.facts[0].mean, 1e-12);
  EXPECT_EQ(found.facts[0].largest, expected.facts[0].largest);
}

TEST_F(CardAnswersTest, WithoutRoomTheCpuAnswersWhatItComesToAnEndWith) {
  // Its inputs and the answers take two thirds; none of it is written.
  const int64_t rows = int64_t(device::availableMemory() / 6 / (1024 * sizeof(float)));
  const candidate::LaunchPlan plan = planOf({{rows, 1024}}, {rows, 1024});
  open(0, 1e9);
  auto small = source->judge(graphOf(rows, "1"), plan, 1);
  ASSERT_TRUE(bool(small)) << llvm::toString(small.takeError());
  EXPECT_EQ((*small)->room(), SIZE_MAX); // this machine's memory is no limit to it
  open(0, 1e13);
  auto large = source->judge(graphOf(rows, "1"), plan, 1);
  ASSERT_FALSE(bool(large));
  // By these words whoever measures knows to make room, and tries again.
  EXPECT_NE(llvm::toString(large.takeError()).find("out of memory"), std::string::npos);
}

TEST_F(CardAnswersTest, PartsOfBuffersAreReadWhereTheyLie) {
  // Rows of an argument, of what a kernel wrote, and of rows of that: a kernel gets a pointer to where they begin.
  const std::string graph =
      "func.func @task(%a: tensor<1024x1024xf32>) -> tensor<128x1024xf32> {\n"
      "  %0 = aten.softmax.int %a dim 1 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>\n"
      "  %1 = aten.narrow %0 dim 0 start 256 length 512 : (tensor<1024x1024xf32>) -> tensor<512x1024xf32>\n"
      "  %2 = aten.narrow %1 dim 0 start 128 length 128 : (tensor<512x1024xf32>) -> tensor<128x1024xf32>\n"
      "  %3 = aten.narrow %a dim 0 start 896 length 128 : (tensor<1024x1024xf32>) -> tensor<128x1024xf32>\n"
      "  %4 = aten.softmax.int %3 dim 1 : (tensor<128x1024xf32>) -> tensor<128x1024xf32>\n"
      "  %5 = aten.sub.Tensor %2, %4 : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32>\n"
      "  return %5 : tensor<128x1024xf32>\n}\n";
  const candidate::LaunchPlan plan = planOf({{1024, 1024}}, {128, 1024});
  auto card = llvm::cantFail(source->judge(graph, plan, 1)), cpu = createHostJudge(*source, graph, plan, 1);
  ASSERT_TRUE(card->drawsInputs()); // it is the card's
  const auto [found, expected] = examineBoth(*card, *cpu, plan);
  EXPECT_GT(found.facts[0].rms, 0);
  EXPECT_NEAR(found.facts[0].rms, expected.facts[0].rms, 1e-12);
  EXPECT_NEAR(found.facts[0].largest, expected.facts[0].largest, 1e-12);
}

TEST_F(CardAnswersTest, InputsAreDrawnWhereAnswersAreComputed) {
  const candidate::LaunchPlan plan = planOf({{1100, 1024}}, {1100, 1024});
  auto card = llvm::cantFail(source->judge(graphOf(1100, "1"), plan, 1));
  ASSERT_TRUE(card->drawsInputs());
  const InputSet set{InputKind::Wide, 7, 0};
  llvm::cantFail(card->drawInputs(3, set));
  EXPECT_GE(card->inputsOnDevice(3), 0);
  device::SharedMemory inputs = llvm::cantFail(device::SharedMemory::create(plan.inputs[0].bytes()));
  llvm::cantFail(fillInput(plan.inputs[0], 0, set, {inputs.data(), plan.inputs[0].bytes()}));
  Question question, sent;
  sent.inputs = DrawnInputs::of(inputs);
  const AnswerFacts found = llvm::cantFail(card->examine(3, question)).facts[0],
                    expected = llvm::cantFail(card->examine(4, sent)).facts[0];
  EXPECT_GT(found.rms, 0);
  EXPECT_EQ(found.rms, expected.rms);
  EXPECT_EQ(found.mean, expected.mean);
  // A copy of the input, which the judge alone has, is no better than one of what was sent.
  const Exhibit copy{Exhibit::Input, 0, 0};
  EXPECT_EQ(llvm::cantFail(card->compare(3, 0, copy, 0)).norms.l2,
            llvm::cantFail(card->compare(4, 0, copy, 0)).norms.l2);
  // Nobody said what the inputs are.
  EXPECT_FALSE(bool(llvm::expectedToOptional(card->examine(5, question))));
}

TEST_F(CardAnswersTest, AReferenceHasInputsHereOnceSomebodyAsks) {
  const candidate::LaunchPlan plan = planOf({{1100, 1024}}, {1100, 1024});
  ReferenceOptions options;
  options.seed = 7;
  options.few = true;
  auto reference = llvm::cantFail(buildReference(*source, graphOf(1100, "1"), plan, options));
  ASSERT_EQ(reference->sets.size(), 3u);
  for (const ReferenceSet &set : reference->sets) {
    EXPECT_EQ(set.inputs.size(), 0u);
    const device::SharedMemory *here = llvm::cantFail(hostInputs(set, plan, 1));
    EXPECT_EQ(here, &set.inputs);
    std::vector<char> drawn(plan.inputs[0].bytes());
    llvm::cantFail(fillInput(plan.inputs[0], 0, set.set, drawn));
    EXPECT_EQ(memcmp(here->data(), drawn.data(), drawn.size()), 0);
    EXPECT_EQ(llvm::cantFail(hostInputs(set, plan, 1))->data(), here->data());
  }
}

TEST_F(CardAnswersTest, LayersThatReduceAlikeAreLookedAtOnce) {
  std::vector<std::thread> threads;
  for (int64_t rows : {1100, 1200, 1300})
    threads.emplace_back([&, rows] {
      auto judge = source->judge(graphOf(rows, rows == 1200 ? "0.5" : "1", rows == 1300 ? "t07_relu" : "t03_relu"),
                                 planOf({{rows, 1024}}, {rows, 1024}), 1);
      EXPECT_TRUE(bool(judge)) << llvm::toString(judge.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(asked, 1);
  // Another graph is another question.
  std::string other = graphOf(1100, "1");
  other.replace(other.find("aten.relu"), 9, "aten.tanh");
  llvm::cantFail(source->judge(other, planOf({{1100, 1024}}, {1100, 1024}), 1));
  EXPECT_EQ(asked, 2);
}

TEST_F(CardAnswersTest, WhatIsPreparedIsNotAskedAgain) {
  const candidate::LaunchPlan plan = planOf({{1100, 1024}}, {1100, 1024});
  source->prepare(graphOf(1100, "1"), plan);
  EXPECT_EQ(asked, 1);
  auto judge = source->judge(graphOf(1100, "1"), plan, 1);
  EXPECT_TRUE(bool(judge)) << llvm::toString(judge.takeError());
  EXPECT_EQ(asked, 1);
  // The CPU has this one by itself, and there is nothing to prepare for a graph that is none.
  source->prepare(graphOf(100, "1"), planOf({{100, 1024}}, {100, 1024}));
  source->prepare("func.func @task(", plan);
  EXPECT_EQ(asked, 1);
}

TEST_F(CardAnswersTest, WhatTheDeclaredTypesCostIsTheLastAnswers) {
  const candidate::LaunchPlan plan = planOf({{1100, 1024}}, {1100, 1024});
  auto card = llvm::cantFail(source->judge(graphOf(1100, "1"), plan, 1));
  std::vector<double> costs;
  for (unsigned seed : {7, 7, 8}) {
    device::SharedMemory inputs = llvm::cantFail(device::SharedMemory::create(plan.inputs[0].bytes()));
    llvm::cantFail(
        fillInput(plan.inputs[0], 0, {InputKind::Declared, seed, 0}, {inputs.data(), plan.inputs[0].bytes()}));
    Question question;
    question.inputs = DrawnInputs::of(inputs);
    llvm::cantFail(card->examine(0, question));
    auto first = llvm::cantFail(card->declaredCosts(0)), again = llvm::cantFail(card->declaredCosts(0));
    EXPECT_GT(first[0].norms.l2, 0);
    EXPECT_EQ(first[0].norms.l2, again[0].norms.l2);
    costs.push_back(first[0].norms.l2);
  }
  EXPECT_EQ(costs[0], costs[1]);
  EXPECT_NE(costs[0], costs[2]);
  card->drop(0);
  llvm::Error error = card->declaredCosts(0).takeError();
  EXPECT_NE(llvm::toString(std::move(error)).find("there is no answer 0"), std::string::npos);
}

TEST_F(CardAnswersTest, FactorsOfAChainAreRoundedAsTheCpusAre) {
  // No rounding of inputs tells of what the second product's left factor loses.
  const std::string graph =
      "func.func @task(%a: tensor<256x640xf32>, %b: tensor<640x640xf32>) -> tensor<256x640xf32> {\n"
      "  %0 = aten.mm %a, %b : (tensor<256x640xf32>, tensor<640x640xf32>) -> tensor<256x640xf32>\n"
      "  %1 = aten.mm %0, %b : (tensor<256x640xf32>, tensor<640x640xf32>) -> tensor<256x640xf32>\n"
      "  return %1 : tensor<256x640xf32>\n}\n";
  candidate::LaunchPlan plan = planOf({{256, 640}, {640, 640}}, {256, 640});
  size_t total;
  const std::vector<size_t> offsets = device::packBuffers(plan.inputs, 0, total);
  device::SharedMemory inputs = llvm::cantFail(device::SharedMemory::create(total));
  for (unsigned i = 0; i < 2; ++i)
    llvm::cantFail(fillInput(plan.inputs[i], i, {InputKind::Declared, 7, 0},
                             {inputs.data() + offsets[i], plan.inputs[i].bytes()}));
  Question question;
  question.inputs = DrawnInputs::of(inputs);
  auto cost = [&](Judge &judge) {
    llvm::cantFail(judge.examine(0, question));
    return llvm::cantFail(judge.declaredCosts(0))[0].norms.l2;
  };
  for (const char *precision : {"strict-fp32", "tf32"}) {
    plan.precision = precision;
    auto card = llvm::cantFail(source->judge(graph, plan, 1)), cpu = createHostJudge(*source, graph, plan, 1);
    ASSERT_TRUE(card->drawsInputs()); // it is the card's
    const double found = cost(*card), expected = cost(*cpu);
    if (plan.precision == "tf32") {
      EXPECT_GT(found, 1e-4);
      EXPECT_NEAR(found, expected, 0.01 * expected);
    } else {
      EXPECT_LT(found, 1e-5);
      EXPECT_LT(expected, 1e-5);
    }
  }
}

TEST_F(CardAnswersTest, WithoutRoomForRoundedFactorsThereIsFp32) {
  const char *text = "extern \"C\" __global__ void same(const double *x, double *y) { *y = *x; }\n";
  candidate::LaunchPlan plan = planOf({{1}}, {1});
  plan.precision = "tf32";
  candidate::LaunchPlan program = plan;
  program.inputs[0].dtype = program.outputs[0].dtype = candidate::DType::F64;
  candidate::Launch launch;
  launch.kernel = "same";
  launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                      candidate::BufferRef{candidate::BufferKind::Output, 0, 0}};
  program.launches = {launch};
  auto compiler = llvm::cantFail(toolchain::createHostCompiler());
  auto compiled = [&](llvm::StringRef source) {
    return std::get<toolchain::Compiled>(llvm::cantFail(compiler->compile(source, {}))).artifact;
  };
  JudgeServers servers("host");
  JudgeJob job;
  job.programFile = (cache + "/program.json").str(), job.shapeFile = (cache + "/shape.json").str();
  job.artifact = compiled(text), job.kernels = compiled(judgeKernelsText());
  job.shape = &plan;
  llvm::cantFail(toolchain::writeFileAtomically(job.programFile, program.print()));
  llvm::cantFail(toolchain::writeFileAtomically(job.shapeFile, plan.print()));
  std::vector<Computed> wanted;
  bool hasRoom = false;
  job.makeProgram = [&](Computed what, JudgeJob::UseProgram use) -> llvm::Error {
    wanted.push_back(what);
    if (what == Computed::DeclaredTF32 || !hasRoom)
      return llvm::createStringError("no room");
    return use(job.programFile, job.artifact);
  };
  device::SharedMemory inputs = llvm::cantFail(device::SharedMemory::create(plan.inputs[0].bytes()));
  llvm::cantFail(fillInput(plan.inputs[0], 0, {InputKind::Declared, 7, 0}, {inputs.data(), plan.inputs[0].bytes()}));
  Question question;
  question.inputs = DrawnInputs::of(inputs);
  for (bool room : {true, false}) {
    hasRoom = room;
    wanted.clear();
    auto judge = llvm::cantFail(startJudge(servers, job));
    llvm::cantFail(judge->examine(0, question));
    auto costs = judge->declaredCosts(0);
    EXPECT_EQ(bool(costs), room);
    llvm::consumeError(costs.takeError());
    EXPECT_EQ(wanted, (std::vector<Computed>{Computed::DeclaredTF32, Computed::Declared}));
  }
}

TEST_F(CardAnswersTest, WhatDisagreesIsNotAnswered) {
  open(1e-6);
  for (int time = 1; time <= 2; ++time) { // a disagreement is not kept for an agreement
    auto judge = source->judge(graphOf(1100, "1"), planOf({{1100, 1024}}, {1100, 1024}), 1);
    ASSERT_FALSE(bool(judge));
    EXPECT_NE(llvm::toString(judge.takeError()).find("disagrees with the CPU's"), std::string::npos);
    EXPECT_EQ(asked, time);
  }
}

TEST_F(CardAnswersTest, TheCpuHasWhatIsSmallAndQuick) {
  auto product = [](int64_t n) {
    const std::string type = "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "xf32>";
    return "func.func @task(%a: " + type + ", %b: " + type + ") -> " + type + " {\n  %0 = aten.matmul %a, %b : (" +
           type + ", " + type + ") -> " + type + "\n  return %0 : " + type + "\n}\n";
  };
  EXPECT_EQ(llvm::cantFail(source->flops(product(100))), 2e6);
  llvm::cantFail(source->judge(product(100), planOf({{100, 100}, {100, 100}}, {100, 100}), 1));
  EXPECT_EQ(asked, 0);
  // Fewer elements than a card is asked for by themselves, but 0.5 GFLOP in each of thirty questions.
  llvm::cantFail(source->judge(product(640), planOf({{640, 640}, {640, 640}}, {640, 640}), 1));
  EXPECT_EQ(asked, 1);
}
