//===- Plan.h - A launch plan, as the runtime reads it ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/LaunchBranches.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen::runtime {

enum class Space { Input, Output, Workspace, Prepared };

/// A buffer's base plus OFFSET bytes.
struct Pointer {
  Space space;
  size_t index, offset;
};

/// How boxes of a buffer travel; see TensorMapSpec in kgen/Candidate/LaunchPlan.h.
struct TensorMap {
  Pointer base;
  std::string dtype;
  std::vector<uint64_t> dims, strides; ///< elements; bytes, of dimension 1 and on
  std::vector<uint32_t> box;           ///< elements
  int swizzle = 0, l2 = 0;             ///< bytes
};

/// One kernel argument.
struct Argument {
  enum class Kind { Pointer, Scalar, Map } kind;
  Pointer pointer{};
  std::array<unsigned char, 8> scalar{}; ///< the value's bytes
  TensorMap map{};
};

struct Launch {
  std::string kernel;
  size_t module = 0; ///< which image has it
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  unsigned sharedBytes = 0;
  bool cooperative = false;
  std::vector<Argument> arguments;
};

struct Plan {
  std::vector<size_t> inputs, outputs; ///< bytes
  std::vector<int> updates;            ///< by output: the input that it is, written in place; -1: none
  std::vector<size_t> workspace;       ///< the offset of each piece in its block
  std::vector<bool> isPrepared;        ///< by piece: in the block of what is prepared
  size_t workspaceBytes = 0, preparedBytes = 0;
  size_t prepareLaunches = 0; ///< the first of LAUNCHES
  std::vector<Launch> launches;
  /// Of a network: what each launch of a run uses, those that prepare left out.
  std::vector<std::vector<Access>> accesses;
  unsigned memories = 0; ///< how many of them ACCESSES has
};

/// A file of machine code.
struct Image {
  std::string path;
  size_t bytes = 0;
};

/// What bundle.json says.
struct Bundle {
  bool host = false;
  std::string arch;
  std::vector<Image> images; ///< one, or one for each module of the plan
  Plan plan;
};

/// The bundle in FOLDER. Throws std::runtime_error with one sentence.
Bundle readBundle(const std::string &folder);

} // namespace kgen::runtime
