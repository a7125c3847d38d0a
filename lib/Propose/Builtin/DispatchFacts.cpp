//===- DispatchFacts.cpp - What the catalogue looks at --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuiltinSession.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;

namespace kgen::propose {

int64_t productOf(ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t(1), std::multiplies<int64_t>());
}

std::vector<int64_t> readIntegers(StringRef text) {
  std::vector<int64_t> values;
  while (!text.empty()) {
    size_t begin = text.find_first_of("-0123456789");
    if (begin == StringRef::npos)
      break;
    text = text.drop_front(begin);
    int64_t value = 0;
    if (text.consumeInteger(10, value)) {
      text = text.drop_front();
      continue;
    }
    values.push_back(value);
  }
  return values;
}

/// The integers of an attribute; none where it is not there.
static std::vector<int64_t> integersOf(const graph::OpFact &op, const char *attribute) {
  auto it = op.attributes.find(attribute);
  return it == op.attributes.end() ? std::vector<int64_t>() : readIntegers(it->second);
}

static bool allOnes(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 1; });
}

/// Whether OP is a maximum over windows, of which two share at most one row.
static bool isRunningMaximum(const graph::OpFact &op) {
  std::vector<int64_t> window = integersOf(op, "kernel_size"), stride = integersOf(op, "stride");
  if (!StringRef(op.name).starts_with("aten.max_pool") || window.empty() || window.size() > 2 ||
      !allOnes(integersOf(op, "dilation")) || window.back() > 32)
    return false;
  if (window.size() == 1)
    return true;
  int64_t rows = window[0], step = stride.empty() ? rows : stride[0];
  return rows == step || rows == step + 1;
}

ideas::DispatchFacts lookAt(const PlannedDispatch &dispatch, const ProposalContext &context) {
  ideas::DispatchFacts facts;
  const graph::OpFact &anchor = context.facts.ops[dispatch.anchor];
  facts.family = dispatch.family;
  facts.op = anchor.name;
  facts.device = context.device;
  facts.precision = context.precision;
  facts.multiprocessors = context.chip.multiprocessors;
  facts.hopper = context.device == "cuda" && context.chip.arch == "sm_90a";
  facts.f32 = anchor.operands.empty() || anchor.operands[0].dtype == "f32";
  facts.elementwiseFollows = dispatch.ops.size() > 1;
  for (int op : dispatch.ops)
    if (op != dispatch.anchor && familyOf(context.facts.ops[op]) == "pool") {
      facts.poolFollows = true;
      facts.runningMaximum = isRunningMaximum(context.facts.ops[op]);
    }
  const graph::OpFact &last = context.facts.ops[dispatch.ops.back()];
  if (!last.results.empty())
    facts.elements = productOf(last.results[0].shape);
  if (anchor.results.empty() || anchor.operands.empty())
    return facts;
  const std::vector<int64_t> &in = anchor.operands[0].shape, &out = anchor.results[0].shape;
  int64_t outElements = productOf(out);
  if (dispatch.family == "conv" && out.size() >= 2 && anchor.operands.size() > 1) {
    const std::vector<int64_t> &weight = anchor.operands[1].shape;
    facts.n = out[1];
    facts.m = facts.n ? outElements / facts.n : 0;
    facts.k = weight.empty() || !weight[0] ? 0 : productOf(weight) / weight[0];
    bool transposed = StringRef(anchor.name).starts_with("aten.conv_transpose");
    facts.channels = in.size() > 1 ? in[1] : 0;
    facts.plainConvolution = !transposed && in.size() <= 4 && allOnes(integersOf(anchor, "groups")) &&
                             allOnes(integersOf(anchor, "dilation"));
  } else if (dispatch.family == "gemm" && !out.empty()) {
    facts.n = out.back();
    facts.m = out.size() > 1 ? out[out.size() - 2] : 1;
    facts.k = in.empty() ? 0 : in.back();
    if (StringRef(anchor.name).starts_with("aten.linear") && facts.n)
      facts.m = outElements / facts.n; // all leading dimensions are rows
  } else if (dispatch.family == "row" && !in.empty()) {
    // What is reduced: the normalised shape, the dim argument, or everything.
    int64_t all = productOf(in), columns = in.back();
    if (auto it = anchor.attributes.find("normalized_shape"); it != anchor.attributes.end())
      columns = productOf(readIntegers(it->second));
    else if (outElements > 0 && outElements < all)
      columns = all / outElements;
    else if (auto it = anchor.attributes.find("dim"); it != anchor.attributes.end())
      if (std::vector<int64_t> dims = readIntegers(it->second); dims.size() == 1) {
        int64_t dim = dims[0] < 0 ? dims[0] + int64_t(in.size()) : dims[0];
        if (dim >= 0 && dim < int64_t(in.size()))
          columns = in[dim];
      }
    facts.columns = columns;
    facts.rows = columns ? all / columns : 0;
  }
  return facts;
}

} // namespace kgen::propose
