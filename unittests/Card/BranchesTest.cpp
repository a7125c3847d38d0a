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
#include <type_traits>

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
  plan.workspace.push_back({"ends", 768, 0, size_t(steps), last});
  const candidate::BufferRange ends = whole(BufferKind::Workspace, 1);
  for (unsigned chain = 0; chain < 3; ++chain) {
    candidate::BufferRange value = whole(BufferKind::Input, 0);
    for (int i = 0; i < steps; ++i) {
      const size_t launch = plan.launches.size();
      candidate::BufferRange next = ends;
      next.offset = chain * 256;
      next.bytes = 256;
      if (i + 1 < steps) {
        plan.workspace.push_back({"v" + std::to_string(launch), 256, 512 + int64_t(launch) * 256, launch, launch + 1});
        next = whole(BufferKind::Workspace, unsigned(plan.workspace.size() - 1));
      }
      add(std::string(1, char('a' + chain)), chain + 1, {value, whole(BufferKind::Workspace, 0)}, next);
      value = next;
    }
  }
  add("end", 4, {ends}, whole(BufferKind::Output, 0));
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
    call<void()>("fakeCudaForgetGraph")();
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
const char inOrder[] = "a\na 0\na 1\nb 2\nb 3\nb 4\nc 5\nc 6\nc 7\nend 8\n";

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
  // A driver that takes no such graph gets a chain, from then on.
  order.empty = false;
  call<void(bool)>("fakeCudaTakeBranches")(false);
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), inOrder);
  call<void(bool)>("fakeCudaTakeBranches")(true);
  llvm::cantFail(device->timedRun(order));
  EXPECT_EQ(graph(), inOrder);
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
  EXPECT_EQ(graph(), inOrder);
}

/// The runtime with a bundle of PLAN.
struct Bundle {
  decltype(&kgen_bundle_run) run;
  decltype(&kgen_bundle_run_prepared) runPrepared;
  decltype(&kgen_bundle_close) close;
  kgen_bundle *bundle = nullptr;
  char memory[256 * 20], message[500] = "";
  void *buffers[2] = {memory, memory + 256};

  Bundle(const candidate::LaunchPlan &plan, llvm::StringRef folder) {
    std::string images;
    for (const std::string &name : plan.modules)
      images += (images.empty() ? "" : ", ") + ("{\"image\": \"" + name + "\", \"image_bytes\": 17}");
    llvm::cantFail(toolchain::writeFileAtomically(
        (folder + "/bundle.json").str(), "{\"version\": 2, \"device\": \"cuda\", \"arch\": \"sm_44\", \"images\": [" +
                                             images + "], \"plan\": " + plan.print() + "}"));
    void *library = dlopen(KGEN_RUNTIME, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    decltype(&kgen_bundle_open) open;
    find(open, "kgen_bundle_open");
    find(run, "kgen_bundle_run");
    find(runPrepared, "kgen_bundle_run_prepared");
    find(close, "kgen_bundle_close");
    EXPECT_EQ(open(folder.str().c_str(), &bundle, message, sizeof message), 0) << message;
  }
  ~Bundle() { close(bundle); }
  /// Queues a run on prepared weights, or one with what prepares them.
  void launch(void *stream, bool prepared = true) {
    EXPECT_EQ(prepared ? runPrepared(bundle, buffers, buffers, memory, memory, stream, message, sizeof message)
                       : run(bundle, buffers, buffers, memory, stream, message, sizeof message),
              0)
        << message;
  }
};

TEST_F(BranchesTest, TheRuntimeHasThemWhereSomebodyCaptures) {
  candidate::LaunchPlan plan = network(3);
  writeImages(plan);
  call<int(void *)>("cuCtxSetCurrent")(nullptr);
  void *stream = nullptr, *made = nullptr;
  call<int(void **, unsigned)>("cuStreamCreate")(&stream, 1);
  auto begin = [&] { ASSERT_EQ(call<int(void *, int)>("cuStreamBeginCapture_v2")(stream, 0), 0); };
  auto end = [&] { ASSERT_EQ(call<int(void *, void **)>("cuStreamEndCapture")(stream, &made), 0); };
  {
    Bundle bundle(plan, folder);
    // One stream where nobody captures.
    const int streams = call<int()>("fakeCudaLaunchStreams")();
    bundle.launch(stream);
    EXPECT_EQ(call<int()>("fakeCudaLaunchStreams")(), streams + 1);
    begin();
    bundle.launch(stream);
    end();
    EXPECT_EQ(graph(), threeChains);
    // Twice in one graph, one behind the other; with what prepares in front.
    begin();
    bundle.launch(stream);
    bundle.launch(stream);
    end();
    const std::string twice = std::string(threeChains) + "a 6 9\nb 6 7 9\nc 6 9\na 10\n";
    EXPECT_EQ(graph().substr(0, twice.size()), twice);
    begin();
    bundle.launch(stream, /*prepared=*/false);
    end();
    EXPECT_EQ(graph(), "prepare\na 0\nb 0\nc 0\na 1\nb 2\nc 3\na 4\nb 5\nc 6\nend 7 8 9\n");
    // Where the streams are in a capture that goes on, another one is a chain.
    begin();
    bundle.launch(stream);
    call<int(void **, unsigned)>("cuStreamCreate")(&stream, 1);
    begin();
    bundle.launch(stream);
    end();
    EXPECT_EQ(graph(), inOrder);
  }
  // Launches of one module that may have variables.
  for (candidate::Launch &launch : plan.launches)
    launch.module = 1;
  {
    Bundle bundle(plan, folder);
    begin();
    bundle.launch(stream);
    end();
    EXPECT_EQ(graph(), inOrder);
  }
  call<void()>("fakeCudaForget")();
}

} // namespace
