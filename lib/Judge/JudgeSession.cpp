//===- JudgeSession.cpp - Answers on a device, in the judge's process -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JudgeSession.h"

#include "DrawBlocks.h"

#include "kgen/Device/Parallel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

using namespace kgen;
using namespace kgen::judge;

namespace {

enum { Widen, Compare, Facts, Draw };
constexpr unsigned blockThreads = 256;

uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

/// The launches of judge_kernels.cu: each thread takes every so manieth element.
candidate::LaunchPlan planOfKernels(unsigned blocks) {
  const candidate::LaunchArgument pointer = candidate::BufferRef{}, wide = int64_t(0), number = int32_t(0);
  auto launch = [&](const char *name, std::vector<candidate::LaunchArgument> arguments) {
    candidate::Launch out;
    out.kernel = name;
    out.grid = {blocks, 1, 1};
    out.block = {blockThreads, 1, 1};
    out.arguments = std::move(arguments);
    return out;
  };
  candidate::LaunchPlan plan;
  plan.launches = {launch("kgen_judge_widen", {pointer, pointer, wide, number, number, number}),
                   launch("kgen_judge_compare", {pointer, pointer, pointer, pointer, pointer, pointer, wide, wide, wide,
                                                 wide, number, number, number, number}),
                   launch("kgen_judge_facts", {pointer, pointer, wide, wide}),
                   launch("kgen_judge_draw", {pointer, wide, wide, wide, wide, wide, wide, wide, wide, number, number,
                                              number, number, number})};
  return plan;
}

} // namespace

llvm::Expected<std::unique_ptr<JudgeSession>> JudgeSession::create(device::Device &oracle, device::Device &own,
                                                                   const candidate::LaunchPlan &program,
                                                                   llvm::StringRef artifact, llvm::StringRef kernels,
                                                                   const candidate::LaunchPlan &shape) {
  if (program.inputs.size() != shape.inputs.size())
    return llvm::createStringError("the graph takes %zu arguments, the plan names %zu inputs", program.inputs.size(),
                                   shape.inputs.size());
  if (program.outputs.size() != shape.outputs.size())
    return llvm::createStringError("the graph returns %zu tensors, the plan names %zu outputs", program.outputs.size(),
                                   shape.outputs.size());
  for (bool outputs : {false, true}) {
    auto &ours = outputs ? program.outputs : program.inputs, &theirs = outputs ? shape.outputs : shape.inputs;
    for (size_t i = 0; i < ours.size(); ++i) {
      if (ours[i].elements() != theirs[i].elements())
        return llvm::createStringError("%s %zu has %lld elements by the graph, %lld by the plan",
                                       outputs ? "output" : "input", i, (long long)ours[i].elements(),
                                       (long long)theirs[i].elements());
      if (!outputs && ours[i].dtype != candidate::DType::F64 && ours[i].dtype != theirs[i].dtype)
        return llvm::createStringError("%s was not promoted to fp64", ours[i].name.c_str());
    }
  }
  std::unique_ptr<JudgeSession> session(new JudgeSession(own, program, shape));
  if (llvm::Error error = session->load(session->oracle, oracle, program, artifact))
    return std::move(error);
  // Four blocks on each of a large card's multiprocessors; one block is as good as many on the host.
  session->kernelPlan = planOfKernels(own.name() == "host" ? 1 : 528);
  own.usePlainMemory();
  if (llvm::Error error = own.load(kernels, session->kernelPlan))
    return std::move(error);
  if (llvm::Error error = session->prepare())
    return std::move(error);
  return std::move(session);
}

JudgeSession::~JudgeSession() {
  if (staging)
    own.unregisterHostMemory(staging.get());
}

llvm::Expected<device::DeviceAddress> JudgeSession::allocate(size_t bytes) {
  return own.allocate(std::max<size_t>(bytes, 8));
}

llvm::Error JudgeSession::prepare() {
  size_t outputBytes;
  inputOffsets = device::packBuffers(shape.inputs, 0, inputBytes);
  outputOffsets = device::packBuffers(shape.outputs, 4096, outputBytes);
  spare.resize(shape.outputs.size());
  auto block = allocateBlock(outputBytes);
  if (!block)
    return block.takeError();
  shown = *block;
  auto at = allocate(sizeof(DifferenceSums) * size_t(kernelPlan.launches[0].grid[0]) * blockThreads);
  if (!at)
    return at.takeError();
  partials = *at;
  return llvm::Error::success();
}

/// Memory that a candidate's process can be given, or just memory.
llvm::Expected<device::SharedBlock> JudgeSession::allocateBlock(size_t bytes) {
  auto shared = own.allocateShared(std::max<size_t>(bytes, 8));
  if (shared)
    return shared;
  llvm::consumeError(shared.takeError());
  auto at = allocate(bytes);
  if (!at)
    return at.takeError();
  return device::SharedBlock{*at, -1};
}

size_t JudgeSession::room() {
  size_t each = inputBytes, free = own.freeMemory(), candidate = inputBytes;
  for (const candidate::BufferSpec &spec : shape.outputs) {
    each += size_t(spec.elements()) * (spec.dtype == candidate::DType::I64 ? 16 : 8);
    candidate += spec.bytes();
  }
  if (free == 0)
    return SIZE_MAX;
  each = std::max<size_t>(each, 1);
  // Large problems: three sets may take more, if a candidate still has room for its buffers twice.
  size_t few = free > 2 * candidate ? std::min<size_t>((free - 2 * candidate) / each, 3) : 0;
  return std::max(free / 3 / each, few);
}

llvm::Error JudgeSession::launch(size_t kernel, llvm::MutableArrayRef<uint64_t> values) {
  std::vector<void *> pointers;
  for (uint64_t &value : values)
    pointers.push_back(&value);
  return own.launch(kernel, pointers, false, -1);
}

/// Gigabytes go by way of memory that the device copies from fast, filled by several threads while what they filled
/// before is on its way: a driver that is given other memory has one thread do that.
llvm::Error JudgeSession::write(device::DeviceAddress to, const char *from, size_t bytes) {
  constexpr size_t piece = 64u << 20, large = 4 * piece;
  if (bytes < large || own.name() == "host")
    return own.write(to, from, bytes);
  if (!staging) {
    staging.reset(new char[2 * piece]);
    own.registerHostMemory(staging.get(), 2 * piece);
  }
  auto half = [&](size_t at) { return staging.get() + at / piece % 2 * piece; };
  auto sizeAt = [&](size_t at) { return std::min(piece, bytes - at); };
  auto fill = [&](size_t at) {
    const unsigned threads = std::clamp(std::thread::hardware_concurrency() / 2, 1u, 8u);
    device::parallelFor(int64_t(sizeAt(at)), threads,
                        [&](int64_t begin, int64_t end) { memcpy(half(at) + begin, from + at + begin, end - begin); });
  };
  fill(0);
  for (size_t at = 0; at < bytes; at += piece) {
    std::thread next;
    if (at + piece < bytes)
      next = std::thread(fill, at + piece);
    llvm::Error error = own.write(to + at, half(at), sizeAt(at));
    if (next.joinable())
      next.join();
    if (error)
      return error;
  }
  return llvm::Error::success();
}

/// The memory that keeps the inputs of SET.
llvm::Expected<device::SharedBlock> JudgeSession::inputsOf(size_t set) {
  auto found = inputs.find(set);
  if (found == inputs.end()) {
    auto block = allocateBlock(inputBytes);
    if (!block)
      return block.takeError();
    found = inputs.emplace(set, *block).first;
  }
  return found->second;
}

llvm::Expected<int> JudgeSession::setInputs(size_t set, const char *bytes) {
  auto block = inputsOf(set);
  if (!block)
    return block.takeError();
  if (llvm::Error error = write(block->at, bytes, inputBytes))
    return std::move(error);
  return block->descriptor;
}

llvm::Expected<int> JudgeSession::drawInput(size_t set, unsigned number, const kgen_drawing &drawing) {
  if (number >= shape.inputs.size())
    return llvm::createStringError("there is no input %u", number);
  auto block = inputsOf(set);
  if (!block)
    return block.takeError();
  const candidate::BufferSpec &spec = shape.inputs[number];
  const device::DeviceAddress at = block->at + inputOffsets[number];
  std::vector<uint64_t> values = {at, uint64_t(spec.elements())};
  llvm::append_range(values, wordsOf(drawing));
  values.push_back(uint64_t(spec.dtype));
  if (llvm::Error error = launch(Draw, values))
    return std::move(error);
  if (llvm::Error error = own.synchronize())
    return std::move(error);
  if (llvm::Error error = checkDrawn(spec, at, drawing))
    return std::move(error);
  return block->descriptor;
}

/// Holds the first and the last elements against the CPU's: a seed that is told has to show the same case again there.
llvm::Error JudgeSession::checkDrawn(const candidate::BufferSpec &spec, device::DeviceAddress at,
                                     const kgen_drawing &drawing) {
  constexpr int64_t looked = 1024;
  const int64_t count = spec.elements(), width = int64_t(candidate::byteSize(spec.dtype));
  for (int64_t begin : {int64_t(0), std::max<int64_t>(count - looked, 0)}) {
    const int64_t end = std::min(begin + looked, count);
    if (begin >= end)
      continue;
    std::vector<char> ours(size_t((end - begin) * width)), theirs(ours.size());
    drawElements(drawing, spec.dtype, ours.data() - begin * width, begin, end);
    if (llvm::Error error = own.read(theirs.data(), at + device::DeviceAddress(begin * width), theirs.size()))
      return error;
    if (ours != theirs)
      return llvm::createStringError("the card draws another %s than the CPU does", spec.name.c_str());
  }
  return llvm::Error::success();
}

/// What GRAPH computes in fp64 of the inputs, rounded first.
llvm::Error JudgeSession::run(const Program &graph, size_t set, RoundTo round, bool jittered) {
  auto drawn = inputs.find(set);
  if (drawn == inputs.end())
    return llvm::createStringError("there are no inputs %zu", set);
  for (unsigned i = 0; i < shape.inputs.size(); ++i) {
    const candidate::BufferSpec &spec = shape.inputs[i];
    const bool real = candidate::isFloat(spec.dtype);
    const device::DeviceAddress stored = drawn->second.at + inputOffsets[i];
    uint64_t count = uint64_t(spec.elements()), type = uint64_t(spec.dtype);
    if (graph.plan->inputs[i].dtype != candidate::DType::F64) { // as they are: integers, masks, what is not promoted
      if (llvm::Error error = own.copy(graph.session->inputAddress(i), stored, spec.bytes()))
        return error;
      continue;
    }
    uint64_t values[] = {stored, graph.session->inputAddress(i), count,
                         type,   real ? uint64_t(round) : 0,     real && jittered};
    if (llvm::Error error = launch(Widen, values))
      return error;
  }
  return graph.session->runBare();
}

/// Copies what GRAPH computed to KEPT[SET], as doubles.
llvm::Error JudgeSession::keep(const Program &graph, size_t set, Kept &kept) {
  auto &addresses = kept[set];
  for (unsigned i = 0; i < shape.outputs.size(); ++i) {
    const candidate::BufferSpec &spec = graph.plan->outputs[i];
    auto at = takeSpare(i);
    if (!at)
      return at.takeError();
    addresses.push_back(*at);
    uint64_t values[] = {
        graph.session->outputAddress(i), addresses.back(), uint64_t(spec.elements()), uint64_t(spec.dtype), 0, 0};
    if (llvm::Error error = launch(Widen, values))
      return error;
  }
  return own.synchronize();
}

llvm::Error JudgeSession::answer(size_t set) {
  if (llvm::Error error = run(oracle, set, RoundTo::None, false))
    return error;
  drop(set);
  if (llvm::Error error = keep(oracle, set, answers))
    return error;
  return keepWide(set);
}

/// Copies what the oracle computed of i64 to WIDE[SET] as it is; 0 stands for other outputs.
llvm::Error JudgeSession::keepWide(size_t set) {
  auto &addresses = wide[set];
  for (unsigned i = 0; i < shape.outputs.size(); ++i) {
    addresses.push_back(0);
    if (program.outputs[i].dtype != candidate::DType::I64 || shape.outputs[i].dtype != candidate::DType::I64)
      continue;
    auto at = takeSpare(i);
    if (!at)
      return at.takeError();
    addresses.back() = *at;
    // As doubles that nobody looks at.
    uint64_t values[] = {oracle.session->outputAddress(i), *at, uint64_t(shape.outputs[i].elements()),
                         uint64_t(candidate::DType::F64),  0,   0};
    if (llvm::Error error = launch(Widen, values))
      return error;
  }
  return own.synchronize();
}

/// Memory for as many doubles as output I has elements.
llvm::Expected<device::DeviceAddress> JudgeSession::takeSpare(unsigned i) {
  if (spare[i].empty())
    return allocate(size_t(shape.outputs[i].elements()) * 8);
  const device::DeviceAddress at = spare[i].back();
  spare[i].pop_back();
  return at;
}

llvm::Error JudgeSession::useProgram(Computed what, device::Device &device, const candidate::LaunchPlan &plan,
                                     llvm::StringRef artifact) {
  return load(what == Computed::Magnitudes ? twin
              : what == Computed::Reach    ? ranges
                                           : declared,
              device, plan, artifact);
}

/// Begins GRAPH on DEVICE. Programs run one after the other, and nothing of one outlives its run but what is copied: so
/// all of them have the same memory, in which the inputs of a network in fp64 alone are gigabytes. Each buffer gets the
/// smallest place that holds it: with any other choice no further one would find one.
llvm::Error JudgeSession::load(Program &graph, device::Device &device, const candidate::LaunchPlan &plan,
                               llvm::StringRef artifact) {
  std::vector<bool> taken(places.size());
  auto lend = [&](size_t bytes) -> llvm::Expected<device::DeviceAddress> {
    size_t best = places.size();
    for (size_t i = 0; i < places.size(); ++i)
      if (!taken[i] && places[i].bytes >= bytes && (best == places.size() || places[i].bytes < places[best].bytes))
        best = i;
    if (best < places.size()) {
      taken[best] = true;
      return places[best].at;
    }
    auto at = allocate(bytes);
    if (!at)
      return at.takeError();
    places.push_back({*at, bytes});
    taken.push_back(true);
    return *at;
  };
  auto created = device::CandidateSession::createBare(device, plan, artifact, lend);
  if (!created)
    return created.takeError();
  graph = {std::move(*created), &plan};
  return llvm::Error::success();
}

llvm::Expected<std::vector<Comparison>> JudgeSession::declaredCosts(size_t set) {
  auto found = answers.find(set);
  if (!declared.session || found == answers.end())
    return llvm::createStringError("there is no answer %zu to learn more of", set);
  if (llvm::Error error = run(declared, set, RoundTo::None, false))
    return std::move(error);
  std::vector<Comparison> out;
  for (unsigned i = 0; i < shape.outputs.size(); ++i) {
    const candidate::BufferSpec &spec = shape.outputs[i];
    auto moved = against({found->second[i]}, declared.session->outputAddress(i), int(declared.plan->outputs[i].dtype),
                         0, int(spec.dtype), true, spec.elements(), 0);
    if (!moved)
      return moved.takeError();
    out.push_back(*moved);
  }
  return std::move(out);
}

llvm::Error JudgeSession::learn(const Program &graph, size_t set, Kept &kept) {
  if (!graph.session || !answers.count(set))
    return llvm::createStringError("there is no answer %zu to learn more of", set);
  if (kept.count(set))
    return llvm::Error::success();
  if (llvm::Error error = run(graph, set, RoundTo::None, false))
    return error;
  if (llvm::Error error = keep(graph, set, kept)) {
    release(set, kept);
    return error;
  }
  return llvm::Error::success();
}

llvm::Error JudgeSession::learnMagnitudes(size_t set) { return learn(twin, set, magnitudes); }
llvm::Error JudgeSession::learnReach(size_t set) { return learn(ranges, set, reach); }

void JudgeSession::release(size_t set, Kept &kept) {
  auto found = kept.find(set);
  if (found == kept.end())
    return;
  for (size_t i = 0; i < found->second.size(); ++i)
    if (found->second[i])
      spare[i].push_back(found->second[i]);
  kept.erase(found);
}

void JudgeSession::drop(size_t set) {
  release(set, answers);
  release(set, magnitudes);
  release(set, reach);
  release(set, wide);
}

llvm::Expected<std::vector<DifferenceSums>> JudgeSession::readPartials() {
  std::vector<DifferenceSums> parts(size_t(kernelPlan.launches[0].grid[0]) * blockThreads);
  if (llvm::Error error = own.read(parts.data(), partials, parts.size() * sizeof(DifferenceSums)))
    return std::move(error);
  return std::move(parts);
}

llvm::Expected<AnswerFacts> JudgeSession::facts(size_t set, unsigned output, double limit) {
  auto found = answers.find(set);
  if (found == answers.end() || output >= found->second.size())
    return llvm::createStringError("there is no answer %zu", set);
  uint64_t count = uint64_t(shape.outputs[output].elements());
  uint64_t values[] = {found->second[output], partials, count, bitsOf(limit)};
  if (llvm::Error error = launch(Facts, values))
    return std::move(error);
  auto parts = readPartials();
  if (!parts)
    return parts.takeError();
  AnswerFacts out;
  double sum = 0;
  NormSum squares;
  int64_t fractions = 0, infinite = 0;
  for (const DifferenceSums &part : *parts) {
    sum += part.found, squares.add(part.differences);
    fractions += part.mismatches, infinite += part.far;
    out.largest = std::max(out.largest, part.worst);
  }
  double n = double(std::max<uint64_t>(count, 1));
  out.mean = sum / n;
  out.rms = squares.norm() / std::sqrt(n);
  out.finite = infinite == 0;
  out.smallIntegers = fractions == 0;
  return out;
}

llvm::Expected<Comparison> JudgeSession::against(const Right &right, device::DeviceAddress values, int source,
                                                 double constant, int type, bool store, int64_t count, double close) {
  uint64_t arguments[] = {values,        right.answer,       right.magnitudes, right.reach,
                          right.wide,    partials,           uint64_t(count),  bitsOf(constant),
                          bitsOf(close), bitsOf(right.most), uint64_t(source), uint64_t(type),
                          store,         right.onlyInfinite};
  if (llvm::Error error = launch(Compare, arguments))
    return std::move(error);
  auto parts = readPartials();
  if (!parts)
    return parts.takeError();
  DifferenceSums total;
  for (const DifferenceSums &part : *parts)
    total.add(part);
  return summarize(total, count);
}

llvm::Expected<std::vector<Comparison>> JudgeSession::costOf(size_t set, RoundTo round, llvm::ArrayRef<double> close) {
  auto found = answers.find(set);
  if (found == answers.end() || close.size() != shape.outputs.size())
    return llvm::createStringError("there is no answer %zu", set);
  if (llvm::Error error = run(oracle, set, round, round == RoundTo::None))
    return std::move(error);
  std::vector<Comparison> out;
  for (unsigned i = 0; i < shape.outputs.size(); ++i) {
    auto moved = against({found->second[i]}, oracle.session->outputAddress(i), int(program.outputs[i].dtype), 0,
                         int(candidate::DType::F64), false, shape.outputs[i].elements(), close[i]);
    if (!moved)
      return moved.takeError();
    out.push_back(*moved);
  }
  return std::move(out);
}

llvm::Expected<Comparison> JudgeSession::compare(size_t set, unsigned output, const Exhibit &exhibit, double close) {
  auto found = answers.find(set);
  if (found == answers.end() || output >= shape.outputs.size())
    return llvm::createStringError("there is no answer %zu", set);
  const candidate::BufferSpec &spec = shape.outputs[output];
  device::DeviceAddress values = shown.at + outputOffsets[output];
  int source = int(spec.dtype);
  switch (exhibit.kind) {
  case Exhibit::Outputs:
    if (exhibit.bytes)
      if (llvm::Error error = own.write(values, exhibit.bytes, spec.bytes()))
        return std::move(error);
    break;
  case Exhibit::Constant:
    source = 8;
    break;
  case Exhibit::Input: {
    auto drawn = inputs.find(set);
    if (drawn == inputs.end() || exhibit.number >= shape.inputs.size() ||
        shape.inputs[exhibit.number].elements() < spec.elements())
      return llvm::createStringError("there is no such input");
    values = drawn->second.at + inputOffsets[exhibit.number];
    source = int(shape.inputs[exhibit.number].dtype);
    break;
  }
  case Exhibit::Answer: {
    auto other = answers.find(exhibit.number);
    if (other == answers.end())
      return llvm::createStringError("there is no answer %zu", exhibit.number);
    values = other->second[output];
    source = int(candidate::DType::F64);
    break;
  }
  }
  auto of = [&](const Kept &kept) {
    auto known = kept.find(set);
    return known == kept.end() ? device::DeviceAddress(0) : known->second[output];
  };
  const Right right{found->second[output], of(magnitudes),      exhibit.most > 0 ? of(reach) : 0, of(wide),
                    exhibit.most,          exhibit.onlyInfinite};
  return against(right, values, source, exhibit.value, int(spec.dtype), exhibit.kind != Exhibit::Outputs,
                 spec.elements(), close);
}
