//===- Catalogue.cpp - Settings that can be tuned -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the catalogue asks of the table of schedule keys.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"
#include "kgen/Schedule/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace kgen::propose {

/// SETTINGS as the table's rules take them.
static schedule::Settings readSettings(const ScheduleSettings &settings) {
  schedule::Settings read;
  for (const auto &[key, value] : settings)
    read[key] = schedule::parseValue(value);
  return read;
}

std::vector<OpenKnob> getOpenKnobs(const PlannedDispatch &dispatch) {
  std::vector<OpenKnob> open;
  const schedule::Variant *variant = schedule::findVariant(dispatch.family, readSettings(dispatch.settings));
  if (!variant)
    return open;
  for (const schedule::Key &key : schedule::keys())
    for (const schedule::Taken &taken : key.taken)
      if (&schedule::variants()[taken.variant] == variant && !taken.open.empty() &&
          !dispatch.settings.count(key.name.str()))
        open.push_back({key.name, taken.open});
  return open;
}

bool isLegal(const PlannedDispatch &dispatch) {
  return schedule::findFault(dispatch.family, readSettings(dispatch.settings)).empty();
}

ArrayRef<int64_t> getNeighbours(StringRef name) {
  const schedule::Key *key = schedule::findKey(name);
  return key ? ArrayRef<int64_t>(key->neighbours) : ArrayRef<int64_t>();
}

} // namespace kgen::propose
