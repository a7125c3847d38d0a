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

/// "a multiple of 4 from 4 to 64", "one of 1, 2", "[a multiple of 16 from 16 to 512, 8]".
static std::string printType(const ValueType &type) {
  std::string range = std::to_string(type.min);
  if (type.max != type.min)
    range += " to " + std::to_string(type.max);
  switch (type.kind) {
  case ValueType::Kind::Int:
    return (type.max == type.min ? ""
            : type.step > 1      ? "a multiple of " + std::to_string(type.step) + " from "
                                 : "an integer from ") +
           range;
  case ValueType::Kind::IntOf:
  case ValueType::Kind::Word:
    return (type.choices.size() > 1 ? "one of " : "") + join(type.choices, ", ");
  case ValueType::Kind::Ints:
    break;
  }
  if (!type.parts.empty())
    return "[" + join(map_range(type.parts, printType), ", ") + "]";
  return "a list of " + std::to_string(type.minLength) +
         (type.maxLength == type.minLength ? "" : " to " + std::to_string(type.maxLength)) + " integers from " + range;
}

/// What is wrong with VALUE behind "expected"; "" when TYPE has it.
static std::string findTypeFault(const ValueType &type, const Value &value) {
  auto inRange = [&](int64_t number) { return number >= type.min && number <= type.max && number % type.step == 0; };
  switch (type.kind) {
  case ValueType::Kind::Int: {
    auto *number = std::get_if<int64_t>(&value);
    if (number && inRange(*number))
      return "";
    return printType(type) + ", found " + printValue(value);
  }
  case ValueType::Kind::IntOf:
  case ValueType::Kind::Word: {
    bool isRightKind = std::holds_alternative<int64_t>(value) == (type.kind == ValueType::Kind::IntOf);
    auto *word = std::get_if<std::string>(&value);
    if (isRightKind && is_contained(type.choices, word ? *word : printValue(value)))
      return "";
    return printType(type) + ", found " + printValue(value);
  }
  case ValueType::Kind::Ints: {
    auto *list = std::get_if<std::vector<int64_t>>(&value);
    int64_t length = list ? int64_t(list->size()) : -1;
    if (length < type.minLength || length > type.maxLength)
      return "a list of " + std::to_string(type.minLength) +
             (type.maxLength == type.minLength ? "" : " to " + std::to_string(type.maxLength)) + " integers, found " +
             (list ? std::to_string(length) + " integers" : printValue(value));
    for (auto [part, number] : llvm::zip(type.parts, *list))
      if (!findTypeFault(part, number).empty())
        return printType(type) + ", found " + printValue(value);
    for (int64_t number : *list)
      if (type.parts.empty() && !inRange(number))
        return "integers from " + std::to_string(type.min) + " to " + std::to_string(type.max) + ", found " +
               std::to_string(number);
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

/// What each of INDICES, all of which take KEY, says of VALUE, which none has; once what several say.
static std::string printFault(const Key &key, ArrayRef<unsigned> indices, const Value &value) {
  ValueType all = howTaken(key, indices.front())->type;
  bool areWords = !all.choices.empty();
  std::vector<std::pair<std::string, std::string>> faults; // of the type, and who has it
  for (unsigned index : indices) {
    const ValueType &type = howTaken(key, index)->type;
    areWords &= type.kind == all.kind;
    for (StringRef choice : type.choices)
      if (!is_contained(all.choices, choice))
        all.choices.push_back(choice);
    std::string text = printType(type);
    auto same = llvm::find_if(faults, [&](const auto &fault) { return fault.first == text; });
    if (same == faults.end())
      faults.push_back({text, variants()[index].print()});
    else
      same->second += " and " + variants()[index].print();
  }
  // A list of another length is of no variant: no need to say what the numbers may be.
  auto *list = std::get_if<std::vector<int64_t>>(&value);
  bool isOtherLength = list && llvm::all_of(indices, [&](unsigned index) {
                         const ValueType &type = howTaken(key, index)->type;
                         return type.minLength == all.minLength && type.maxLength == all.maxLength &&
                                int64_t(list->size()) != all.minLength;
                       });
  if (areWords || isOtherLength || faults.size() == 1)
    return findTypeFault(all, value);
  std::string text =
      join(map_range(faults, [](const auto &fault) { return fault.first + " (" + fault.second + ")"; }), ", or ");
  return text + ", found " + printValue(value);
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
static std::string narrow(StringRef family, const Settings &settings, std::vector<unsigned> &indices,
                          std::string *faultyKey = nullptr) {
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
    if (faultyKey && fitting.empty())
      *faultyKey = key->name.str();
    if (taking.empty())
      return ("schedule key '" + key->name + "' is not taken by ").str() +
             (indices.empty() ? ("family " + family).str() : printVariants(family, indices)) + ", which " +
             (indices.size() > 1 && printVariants(family, indices).find("family") != 0 ? "take " : "takes ") +
             printTaken(indices);
    if (fitting.empty())
      return ("schedule key '" + key->name + "' of ").str() + printVariants(family, taking) + " expected " +
             printFault(*key, taking, **value);
    indices = fitting;
  }
  return "";
}

std::string findFault(StringRef family, const Settings &settings, StringRef variant, std::string *faultyKey) {
  if (llvm::none_of(families(), [&](const Family &row) { return row.name == family; }))
    return ("unknown kernel family '" + family + "', expected one of ").str() +
           join(map_range(families(), [](const Family &row) { return row.name; }), ", ");
  for (const auto &[key, value] : settings) {
    std::string fault = value          ? findValueFault(key, *value)
                        : findKey(key) ? ""
                                       : findValueFault(key, int64_t(0)); // names the keys that exist
    if (!fault.empty() && faultyKey)
      *faultyKey = key;
    if (!fault.empty())
      return fault;
  }
  std::vector<unsigned> indices = variantsOf(family, variant);
  return narrow(family, settings, indices, faultyKey);
}

const Variant *findVariant(StringRef family, const Settings &settings) {
  std::vector<unsigned> indices = variantsOf(family, "");
  if (!narrow(family, settings, indices).empty() || indices.size() != 1)
    return nullptr;
  return &variants()[indices.front()];
}

} // namespace kgen::schedule
