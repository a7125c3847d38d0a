//===- OracleEntry.cpp - kgen-oracle-entry --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEENTRYPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

struct OracleEntry : public kgen::oracle::impl::OracleEntryPassBase<OracleEntry> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.setArgAttrs(
            i, builder.getDictionaryAttr(builder.getNamedAttr(bufferization::BufferizationDialect::kWritableAttrName,
                                                              builder.getBoolAttr(false))));
    }
    for (NamedAttribute attr : llvm::to_vector(getOperation()->getAttrs()))
      if (attr.getName().strref().starts_with("kgen."))
        getOperation()->removeAttr(attr.getName());
  }
};

} // namespace
