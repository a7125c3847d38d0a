//===- Profile.cpp - What a network's tasks take --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;
using namespace kgen;

std::string network::printProfile(StringRef network, double totalUs, ArrayRef<ProfileRow> rows, StringRef self) {
  std::vector<ProfileRow> sorted;
  double sum = 0;
  int steps = 0;
  for (const ProfileRow &row : rows) {
    if (row.count == 0)
      continue;
    sorted.push_back(row);
    sum += row.count * row.bestUs;
    steps += row.count;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ProfileRow &a, const ProfileRow &b) { return a.count * a.bestUs > b.count * b.bestUs; });
  std::string text;
  raw_string_ostream os(text);
  os << (self.empty() ? "This is the whole network " : "This graph is a task of the network ") << network << ": "
     << steps << " tasks, " << sorted.size() << " of them different";
  if (totalUs > 0)
    os << ", which take " << format("%.4g", totalUs) << " us together";
  os << ". By their share of the time, with what was gained since their first kernel and the device's floor for "
        "one:\n\n"
     << "| task | count | share | us | gain | floor us |\n|---|---:|---:|---:|---:|---:|\n";
  for (const ProfileRow &row : sorted) {
    os << "| " << row.task << (row.task == self ? " (this one)" : "") << " | " << row.count << " | "
       << format("%.1f %%", sum > 0 ? 100 * row.count * row.bestUs / sum : 0) << " | " << format("%.4g", row.bestUs)
       << " | " << format("%.2f", row.bestUs > 0 ? row.genericUs / row.bestUs : 0) << " x | ";
    if (row.floorUs > 0)
      os << format("%.4g", row.floorUs);
    else
      os << "unknown";
    os << " |\n";
  }
  return StringRef(text).rtrim().str();
}
