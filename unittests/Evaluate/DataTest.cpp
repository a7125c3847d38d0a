//===- DataTest.cpp - Plans, measurements, inputs and comparisons ---------===//

#include "kgen/Evaluate/Inputs.h"
#include "kgen/Evaluate/LaunchPlan.h"
#include "kgen/Evaluate/Measurement.h"
#include "kgen/Evaluate/PlanCheck.h"
#include "kgen/Evaluate/Verify.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace kgen;

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

TEST(LaunchPlan, NamesWhatATensorMapCannotBe) {
  const std::string place = "plan.json: launches[0].args[5].tensor_map";
  auto mapError = [](const char *rest) { return errorOf(withMap(std::string("{\"buffer\": \"in0\", ") + rest + "}")); };
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

TEST(Measurement, SurvivesARoundTripWithHostileText) {
  Measurement m;
  m.verdict = Verdict::Wrong;
  m.detail = "kernel printed \xff\xfe";
  m.timeUs = 12.5;
  m.samples = {12, 12.5, 13};
  m.baselines["eager"] = 100;
  m.errors.push_back({"wide#1", {std::numeric_limits<double>::infinity(), 2}});
  m.kernels.push_back({"k", 32, 1024, 0, 0, 0.5, true});
  auto back = Measurement::parse(m.print());
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->verdict, Verdict::Wrong);
  EXPECT_EQ(back->samples, m.samples);
  EXPECT_TRUE(std::isinf(back->errors[0].norms.max));
  EXPECT_TRUE(back->kernels[0].tensorCore);
  EXPECT_FALSE(bool(Measurement::parse("{}")));
  llvm::consumeError(Measurement::parse("{\"verdict\":\"MAYBE\"}").takeError());
}

TEST(Inputs, HalfConversionsRoundTripAndRound) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff))
      continue; // NaN
    EXPECT_EQ(toHalf(fromHalf(uint16_t(bits))), bits);
  }
  EXPECT_EQ(toHalf(1.0f + 0x1p-11f), 0x3c00); // tie to even
  EXPECT_EQ(toHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(toHalf(65519.996f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toBFloat16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(roundTo(RoundTo::TF32, 1 + 0x1p-11 + 0x1p-20), 1 + 0x1p-10);
  EXPECT_EQ(roundTo(RoundTo::TF32, 1 + 0x1p-11), 1.0);
}

TEST(Inputs, AreTheSameHoweverTheyAreSplit) {
  BufferSpec spec;
  spec.name = "x", spec.shape = {300000};
  std::vector<float> one(300000), four(300000);
  InputSet set{InputKind::Declared, 42, 0};
  auto bytes = [](std::vector<float> &v) { return llvm::MutableArrayRef<char>((char *)v.data(), v.size() * 4); };
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(one), 1)));
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(four), 4)));
  EXPECT_EQ(one, four);
  double mean = 0, square = 0;
  for (float v : one)
    mean += v, square += v * v;
  EXPECT_NEAR(mean / 300000, 0, 0.01);
  EXPECT_NEAR(square / 300000, 1, 0.02);
  set.seed = 43;
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(four), 1)));
  EXPECT_NE(one, four);
}

TEST(Inputs, BadInitNamesTheInput) {
  BufferSpec spec;
  spec.name = "w", spec.shape = {1}, spec.init = "cauchy(0, 1)";
  char bytes[4];
  EXPECT_EQ(llvm::toString(fillInput(spec, 0, {}, bytes)),
            "input 'w': init is 'cauchy(0, 1)', expected normal(mean, deviation), uniform(low, high) or "
            "integer(low, high)");
}

TEST(Verify, FindsTheWorstElementAndPlantedNaN) {
  std::vector<float> out{1, 2, 3, 4};
  std::vector<double> ref{1, 2, 3, 4};
  EXPECT_EQ(compareOutput(DType::F32, out.data(), ref.data(), 4).worst, -1);
  out[2] = 5;
  Comparison c = compareOutput(DType::F32, out.data(), ref.data(), 4);
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_NEAR(c.norms.max, 2 / std::sqrt(30.0 / 4), 1e-12);
  out[2] = NAN;
  EXPECT_TRUE(std::isinf(compareOutput(DType::F32, out.data(), ref.data(), 4).norms.max));
  ref[2] = NAN;
  EXPECT_EQ(compareOutput(DType::F32, out.data(), ref.data(), 4).mismatches, 0);
  BufferSpec spec;
  spec.name = "out0", spec.shape = {2, 2};
  EXPECT_EQ(describeElement(spec, 2, 0.25, 0.5), "out0[1,0] is 0.25, expected 0.5");
}

TEST(Verify, ToleranceSitsBetweenTheClasses) {
  ErrorNorms same{1e-3, 3e-4}, low{8e-3, 2.4e-3};
  // A few elements decide the largest error of a fragile set: the norm stays strict, one element gets room.
  ErrorNorms fragile = measuredTolerance({0.45, 0.005}, {1, 1}, DType::F32);
  EXPECT_DOUBLE_EQ(fragile.max, 3.6);
  EXPECT_LT(fragile.l2, 0.08);
  EXPECT_LT(measuredTolerance({0.05, 0.005}, {1, 1}, DType::F32).max, 0.25);
  ErrorNorms tol = measuredTolerance(same, low, DType::F32);
  EXPECT_GT(tol.l2, same.l2);
  EXPECT_LT(tol.l2, low.l2);
  EXPECT_LT(tol.max, low.max);
}

TEST(Measurement, RulesWarningsAndSpeedComeBack) {
  Measurement m;
  m.verdict = Verdict::Pass;
  m.timeUs = 10;
  m.samples = {10};
  m.rules = "kernelbench";
  m.warnings = {"cannot tell zeros"};
  m.inputs = "seed 1F";
  m.spread = 0.25;
  m.before = {1980, 300, 45};
  m.after = {1970, 310, 46};
  m.sanitizer = "memcheck: nothing found";
  m.phases = {{"reference", 1.25}, {"timing", 0.031}};
  m.speed = SpeedComparison{Speed::Fast, 1.2, 1.1, 1.3, 10, 12, 11.9, 15, "round-01/b02"};
  auto back = Measurement::parse(m.print());
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->print(), m.print());
  EXPECT_EQ(back->speed->verdict, Speed::Fast);
  EXPECT_EQ(back->after.powerWatts, 310);
  EXPECT_EQ(back->phases, m.phases);
}

TEST(Measurement, ItsDetailIsShort) {
  Measurement m;
  m.detail = "kernel.cu:1: error: \x1b[31m" + std::string(100000, 'x');
  EXPECT_LT(m.print().size(), 3000u);
  EXPECT_EQ(m.shownDetail().substr(0, 26), "kernel.cu:1: error: ?[31mx");
}

TEST(Measurement, BeatsTheBestOnlyIfItWinsBesideIt) {
  Measurement m;
  m.verdict = Verdict::Pass;
  m.timeUs = 10;
  EXPECT_TRUE(m.beats(0));
  EXPECT_TRUE(m.beats(11));
  EXPECT_FALSE(m.beats(10));
  m.speed = SpeedComparison{};
  m.speed->low = 0.99;
  EXPECT_FALSE(m.beats(11));
  m.speed->low = 1.001;
  EXPECT_TRUE(m.beats(11));
  m.verdict = Verdict::Race;
  EXPECT_FALSE(m.beats(11));
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
  EXPECT_EQ(llvm::toString(LaunchPlan::parse(std::string(17 << 20, ' ')).takeError()),
            "plan.json: has 17825792 bytes, at most 16777216 are allowed");
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
