//===- DirectiveRefusalTest.cpp - What no family takes stops at a directive ===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every key of every family, with values that are legal, odd and far out, alone
// and beside each word that chooses a variant: what the compiler half cannot
// lower is refused at a line of the script, and as data.
//
//===----------------------------------------------------------------------===//
#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Graph/Refusal.h"
#include "kgen/Schedule/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::schedule;

namespace {

struct Example {
  const char *family, *op, *graph;
};

/// A graph of one op for each family.
const Example examples[] = {
    {"pointwise", "aten.relu", R"(func.func @f(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %0 = aten.relu %x : (tensor<64x96xf32>) -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
})"},
    {"pool", "aten.max_pool2d", R"(func.func @f(%x: tensor<2x4x20x20xf32>) -> tensor<2x4x9x9xf32> {
  %0 = aten.max_pool2d %x kernel [3, 3] stride [2, 2] : (tensor<2x4x20x20xf32>) -> tensor<2x4x9x9xf32>
  return %0 : tensor<2x4x9x9xf32>
})"},
    {"row", "aten.softmax.int", R"(func.func @f(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %0 = aten.softmax.int %x dim -1 : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %0 : tensor<64x4096xf32>
})"},
    {"gemm", "aten.mm", R"(func.func @f(%a: tensor<256x512xf32>, %b: tensor<512x192xf32>) -> tensor<256x192xf32> {
  %0 = aten.mm %a, %b : (tensor<256x512xf32>, tensor<512x192xf32>) -> tensor<256x192xf32>
  return %0 : tensor<256x192xf32>
})"},
    {"conv", "aten.conv2d",
     R"(func.func @f(%x: tensor<2x3x40x40xf32>, %w: tensor<96x3x5x5xf32>) -> tensor<2x96x36x36xf32> {
  %0 = aten.conv2d %x, %w : (tensor<2x3x40x40xf32>, tensor<96x3x5x5xf32>) -> tensor<2x96x36x36xf32>
  return %0 : tensor<2x96x36x36xf32>
})"},
    {"attention", "aten.scaled_dot_product_attention",
     R"(func.func @f(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x256x64xf16>, %v: tensor<1x2x256x64xf16>) -> tensor<1x2x256x64xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) -> tensor<1x2x256x64xf16>
  return %0 : tensor<1x2x256x64xf16>
})"},
    {"scan", "aten.cumsum", R"(func.func @f(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %0 = aten.cumsum %x dim 1 : (tensor<8x512xf32>) -> tensor<8x512xf32>
  return %0 : tensor<8x512xf32>
})"},
    {"gather", "aten.embedding", R"(func.func @f(%w: tensor<100x96xf32>, %i: tensor<40xi64>) -> tensor<40x96xf32> {
  %0 = aten.embedding %w, %i : (tensor<100x96xf32>, tensor<40xi64>) -> tensor<40x96xf32>
  return %0 : tensor<40x96xf32>
})"},
};

/// transform.kgen.pipeline %d stages = 4
std::string spell(const Key &key, const Value &value) {
  std::string text = printValue(value);
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return "transform.kgen." + directives()[key.directives.front()].mnemonic.str() + " %d " + key.name.str() + " = " +
         text + "\n";
}

/// Values of KEY's kind, not all of them legal.
std::vector<Value> probes(const Key &key) {
  std::vector<Value> values;
  switch (key.type.kind) {
  case ValueType::Kind::Word:
    for (llvm::StringRef word : key.type.choices)
      values.push_back(word.str());
    break;
  case ValueType::Kind::Int:
  case ValueType::Kind::IntOf:
    for (int64_t number : {0, 1, 3, 8, 97, 512})
      values.push_back(number);
    break;
  case ValueType::Kind::Ints:
    for (int64_t length : {key.type.minLength, key.type.maxLength})
      for (int64_t odd : {1, 40, 64, 97, 256})
        for (int64_t at = 0; at < length; ++at) {
          std::vector<int64_t> list(length, 64);
          list[at] = odd;
          values.push_back(list);
        }
    break;
  }
  return values;
}

bool isTaken(const Key &key, llvm::StringRef family) {
  return llvm::any_of(key.taken, [&](const Taken &taken) { return variants()[taken.variant].family == family; });
}

TEST(DirectiveRefusal, WhatIsNotLoweredIsRefusedAtADirective) {
  auto compiler = graph::createMlirGraphCompiler();
  for (const Example &example : examples) {
    std::string select = std::string("%d = transform.kgen.select \"") + example.op + "\" in %f\n";
    std::vector<std::string> beginnings = {select};
    for (llvm::StringRef chooser : {"mma", "resident"})
      if (const Key *key = findKey(chooser); isTaken(*key, example.family))
        for (llvm::StringRef word : key->type.choices)
          beginnings.push_back(select + spell(*key, word.str()));
    int lowered = 0, refused = 0;
    for (const Key &key : keys())
      for (const Value &value : probes(key))
        for (const std::string &beginning : isTaken(key, example.family) ? beginnings : std::vector{select}) {
          auto result = compiler->lowerWithDirectives(example.graph, beginning + spell(key, value), "", "", Chip());
          ++(result ? lowered : refused);
          if (result)
            continue;
          std::optional<graph::Refusal> refusal;
          std::string sentence = graph::takeRefusal(result.takeError(), refusal);
          EXPECT_THAT(sentence, testing::StartsWith("directives.mlir:")) << beginning << spell(key, value);
          ASSERT_TRUE(refusal) << sentence;
          EXPECT_FALSE(refusal->key.empty()) << sentence;
          EXPECT_FALSE(refusal->found.empty()) << sentence;
          EXPECT_FALSE(refusal->bound.empty()) << sentence;
        }
    EXPECT_GT(lowered, 3) << example.family;
    EXPECT_GT(refused, 30) << example.family;
  }
}

TEST(DirectiveRefusal, SaysWhatIsLegal) {
  const Example &conv = examples[4];
  auto compiler = graph::createMlirGraphCompiler();
  auto refuse = [&](const std::string &script, std::optional<graph::Refusal> &refusal) {
    auto result = compiler->lowerWithDirectives(
        conv.graph, "%d = transform.kgen.select \"aten.conv2d\" in %f\n" + script, "", "", Chip());
    return result ? "" : graph::takeRefusal(result.takeError(), refusal);
  };
  std::optional<graph::Refusal> refusal;
  // No variant has it, whatever else is set.
  EXPECT_THAT(refuse("transform.kgen.tile %d [97, 96, 16]\n", refusal),
              testing::AllOf(testing::StartsWith(
                                 "directives.mlir:2:1: schedule key 'tile' of conv/simt, conv/mma_sync, "
                                 "conv/wgmma, conv/implicit and conv/halo expected [a multiple of 4 from 4 to 4096, "),
                             testing::HasSubstr("found [97, 96, 16]")));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, graph::RefusalKind::Conflict);
  EXPECT_EQ(refusal->key, "tile");
  EXPECT_EQ(refusal->found, "[97, 96, 16]");
  // A variant would take each; the family has no kernel for both. The place is the directive that made it so.
  EXPECT_THAT(refuse("transform.kgen.tile %d [64, 96, 16]\ntransform.kgen.thread_tile %d [8, 7]\n"
                     "transform.kgen.pipeline %d stages = 2\n",
                     refusal),
              testing::StartsWith("directives.mlir:3:1: thread_tile = [pixels, channels] has to divide the tile's 96 "
                                  "channels (graph.mlir:"));
  EXPECT_EQ(refusal->key, "thread_tile");
  EXPECT_EQ(refusal->found, "[8, 7]");
  EXPECT_THAT(refuse("transform.kgen.pipeline %d stages = 12\n", refusal),
              testing::HasSubstr("expected an integer from 2 to 8, found 12"));
  EXPECT_EQ(refusal->kind, graph::RefusalKind::OutOfRange);
}

} // namespace
