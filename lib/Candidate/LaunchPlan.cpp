//===- LaunchPlan.cpp - plan.json in and out ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/LaunchPlan.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Support/Chip.h"
#include "kgen/Support/PlanLimits.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace kgen;
using namespace kgen::candidate;
using json = nlohmann::ordered_json;

namespace {

struct TypeRow {
  DType type;
  const char *name;
  size_t bytes;
};
constexpr TypeRow typeTable[] = {{DType::F64, "f64", 8},   {DType::F32, "f32", 4}, {DType::F16, "f16", 2},
                                 {DType::BF16, "bf16", 2}, {DType::I64, "i64", 8}, {DType::I32, "i32", 4},
                                 {DType::I8, "i8", 1},     {DType::I1, "i1", 1}};

/// Bounds of what a plan may ask for; a proposer's text is normal input.
constexpr int64_t maxGridX = 2147483647, maxGridYZ = 65535, maxThreads = 1024;
constexpr int64_t maxSharedBytes = Chip::mostSharedBytes, maxWorkspaceBytes = int64_t(64) << 30;
constexpr size_t maxPlanBytes = 64 << 20, maxBuffers = 65536, maxRank = 16, maxModules = 1024;
constexpr int64_t maxElements = int64_t(1) << 40;

/// Unwound inside this file only: nlohmann throws too, and both end in one llvm::Error.
struct BadPlan {
  std::string message;
};
[[noreturn]] void fail(const llvm::Twine &message) { throw BadPlan{printable(("plan.json: " + message).str())}; }

const json &member(const json &object, const char *key, const std::string &place) {
  if (!object.is_object())
    fail(place.empty() ? llvm::Twine("is not an object") : place + " is not an object");
  auto it = object.find(key);
  if (it == object.end())
    fail((place.empty() ? std::string() : place + ".") + key + " is missing");
  return *it;
}

std::string text(const json &value, const std::string &place, size_t limit = 256) {
  if (!value.is_string())
    fail(place + " is not a string");
  std::string s = value.get<std::string>();
  if (s.size() > limit)
    fail(place + " is longer than " + llvm::Twine(limit) + " characters");
  if (std::string disguise = findDisguise(s, place); !disguise.empty())
    fail(disguise);
  return s;
}

int64_t integer(const json &value, const std::string &place, int64_t low, int64_t high) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX)))
    fail(place + " is not an integer");
  int64_t v = value.get<int64_t>();
  if (v < low || v > high)
    fail(place + " is " + llvm::Twine(v) + ", expected " + llvm::Twine(low) + " to " + llvm::Twine(high));
  return v;
}

const json &array(const json &value, const std::string &place, size_t limit) {
  if (!value.is_array())
    fail(place + " is not a list");
  if (value.size() > limit)
    fail(place + " has " + llvm::Twine(value.size()) + " entries, expected at most " + llvm::Twine(limit));
  return value;
}

std::string indexed(const std::string &place, size_t i) { return place + "[" + std::to_string(i) + "]"; }

std::array<int64_t, 3> triple(const json &value, const std::string &place, std::array<int64_t, 3> high) {
  array(value, place, 3);
  std::array<int64_t, 3> out{1, 1, 1};
  if (value.empty())
    fail(place + " is empty");
  for (size_t i = 0; i < value.size(); ++i)
    out[i] = integer(value[i], indexed(place, i), 1, high[i]);
  return out;
}

/// A member that nobody reads is a mistake, or an attempt: compiler options have no place in a plan.
void onlyKnown(const json &value, const std::string &place, std::initializer_list<const char *> known) {
  for (const auto &entry : value.items())
    if (llvm::none_of(known, [&](const char *name) { return entry.key() == name; }))
      fail((place.empty() ? "" : place + ".") + llvm::Twine(entry.key().substr(0, 64)) + " is nothing that a plan has");
}

BufferSpec buffer(const json &value, const std::string &place) {
  BufferSpec spec;
  spec.name = text(member(value, "name", place), place + ".name");
  onlyKnown(value, place, {"name", "dtype", "shape", "init", "parameter", "read_bytes", "updates"});
  std::string dtype = text(member(value, "dtype", place), place + ".dtype");
  auto type = parseDType(dtype);
  if (!type)
    fail(place + ".dtype is '" + dtype + "', expected f64, f32, f16, bf16, i64, i32, i8 or i1");
  spec.dtype = *type;
  const json &shape = array(member(value, "shape", place), place + ".shape", maxRank);
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    spec.shape.push_back(integer(shape[i], indexed(place + ".shape", i), 0, maxElements));
    if (__builtin_mul_overflow(elements, spec.shape.back(), &elements) || elements > maxElements)
      fail(place + ".shape has more than 2^40 elements");
  }
  if (auto it = value.find("init"); it != value.end())
    spec.init = text(*it, place + ".init");
  if (auto it = value.find("parameter"); it != value.end()) {
    if (!it->is_boolean())
      fail(place + ".parameter is not true or false");
    spec.parameter = it->get<bool>();
  }
  if (auto it = value.find("read_bytes"); it != value.end())
    spec.readBytes = integer(*it, place + ".read_bytes", 0, int64_t(spec.bytes()));
  if (auto it = value.find("updates"); it != value.end())
    spec.updates = int(integer(*it, place + ".updates", 0, int64_t(maxBuffers) - 1));
  return spec;
}

bool isIdentifier(llvm::StringRef s) {
  return !s.empty() && s.size() <= 255 && !llvm::isDigit(s[0]) &&
         llvm::all_of(s, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// BYTES receives the buffer's size.
BufferRef bufferRef(const json &arg, const LaunchPlan &plan, const std::string &place, int64_t *size = nullptr) {
  BufferRef ref;
  std::string name = text(arg.at("buffer"), place + ".buffer");
  llvm::StringRef rest = name;
  size_t count = 0;
  int64_t bytes = 0;
  if (rest.consume_front("in"))
    ref.kind = BufferKind::Input, count = plan.inputs.size();
  else if (rest.consume_front("out"))
    ref.kind = BufferKind::Output, count = plan.outputs.size();
  else if (rest.consume_front("ws"))
    ref.kind = BufferKind::Workspace, count = plan.workspace.size();
  else
    fail(place + ".buffer is '" + name + "', expected inN, outN or wsN");
  if (rest.getAsInteger(10, ref.index) || ref.index >= count)
    fail(place + ".buffer is '" + name + "', but the plan has " + llvm::Twine(count) + " of these");
  bytes = plan.bytesOf(ref);
  if (auto it = arg.find("offset"); it != arg.end())
    ref.offset = integer(*it, place + ".offset", 0, bytes - 1);
  if (size)
    *size = bytes;
  return ref;
}

std::vector<int64_t> integers(const json &value, const std::string &place, size_t least, size_t most, int64_t low,
                              int64_t high) {
  array(value, place, most);
  if (value.size() < least)
    fail(place + " has " + llvm::Twine(value.size()) + " entries, expected at least " + llvm::Twine(least));
  std::vector<int64_t> out;
  for (size_t i = 0; i < value.size(); ++i)
    out.push_back(integer(value[i], indexed(place, i), low, high));
  return out;
}

/// A size like "128B", or none.
int byteWord(const json &map, const char *key, const std::string &place, std::initializer_list<int> sizes) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  std::string word = text(*it, place + "." + key), known = "none";
  if (word == "none")
    return 0;
  for (int size : sizes) {
    if (word == std::to_string(size) + "B")
      return size;
    known += " or " + std::to_string(size) + "B";
  }
  fail(place + "." + key + " is '" + word + "', expected " + known);
}

/// What the hardware asks of a map, so that a wrong one is told apart before any launch.
TensorMapSpec tensorMap(const json &map, const LaunchPlan &plan, const std::string &place) {
  TensorMapSpec spec;
  int64_t bytes = 0;
  member(map, "buffer", place);
  onlyKnown(map, place, {"buffer", "offset", "dtype", "dims", "strides", "box", "swizzle", "l2", "fill"});
  spec.buffer = bufferRef(map, plan, place, &bytes);
  std::string dtype = text(member(map, "dtype", place), place + ".dtype");
  spec.roundsToTf32 = dtype == "tf32";
  auto type = spec.roundsToTf32 ? DType::F32 : parseDType(dtype);
  if (!type)
    fail(place + ".dtype is '" + dtype + "', expected f64, f32, tf32, f16, bf16, i64, i32, i8 or i1");
  spec.dtype = *type;
  const int64_t element = int64_t(byteSize(*type));
  spec.dims = integers(member(map, "dims", place), place + ".dims", 1, 5, 1, int64_t(1) << 32);
  const size_t rank = spec.dims.size();
  if (auto it = map.find("strides"); it != map.end() || rank > 1)
    spec.strides =
        integers(member(map, "strides", place), place + ".strides", rank - 1, rank - 1, 1, (int64_t(1) << 40) - 1);
  spec.box = integers(member(map, "box", place), place + ".box", rank, rank, 1, 256);
  spec.swizzle = byteWord(map, "swizzle", place, {32, 64, 128});
  spec.l2 = byteWord(map, "l2", place, {64, 128, 256});
  if (auto it = map.find("fill"); it != map.end() && *it != "zero")
    fail(place + ".fill is not 'zero'");
  if (spec.buffer.offset % 16)
    fail(place + ".offset is " + llvm::Twine(spec.buffer.offset) + ", expected a multiple of 16");
  int64_t last = spec.buffer.offset + spec.dims[0] * element;
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (spec.strides[i] % 16)
      fail(indexed(place + ".strides", i) + " is " + llvm::Twine(spec.strides[i]) + ", expected a multiple of 16");
    int64_t reach;
    if (__builtin_mul_overflow(spec.dims[i + 1] - 1, spec.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      fail(place + " spans more than 2^63 bytes");
  }
  if (last > bytes)
    fail(place + " ends at byte " + llvm::Twine(last) + " of its buffer, which has " + llvm::Twine(bytes));
  int64_t row = spec.box[0] * element;
  if (row % 16)
    fail(place + ".box[0] makes rows of " + llvm::Twine(row) + " bytes, expected a multiple of 16");
  if (spec.swizzle && row > spec.swizzle)
    fail(place + ".box[0] makes rows of " + llvm::Twine(row) + " bytes, the swizzle spans " +
         llvm::Twine(spec.swizzle));
  int64_t box = element;
  for (int64_t d : spec.box)
    box *= d;
  if (box > maxSharedBytes)
    fail(place + ".box has " + llvm::Twine(box) + " bytes, shared memory has " + llvm::Twine(maxSharedBytes));
  return spec;
}

LaunchArgument argument(const json &arg, const LaunchPlan &plan, const std::string &place) {
  if (!arg.is_object())
    fail(place + " is not an object");
  if (arg.contains("buffer")) {
    onlyKnown(arg, place, {"buffer", "offset"});
    return bufferRef(arg, plan, place);
  }
  if (arg.size() != 1)
    fail(place + " has " + llvm::Twine(arg.size()) + " members, expected one of buffer, i32, i64, f32, tensor_map");
  if (arg.contains("i32"))
    return int32_t(integer(arg["i32"], place + ".i32", INT32_MIN, INT32_MAX));
  if (arg.contains("i64"))
    return int64_t(integer(arg["i64"], place + ".i64", INT64_MIN, INT64_MAX));
  if (arg.contains("f32")) {
    if (!arg["f32"].is_number())
      fail(place + ".f32 is not a number");
    const float value = arg["f32"].get<float>();
    if (!std::isfinite(value))
      fail(place + ".f32 is larger than any float");
    return value;
  }
  if (arg.contains("tensor_map"))
    return tensorMap(arg["tensor_map"], plan, place + ".tensor_map");
  fail(place + " has none of buffer, i32, i64, f32, tensor_map");
}

Launch launch(const json &value, const LaunchPlan &plan, const std::string &place) {
  Launch out;
  if (value.is_object() && plan.isNetwork())
    onlyKnown(value, place, {"module", "kernel", "grid", "block", "cluster", "cooperative", "shared_bytes", "args"});
  else if (value.is_object())
    onlyKnown(value, place, {"kernel", "grid", "block", "cluster", "cooperative", "shared_bytes", "args"});
  if (plan.isNetwork())
    out.module =
        unsigned(integer(member(value, "module", place), place + ".module", 0, int64_t(plan.modules.size()) - 1));
  out.kernel = text(member(value, "kernel", place), place + ".kernel");
  if (!isIdentifier(out.kernel))
    fail(place + ".kernel is not a C identifier");
  out.grid = triple(member(value, "grid", place), place + ".grid", {maxGridX, maxGridYZ, maxGridYZ});
  out.block = triple(member(value, "block", place), place + ".block", {maxThreads, maxThreads, 64});
  if (int64_t threads = out.block[0] * out.block[1] * out.block[2]; threads > maxThreads)
    fail(place + ".block has " + llvm::Twine(threads) + " threads, expected at most " + llvm::Twine(maxThreads));
  if (auto it = value.find("cluster"); it != value.end())
    out.cluster = triple(*it, place + ".cluster", {16, 16, 16});
  for (int d = 0; d < 3; ++d)
    if (out.grid[d] % out.cluster[d])
      fail(indexed(place + ".grid", size_t(d)) + " is " + llvm::Twine(out.grid[d]) +
           ", expected a multiple of the cluster's " + llvm::Twine(out.cluster[d]));
  if (auto it = value.find("cooperative"); it != value.end()) {
    if (!it->is_boolean())
      fail(place + ".cooperative is not true or false");
    out.cooperative = it->get<bool>();
  }
  if (auto it = value.find("shared_bytes"); it != value.end())
    out.sharedBytes = integer(*it, place + ".shared_bytes", 0, maxSharedBytes);
  const json &args = array(member(value, "args", place), place + ".args", 1024);
  for (size_t i = 0; i < args.size(); ++i)
    out.arguments.push_back(argument(args[i], plan, indexed(place + ".args", i)));
  return out;
}

/// The names of a network's texts: of files in the plan's own folder.
std::vector<std::string> moduleNames(const json &value) {
  array(value, "modules", maxModules);
  std::vector<std::string> out;
  for (size_t i = 0; i < value.size(); ++i) {
    std::string place = indexed("modules", i), name = text(value[i], place, 128);
    bool plain = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.'; });
    if (!plain || name[0] == '.' || !llvm::StringRef(name).ends_with(".cu"))
      fail(place + " is '" + name + "', expected a file's name that ends in .cu");
    if (llvm::is_contained(out, name))
      fail(place + " is '" + name + "', which stands there already");
    out.push_back(std::move(name));
  }
  if (out.empty())
    fail("modules is empty");
  return out;
}

std::vector<BufferRange> stepBuffers(const json &value, const LaunchPlan &plan, const std::string &place) {
  array(value, place, maxBuffers);
  std::vector<BufferRange> out;
  for (size_t i = 0; i < value.size(); ++i) {
    std::string one = indexed(place, i);
    member(value[i], "buffer", one);
    onlyKnown(value[i], one, {"buffer", "offset", "bytes"});
    int64_t size = 0;
    BufferRange range{bufferRef(value[i], plan, one, &size)};
    if (range.offset % bufferAlignment)
      fail(one + ".offset is " + llvm::Twine(range.offset) + ", expected a multiple of " +
           llvm::Twine(bufferAlignment));
    if (auto it = value[i].find("bytes"); it != value[i].end())
      range.bytes = integer(*it, one + ".bytes", 1, size - range.offset);
    else if (range.offset)
      fail(one + ".bytes is missing");
    out.push_back(range);
  }
  return out;
}

/// The steps of a network: each launch in one, and each step's kernels out of one text.
void readSteps(const json &value, LaunchPlan &plan) {
  array(value, "steps", mostLaunches);
  size_t at = 0;
  std::vector<bool> used(plan.modules.size());
  for (size_t i = 0; i < value.size(); ++i) {
    std::string place = indexed("steps", i);
    PlanStep step;
    step.task = text(member(value[i], "task", place), place + ".task");
    onlyKnown(value[i], place, {"task", "launches", "inputs", "outputs"});
    step.launches = size_t(integer(member(value[i], "launches", place), place + ".launches", 1,
                                   int64_t(plan.launches.size() - std::min(at, plan.launches.size()))));
    step.inputs = stepBuffers(member(value[i], "inputs", place), plan, place + ".inputs");
    step.outputs = stepBuffers(member(value[i], "outputs", place), plan, place + ".outputs");
    for (size_t l = at; l < at + step.launches; ++l)
      if (plan.launches[l].module != plan.launches[at].module)
        fail(place + " launches kernels of two modules");
    used[plan.launches[at].module] = true;
    at += step.launches;
    plan.steps.push_back(std::move(step));
  }
  if (at != plan.launches.size())
    fail("steps have " + llvm::Twine(at) + " launches, the plan has " + llvm::Twine(plan.launches.size()));
  for (size_t m = 0; m < used.size(); ++m)
    if (!used[m])
      fail(indexed("modules", m) + " has no launch");
}

WorkspaceSpec workspaceSpec(const json &value, bool network, const std::string &place) {
  WorkspaceSpec ws;
  ws.name = text(member(value, "name", place), place + ".name");
  ws.bytes = integer(member(value, "bytes", place), place + ".bytes", 1, maxWorkspaceBytes);
  if (!network) {
    onlyKnown(value, place, {"name", "bytes"});
    return ws;
  }
  if (auto it = value.find("prepared"); it != value.end()) {
    onlyKnown(value, place, {"name", "bytes", "prepared"});
    if (!it->is_boolean() || !it->get<bool>())
      fail(place + ".prepared is not true");
    ws.prepared = true;
    return ws;
  }
  onlyKnown(value, place, {"name", "bytes", "offset", "first", "last"});
  ws.offset = integer(member(value, "offset", place), place + ".offset", 0, maxWorkspaceBytes);
  if (ws.offset % bufferAlignment)
    fail(place + ".offset is " + llvm::Twine(ws.offset) + ", expected a multiple of " + llvm::Twine(bufferAlignment));
  if (ws.offset + ws.bytes > maxWorkspaceBytes)
    fail(place + " ends beyond 64 GiB");
  ws.first = size_t(integer(member(value, "first", place), place + ".first", 0, int64_t(mostLaunches) - 1));
  ws.last =
      size_t(integer(member(value, "last", place), place + ".last", int64_t(ws.first), int64_t(mostLaunches) - 1));
  return ws;
}

/// SOURCE as JSON. Where a member stands twice, readers of one text could take it for two different plans.
json parseStrictly(llvm::StringRef source) {
  if (source.size() > maxPlanBytes)
    fail("has " + llvm::Twine(source.size()) + " bytes, at most " + llvm::Twine(maxPlanBytes) + " are allowed");
  if (std::string fault = findJsonFault(source, {/*levels=*/32, /*members=*/64}); !fault.empty())
    fail(fault);
  return json::parse(source.begin(), source.end());
}

LaunchPlan parsePlan(llvm::StringRef source, bool launches) {
  json root = parseStrictly(source);
  LaunchPlan plan;
  const int64_t version = integer(member(root, "version", ""), "version", INT64_MIN, INT64_MAX);
  if (version != 1 && version != 2)
    fail("version is " + llvm::Twine(version) + ", expected 1 or 2");
  if (version == 1) {
    onlyKnown(root, "", {"version", "problem", "arch", "precision", "inputs", "outputs", "workspace", "launches"});
  } else {
    onlyKnown(root, "",
              {"version", "problem", "arch", "precision", "inputs", "outputs", "workspace", "modules", "launches",
               "steps", "prepare"});
    plan.modules = moduleNames(member(root, "modules", ""));
  }
  plan.problem = text(member(root, "problem", ""), "problem");
  plan.arch = text(member(root, "arch", ""), "arch");
  plan.precision = text(member(root, "precision", ""), "precision");
  if (plan.precision != "strict-fp32" && plan.precision != "tf32" && plan.precision != "bf16" &&
      plan.precision != "fp16")
    fail("precision is '" + plan.precision + "', expected strict-fp32, tf32, bf16 or fp16");
  const json &inputs = array(member(root, "inputs", ""), "inputs", maxBuffers);
  for (size_t i = 0; i < inputs.size(); ++i) {
    plan.inputs.push_back(buffer(inputs[i], indexed("inputs", i)));
    if (plan.inputs[i].updates >= 0)
      fail(indexed("inputs", i) + ".updates is nothing that a plan has");
  }
  const json &outputs = array(member(root, "outputs", ""), "outputs", maxBuffers);
  for (size_t i = 0; i < outputs.size(); ++i)
    plan.outputs.push_back(buffer(outputs[i], indexed("outputs", i)));
  if (outputs.empty())
    fail("outputs is empty");
  if (std::string fault = findUpdateFault(plan); !fault.empty())
    fail(fault);
  // A graph that is only launched in pieces has a plan of its own that no limit holds for.
  if (!launches)
    return plan;
  int64_t total = 0;
  if (auto it = root.find("workspace"); it != root.end()) {
    array(*it, "workspace", maxBuffers);
    for (size_t i = 0; i < it->size(); ++i) {
      plan.workspace.push_back(workspaceSpec((*it)[i], plan.isNetwork(), indexed("workspace", i)));
      const bool isAlone = !plan.isNetwork() || plan.workspace.back().prepared;
      total += isAlone ? plan.workspace.back().bytes : 0;
      if (total > maxWorkspaceBytes)
        fail("workspace adds up to more than 64 GiB");
    }
  }
  const json &list = array(member(root, "launches", ""), "launches", mostLaunches);
  for (size_t i = 0; i < list.size(); ++i)
    plan.launches.push_back(launch(list[i], plan, indexed("launches", i)));
  if (std::string fault = findUpdateFault(plan); !fault.empty())
    fail(fault);
  if (plan.launches.empty())
    fail("launches is empty");
  if (plan.isNetwork()) {
    readSteps(member(root, "steps", ""), plan);
    if (auto it = root.find("prepare"); it != root.end())
      plan.prepareSteps = size_t(integer(*it, "prepare", 0, int64_t(plan.steps.size()) - 1));
    for (auto find : {findRangeFault, findLifetimeFault, findPrepareFault})
      if (std::string fault = find(plan); !fault.empty())
        fail(fault);
  }
  return plan;
}

json printBuffer(const BufferSpec &spec, bool input) {
  json out{{"name", spec.name}, {"dtype", dtypeName(spec.dtype).str()}, {"shape", spec.shape}};
  if (input) {
    out["init"] = spec.init;
    if (spec.parameter)
      out["parameter"] = true;
    if (spec.readBytes >= 0)
      out["read_bytes"] = spec.readBytes;
  }
  if (spec.updates >= 0)
    out["updates"] = spec.updates;
  return out;
}

json printBufferRef(const BufferRef &ref) {
  const char *prefix = ref.kind == BufferKind::Input ? "in" : ref.kind == BufferKind::Output ? "out" : "ws";
  json out{{"buffer", prefix + std::to_string(ref.index)}};
  if (ref.offset)
    out["offset"] = ref.offset;
  return out;
}

json printArgument(const LaunchArgument &arg) {
  if (auto *ref = std::get_if<BufferRef>(&arg))
    return printBufferRef(*ref);
  if (auto *map = std::get_if<TensorMapSpec>(&arg)) {
    auto word = [](int bytes) { return bytes ? std::to_string(bytes) + "B" : std::string("none"); };
    json out = printBufferRef(map->buffer);
    out["dtype"] = map->elementName();
    out["dims"] = map->dims;
    out["strides"] = map->strides;
    out["box"] = map->box;
    out["swizzle"] = word(map->swizzle);
    out["l2"] = word(map->l2);
    out["fill"] = "zero";
    return {{"tensor_map", out}};
  }
  if (auto *i = std::get_if<int32_t>(&arg))
    return {{"i32", *i}};
  if (auto *i = std::get_if<int64_t>(&arg))
    return {{"i64", *i}};
  return {{"f32", std::get<float>(arg)}};
}

} // namespace

size_t kgen::candidate::byteSize(DType type) { return typeTable[size_t(type)].bytes; }
llvm::StringRef kgen::candidate::dtypeName(DType type) { return typeTable[size_t(type)].name; }
std::optional<DType> kgen::candidate::parseDType(llvm::StringRef name) {
  for (const TypeRow &row : typeTable)
    if (name == row.name)
      return row.type;
  return std::nullopt;
}

size_t kgen::candidate::parameterBytes(const LaunchArgument &argument) {
  if (std::holds_alternative<TensorMapSpec>(argument))
    return 128;
  return std::holds_alternative<int32_t>(argument) || std::holds_alternative<float>(argument) ? 4 : 8;
}

int64_t BufferSpec::elements() const {
  int64_t n = 1;
  for (int64_t d : shape)
    n *= d;
  return n;
}

static llvm::Expected<LaunchPlan> tryParse(llvm::StringRef source, bool launches) {
  std::string message;
  try {
    return parsePlan(source, launches);
  } catch (const BadPlan &bad) {
    message = bad.message;
  } catch (const std::exception &e) {
    // Its words quote what was read last, whatever its length.
    message = printable(("plan.json: not valid JSON: " + llvm::StringRef(e.what()).take_front(300)).str());
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<LaunchPlan> LaunchPlan::parse(llvm::StringRef source) { return tryParse(source, /*launches=*/true); }

llvm::Expected<LaunchPlan> LaunchPlan::parseShape(llvm::StringRef source) {
  return tryParse(source, /*launches=*/false);
}

std::string LaunchPlan::print() const {
  json root{{"version", isNetwork() ? 2 : 1}, {"problem", problem}, {"arch", arch}, {"precision", precision}};
  root["inputs"] = json::array();
  for (const BufferSpec &spec : inputs)
    root["inputs"].push_back(printBuffer(spec, true));
  root["outputs"] = json::array();
  for (const BufferSpec &spec : outputs)
    root["outputs"].push_back(printBuffer(spec, false));
  root["workspace"] = json::array();
  for (const WorkspaceSpec &ws : workspace)
    if (ws.prepared)
      root["workspace"].push_back({{"name", ws.name}, {"bytes", ws.bytes}, {"prepared", true}});
    else if (isNetwork())
      root["workspace"].push_back(
          {{"name", ws.name}, {"bytes", ws.bytes}, {"offset", ws.offset}, {"first", ws.first}, {"last", ws.last}});
    else
      root["workspace"].push_back({{"name", ws.name}, {"bytes", ws.bytes}});
  if (isNetwork())
    root["modules"] = modules;
  if (prepareSteps)
    root["prepare"] = prepareSteps;
  root["launches"] = json::array();
  for (const Launch &l : launches) {
    json one = isNetwork() ? json{{"module", l.module}} : json::object();
    one["kernel"] = l.kernel;
    one["grid"] = l.grid;
    one["block"] = l.block;
    one["shared_bytes"] = l.sharedBytes;
    if (l.cluster != std::array<int64_t, 3>{1, 1, 1})
      one["cluster"] = l.cluster;
    if (l.cooperative)
      one["cooperative"] = true;
    one["args"] = json::array();
    for (const LaunchArgument &arg : l.arguments)
      one["args"].push_back(printArgument(arg));
    root["launches"].push_back(std::move(one));
  }
  for (const PlanStep &step : steps) {
    json one{{"task", step.task}, {"launches", step.launches}};
    for (auto [key, list] : {std::pair("inputs", &step.inputs), std::pair("outputs", &step.outputs)}) {
      one[key] = json::array();
      for (const BufferRange &range : *list) {
        one[key].push_back(printBufferRef(range));
        if (range.bytes >= 0)
          one[key].back()["bytes"] = range.bytes;
      }
    }
    root["steps"].push_back(std::move(one));
  }
  return root.dump(1) + "\n";
}

int64_t LaunchPlan::bytesOf(const BufferRef &ref) const {
  switch (ref.kind) {
  case BufferKind::Input:
    return int64_t(inputs[ref.index].bytes());
  case BufferKind::Output:
    return int64_t(outputs[ref.index].bytes());
  case BufferKind::Workspace:
    return workspace[ref.index].bytes;
  }
  return 0;
}

double LaunchPlan::bufferBytes() const {
  double bytes = 0;
  for (const auto *list : {&inputs, &outputs})
    for (const BufferSpec &spec : *list)
      bytes += double(spec.bytes());
  return bytes;
}

double LaunchPlan::compulsoryBytes() const {
  double bytes = writtenBytes();
  for (const BufferSpec &spec : inputs)
    bytes += spec.compulsoryBytes();
  return bytes;
}

double LaunchPlan::writtenBytes() const {
  double bytes = 0;
  for (const BufferSpec &spec : outputs)
    if (spec.updates < 0)
      bytes += double(spec.bytes());
  return bytes;
}
