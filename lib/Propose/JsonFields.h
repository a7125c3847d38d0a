//===- JsonFields.h - Fields of JSON that may be of any shape -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace kgen::propose {

/// The value of KEY when JSON is an object and the value a string, else "".
inline std::string stringAt(const nlohmann::json &json, const char *key) {
  if (!json.is_object())
    return "";
  auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// The array at KEY, or null.
inline const nlohmann::json *arrayAt(const nlohmann::json &json, const char *key) {
  if (!json.is_object())
    return nullptr;
  auto it = json.find(key);
  return it != json.end() && it->is_array() ? &*it : nullptr;
}

/// The object at KEY, or an empty one.
inline const nlohmann::json &objectAt(const nlohmann::json &json, const char *key) {
  static const nlohmann::json none = nlohmann::json::object();
  if (!json.is_object())
    return none;
  auto it = json.find(key);
  return it != json.end() && it->is_object() ? *it : none;
}

/// A count of tokens: the number at KEY if it is a whole one that is not absurd, else 0.
inline int64_t countAt(const nlohmann::json &json, const char *key) {
  auto it = json.find(key);
  if (it == json.end() || !it->is_number_integer() || (it->is_number_unsigned() && it->get<uint64_t>() > (1ull << 40)))
    return 0;
  int64_t count = it->get<int64_t>();
  return count < 0 || count > (int64_t(1) << 40) ? 0 : count;
}

} // namespace kgen::propose
