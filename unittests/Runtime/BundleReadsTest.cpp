//===- BundleReadsTest.cpp ------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Runtime/Runtime.h"

#include "gtest/gtest.h"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>

namespace {

/// Input 0 is read by a run, 1 by preparation, 2 by both (as boxes in a run), 3 by nobody, 4 is output 1.
constexpr const char *bundleText = R"({"version": 3, "device": "host", "image": "kernel.so", "image_bytes": 1, "plan": {
  "inputs": [{"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [4, 4]},
             {"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [4]}],
  "outputs": [{"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [4], "updates": 4}],
  "workspace": [{"name": "w", "bytes": 64, "prepared": true}],
  "prepare": 1,
  "launches": [
    {"kernel": "fold", "grid": [1, 1, 1], "block": [1, 1, 1],
     "args": [{"buffer": "in1"}, {"buffer": "in2"}, {"buffer": "ws0"}, {"i32": 3}]},
    {"kernel": "use", "grid": [1, 1, 1], "block": [1, 1, 1],
     "args": [{"buffer": "in0"}, {"buffer": "ws0"}, {"buffer": "out0"},
              {"tensor_map": {"buffer": "in2", "dtype": "tf32", "dims": [4, 4], "strides": [16], "box": [4, 4]}}]}],
  "steps": [
    {"launches": 1, "inputs": [{"buffer": "in1"}, {"buffer": "in2"}], "outputs": [{"buffer": "ws0"}]},
    {"launches": 1, "inputs": [{"buffer": "in0"}, {"buffer": "ws0"}, {"buffer": "in2"}], "outputs": [{"buffer": "out0"}]}]}})";

TEST(BundleReadsTest, SaysWhichInputsPreparationAndRunsRead) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kgen-bundle-reads";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bundle.json") << bundleText;
  std::ofstream(folder / "kernel.so") << "x";
  void *library = dlopen(KGEN_RUNTIME, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto open = reinterpret_cast<decltype(&kgen_bundle_open)>(dlsym(library, "kgen_bundle_open"));
  auto close = reinterpret_cast<decltype(&kgen_bundle_close)>(dlsym(library, "kgen_bundle_close"));
  auto prepares = reinterpret_cast<decltype(&kgen_bundle_prepares_from)>(dlsym(library, "kgen_bundle_prepares_from"));
  auto reads = reinterpret_cast<decltype(&kgen_bundle_run_reads)>(dlsym(library, "kgen_bundle_run_reads"));
  ASSERT_TRUE(open && close && prepares && reads);
  kgen_bundle *bundle = nullptr;
  char message[500] = "";
  ASSERT_EQ(open(folder.c_str(), &bundle, message, sizeof message), 0) << message;
  const int expected[5][2] = {{0, 1}, {1, 0}, {1, 1}, {0, 0}, {0, 1}};
  for (size_t input = 0; input < 5; ++input) {
    EXPECT_EQ(prepares(bundle, input), expected[input][0]) << input;
    EXPECT_EQ(reads(bundle, input), expected[input][1]) << input;
  }
  auto updates = reinterpret_cast<decltype(&kgen_bundle_updates)>(dlsym(library, "kgen_bundle_updates"));
  ASSERT_TRUE(updates);
  EXPECT_EQ(updates(bundle, 0), -1);
  EXPECT_EQ(updates(bundle, 1), 4);
  close(bundle);
  std::filesystem::remove_all(folder);
}

} // namespace
