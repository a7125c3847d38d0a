//===- ArchitectureTest.cpp - The catalogue asks for what a chip has -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Support/Architectures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace kgen;
using testing::HasSubstr;
using testing::Not;

namespace {

const char *const graphs[] = {
    R"(func.func @mm(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = aten.mm %a, %b : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
})",
    R"(func.func @conv(%x: tensor<4x3x60x60xf32>, %w: tensor<96x3x5x5xf32>) -> tensor<4x96x56x56xf32> {
  %0 = aten.conv2d %x, %w : (tensor<4x3x60x60xf32>, tensor<96x3x5x5xf32>) -> tensor<4x96x56x56xf32>
  return %0 : tensor<4x96x56x56xf32>
})",
    R"(func.func @softmax(%x: tensor<1024x65536xf32>) -> tensor<1024x65536xf32> {
  %0 = aten.softmax.int %x dim -1 : (tensor<1024x65536xf32>) -> tensor<1024x65536xf32>
  return %0 : tensor<1024x65536xf32>
})",
    R"(func.func @attention(%q: tensor<1x8x512x64xf16>, %k: tensor<1x8x512x64xf16>, %v: tensor<1x8x512x64xf16>) -> tensor<1x8x512x64xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>) -> tensor<1x8x512x64xf16>
  return %0 : tensor<1x8x512x64xf16>
})",
};

TEST(Architecture, TheCatalogueAsksForWhatThereIs) {
  auto compiler = graph::createMlirGraphCompiler();
  auto proposer = propose::createBuiltinProposer();
  for (const char *arch : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    Chip chip = chipOf(arch);
    int lowered = 0, onWarpgroups = 0;
    for (const char *graph : graphs) {
      propose::ProposalContext context;
      context.slot = "round-01/seed-0";
      context.facts = llvm::cantFail(compiler->facts(graph));
      context.precision = context.facts.precision;
      context.device = "cuda";
      context.chip = chip;
      for (const propose::Idea &idea : llvm::cantFail(proposer->proposeIdeas(context, 100)))
        for (const propose::Materialization &way : llvm::cantFail(proposer->materialize(context, idea, 2))) {
          auto result = compiler->lowerWithDirectives(graph, way.directives, "", "", chip);
          if (!result) {
            EXPECT_THAT(llvm::toString(result.takeError()),
                        Not(testing::AnyOf(HasSubstr("needs sm_90a"), HasSubstr("has not"))))
                << arch << ": " << idea.key;
            continue;
          }
          ++lowered;
          onWarpgroups += result->cuda.find("kgen::wgmma_") != std::string::npos;
          if (!hasClusters(arch)) {
            EXPECT_THAT(result->plan, Not(HasSubstr("\"cluster\""))) << arch << ": " << idea.key;
          }
        }
    }
    EXPECT_GT(lowered, 20) << arch;
    EXPECT_EQ(onWarpgroups > 0, chip.isHopper()) << arch;
  }
}

TEST(Architecture, LimitsFollowTheArchitecture) {
  EXPECT_EQ(chipOf("sm_86").sharedBytesPerBlock, 101376);
  EXPECT_EQ(chipOf("sm_80").multiprocessors, 108);
  EXPECT_EQ(chipOf("sm_90a").sharedBytesPerBlock, Chip().sharedBytesPerBlock);
  EXPECT_EQ(chipOf("sm_77").arch, "sm_77");
  EXPECT_FALSE(hasClusters("sm_89"));
  EXPECT_TRUE(hasClusters("sm_120a"));
}

} // namespace
