//===- Shape.cpp ----------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/Shape.h"
#include "kgen/Candidate/UntrustedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using namespace llvm;

namespace kgen::mcp {

Shape Shape::text(size_t most) {
  Shape shape;
  shape.most = most;
  return shape;
}

Shape Shape::matching(std::string pattern, std::string words, size_t most) {
  Shape shape = text(most);
  shape.pattern = std::move(pattern);
  shape.patternWords = std::move(words);
  return shape;
}

Shape Shape::choice(std::vector<std::string> choices) {
  Shape shape;
  shape.kind = Choice;
  shape.choices = std::move(choices);
  return shape;
}

Shape Shape::whole(int64_t least, int64_t greatest) {
  Shape shape = real(least, greatest);
  shape.kind = Whole;
  return shape;
}

Shape Shape::real(double least, double greatest) {
  Shape shape;
  shape.kind = Real;
  shape.least = least;
  shape.greatest = greatest;
  return shape;
}

Shape Shape::number() { return real(0, 0); }

Shape Shape::flag() {
  Shape shape;
  shape.kind = Flag;
  return shape;
}

Shape Shape::list(Shape item, size_t most) {
  Shape shape;
  shape.kind = List;
  shape.most = most;
  shape.item.push_back(std::move(item));
  return shape;
}

Shape Shape::record(std::vector<Field> fields) {
  Shape shape;
  shape.kind = Record;
  shape.fields = std::move(fields);
  return shape;
}

Shape Shape::map(Shape item) {
  Shape shape = list(std::move(item));
  shape.kind = Map;
  return shape;
}

Json Shape::schema() const {
  Json schema = Json::object();
  switch (kind) {
  case Text:
    schema["type"] = "string";
    if (most)
      schema["maxLength"] = most;
    if (!pattern.empty())
      schema["pattern"] = pattern;
    break;
  case Choice:
    schema["type"] = "string";
    schema["enum"] = choices;
    break;
  case Whole:
  case Real:
    schema["type"] = kind == Whole ? "integer" : "number";
    if (least < greatest) {
      auto bound = [&](double value) { return kind == Whole ? Json(int64_t(value)) : Json(value); };
      schema["minimum"] = bound(least);
      schema["maximum"] = bound(greatest);
    }
    break;
  case Flag:
    schema["type"] = "boolean";
    break;
  case List:
    schema["type"] = "array";
    schema["items"] = item[0].schema();
    if (most)
      schema["maxItems"] = most;
    break;
  case Record: {
    schema["type"] = "object";
    schema["properties"] = Json::object();
    Json required = Json::array();
    for (const Field &field : fields) {
      Json member = field.shape.schema();
      member["description"] = field.description;
      schema["properties"][field.name] = std::move(member);
      if (field.required)
        required.push_back(field.name);
    }
    if (!required.empty())
      schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    break;
  }
  case Map:
    schema["type"] = "object";
    schema["additionalProperties"] = item[0].schema();
    break;
  }
  return schema;
}

/// VALUE in a sentence: short, on one line.
static std::string show(const Json &value) {
  std::string text =
      value.is_structured() ? value.type_name() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr size_t longest = 60;
  if (text.size() > longest) {
    size_t cut = longest; // not inside a character
    while (cut > 0 && (text[cut] & 0xC0) == 0x80)
      --cut;
    text = text.substr(0, cut) + "...";
  }
  return candidate::onOneLine(text);
}

static size_t countCharacters(StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

static std::string listNames(const std::vector<std::string> &names) {
  return names.empty() ? "nothing" : join(names, ", ");
}

std::string Shape::findFault(const Json &value, const std::string &place) const {
  auto wrong = [&](const Twine &expected) {
    return (Twine(place) + " is " + show(value) + ", expected " + expected).str();
  };
  switch (kind) {
  case Text: {
    if (!value.is_string())
      return wrong("a text");
    const std::string &text = value.get_ref<const std::string &>();
    if (size_t length = countCharacters(text); most && length > most)
      return (Twine(place) + " has " + Twine(length) + " characters, expected at most " + Twine(most)).str();
    if (!pattern.empty() &&
        (StringRef(text).contains('\n') || StringRef(text).contains('\0') || !Regex(pattern).match(text)))
      return wrong(patternWords);
    return "";
  }
  case Choice:
    if (!value.is_string() || !is_contained(choices, value.get_ref<const std::string &>()))
      return wrong("one of " + listNames(choices));
    return "";
  case Whole:
  case Real: {
    const char *what = kind == Whole ? "a whole number" : "a number";
    if (!value.is_number())
      return wrong(what);
    double number = value.get<double>();
    bool bounded = least < greatest;
    if ((kind == Whole && number != std::floor(number)) || (bounded && !(number >= least && number <= greatest))) {
      std::string range;
      if (bounded)
        range = " from " + show(Json(kind == Whole ? Json(int64_t(least)) : Json(least))) + " to " +
                show(kind == Whole ? Json(int64_t(greatest)) : Json(greatest));
      return wrong(what + range);
    }
    return "";
  }
  case Flag:
    return value.is_boolean() ? "" : wrong("true or false");
  case List: {
    if (!value.is_array())
      return wrong("a list");
    if (most && value.size() > most)
      return (Twine(place) + " has " + Twine(value.size()) + " elements, expected at most " + Twine(most)).str();
    for (size_t i = 0; i < value.size(); ++i)
      if (std::string fault = item[0].findFault(value[i], place + "[" + std::to_string(i) + "]"); !fault.empty())
        return fault;
    return "";
  }
  case Record: {
    if (!value.is_object())
      return wrong("an object");
    std::vector<std::string> names;
    for (const Field &field : fields)
      names.push_back(field.name);
    if (names.empty() && !value.empty())
      return (Twine(place) + " has " + show(Json(value.begin().key())) + ", expected no arguments").str();
    for (const auto &member : value.items())
      if (!is_contained(names, member.key()))
        return (Twine(place) + " has " + show(Json(member.key())) + ", expected only " + listNames(names)).str();
    for (const Field &field : fields) {
      auto member = value.find(field.name);
      if (member == value.end()) {
        if (field.required)
          return place + " lacks \"" + field.name + "\": " + field.description;
        continue;
      }
      if (std::string fault = field.shape.findFault(*member, field.name); !fault.empty())
        return fault;
    }
    return "";
  }
  case Map:
    if (!value.is_object())
      return wrong("an object");
    for (const auto &member : value.items())
      if (std::string fault = item[0].findFault(member.value(), place + "." + member.key()); !fault.empty())
        return fault;
    return "";
  }
  return "";
}

} // namespace kgen::mcp
