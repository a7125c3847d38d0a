//===- Shape.h - What JSON a tool takes and gives --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shape is declared once: the JSON Schema that clients read and the check
// that values go through both come from it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/Journal.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kgen::mcp {

using trajectory::Json;

struct Field;

/// The values that may stand in one place.
struct Shape {
  enum Kind { Text, Choice, Whole, Real, Flag, List, Record, Map } kind = Text;
  size_t most = 0;                  ///< characters of a text, elements of a list; 0: no limit
  std::string pattern;              ///< of a text, a POSIX expression that is one of JSON Schema too; empty: any
  std::string patternWords;         ///< PATTERN for a person: "expected ..."
  std::vector<std::string> choices; ///< of a choice
  double least = 0, greatest = 0;   ///< of a number; both 0: no limit
  std::vector<Field> fields;        ///< of a record, which takes no others
  std::vector<Shape> item;          ///< one: of a list or a map's values

  static Shape text(size_t most = 0);
  static Shape matching(std::string pattern, std::string words, size_t most);
  static Shape choice(std::vector<std::string> choices);
  static Shape whole(int64_t least, int64_t greatest);
  static Shape real(double least, double greatest);
  /// Any number.
  static Shape number();
  static Shape flag();
  static Shape list(Shape item, size_t most = 0);
  static Shape record(std::vector<Field> fields);
  /// An object with any keys, whose values are of ITEM.
  static Shape map(Shape item);

  /// The JSON Schema (2020-12).
  Json schema() const;
  /// What is wrong with VALUE, which sentences call PLACE, in one sentence with what was expected and found; empty when
  /// nothing is.
  std::string findFault(const Json &value, const std::string &place) const;
};

/// A member of a record.
struct Field {
  std::string name, description;
  Shape shape;
  bool required = false;
};

inline Field need(std::string name, std::string description, Shape shape) {
  return {std::move(name), std::move(description), std::move(shape), true};
}
inline Field may(std::string name, std::string description, Shape shape) {
  return {std::move(name), std::move(description), std::move(shape), false};
}

} // namespace kgen::mcp
