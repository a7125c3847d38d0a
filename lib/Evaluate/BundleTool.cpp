//===- BundleTool.cpp - A candidate as a bundle for the runtime -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Device/Device.h"
#include "kgen/Evaluate/EvalTool.h"
#include "kgen/Runtime/Runtime.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

/// DEVICE as a compiler's target: "host", or the architecture of "sm_90a", "cuda:N" or "auto".
static llvm::Expected<std::string> targetOf(llvm::StringRef device) {
  if (device == "host" || device.starts_with("sm_"))
    return device.str();
  int ordinal = 0;
  llvm::StringRef number = device;
  if (device != "auto" && device != "cuda" && (!number.consume_front("cuda:") || number.getAsInteger(10, ordinal)))
    return llvm::createStringError("unknown device %s, expected host, cuda:N, auto or an architecture as sm_90a",
                                   device.str().c_str());
  auto card = device::queryCard(ordinal);
  if (card)
    return card->arch;
  if (device != "auto")
    return card.takeError();
  llvm::consumeError(card.takeError());
  return "host";
}

static llvm::Error writeBundle(const EvalRequest &request, const std::string &out) {
  auto planText = toolchain::readWholeFile(request.folder + "/plan.json", 64u << 20);
  if (!planText)
    return planText.takeError();
  auto cuda = toolchain::readWholeFile(request.folder + "/kernel.cu", 64u << 20);
  if (!cuda)
    return cuda.takeError();
  auto plan = candidate::LaunchPlan::parse(*planText);
  if (!plan)
    return plan.takeError();
  auto target = targetOf(request.device);
  if (!target)
    return target.takeError();
  bool host = *target == "host";
  auto compiler = host ? toolchain::createHostCompiler() : toolchain::createNvrtcCompiler();
  if (!compiler)
    return compiler.takeError();
  toolchain::CompileOptions options;
  options.wallSeconds = request.options.compileSeconds;
  if (!host)
    options.arch = *target;
  auto compiled = (*compiler)->compile(*cuda, options);
  if (!compiled)
    return compiled.takeError();
  if (auto *failed = std::get_if<toolchain::CompileFailed>(&*compiled))
    return llvm::createStringError("%s/kernel.cu does not compile: %s", request.folder.c_str(), failed->reason.c_str());
  auto image = toolchain::readWholeFile(std::get<toolchain::Compiled>(*compiled).artifact);
  if (!image)
    return image.takeError();
  if (std::error_code error = fs::create_directories(out))
    return llvm::createStringError("cannot make %s: %s", out.c_str(), error.message().c_str());
  const char *name = host ? "kernel.so" : "kernel.cubin";
  if (llvm::Error error = toolchain::writeFileAtomically(out + "/" + name, *image))
    return error;
  auto planJson = json::parse(plan->print());
  if (!planJson)
    return planJson.takeError();
  json::Object bundle{{"version", KGEN_RUNTIME_VERSION},       {"device", host ? "host" : "cuda"},
                      {"arch", host ? "" : options.arch},      {"image", name},
                      {"image_bytes", int64_t(image->size())}, {"plan", std::move(*planJson)}};
  // Last: a folder with a bundle.json is whole.
  return toolchain::writeFileAtomically(out + "/bundle.json",
                                        llvm::formatv("{0:2}\n", json::Value(std::move(bundle))).str());
}

int kgen::evaluate::writeBundleFolder(const EvalRequest &request, const std::string &out) {
  if (llvm::Error error = writeBundle(request, out)) {
    llvm::errs() << "kgen-eval: " << candidate::printable(llvm::toString(std::move(error))) << '\n';
    return 2;
  }
  return 0;
}
