//===- GraphFacts.h - A graph as data, for who has ideas ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler half tells of a graph. Which family takes an op, what fuses with it and what it works on are asked
// of the families and of transform.kgen.fuse themselves; nobody decides them a second time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kgen::graph {

/// One tensor's element type ("f32") and static shape.
struct TensorFact {
  std::string dtype;
  std::vector<int64_t> shape;
  int updates = -1; ///< of an output that is an input written in place: that input's number
};

/// What an op works on, as its kernel family reads it; 0 where the family has no such number.
struct WorkFact {
  int64_t m = 0, n = 0, k = 0;   ///< of a product; of a convolution as an implicit product
  int64_t channels = 0;          ///< input channels of a convolution
  bool plainConvolution = false; ///< in one or two dimensions, without groups and dilation
  bool denseConvolution = false; ///< in any dimensions and with any dilation, transposed or not, without groups
  /// Of a convolution in one or two dimensions that is not transposed, as many products; of a product of groups of
  /// rows, as many matrices.
  int64_t groups = 1;
  int64_t phaseRows = 1, phaseColumns = 1; ///< of a transposed convolution: its strides along height and width
  /// Of a convolution whose few filters leave room for those of several output depths: input depths that these need,
  /// each of which is as good as a channel.
  int64_t slices = 1;
  bool channelsLast = false;     ///< a convolution of a tensor that lies with its channels last
  bool runningMaximum = false;   ///< a maximum over windows, of which two share at most one row
  bool separateWindows = false;  ///< windows side by side, none of which leaves its input
  int64_t windowDepths = 1;      ///< of a window in three dimensions
  int64_t rows = 0, columns = 0; ///< of a reduction: elements of a row
  int64_t apart = 1;             ///< elements from one of a row to its next; 1: the row is contiguous
  int64_t keyHeads = 0; ///< of an attention: heads of keys that differ, of all batches; heads of queries share them
};

/// One aten op of a graph, in program order.
struct OpFact {
  std::string name;                              ///< "aten.conv2d"
  std::vector<TensorFact> operands, results;     ///< present operands only
  std::map<std::string, std::string> attributes; ///< printed, e.g. stride -> "[4, 4]"
  std::vector<int> users;                        ///< indices of the ops that use a result
  double flops = 0;
  bool isWindow = false; ///< folds sliding windows: a pooling
  std::string family;    ///< the kernel family that computes it by itself; "": the generic path
  WorkFact work;
  bool readInPlace = false; ///< a view that row kernels behind it read as strides
};

/// Ops that become one kernel of FAMILY: what transform.kgen.select and fuse form, and the family accepts.
struct GroupFact {
  std::string family;
  int anchor = 0;       ///< the op that decides the family, an index into GraphFacts::ops
  std::vector<int> ops; ///< all of them, ascending
};

/// How far ops are joined into one kernel.
enum class Fusion {
  None,     ///< one kernel per op
  Epilogue, ///< element-wise ops that follow join the op that they follow
  Pool,     ///< and a pooling, or a reduction over channels or pixels, that follows joins a convolution
};

struct GraphFacts;

/// What a graph becomes by transform.kgen.rewrite.
struct GraphForm {
  std::string rewrite; ///< its name: "reduce_first"
  std::shared_ptr<const GraphFacts> facts;
};

/// What an idea's applicability test may look at.
struct GraphFacts {
  std::string name;      ///< the function's name, without @
  std::string precision; ///< default class: strict-fp32, tf32, bf16, fp16
  std::vector<TensorFact> inputs, outputs;
  std::vector<OpFact> ops;
  double flops = 0;           ///< of the whole graph, or of a form where that has less
  double compulsoryBytes = 0; ///< every input read once, every output written once
  /// By Fusion: the kernels of the graph, in the order in which a script has to form them. Ops in none of them take
  /// the generic path.
  std::array<std::vector<GroupFact>, 3> groups;
  std::vector<GraphForm> forms; ///< by every rewrite that applies; a form has none itself

  const std::vector<GroupFact> &getGroups(Fusion fusion) const { return groups[int(fusion)]; }
  /// The facts of the form that REWRITE makes, the graph's own for ""; null where there is no such form.
  const GraphFacts *findForm(const std::string &rewrite) const {
    if (rewrite.empty())
      return this;
    for (const GraphForm &form : forms)
      if (form.rewrite == rewrite)
        return form.facts.get();
    return nullptr;
  }
};

} // namespace kgen::graph
