//===- MlirGraphCompilerTest.cpp - The boundary of the halves ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Graph/GraphCompiler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace kgen;
using testing::HasSubstr;

namespace {

constexpr const char *graphText = R"(
func.func @f(%x: tensor<64x32xf32> {kgen.small = tensor<4x32xf32>}, %w: tensor<16x32xf32>) -> tensor<64x16xf32> {
  %0 = aten.linear %x, %w : (tensor<64x32xf32>, tensor<16x32xf32>) -> tensor<64x16xf32>
  %1 = aten.relu %0 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}
)";

template <typename T>
std::string errorOf(llvm::Expected<T> result) {
  if (result)
    return "";
  return llvm::toString(result.takeError());
}

class MlirGraphCompilerTest : public testing::Test {
protected:
  std::unique_ptr<graph::GraphCompiler> compiler = graph::createMlirGraphCompiler();
  Chip chip;
};

TEST_F(MlirGraphCompilerTest, CanonicalTextIsAFixedPoint) {
  auto once = compiler->canonicalize(graphText, false);
  ASSERT_TRUE(bool(once));
  auto twice = compiler->canonicalize(*once, false);
  ASSERT_TRUE(bool(twice));
  EXPECT_EQ(*once, *twice);
}

TEST_F(MlirGraphCompilerTest, SmallSizeReachesEveryType) {
  auto small = compiler->canonicalize(graphText, true);
  ASSERT_TRUE(bool(small));
  EXPECT_THAT(*small, HasSubstr("-> tensor<4x16xf32>"));
  EXPECT_THAT(*small, testing::Not(HasSubstr("64x")));
}

TEST_F(MlirGraphCompilerTest, ErrorsAreOneSentenceWithAPlace) {
  EXPECT_THAT(errorOf(compiler->canonicalize("func.func @f(", false)), testing::StartsWith("graph.mlir:1:13: "));
  EXPECT_EQ(errorOf(compiler->canonicalize("", false)), "graph.mlir: expected one function in the graph, found none");
  std::string unknown = errorOf(compiler->facts("func.func @f() {\n  aten.nothing\n  return\n}"));
  EXPECT_THAT(unknown, HasSubstr("graph.mlir:2:3: "));
  EXPECT_THAT(unknown, testing::Not(HasSubstr("\n")));
  EXPECT_THAT(errorOf(compiler->facts("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : "
                                      "tensor<?xf32>\n}")),
              HasSubstr("expected arguments and results of static tensor type, found 'tensor<?xf32>'"));
  EXPECT_THAT(errorOf(compiler->facts("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = math.exp %x : "
                                      "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}")),
              HasSubstr("graph.mlir:2:8: expected a graph of aten ops, found math.exp"));
}

TEST_F(MlirGraphCompilerTest, HostileGraphsAreErrors) {
  const std::string many(100000, '['), function = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : "
                                                  "tensor<4xf32>\n}";
  // The parser's stack would end the process.
  EXPECT_EQ(errorOf(compiler->canonicalize("module attributes {\n a = " + many, false)),
            "graph.mlir:2:1: nests deeper than 256 brackets");
  EXPECT_EQ(
      errorOf(compiler->canonicalize("module {kgen.source @s arch \"sm_90a\" \"int x;\"\n" + function + "}", false)),
      "graph.mlir:1:9: expected one function in the graph, found kgen.source");
  std::string huge = function;
  for (size_t at; (at = huge.find("<4x")) != std::string::npos;)
    huge.replace(at, 3, "<4294967296x4294967296x");
  EXPECT_THAT(errorOf(compiler->facts(huge)), HasSubstr("expected tensors of at most 2^50 elements, found"));
  // Brackets in strings and comments are none.
  EXPECT_TRUE(bool(compiler->canonicalize("// " + many + "\n" + function, false)));
}

TEST_F(MlirGraphCompilerTest, Facts) {
  auto facts = compiler->facts(graphText);
  ASSERT_TRUE(bool(facts));
  EXPECT_EQ(facts->name, "f");
  EXPECT_EQ(facts->precision, "tf32");
  ASSERT_EQ(facts->inputs.size(), 2u);
  EXPECT_EQ(facts->inputs[0].dtype, "f32");
  EXPECT_EQ(facts->inputs[1].shape, (std::vector<int64_t>{16, 32}));
  ASSERT_EQ(facts->ops.size(), 2u);
  EXPECT_EQ(facts->ops[0].name, "aten.linear");
  EXPECT_EQ(facts->ops[0].users, std::vector<int>{1});
  EXPECT_EQ(facts->ops[0].family, "gemm");
  EXPECT_EQ(facts->ops[1].family, "pointwise");
  EXPECT_EQ(facts->ops[0].work.m, 64);
  EXPECT_EQ(facts->ops[0].work.n, 16);
  EXPECT_EQ(facts->ops[0].work.k, 32);
  EXPECT_EQ(facts->ops[0].flops, 2.0 * 64 * 32 * 16);
  EXPECT_EQ(facts->flops, 2.0 * 64 * 32 * 16 + 64 * 16);
  EXPECT_EQ(facts->compulsoryBytes, 4.0 * (64 * 32 + 16 * 32 + 64 * 16));
}

TEST_F(MlirGraphCompilerTest, FactsPrintAttributes) {
  auto facts = compiler->facts("func.func @f(%x: tensor<2x4x9x9xf32>) -> tensor<2x4x4x4xf32> {\n"
                               "  %0 = aten.max_pool2d %x kernel [3, 3] stride [2, 2] : (tensor<2x4x9x9xf32>) -> "
                               "tensor<2x4x4x4xf32>\n  return %0 : tensor<2x4x4x4xf32>\n}");
  ASSERT_TRUE(bool(facts));
  EXPECT_EQ(facts->ops[0].attributes.at("stride"), "[2, 2]");
  EXPECT_EQ(facts->precision, "strict-fp32");
}

/// "family: op, op" of each group, the anchor's name in capitals.
static std::string groupsOf(graph::GraphCompiler &compiler, const std::string &signature, const std::string &body,
                            graph::Fusion fusion) {
  auto facts = compiler.facts("func.func @f(" + signature + " {\n" + body + "}");
  if (!facts)
    return llvm::toString(facts.takeError());
  std::string text;
  for (const graph::GroupFact &group : facts->getGroups(fusion)) {
    text += (text.empty() ? "" : "; ") + group.family + ":";
    for (int op : group.ops) {
      llvm::StringRef name = llvm::StringRef(facts->ops[op].name).split('.').second.split('.').first;
      text += " " + (op == group.anchor ? name.upper() : name.str());
    }
  }
  return text;
}

TEST_F(MlirGraphCompilerTest, GroupsFollowFusion) {
  const std::string signature = "%x: tensor<2x3x32x32xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x15x15xf32>";
  const std::string body =
      "  %0 = aten.conv2d %x, %w : (tensor<2x3x32x32xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x30x30xf32>\n"
      "  %1 = aten.relu %0 : (tensor<2x8x30x30xf32>) -> tensor<2x8x30x30xf32>\n"
      "  %2 = aten.max_pool2d %1 kernel [2, 2] stride [2, 2] : (tensor<2x8x30x30xf32>) -> tensor<2x8x15x15xf32>\n"
      "  return %2 : tensor<2x8x15x15xf32>\n";
  EXPECT_EQ(groupsOf(*compiler, signature, body, graph::Fusion::None),
            "conv: CONV2D; pointwise: RELU; pool: MAX_POOL2D");
  EXPECT_EQ(groupsOf(*compiler, signature, body, graph::Fusion::Epilogue), "conv: CONV2D relu; pool: MAX_POOL2D");
  EXPECT_EQ(groupsOf(*compiler, signature, body, graph::Fusion::Pool), "conv: CONV2D relu max_pool2d");
}

TEST_F(MlirGraphCompilerTest, PoolsOfWindowsApartTakeWhatIsInFront) {
  const std::string x = "tensor<2x3x12x12xf32>";
  auto pooled = [&](const std::string &stride, const std::string &result) {
    return groupsOf(*compiler, "%x: " + x + ") -> " + result,
                    "  %0 = aten.abs %x : (" + x + ") -> " + x + "\n  %1 = aten.max_pool2d %0 kernel [3, 3] stride " +
                        stride + " : (" + x + ") -> " + result + "\n  return %1 : " + result + "\n",
                    graph::Fusion::Epilogue);
  };
  EXPECT_EQ(pooled("[3, 3]", "tensor<2x3x4x4xf32>"), "pool: abs MAX_POOL2D");
  EXPECT_EQ(pooled("[4, 3]", "tensor<2x3x3x4xf32>"), "pool: abs MAX_POOL2D");
  EXPECT_EQ(pooled("[3, 2]", "tensor<2x3x4x5xf32>"), "pointwise: ABS; pool: MAX_POOL2D");
}

TEST_F(MlirGraphCompilerTest, ReductionsJoinConvolutions) {
  const std::string conv = "tensor<2x64x30x30xf32>", one = "tensor<2x1x30x30xf32>";
  const std::string signature = "%x: tensor<2x16x32x32xf32>, %w: tensor<64x16x3x3xf32>) -> tensor<2x1x1x30xf32>";
  const std::string body = "  %0 = aten.conv2d %x, %w : (tensor<2x16x32x32xf32>, tensor<64x16x3x3xf32>) -> " + conv +
                           "\n" + "  %1, %2 = aten.min.dim %0 dim 1 keepdim true : (" + conv + ") -> (" + one +
                           ", tensor<2x1x30x30xi64>)\n" + "  %3 = aten.sum.dim_IntList %1 dim [2] keepdim true : (" +
                           one + ") -> tensor<2x1x1x30xf32>\n" + "  return %3 : tensor<2x1x1x30xf32>\n";
  EXPECT_EQ(groupsOf(*compiler, signature, body, graph::Fusion::Epilogue), "conv: CONV2D; row: MIN; row: SUM");
  EXPECT_EQ(groupsOf(*compiler, signature, body, graph::Fusion::Pool), "conv: CONV2D min; row: SUM");
}

TEST_F(MlirGraphCompilerTest, GroupsLeaveOneResult) {
  const std::string t = "tensor<64x64xf32>", unary = " : (" + t + ") -> " + t + "\n",
                    binary = " : (" + t + ", " + t + ") -> " + t + "\n", in = "%x: " + t + ", %w: " + t + ") -> ";
  // Branches that meet again join; a value that the graph returns ends a group.
  EXPECT_EQ(groupsOf(*compiler, in + t,
                     "  %0 = aten.linear %x, %w" + binary + "  %1 = aten.sigmoid %0" + unary +
                         "  %2 = aten.mul.Tensor %0, %1" + binary + "  return %2 : " + t + "\n",
                     graph::Fusion::Epilogue),
            "gemm: LINEAR sigmoid mul");
  EXPECT_EQ(groupsOf(*compiler, in + "(" + t + ", " + t + ")",
                     "  %0 = aten.linear %x, %w" + binary + "  %1 = aten.sigmoid %0" + unary +
                         "  return %0, %1 : " + t + ", " + t + "\n",
                     graph::Fusion::Epilogue),
            "gemm: LINEAR; pointwise: SIGMOID");
  // Rows read each element once, so that what is in front joins, unless something else needs it.
  const std::string one = "tensor<64xf32>", front = "  %0 = aten.abs %x" + unary + "  %1 = aten.mul.Tensor %0, %w" +
                                                    binary + "  %2 = aten.sum.dim_IntList %1 dim [1] : (" + t +
                                                    ") -> " + one + "\n";
  EXPECT_EQ(groupsOf(*compiler, in + one, front + "  return %2 : " + one + "\n", graph::Fusion::Epilogue),
            "row: abs mul SUM");
  EXPECT_EQ(groupsOf(*compiler, in + "(" + t + ", " + one + ")", front + "  return %0, %2 : " + t + ", " + one + "\n",
                     graph::Fusion::Epilogue),
            "row: mul SUM; pointwise: ABS");
}

TEST_F(MlirGraphCompilerTest, GroupsAreWhatFamiliesTake) {
  const std::string t = "tensor<64x64xf32>", row = "tensor<64xf32>", in = "%x: " + t + ") -> ";
  auto alone = [&](const std::string &op, const std::string &from, const std::string &to) {
    return groupsOf(*compiler, "%x: " + from + ") -> " + to,
                    "  %0 = " + op + " : (" + from + ") -> " + to + "\n  return %0 : " + to + "\n",
                    graph::Fusion::Epilogue);
  };
  EXPECT_EQ(alone("aten.linalg_vector_norm %x ord 3.0 dim [1]", t, row), "");
  EXPECT_EQ(alone("aten.linalg_vector_norm %x ord 2.0 dim [1]", t, row), "row: LINALG_VECTOR_NORM");
  EXPECT_EQ(alone("aten.prod.dim_int %x dim 1", t, row), "");
  EXPECT_EQ(alone("aten.argmin %x dim 1", "tensor<64x64xi64>", "tensor<64xi64>"), "");
  EXPECT_EQ(alone("aten.mean.dim %x dim [0, 2]", "tensor<8x64x8xf32>", row), "");
  EXPECT_EQ(alone("aten.relu %x", "tensor<64x64xf64>", "tensor<64x64xf64>"), "");
  // A neighbour that the family cannot take stays outside: here, one that does not broadcast along the rows.
  EXPECT_EQ(groupsOf(*compiler, in + t,
                     "  %0 = aten.sum.dim_IntList %x dim [1] : (" + t + ") -> " + row + "\n  %1 = aten.relu %0 : (" +
                         row + ") -> " + row + "\n  %2 = aten.add.Tensor %x, %1 : (" + t + ", " + row + ") -> " + t +
                         "\n  return %2 : " + t + "\n",
                     graph::Fusion::Epilogue),
            "row: SUM relu; pointwise: ADD");
}

TEST_F(MlirGraphCompilerTest, CutsANetworkIntoTasks) {
  auto partition = compiler->partition(R"(
func.func @net(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %v: tensor<32x32xf32>) -> (tensor<8x8x32xf32>, tensor<64x32xf32>) {
  %0 = aten.linear %x, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %1 = aten.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = aten.linear %1, %v : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %3 = aten.relu %2 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %4 = aten.reshape %3 shape [8, 8, 32] : (tensor<64x32xf32>) -> tensor<8x8x32xf32>
  return %4, %1 : tensor<8x8x32xf32>, tensor<64x32xf32>
}
)");
  ASSERT_TRUE(bool(partition)) << llvm::toString(partition.takeError());
  ASSERT_EQ(partition->tasks.size(), 1u);
  EXPECT_EQ(partition->tasks[0].name, "00-linear");
  EXPECT_EQ(partition->tasks[0].count, 2);
  EXPECT_EQ(partition->tasks[0].flops, 2.0 * 64 * 32 * 32 + 64 * 32);
  EXPECT_THAT(partition->tasks[0].graph, HasSubstr("kgen.precision = \"tf32\""));
  ASSERT_EQ(partition->steps.size(), 2u);
  EXPECT_EQ(partition->steps[0].reads, (std::vector<int>{0, 1}));
  EXPECT_EQ(partition->steps[1].reads, (std::vector<int>{3, 2}));
  EXPECT_EQ(partition->results, (std::vector<int>{4, 3})); // a reshape is the same memory
  // A task is a graph that the compiler takes.
  EXPECT_EQ(errorOf(compiler->lowerGeneric(partition->tasks[0].graph, chip)), "");
}

TEST_F(MlirGraphCompilerTest, CutsNothingWhoseResultsAreNoTasks) {
  const std::string head = "func.func @net(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
                           "  %0 = aten.relu %x : (tensor<4xf32>) -> tensor<4xf32>\n";
  EXPECT_THAT(errorOf(compiler->partition(head + "  return %0, %x : tensor<4xf32>, tensor<4xf32>\n}")),
              HasSubstr("expected results that a task computes, found an argument of the graph"));
  EXPECT_THAT(errorOf(compiler->partition(head + "  return %0, %0 : tensor<4xf32>, tensor<4xf32>\n}")),
              HasSubstr("expected different results, found one twice"));
}

TEST_F(MlirGraphCompilerTest, GenericLoweringIsDeterministic) {
  auto first = compiler->lowerGeneric(graphText, chip), second = compiler->lowerGeneric(graphText, chip);
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  ASSERT_TRUE(bool(second));
  EXPECT_EQ(first->lowered, second->lowered);
  EXPECT_EQ(first->cuda, second->cuda);
  EXPECT_EQ(first->plan, second->plan);
  EXPECT_THAT(first->annotated, testing::Not(HasSubstr("kgen.dispatch")));
  auto plan = candidate::LaunchPlan::parse(first->plan);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->precision, "tf32");
  EXPECT_EQ(plan->arch, "sm_90a");
  for (const candidate::Launch &launch : plan->launches)
    EXPECT_THAT(first->cuda, HasSubstr(launch.kernel + "("));
}

TEST_F(MlirGraphCompilerTest, DirectivesReachTheLaunch) {
  auto result = compiler->lowerWithDirectives(graphText,
                                              "%d = transform.kgen.select \"aten.linear\" in %f\n"
                                              "transform.kgen.fuse %d consumers all\n"
                                              "transform.kgen.tile %d [32, 16, 32]\n",
                                              "one kernel", "compute", chip);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_THAT(result->annotated, HasSubstr("idea(#kgen.idea<\"one kernel\", category = compute>)"));
  EXPECT_THAT(result->annotated, HasSubstr("tile = [32, 16, 32]"));
  auto plan = candidate::LaunchPlan::parse(result->plan);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->launches.size(), 1u);
}

TEST_F(MlirGraphCompilerTest, DirectiveErrorsNameTheScriptLine) {
  EXPECT_THAT(errorOf(compiler->lowerWithDirectives(graphText,
                                                    "%d = transform.kgen.select \"aten.linear\" in %f\n"
                                                    "transform.kgen.pipeline %d stages = 99\n",
                                                    "", "", chip)),
              testing::StartsWith("directives.mlir:2:1: 'transform.kgen.pipeline' op schedule key 'stages' expected "
                                  "an integer from 2 to 8, found 99"));
  EXPECT_THAT(errorOf(compiler->lowerWithDirectives(graphText, "", "an idea", "luck", chip)),
              HasSubstr("found 'luck'"));
}

std::string planOf(const std::string &launches, const std::string &output = "[64, 16]") {
  return R"({"version": 1, "problem": "f", "arch": "sm_90a", "precision": "tf32",
    "inputs": [{"name": "x", "dtype": "f32", "shape": [64, 32]}, {"name": "w", "dtype": "f32", "shape": [16, 32]}],
    "outputs": [{"name": "out0", "dtype": "f32", "shape": )" +
         output + R"(}], "workspace": [{"name": "ws0", "bytes": 1024}], "launches": [)" + launches + "]}";
}

constexpr const char *launchK = R"({"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
  "args": [{"buffer": "out0"}, {"buffer": "in0"}, {"i32": 5}, {"buffer": "ws0", "offset": 16}]})";
constexpr const char *kernelK = "extern \"C\" __global__ void k(float *o, const float *x, int n, char *w) {}\n";

TEST_F(MlirGraphCompilerTest, WrapsASource) {
  auto result = compiler->wrapSource(graphText, kernelK, planOf(launchK), chip);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->cuda, kernelK);
  EXPECT_THAT(result->lowered, HasSubstr("kgen.launch @candidate::@k grid [1, 1, 1] block [32, 1, 1] shared 0 "
                                         "scalars [5 : i32] ins(%arg0 : tensor<64x32xf32>)"));
  auto plan = candidate::LaunchPlan::parse(result->plan);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->print(), result->plan);
}

TEST_F(MlirGraphCompilerTest, WrapSourceHoldsThePlanAgainstTheGraph) {
  EXPECT_THAT(errorOf(compiler->wrapSource(graphText, kernelK, planOf(launchK, "[64, 17]"), chip)),
              HasSubstr("plan.json: outputs[0] is f32[64, 17], expected f32[64, 16]"));
  EXPECT_THAT(errorOf(compiler->wrapSource(graphText, kernelK, planOf(""), chip)), HasSubstr("plan.json"));
  EXPECT_THAT(errorOf(compiler->wrapSource(graphText, "void other() {}", planOf(launchK), chip)),
              HasSubstr("expected a kernel k in the text of @candidate, found none"));
  EXPECT_THAT(errorOf(compiler->wrapSource(graphText, kernelK, "{", chip)), HasSubstr("plan.json"));
}

} // namespace
