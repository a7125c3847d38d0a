//===- BranchesTest.cpp - Graphs of several streams -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device of an evaluator captures, and what the runtime does where somebody captures, with the driver of
// FakeCuda.cpp.
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Device.h"
#include "kgen/Runtime/Runtime.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace kgen;
using candidate::BufferKind;

namespace {

/// Three chains of STEPS launches, of a module each, whose names are a, b and c; then what reads their ends. A weight
/// is prepared before.
candidate::LaunchPlan network(int steps) {
  candidate::LaunchPlan plan;
  plan.problem = "net";
  plan.arch = "sm_44"; // the driver's answer to all questions is 4
  plan.precision = "strict-fp32";
  plan.inputs = {{"x", candidate::DType::F32, {64}}, {"w", candidate::DType::F32, {64}}};
  plan.inputs[1].parameter = true;
  plan.outputs = {{"y", candidate::DType::F32, {64}}};
  auto whole = [](BufferKind kind, unsigned index) {
    candidate::BufferRange range;
    range.kind = kind;
    range.index = index;
    return range;
  };
  using Ranges = std::vector<candidate::BufferRange>;
  auto add = [&](const std::string &kernel, unsigned module, const Ranges &reads, const candidate::BufferRange &write) {
    candidate::Launch launch;
    launch.kernel = kernel;
    launch.module = module;
    for (const candidate::BufferRange &range : reads)
      launch.arguments.push_back(static_cast<const candidate::BufferRef &>(range));
    launch.arguments.push_back(static_cast<const candidate::BufferRef &>(write));
    plan.launches.push_back(launch);
    plan.steps.push_back({"0" + std::to_string(module) + "-task", 1, reads, {write}});
  };
  plan.modules = {"p.cu", "a.cu", "b.cu", "c.cu", "end.cu"};
  plan.workspace.push_back({"prepared", 256, 0, 0, 0, true});
  add("prepare", 0, {whole(BufferKind::Input, 1)}, whole(BufferKind::Workspace, 0));
  plan.prepareSteps = 1;
  const size_t last = size_t(3 * steps) + 1;
  Ranges ends;
  for (unsigned chain = 0; chain < 3; ++chain) {
    candidate::BufferRange value = whole(BufferKind::Input, 0);
    for (int i = 0; i < steps; ++i) {
      const size_t launch = plan.launches.size();
      candidate::WorkspaceSpec space;
      space.name = "v" + std::to_string(launch);
      space.bytes = 256;
      space.offset = int64_t(launch) * 256;
      space.first = launch;
      space.last = i + 1 < steps ? launch + 1 : last;
      plan.workspace.push_back(space);
      const candidate::BufferRange next = whole(BufferKind::Workspace, unsigned(plan.workspace.size() - 1));
      add(std::string(1, char('a' + chain)), chain + 1, {value, whole(BufferKind::Workspace, 0)}, next);
      value = next;
    }
    ends.push_back(value);
  }
  add("end", 4, ends, whole(BufferKind::Output, 0));
  auto parsed = candidate::LaunchPlan::parse(plan.print());
  EXPECT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  return plan;
}

class BranchesTest : public ::testing::Test {
protected:
  llvm::SmallString<128> folder;
  void *driver = nullptr;

  void SetUp() override {
    setenv("LD_LIBRARY_PATH", KGEN_FAKE_DRIVER, 1);
    driver = dlopen(KGEN_FAKE_DRIVER "/libcuda.so.1", RTLD_NOW);
    ASSERT_NE(driver, nullptr) << dlerror();
    llvm::sys::fs::createUniqueDirectory("kgen-branches", folder);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  template <typename Function>
  Function *call(const char *name) {
    return reinterpret_cast<Function *>(dlsym(driver, name));
  }
  std::string graph() { return call<const char *()>("fakeCudaGraph")(); }
  /// One file for each module, whose text holds the names of its kernels.
  std::string writeImages(const candidate::LaunchPlan &plan) {
    std::string files;
    for (const std::string &name : plan.modules) {
      const std::string path = (folder + "/" + name).str();
      llvm::cantFail(toolchain::writeFileAtomically(path, "prepare a b c end"));
      files += (files.empty() ? "" : "\n") + path;
    }
    return files;
  }
};

/// What the runs of network(3) are as a graph: three chains, then the end.
const char threeChains[] = "a\nb\nc\na 0\nb 1\nc 2\na 3\nb 4\nc 5\nend 6 7 8\n";

TEST_F(BranchesTest, AnEvaluatorsGraphHasThem) {
  const candidate::LaunchPlan plan = network(3);
  const size_t streams = call<size_t()>("fakeCudaStreams")();
  auto device = llvm::cantFail(device::createCudaDevice(0));
  llvm::cantFail(device->load(writeImages(plan), plan));
  std::vector<void *> values(4);
  bool runs = true;
  device->setScript({[](const device::RunOrder &) {},
                     [&](const device::RunOrder &order) -> llvm::Error {
                       for (size_t i = order.prepare ? 0 : 1, end = order.prepare ? 1 : plan.launches.size();
                            i < end && !order.empty; ++i)
                         if (llvm::Error error = device->launch(i, values, false, false))
                           return error;
                       return runs ? llvm::Error::success() : llvm::createStringError("it does not run");
                     }});
  device::RunOrder order;
  order.cold = false;
  llvm::cantFail(device->timedRun(order)); // as plain launches first
  EXPECT_EQ(graph(), "");
  order.graph = true;
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), threeChains);
  llvm::cantFail(device->timedRun(order)); // and again
  EXPECT_EQ(graph(), threeChains);
  // What goes wrong leaves nothing for the next run.
  runs = false;
  EXPECT_EQ(llvm::toString(device->timedRun(order).takeError()), "it does not run");
  runs = true;
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), threeChains);
  order.empty = true;
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), "");
  device.reset();
  EXPECT_EQ(call<size_t()>("fakeCudaStreams")(), streams);
}

TEST_F(BranchesTest, LaunchesOfAModuleWithVariablesAreInOrder) {
  candidate::LaunchPlan plan = network(3);
  for (candidate::Launch &launch : plan.launches)
    launch.module = 1; // files that are no machine code may have variables
  auto device = llvm::cantFail(device::createCudaDevice(0));
  llvm::cantFail(device->load(writeImages(plan), plan));
  std::vector<void *> values(4);
  device->setScript({[](const device::RunOrder &) {},
                     [&](const device::RunOrder &) -> llvm::Error {
                       for (size_t i = 1; i < plan.launches.size(); ++i)
                         if (llvm::Error error = device->launch(i, values, false, false))
                           return error;
                       return llvm::Error::success();
                     }});
  device::RunOrder order;
  order.cold = false;
  order.graph = true;
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), "a\na 0\na 1\nb 2\nb 3\nb 4\nc 5\nc 6\nc 7\nend 8\n");
}

TEST_F(BranchesTest, TheRuntimeHasThemWhereSomebodyCaptures) {
  const candidate::LaunchPlan plan = network(3);
  writeImages(plan);
  std::string images;
  for (const std::string &name : plan.modules)
    images += (images.empty() ? "" : ", ") + ("{\"image\": \"" + name + "\", \"image_bytes\": 17}");
  llvm::cantFail(toolchain::writeFileAtomically(
      (folder + "/bundle.json").str(), "{\"version\": 2, \"device\": \"cuda\", \"arch\": \"sm_44\", \"images\": [" +
                                           images + "], \"plan\": " + plan.print() + "}"));
  void *library = dlopen(KGEN_RUNTIME, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto open = reinterpret_cast<decltype(&kgen_bundle_open)>(dlsym(library, "kgen_bundle_open"));
  auto run = reinterpret_cast<decltype(&kgen_bundle_run)>(dlsym(library, "kgen_bundle_run"));
  auto runPrepared = reinterpret_cast<decltype(&kgen_bundle_run_prepared)>(dlsym(library, "kgen_bundle_run_prepared"));
  auto close = reinterpret_cast<decltype(&kgen_bundle_close)>(dlsym(library, "kgen_bundle_close"));
  call<int(void *)>("cuCtxSetCurrent")(nullptr);
  char message[500] = "";
  kgen_bundle *bundle = nullptr;
  ASSERT_EQ(open(folder.c_str(), &bundle, message, sizeof message), 0) << message;
  char memory[256 * 20];
  void *buffers[] = {memory, memory + 256}, *stream = nullptr, *other = nullptr, *made = nullptr;
  call<int(void **, unsigned)>("cuStreamCreate")(&stream, 1);
  call<int(void **, unsigned)>("cuStreamCreate")(&other, 1);
  auto begin = [&](void *on) { ASSERT_EQ(call<int(void *, int)>("cuStreamBeginCapture_v2")(on, 0), 0); };
  auto end = [&](void *on) { return call<int(void *, void **)>("cuStreamEndCapture")(on, &made); };
  auto launch = [&] { return runPrepared(bundle, buffers, buffers, memory, memory, stream, message, sizeof message); };
  ASSERT_EQ(launch(), 0) << message;
  begin(stream);
  ASSERT_EQ(launch(), 0) << message;
  ASSERT_EQ(end(stream), 0);
  EXPECT_EQ(graph(), threeChains);
  // Twice in one graph, one behind the other; with what prepares in front.
  begin(stream);
  ASSERT_EQ(launch(), 0) << message;
  ASSERT_EQ(launch(), 0) << message;
  ASSERT_EQ(end(stream), 0);
  const std::string twice = std::string(threeChains) + "a 6 9\nb 6 7 9\nc 6 9\na 10\n";
  EXPECT_EQ(graph().substr(0, twice.size()), twice);
  begin(stream);
  ASSERT_EQ(run(bundle, buffers, buffers, memory, stream, message, sizeof message), 0) << message;
  ASSERT_EQ(end(stream), 0);
  EXPECT_EQ(graph(), "prepare\na 0\nb 0\nc 0\na 1\nb 2\nc 3\na 4\nb 5\nc 6\nend 7 8 9\n");
  close(bundle);
  call<void()>("fakeCudaForget")();
}

} // namespace
