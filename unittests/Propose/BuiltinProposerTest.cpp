//===- BuiltinProposerTest.cpp --------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Search/Fakes.h"
#include "kgen/Kernels/Ideas/Catalogue.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Propose/SchedulePlan.h"
#include "kgen/Schedule/Schedule.h"

#include "gtest/gtest.h"

#include <set>

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;

namespace {

ProposalContext contextOf(graph::GraphFacts facts, const char *device = "host") {
  ProposalContext context;
  context.slot = "round-01/seed-0";
  context.precision = facts.precision;
  context.facts = std::move(facts);
  context.device = device;
  context.genericUs = 1000;
  context.parent.id = "round-00/b00";
  context.parent.timeUs = 1000;
  return context;
}

std::vector<Idea> ask(const ProposalContext &context, int n) {
  auto ideas = createBuiltinProposer()->proposeIdeas(context, n);
  EXPECT_TRUE(bool(ideas));
  return *ideas;
}

std::vector<Materialization> carryOut(const ProposalContext &context, const Idea &idea, int n) {
  auto list = createBuiltinProposer()->materialize(context, idea, n);
  EXPECT_TRUE(bool(list));
  return *list;
}

TEST(SchedulePlan, GroupsByFusion) {
  graph::GraphFacts facts = convReluPoolFacts();
  auto sizes = [&](graph::Fusion fusion) {
    std::vector<size_t> result;
    for (const PlannedDispatch &dispatch : groupOps(facts, fusion).dispatches)
      result.push_back(dispatch.ops.size());
    return result;
  };
  EXPECT_EQ(sizes(graph::Fusion::None), (std::vector<size_t>{1, 1, 1}));
  EXPECT_EQ(sizes(graph::Fusion::Epilogue), (std::vector<size_t>{2, 1}));
  EXPECT_EQ(sizes(graph::Fusion::Pool), (std::vector<size_t>{3}));
}

TEST(SchedulePlan, CountsConsumersAndProducers) {
  // mean(clamp(x) * y): both ops in front join the reduction.
  graph::GraphFacts facts;
  graph::TensorFact x{"f32", {64, 64}}, one{"f32", {}};
  facts.ops = {{"aten.clamp", {x}, {x}, {}, {1}}, {"aten.mul.Tensor", {x, x}, {x}, {}, {2}}, {"aten.mean", {x}, {one}}};
  facts.groups.fill({{"row", 2, {0, 1, 2}}});
  EXPECT_EQ(printDirectives(groupOps(facts, graph::Fusion::Epilogue), facts),
            R"(%d0 = transform.kgen.select "aten.mean" in %f as row
transform.kgen.fuse %d0 producers 2
)");
}

TEST(SchedulePlan, PrintsDirectives) {
  graph::GraphFacts facts = convReluPoolFacts();
  SchedulePlan plan = groupOps(facts, graph::Fusion::Epilogue);
  plan.dispatches[0].settings = parseSettings("tile=[64, 96, 16]; pipeline=cp_async; stages=3; smem_pad=4; dtype=tf32");
  EXPECT_EQ(printDirectives(plan, facts), R"(%d0 = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.fuse %d0 consumers 1
transform.kgen.tile %d0 [64, 96, 16]
transform.kgen.mma_dtype %d0 tf32
transform.kgen.pipeline %d0 cp_async stages = 3
transform.kgen.smem_layout %d0 smem_pad = 4
%d1 = transform.kgen.select "aten.max_pool2d" in %f as pool
)");
}

TEST(SchedulePlan, NumbersOpsThatAreInNoDispatchYet) {
  graph::GraphFacts facts;
  graph::TensorFact x{"f32", {64, 64}};
  // linear, relu, linear, relu, linear: the second linear is number 0 once the first one is taken.
  for (int i = 0; i < 5; ++i)
    facts.ops.push_back(
        {i % 2 ? "aten.relu" : "aten.linear", {x, x}, {x}, {}, {i + 1}, 1, false, i % 2 ? "pointwise" : "gemm"});
  facts.ops.back().users = {};
  facts.groups.fill(groupApart(facts));
  SchedulePlan plan = groupOps(facts, graph::Fusion::None);
  EXPECT_EQ(printDirectives(plan, facts), R"(%d0 = transform.kgen.select "aten.linear" in %f as gemm
%d1 = transform.kgen.select "aten.relu" in %f as pointwise
%d2 = transform.kgen.select "aten.linear" in %f as gemm
%d3 = transform.kgen.select "aten.relu" in %f as pointwise
%d4 = transform.kgen.select "aten.linear" in %f as gemm
)");
  // Leaving the first one out makes it count.
  plan.dispatches.erase(plan.dispatches.begin());
  EXPECT_EQ(printDirectives(plan, facts).find("%d1 = transform.kgen.select \"aten.linear\" number 1 in %f"),
            std::string("%d0 = transform.kgen.select \"aten.relu\" in %f as pointwise\n").size());
}

TEST(SchedulePlan, CountsTheOpsOfTheFormThatItRewrites) {
  graph::TensorFact x{"f32", {64, 64}}, sum{"f32", {64}};
  graph::GraphFacts facts, form;
  facts.ops = {{"aten.mm", {x, x}, {x}, {}, {1}, 1, false, "gemm"}, {"aten.sum.dim_IntList", {x}, {sum}}};
  facts.groups.fill(groupApart(facts));
  form.ops = {{"aten.mul.Tensor", {x, sum}, {x}, {}, {1}}, {"aten.sum.dim_IntList", {x}, {sum}}};
  form.groups.fill({{"row", 1, {0, 1}}});
  facts.forms.push_back({"reduce_first", std::make_shared<const graph::GraphFacts>(form)});
  SchedulePlan plan = groupOps(facts, graph::Fusion::Epilogue, "reduce_first");
  EXPECT_EQ(printDirectives(plan, facts), R"(transform.kgen.rewrite %f as reduce_first
%d0 = transform.kgen.select "aten.sum.dim_IntList" in %f as row
transform.kgen.fuse %d0 producers 1
)");
  auto again = parsePlan(printPlan(plan), facts);
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(again->rewrite, "reduce_first");
  // Elsewhere the rewrite does not apply, and its ops are none of the graph's.
  facts.forms.clear();
  auto lost = parsePlan(printPlan(plan), facts);
  ASSERT_FALSE(bool(lost));
  EXPECT_NE(toString(lost.takeError()).find("does not apply"), std::string::npos);
}

TEST(SchedulePlan, SurvivesItsNotes) {
  SchedulePlan plan = groupOps(convReluPoolFacts(), graph::Fusion::Pool);
  plan.dispatches[0].settings = parseSettings("tile=[64, 96, 16]; vec=4");
  auto again = parsePlan(printPlan(plan), convReluPoolFacts());
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(printPlan(*again), printPlan(plan));
  auto bad = parsePlan("{\"fusion\": 9}", convReluPoolFacts());
  EXPECT_FALSE(bool(bad));
  llvm::consumeError(bad.takeError());
}

TEST(SchedulePlan, NamesOpsThatAreThere) {
  auto errorOf = [](const char *anchor, const char *ops) {
    std::string text = std::string(R"({"fusion": 1, "dispatches": [{"name": "n", "family": "conv", "anchor": )") +
                       anchor + R"(, "ops": )" + ops + R"(, "settings": {}}]})";
    auto plan = parsePlan(text, convReluPoolFacts()); // three ops
    return plan ? std::string() : llvm::toString(plan.takeError());
  };
  const char *absent = "a recorded plan names ops that the graph does not have";
  EXPECT_EQ(errorOf("0", "[0, 1, 2]"), "");
  EXPECT_EQ(errorOf("3", "[0, 1, 3]"), absent);
  EXPECT_EQ(errorOf("-1", "[-1]"), absent);
  EXPECT_EQ(errorOf("0", "[]"), absent);
  EXPECT_EQ(errorOf("0", "[0, 99999999]"), absent);
  EXPECT_EQ(errorOf("0", "[0, 3e300]"), absent);
  EXPECT_EQ(errorOf("18446744073709551615", "[0]"), absent);
}

TEST(Builtin, MultipliesOnWarpgroupsWhereTheCardHasThem) {
  auto firstScript = [](graph::GraphFacts facts, const char *device, const char *arch) {
    ProposalContext context = contextOf(std::move(facts), device);
    context.chip.arch = arch;
    return carryOut(context, ask(context, 1)[0], 1)[0].directives;
  };
  EXPECT_NE(firstScript(matmulFacts("fp16", "f16"), "cuda", "sm_90a").find("mma %d0 wgmma"), std::string::npos);
  EXPECT_NE(firstScript(matmulFacts("tf32"), "cuda", "sm_90a").find("mma %d0 wgmma"), std::string::npos);
  EXPECT_NE(firstScript(matmulFacts("strict-fp32"), "cuda", "sm_90a").find("split_precision %d0 promote_k = 128"),
            std::string::npos);
  EXPECT_EQ(firstScript(matmulFacts("tf32"), "cuda", "sm_89").find("wgmma"), std::string::npos);
  EXPECT_EQ(firstScript(matmulFacts("tf32"), "host", "sm_90a").find("wgmma"), std::string::npos);
}

TEST(Builtin, GivesTilesOfFewRowsToClustersFirst) {
  auto contextOfLinear = [](int64_t rows, const char *dtype, const char *precision) {
    graph::GraphFacts facts;
    facts.precision = precision;
    graph::TensorFact x{dtype, {rows, 768}}, w{dtype, {3072, 768}}, y{dtype, {rows, 3072}};
    graph::WorkFact work;
    work.m = rows, work.n = 3072, work.k = 768;
    facts.ops.push_back({"aten.linear", {x, w}, {y}, {}, {}, 1, false, "gemm", work});
    facts.groups.fill(groupApart(facts));
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    return context;
  };
  for (int64_t rows : {1, 128, 1024}) {
    ProposalContext context = contextOfLinear(rows, rows == 1024 ? "f32" : "bf16", rows == 1024 ? "tf32" : "bf16");
    std::vector<Idea> ideas = ask(context, 3);
    EXPECT_EQ(ideas[0].key, "cluster-tiles") << rows;
    std::vector<Materialization> ways = carryOut(context, ideas[0], 9);
    EXPECT_GE(ways.size(), 4u) << rows;
    for (const Materialization &way : ways) {
      EXPECT_NE(way.directives.find("split_at = cluster"), std::string::npos) << way.directives;
      EXPECT_NE(way.directives.find("tile %d0 ["), std::string::npos) << way.directives;
    }
  }
  // Its tiles and slices are refined; what has many tiles, or is exact, goes other ways.
  ProposalContext context = contextOfLinear(1024, "f32", "tf32");
  context.parent.notes = carryOut(context, ask(context, 1)[0], 1)[0].notes;
  context.parent.id = "round-01/b00";
  auto tuned = createBuiltinProposer()->tune(context, 20);
  ASSERT_TRUE(bool(tuned));
  EXPECT_GE(tuned->size(), 5u);
  for (const Materialization &m : *tuned)
    EXPECT_NE(m.directives.find("split_at = cluster"), std::string::npos) << m.directives;
  EXPECT_EQ(ask(contextOfLinear(8192, "f32", "tf32"), 1)[0].key, "rounded-operands");
  EXPECT_EQ(ask(contextOfLinear(1024, "f32", "strict-fp32"), 1)[0].key, "split-operands");
}

TEST(Builtin, LetsThePixelsOfOneTapPassByFirst) {
  auto contextOfOneTap = [](const char *dtype, const char *precision, const char *arch) {
    graph::GraphFacts facts;
    facts.precision = precision;
    graph::TensorFact x{dtype, {16, 64, 256, 256}}, w{dtype, {160, 64, 1, 1}}, y{dtype, {16, 160, 256, 256}};
    graph::WorkFact work;
    work.m = 160, work.n = 16 * 256 * 256, work.k = 64;
    facts.ops.push_back({"aten.conv2d", {x, w}, {y}, {}, {}, 1, false, "gemm", work});
    facts.groups.fill(groupApart(facts));
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = arch;
    return context;
  };
  for (const char *arch : {"sm_80", "sm_90a"})
    for (const char *dtype : {"f32", "f16"}) {
      ProposalContext context = contextOfOneTap(dtype, dtype == llvm::StringRef("f32") ? "tf32" : "fp16", arch);
      std::vector<Idea> ideas = ask(context, 3);
      EXPECT_EQ(ideas[0].key, "passing-columns");
      std::vector<Materialization> ways = carryOut(context, ideas[0], 9);
      EXPECT_GE(ways.size(), 4u);
      for (const Materialization &way : ways)
        EXPECT_NE(way.directives.find("persistent %d0 static"), std::string::npos) << way.directives;
      EXPECT_EQ(ways[0].directives, "%d0 = transform.kgen.select \"aten.conv2d\" in %f as gemm\n"
                                    "transform.kgen.mma %d0 mma_sync\n"
                                    "transform.kgen.persistent %d0 static\n");
    }
  EXPECT_NE(ask(contextOfOneTap("f32", "strict-fp32", "sm_90a"), 1)[0].key, "passing-columns");
}

TEST(Builtin, ShiftsOverTilesThatAConvolutionsSumsLeaveRoomFor) {
  auto tilesOf = [](const char *op, int64_t stride, int64_t filters) {
    graph::GraphFacts facts;
    facts.precision = "tf32";
    graph::TensorFact x{"f32", {16, 64, 128, 128}}, w{"f32", {64, filters, 3, 3}}, y{"f32", {16, filters, 256, 256}};
    graph::WorkFact work;
    work.m = 16 * 256 * 256, work.n = filters, work.k = 64 * 9, work.channels = 64, work.denseConvolution = true;
    work.phaseRows = work.phaseColumns = stride;
    facts.ops.push_back({op, {x, w}, {y}, {}, {}, 1, false, "conv", work});
    facts.groups.fill(groupApart(facts));
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    std::string tiles;
    for (const Idea &idea : ask(context, 6))
      if (idea.key == "shifted-halves")
        for (const Materialization &way : carryOut(context, idea, 20))
          if (size_t at = way.directives.find("tile %d0 ["); at != std::string::npos)
            tiles += way.directives.substr(at + 9, way.directives.find(']', at) - at - 8);
    return tiles;
  };
  // A thread of a tile of 192 pixels would have 192 sums of two phases, and tiles of 128 filters four warpgroups.
  EXPECT_EQ(tilesOf("aten.conv_transpose2d.input", 2, 128).find("[192"), std::string::npos);
  EXPECT_EQ(tilesOf("aten.conv_transpose2d.input", 2, 128).find(", 128,"), std::string::npos);
  EXPECT_NE(tilesOf("aten.conv_transpose2d.input", 2, 128).find("[128, 64, 16]"), std::string::npos);
  EXPECT_NE(tilesOf("aten.conv2d", 1, 128).find("[192, 128, 32]"), std::string::npos);
  EXPECT_EQ(tilesOf("aten.conv2d", 1, 64).find(", 128,"), std::string::npos);
}

TEST(Builtin, MultipliesGroupsOnWarpgroupsFirst) {
  auto contextOfGroups = [](const char *precision, int64_t groups, int64_t filters) {
    graph::GraphFacts facts;
    facts.precision = precision;
    graph::TensorFact x{"f32", {10, 240, 56, 56}}, w{"f32", {filters, 240 / groups, 1, 1}},
        y{"f32", {10, filters, 56, 56}};
    graph::WorkFact work;
    work.m = 10 * 56 * 56, work.n = filters, work.k = 240 / groups, work.channels = 240, work.groups = groups;
    work.channelsLast = true;
    facts.ops.push_back({"aten.conv2d", {x, w}, {y}, {}, {}, 1, false, "conv", work});
    facts.groups.fill(groupApart(facts));
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    return context;
  };
  auto tilesOf = [&](int64_t filters) {
    ProposalContext context = contextOfGroups("tf32", 3, filters);
    Idea idea = ask(context, 1)[0];
    EXPECT_EQ(idea.key, "grouped-product");
    std::string tiles;
    for (const Materialization &way : carryOut(context, idea, 9)) {
      EXPECT_NE(way.directives.find("mma %d0 wgmma"), std::string::npos) << way.directives;
      if (size_t at = way.directives.find("tile %d0 ["); at != std::string::npos)
        tiles += way.directives.substr(at + 9, way.directives.find(']', at) - at - 8);
    }
    return tiles;
  };
  // A tile has filters of one group: 320 are two of 160, 80 are one, 20 fill most of 24.
  EXPECT_NE(tilesOf(960).find("[128, 160, 32]"), std::string::npos) << tilesOf(960);
  EXPECT_NE(tilesOf(240).find("[128, 80, 32]"), std::string::npos) << tilesOf(240);
  EXPECT_NE(tilesOf(60).find("[128, 24, 32]"), std::string::npos) << tilesOf(60);
  EXPECT_EQ(tilesOf(60).find(", 64,"), std::string::npos) << tilesOf(60);
  EXPECT_NE(ask(contextOfGroups("strict-fp32", 3, 960), 1)[0].key, "grouped-product");
  EXPECT_NE(ask(contextOfGroups("tf32", 60, 960), 1)[0].key, "grouped-product"); // 4 channels: slabs of mostly zeros
}

TEST(Builtin, PoolsBehindWarpgroupsFirst) {
  auto first = [](graph::GraphFacts facts) {
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    return carryOut(context, ask(context, 1)[0], 9);
  };
  graph::GraphFacts facts = convReluPoolFacts();
  std::vector<Materialization> ways = first(facts);
  EXPECT_EQ(ways[0].directives, "%d0 = transform.kgen.select \"aten.conv2d\" in %f as conv\n"
                                "transform.kgen.fuse %d0 consumers 2\n"
                                "transform.kgen.mma %d0 wgmma\n"
                                "transform.kgen.specialize %d0 producer_warps = 2\n");
  // Each way is another script.
  std::set<std::string> scripts;
  for (const Materialization &way : ways)
    EXPECT_TRUE(scripts.insert(way.directives).second) << way.directives;
  // Windows that share two rows, averages, grouped convolutions: not by this kernel.
  facts.ops[2].work.runningMaximum = false;
  EXPECT_NE(first(facts)[0].directives.find("consumers 1\n"), std::string::npos);
  facts.ops[0].work.plainConvolution = false;
  EXPECT_EQ(first(facts)[0].directives.find("wgmma"), std::string::npos);
}

TEST(Builtin, PoolsShiftedPixelsFirst) {
  auto factsOf = [](const char *op) {
    graph::GraphFacts facts = convReluPoolFacts();
    facts.ops[0].name = op;
    graph::WorkFact &conv = facts.ops[0].work;
    conv.channels = 64, conv.k = 64 * 9;
    conv.plainConvolution = false;
    conv.denseConvolution = true;
    facts.ops[2].work.separateWindows = true;
    return facts;
  };
  auto first = [](graph::GraphFacts facts) {
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    return carryOut(context, ask(context, 1)[0], 9)[0].directives;
  };
  graph::GraphFacts facts = factsOf("aten.conv_transpose2d.input");
  EXPECT_EQ(first(facts), "%d0 = transform.kgen.select \"aten.conv_transpose2d.input\" in %f as conv\n"
                          "transform.kgen.fuse %d0 consumers 2\n"
                          "transform.kgen.mma %d0 wgmma\n"
                          "transform.kgen.mma_dtype %d0 fp16\n"
                          "transform.kgen.im2col %d0 halo\n");
  // Windows that overlap, and those of several depths that no tile has, are left to a kernel behind it.
  facts.ops[2].work.windowDepths = 2;
  EXPECT_NE(first(facts).find("consumers 1\n"), std::string::npos);
  facts.ops[0].work.slices = 3;
  EXPECT_NE(first(facts).find("consumers 2\n"), std::string::npos);
  facts.ops[2].work.separateWindows = false;
  EXPECT_NE(first(facts).find("consumers 1\n"), std::string::npos);
  // No other schedule pools what a transposed convolution computes, so that no other idea proposes it.
  facts = factsOf("aten.conv_transpose2d.input");
  ProposalContext context = contextOf(std::move(facts), "cuda");
  context.chip.arch = "sm_90a";
  for (const Idea &idea : ask(context, 12))
    for (const Materialization &way : carryOut(context, idea, 20))
      if (way.directives.find("consumers 2\n") != std::string::npos) {
        EXPECT_EQ(idea.key, "pool-pixels") << way.directives;
      }
}

TEST(Builtin, HoldsLongRowsInAClusterFirst) {
  ProposalContext context = contextOf(softmaxFacts(), "cuda");
  context.chip.arch = "sm_90a";
  EXPECT_EQ(ask(context, 1)[0].key, "softmax-over-cluster");
  std::vector<Materialization> ways = carryOut(context, ask(context, 1)[0], 2);
  EXPECT_NE(ways[0].directives.find("split_rows %d0 4"), std::string::npos);
  EXPECT_NE(ways[0].directives.find("fast_math %d0 on"), std::string::npos);
}

TEST(Builtin, OpensWithNoIdeaThatIsHalfAsFastAsAnother) {
  graph::GraphFacts facts = softmaxFacts();
  graph::TensorFact x{"f32", {131072, 32}};
  facts.inputs = facts.outputs = {x};
  facts.ops[0].operands = facts.ops[0].results = {x};
  facts.ops[0].work.rows = 131072;
  facts.ops[0].work.columns = 32;
  facts.groups.fill(groupApart(facts));
  ProposalContext context = contextOf(std::move(facts), "cuda");
  context.chip.arch = "sm_90a";
  // A block of 128 threads for a row of 32 numbers took an H100 178 us, the generic kernel 55 us.
  bool isFavourite = false;
  TriedBranch sibling;
  sibling.idea.key = "families";
  sibling.verdict = "PENDING";
  context.history = {sibling};
  for (context.seed = 0; context.seed < 20; ++context.seed) {
    EXPECT_NE(ask(context, 1)[0].key, "row-in-registers") << context.seed;
    isFavourite |= ask(context, 2)[0].key == "row-in-registers"; // of several the catalogue's order holds
  }
  EXPECT_TRUE(isFavourite);
}

TEST(Builtin, OpensWithThePriorsFavouriteBesideTheFirstWay) {
  graph::GraphFacts facts;
  facts.precision = "tf32";
  graph::TensorFact x{"f32", {131072, 128}}, w{"f32", {32, 128}}, y{"f32", {131072, 32}};
  graph::WorkFact work;
  work.m = 131072, work.n = 32, work.k = 128;
  facts.ops.push_back({"aten.linear", {x, w}, {y}, {}, {}, 1, false, "gemm", work});
  facts.groups.fill(groupApart(facts));
  ProposalContext context = contextOf(std::move(facts), "cuda");
  context.chip.arch = "sm_90a";
  const Idea idea = ask(context, 1)[0];
  EXPECT_EQ(idea.key, "rounded-operands");
  // Of 32 columns a tile of 256 is mostly empty.
  std::vector<Materialization> two = carryOut(context, idea, 2), three = carryOut(context, idea, 3);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].directives, three[0].directives);
  EXPECT_EQ(two[1].directives, three[2].directives);
  EXPECT_NE(two[1].directives.find("tile %d0 [128, 128, 32]"), std::string::npos) << two[1].directives;
  EXPECT_LT(two[1].priorUs, three[1].priorUs);
}

TEST(Builtin, TunesWhatAnIdeaLeftOpen) {
  ProposalContext context = contextOf(convReluPoolFacts(), "cuda");
  context.chip.arch = "sm_90a";
  context.parent.notes = carryOut(context, ask(context, 1)[0], 1)[0].notes;
  context.parent.id = "round-01/b00";
  auto tuned = createBuiltinProposer()->tune(context, 20);
  ASSERT_TRUE(bool(tuned));
  std::string scripts;
  for (const Materialization &m : *tuned) {
    EXPECT_NE(m.directives.find("mma %d0 wgmma"), std::string::npos);
    scripts += m.directives;
  }
  EXPECT_NE(scripts.find("specialize %d0 producer_warps = 4"), std::string::npos);
  EXPECT_NE(scripts.find("mma_inflight %d0 1"), std::string::npos);
  EXPECT_NE(scripts.find("stages = 6"), std::string::npos);
  // No later idea takes a warpgroup's kernel to knobs that it does not have.
  for (const Idea &idea : ask(context, 30))
    for (const Materialization &m : carryOut(context, idea, 9))
      if (m.directives.find("mma %d0 wgmma") != std::string::npos)
        EXPECT_EQ(m.directives.find("warp_tile"), std::string::npos) << idea.key;
}

TEST(Builtin, ComputesAttentionOnWarpgroupsWhereTheCardHasThem) {
  graph::GraphFacts facts;
  facts.precision = "fp16";
  graph::TensorFact x{"f16", {4, 32, 4096, 64}};
  facts.ops.push_back({"aten.scaled_dot_product_attention", {x, x, x}, {x}, {}, {}, 1, false, "attention"});
  facts.groups.fill(groupApart(facts));
  ProposalContext context = contextOf(std::move(facts), "cuda");
  context.chip.arch = "sm_90a";
  std::vector<Idea> ideas = ask(context, 3);
  EXPECT_EQ(ideas[0].key, "warpgroup-attention");
  EXPECT_NE(carryOut(context, ideas[0], 1)[0].directives.find("mma %d0 wgmma"), std::string::npos);
  // Every setting of the catalogue has a directive that carries it out.
  std::vector<Materialization> turns = carryOut(context, {"turns-and-overlap", "", ideas::IdeaCategory::Async}, 1);
  ASSERT_EQ(turns.size(), 1u);
  EXPECT_NE(turns[0].directives.find("specialize %d0 pingpong = on overlap = off"), std::string::npos);
  context.chip.arch = "sm_89";
  for (const Idea &idea : ask(context, 9))
    for (const Materialization &m : carryOut(context, idea, 9))
      EXPECT_EQ(m.directives.find("wgmma"), std::string::npos);
}

TEST(Builtin, ComputesMaskedAttentionAndThatOfTf32OnWarps) {
  for (const char *dtype : {"f16", "f32"}) {
    graph::GraphFacts facts;
    facts.precision = dtype == std::string("f16") ? "fp16" : "tf32";
    graph::TensorFact x{dtype, {8, 12, 128, 64}}, mask{"i1", {8, 1, 1, 128}};
    facts.ops.push_back({"aten.scaled_dot_product_attention", {x, x, x, mask}, {x}, {}, {}, 1, false, "attention"});
    facts.groups.fill(groupApart(facts));
    ProposalContext context = contextOf(std::move(facts), "cuda");
    context.chip.arch = "sm_90a";
    // Behind the families' own choice, which is the same kernel.
    EXPECT_EQ(ask(context, 3)[1].key, "scores-in-registers") << dtype;
    for (const Idea &idea : ask(context, 9))
      for (const Materialization &m : carryOut(context, idea, 9))
        EXPECT_EQ(m.directives.find("wgmma"), std::string::npos) << dtype;
  }
}

TEST(Builtin, HasIdeasForEveryKindOfGraph) {
  std::vector<graph::GraphFacts> graphs = {convReluPoolFacts(), softmaxFacts(), matmulFacts("tf32"),
                                           matmulFacts("strict-fp32"), matmulFacts("fp16", "f16")};
  for (const graph::GraphFacts &facts : graphs)
    for (const char *device : {"host", "cuda"}) {
      ProposalContext context = contextOf(facts, device);
      std::vector<Idea> ideas = ask(context, 4);
      ASSERT_EQ(ideas.size(), 4u) << facts.name << " on " << device;
      std::set<ideas::IdeaCategory> categories;
      for (const Idea &idea : ideas) {
        EXPECT_FALSE(carryOut(context, idea, 2).empty()) << idea.key;
        EXPECT_GT(idea.text.size(), 40u);
        categories.insert(idea.category);
      }
      EXPECT_GE(categories.size(), 2u);
    }
}

TEST(Builtin, KeepsThePrecisionClass) {
  for (const Idea &idea : ask(contextOf(matmulFacts("strict-fp32"), "cuda"), 100))
    for (const Materialization &m : carryOut(contextOf(matmulFacts("strict-fp32"), "cuda"), idea, 100))
      EXPECT_EQ(m.directives.find("mma_"), std::string::npos) << idea.key << m.directives; // mma_sync, mma_dtype
}

TEST(Builtin, PutsFirstWhatSuitsTheDevice) {
  auto keys = [](const char *device) {
    std::set<std::string> result;
    for (const Idea &idea : ask(contextOf(matmulFacts("tf32"), device), 3))
      result.insert(idea.key);
    return result;
  };
  EXPECT_TRUE(keys("cuda").count("tensor-cores"));
  EXPECT_FALSE(keys("host").count("tensor-cores"));
}

TEST(Builtin, IsDeterministicAndSeeded) {
  ProposalContext context = contextOf(convReluPoolFacts());
  std::string first = printIdeas(ask(context, 6));
  EXPECT_EQ(first, printIdeas(ask(context, 6)));
  std::set<std::string> answers;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    context.seed = seed;
    answers.insert(printIdeas(ask(context, 6)));
  }
  EXPECT_GT(answers.size(), 1u);
}

TEST(Builtin, NeverRepeatsAPlan) {
  ProposalContext context = contextOf(convReluPoolFacts());
  std::set<std::string> seen;
  int branch = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Idea> ideas = ask(context, 1);
    if (ideas.empty())
      break;
    for (const Materialization &m : carryOut(context, ideas[0], 2)) {
      ASSERT_TRUE(seen.insert(m.directives).second) << m.directives;
      context.history.push_back(
          {"round-01/b" + std::to_string(branch++), context.parent.id, ideas[0], m.label, m.notes, "WRONG", "", 0});
    }
  }
  // The parent is round 0, so the catalogue alone answers, and it comes to an end.
  EXPECT_GT(seen.size(), 20u);
  EXPECT_TRUE(ask(context, 1).empty());
}

TEST(Builtin, RefinesAndCombinesWhatWon) {
  ProposalContext context = contextOf(matmulFacts("strict-fp32"));
  std::vector<Materialization> first = carryOut(context, {"register-tile", "", ideas::IdeaCategory::Compute}, 1);
  std::vector<Materialization> second = carryOut(context, {"narrow-loads", "", ideas::IdeaCategory::Memory}, 1);
  ASSERT_EQ(first.size() + second.size(), 2u);
  context.history = {{"round-01/b00",
                      "round-00/b00",
                      {"register-tile", "Tiles.", ideas::IdeaCategory::Compute},
                      "",
                      first[0].notes,
                      "PASS",
                      "",
                      300},
                     {"round-01/b01",
                      "round-00/b00",
                      {"narrow-loads", "Narrow.", ideas::IdeaCategory::Memory},
                      "",
                      second[0].notes,
                      "PASS",
                      "",
                      600}};
  context.parent.id = "round-01/b00";
  context.parent.notes = first[0].notes;
  context.parent.timeUs = 300;
  std::set<std::string> keys;
  for (const Idea &idea : ask(context, 100))
    keys.insert(idea.key);
  EXPECT_TRUE(keys.count("refine:0:tile") && keys.count("refine:0:thread_tile"));
  EXPECT_TRUE(keys.count("combine:round-01/b01"));
  for (const Materialization &m : carryOut(context, {"refine:0:tile", "", ideas::IdeaCategory::Parallel}, 100)) {
    // One number moved, the thread tile stayed.
    EXPECT_NE(m.directives.find("thread_tile %d0 [8, 8]"), std::string::npos) << m.directives;
  }
  std::vector<Materialization> combined =
      carryOut(context, {"combine:round-01/b01", "", ideas::IdeaCategory::Memory}, 1);
  ASSERT_EQ(combined.size(), 1u);
  EXPECT_NE(combined[0].directives.find("transform.kgen.vec %d0 2"), std::string::npos);
  EXPECT_NE(combined[0].directives.find("thread_tile"), std::string::npos);
}

TEST(Builtin, ListensToTheDiagnosisAndToVerdicts) {
  ProposalContext context = contextOf(matmulFacts("strict-fp32"), "cuda");
  auto rankOf = [&](const char *key) {
    std::vector<Idea> ideas = ask(context, 100);
    for (size_t i = 0; i < ideas.size(); ++i)
      if (ideas[i].key == key)
        return int(i);
    return 1000;
  };
  int before = rankOf("resident-blocks");
  context.parent.diagnosis = "low occupancy: 200 registers";
  EXPECT_LT(rankOf("resident-blocks"), before);
  int neutral = rankOf("register-tile");
  for (int i = 0; i < 2; ++i)
    context.history.push_back({"round-01/b0" + std::to_string(i),
                               "round-00/b00",
                               {"register-tile", "", ideas::IdeaCategory::Compute},
                               "",
                               "",
                               "REJECT",
                               "spills",
                               0});
  EXPECT_GT(rankOf("register-tile"), neutral);
}

TEST(Builtin, EachIdeaSetsWhatAVariantTakes) {
  for (const ideas::CatalogueEntry &entry : ideas::getCatalogue())
    for (const auto &texts : {entry.hostVariants, entry.cudaVariants})
      for (const char *text : texts)
        for (const char *family : entry.families) {
          schedule::Settings settings;
          for (auto [key, value] : parseSettings(text)) {
            if (size_t at = value.find("$N"); at != std::string::npos)
              value.replace(at, 2, "64");
            if (key[0] == '-')
              EXPECT_NE(schedule::findKey(llvm::StringRef(key).drop_front()), nullptr) << entry.key << ": " << key;
            else
              settings[key] = schedule::parseValue(value);
          }
          EXPECT_EQ(schedule::findFault(family, settings), "") << entry.key << ": " << text;
        }
}

TEST(Builtin, StartsAfreshFromAForeignParent) {
  ProposalContext context = contextOf(convReluPoolFacts());
  context.parent.notes = "written by a model";
  EXPECT_FALSE(ask(context, 4).empty());
  // One that can be read, about another graph.
  context.parent.notes = R"({"fusion": 1, "dispatches": [{"name": "a", "family": "conv", "anchor": 70,
    "ops": [70, 71], "settings": {"tile": "[1, 1, 1]"}}]})";
  std::vector<Idea> ideas = ask(context, 40);
  EXPECT_FALSE(ideas.empty());
  for (const Idea &idea : ideas)
    carryOut(context, idea, 4);
}

} // namespace
