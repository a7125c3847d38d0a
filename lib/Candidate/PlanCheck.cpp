//===- PlanCheck.cpp - Is a plan about the graph that it comes with? ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says how inputs are drawn and what class of precision is claimed. One
// that says something else than the graph could ask for inputs on which zeros
// are right.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/PlanCheck.h"

using namespace kgen;
using namespace kgen::candidate;

static std::string describe(const std::vector<BufferSpec> &buffers, bool drawn) {
  std::string words;
  for (const BufferSpec &buffer : buffers) {
    words += dtypeName(buffer.dtype).str() + "[";
    for (size_t d = 0; d < buffer.shape.size(); ++d)
      words += (d ? "," : "") + std::to_string(buffer.shape[d]);
    words += "]";
    if (drawn)
      words += " " + buffer.init + (buffer.parameter ? " weight" : "");
    if (buffer.updates >= 0)
      words += " in place of in" + std::to_string(buffer.updates);
    words += "; ";
  }
  return words;
}

std::string kgen::candidate::findPlanFault(const LaunchPlan &plan, const LaunchPlan &expected) {
  if (plan.precision != expected.precision)
    return "plan.json claims precision class " + plan.precision + ", expected " + expected.precision;
  std::string found = describe(plan.inputs, true), right = describe(expected.inputs, true);
  if (found != right)
    return "plan.json has inputs " + found + "expected " + right;
  found = describe(plan.outputs, false), right = describe(expected.outputs, false);
  if (found != right)
    return "plan.json has outputs " + found + "expected " + right;
  return "";
}
