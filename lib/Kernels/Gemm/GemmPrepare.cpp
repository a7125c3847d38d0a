//===- GemmPrepare.cpp - fp32 operands as sums of 16-bit matrices ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_prepare.cuh in. Operands that are contiguous along K take one pass;
// the others first look for the largest value of each column. Both operands
// share each launch. For products of tf32, operands are laid out along K.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

constexpr int64_t threads = 256; // of every block

/// One operand's part of the launches.
struct Job {
  StringRef side;
  const GemmOperand &operand;
  int64_t across; ///< rows of A, columns of B
  PreparedOperand &to;
  DispatchBuffer largest; ///< magnitudes of columns, when K is not contiguous
  int64_t quads = 0, slices = 0, blocks = 0;

  int64_t lines() const { return operand.batches * across; }
};

/// Joins the jobs' pieces of one kernel: each gets the blocks behind those of the jobs before it.
class Launch {
public:
  Launch(std::string kernel) : spec{kernel, {0, 1, 1}, {threads, 1, 1}, 0, {}, {}} {}
  void read(std::string parameter, DispatchBuffer buffer) {
    inputs += (inputs.empty() ? "" : ", ") + parameter;
    spec.reads.push_back(buffer);
  }
  void write(std::string parameter, DispatchBuffer buffer) {
    outputs += (outputs.empty() ? "" : ", ") + parameter;
    spec.writes.push_back(buffer);
  }
  /// CALL with {0} for the block's number.
  void add(int64_t blocks, const std::string &call) {
    std::string block = spec.grid[0] ? "block - " + std::to_string(spec.grid[0]) : "block";
    calls.push_back({blocks, llvm::formatv(call.c_str(), block).str()});
    spec.grid[0] += blocks;
  }
  std::string finish(DispatchCode &code) {
    code.launches.push_back(spec);
    std::string text = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + spec.kernel + "(" + inputs +
                       (inputs.empty() || outputs.empty() ? "" : ",\n        ") + outputs +
                       ") {\n  const int block = blockIdx.x;\n";
    if (calls.size() == 2)
      text += "  if (block < " + std::to_string(calls[0].first) + ")\n    " + calls[0].second + "\n  else\n    " +
              calls[1].second + "\n";
    else
      text += "  " + calls[0].second + "\n";
    return text + "}\n";
  }

private:
  LaunchSpec spec;
  std::string inputs, outputs;
  SmallVector<std::pair<int64_t, std::string>> calls;
};

} // namespace

std::string emitArrangement(const Gemm &gemm, StringRef name, bool left, bool right, DispatchCode &code,
                            DispatchBuffer &a, DispatchBuffer &b) {
  std::string prefix = name.str();
  Launch arrange(prefix + "_arrange");
  auto add = [&](StringRef side, const GemmOperand &operand, int64_t across, DispatchBuffer &buffer) {
    int64_t rows = operand.batches * across;
    code.workspaces.push_back(RankedTensorType::get({rows, preparedPitch(gemm.k)}, gemm.elementType));
    DispatchBuffer to = DispatchBuffer::workspace(code.workspaces.size() - 1);
    arrange.read(("const float *__restrict__ " + side).str(), buffer);
    arrange.write(("float *__restrict__ " + side + "_to").str(), to);
    if (operand.kContiguous)
      arrange.add(rows, llvm::formatv("{0}::arrange_rows<{1}>({{0}, {2}, {2}_to);", prefix, gemm.k, side));
    else
      arrange.add(operand.batches * ceilDiv(across, 32) * ceilDiv(gemm.k, 32),
                  llvm::formatv("{0}::arrange_columns<{1}, {2}>({{0}, {3}, {3}_to);", prefix, across, gemm.k, side));
    buffer = to;
  };
  if (left)
    add("a", gemm.a, gemm.m, a);
  if (right)
    add("b", gemm.b, gemm.n, b);
  TemplateFill fill;
  fill.name = prefix;
  fill.sections.insert("arrange");
  fill.replacements["kernels"] = arrange.finish(code);
  return fillTemplate(findCudaTemplate("gemm_prepare.cuh"), fill);
}

std::string emitPreparation(const Gemm &gemm, StringRef name, int64_t parts, Type type, DispatchCode &code,
                            PreparedOperand *a, PreparedOperand &b) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  auto workspace = [&](ArrayRef<int64_t> shape, Type element) {
    code.workspaces.push_back(RankedTensorType::get(shape, element));
    return DispatchBuffer::workspace(code.workspaces.size() - 1);
  };
  SmallVector<Job> jobs;
  if (a)
    jobs.push_back({"a", gemm.a, gemm.m, *a, gemm.a.buffer});
  jobs.push_back({"b", gemm.b, gemm.n, b, gemm.b.buffer});
  // Columns first: what their first pass read last is still in L2 when the second one begins.
  SmallVector<Job *> order = llvm::map_to_vector(jobs, [](Job &job) { return &job; });
  llvm::sort(order, [](Job *x, Job *y) {
    return std::make_pair(x->operand.kContiguous, x->side) < std::make_pair(y->operand.kContiguous, y->side);
  });
  std::string prefix = name.str();
  Launch clear(prefix + "_clear"), find(prefix + "_find"), prepare(prefix + "_prepare");
  bool columns = false;
  for (Job *job : order) {
    std::string side = job->side.str(), largest = side + "_largest";
    int64_t length = job->operand.kContiguous ? gemm.k : job->across;
    int64_t rows = job->operand.batches * (job->operand.kContiguous ? job->across : gemm.k);
    job->to = {workspace({parts, rows, preparedPitch(length)}, type), workspace({job->lines()}, i32)};
    std::string outputs = side + "_to, " + side + "_exponents);";
    if (job->operand.kContiguous) {
      prepare.add(rows, llvm::formatv("{0}::prepare_rows<__half, {1}, {2}, {3}>({{0}, {4}, {5}", prefix, parts, rows,
                                      gemm.k, side, outputs));
    } else {
      columns = true;
      job->largest = workspace({job->lines()}, i32);
      // Narrow matrices: several rows of a block side by side. Some 32 rows of a thread, and not too many blocks.
      int64_t quads = std::min<int64_t>(threads, llvm::PowerOf2Ceil(ceilDiv(job->across, 4)));
      int64_t wide = ceilDiv(job->across, 4 * quads), most = 1024 / (wide * job->operand.batches);
      int64_t slices =
          std::clamp<int64_t>(ceilDiv(gemm.k, 32 * (threads / quads)), 1, std::clamp<int64_t>(most, 1, 512));
      int64_t blocks = wide * slices * job->operand.batches;
      std::string sizes = llvm::formatv("{0}, {1}, {2}, {3}", gemm.k, job->across, quads, slices);
      clear.write("unsigned *__restrict__ " + largest, job->largest);
      clear.add(ceilDiv(job->lines(), threads),
                llvm::formatv("{0}::clear<{1}>({{0}, {2});", prefix, job->lines(), largest));
      find.read("const float *__restrict__ " + side, job->operand.buffer);
      find.write("unsigned *__restrict__ " + largest, job->largest);
      find.add(blocks, llvm::formatv("{0}::find_columns<{1}>({{0}, {2}, {3});", prefix, sizes, side, largest));
      prepare.add(blocks, llvm::formatv("{0}::prepare_columns<__half, {1}, {2}, {3}>({{0}, {4}, {5}, {6}", prefix,
                                        parts, sizes, job->operand.batches, side, largest, outputs));
    }
    prepare.read("const float *__restrict__ " + side, job->operand.buffer);
    if (!job->operand.kContiguous)
      prepare.read("const unsigned *__restrict__ " + largest, job->largest);
    prepare.write("__half *__restrict__ " + side + "_to", job->to.buffer);
    prepare.write("int *__restrict__ " + side + "_exponents", job->to.exponents);
  }
  TemplateFill fill;
  fill.name = prefix;
  fill.sections.insert("shared");
  fill.replacements["kernels"] =
      columns ? clear.finish(code) + find.finish(code) + prepare.finish(code) : prepare.finish(code);
  return fillTemplate(findCudaTemplate("gemm_prepare.cuh"), fill);
}

} // namespace kgen::kernels
