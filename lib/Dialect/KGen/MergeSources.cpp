//===- MergeSources.cpp - kgen-merge-sources ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

namespace kgen {
#define GEN_PASS_DEF_MERGESOURCES
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

/// TEXT with every FROM made TO.
std::string replaceAll(StringRef text, StringRef from, StringRef to) {
  SmallVector<StringRef> parts;
  text.split(parts, from);
  return llvm::join(parts, to);
}

struct MergeSources : kgen::impl::MergeSourcesBase<MergeSources> {
  void runOnOperation() override {
    llvm::StringMap<SourceOp> known;
    llvm::StringMap<StringRef> keptName; // by the name of the one that goes
    for (auto source : llvm::make_early_inc_range(getOperation().getOps<SourceOp>())) {
      std::string key = (source.getArch() + "\n").str() + replaceAll(source.getText(), source.getSymName(), "@");
      auto [at, isNew] = known.try_emplace(key, source);
      if (isNew)
        continue;
      keptName[source.getSymName()] = at->second.getSymName();
      source.erase();
    }
    getOperation().walk([&](LaunchOp launch) {
      SymbolRefAttr kernel = launch.getKernel();
      StringRef gone = kernel.getRootReference().getValue();
      auto found = keptName.find(gone);
      if (found == keptName.end())
        return;
      StringRef kept = found->second;
      std::string leaf = replaceAll(kernel.getLeafReference().getValue(), gone, kept);
      launch.setKernelAttr(SymbolRefAttr::get(&getContext(), kept, FlatSymbolRefAttr::get(&getContext(), leaf)));
    });
  }
};

} // namespace
