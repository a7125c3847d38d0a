//===- LaunchPlan.h - What a candidate asks kgen to launch ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate is device code plus this data. kgen owns allocation, launch,
// streams and timing, so host-side cheats cannot be written. The JSON form is
// plan.json (docs/contracts.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kgen::candidate {

/// Element types of buffers. I1 is one byte holding 0 or 1.
enum class DType { F64, F32, F16, BF16, I64, I32, I8, I1 };

/// Bytes of one element.
size_t byteSize(DType type);
/// "f32" and the like; the names of plan.json.
llvm::StringRef dtypeName(DType type);
std::optional<DType> parseDType(llvm::StringRef name);
inline bool isFloat(DType type) { return type <= DType::BF16; }

/// An input or output: row-major and contiguous.
struct BufferSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// How random inputs are drawn: "normal(0, 1)", "uniform(0, 1)", "integer(0, 9)". Inputs only.
  std::string init = "normal(0, 1)";
  /// The argument is a weight of the module rather than an input of forward().
  bool parameter = false;
  /// Of an input that the graph reads in part, by index or as a slice: what any implementation reads. -1: all.
  int64_t readBytes = -1;
  /// Of an output that is an input written in place: that input's number. The output holds the input's bytes when a run
  /// begins, and no launch uses the input itself. -1: none.
  int updates = -1;

  int64_t elements() const;
  size_t bytes() const { return size_t(elements()) * byteSize(dtype); }
  double compulsoryBytes() const { return readBytes < 0 ? double(bytes()) : double(readBytes); }
};

/// A buffer that one launch may use between kernels. Its contents are poisoned, never zeroed.
struct WorkspaceSpec {
  std::string name;
  int64_t bytes = 0;
  /// Of a plan with modules: where it lies in the arena, and the launches from and to which it is in use.
  int64_t offset = 0;
  size_t first = 0, last = 0;
  /// Of a plan that prepares: memory of its own instead, which a prepare step fills and every run reads.
  bool prepared = false;
};

enum class BufferKind { Input, Output, Workspace };

/// A pointer argument: the buffer's base plus OFFSET bytes.
struct BufferRef {
  BufferKind kind = BufferKind::Input;
  unsigned index = 0;
  int64_t offset = 0;
};

/// BYTES of a buffer from its offset on, a multiple of 256; -1: all of it.
struct BufferRange : BufferRef {
  int64_t bytes = -1;
};

/// A tensor map: how boxes of a buffer travel to and from shared memory (kgen::tensor_map, by value).
/// The innermost dimension comes first; what lies outside the dimensions reads as zero.
struct TensorMapSpec {
  BufferRef buffer;
  DType dtype = DType::F16;
  bool roundsToTf32 = false;    ///< of f32 elements: copies to shared memory round to nearest, ties to even; "tf32"
  std::vector<int64_t> dims;    ///< elements, 1 to 5 of them
  std::vector<int64_t> strides; ///< bytes, of dimension 1 and on
  std::vector<int64_t> box;     ///< elements, as many as dims
  int swizzle = 0;              ///< bytes: 0, 32, 64 or 128
  int l2 = 0;                   ///< bytes that a miss brings into L2: 0, 64, 128 or 256

  /// What plan.json says of the elements: dtypeName, or "tf32".
  const char *elementName() const { return roundsToTf32 ? "tf32" : dtypeName(dtype).data(); }
};

/// One kernel argument: a pointer, a scalar passed by value, or a tensor map.
using LaunchArgument = std::variant<BufferRef, int32_t, int64_t, float, TensorMapSpec>;
/// The bytes of the parameter that takes it.
size_t parameterBytes(const LaunchArgument &argument);

struct Launch {
  std::string kernel;  ///< an extern "C" __global__ function of kernel.cu, or of its module's text
  unsigned module = 0; ///< of a plan with modules
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  int64_t sharedBytes = 0;  ///< dynamic shared memory
  bool cooperative = false; ///< all blocks are resident at once, so they may wait for each other
  std::vector<LaunchArgument> arguments;
};

/// A task of a network at its place: so many launches in a row, on these buffers.
struct PlanStep {
  std::string task; ///< "00-conv2d"
  size_t launches = 0;
  std::vector<BufferRange> inputs, outputs; ///< as the task's graph has them
};

/// Version 1 is one kernel.cu, each workspace by itself. Version 2, a network: kernels come from several texts, each
/// compiled by itself, workspaces have lifetimes and share an arena, and the launches are in steps.
struct LaunchPlan {
  std::string problem;
  std::string arch;
  std::string precision; ///< strict-fp32, tf32, bf16 or fp16
  std::vector<BufferSpec> inputs, outputs;
  std::vector<WorkspaceSpec> workspace;
  std::vector<std::string> modules; ///< names of files beside plan.json; empty: version 1
  std::vector<Launch> launches;
  std::vector<PlanStep> steps; ///< of version 2
  /// How many of the first steps are computed when weights change, and not in each run: they read weights and what such
  /// steps wrote, nothing else.
  size_t prepareSteps = 0;

  bool isNetwork() const { return !modules.empty(); }
  /// The bytes of the buffer that REF is of.
  int64_t bytesOf(const BufferRef &ref) const;
  /// The arena of version 2; 0 without workspaces.
  int64_t arenaBytes() const;
  /// The launches of the steps that prepare; those of a run are the others.
  size_t prepareLaunches() const;
  /// The memory that prepared values keep from run to run, each at a multiple of 256.
  int64_t preparedBytes() const;
  /// All memory between kernels: the arena and what is prepared, or every workspace.
  int64_t workspaceBytes() const;

  /// Parses and checks TEXT. The error is one sentence that names the place ("plan.json:
  /// launches[2].grid[0] is 0, expected 1 to 2147483647"). Never throws, whatever TEXT holds.
  static llvm::Expected<LaunchPlan> parse(llvm::StringRef text);
  /// The same for what only has inputs, outputs and a class: there need be no launches.
  static llvm::Expected<LaunchPlan> parseShape(llvm::StringRef text);
  /// The JSON form, deterministic to the byte; parse(print()) is the identity.
  std::string print() const;

  /// Every input read once and every output written once; of those written in place next to nothing is.
  double compulsoryBytes() const;
  /// Of these, what is written.
  double writtenBytes() const;
  /// What all inputs and outputs take.
  double bufferBytes() const;
  /// Of these, what a run does not read, as it is prepared.
  double spareInputBytes() const;
};

/// What is wrong with the lifetimes of PLAN's workspaces: one is used outside of its own, or two that are in use at the
/// same time overlap. "" when nothing is.
std::string findLifetimeFault(const LaunchPlan &plan);

/// What is wrong with the ranges of buffers that PLAN's steps read and write: two steps write a byte, one writes what
/// it reads, or a launch uses a buffer of its step beside the ranges that the step has of it. "" when nothing is.
std::string findRangeFault(const LaunchPlan &plan);

/// What is wrong with PLAN's outputs that are inputs written in place: such an input is none, is of another
/// type or shape, is two outputs, or a launch uses it. "" when nothing is.
std::string findUpdateFault(const LaunchPlan &plan);

/// The one of RANGES that holds what REF points at, in a plan's step; null: none does. Of several the one that reaches
/// farthest.
const BufferRange *findRange(llvm::ArrayRef<BufferRange> ranges, const BufferRef &ref, int64_t bufferBytes);

/// What is wrong with what PLAN prepares: a step that prepares uses what is no weight, something in the arena lives on
/// into the run, or nothing prepares a value. "" when nothing is.
std::string findPrepareFault(const LaunchPlan &plan);

} // namespace kgen::candidate
