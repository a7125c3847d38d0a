//===- CardTest.cpp - Sessions of a card in one process -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With the driver of FakeCuda.cpp, whose kernels compute nothing.
//
//===----------------------------------------------------------------------===//
#include "JudgeServer.h"
#include "JudgeSession.h"

#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <thread>
#include <vector>

using namespace kgen;
using namespace kgen::judge;

namespace {

constexpr int64_t size = 1000;
const char judgeKernels[] = "kgen_judge_widen kgen_judge_compare kgen_judge_facts kgen_judge_draw";

class CardTest : public ::testing::Test {
protected:
  llvm::SmallString<128> folder;
  candidate::LaunchPlan shape;
  device::SharedMemory inputs;
  std::unique_ptr<JudgeServers> servers;

  static void SetUpTestSuite() {
    // Whoever looks for the driver here or in a child finds this one.
    setenv("LD_LIBRARY_PATH", KGEN_FAKE_DRIVER, 1);
    setenv("KGEN_WORKER", KGEN_EVAL_BINARY, 1);
    ASSERT_NE(driver(), nullptr) << dlerror();
  }
  void SetUp() override {
    llvm::sys::fs::createUniqueDirectory("kgen-card", folder);
    shape.inputs = {{"x", candidate::DType::F32, {size}}};
    shape.outputs = {{"y", candidate::DType::F32, {size}}};
    shape.precision = "strict-fp32";
    inputs = llvm::cantFail(device::SharedMemory::create(size_t(size) * 4));
    write("kernels", judgeKernels);
    write("shape", shape.print());
    servers = std::make_unique<JudgeServers>("cuda:0");
  }
  void TearDown() override {
    servers.reset();
    llvm::sys::fs::remove_directories(folder);
  }

  static void *driver() {
    static void *library = dlopen(KGEN_FAKE_DRIVER "/libcuda.so.1", RTLD_NOW);
    return library;
  }
  static size_t left() { return reinterpret_cast<size_t (*)()>(dlsym(driver(), "fakeCudaLeft"))(); }
  static int counted(const char *what) { return reinterpret_cast<int (*)()>(dlsym(driver(), what))(); }

  std::string write(const std::string &name, const std::string &text) {
    const std::string path = (folder + "/" + name).str();
    llvm::cantFail(toolchain::writeFileAtomically(path, text));
    return path;
  }
  candidate::LaunchPlan programOf(const std::string &kernel) {
    candidate::LaunchPlan program = shape;
    program.inputs[0].dtype = program.outputs[0].dtype = candidate::DType::F64;
    candidate::Launch launch;
    launch.kernel = kernel;
    launch.block = {32, 1, 1};
    launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Output, 0, 0}};
    program.launches = {launch};
    return program;
  }
  /// A program of one kernel, which is KERNEL.
  JudgeJob jobOf(const std::string &kernel) {
    JudgeJob job;
    job.programFile = write(kernel + ".plan", programOf(kernel).print());
    job.artifact = write(kernel + ".code", kernel);
    job.shapeFile = (folder + "/shape").str();
    job.kernels = (folder + "/kernels").str();
    job.shape = &shape;
    return job;
  }
  std::unique_ptr<Judge> start(const std::string &kernel) {
    auto judge = startJudge(*servers, jobOf(kernel));
    EXPECT_TRUE(bool(judge)) << llvm::toString(judge.takeError());
    return judge ? std::move(*judge) : nullptr;
  }
  pid_t sharedProcess() { return llvm::cantFail(servers->serverFor("what nobody has"))->id(); }

  /// What goes wrong with a question, or "".
  llvm::Error examine(Judge &judge) {
    Question question;
    question.inputs = DrawnInputs::of(inputs);
    return judge.examine(0, question).takeError();
  }
};

#define EXPECT_FINE(error)                                                                                             \
  do {                                                                                                                 \
    llvm::Error found = (error);                                                                                       \
    EXPECT_FALSE(bool(found)) << llvm::toString(std::move(found));                                                     \
  } while (false)

} // namespace

TEST_F(CardTest, ASessionFreesAllThatItHadOnTheCard) {
  ASSERT_EQ(left(), 0u);
  const candidate::LaunchPlan program = programOf("good");
  const std::string code = write("good.code", "good");
  const int waits = counted("fakeCudaContextWaits"), byDefault = counted("fakeCudaDefaultStream");
  std::thread([&] {
    auto open = [] {
      auto device = llvm::cantFail(device::createDevice("cuda:0"));
      device->useThreadOrder();
      return device;
    };
    auto oracle = open(), own = open(), twin = open();
    auto session =
        llvm::cantFail(JudgeSession::create(*oracle, *own, program, code, (folder + "/kernels").str(), shape));
    // A further program has the memory of the first.
    const size_t room = own->freeMemory();
    EXPECT_FINE(session->useProgram(Computed::Magnitudes, *twin, program, code));
    EXPECT_EQ(own->freeMemory(), room);
    EXPECT_GE(llvm::cantFail(session->setInputs(0, inputs.data())), 0);
    EXPECT_FINE(session->answer(0));
    EXPECT_FINE(session->learnMagnitudes(0));
    llvm::cantFail(session->compare(0, 0, {}, 0));
    EXPECT_GT(left(), 0u);
  }).join();
  EXPECT_EQ(left(), 0u);
  // No session waits for what others have on the card.
  EXPECT_EQ(counted("fakeCudaContextWaits"), waits);
  EXPECT_EQ(counted("fakeCudaDefaultStream"), byDefault);
}

TEST_F(CardTest, BuffersApartAndSharedOnesAreFreed) {
  std::thread([&] {
    auto device = llvm::cantFail(device::createDevice("cuda:0"));
    const device::DeviceAddress apart = llvm::cantFail(device->allocate(device->granularity()));
    EXPECT_FINE(device->write(apart, "four", 4));
    // More than there is: what was set aside on the way goes back.
    EXPECT_FALSE(bool(llvm::expectedToOptional(device->allocate(size_t(1) << 30))));
    EXPECT_FALSE(bool(llvm::expectedToOptional(device->allocateShared(size_t(1) << 30))));
    EXPECT_GE(llvm::cantFail(device->allocateShared(100)).descriptor, 0);
  }).join();
  EXPECT_EQ(left(), 0u);
}

TEST_F(CardTest, SessionsShareAProcessAndGiveBackWhatTheyHad) {
  servers->begin();
  const pid_t process = sharedProcess();
  size_t room = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Judge>> judges;
    for (int i = 0; i < 8; ++i)
      judges.push_back(start("good" + std::to_string(i)));
    for (auto &judge : judges) {
      ASSERT_NE(judge, nullptr);
      EXPECT_FINE(examine(*judge));
      EXPECT_GE(judge->inputsOnDevice(0), 0);
    }
    if (round == 0)
      room = judges[0]->room();
    EXPECT_EQ(judges[0]->room(), room);
    EXPECT_LT(judges[7]->room(), room);
  }
  EXPECT_EQ(sharedProcess(), process);
}

TEST_F(CardTest, SessionsWorkSideBySide) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) {
        auto judge = start("good" + std::to_string(i));
        ASSERT_NE(judge, nullptr);
        EXPECT_FINE(examine(*judge));
        llvm::cantFail(judge->compare(0, 0, {}, 0));
        judge->drop(0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CardTest, OneThatCannotStartLeavesOthersAlone) {
  auto judge = start("good");
  const pid_t process = sharedProcess();
  auto why = [&](const JudgeJob &job) {
    auto refused = startJudge(*servers, job);
    EXPECT_FALSE(bool(refused));
    EXPECT_FALSE(refused.errorIsA<toolchain::ProcessLost>());
    return refused ? "" : llvm::toString(refused.takeError());
  };
  JudgeJob job = jobOf("gone");
  job.programFile += ".not";
  EXPECT_EQ(why(job).find("the card's oracle failed: "), 0u);
  EXPECT_EQ(why(jobOf("refused")), "the card's oracle failed: the driver refuses the machine code: invalid argument");
  JudgeJob other = jobOf("other");
  other.artifact = write("other.code", "something else");
  EXPECT_NE(why(other).find("which kernel.cu does not define"), std::string::npos);
  EXPECT_FINE(examine(*judge));
  EXPECT_TRUE(judge->works());
  EXPECT_EQ(sharedProcess(), process);
}

TEST_F(CardTest, ALongQuestionKeepsNobodyWaiting) {
  auto slow = start("slow"), quick = start("good");
  std::atomic<bool> isAnswered = false;
  std::thread other([&] {
    EXPECT_FINE(examine(*slow));
    isAnswered = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (int i = 0; i < 3; ++i)
    EXPECT_FINE(examine(*quick));
  EXPECT_FALSE(isAnswered);
  other.join();
}

TEST_F(CardTest, WhoIsKilledWithTheProcessIsServedAgain) {
  auto first = start("good1"), second = start("good2");
  const pid_t process = sharedProcess();
  kill(process, SIGKILL);
  for (Judge *judge : {first.get(), second.get()}) {
    if (judge == second.get()) // which has not asked yet
      EXPECT_FALSE(judge->works());
    llvm::Error error = examine(*judge);
    EXPECT_TRUE(error.isA<toolchain::ProcessLost>());
    EXPECT_EQ(llvm::toString(std::move(error)), "the card's oracle was killed (signal 9)");
    EXPECT_FALSE(judge->works());
  }
  first = start("good1");
  second = start("good2");
  EXPECT_FINE(examine(*first));
  EXPECT_FINE(examine(*second));
  EXPECT_NE(sharedProcess(), process);
}

TEST_F(CardTest, AFaultIsToldWhoseItIs) {
  auto bad = start("bad"), idle = start("good");
  llvm::Error error = examine(*bad);
  EXPECT_FALSE(error.isA<toolchain::ProcessLost>());
  EXPECT_EQ(llvm::toString(std::move(error)),
            "the card's oracle failed: the card reports: an illegal memory access was encountered");
  EXPECT_FALSE(bad->works());
  error = examine(*idle);
  EXPECT_TRUE(error.isA<toolchain::ProcessLost>());
  EXPECT_EQ(llvm::toString(std::move(error)), "the card's oracle ended, as the card reported a fault");
  // By itself from now on, so that others live.
  idle = start("good");
  bad = start("bad");
  const pid_t process = sharedProcess();
  error = examine(*bad);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "the card's oracle failed: the card reports: an illegal memory access was encountered");
  EXPECT_FINE(examine(*idle));
  EXPECT_EQ(sharedProcess(), process);
}

TEST_F(CardTest, WhereSeveralWereAtWorkAFaultIsNobodysAtFirst) {
  auto slow = start("slow"), bad = start("bad");
  std::thread other([&] {
    llvm::Error error = examine(*slow);
    EXPECT_TRUE(error.isA<toolchain::ProcessLost>());
    llvm::consumeError(std::move(error));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  llvm::Error error = examine(*bad);
  EXPECT_TRUE(error.isA<toolchain::ProcessLost>());
  llvm::consumeError(std::move(error));
  other.join();
  slow = start("slow");
  bad = start("bad");
  error = examine(*bad);
  EXPECT_FALSE(error.isA<toolchain::ProcessLost>());
  llvm::consumeError(std::move(error));
  EXPECT_FINE(examine(*slow));
}

TEST_F(CardTest, AStoppedProcessIsReplaced) {
  auto judge = start("good");
  kill(sharedProcess(), SIGSTOP);
  auto next = start("next");
  EXPECT_FINE(examine(*next));
  llvm::Error error = examine(*judge);
  EXPECT_TRUE(error.isA<toolchain::ProcessLost>());
  EXPECT_EQ(llvm::toString(std::move(error)), "the card's oracle was stopped from outside");
}
