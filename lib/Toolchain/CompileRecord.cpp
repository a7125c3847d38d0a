//===- CompileRecord.cpp - What the cache keeps beside an artifact --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompileRecord.h"

#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace kgen;
using namespace kgen::toolchain;
namespace json = llvm::json;

std::string kgen::toolchain::firstError(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.contains("error") || line.contains("Error"))
      return line.trim().take_front(400).str();
  return log.ltrim().split('\n').first.take_front(400).str();
}

/// Compiler output may hold any bytes; JSON wants UTF-8.
static std::string utf8(llvm::StringRef text) { return json::isUTF8(text) ? text.str() : json::fixUTF8(text); }

static json::Object countsJson(const candidate::InstructionCounts &counts) {
  json::Object out{{"total", counts.total}};
  for (const auto &[kind, count] : counts.kinds)
    out[kind] = count;
  return out;
}

static candidate::InstructionCounts readCounts(const json::Object *object) {
  candidate::InstructionCounts counts;
  if (object)
    for (const auto &[kind, count] : *object)
      (kind == "total" ? counts.total : counts.kinds[kind.str()]) = int(count.getAsInteger().value_or(0));
  return counts;
}

bool kgen::toolchain::namesPlaceInText(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    // "a.cpp:3:5: error: ..." or "a.cu(3): error: ..."; a fatal one may say that the disk is full.
    llvm::StringRef place = line.split(": error: ").first;
    if (place.size() == line.size())
      continue;
    place.consume_back(")");
    if (!place.empty() && llvm::isDigit(place.back()))
      return true;
  }
  return false;
}

/// Hashes of the files in FOLDER that a compiler left and a caller reads.
static llvm::Expected<json::Object> hashFiles(const std::string &folder, const std::string &artifact) {
  json::Object out;
  for (const std::string &name : {artifact, std::string("kernel.ptx")}) {
    if (name.empty() || !llvm::sys::fs::exists(folder + "/" + name))
      continue;
    auto text = readWholeFile(folder + "/" + name);
    if (!text)
      return text.takeError();
    out[name] = contentKey({*text});
  }
  return std::move(out);
}

/// The record of RESULT, whose files lie in FOLDER: one line of JSON, one line with the hash of it.
static llvm::Expected<std::string> print(const CompileResult &result, const std::string &folder) {
  json::Object object;
  if (auto *failed = std::get_if<CompileFailed>(&result)) {
    object = json::Object{{"ok", false},
                          {"reason", utf8(failed->reason)},
                          {"log", utf8(failed->log)},
                          {"unsupported", failed->unsupported}};
  } else {
    const Compiled &compiled = std::get<Compiled>(result);
    json::Array kernels;
    for (const candidate::KernelResources &k : compiled.kernels)
      kernels.push_back(json::Object{{"kernel", k.kernel},
                                     {"registers", k.registers},
                                     {"shared", k.sharedBytes},
                                     {"stack", k.stackBytes},
                                     {"spills", k.spillBytes},
                                     {"tensor_core", k.tensorCore},
                                     {"code", countsJson(k.code)},
                                     {"loop", countsJson(k.loop)}});
    object = json::Object{{"ok", true},
                          {"artifact", compiled.artifact},
                          {"log", utf8(compiled.log)},
                          {"seconds", compiled.seconds},
                          {"kernels", std::move(kernels)}};
    auto files = hashFiles(folder, compiled.artifact);
    if (!files)
      return files.takeError();
    object["files"] = std::move(*files);
  }
  std::string out;
  llvm::raw_string_ostream(out) << json::Value(std::move(object));
  return out + "\n" + contentKey({out}) + "\n";
}

static llvm::Expected<CompileResult> read(const std::string &folder) {
  auto text = readWholeFile(folder + "/compile.json");
  if (!text)
    return text.takeError();
  auto [record, hash] = llvm::StringRef(*text).split('\n');
  if (hash != contentKey({record}) + "\n")
    return llvm::createStringError("%s/compile.json is not what was written", folder.c_str());
  auto value = json::parse(record);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("%s/compile.json is not an object", folder.c_str());
  auto string = [&](llvm::StringRef key) { return object->getString(key).value_or("").str(); };
  if (!object->getBoolean("ok").value_or(false)) {
    CompileFailed failed;
    failed.reason = string("reason");
    failed.log = string("log");
    failed.unsupported = object->getBoolean("unsupported").value_or(false);
    return CompileResult(failed);
  }
  Compiled compiled;
  // Relative in the record, so that a cache may be moved.
  compiled.artifact = folder + "/" + string("artifact");
  auto there = hashFiles(folder, string("artifact"));
  if (!there)
    return there.takeError();
  const json::Object *written = object->getObject("files");
  if (!written || *written != *there)
    return llvm::createStringError("%s holds other files than were written", folder.c_str());
  compiled.log = string("log");
  compiled.seconds = object->getNumber("seconds").value_or(0);
  if (const json::Array *kernels = object->getArray("kernels"))
    for (const json::Value &entry : *kernels) {
      const json::Object *k = entry.getAsObject();
      if (!k)
        continue;
      candidate::KernelResources resources;
      resources.kernel = k->getString("kernel").value_or("").str();
      resources.registers = int(k->getInteger("registers").value_or(0));
      resources.sharedBytes = int(k->getInteger("shared").value_or(0));
      resources.stackBytes = int(k->getInteger("stack").value_or(0));
      resources.spillBytes = int(k->getInteger("spills").value_or(0));
      resources.tensorCore = k->getBoolean("tensor_core").value_or(false);
      resources.code = readCounts(k->getObject("code"));
      resources.loop = readCounts(k->getObject("loop"));
      compiled.kernels.push_back(resources);
    }
  auto ptx = readWholeFile(folder + "/kernel.ptx");
  if (ptx)
    compiled.ptx = std::move(*ptx);
  else
    llvm::consumeError(ptx.takeError()); // device host has none
  return CompileResult(compiled);
}

/// FILL's result; what is unexplained is tried once more, and then so is PROBE.
static llvm::Expected<CompileResult> compileTwice(const std::string &folder, const CompileStep &fill,
                                                  const CompileStep &probe) {
  auto isUnexplained = [](llvm::Expected<CompileResult> &result) {
    auto *failed = result ? std::get_if<CompileFailed>(&*result) : nullptr;
    return failed && failed->unexplained;
  };
  auto result = fill(folder);
  if (!isUnexplained(result))
    return result;
  result = fill(folder);
  if (!isUnexplained(result))
    return result;
  auto known = probe(folder);
  if (!known)
    return known.takeError();
  // The text's doing then: such a one may want more memory than there is.
  if (std::holds_alternative<Compiled>(*known))
    return result;
  return llvm::createStringError("the compiler does not work here: %s", std::get<CompileFailed>(*known).reason.c_str());
}

llvm::Expected<CompileResult> kgen::toolchain::compileCached(llvm::StringRef key, const CompileStep &fill,
                                                             const CompileStep &probe) {
  ContentCache cache(cacheRoot(), "compile");
  for (bool again = false;; again = true) {
    bool hit = false;
    // What is not kept (a time limit says more of the machine than of the text) comes back this way.
    CompileResult lost = CompileFailed();
    auto folder = cache.get(key, hit, [&](const std::string &at) -> llvm::Expected<bool> {
      auto result = compileTwice(at, fill, probe);
      if (!result)
        return result.takeError();
      auto *failed = std::get_if<CompileFailed>(&*result);
      if (failed && (failed->timedOut || failed->unexplained)) {
        lost = *failed;
        return false;
      }
      auto record = print(*result, at);
      if (!record)
        return record.takeError();
      if (llvm::Error error = writeFileAtomically(at + "/compile.json", *record))
        return std::move(error);
      return true;
    });
    if (!folder)
      return folder.takeError();
    if (folder->empty())
      return lost;
    // Also after a fresh compile: the caller sees the same thing as the next one will.
    auto result = read(*folder);
    if (result) {
      if (auto *compiled = std::get_if<Compiled>(&*result))
        compiled->fromCache = hit;
      return result;
    }
    // A power cut, a bad disk or a stranger: what the cache holds can be made again.
    if (again)
      return result.takeError();
    llvm::consumeError(result.takeError());
    if (llvm::Error error = cache.remove(key))
      return std::move(error);
  }
}
