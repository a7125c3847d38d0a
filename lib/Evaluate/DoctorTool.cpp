//===- DoctorTool.cpp - kgen-eval's answer to kgen-search doctor ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/EvalTool.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Evaluate/Workers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace kgen;
using namespace kgen::evaluate;
namespace json = llvm::json;

/// "answers", or why DEVICE does not.
static std::string ask(const std::string &device) {
  auto evaluator = Evaluator::create(device);
  if (!evaluator)
    return llvm::toString(evaluator.takeError());
  auto runner = device::createProcessRunner();
  KnownAnswer known(device, (*evaluator)->arch(), (*evaluator)->compiler());
  if (llvm::Error error = known.check(*runner))
    return llvm::toString(std::move(error));
  return "answers";
}

int kgen::evaluate::runDoctorProbe(const std::string &what) {
  json::Object answer;
  if (what == "host")
    answer["host"] = ask("host");
  else if (auto card = device::queryCard(0)) {
    answer["card"] = card->name + ", " + card->arch + ", " + std::to_string(card->memoryBytes >> 30) + " GiB";
    answer["cuda"] = ask("cuda:0");
  } else {
    answer["driver"] = llvm::toString(card.takeError());
  }
  llvm::outs() << json::Value(std::move(answer)) << '\n';
  return 0;
}
