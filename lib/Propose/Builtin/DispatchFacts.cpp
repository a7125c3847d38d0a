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

ideas::DispatchFacts lookAt(const PlannedDispatch &dispatch, const SchedulePlan &plan, const ProposalContext &context) {
  ideas::DispatchFacts facts;
  const std::vector<graph::OpFact> &ops = factsOf(plan, context.facts).ops;
  const graph::OpFact &anchor = ops[dispatch.anchor];
  static_cast<graph::WorkFact &>(facts) = anchor.work;
  facts.family = dispatch.family;
  facts.op = anchor.name;
  facts.device = context.device;
  facts.precision = context.precision;
  facts.multiprocessors = context.chip.multiprocessors;
  facts.hopper = context.device == "cuda" && context.chip.isHopper();
  facts.f32 = anchor.operands.empty() || anchor.operands[0].dtype == "f32";
  facts.masked = dispatch.family == "attention" && anchor.operands.size() > 3;
  if (dispatch.family == "attention" && anchor.operands.size() >= 2 && anchor.operands[0].shape.size() >= 2 &&
      anchor.operands[1].shape.size() >= 2) {
    ArrayRef<int64_t> queries = anchor.operands[0].shape, keys = anchor.operands[1].shape;
    facts.heads = productOf(queries.drop_back(2));
    facts.m = queries[queries.size() - 2];
    facts.n = keys[keys.size() - 2];
    facts.k = queries.back();
    auto causal = anchor.attributes.find("is_causal");
    facts.causal = causal != anchor.attributes.end() && causal->second == "true";
  }
  facts.elementwiseFollows = dispatch.ops.size() > 1;
  for (int op : dispatch.ops)
    facts.triangleFollows |= dispatch.family == "gemm" && is_contained({"aten.tril", "aten.triu"}, ops[op].name);
  for (int op : dispatch.ops)
    if (op != dispatch.anchor && dispatch.family == "conv" && ops[op].family == "row") {
      facts.foldFollows = true;
      facts.softmaxFollows |= ops[op].name == "aten.softmax.int";
    } else if (op != dispatch.anchor && ops[op].isWindow) {
      facts.poolFollows = true;
      facts.runningMaximum = ops[op].work.runningMaximum;
      facts.separateWindows = ops[op].work.separateWindows;
      facts.windowDepths = ops[op].work.windowDepths;
    }
  const graph::OpFact &last = ops[dispatch.ops.back()];
  if (!last.results.empty())
    facts.elements = productOf(last.results[0].shape);
  return facts;
}

} // namespace kgen::propose
