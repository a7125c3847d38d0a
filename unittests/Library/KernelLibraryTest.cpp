//===- KernelLibraryTest.cpp ----------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Library/KernelLibrary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <thread>

using namespace kgen;
using namespace kgen::library;
using llvm::toString;

namespace {

struct LibraryTest : ::testing::Test {
  llvm::SmallString<128> folder;
  std::string path;

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kgen-library", folder));
    path = (folder + "/data/kernels.db").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::unique_ptr<KernelLibrary> open() {
    auto library = KernelLibrary::open(path);
    EXPECT_TRUE(bool(library)) << toString(library.takeError());
    return library ? std::move(*library) : nullptr;
  }
  std::string openError() {
    auto library = KernelLibrary::open(path);
    return library ? std::string() : toString(library.takeError());
  }
  void write(llvm::StringRef text) {
    std::error_code ec;
    llvm::raw_fd_ostream(path, ec) << text;
    ASSERT_FALSE(ec);
  }
};

LibraryKey keyOf(std::string graph, std::string device = "NVIDIA H200") {
  return {std::move(graph), "aten.relu f32", "sm_90a", "tf32", std::move(device)};
}

LibraryEntry entryOf(const std::string &script, double timeUs) {
  LibraryEntry entry;
  entry.idea = {"key", "words about " + script, ideas::IdeaCategory::Async};
  entry.materialization.directives = script;
  entry.materialization.notes = "{\"n\":1}";
  entry.timeUs = timeUs;
  entry.problem = "p";
  entry.shapes = "f32[4,8]";
  entry.run = "runs/p";
  entry.branch = "round-01/b00";
  return entry;
}

std::vector<std::string> scripts(llvm::Expected<std::vector<LibraryEntry>> entries) {
  EXPECT_TRUE(bool(entries)) << toString(entries.takeError());
  std::vector<std::string> result;
  if (entries)
    for (const LibraryEntry &entry : *entries)
      result.push_back(entry.materialization.directives);
  return result;
}

using Strings = std::vector<std::string>;

TEST_F(LibraryTest, GivesTheFastestOfTheSameDeviceFirst) {
  ASSERT_FALSE(bool(open()->store(keyOf("g"), entryOf("slow", 20))));
  ASSERT_FALSE(bool(open()->store(keyOf("g"), entryOf("fast", 10))));
  ASSERT_FALSE(bool(open()->store(keyOf("g", "NVIDIA H100"), entryOf("other", 5))));
  EXPECT_EQ(scripts(open()->find(keyOf("g"), 5)), (Strings{"fast", "slow", "other"}));
  EXPECT_EQ(scripts(open()->find(keyOf("g", "NVIDIA H100"), 2)), (Strings{"other", "fast"}));
  LibraryKey other = keyOf("g");
  other.precision = "strict-fp32";
  EXPECT_TRUE(scripts(open()->find(other, 5)).empty());
  other = keyOf("g");
  other.arch = "sm_80";
  EXPECT_TRUE(scripts(open()->find(other, 5)).empty());
  auto entries = open()->find(keyOf("g"), 1);
  ASSERT_TRUE(bool(entries));
  const LibraryEntry &entry = entries->at(0);
  EXPECT_EQ(entry.idea.text, "words about fast");
  EXPECT_EQ(entry.idea.category, ideas::IdeaCategory::Async);
  EXPECT_EQ(entry.materialization.notes, "{\"n\":1}");
  EXPECT_EQ(entry.timeUs, 10);
  EXPECT_EQ(entry.shapes, "f32[4,8]");
  EXPECT_EQ(entry.branch, "round-01/b00");
}

TEST_F(LibraryTest, KeepsTheSmallerTimeAndTheEightFastest) {
  auto library = open();
  for (double time : {30.0, 12.0, 25.0})
    ASSERT_FALSE(bool(library->store(keyOf("g"), entryOf("same", time))));
  auto entries = library->find(keyOf("g"), 5);
  ASSERT_TRUE(bool(entries));
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().timeUs, 12);
  for (int i = 0; i < 20; ++i)
    ASSERT_FALSE(bool(library->store(keyOf("g"), entryOf("s" + std::to_string(i), 100 - i))));
  ASSERT_FALSE(bool(library->store(keyOf("h"), entryOf("another graph", 500))));
  Strings kept = scripts(library->find(keyOf("g"), 100));
  ASSERT_EQ(kept.size(), 8u);
  EXPECT_EQ(kept[0], "same");
  EXPECT_EQ(kept[1], "s19");
  EXPECT_EQ(kept[7], "s13");
  EXPECT_EQ(scripts(library->find(keyOf("h"), 100)).size(), 1u);
}

TEST_F(LibraryTest, FindsSimilarGraphsOnceEach) {
  auto library = open();
  ASSERT_FALSE(bool(library->store(keyOf("mine"), entryOf("mine", 1))));
  ASSERT_FALSE(bool(library->store(keyOf("larger"), entryOf("slow", 20))));
  ASSERT_FALSE(bool(library->store(keyOf("larger"), entryOf("fast", 10))));
  LibraryKey foreign = keyOf("foreign");
  foreign.ops = "aten.tanh f32";
  ASSERT_FALSE(bool(library->store(foreign, entryOf("foreign", 1))));
  EXPECT_EQ(scripts(library->findSimilar(keyOf("mine"), 5)), Strings{"fast"});
}

TEST_F(LibraryTest, SeveralProcessesMayStoreAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i) {
        auto library = KernelLibrary::open(path); // each its own connection, as a process has
        ASSERT_TRUE(bool(library)) << toString(library.takeError());
        llvm::Error error = (*library)->store(keyOf("g" + std::to_string(t)), entryOf(std::to_string(i % 6), 50 - i));
        ASSERT_FALSE(bool(error)) << toString(std::move(error));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 4; ++t)
    EXPECT_EQ(scripts(open()->find(keyOf("g" + std::to_string(t)), 100)).size(), 6u);
}

TEST_F(LibraryTest, ADamagedFileIsOneSentence) {
  std::string sentence =
      "the kernel library " + path + " is damaged or something else; move it away, or go on by --library none";
  ASSERT_TRUE(open());
  write(std::string(4096, 'x'));
  EXPECT_EQ(openError(), sentence);
  llvm::sys::fs::remove(path);
  for (int i = 0; i < 8; ++i)
    ASSERT_FALSE(bool(open()->store(keyOf("g"), entryOf(std::string(3000, 'a' + i), 10 + i))));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(buffer));
  std::string intact = (*buffer)->getBuffer().str();
  ASSERT_GT(intact.size(), 20000u);
  write(intact.substr(0, intact.size() / 2));
  EXPECT_EQ(openError(), sentence);
  // A flipped byte gives a sentence or is harmless; it never ends the program.
  int noticed = 0;
  for (size_t at = 50; at < intact.size(); at += 397) {
    std::string flipped = intact;
    flipped[at] ^= 0x55;
    write(flipped);
    auto library = KernelLibrary::open(path);
    std::string message;
    if (!library) {
      message = toString(library.takeError());
    } else {
      auto entries = (*library)->find(keyOf("g"), 10);
      message = entries ? "" : toString(entries.takeError());
    }
    noticed += !message.empty();
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_GT(noticed, 0);
}

TEST_F(LibraryTest, SaysWhatElseIsWrong) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(path));
  EXPECT_EQ(openError(), "kernel library " + path + " is a folder, expected a file");
  std::string file = (folder + "/file").str();
  std::error_code ec;
  llvm::raw_fd_ostream(file, ec) << "x";
  path = file + "/kernels.db";
  EXPECT_EQ(openError(), "kernel library " + path + ": unable to open database file");
}

TEST(GraphSignature, DependsOnTheComputationAlone) {
  auto graph = [](const char *problem, const char *name, const char *extent) {
    return std::string("module attributes {kgen.problem = \"") + problem + "\", kgen.source = \"" + problem +
           ".py\"} {\n  func.func @" + problem + "(%arg0: tensor<" + extent +
           "xf32> {kgen.init = \"normal(0, 1)\", kgen.name = \"" + name + "\"}) -> tensor<" + extent +
           "xf32> {\n    %0 = aten.relu %arg0 : (tensor<" + extent + "xf32>) -> tensor<" + extent +
           "xf32>\n    return %0 : tensor<" + extent + "xf32>\n  }\n}\n";
  };
  EXPECT_EQ(graphSignature(graph("a", "x", "8")), graphSignature(graph("b", "input", "8")));
  EXPECT_NE(graphSignature(graph("a", "x", "8")), graphSignature(graph("a", "x", "9")));
  EXPECT_EQ(
      graphSignature("module {\n  func.func @f(%arg0: tensor<8xf32>) {"),
      graphSignature("module attributes {kgen.problem = \"p\"} {\n  func.func @g(%arg0: tensor<8xf32> {kgen.name = "
                     "\"x\"}) {"));
  EXPECT_NE(graphSignature("module attributes {kgen.precision = \"tf32\"} {"), graphSignature("module {"));
  EXPECT_EQ(graphSignature("module attributes {kgen.precision = \"tf32\", kgen.tiled_products} {"),
            graphSignature("module attributes {kgen.precision = \"tf32\"} {"));
  EXPECT_EQ(graphSignature("module attributes {kgen.tiled_products} {"), graphSignature("module {"));
}

} // namespace
