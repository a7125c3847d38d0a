//===- Schedule.cpp - Families, variants, directives and keys -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Schedule/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kgen::schedule {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayRef<Family> families() {
  static const std::vector<Family> rows = {
#define GET_FAMILIES
#include "kgen/Schedule/Schedule.inc"
#undef GET_FAMILIES
  };
  return rows;
}

ArrayRef<Variant> variants() {
  static const std::vector<Variant> rows = {
#define GET_VARIANTS
#include "kgen/Schedule/Schedule.inc"
#undef GET_VARIANTS
  };
  return rows;
}

ArrayRef<Directive> directives() {
  static const std::vector<Directive> rows = {
#define GET_DIRECTIVES
#include "kgen/Schedule/Schedule.inc"
#undef GET_DIRECTIVES
  };
  return rows;
}

ArrayRef<Key> keys() {
  static const std::vector<Key> rows = {
#define GET_KEYS
#include "kgen/Schedule/Schedule.inc"
#undef GET_KEYS
  };
  return rows;
}

const Key *findKey(StringRef name) {
  const Key *key = llvm::find_if(keys(), [&](const Key &row) { return row.name == name; });
  return key == keys().end() ? nullptr : key;
}

const Directive *findDirective(StringRef mnemonic) {
  const Directive *directive =
      llvm::find_if(directives(), [&](const Directive &row) { return row.mnemonic == mnemonic; });
  return directive == directives().end() ? nullptr : directive;
}

std::vector<const Key *> keysOf(const Directive &directive) {
  std::vector<const Key *> set;
  unsigned index = &directive - directives().begin();
  for (const Key &key : keys())
    if (is_contained(key.directives, index))
      set.push_back(&key);
  return set;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value parseValue(StringRef text) {
  text = text.trim();
  if (int64_t number; !text.getAsInteger(10, number))
    return number;
  if (!text.starts_with("[") || !text.ends_with("]"))
    return text.str();
  SmallVector<StringRef> parts;
  text.drop_front().drop_back().split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> list;
  for (StringRef part : parts)
    if (part.trim().getAsInteger(10, list.emplace_back()))
      return text.str();
  return list;
}

std::string printValue(const Value &value) {
  if (auto *number = std::get_if<int64_t>(&value))
    return std::to_string(*number);
  if (auto *list = std::get_if<std::vector<int64_t>>(&value))
    return "[" + join(map_range(*list, [](int64_t number) { return std::to_string(number); }), ", ") + "]";
  return "\"" + std::get<std::string>(value) + "\"";
}

/// What is wrong with VALUE behind "expected"; "" when TYPE has it.
static std::string findTypeFault(const ValueType &type, const Value &value) {
  auto inRange = [&](int64_t number) { return number >= type.min && number <= type.max; };
  std::string range = std::to_string(type.min);
  if (type.max != type.min)
    range += " to " + std::to_string(type.max);
  switch (type.kind) {
  case ValueType::Kind::Int: {
    auto *number = std::get_if<int64_t>(&value);
    if (number && inRange(*number))
      return "";
    return (type.max == type.min ? "" : "an integer from ") + range + ", found " + printValue(value);
  }
  case ValueType::Kind::IntOf:
  case ValueType::Kind::Word: {
    bool isRightKind = std::holds_alternative<int64_t>(value) == (type.kind == ValueType::Kind::IntOf);
    auto *word = std::get_if<std::string>(&value);
    if (isRightKind && is_contained(type.choices, word ? *word : printValue(value)))
      return "";
    return (type.choices.size() > 1 ? "one of " : "") + join(type.choices, ", ") + ", found " + printValue(value);
  }
  case ValueType::Kind::Ints: {
    auto *list = std::get_if<std::vector<int64_t>>(&value);
    int64_t length = list ? int64_t(list->size()) : -1;
    if (length < type.minLength || length > type.maxLength)
      return "a list of " + std::to_string(type.minLength) +
             (type.maxLength == type.minLength ? "" : " to " + std::to_string(type.maxLength)) + " integers, found " +
             (list ? std::to_string(length) + " integers" : printValue(value));
    for (int64_t number : *list)
      if (!inRange(number))
        return "integers from " + range + ", found " + std::to_string(number);
    return "";
  }
  }
  return "";
}

std::string findValueFault(StringRef name, const Value &value) {
  const Key *key = findKey(name);
  if (!key)
    return ("unknown schedule key '" + name + "', expected one of ").str() +
           join(map_range(keys(), [](const Key &row) { return row.name; }), ", ");
  std::string fault = findTypeFault(key->type, value);
  return fault.empty() ? "" : ("schedule key '" + name + "' expected ").str() + fault;
}

//===----------------------------------------------------------------------===//
// What a family and its variants take
//===----------------------------------------------------------------------===//

/// How variant number INDEX takes KEY, or null.
static const Taken *howTaken(const Key &key, unsigned index) {
  auto found = llvm::find_if(key.taken, [&](const Taken &taken) { return taken.variant == index; });
  return found == key.taken.end() ? nullptr : &*found;
}

static std::vector<unsigned> variantsOf(StringRef family, StringRef variant) {
  std::vector<unsigned> indices;
  for (auto [index, row] : llvm::enumerate(variants()))
    if (row.family == family && (variant.empty() || row.name == variant))
      indices.push_back(index);
  return indices;
}

/// The values that one or another of INDICES, all of which take KEY, has.
static ValueType joinTypes(const Key &key, ArrayRef<unsigned> indices) {
  ValueType all = howTaken(key, indices.front())->type;
  for (unsigned index : indices.drop_front()) {
    const ValueType &type = howTaken(key, index)->type;
    all.min = std::min(all.min, type.min);
    all.max = std::max(all.max, type.max);
    all.minLength = std::min(all.minLength, type.minLength);
    all.maxLength = std::max(all.maxLength, type.maxLength);
    for (StringRef choice : type.choices)
      if (!is_contained(all.choices, choice))
        all.choices.push_back(choice);
  }
  return all;
}

/// "gemm/simt", "gemm/simt and gemm/wmma", or "family gemm" when INDICES are all of its variants.
static std::string printVariants(StringRef family, ArrayRef<unsigned> indices) {
  if (indices.size() > 1 && indices.size() == variantsOf(family, "").size())
    return ("family " + family).str();
  std::string text;
  for (auto [i, index] : llvm::enumerate(indices))
    text += (i == 0 ? "" : i + 1 == indices.size() ? " and " : ", ") + variants()[index].print();
  return text;
}

/// "cluster, consumers and tile": what one or another of INDICES takes.
static std::string printTaken(ArrayRef<unsigned> indices) {
  std::vector<StringRef> names;
  for (const Key &key : keys())
    if (llvm::any_of(indices, [&](unsigned index) { return howTaken(key, index); }))
      names.push_back(key.name);
  llvm::sort(names);
  return names.empty() ? "no keys" : join(names, ", ");
}

/// Whether the values of KEY tell variants of FAMILY apart.
static bool choosesVariant(const Key &key, StringRef family) {
  const ValueType *first = nullptr;
  for (unsigned index : variantsOf(family, "")) {
    const Taken *taken = howTaken(key, index);
    if (taken && first && (taken->type.choices != first->choices || taken->type.min != first->min))
      return true;
    if (taken)
      first = &taken->type;
  }
  return false;
}

/// Narrows INDICES, variants of FAMILY, to those that take SETTINGS; the fault of the first key that none takes.
static std::string narrow(StringRef family, const Settings &settings, std::vector<unsigned> &indices) {
  // Keys whose values choose the variant come first, so that the others are told which one it is.
  std::vector<std::pair<const Key *, const std::optional<Value> *>> ordered;
  for (bool choosing : {true, false})
    for (const Key &key : keys())
      if (auto setting = settings.find(key.name); setting != settings.end() && choosesVariant(key, family) == choosing)
        ordered.push_back({&key, &setting->second});
  for (auto [key, value] : ordered) {
    std::vector<unsigned> taking, fitting;
    for (unsigned index : indices)
      if (const Taken *taken = howTaken(*key, index)) {
        taking.push_back(index);
        if (!*value || findTypeFault(taken->type, **value).empty())
          fitting.push_back(index);
      }
    if (taking.empty())
      return ("schedule key '" + key->name + "' is not taken by ").str() +
             (indices.empty() ? ("family " + family).str() : printVariants(family, indices)) + ", which " +
             (indices.size() > 1 && printVariants(family, indices).find("family") != 0 ? "take " : "takes ") +
             printTaken(indices);
    if (fitting.empty())
      return ("schedule key '" + key->name + "' of ").str() + printVariants(family, taking) + " expected " +
             findTypeFault(joinTypes(*key, taking), **value);
    indices = fitting;
  }
  return "";
}

std::string findFault(StringRef family, const Settings &settings, StringRef variant) {
  if (llvm::none_of(families(), [&](const Family &row) { return row.name == family; }))
    return ("unknown kernel family '" + family + "', expected one of ").str() +
           join(map_range(families(), [](const Family &row) { return row.name; }), ", ");
  for (const auto &[key, value] : settings) {
    std::string fault = value          ? findValueFault(key, *value)
                        : findKey(key) ? ""
                                       : findValueFault(key, int64_t(0)); // names the keys that exist
    if (!fault.empty())
      return fault;
  }
  std::vector<unsigned> indices = variantsOf(family, variant);
  return narrow(family, settings, indices);
}

const Variant *findVariant(StringRef family, const Settings &settings) {
  std::vector<unsigned> indices = variantsOf(family, "");
  if (!narrow(family, settings, indices).empty() || indices.size() != 1)
    return nullptr;
  return &variants()[indices.front()];
}

} // namespace kgen::schedule
