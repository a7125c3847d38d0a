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

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

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

/// Compiles FOLDER's files TEXTS, side by side, and writes the machine code of each into OUT, with SUFFIX in the place
/// of ".cu". What a bundle says of each.
static llvm::Expected<std::vector<json::Object>>
writeImages(toolchain::Compiler &compiler, const toolchain::CompileOptions &options, const std::string &folder,
            llvm::ArrayRef<std::string> texts, const std::string &suffix, const std::string &out) {
  std::vector<std::string> sources;
  for (const std::string &text : texts) {
    auto cuda = toolchain::readWholeFile(folder + "/" + text, 64u << 20);
    if (!cuda)
      return cuda.takeError();
    sources.push_back(std::move(*cuda));
  }
  if (std::error_code error = fs::create_directories(out))
    return llvm::createStringError("cannot make %s: %s", out.c_str(), error.message().c_str());
  auto write = [&](const std::string &text, toolchain::CompileResult &compiled) -> llvm::Expected<json::Object> {
    if (auto *failed = std::get_if<toolchain::CompileFailed>(&compiled))
      return llvm::createStringError("%s/%s does not compile: %s", folder.c_str(), text.c_str(),
                                     failed->reason.c_str());
    auto image = toolchain::readWholeFile(std::get<toolchain::Compiled>(compiled).artifact);
    if (!image)
      return image.takeError();
    std::string name = llvm::StringRef(text).drop_back(3).str() + suffix;
    if (llvm::Error error = toolchain::writeFileAtomically(out + "/" + name, *image))
      return std::move(error);
    return json::Object{{"image", name}, {"image_bytes", int64_t(image->size())}};
  };
  std::vector<json::Object> images;
  llvm::Error failure = llvm::Error::success();
  auto results = toolchain::compileAll(compiler, sources, options, std::max(1u, std::thread::hardware_concurrency()));
  for (auto [text, compiled] : llvm::zip_equal(texts, results)) {
    auto image = compiled ? write(text, *compiled) : llvm::Expected<json::Object>(compiled.takeError());
    if (image)
      images.push_back(std::move(*image));
    else
      failure = llvm::joinErrors(std::move(failure), image.takeError());
  }
  if (failure)
    return std::move(failure);
  return std::move(images);
}

static llvm::Error writeBundle(const EvalRequest &request, const std::string &out) {
  auto planText = toolchain::readWholeFile(request.folder + "/plan.json", 64u << 20);
  if (!planText)
    return planText.takeError();
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
  auto planJson = json::parse(plan->print());
  if (!planJson)
    return planJson.takeError();
  const bool writesInPlace =
      llvm::any_of(plan->outputs, [](const candidate::BufferSpec &output) { return output.updates >= 0; });
  // What needs nothing newer older runtimes read as well.
  json::Object bundle{{"version", writesInPlace        ? 3
                                  : plan->prepareSteps ? 2
                                                       : 1},
                      {"device", host ? "host" : "cuda"},
                      {"arch", host ? "" : options.arch},
                      {"plan", std::move(*planJson)}};
  const std::string suffix = host ? ".so" : ".cubin";
  auto images = writeImages(**compiler, options, request.folder,
                            plan->isNetwork() ? plan->modules : std::vector<std::string>{"kernel.cu"}, suffix, out);
  if (!images)
    return images.takeError();
  if (plan->isNetwork()) {
    json::Array list;
    for (json::Object &image : *images)
      list.push_back(std::move(image));
    bundle["images"] = std::move(list);
  } else {
    for (auto &[key, value] : images->front())
      bundle[key] = value;
  }
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
