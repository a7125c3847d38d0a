//===- LaunchPlanTest.cpp - Plans, and what is wrong with them ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Candidate/PlanCheck.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace kgen;
using namespace kgen::candidate;

static const char *goodPlan = R"json({"version": 1, "problem": "p", "arch": "sm_90a", "precision": "tf32",
 "inputs": [{"name": "x", "dtype": "f32", "shape": [4, 8], "init": "uniform(0, 1)"}],
 "outputs": [{"name": "out0", "dtype": "f16", "shape": [4]}],
 "workspace": [{"name": "ws0", "bytes": 64}],
 "launches": [{"kernel": "k", "grid": [4], "block": [32, 2], "shared_bytes": 128,
   "args": [{"buffer": "in0"}, {"buffer": "out0"}, {"buffer": "ws0", "offset": 16}, {"i32": -5}, {"i64": 7}, {"f32": 0.5}]}]})json";

TEST(LaunchPlan, PrintsWhatItParsed) {
  auto plan = LaunchPlan::parse(goodPlan);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->launches[0].grid[0], 4);
  EXPECT_EQ(plan->launches[0].block[1], 2);
  EXPECT_EQ(std::get<BufferRef>(plan->launches[0].arguments[2]).offset, 16);
  EXPECT_EQ(std::get<int64_t>(plan->launches[0].arguments[4]), 7);
  EXPECT_EQ(plan->compulsoryBytes(), 4 * 8 * 4 + 4 * 2);
  std::string text = plan->print();
  auto again = LaunchPlan::parse(text);
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(again->print(), text);
}

static std::string errorOf(const std::string &text) {
  auto plan = LaunchPlan::parse(text);
  if (plan)
    return "";
  return llvm::toString(plan.takeError());
}

static std::string replaced(const char *what, const char *with) {
  std::string text = goodPlan;
  text.replace(text.find(what), strlen(what), with);
  return text;
}

TEST(LaunchPlan, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(errorOf(replaced("\"grid\": [4]", "\"grid\": [0]")),
            "plan.json: launches[0].grid[0] is 0, expected 1 to 2147483647");
  EXPECT_EQ(errorOf(replaced("[32, 2]", "[1024, 2]")),
            "plan.json: launches[0].block has 2048 threads, expected at most 1024");
  EXPECT_EQ(errorOf(replaced("\"shared_bytes\": 128", "\"shared_bytes\": 1048576")),
            "plan.json: launches[0].shared_bytes is 1048576, expected 0 to 232448");
  EXPECT_EQ(errorOf(replaced("\"out0\"}, {\"buffer\": \"ws0\"", "\"out7\"}, {\"buffer\": \"ws0\"")),
            "plan.json: launches[0].args[1].buffer is 'out7', but the plan has 1 of these");
  EXPECT_EQ(errorOf(replaced("\"offset\": 16", "\"offset\": 64")),
            "plan.json: launches[0].args[2].offset is 64, expected 0 to 63");
  EXPECT_EQ(errorOf(replaced("\"kernel\": \"k\"", "\"kernel\": \"k; rm\"")),
            "plan.json: launches[0].kernel is not a C identifier");
  EXPECT_EQ(errorOf(replaced("[4, 8]", "[1000000000, 1000000000]")),
            "plan.json: inputs[0].shape has more than 2^40 elements");
  EXPECT_NE(errorOf("{").find("plan.json: not valid JSON"), std::string::npos);
  EXPECT_EQ(errorOf("[]"), "plan.json: is not an object");
}

/// goodPlan with a tensor map in the place of the last argument.
static std::string withMap(const std::string &map) {
  std::string text = goodPlan;
  const char *last = "{\"f32\": 0.5}";
  return text.replace(text.find(last), strlen(last), "{\"tensor_map\": " + map + "}");
}

TEST(LaunchPlan, HoldsTensorMaps) {
  auto plan =
      LaunchPlan::parse(withMap(R"({"buffer": "in0", "offset": 32, "dtype": "f32", "dims": [8, 3], "strides": [32],
                                            "box": [8, 2], "swizzle": "32B", "l2": "128B"})"));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  auto &map = std::get<TensorMapSpec>(plan->launches[0].arguments[5]);
  EXPECT_EQ(map.buffer.offset, 32);
  EXPECT_EQ(map.swizzle, 32);
  EXPECT_EQ(map.l2, 128);
  EXPECT_EQ(parameterBytes(plan->launches[0].arguments[5]), 128u);
  auto again = LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(again->print(), plan->print());
}

TEST(LaunchPlan, SaysWhatIsWrittenInPlace) {
  const char *text = R"json({"version": 1, "problem": "p", "arch": "sm_90a", "precision": "tf32",
 "inputs": [{"name": "c", "dtype": "f32", "shape": [4, 8]}, {"name": "x", "dtype": "f32", "shape": [8], "read_bytes": 4}],
 "outputs": [{"name": "out0", "dtype": "f32", "shape": [4, 8], "updates": 0}, {"name": "out1", "dtype": "f32", "shape": [8]}],
 "workspace": [],
 "launches": [{"kernel": "k", "grid": [4], "block": [32], "args": [{"buffer": "in1"}, {"buffer": "out0"}, {"buffer": "out1"}]}]})json";
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->outputs[0].updates, 0);
  EXPECT_EQ(plan->outputs[1].updates, -1);
  EXPECT_EQ(plan->writtenBytes(), 8 * 4); // of out1 alone
  EXPECT_EQ(plan->compulsoryBytes(), 4 * 8 * 4 + 4 + 8 * 4);
  auto again = LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(again->print(), plan->print());
  auto wrong = [&](const char *what, const char *with) {
    std::string other = text;
    other.replace(other.find(what), strlen(what), with);
    return errorOf(other);
  };
  EXPECT_EQ(wrong("\"updates\": 0", "\"updates\": 2"), "plan.json: outputs[0].updates is 2, but the plan has 2 inputs");
  EXPECT_EQ(wrong("\"updates\": 0", "\"updates\": -1"), "plan.json: outputs[0].updates is -1, expected 0 to 65535");
  EXPECT_EQ(wrong("\"updates\": 0", "\"updates\": 1"),
            "plan.json: outputs[0].updates is 1, an input of another type or shape");
  EXPECT_EQ(wrong("\"shape\": [8]}],\n \"workspace\"", "\"shape\": [4, 8], \"updates\": 0}],\n \"workspace\""),
            "plan.json: outputs[1].updates is 0, and so is outputs[0].updates");
  EXPECT_EQ(wrong("\"read_bytes\": 4", "\"updates\": 0"), "plan.json: inputs[1].updates is nothing that a plan has");
  EXPECT_EQ(wrong("{\"buffer\": \"in1\"}", "{\"buffer\": \"in0\", \"offset\": 4}"),
            "plan.json: launches[0] uses in0, which is written in place: out0 holds it");
}

TEST(LaunchPlan, RoundsF32ThatIsCopiedAsTf32) {
  auto plan = LaunchPlan::parse(withMap(
      R"({"buffer": "in0", "dtype": "tf32", "dims": [8, 4], "strides": [32], "box": [8, 2], "swizzle": "32B"})"));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  auto &map = std::get<TensorMapSpec>(plan->launches[0].arguments[5]);
  EXPECT_EQ(map.dtype, DType::F32);
  EXPECT_TRUE(map.roundsToTf32);
  EXPECT_NE(plan->print().find("\"tf32\""), std::string::npos);
}

TEST(LaunchPlan, NamesWhatATensorMapCannotBe) {
  const std::string place = "plan.json: launches[0].args[5].tensor_map";
  auto mapError = [](const char *rest) { return errorOf(withMap(std::string("{\"buffer\": \"in0\", ") + rest + "}")); };
  EXPECT_EQ(mapError(R"("dtype": "fp32", "dims": [8, 4], "strides": [32], "box": [8, 2])"),
            place + ".dtype is 'fp32', expected f64, f32, tf32, f16, bf16, i64, i32, i8 or i1");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 4], "strides": [20], "box": [8, 2])"),
            place + ".strides[0] is 20, expected a multiple of 16");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 5], "strides": [32], "box": [8, 2])"),
            place + " ends at byte 160 of its buffer, which has 128");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 4], "strides": [32], "box": [8, 257])"),
            place + ".box[1] is 257, expected 1 to 256");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 4], "strides": [32], "box": [16, 4], "swizzle": "32B")"),
            place + ".box[0] makes rows of 64 bytes, the swizzle spans 32");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 4], "strides": [32], "box": [3, 4])"),
            place + ".box[0] makes rows of 12 bytes, expected a multiple of 16");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [1, 1, 1, 1, 1, 1], "box": [8])"),
            place + ".dims has 6 entries, expected at most 5");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8, 4], "strides": [32], "box": [8])"),
            place + ".box has 1 entries, expected at least 2");
  EXPECT_EQ(mapError(R"("offset": 8, "dtype": "f32", "dims": [8], "box": [8])"),
            place + ".offset is 8, expected a multiple of 16");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [8], "box": [8], "swizzle": "16B")"),
            place + ".swizzle is '16B', expected none or 32B or 64B or 128B");
  EXPECT_EQ(mapError(R"("dtype": "f32", "dims": [9223372036854775807], "box": [8])"),
            place + ".dims[0] is 9223372036854775807, expected 1 to 4294967296");
  EXPECT_EQ(errorOf(withMap("7")), place + " is not an object");
}

TEST(LaunchPlan, ChecksClustersAndCooperation) {
  EXPECT_EQ(errorOf(replaced("\"grid\": [4]", "\"grid\": [4], \"cluster\": [3]")),
            "plan.json: launches[0].grid[0] is 4, expected a multiple of the cluster's 3");
  EXPECT_EQ(errorOf(replaced("\"grid\": [4]", "\"grid\": [4], \"cooperative\": 1")),
            "plan.json: launches[0].cooperative is not true or false");
  auto plan = LaunchPlan::parse(replaced("\"grid\": [4]", "\"grid\": [4], \"cluster\": [2], \"cooperative\": true"));
  ASSERT_TRUE(bool(plan));
  EXPECT_TRUE(plan->launches[0].cooperative);
  auto again = LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again));
  EXPECT_TRUE(again->launches[0].cooperative);
  EXPECT_EQ(again->launches[0].cluster[0], 2);
}

TEST(LaunchPlan, SaysOneThingOnce) {
  auto refused = [](std::string from, const std::string &to) {
    std::string text = R"json({"version": 1, "problem": "p", "arch": "sm_90a", "precision": "tf32",
      "inputs": [], "outputs": [{"name": "o", "dtype": "f32", "shape": [1]}], "workspace": [{"name": "w", "bytes": 4}],
      "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "out0"}, {"i32": 1}]}]})json";
    llvm::cantFail(LaunchPlan::parse(text).takeError());
    text.replace(text.find(from), from.size(), to);
    auto plan = LaunchPlan::parse(text);
    return plan ? "accepted" : llvm::toString(plan.takeError());
  };
  EXPECT_EQ(refused("\"tf32\"", "\"tf32\", \"precision\": \"bf16\""),
            "plan.json: has the key \"precision\" twice in one object");
  EXPECT_EQ(refused("{\"i32\": 1}", "{\"i32\": 1, \"i64\": 2}"),
            "plan.json: launches[0].args[1] has 2 members, expected one of buffer, i32, i64, f32, tensor_map");
  EXPECT_EQ(refused("\"out0\"", "\"out0\", \"i32\": 3"),
            "plan.json: launches[0].args[0].i32 is nothing that a plan has");
  EXPECT_EQ(refused("\"bytes\": 4", "\"bytes\": 4, \"keep\": true"),
            "plan.json: workspace[0].keep is nothing that a plan has");
  EXPECT_EQ(refused("[1]}]", "[1], \"zero\": 1}]"), "plan.json: outputs[0].zero is nothing that a plan has");
  EXPECT_EQ(refused("{\"i32\": 1}", std::string(40, '[') + std::string(40, ']')),
            "plan.json: nests deeper than 32 levels");
  // As a float it would be infinite, and no plan that is printed could say so.
  EXPECT_EQ(refused("{\"i32\": 1}", "{\"f32\": 1e300}"), "plan.json: launches[0].args[1].f32 is larger than any float");
  EXPECT_EQ(refused("{\"i32\": 1}", "{\"f32\": \"\x1b[2J\xff\"}").find('\x1b'), std::string::npos);
}

/// Took minutes where the parser looked at the whole list again for each of its objects.
TEST(LaunchPlan, IsReadInLinearTime) {
  std::string many = "[{}", members = "{\"a\": 1";
  for (int i = 0; i < 500000; ++i) {
    many += ",{}";
    members += ",\"" + std::to_string(i) + "\":1";
  }
  EXPECT_EQ(llvm::toString(LaunchPlan::parse(many + "]").takeError()), "plan.json: is not an object");
  EXPECT_EQ(llvm::toString(LaunchPlan::parse(members + "}").takeError()),
            "plan.json: has an object of more than 64 members");
  EXPECT_EQ(llvm::toString(LaunchPlan::parse(std::string(65 << 20, ' ')).takeError()),
            "plan.json: has 68157440 bytes, at most 67108864 are allowed");
}

TEST(PlanCheck, APlanIsAboutItsGraph) {
  LaunchPlan right;
  right.precision = "tf32";
  right.inputs = {{"x", DType::F32, {4, 8}}, {"w", DType::F32, {8}}};
  right.outputs = {{"out0", DType::F32, {4}}};
  LaunchPlan plan = right;
  plan.inputs[0].name = "other";
  EXPECT_EQ(findPlanFault(plan, right), "");
  plan.inputs[0].init = "integer(0, 0)"; // zeros are right on zeros
  EXPECT_NE(findPlanFault(plan, right), "");
  plan = right, plan.inputs[1].parameter = true; // weights are spared some inputs
  EXPECT_NE(findPlanFault(plan, right), "");
  plan = right, plan.outputs[0].shape = {2};
  EXPECT_EQ(findPlanFault(plan, right), "plan.json has outputs f32[2]; expected f32[4]; ");
  plan = right, plan.precision = "bf16";
  EXPECT_EQ(findPlanFault(plan, right), "plan.json claims precision class bf16, expected tf32");
}

TEST(LaunchPlan, UnknownMembersAreRefused) {
  auto plan = LaunchPlan::parse(R"json({"version": 1, "problem": "p", "arch": "sm_90a", "precision": "tf32",
    "inputs": [], "outputs": [{"name": "o", "dtype": "f32", "shape": [1]}], "options": "-I/etc",
    "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": []}]})json");
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(llvm::toString(plan.takeError()), "plan.json: options is nothing that a plan has");
}
