//===- CudaEmitter.cpp - Level 3 as kernel.cu -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Target/Cuda/CudaEmitter.h"

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/CudaTemplate.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;

namespace kgen::target {
namespace {

/// The sources' texts, taken apart into what can be shared and what cannot.
class TranslationUnit {
public:
  void add(StringRef text);
  void print(llvm::raw_ostream &os) const;

private:
  std::set<std::string> includes;
  llvm::StringSet<> guarded; ///< whole `#ifndef KGEN_... #endif` blocks that stand in `body`
  bool needsDeviceHeader = false, needsHopperHeader = false;
  std::string body;
};

} // namespace

void TranslationUnit::add(StringRef text) {
  if (!body.empty())
    body += "\n";
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    StringRef include = line.trim();
    if (include.consume_front("#include")) {
      include = include.trim();
      if (include.contains("kgen_device.cuh"))
        needsDeviceHeader = true;
      else if (include.contains("kgen_hopper.cuh"))
        needsDeviceHeader = needsHopperHeader = true;
      else
        includes.insert(include.str());
      text = rest;
      continue;
    }
    // A helper that the emitter put under a guard of its own. Nested conditions are left alone.
    if (line.starts_with("#ifndef KGEN_")) {
      size_t end = text.find("\n#endif");
      StringRef block = text.take_front(end == StringRef::npos ? end : end + 7);
      if (end != StringRef::npos && block.count("\n#if") == 0) {
        if (guarded.insert(block).second)
          body += (block + "\n").str();
        text = text.drop_front(block.size());
        text.consume_front("\n");
        continue;
      }
    }
    body += (line + "\n").str();
    text = rest;
  }
}

void TranslationUnit::print(llvm::raw_ostream &os) const {
  for (const std::string &include : includes)
    os << "#include " << include << "\n";
  if (!includes.empty())
    os << "\n";
  if (needsDeviceHeader)
    os << kernels::deviceHeader() << "\n";
  if (needsHopperHeader)
    os << kernels::hopperHeader() << "\n";
  os << body;
}

LogicalResult emitCuda(ModuleOp module, llvm::raw_ostream &os) {
  llvm::SetVector<StringAttr> order;
  module.walk([&](LaunchOp launch) { order.insert(launch.getSourceName()); });
  // A source that nothing launches is still part of the snapshot.
  for (SourceOp source : module.getOps<SourceOp>())
    order.insert(source.getSymNameAttr());
  if (order.empty())
    return module.emitError("expected a lowered module, found no kgen.source");

  SymbolTable symbols(module);
  TranslationUnit unit;
  for (StringAttr name : order) {
    auto source = symbols.lookup<SourceOp>(name);
    if (!source)
      return module.emitError("launches @") << name.getValue() << ", which is not a kgen.source";
    unit.add(source.getText());
  }
  unit.print(os);
  return success();
}

} // namespace kgen::target
