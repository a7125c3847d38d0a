//===- OracleFiles.cpp - The oracle's answers from and to files ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/GraphTraits.h"
#include "kgen/Oracle/Oracle.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>
#include <iostream>

using namespace kgen;
using namespace kgen::oracle;

static std::string pathOf(llvm::StringRef dir, const char *stem, size_t index) {
  llvm::SmallString<256> path(dir);
  llvm::sys::path::append(path, stem + std::to_string(index) + ".bin");
  return std::string(path);
}

/// Writes VALUES, of eight bytes each, under a temporary name and renames it.
template <typename T>
static llvm::Error writeWhole(const std::string &path, const std::vector<T> &values) {
  static_assert(sizeof(T) == 8);
  std::string temporary = path + ".tmp";
  std::error_code error;
  {
    llvm::raw_fd_ostream os(temporary, error);
    if (!error) {
      os.write(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
      os.close();
      error = os.error();
      os.clear_error();
    }
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (!error)
    return llvm::Error::success();
  llvm::sys::fs::remove(temporary);
  return llvm::createStringError(error, "cannot write %s: %s", path.c_str(), error.message().c_str());
}

llvm::Error kgen::oracle::runOracleOnFiles(Oracle &oracle, llvm::StringRef inDir, llvm::StringRef outDir) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  std::vector<llvm::ArrayRef<double>> inputs;
  for (size_t i = 0; i < oracle.inputs().size(); ++i) {
    std::string path = pathOf(inDir, "in", i);
    // Mapped, so that gigabytes of input are not copied; 8-byte aligned because it starts on a page.
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return llvm::createStringError(file.getError(), "cannot read %s: %s", path.c_str(),
                                     file.getError().message().c_str());
    if (int64_t((*file)->getBufferSize()) != oracle.inputs()[i].elements() * 8)
      return llvm::createStringError("%s holds %zu bytes, expected %" PRId64 " for %" PRId64 " doubles", path.c_str(),
                                     (*file)->getBufferSize(), oracle.inputs()[i].elements() * 8,
                                     oracle.inputs()[i].elements());
    inputs.emplace_back(reinterpret_cast<const double *>((*file)->getBufferStart()), oracle.inputs()[i].elements());
    files.push_back(std::move(*file));
  }
  auto results = oracle.run(inputs);
  if (!results)
    return results.takeError();
  if (std::error_code error = llvm::sys::fs::create_directories(outDir))
    return llvm::createStringError(error, "cannot make folder %s: %s", outDir.str().c_str(), error.message().c_str());
  for (size_t i = 0; i < results->size(); ++i) {
    // First: whoever waits for the answers finds them whole.
    if (!oracle.wide()[i].empty())
      if (auto error = writeWhole(pathOf(outDir, "wide", i), oracle.wide()[i]))
        return error;
    if (auto error = writeWhole(pathOf(outDir, "out", i), (*results)[i]))
      return error;
    (*results)[i] = {}; // gigabytes that nobody reads again
  }
  return llvm::Error::success();
}

llvm::Expected<bool> kgen::oracle::serveOracleJobs(llvm::StringRef graph,
                                                   llvm::function_ref<llvm::Expected<std::unique_ptr<Oracle>>()> make,
                                                   llvm::StringRef list) {
  std::unique_ptr<Oracle> oracle;
  std::ifstream file;
  if (list != "-") {
    file.open(list.str());
    if (!file) {
      llvm::outs() << "error: cannot read " << list << '\n';
      return false;
    }
  }
  std::istream &lines = list == "-" ? std::cin : file;
  bool good = true;
  for (std::string line; std::getline(lines, line);) {
    if (llvm::StringRef request = line; request.consume_front("traits ")) {
      auto traits = describeTraits(graph, request);
      good &= bool(traits);
      llvm::outs() << (traits ? *traits : "error: " + toString(traits.takeError())) << '\n';
      llvm::outs().flush();
      continue;
    }
    if (line == "flops") {
      auto flops = countFlops(graph);
      good &= bool(flops);
      llvm::outs() << (flops ? llvm::formatv("{0:e6}", *flops).str() : "error: " + toString(flops.takeError())) << '\n';
      llvm::outs().flush();
      continue;
    }
    auto [inDir, outDir] = llvm::StringRef(line).split('\t');
    if (inDir.empty())
      continue;
    if (!oracle) {
      auto made = make();
      if (!made)
        return made.takeError();
      oracle = std::move(*made);
    }
    llvm::Error error = outDir.empty() ? llvm::createStringError("a job is IN_DIR<tab>OUT_DIR, found '" + line + "'")
                                       : runOracleOnFiles(*oracle, inDir, outDir);
    if (error) {
      good = false;
      llvm::outs() << "error: " << toString(std::move(error)) << '\n';
    } else {
      llvm::outs() << "ok\n";
    }
    llvm::outs().flush();
  }
  return good;
}
