//===- Plan.cpp - Reading bundle.json -------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "kgen/Runtime/Runtime.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>

using Json = nlohmann::json;

namespace kgen::runtime {

static size_t bytesOf(const std::string &dtype) {
  if (dtype == "f64" || dtype == "i64")
    return 8;
  if (dtype == "f32" || dtype == "i32")
    return 4;
  if (dtype == "f16" || dtype == "bf16")
    return 2;
  if (dtype == "i8" || dtype == "i1")
    return 1;
  throw std::runtime_error("the plan has an element type " + dtype + " that this runtime does not know");
}

static size_t bufferBytes(const Json &buffer) {
  size_t bytes = bytesOf(buffer.at("dtype").get<std::string>());
  for (const Json &extent : buffer.at("shape"))
    bytes *= extent.get<size_t>();
  return bytes;
}

/// "in0", "out1", "ws2".
static Pointer readPointer(const Json &argument, const Plan &plan) {
  std::string name = argument.at("buffer");
  size_t digits = name.find_first_of("0123456789");
  std::string kind = name.substr(0, digits);
  Pointer pointer{};
  pointer.index = digits == std::string::npos ? 0 : std::stoul(name.substr(digits));
  pointer.offset = argument.value("offset", size_t(0));
  size_t count = 0;
  if (kind == "in")
    pointer.space = Space::Input, count = plan.inputs.size();
  else if (kind == "out")
    pointer.space = Space::Output, count = plan.outputs.size();
  else if (kind == "ws")
    pointer.space = Space::Workspace, count = plan.workspace.size();
  if (pointer.index >= count)
    throw std::runtime_error("the plan passes a buffer " + name + " that it does not declare");
  if (pointer.space == Space::Workspace && plan.isPrepared[pointer.index])
    pointer.space = Space::Prepared;
  return pointer;
}

/// "128B" is 128, "none" 0.
static int readBytes(const Json &object, const char *key) {
  std::string word = object.value(key, std::string("none"));
  return word == "none" ? 0 : std::stoi(word);
}

static Argument readArgument(const Json &json, const Plan &plan) {
  Argument argument{};
  auto scalar = [&](auto value) {
    argument.kind = Argument::Kind::Scalar;
    memcpy(argument.scalar.data(), &value, sizeof value);
  };
  if (json.contains("buffer")) {
    argument.kind = Argument::Kind::Pointer;
    argument.pointer = readPointer(json, plan);
  } else if (json.contains("i32")) {
    scalar(json.at("i32").get<int32_t>());
  } else if (json.contains("i64")) {
    scalar(json.at("i64").get<int64_t>());
  } else if (json.contains("f32")) {
    scalar(json.at("f32").get<float>());
  } else {
    const Json &map = json.at("tensor_map");
    argument.kind = Argument::Kind::Map;
    argument.map.base = readPointer(map, plan);
    argument.map.dtype = map.at("dtype");
    argument.map.dims = map.at("dims").get<std::vector<uint64_t>>();
    argument.map.strides = map.value("strides", std::vector<uint64_t>());
    argument.map.box = map.at("box").get<std::vector<uint32_t>>();
    argument.map.swizzle = readBytes(map, "swizzle");
    argument.map.l2 = readBytes(map, "l2");
  }
  return argument;
}

/// What the launches of a network's runs use: a launch points into what its step reads and writes, or at workspaces.
static void readAccesses(const Json &json, const std::vector<size_t> &spaceBytes, Plan &plan) {
  const unsigned inputs = unsigned(plan.inputs.size()), outputs = unsigned(plan.outputs.size());
  const unsigned arena = inputs + outputs, prepared = arena + 1, cooperation = arena + 2;
  plan.memories = cooperation + 1;
  auto extentOf = [&](const Pointer &pointer) -> Extent {
    if (pointer.space == Space::Input)
      return {unsigned(pointer.index), 0, int64_t(plan.inputs[pointer.index])};
    if (pointer.space == Space::Output)
      return {inputs + unsigned(pointer.index), 0, int64_t(plan.outputs[pointer.index])};
    const int64_t begin = int64_t(plan.workspace[pointer.index]);
    return {pointer.space == Space::Prepared ? prepared : arena, begin, begin + int64_t(spaceBytes[pointer.index])};
  };
  auto readRanges = [&](const Json &list) {
    std::vector<Extent> ranges;
    for (const Json &range : list) {
      const Pointer pointer = readPointer(range, plan);
      Extent extent = extentOf(pointer);
      extent.begin += int64_t(pointer.offset);
      if (range.contains("bytes"))
        extent.end = extent.begin + range.at("bytes").get<int64_t>();
      ranges.push_back(extent);
    }
    return ranges;
  };
  size_t launch = 0;
  for (const Json &step : json.at("steps")) {
    const std::vector<Extent> reads = readRanges(step.at("inputs")), writes = readRanges(step.at("outputs"));
    for (const size_t end = launch + step.at("launches").get<size_t>(); launch < end; ++launch) {
      if (launch < plan.prepareLaunches)
        continue;
      std::vector<Access> &accesses = plan.accesses.emplace_back();
      const Launch &one = plan.launches.at(launch);
      for (const Argument &argument : one.arguments) {
        if (argument.kind == Argument::Kind::Scalar)
          continue;
        const Pointer &pointer = argument.kind == Argument::Kind::Map ? argument.map.base : argument.pointer;
        const Extent whole = extentOf(pointer);
        addAccess(whole, whole.begin + int64_t(pointer.offset), pointer.space == Space::Input, reads, writes, accesses);
      }
      // One of them at a time: each waits for all of its blocks to be on the card.
      if (one.cooperative)
        accesses.push_back({cooperation, 0, 1, true});
    }
  }
}

static Plan readPlan(const Json &json) {
  Plan plan;
  for (const Json &buffer : json.at("inputs"))
    plan.inputs.push_back(bufferBytes(buffer));
  for (const Json &buffer : json.at("outputs")) {
    plan.outputs.push_back(bufferBytes(buffer));
    plan.updates.push_back(buffer.value("updates", -1));
    if (plan.updates.back() >= int(plan.inputs.size()))
      throw std::runtime_error("the plan writes an input in place that it does not declare");
  }
  std::vector<size_t> spaceBytes;
  for (const Json &buffer : json.value("workspace", Json::array())) {
    spaceBytes.push_back(buffer.at("bytes"));
    plan.isPrepared.push_back(buffer.value("prepared", false));
    if (plan.isPrepared.back()) {
      plan.workspace.push_back(plan.preparedBytes);
      plan.preparedBytes += (buffer.at("bytes").get<size_t>() + 255) / 256 * 256;
      continue;
    }
    // Those of a network share an arena.
    const size_t offset = buffer.value("offset", plan.workspaceBytes);
    plan.workspace.push_back(offset);
    plan.workspaceBytes = std::max(plan.workspaceBytes, offset + (buffer.at("bytes").get<size_t>() + 255) / 256 * 256);
  }
  for (const Json &entry : json.at("launches")) {
    Launch launch;
    launch.kernel = entry.at("kernel");
    launch.module = entry.value("module", size_t(0));
    launch.grid = entry.at("grid");
    launch.block = entry.at("block");
    launch.cluster = entry.value("cluster", launch.cluster);
    launch.sharedBytes = entry.value("shared_bytes", 0u);
    launch.cooperative = entry.value("cooperative", false);
    for (const Json &argument : entry.at("args"))
      launch.arguments.push_back(readArgument(argument, plan));
    plan.launches.push_back(std::move(launch));
  }
  for (size_t step = 0; step < json.value("prepare", size_t(0)); ++step)
    plan.prepareLaunches += json.at("steps").at(step).at("launches").get<size_t>();
  if (plan.prepareLaunches > plan.launches.size())
    throw std::runtime_error("the plan prepares by more launches than it has");
  if (json.contains("steps"))
    readAccesses(json, spaceBytes, plan);
  return plan;
}

Bundle readBundle(const std::string &folder) {
  std::string path = folder + "/bundle.json";
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + " cannot be read");
  Bundle bundle;
  try {
    Json json = Json::parse(file);
    const int version = json.at("version").get<int>();
    if (version < 1 || version > KGEN_RUNTIME_VERSION)
      throw std::runtime_error("it is of version " + json.at("version").dump() + ", this runtime reads versions 1 to " +
                               std::to_string(KGEN_RUNTIME_VERSION));
    std::string device = json.at("device");
    if (device != "host" && device != "cuda")
      throw std::runtime_error("its device is " + device + ", expected cuda or host");
    bundle.host = device == "host";
    bundle.arch = json.value("arch", std::string());
    for (const Json &image : json.contains("images") ? json.at("images") : Json::array({json}))
      bundle.images.push_back({folder + "/" + image.at("image").get<std::string>(), image.at("image_bytes")});
    bundle.plan = readPlan(json.at("plan"));
    for (const Launch &launch : bundle.plan.launches)
      if (launch.module >= bundle.images.size())
        throw std::runtime_error("it has " + std::to_string(bundle.images.size()) + " images, a launch is of image " +
                                 std::to_string(launch.module));
  } catch (const std::exception &error) {
    // The library's exceptions carry a number in brackets before their words.
    std::string words = error.what();
    if (size_t end = words.find("] "); words.rfind("[json", 0) == 0 && end != std::string::npos)
      words = words.substr(end + 2);
    throw std::runtime_error(path + " is not a bundle: " + words);
  }
  for (const Image &image : bundle.images) {
    struct stat facts{};
    if (stat(image.path.c_str(), &facts) != 0)
      throw std::runtime_error(image.path + " is missing");
    if (size_t(facts.st_size) != image.bytes)
      throw std::runtime_error(image.path + " has " + std::to_string(facts.st_size) + " bytes, expected " +
                               std::to_string(image.bytes) + ": the bundle is damaged");
  }
  return bundle;
}

} // namespace kgen::runtime
