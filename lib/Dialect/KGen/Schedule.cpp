//===- Schedule.cpp - #kgen.schedule -------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form, the getters and the check against the table of keys.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/ScheduleText.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kgen;

namespace {

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

std::optional<schedule::Value> kgen::toScheduleValue(Attribute value) {
  // Wider integers exist in the generic form only.
  if (auto number = dyn_cast<IntegerAttr>(value); number && number.getType().isInteger(64))
    return schedule::Value(number.getInt());
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    return schedule::Value(std::vector<int64_t>(list.asArrayRef()));
  if (auto word = dyn_cast<StringAttr>(value))
    return schedule::Value(word.getValue().str());
  return std::nullopt;
}

LogicalResult ScheduleAttr::checkKey(function_ref<InFlightDiagnostic()> emitError, StringRef key, Attribute value) {
  std::optional<schedule::Value> read = toScheduleValue(value);
  if (!read)
    return emitError() << "schedule key '" << key << "' expected an integer, a list of integers or a word, found "
                       << value;
  if (std::string fault = schedule::findValueFault(key, *read); !fault.empty()) {
    InFlightDiagnostic diag = emitError() << fault;
    bool known = schedule::findKey(key);
    markRefusal(diag, {known ? graph::RefusalKind::OutOfRange : graph::RefusalKind::UnknownKey, key.str(),
                       schedule::printValue(*read), fault});
    return diag;
  }
  return success();
}

std::string kgen::findRefusal(StringRef family, const schedule::Settings &settings, graph::Refusal &refusal) {
  std::string key, fault = schedule::findFault(family, settings, "", &key);
  auto set = settings.find(key);
  if (set == settings.end())
    refusal = {graph::RefusalKind::UnknownFamily, "", family.str(), fault};
  else if (!set->second || schedule::findValueFault(key, *set->second).empty())
    refusal = {graph::RefusalKind::Conflict, key, set->second ? schedule::printValue(*set->second) : "", fault};
  else
    refusal = {graph::RefusalKind::OutOfRange, key, schedule::printValue(*set->second), fault};
  return fault;
}

schedule::Settings ScheduleAttr::getSettings() const {
  schedule::Settings settings;
  for (NamedAttribute entry : getParams())
    settings[entry.getName().str()] = toScheduleValue(entry.getValue());
  return settings;
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr family,
                                   DictionaryAttr params) {
  schedule::Settings settings;
  for (NamedAttribute entry : params) {
    if (failed(checkKey(emitError, entry.getName(), entry.getValue())))
      return failure();
    settings[entry.getName().str()] = toScheduleValue(entry.getValue());
  }
  graph::Refusal refusal;
  if (std::string fault = findRefusal(family.getValue(), settings, refusal); !fault.empty()) {
    InFlightDiagnostic diag = emitError() << fault;
    markRefusal(diag, refusal);
    return diag;
  }
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

std::optional<StringRef> ScheduleAttr::findWord(StringRef key) const {
  auto word = getParams().getAs<StringAttr>(key);
  return word ? std::optional<StringRef>(word.getValue()) : std::nullopt;
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
