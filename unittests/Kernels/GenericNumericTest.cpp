//===- GenericNumericTest.cpp - Generic kernels against PyTorch's fp64 ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every aten op at small odd sizes, through AtenToLinalg and the generic path to
// CUDA-C, run on device host: in fp64, where an index that is off by one or a
// formula that differs shows at once, and in the graph's own types.
//
//===----------------------------------------------------------------------===//
#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Device/Device.h"
#include "kgen/InitAll.h"
#include "kgen/Judge/Inputs.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Oracle/OracleCases.h"
#include "kgen/Oracle/OracleLowering.h"
#include "kgen/Target/Cuda/CudaEmitter.h"
#include "kgen/Toolchain/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace kgen;
using namespace kgen::kernels;

namespace {

/// One case in one precision: its plan, and which kernels of the common file it launches.
struct Lowered {
  const oracle::OracleCase *test;
  bool promoted;
  std::string name;
  candidate::LaunchPlan plan;
};

class GenericKernels : public testing::Test {
protected:
  GenericKernels() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// Lowers TEST; its kernels' names start with NAME. Fails the test on any diagnostic.
  void lower(const oracle::OracleCase &test, const std::string &name, bool promote, bool wideTiles = false);
  void run(const Lowered &lowered, const std::string &artifact);
  /// Lowers all CASES in both precisions, or in fp64 by wide tiles alone, compiles once and runs each.
  void check(const std::vector<oracle::OracleCase> &cases, bool wideTiles = false);

  mlir::MLIRContext context;
  oracle::OracleResult result = oracle::OracleResult::Answers; ///< what the kernels compute, and the cases expect
  std::vector<Lowered> lowered;
  std::string source;
};

void GenericKernels::lower(const oracle::OracleCase &test, const std::string &name, bool promote, bool wideTiles) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(test.graph, &context);
  ASSERT_TRUE(module);
  for (auto function : module->getOps<mlir::func::FuncOp>())
    function.setName(name);
  mlir::PassManager pm(&context);
  if (promote)
    pm.addPass(oracle::createPromoteF64Pass());
  pm.addPass(conversion::createConvertAtenToLinalgPass());
  if (result == oracle::OracleResult::Magnitudes)
    pm.addPass(oracle::createMagnitudesPass());
  LowerGenericOptions options;
  if (wideTiles)
    options.wideTiles = 1;
  pm.addPass(createLowerGeneric(options));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  std::string plan;
  llvm::raw_string_ostream sourceStream(source), planStream(plan);
  ASSERT_TRUE(succeeded(target::emitCuda(*module, sourceStream)));
  ASSERT_TRUE(succeeded(target::emitPlan(*module, "strict-fp32", planStream)));
  auto parsed = candidate::LaunchPlan::parse(plan);
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError()) << plan;
  lowered.push_back({&test, promote, name, std::move(*parsed)});
}

/// Rounds VALUE into element I of BYTES.
void store(candidate::DType type, char *bytes, size_t i, double value) {
  auto put = [&](auto typed) { memcpy(bytes + i * sizeof typed, &typed, sizeof typed); };
  switch (type) {
  case candidate::DType::F64:
    return put(value);
  case candidate::DType::F32:
    return put(float(value));
  case candidate::DType::F16:
    return put(judge::toHalf(float(value)));
  case candidate::DType::BF16:
    return put(judge::toBFloat16(float(value)));
  case candidate::DType::I64:
    return put(int64_t(value));
  case candidate::DType::I32:
    return put(int32_t(value));
  case candidate::DType::I8:
    return put(int8_t(value));
  case candidate::DType::I1:
    return put(uint8_t(value != 0));
  }
}

void GenericKernels::run(const Lowered &lowered, const std::string &artifact) {
  const oracle::OracleCase &test = *lowered.test;
  SCOPED_TRACE(test.name + (lowered.promoted ? " in fp64, kernels " : ", kernels ") + lowered.name);
  const candidate::LaunchPlan &plan = lowered.plan;
  std::unique_ptr<device::Device> device = device::createHostDevice();
  auto error = device->load(artifact, plan);
  ASSERT_FALSE(bool(error)) << toString(std::move(error));

  std::vector<device::DeviceAddress> inputs, outputs, workspace;
  for (auto [which, spec] : llvm::enumerate(plan.inputs)) {
    std::vector<char> bytes(spec.bytes());
    for (auto [i, value] : llvm::enumerate(oracle::oracleCaseInput(test.inputKinds[which], which, spec.elements())))
      store(spec.dtype, bytes.data(), i, value);
    inputs.push_back(cantFail(device->allocate(bytes.size() + 8)));
    cantFail(device->write(inputs.back(), bytes.data(), bytes.size()));
  }
  // Nothing that a kernel does not write may look like an answer.
  auto poisoned = [&](size_t bytes) {
    device::DeviceAddress address = cantFail(device->allocate(bytes + 8));
    cantFail(device->fill(address, {device::poisonSeed(3, 0xC0DE0000), 0, 0}, (bytes + 3) / 4 * 4)); // NaN
    return address;
  };
  for (const candidate::BufferSpec &spec : plan.outputs)
    outputs.push_back(poisoned(spec.bytes()));
  for (const candidate::WorkspaceSpec &spec : plan.workspace)
    workspace.push_back(poisoned(spec.bytes));

  for (auto [index, launch] : llvm::enumerate(plan.launches)) {
    std::vector<device::DeviceAddress> pointers;
    for (const candidate::LaunchArgument &argument : launch.arguments) {
      auto ref = std::get<candidate::BufferRef>(argument);
      auto &buffers = ref.kind == candidate::BufferKind::Input    ? inputs
                      : ref.kind == candidate::BufferKind::Output ? outputs
                                                                  : workspace;
      pointers.push_back(buffers[ref.index] + ref.offset);
    }
    std::vector<void *> values;
    for (device::DeviceAddress &pointer : pointers)
      values.push_back(&pointer);
    auto failed = device->launch(index, values, /*descending=*/index % 2 == 1, /*poison=*/true);
    ASSERT_FALSE(bool(failed)) << toString(std::move(failed));
  }

  ASSERT_EQ(plan.outputs.size(), test.expected.size());
  for (size_t r = 0; r < plan.outputs.size(); ++r) {
    const candidate::BufferSpec &spec = plan.outputs[r];
    std::vector<char> bytes(spec.bytes());
    std::vector<double> actual(spec.elements());
    cantFail(device->read(bytes.data(), outputs[r], bytes.size()));
    judge::widen(spec.dtype, bytes.data(), actual.data(), spec.elements());
    ASSERT_EQ(actual.size(), test.expected[r].size());
    // The kernels' own accumulation order, and in the graph's types their rounding.
    bool narrow = spec.dtype == candidate::DType::F16 || spec.dtype == candidate::DType::BF16;
    double tolerance = std::max(test.tolerance, lowered.promoted ? 1e-11 : narrow ? 2e-2 : 2e-3);
    for (size_t i = 0; i < actual.size(); ++i)
      if (!oracle::agreesWithCase(actual[i], test.expected[r][i], tolerance)) {
        ADD_FAILURE() << "result " << r << " element " << i << ": expected " << test.expected[r][i] << ", found "
                      << actual[i];
        return;
      }
  }
}

void GenericKernels::check(const std::vector<oracle::OracleCase> &cases, bool wideTiles) {
  auto compiler = toolchain::createHostCompiler();
  if (!compiler)
    GTEST_SKIP() << toString(compiler.takeError());
  for (auto [i, test] : llvm::enumerate(cases)) {
    SCOPED_TRACE(test.name);
    lower(test, "case" + std::to_string(i) + "_f64", /*promote=*/true, wideTiles);
    if (!wideTiles)
      lower(test, "case" + std::to_string(i) + "_own", /*promote=*/false);
  }
  ASSERT_EQ(lowered.size(), (wideTiles ? 1 : 2) * cases.size());

  // One compilation for the whole file: starting g++ costs more than a kernel.
  toolchain::CompileOptions options;
  options.wallSeconds = 600;
  auto compiled = (*compiler)->compile(source, options);
  ASSERT_TRUE(bool(compiled)) << toString(compiled.takeError());
  auto *failure = std::get_if<toolchain::CompileFailed>(&*compiled);
  ASSERT_FALSE(failure) << failure->reason << failure->log;
  for (const Lowered &one : lowered)
    run(one, std::get<toolchain::Compiled>(*compiled).artifact);
}

/// Adds the graph of SIGNATURE and BODY with the oracle's answers, or what else it has for RESULT.
void addCase(std::vector<oracle::OracleCase> &cases, llvm::StringRef kinds, llvm::StringRef signature,
             llvm::StringRef body, oracle::OracleResult result = oracle::OracleResult::Answers) {
  oracle::OracleCase test;
  test.name = body.split(" : ").first.str();
  test.graph = ("func.func @f" + signature + " {\n" + body + "\n}\n").str();
  for (llvm::StringRef kind : llvm::split(kinds, ' '))
    test.inputKinds.push_back(kind.str());
  auto oracle = oracle::Oracle::create(test.graph, int64_t(1) << 30, "graph", result);
  ASSERT_TRUE(bool(oracle)) << toString(oracle.takeError()) << test.graph;
  std::vector<std::vector<double>> inputs;
  for (auto [which, tensor] : llvm::enumerate((*oracle)->inputs()))
    inputs.push_back(oracle::oracleCaseInput(test.inputKinds[which], which, tensor.elements()));
  auto answers = (*oracle)->run(std::vector<llvm::ArrayRef<double>>(inputs.begin(), inputs.end()));
  ASSERT_TRUE(bool(answers)) << toString(answers.takeError());
  test.expected = *answers;
  cases.push_back(std::move(test));
}

class GenericNumeric : public GenericKernels, public testing::WithParamInterface<const char *> {};

TEST_P(GenericNumeric, AgreesWithPyTorch) {
  std::string path = std::string(KGEN_NUMERIC_CASES) + "/numeric-" + GetParam() + ".mlir";
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(file) << path;
  std::vector<oracle::OracleCase> cases = oracle::parseOracleCases((*file)->getBuffer());
  ASSERT_GT(cases.size(), 5u);
  check(cases);
}

/// Large enough that warps and blocks share an output; the answers are the oracle's, which the small
/// cases hold against PyTorch.
TEST_F(GenericKernels, MappingsAgreeWithTheOracle) {
  std::vector<oracle::OracleCase> cases;
  auto add = [&](llvm::StringRef kinds, llvm::StringRef signature, llvm::StringRef body) {
    addCase(cases, kinds, signature, body);
  };
  // Warps: rows of 64 to 1023 elements, a number of rows that leaves the last block part empty.
  add("uniform", "(%x: tensor<13x70xf32>) -> tensor<13xf32>",
      "%0 = aten.sum.dim_IntList %x dim [1] : (tensor<13x70xf32>) -> tensor<13xf32>\n"
      "return %0 : tensor<13xf32>");
  add("uniform", "(%x: tensor<3x5x131xf32>) -> tensor<3x5x131xf32>",
      "%0 = aten.softmax.int %x dim -1 : (tensor<3x5x131xf32>) -> tensor<3x5x131xf32>\n"
      "return %0 : tensor<3x5x131xf32>");
  add("special", "(%x: tensor<1x201xf32>) -> tensor<1xf32>",
      "%0 = aten.amax %x dim [1] : (tensor<1x201xf32>) -> tensor<1xf32>\nreturn %0 : tensor<1xf32>");
  add("integer", "(%x: tensor<9x77xi64>) -> tensor<9xi64>",
      "%0 = aten.amin %x dim [1] : (tensor<9x77xi64>) -> tensor<9xi64>\nreturn %0 : tensor<9xi64>");
  // Blocks: long rows, few outputs, reduced dimensions that are no neighbours, everything.
  add("uniform", "(%x: tensor<5x1037xf32>) -> tensor<5x1037xf32>",
      "%0 = aten.softmax.int %x dim -1 : (tensor<5x1037xf32>) -> tensor<5x1037xf32>\n"
      "return %0 : tensor<5x1037xf32>");
  add("uniform", "(%x: tensor<3x301x2x7xf32>) -> tensor<3x2xf32>",
      "%0 = aten.mean.dim %x dim [1, 3] : (tensor<3x301x2x7xf32>) -> tensor<3x2xf32>\nreturn %0 : tensor<3x2xf32>");
  add("uniform", "(%x: tensor<611x3xf32>) -> tensor<3xf32>",
      "%0 = aten.sum.dim_IntList %x dim [0] : (tensor<611x3xf32>) -> tensor<3xf32>\nreturn %0 : tensor<3xf32>");
  add("uniform", "(%x: tensor<37x1009xf32>) -> tensor<f32>",
      "%0 = aten.sum %x : (tensor<37x1009xf32>) -> tensor<f32>\nreturn %0 : tensor<f32>");
  add("uniform uniform uniform",
      "(%x: tensor<2x3x17x23xf32>, %w: tensor<3x17x23xf32>, %b: tensor<3x17x23xf32>) -> tensor<2x3x17x23xf32>",
      "%0 = aten.layer_norm %x weight %w bias %b normalized_shape [3, 17, 23] : (tensor<2x3x17x23xf32>, "
      "tensor<3x17x23xf32>, tensor<3x17x23xf32>) -> tensor<2x3x17x23xf32>\nreturn %0 : tensor<2x3x17x23xf32>");
  add("uniform uniform", "(%x: tensor<3x1500xf32>, %w: tensor<5x1500xf32>) -> tensor<3x5xf32>",
      "%0 = aten.linear %x, %w : (tensor<3x1500xf32>, tensor<5x1500xf32>) -> tensor<3x5xf32>\n"
      "return %0 : tensor<3x5xf32>");
  add("uniform uniform uniform",
      "(%x: tensor<1x40x9x9xf32>, %w: tensor<2x40x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x5x5xf32>",
      "%0 = aten.conv2d %x, %w, %b stride [2, 2] padding [1, 1] : (tensor<1x40x9x9xf32>, tensor<2x40x3x3xf32>, "
      "tensor<2xf32>) -> tensor<1x2x5x5xf32>\nreturn %0 : tensor<1x2x5x5xf32>");
  // 16-bit and pairs of results.
  add("uniform", "(%x: tensor<3x1030xf16>) -> tensor<3x1030xf16>",
      "%0 = aten.softmax.int %x dim -1 : (tensor<3x1030xf16>) -> tensor<3x1030xf16>\n"
      "return %0 : tensor<3x1030xf16>");
  add("uniform", "(%x: tensor<11x90xbf16>) -> tensor<11xbf16>",
      "%0 = aten.amax %x dim [1] : (tensor<11x90xbf16>) -> tensor<11xbf16>\nreturn %0 : tensor<11xbf16>");
  add("uniform", "(%x: tensor<3x1100xf32>) -> (tensor<3xf32>, tensor<3xi64>)",
      "%0, %1 = aten.max.dim %x dim -1 : (tensor<3x1100xf32>) -> (tensor<3xf32>, tensor<3xi64>)\n"
      "return %0, %1 : tensor<3xf32>, tensor<3xi64>");
  ASSERT_FALSE(HasFatalFailure());
  check(cases);
  // The sizes above are chosen for these.
  EXPECT_NE(source.find("one warp per output"), std::string::npos);
  EXPECT_NE(source.find("one block per output"), std::string::npos);
  EXPECT_NE(source.find("kReduced"), std::string::npos);
  EXPECT_NE(source.find("__launch_bounds__(1024)"), std::string::npos);
}

/// Of every size, as the card's oracle has them at the reduced one: each stride, padding, dilation and group of
/// PyTorch's cases.
TEST_F(GenericKernels, WideTilesAgreeWithPyTorch) {
  auto file = llvm::MemoryBuffer::getFile(std::string(KGEN_NUMERIC_CASES) + "/numeric-convolution.mlir");
  ASSERT_TRUE(file);
  check(oracle::parseOracleCases((*file)->getBuffer()), /*wideTiles=*/true);
  size_t kernels = 0;
  for (size_t at = 0; (at = source.find("wide tile of outputs", at)) != std::string::npos; ++at)
    ++kernels;
  EXPECT_GT(kernels, lowered.size() * 3 / 4);
}

/// More outputs and channels than a tile has, and no whole number of them.
std::vector<oracle::OracleCase> wideCases(oracle::OracleResult result) {
  std::vector<oracle::OracleCase> cases;
  auto add = [&](llvm::StringRef input, llvm::StringRef weight, llvm::StringRef op, llvm::StringRef output) {
    addCase(cases, "uniform uniform",
            ("(%x: tensor<" + input + "xf32>, %w: tensor<" + weight + "xf32>) -> tensor<" + output + "xf32>").str(),
            ("%0 = aten." + op + " : (tensor<" + input + "xf32>, tensor<" + weight + "xf32>) -> tensor<" + output +
             "xf32>\nreturn %0 : tensor<" + output + "xf32>")
                .str(),
            result);
  };
  add("3x19x11x13", "70x19x3x2", "conv2d %x, %w stride [2, 1] padding [2, 1] dilation [1, 2]", "3x70x7x13");
  add("2x34x9x7", "42x17x3x3", "conv2d %x, %w padding [1, 1] groups 2", "2x42x9x7");
  add("2x3x19x23", "17x3x5x4", "conv2d %x, %w stride [3, 2]", "2x17x5x10");
  add("5x21x37", "9x21x4", "conv1d %x, %w padding [3] dilation [2]", "5x9x37");
  add("1x18x5x6x7", "33x18x2x3x3", "conv3d %x, %w stride [1, 2, 1] padding [1, 0, 1]", "1x33x6x2x7");
  add("2x20x9x8", "20x35x3x3", "conv_transpose2d.input %x, %w padding [1, 0]", "2x35x9x10");
  add("2x20x7x6", "20x35x3x3", "conv_transpose2d.input %x, %w stride [2, 3] padding [1, 1] output_padding [1, 2]",
      "2x35x14x18");
  // Dilations that share a factor with the stride leave phases without a tap.
  add("2x18x7x9", "18x5x3x3", "conv_transpose2d.input %x, %w stride [4, 2] padding [0, 3] groups 2 dilation [2, 2]",
      "2x10x29x15");
  add("2x18x9x8", "18x37x1x4", "conv_transpose2d.input %x, %w stride [3, 3] output_padding [2, 0]", "2x37x27x25");
  add("3x17x25", "17x65x5", "conv_transpose1d %x, %w stride [3] padding [6] dilation [2]", "3x65x69");
  add("1x16x3x4x5", "16x34x3x2x4", "conv_transpose3d.input %x, %w stride [2, 1, 2] padding [1, 0, 1]", "1x34x5x5x10");
  add("131x37", "37x70", "mm %x, %w", "131x70");
  add("21x130", "130x300", "mm %x, %w", "21x300");
  return cases;
}

TEST_F(GenericKernels, WideTilesAgreeWithTheOracle) {
  std::vector<oracle::OracleCase> cases = wideCases(result);
  ASSERT_FALSE(HasFatalFailure());
  check(cases, /*wideTiles=*/true);
  for (const char *wide : {"kWide = 16,", "kWide = 32,", "kWide = 64,", "no tap at all"})
    EXPECT_NE(source.find(wide), std::string::npos) << wide;
}

/// Factors that are computed of one operand each, zeros between a transposed convolution's inputs among them.
TEST_F(GenericKernels, WideTilesOfMagnitudesAgreeWithTheOracle) {
  result = oracle::OracleResult::Magnitudes;
  std::vector<oracle::OracleCase> cases = wideCases(result);
  ASSERT_FALSE(HasFatalFailure());
  check(cases, /*wideTiles=*/true);
  EXPECT_NE(source.find("no tap at all"), std::string::npos);
  size_t products = 0;
  for (size_t at = 0; (at = source.find("multiply();\n", at)) != std::string::npos; ++at)
    ++products;
  EXPECT_GT(products, cases.size());
}

/// Ops beside each other: fusion, values with several users, views between kernels, shared workspace.
TEST_F(GenericKernels, GraphsAgreeWithTheOracle) {
  std::vector<oracle::OracleCase> cases;
  auto add = [&](llvm::StringRef kinds, llvm::StringRef signature, llvm::StringRef body) {
    addCase(cases, kinds, signature, body);
  };
  add("uniform uniform uniform",
      "(%x: tensor<2x3x9x7xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<2x20xf32>",
      R"(%0 = aten.conv2d %x, %w, %b stride [1, 1] padding [1, 1] : (tensor<2x3x9x7xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> tensor<2x5x9x7xf32>
         %1 = aten.relu %0 : (tensor<2x5x9x7xf32>) -> tensor<2x5x9x7xf32>
         %2 = aten.max_pool2d %1 kernel [3, 3] stride [4, 4] : (tensor<2x5x9x7xf32>) -> tensor<2x5x2x2xf32>
         %3 = aten.view %2 size [2, 20] : (tensor<2x5x2x2xf32>) -> tensor<2x20xf32>
         return %3 : tensor<2x20xf32>)");
  // A residual: x feeds three ops, one of them through a transpose.
  add("uniform uniform", "(%x: tensor<7x7xf32>, %w: tensor<7x7xf32>) -> (tensor<7x7xf32>, tensor<7xf32>)",
      R"(%0 = aten.transpose.int %x dim0 0 dim1 1 : (tensor<7x7xf32>) -> tensor<7x7xf32>
         %1 = aten.linear %0, %w : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
         %2 = aten.sigmoid %x : (tensor<7x7xf32>) -> tensor<7x7xf32>
         %3 = aten.mul.Tensor %1, %2 : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
         %4 = aten.add.Tensor %3, %x : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
         %5 = aten.sum.dim_IntList %2 dim [0] : (tensor<7x7xf32>) -> tensor<7xf32>
         return %4, %5 : tensor<7x7xf32>, tensor<7xf32>)");
  // Element-wise work between a reshape and a contraction, and after one.
  add("uniform uniform", "(%x: tensor<3x10xf32>, %y: tensor<6x4xf32>) -> tensor<2x10xf32>",
      R"(%0 = aten.tanh %x : (tensor<3x10xf32>) -> tensor<3x10xf32>
         %1 = aten.view %0 size [5, 6] : (tensor<3x10xf32>) -> tensor<5x6xf32>
         %2 = aten.matmul %1, %y : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
         %3 = aten.view %2 size [2, 10] : (tensor<5x4xf32>) -> tensor<2x10xf32>
         %4 = aten.relu %3 : (tensor<2x10xf32>) -> tensor<2x10xf32>
         return %4 : tensor<2x10xf32>)");
  // A transposed and reshaped operand, whose index needs divisions.
  add("uniform", "(%x: tensor<3x4x5xf32>) -> tensor<5x12xf32>",
      R"(%0 = aten.transpose.int %x dim0 0 dim1 2 : (tensor<3x4x5xf32>) -> tensor<5x4x3xf32>
         %1 = aten.view %0 size [5, 12] : (tensor<5x4x3xf32>) -> tensor<5x12xf32>
         %2 = aten.softmax.int %1 dim 0 : (tensor<5x12xf32>) -> tensor<5x12xf32>
         return %2 : tensor<5x12xf32>)");
  add("uniform uniform",
      "(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x7xf32>, tensor<2x3xf32>, tensor<2x7xf32>)",
      R"(%0 = aten.exp %y : (tensor<2x4xf32>) -> tensor<2x4xf32>
         %1 = aten.cat %x, %0 dim 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
         %2 = aten.softmax.int %1 dim -1 : (tensor<2x7xf32>) -> tensor<2x7xf32>
         return %1, %x, %2 : tensor<2x7xf32>, tensor<2x3xf32>, tensor<2x7xf32>)");
  // A chain of contractions: each intermediate tensor takes over the room of the one before the last.
  add("uniform uniform", "(%x: tensor<5x5xf32>, %w: tensor<5x5xf32>) -> tensor<5x5xf32>",
      R"(%0 = aten.matmul %x, %w : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
         %1 = aten.matmul %0, %x : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
         %2 = aten.matmul %1, %0 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
         %3 = aten.matmul %2, %w : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
         %4 = aten.matmul %3, %2 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
         return %4 : tensor<5x5xf32>)");
  ASSERT_FALSE(HasFatalFailure());
  check(cases);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GenericNumeric,
                         testing::Values("attention", "contraction", "convolution", "creation", "index", "logic",
                                         "normalization", "pointwise", "reduction", "shape", "window"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
