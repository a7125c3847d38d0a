//===- SessionTest.cpp - Red zones and poison, on a fake device -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateSession.h"
#include "kgen/Device/Digest.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <set>

using namespace kgen;
using namespace kgen::device;

namespace {

/// Memory is the heap; a launch calls a function.
class FakeDevice : public Device {
public:
  std::function<llvm::Error(size_t, llvm::ArrayRef<void *>)> onLaunch;
  std::vector<std::unique_ptr<char[]>> memory;

  std::string name() const override { return "fake"; }
  llvm::Error load(llvm::StringRef, const candidate::LaunchPlan &) override { return llvm::Error::success(); }
  llvm::Expected<DeviceAddress> allocate(size_t bytes) override {
    memory.push_back(std::make_unique<char[]>(bytes));
    return reinterpret_cast<DeviceAddress>(memory.back().get());
  }
  llvm::Error write(DeviceAddress to, const void *from, size_t bytes) override {
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return llvm::Error::success();
  }
  llvm::Error read(void *to, DeviceAddress from, size_t bytes) override {
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    return llvm::Error::success();
  }
  llvm::Expected<TensorMapBytes> encode(const candidate::TensorMapSpec &, DeviceAddress) override {
    return TensorMapBytes();
  }
  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool, bool) override {
    return onLaunch ? onLaunch(index, values) : llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Expected<RunTimes> timedRun(const RunOrder &order) override {
    if (fault)
      return llvm::make_error<RunKilled>(11, fault);
    if (llvm::Error error = script.launch(order))
      return std::move(error);
    return RunTimes{1, 2, 3};
  }
  llvm::Error reload() override {
    variable = 0;
    return llvm::Error::success();
  }
  std::vector<DigestJob> variables() override {
    return {{reinterpret_cast<DeviceAddress>(&variable), sizeof variable, 0, std::nullopt}};
  }
  uint64_t variable = 0; ///< the candidate's own
  std::optional<RunFault> fault;
};

class SessionTest : public ::testing::Test {
protected:
  FakeDevice device;
  candidate::LaunchPlan plan;
  std::unique_ptr<CandidateSession> session;
  float input[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

  void SetUp() override {
    plan.inputs = {{"x", candidate::DType::F32, {10}}};
    plan.outputs = {{"out0", candidate::DType::F32, {10}}};
    plan.workspace = {{"ws0", 40}};
    candidate::Launch launch;
    launch.kernel = "k";
    launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Output, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Workspace, 0, 8},
                        int32_t(7),
                        int64_t(-1),
                        0.5f};
    plan.launches = {launch};
    session = llvm::cantFail(CandidateSession::create(device, plan, ""));
    for (unsigned set = 0; set < CandidateSession::bufferSets; ++set)
      llvm::cantFail(session->setInputs(set, {reinterpret_cast<const char *>(input)}));
  }

  /// All words one NaN, so that a test knows them.
  static constexpr uint32_t uniform = 0xc0de0003u;

  std::string run(uint32_t poison = uniform) {
    RunRequest request;
    request.poison = poison;
    request.key = 99;
    request.buffers = buffers;
    request.fresh = fresh;
    auto done = session->run(request, nullptr);
    if (!done)
      return llvm::toString(done.takeError());
    report = *done;
    return "";
  }

  RunReport report;
  unsigned buffers = 0;
  bool fresh = false;

  static float *pointer(llvm::ArrayRef<void *> values, size_t i) { return *static_cast<float **>(values[i]); }
};

} // namespace

TEST_F(SessionTest, ArgumentsArriveByValue) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    EXPECT_EQ(values.size(), 6u);
    EXPECT_EQ(memcmp(pointer(values, 0), input, sizeof input), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer(values, 1)) % 16, 0u);
    EXPECT_EQ(*static_cast<int32_t *>(values[3]), 7);
    EXPECT_EQ(*static_cast<int64_t *>(values[4]), -1);
    EXPECT_EQ(*static_cast<float *>(values[5]), 0.5f);
    // Outputs and workspace hold the poison, inputs do not.
    uint32_t bits;
    memcpy(&bits, pointer(values, 1), 4);
    EXPECT_EQ(bits, poisonWord({uniform, 0, 0}, 0));
    memcpy(&bits, pointer(values, 2), 4);
    EXPECT_EQ(bits, poisonWord({uniform, 0, 0}, 0));
    return llvm::Error::success();
  };
  EXPECT_EQ(run(), "");
}

TEST_F(SessionTest, WhatIsWrittenInPlaceBeginsAsItsInput) {
  plan.outputs[0].updates = 0;
  plan.launches[0].arguments[0] = int32_t(0); // the input has no other address
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    EXPECT_EQ(memcmp(pointer(values, 1), input, sizeof input), 0);
    pointer(values, 1)[3] += 100;
    return llvm::Error::success();
  };
  session = llvm::cantFail(CandidateSession::create(device, plan, ""));
  for (unsigned set = 0; set < CandidateSession::bufferSets; ++set)
    llvm::cantFail(session->setInputs(set, {reinterpret_cast<const char *>(input)}));
  for (buffers = 0; buffers < 2 * CandidateSession::bufferSets; ++buffers) { // each of them again
    EXPECT_EQ(run(), "");
    float found[10];
    llvm::cantFail(session->readOutput(0, found));
    EXPECT_EQ(found[3], 103);
    EXPECT_EQ(found[4], 4);
  }
}

TEST_F(SessionTest, OutputIsReadBack) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    for (int i = 0; i < 10; ++i)
      pointer(values, 1)[i] = 2 * pointer(values, 0)[i];
    return llvm::Error::success();
  };
  EXPECT_EQ(run(), "");
  float out[10];
  llvm::cantFail(session->readOutput(0, out));
  EXPECT_EQ(out[9], 18);
}

TEST_F(SessionTest, TheZoneBeginsWhereTheBufferEnds) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    pointer(values, 1)[64] = 1; // 256 bytes on: the first byte of the zone
    return llvm::Error::success();
  };
  EXPECT_EQ(run(), "a kernel wrote 216 bytes after the end of out0");
}

TEST_F(SessionTest, TheRestOfTheLastLineOfABufferIsAZoneToo) {
  for (int argument : {0, 1}) {
    device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
      pointer(values, argument)[10] = 1; // right behind ten floats
      return llvm::Error::success();
    };
    EXPECT_EQ(run(), argument ? "a kernel wrote 0 bytes after the end of out0"
                              : "a kernel wrote 0 bytes after the end of in0");
  }
}

TEST_F(SessionTest, NothingStaysInTheZonesOfOtherInputs) {
  float *elsewhere = nullptr;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    elsewhere = pointer(values, 0) - 1; // in the zone before the input of these buffers
    return llvm::Error::success();
  };
  buffers = 2;
  ASSERT_EQ(run(), "");
  float seen = 0;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *>) {
    seen = *elsewhere;
    *elsewhere = 42;
    return llvm::Error::success();
  };
  for (buffers = 0; buffers < 2; ++buffers)
    ASSERT_EQ(run(), "");
  EXPECT_NE(seen, 42);
}

TEST_F(SessionTest, BeforeTheWorkspace) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    pointer(values, 2)[-3] = 1; // the argument points 8 bytes in
    return llvm::Error::success();
  };
  EXPECT_EQ(run(), "a kernel wrote 4 bytes before ws0");
}

TEST_F(SessionTest, AFaultIsToldByTheNearestBuffer) {
  auto told = [&](DeviceAddress address, bool writes) {
    RunFault fault;
    fault.isAccess = fault.hasAddress = true;
    fault.address = address;
    fault.writes = writes;
    fault.instruction = "kernel.so+0x10";
    device.fault = fault;
    RunRequest request;
    auto done = session->run(request, nullptr);
    EXPECT_FALSE(bool(done));
    std::string where;
    llvm::handleAllErrors(done.takeError(), [&](const RunKilled &killed) { where = killed.where; });
    return where;
  };
  const DeviceAddress in = session->inputAddress(0), out = session->outputAddress(0);
  EXPECT_EQ(told(in + 40, false), "read 0 bytes after the end of in0 at kernel.so+0x10");
  EXPECT_EQ(told(out - 4, true), "wrote 4 bytes before out0 at kernel.so+0x10");
  EXPECT_EQ(told(out + 36, true), "wrote byte 36 of out0 at kernel.so+0x10");
  EXPECT_EQ(told(8, false), "read address 0x8 at kernel.so+0x10");
  EXPECT_EQ(told(~0ull << 47, false), "read far from every buffer at kernel.so+0x10");
}

TEST_F(SessionTest, InputsAreReadOnly) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    pointer(values, 0)[9] = 0;
    return llvm::Error::success();
  };
  EXPECT_EQ(run(), "a kernel changed its input in0");
}

/// What one run leaves in another run's input is there when that one begins, and could be put right before it ends.
TEST_F(SessionTest, InputsOfOtherRunsAreReadOnlyToo) {
  float *others = nullptr;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    others = pointer(values, 0);
    return llvm::Error::success();
  };
  buffers = 2;
  ASSERT_EQ(run(), "");
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *>) {
    others[3] = 42;
    return llvm::Error::success();
  };
  buffers = 0;
  EXPECT_EQ(run(), "a kernel changed another run's input in0");
}

TEST_F(SessionTest, LaunchErrorsComeOut) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *>) {
    return llvm::make_error<CandidateError>(candidate::Verdict::Fault, "boom");
  };
  EXPECT_EQ(run(), "boom");
}

TEST_F(SessionTest, DigestsAreOfTheOutputs) {
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    memcpy(pointer(values, 1), input, sizeof input);
    return llvm::Error::success();
  };
  ASSERT_EQ(run(), "");
  ASSERT_EQ(report.digests.size(), 1u);
  EXPECT_EQ(report.digests[0], digestBytes(input, sizeof input, 99));
  input[9] += 1;
  EXPECT_NE(report.digests[0], digestBytes(input, sizeof input, 99));
  EXPECT_EQ(report.times.wall, 3);
}

TEST_F(SessionTest, BufferSetsLieApartAndAreAllPoisoned) {
  std::vector<float *> outputs;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    for (float *other : outputs) {
      uint32_t bits;
      memcpy(&bits, other, 4);
      EXPECT_EQ(bits, poisonWord({uniform, 0, 0}, 0)); // nothing of an earlier run is left, wherever it ran
    }
    outputs.push_back(pointer(values, 1));
    pointer(values, 1)[0] = 1;
    return llvm::Error::success();
  };
  for (buffers = 0; buffers < 3; ++buffers)
    ASSERT_EQ(run(), "");
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_NE(outputs[1], outputs[2]);
}

TEST_F(SessionTest, BuffersHoldAMixtureUnlessAllIsOne) {
  std::vector<uint32_t> seen;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    for (int i : {1, 2})
      for (int k = 0; k < 8; ++k)
        seen.push_back(reinterpret_cast<uint32_t *>(pointer(values, i))[k]);
    return llvm::Error::success();
  };
  ASSERT_EQ(run(), "");
  EXPECT_EQ(std::set<uint32_t>(seen.begin(), seen.end()).size(), 1u);
  seen.clear();
  ASSERT_EQ(run(0xc0de0000u), "");
  EXPECT_GT(std::set<uint32_t>(seen.begin(), seen.end()).size(), 8u);
}

TEST_F(SessionTest, WhatFollowsAnOddPayloadIsPutRight) {
  plan.inputs = {{"x", candidate::DType::F16, {9}}};
  FakeDevice other;
  auto odd = llvm::cantFail(CandidateSession::create(other, plan, ""));
  const char bytes[18] = {};
  for (unsigned set = 0; set < CandidateSession::bufferSets; ++set)
    llvm::cantFail(odd->setInputs(set, {bytes}));
  int found = 0;
  other.onLaunch = [&](size_t, llvm::ArrayRef<void *> values) {
    char *behind = reinterpret_cast<char *>(pointer(values, 0)) + 18;
    found += *behind == 42;
    *behind = 42;
    return llvm::Error::success();
  };
  for (int i = 0; i < 2; ++i)
    llvm::cantFail(odd->run(RunRequest(), nullptr).takeError());
  EXPECT_EQ(found, 0);
}

TEST_F(SessionTest, AFreshRunKnowsNothingOfTheLast) {
  uint64_t seen = 0;
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *>) {
    seen = device.variable;
    device.variable = 7;
    return llvm::Error::success();
  };
  ASSERT_EQ(run(), "");
  ASSERT_EQ(run(), "");
  EXPECT_EQ(seen, 7u);
  fresh = true;
  ASSERT_EQ(run(), "");
  EXPECT_EQ(seen, 0u);
  EXPECT_TRUE(report.keepsState);
}

TEST_F(SessionTest, StateIsNoticedAndForgotten) {
  ASSERT_EQ(run(), "");
  EXPECT_FALSE(report.keepsState);
  device.onLaunch = [&](size_t, llvm::ArrayRef<void *>) {
    ++device.variable;
    return llvm::Error::success();
  };
  ASSERT_EQ(run(), "");
  EXPECT_TRUE(report.keepsState);
  llvm::cantFail(session->reload());
  device.onLaunch = nullptr;
  ASSERT_EQ(run(), "");
  EXPECT_FALSE(report.keepsState);
}

namespace {
/// A plan that prepares ws0 out of the weight, and then computes out0 of x and of that.
class PrepareTest : public SessionTest {
protected:
  float weight[10] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
  std::function<void(float *x, float *prepared)> onRun;
  std::function<void(float *weight, float *prepared)> onPrepare;

  void SetUp() override {
    using candidate::BufferKind;
    using candidate::BufferRef;
    plan.inputs = {{"x", candidate::DType::F32, {10}},
                   {"w", candidate::DType::F32, {10}, "normal(0, 1)", /*parameter=*/true}};
    plan.outputs = {{"out0", candidate::DType::F32, {10}}};
    plan.modules = {"a.cu"};
    plan.workspace = {{"v0", 40, 0, 0, 0, /*prepared=*/true}};
    candidate::Launch prepare, run;
    prepare.kernel = "prepare";
    prepare.arguments = {BufferRef{BufferKind::Input, 1, 0}, BufferRef{BufferKind::Workspace, 0, 0}};
    run.kernel = "run";
    run.arguments = {BufferRef{BufferKind::Input, 0, 0}, BufferRef{BufferKind::Workspace, 0, 0},
                     BufferRef{BufferKind::Output, 0, 0}};
    plan.launches = {prepare, run};
    plan.steps = {{"00-a", 1}, {"01-b", 1}};
    plan.prepareSteps = 1;
    device.onLaunch = [&](size_t index, llvm::ArrayRef<void *> values) {
      float *first = pointer(values, 0), *prepared = pointer(values, 1);
      if (index == 0) {
        if (onPrepare)
          onPrepare(first, prepared);
        for (int i = 0; i < 10; ++i)
          prepared[i] = 10 * first[i];
      } else {
        if (onRun)
          onRun(first, prepared);
        for (int i = 0; i < 10; ++i)
          pointer(values, 2)[i] = first[i] + prepared[i];
      }
      return llvm::Error::success();
    };
    session = llvm::cantFail(CandidateSession::create(device, plan, ""));
    for (unsigned set = 0; set < CandidateSession::bufferSets; ++set)
      llvm::cantFail(
          session->setInputs(set, {reinterpret_cast<const char *>(input), reinterpret_cast<const char *>(weight)}));
  }
};
} // namespace

TEST_F(PrepareTest, RunsReadWhatWeightsGave) {
  for (buffers = 0; buffers < CandidateSession::bufferSets; ++buffers) {
    ASSERT_EQ(run(), "");
    float out[10];
    llvm::cantFail(session->readOutput(0, out));
    EXPECT_EQ(out[9], 29);
    EXPECT_EQ(report.times.prepare, 1);
    EXPECT_EQ(report.times.launches, 1);
  }
  // Other weights show in the next run.
  weight[9] = 5;
  llvm::cantFail(
      session->setInputs(0, {reinterpret_cast<const char *>(input), reinterpret_cast<const char *>(weight)}));
  buffers = 0;
  ASSERT_EQ(run(), "");
  float out[10];
  llvm::cantFail(session->readOutput(0, out));
  EXPECT_EQ(out[9], 59);
}

TEST_F(PrepareTest, WhatPreparesFindsNoInput) {
  float *x = nullptr;
  onRun = [&](float *first, float *) { x = first; };
  ASSERT_EQ(run(), "");
  float seen = 0;
  onPrepare = [&](float *, float *) { seen = x[3]; };
  ASSERT_EQ(run(), "");
  EXPECT_NE(seen, 3); // not even by its address
  onRun = [&](float *first, float *) { seen = first[3]; };
  ASSERT_EQ(run(), "");
  EXPECT_EQ(seen, 3);
}

TEST_F(PrepareTest, RunsLeaveItAsItIs) {
  onRun = [](float *, float *prepared) { prepared[4] += 1; };
  EXPECT_EQ(run(), "a kernel of a run changed ws0, which was prepared");
}

TEST_F(PrepareTest, ItHasZonesAndPoison) {
  uint32_t bits = 0;
  onPrepare = [&](float *, float *prepared) { memcpy(&bits, prepared, 4); };
  ASSERT_EQ(run(), "");
  EXPECT_EQ(bits, poisonWord({uniform, 0, 0}, 0));
  onPrepare = [](float *, float *prepared) { prepared[10] = 1; };
  EXPECT_EQ(run(), "a kernel wrote 0 bytes after the end of ws0");
  onPrepare = [](float *weight, float *) { weight[0] = 7; };
  EXPECT_EQ(run(), "a kernel changed its input in1");
}

TEST_F(PrepareTest, NothingElseIsHandedOn) {
  onPrepare = [&](float *, float *) { device.variable = 1; };
  onRun = [&](float *, float *) { device.variable = 0; };
  ASSERT_EQ(run(), "");
  EXPECT_TRUE(report.keepsState);
}
