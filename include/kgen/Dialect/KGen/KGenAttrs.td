//===- KGenAttrs.td - Attributes of the kgen dialect ---------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_KGEN_KGENATTRS
#define KGEN_DIALECT_KGEN_KGENATTRS

include "mlir/IR/AttrTypeBase.td"
include "kgen/Dialect/KGen/KGenDialect.td"
include "kgen/Dialect/KGen/KGenEnums.td"

class KGen_Attr<string attrName, string attrMnemonic> : AttrDef<KGen_Dialect, attrName> {
  let mnemonic = attrMnemonic;
}

def KGen_IdeaAttr : KGen_Attr<"Idea", "idea"> {
  let summary = "why a dispatch is computed as it is, in words";
  let description = [{
    The text of the idea that a proposer had, and its category.

    ```mlir
    #kgen.idea<"implicit GEMM on tensor cores", category = compute>
    ```
  }];
  let parameters = (ins StringRefParameter<"the idea in words">:$text,
                        EnumParameter<KGen_Category>:$category);
  let assemblyFormat = "`<` $text `,` `category` `=` $category `>`";
  let genVerifyDecl = 1;
}

def KGen_ScheduleAttr : KGen_Attr<"Schedule", "schedule"> {
  let summary = "which kernel family computes a dispatch, and with which parameters";
  let description = [{
    A family word and a dictionary of parameters. `ScheduleKeys.td` is the one
    table of families, their variants and keys, with each key's type and range.
    The verifier asks for a variant of the family that takes all of the keys. A
    key that is absent is the family's choice.

    ```mlir
    #kgen.schedule<family = conv, tile = [128, 96, 32], mma = wmma, stages = 4>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$familyName, "::mlir::DictionaryAttr":$params);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "::mlir::MLIRContext *":$context, "::llvm::StringRef":$family)>
  ];
  let extraClassDeclaration = [{
    /// The family's word, e.g. "conv".
    ::llvm::StringRef getFamily() const { return getFamilyName().getValue(); }
    /// True when KEY was set.
    bool has(::llvm::StringRef key) const { return static_cast<bool>(getParams().get(key)); }
    /// The integer KEY, or FALLBACK when it was not set.
    int64_t getInt(::llvm::StringRef key, int64_t fallback) const;
    /// The integer list KEY; empty when it was not set.
    ::llvm::ArrayRef<int64_t> getInts(::llvm::StringRef key) const;
    /// The word of KEY, where it was set.
    template <typename Word>
    std::optional<Word> getWord(::kgen::schedule::WordKey<Word> key) const {
      std::optional<::llvm::StringRef> word = findWord(key.name);
      if (!word)
        return std::nullopt;
      Word value{};
      ::kgen::schedule::readWord(*word, value);
      return value;
    }
    std::optional<::llvm::StringRef> findWord(::llvm::StringRef key) const;
    /// A schedule like this one with KEY set to VALUE (IntegerAttr, DenseI64ArrayAttr or StringAttr).
    /// The value is not checked; call checkKey first when it comes from outside.
    ScheduleAttr with(::llvm::StringRef key, ::mlir::Attribute value) const;
    ScheduleAttr with(::llvm::StringRef key, int64_t value) const;
    ScheduleAttr with(::llvm::StringRef key, ::llvm::ArrayRef<int64_t> value) const;
    ScheduleAttr with(::llvm::StringRef key, ::llvm::StringRef word) const;
    /// A schedule like this one without KEY.
    ScheduleAttr without(::llvm::StringRef key) const;
    /// A schedule with the same parameters and another family.
    ScheduleAttr withFamily(::llvm::StringRef family) const;
    /// Checks one key and its value against the table; the message names the key, the value
    /// found and the bound.
    static ::llvm::LogicalResult checkKey(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                                          ::llvm::StringRef key, ::mlir::Attribute value);
    /// The keys that are set, as the table's rules take them.
    ::kgen::schedule::Settings getSettings() const;
  }];
}

def KGen_TensorMapAttr : KGen_Attr<"TensorMap", "tensor_map"> {
  let summary = "how boxes of a launch's buffer travel to and from shared memory";
  let description = [{
    A kernel parameter `const __grid_constant__ kgen::tensor_map`. `operand`
    counts the launch's inputs, then its outputs. The innermost dimension comes
    first; `dims` and `box` are in elements, `strides` (of dimension 1 and on)
    in bytes, `swizzle` (0, 32, 64, 128) and `l2` (0, 64, 128, 256) too. The
    first element lies `offset` bytes into the buffer, a multiple of 16. A map
    of `tf32` has f32 elements, which copies to shared memory round.

    ```mlir
    #kgen.tensor_map<operand = 0, dtype = f16, dims = [64, 128], strides = [128], box = [64, 64], swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::Type":$dtype, "::mlir::DenseI64ArrayAttr":$dims,
                        "::mlir::DenseI64ArrayAttr":$strides, "::mlir::DenseI64ArrayAttr":$box,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle, DefaultValuedParameter<"int64_t", "0">:$l2,
                        DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // KGEN_DIALECT_KGEN_KGENATTRS
