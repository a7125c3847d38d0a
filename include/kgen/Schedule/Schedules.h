//===- Schedules.h - A typed struct for each variant ------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emitters read: kgen::schedule::GemmWgmma and the like, generated from
// ScheduleKeys.td, and kgen::schedule::key::stages for schedules that are
// still being completed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace kgen::schedule {

/// A key by its name and the kind of its values.
struct IntKey {
  llvm::StringLiteral name;
};
struct IntsKey {
  llvm::StringLiteral name;
};
/// WORD is the key's enum, or bool for on and off.
template <typename Word>
struct WordKey {
  llvm::StringLiteral name;
};

inline const char *wordOf(bool value) { return value ? "on" : "off"; }
inline void readWord(llvm::StringRef word, bool &value) { value = word == "on"; }

namespace detail {
template <typename List>
void readInts(const List &numbers, std::vector<int64_t> &value) {
  value.assign(numbers.begin(), numbers.end());
}
template <typename List, size_t length>
void readInts(const List &numbers, std::array<int64_t, length> &value) {
  std::copy_n(numbers.begin(), std::min<size_t>(numbers.size(), length), value.begin());
}

template <typename Source, typename Value>
bool readKey(const Source &source, IntKey key, Value &value) {
  auto found = source.getInt(key);
  if (found)
    value = *found;
  return found.has_value();
}
template <typename Source, typename Value>
bool readKey(const Source &source, IntsKey key, Value &value) {
  auto found = source.getInts(key);
  if (found)
    readInts(*found, value);
  return found.has_value();
}
template <typename Source, typename Word>
bool readKey(const Source &source, WordKey<Word> key, Word &value) {
  auto found = source.getWord(key);
  if (found)
    value = *found;
  return found.has_value();
}
} // namespace detail

/// A completed schedule has the key: its absence is an error of the family.
template <typename Source, typename KeyName, typename Value>
void readMember(const Source &source, KeyName key, Value &value, bool isOpen) {
  if (!detail::readKey(source, key, value) && !isOpen)
    llvm::report_fatal_error("a completed schedule lacks '" + llvm::Twine(key.name) + "'");
}
template <typename Source, typename KeyName, typename Value>
void readOptional(const Source &source, KeyName key, std::optional<Value> &value) {
  Value read{};
  if (detail::readKey(source, key, read))
    value = read;
}

#include "kgen/Schedule/Schedules.h.inc"

} // namespace kgen::schedule
