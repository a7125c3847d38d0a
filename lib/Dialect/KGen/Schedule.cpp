//===- Schedule.cpp - #kgen.schedule and its table of keys ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form, the typed getters and the check against ScheduleKeys.def.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/ScheduleText.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kgen;

namespace {

enum class KeyKind { Int, IntOf, Ints, Word, Text };

/// One line of ScheduleKeys.def.
struct KeyRule {
  StringLiteral name;
  KeyKind kind;
  int64_t min, max;             ///< Int, and each element of Ints
  int64_t minLength, maxLength; ///< Ints
  StringLiteral choices;        ///< IntOf and Word, separated by |
};

constexpr KeyRule keyRules[] = {
#define KGEN_INT(key, min, max, doc) {#key, KeyKind::Int, min, max, 0, 0, ""},
#define KGEN_INT_OF(key, values, doc) {#key, KeyKind::IntOf, 0, 0, 0, 0, values},
#define KGEN_INTS(key, minLength, maxLength, min, max, doc) {#key, KeyKind::Ints, min, max, minLength, maxLength, ""},
#define KGEN_WORD(key, words, doc) {#key, KeyKind::Word, 0, 0, 0, 0, words},
#define KGEN_TEXT(key, doc) {#key, KeyKind::Text, 0, 0, 0, 0, ""},
#include "kgen/Dialect/KGen/ScheduleKeys.def"
};

constexpr StringLiteral families[] = {
#define KGEN_FAMILY(word, doc) #word,
#include "kgen/Dialect/KGen/ScheduleKeys.def"
};

const KeyRule *findRule(StringRef key) {
  const KeyRule *rule = llvm::find_if(keyRules, [&](const KeyRule &r) { return r.name == key; });
  return rule == std::end(keyRules) ? nullptr : rule;
}

bool isChoice(StringRef choices, StringRef word) {
  SmallVector<StringRef> words;
  choices.split(words, '|');
  return llvm::is_contained(words, word);
}

/// "1, 2, 4" from "1|2|4".
std::string listChoices(StringRef choices) {
  SmallVector<StringRef> words;
  choices.split(words, '|');
  return llvm::join(words, ", ");
}

/// True when TEXT can be printed without quotes and parsed back.
bool isBareWord(StringRef text) {
  return !text.empty() && (llvm::isAlpha(text[0]) || text[0] == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }) && text != "true" && text != "false";
}

} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult kgen::parseScheduleValue(AsmParser &parser, Attribute &value) {
  MLIRContext *context = parser.getContext();
  int64_t number;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    value = IntegerAttr::get(IntegerType::get(context, 64), number);
    return success();
  }
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> list;
    if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(list.emplace_back()); }) ||
        parser.parseRSquare())
      return failure();
    value = DenseI64ArrayAttr::get(context, list);
    return success();
  }
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    value = StringAttr::get(context, text);
    return success();
  }
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected an integer, a list of integers, a word or a quoted text");
  value = StringAttr::get(context, word);
  return success();
}

void kgen::printScheduleValue(AsmPrinter &printer, Attribute value) {
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    printer << number.getInt();
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(value)) {
    printer << "[" << list.asArrayRef() << "]";
  } else {
    StringRef text = cast<StringAttr>(value).getValue();
    if (isBareWord(text))
      printer << text;
    else
      printer.printString(text);
  }
}

//===----------------------------------------------------------------------===//
// IdeaAttr
//===----------------------------------------------------------------------===//

LogicalResult IdeaAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef text, Category) {
  if (text.trim().empty())
    return emitError() << "idea expected a text, found an empty one";
  return success();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  StringRef family;
  NamedAttrList params;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("family") || parser.parseEqual() || parser.parseKeyword(&family))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    std::string key;
    SMLoc keyLoc = parser.getCurrentLocation();
    Attribute value;
    if (parser.parseKeywordOrString(&key) || parser.parseEqual() || parseScheduleValue(parser, value))
      return {};
    if (params.get(key)) {
      parser.emitError(keyLoc, "schedule key '") << key << "' is set twice";
      return {};
    }
    if (failed(checkKey([&] { return parser.emitError(keyLoc); }, key, value)))
      return {};
    params.set(key, value);
  }
  if (parser.parseGreater())
    return {};
  MLIRContext *context = parser.getContext();
  return getChecked([&] { return parser.emitError(loc); }, context, StringAttr::get(context, family),
                    params.getDictionary(context));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<family = " << getFamily();
  for (NamedAttribute entry : getParams()) {
    printer << ", " << entry.getName().getValue() << " = ";
    printScheduleValue(printer, entry.getValue());
  }
  printer << ">";
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context, StringRef family) {
  return get(context, StringAttr::get(context, family), DictionaryAttr::get(context));
}

LogicalResult ScheduleAttr::checkKey(function_ref<InFlightDiagnostic()> emitError, StringRef key, Attribute value) {
  const KeyRule *rule = findRule(key);
  if (!rule) {
    SmallVector<StringRef> names;
    for (const KeyRule &known : keyRules)
      names.push_back(known.name);
    return emitError() << "unknown schedule key '" << key << "', expected one of " << llvm::join(names, ", ");
  }
  // Wider integers exist in the generic form only.
  auto asInteger = [](Attribute attribute) {
    auto number = dyn_cast<IntegerAttr>(attribute);
    return number && number.getType().isInteger(64) ? number : IntegerAttr();
  };
  auto inRange = [&](int64_t number) { return number >= rule->min && number <= rule->max; };
  switch (rule->kind) {
  case KeyKind::Int:
    if (auto number = asInteger(value); !number || !inRange(number.getInt())) {
      InFlightDiagnostic diag = emitError() << "schedule key '" << key << "' expected an integer from " << rule->min
                                            << " to " << rule->max << ", found ";
      return number ? diag << number.getInt() : diag << value;
    }
    return success();
  case KeyKind::IntOf:
    if (auto number = asInteger(value); !number || !isChoice(rule->choices, std::to_string(number.getInt()))) {
      InFlightDiagnostic diag = emitError() << "schedule key '" << key << "' expected one of "
                                            << listChoices(rule->choices) << ", found ";
      return number ? diag << number.getInt() : diag << value;
    }
    return success();
  case KeyKind::Ints: {
    auto list = dyn_cast<DenseI64ArrayAttr>(value);
    if (!list || list.size() < rule->minLength || list.size() > rule->maxLength) {
      InFlightDiagnostic diag = emitError() << "schedule key '" << key << "' expected a list of " << rule->minLength
                                            << " to " << rule->maxLength << " integers, found ";
      return list ? diag << list.size() << " integers" : diag << value;
    }
    for (int64_t number : list.asArrayRef())
      if (!inRange(number))
        return emitError() << "schedule key '" << key << "' expected integers from " << rule->min << " to " << rule->max
                           << ", found " << number;
    return success();
  }
  case KeyKind::Word: {
    auto word = dyn_cast<StringAttr>(value);
    if (!word || !isChoice(rule->choices, word.getValue()))
      return emitError() << "schedule key '" << key << "' expected one of " << listChoices(rule->choices) << ", found "
                         << value;
    return success();
  }
  case KeyKind::Text:
    if (!isa<StringAttr>(value))
      return emitError() << "schedule key '" << key << "' expected a quoted text, found " << value;
    return success();
  }
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr family,
                                   DictionaryAttr params) {
  if (!llvm::is_contained(families, family.getValue()))
    return emitError() << "unknown kernel family '" << family.getValue() << "', expected one of "
                       << llvm::join(ArrayRef<StringLiteral>(families), ", ");
  for (NamedAttribute entry : params)
    if (failed(checkKey(emitError, entry.getName().getValue(), entry.getValue())))
      return failure();
  return success();
}

int64_t ScheduleAttr::getInt(StringRef key, int64_t fallback) const {
  auto number = getParams().getAs<IntegerAttr>(key);
  return number ? number.getInt() : fallback;
}

ArrayRef<int64_t> ScheduleAttr::getInts(StringRef key) const {
  auto list = getParams().getAs<DenseI64ArrayAttr>(key);
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

StringRef ScheduleAttr::getWord(StringRef key, StringRef fallback) const {
  auto word = getParams().getAs<StringAttr>(key);
  return word ? word.getValue() : fallback;
}

ScheduleAttr ScheduleAttr::with(StringRef key, Attribute value) const {
  NamedAttrList params(getParams());
  params.set(key, value);
  return get(getContext(), getFamilyName(), params.getDictionary(getContext()));
}

ScheduleAttr ScheduleAttr::with(StringRef key, int64_t value) const {
  return with(key, Attribute(IntegerAttr::get(IntegerType::get(getContext(), 64), value)));
}

ScheduleAttr ScheduleAttr::with(StringRef key, ArrayRef<int64_t> value) const {
  return with(key, Attribute(DenseI64ArrayAttr::get(getContext(), value)));
}

ScheduleAttr ScheduleAttr::with(StringRef key, StringRef word) const {
  return with(key, Attribute(StringAttr::get(getContext(), word)));
}

ScheduleAttr ScheduleAttr::without(StringRef key) const {
  NamedAttrList params(getParams());
  params.erase(key);
  return get(getContext(), getFamilyName(), params.getDictionary(getContext()));
}

ScheduleAttr ScheduleAttr::withFamily(StringRef family) const {
  return get(getContext(), StringAttr::get(getContext(), family), getParams());
}
