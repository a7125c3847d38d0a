//===- SeedPlan.cpp -------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/SeedPlan.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// "500,2" -> [500, 2, 1].
static Expected<trajectory::Json> readExtents(StringRef field, StringRef text) {
  trajectory::Json list = trajectory::Json::array();
  for (StringRef part : split(text, ',')) {
    int64_t extent;
    if (part.getAsInteger(10, extent))
      return createStringError("kgen-launch: " + field + "=" + text + ", expected one to three whole numbers");
    list.push_back(extent);
  }
  while (list.size() < 3)
    list.push_back(1);
  return list;
}

static Expected<trajectory::Json> readArguments(StringRef text) {
  trajectory::Json list = trajectory::Json::array();
  for (StringRef part : split(text, ',')) {
    auto [type, value] = part.split(':');
    int64_t whole;
    double real;
    if ((type == "i32" || type == "i64") && !value.getAsInteger(10, whole)) {
      list.push_back({{type.str(), whole}});
    } else if (type == "f32" && !value.getAsDouble(real)) {
      list.push_back({{"f32", real}});
    } else if (value.empty()) {
      auto [buffer, offset] = part.split('+');
      trajectory::Json argument = {{"buffer", buffer.str()}};
      if (!offset.empty()) {
        if (offset.getAsInteger(10, whole))
          return createStringError("kgen-launch: argument " + part + ", expected a whole number after +");
        argument["offset"] = whole;
      }
      list.push_back(std::move(argument));
    } else {
      return createStringError("kgen-launch: argument " + part +
                               ", expected inN, outN, wsN+BYTES, i32:N, i64:N or f32:X");
    }
  }
  return list;
}

static Expected<trajectory::Json> readLaunch(StringRef line) {
  trajectory::Json launch = {{"kernel", ""},
                             {"grid", {1, 1, 1}},
                             {"block", {1, 1, 1}},
                             {"shared_bytes", 0},
                             {"args", trajectory::Json::array()}};
  for (StringRef field : split(line.trim(), ' ')) {
    if (field.empty())
      continue;
    auto [name, value] = field.split('=');
    if (name == "kernel") {
      launch["kernel"] = value.str();
    } else if (name == "grid" || name == "block" || name == "cluster") {
      auto extents = readExtents(name, value);
      if (!extents)
        return extents.takeError();
      launch[name.str()] = std::move(*extents);
    } else if (name == "shared") {
      int64_t bytes;
      if (value.getAsInteger(10, bytes))
        return createStringError("kgen-launch: shared=" + value + ", expected bytes");
      launch["shared_bytes"] = bytes;
    } else if (name == "args") {
      auto arguments = readArguments(value);
      if (!arguments)
        return arguments.takeError();
      launch["args"] = std::move(*arguments);
    } else {
      return createStringError("kgen-launch: " + field +
                               ", expected kernel=, grid=, block=, cluster=, shared= or args=");
    }
  }
  return launch;
}

Expected<std::string> completeSeedPlan(const candidate::LaunchPlan &generic, StringRef cuda, StringRef text) {
  trajectory::Json plan = trajectory::Json::parse(generic.print());
  plan["launches"] = trajectory::Json::array();
  plan["workspace"] = trajectory::Json::array();
  if (!text.empty()) {
    trajectory::Json given = trajectory::Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
    if (!given.is_object() || !given.contains("launches"))
      return createStringError("the plan is no JSON object with \"launches\"");
    if (given.contains("inputs"))
      return text.str(); // whole: whether it fits is asked of every plan
    plan["launches"] = given["launches"];
    if (given.contains("workspace"))
      plan["workspace"] = given["workspace"];
  }
  for (StringRef rest = text.empty() ? cuda : ""; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    line = line.trim();
    if (line.consume_front("// kgen-launch:")) {
      auto launch = readLaunch(line);
      if (!launch)
        return launch.takeError();
      plan["launches"].push_back(std::move(*launch));
    } else if (line.consume_front("// kgen-workspace:")) {
      int64_t bytes;
      if (line.trim().getAsInteger(10, bytes))
        return createStringError("kgen-workspace: " + line.trim() + ", expected bytes");
      plan["workspace"].push_back({{"name", "ws" + std::to_string(plan["workspace"].size())}, {"bytes", bytes}});
    }
  }
  auto checked = candidate::LaunchPlan::parse(plan.dump());
  if (!checked)
    return checked.takeError();
  return checked->print();
}

} // namespace kgen::search
