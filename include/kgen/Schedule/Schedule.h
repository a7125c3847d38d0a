//===- Schedule.h - Families, variants, directives and keys -----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScheduleKeys.td as a table, and the rules that follow from it. The compiler
// and the search ask the same functions; nothing here includes mlir/.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kgen::schedule {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The values of a key.
struct ValueType {
  enum class Kind { Int, IntOf, Ints, Word };
  Kind kind;
  int64_t min, max;                     ///< Int, and each number of Ints
  int64_t step;                         ///< Int is its multiple
  int64_t minLength, maxLength;         ///< Ints
  std::vector<llvm::StringRef> choices; ///< IntOf and Word
  std::vector<ValueType> parts;         ///< Ints whose numbers have types of their own
};

struct Family {
  llvm::StringRef name, doc;
};

/// One way in which a family computes.
struct Variant {
  llvm::StringRef family, name, doc;
  /// "gemm/wgmma"
  std::string print() const { return (llvm::Twine(family) + "/" + name).str(); }
};

/// transform.kgen.MNEMONIC
struct Directive {
  llvm::StringRef mnemonic;
  bool firstIsBare; ///< the catalogue leaves out the name of the first key
};

/// How one variant takes a key.
struct Taken {
  unsigned variant; ///< index in variants()
  ValueType type;
  bool isOptional;                   ///< a completed schedule may lack it
  std::vector<llvm::StringRef> open; ///< worth a try where the key is not set
};

struct Key {
  llvm::StringRef name, doc;
  ValueType type;
  std::vector<unsigned> directives; ///< indices in directives(); the first is the catalogue's
  std::vector<Taken> taken;
  std::vector<int64_t> neighbours; ///< ascending; empty: refinement leaves the key alone
};

/// Each in the order of declaration.
llvm::ArrayRef<Family> families();
llvm::ArrayRef<Variant> variants();
llvm::ArrayRef<Directive> directives();
llvm::ArrayRef<Key> keys();

/// The record of that name, or null.
const Key *findKey(llvm::StringRef name);
const Directive *findDirective(llvm::StringRef mnemonic);

/// The keys that DIRECTIVE sets; the first may leave out its name.
std::vector<const Key *> keysOf(const Directive &directive);

//===----------------------------------------------------------------------===//
// Settings and what is legal
//===----------------------------------------------------------------------===//

/// 4, [128, 96, 32] or a word.
using Value = std::variant<int64_t, std::vector<int64_t>, std::string>;

/// The value that TEXT spells, as `[128, 96, 32]`; a text that is neither a number nor a list is a word.
Value parseValue(llvm::StringRef text);
std::string printValue(const Value &value);

/// What is set of a schedule; a key without a value is a parameter that is not known yet.
using Settings = std::map<std::string, std::optional<Value>, std::less<>>;

/// Why VALUE is none of KEY's, in one sentence; "" when it is one.
std::string findValueFault(llvm::StringRef key, const Value &value);

/// Why no variant of FAMILY takes all of SETTINGS, in one sentence that names the key, the family or its variant, and
/// what that takes; "" when one does. VARIANT, where given, is the only one asked. FAULTYKEY is the key.
std::string findFault(llvm::StringRef family, const Settings &settings, llvm::StringRef variant = "",
                      std::string *faultyKey = nullptr);

/// The only variant of FAMILY that takes all of SETTINGS; null when there are several or none.
const Variant *findVariant(llvm::StringRef family, const Settings &settings);

} // namespace kgen::schedule
