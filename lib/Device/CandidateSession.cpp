//===- CandidateSession.cpp - One candidate on one device -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateSession.h"

#include "kgen/Device/Digest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace kgen;
using namespace kgen::device;

CandidateSession::CandidateSession(Device &device, const candidate::LaunchPlan &plan) : device(device), plan(plan) {
  std::random_device random;
  key = uint64_t(random()) << 32 | random();
  size_t prepared = 0, others = 0;
  for (const candidate::WorkspaceSpec &one : plan.workspace)
    slots.push_back(one.prepared ? prepared++ : others++);
}

llvm::Expected<std::unique_ptr<CandidateSession>>
CandidateSession::create(Device &device, const candidate::LaunchPlan &plan, llvm::StringRef artifact, unsigned wanted) {
  if (llvm::Error error = device.load(artifact, plan))
    return std::move(error);
  std::unique_ptr<CandidateSession> session(new CandidateSession(device, plan));
  for (unsigned which = 0; which < std::max(wanted, 1u); ++which) {
    if (which > 0) {
      // The further sets are a defence, not a need: half of what is left stays free.
      size_t bytes = size_t(plan.bufferBytes()) + size_t(plan.workspaceBytes());
      if (device.freeMemory() != 0 && bytes > device.freeMemory() / 2)
        break;
    }
    auto set = session->allocateSet(which);
    if (!set) {
      if (which == 0)
        return set.takeError();
      llvm::consumeError(set.takeError());
      break;
    }
    session->sets.push_back(std::move(*set));
  }
  for (BufferSet &set : session->sets)
    if (llvm::Error error = session->prepareValues(set))
      return std::move(error);
  if (llvm::Error error = session->rememberState())
    return std::move(error);
  session->giveScript();
  return std::move(session);
}

llvm::Expected<std::unique_ptr<CandidateSession>>
CandidateSession::createBare(Device &device, const candidate::LaunchPlan &plan, llvm::StringRef artifact, Lender lend) {
  device.usePlainMemory();
  if (llvm::Error error = device.load(artifact, plan))
    return std::move(error);
  std::unique_ptr<CandidateSession> session(new CandidateSession(device, plan));
  session->bare = true;
  session->lend = lend;
  auto set = session->allocateSet(0);
  session->lend = nullptr;
  if (!set)
    return set.takeError();
  session->sets.push_back(std::move(*set));
  if (llvm::Error error = session->prepareValues(session->sets[0]))
    return std::move(error);
  return std::move(session);
}

llvm::Error CandidateSession::writeInput(unsigned index, const char *bytes) {
  return device.write(sets[0].inputs[index].data, bytes, sets[0].inputs[index].bytes);
}

llvm::Error CandidateSession::runBare() {
  if (llvm::Error error = showUpdated(sets[0]))
    return error;
  for (size_t i = 0; i < plan.launches.size(); ++i)
    if (llvm::Error error = device.launch(i, sets[0].valuePointers[i], false, false))
      return error;
  return device.synchronize();
}

void CandidateSession::giveScript() {
  auto announce = [this](const RunOrder &order) {
    const BufferSet &set = sets[order.set];
    for (auto *list : {&set.inputs, &set.outputs, &set.workspace, &set.prepared})
      for (size_t i = 0; i < list->size(); ++i) {
        // What prepares has weights and nothing else.
        if (order.prepare && (list == &set.outputs || (list == &set.inputs && !plan.inputs[i].parameter)))
          continue;
        device.expect((*list)[i].data, (*list)[i].bytes);
      }
  };
  device.setScript({announce, [this](const RunOrder &order) { return launchAll(order); }});
}

llvm::Error CandidateSession::launchAll(const RunOrder &order) {
  const size_t prepares = plan.prepareLaunches();
  const size_t begin = order.prepare ? 0 : prepares, end = order.prepare ? prepares : plan.launches.size();
  for (size_t i = begin; i < end && !order.empty; ++i) {
    if (progress)
      *progress = int(i);
    if (llvm::Error error = device.launch(i, sets[order.set].valuePointers[i], order.descending, true))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error CandidateSession::rememberState() {
  state = device.variables();
  for (DigestJob &job : state)
    job.key = key;
  initialState.resize(state.size());
  return device.look(state, initialState);
}

llvm::Error CandidateSession::reload() {
  if (llvm::Error error = device.reload())
    return error;
  return rememberState();
}

llvm::Expected<CandidateSession::BufferSet> CandidateSession::allocateSet(unsigned which) {
  BufferSet set;
  auto add = [&](std::vector<Buffer> &list, std::string name, size_t bytes) {
    list.emplace_back();
    return allocate(list.back(), std::move(name), bytes, which);
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (llvm::Error error = add(set.inputs, "in" + std::to_string(i), plan.inputs[i].bytes()))
      return std::move(error);
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (llvm::Error error = add(set.outputs, "out" + std::to_string(i), plan.outputs[i].bytes()))
      return std::move(error);
  auto addSpace = [&](std::vector<Buffer> &list, std::string name, int64_t bytes) -> llvm::Error {
    llvm::Error error = add(list, std::move(name), size_t(bytes));
    if (!error || error.isA<CandidateError>())
      return error;
    // Inputs and outputs are the problem's; this is the candidate's own wish.
    return llvm::make_error<CandidateError>(candidate::Verdict::Reject,
                                            "no room for its workspace: " + llvm::toString(std::move(error)));
  };
  set.inArena = plan.isNetwork() && (which > 0 || !fitsApart());
  if (set.inArena && plan.arenaBytes() > 0)
    if (llvm::Error error = addSpace(set.workspace, "the arena", plan.arenaBytes()))
      return std::move(error);
  for (size_t i = 0; i < plan.workspace.size(); ++i) {
    const candidate::WorkspaceSpec &space = plan.workspace[i];
    if (set.inArena && !space.prepared)
      continue;
    if (llvm::Error error =
            addSpace(space.prepared ? set.prepared : set.workspace, "ws" + std::to_string(i), space.bytes))
      return std::move(error);
  }
  return std::move(set);
}

bool CandidateSession::fitsApart() {
  double bytes = 0;
  for (const candidate::WorkspaceSpec &one : plan.workspace)
    bytes += double(one.bytes) + 2 * redZoneBytes + double(device.granularity());
  return device.freeMemory() == 0 || bytes < double(device.freeMemory()) / 2;
}

llvm::Error CandidateSession::allocate(Buffer &buffer, std::string name, size_t bytes, unsigned which) {
  buffer.name = std::move(name);
  buffer.salt = ++bufferCount;
  buffer.bytes = bytes;
  // The zone after the payload starts aligned, so that the next buffer's alignment needs no care. The slack
  // before it is poisoned as well.
  buffer.padded = (bytes + 255) / 256 * 256;
  if (bare) {
    const size_t some = std::max<size_t>(bytes, 8); // a card's driver has no memory of 0 bytes
    auto address = lend ? lend(some) : device.allocate(some);
    if (!address)
      return address.takeError();
    buffer.data = *address;
    return llvm::Error::success();
  }
  buffer.before = which == 1 ? 0 : redZoneBytes;
  buffer.after = which == 2 ? 0 : redZoneBytes;
  // All that is mapped belongs to a zone: no corner of it can keep a secret.
  const size_t piece = device.granularity();
  size_t used = buffer.before + buffer.padded + buffer.after, whole = (used + piece - 1) / piece * piece;
  (which == 1 ? buffer.after : buffer.before) += whole - used;
  auto address = device.allocate(whole);
  if (!address)
    return address.takeError();
  buffer.data = *address + buffer.before;
  return llvm::Error::success();
}

DeviceAddress CandidateSession::workspaceAddress(const BufferSet &set, unsigned index) const {
  const candidate::WorkspaceSpec &space = plan.workspace[index];
  if (space.prepared)
    return set.prepared[slots[index]].data;
  return set.inArena ? set.workspace[0].data + uint64_t(space.offset) : set.workspace[slots[index]].data;
}

llvm::Error CandidateSession::prepareValues(BufferSet &set) {
  // Eight bytes hold any argument; a kernel reads as many of them as its parameter has.
  auto addressOf = [&](const candidate::BufferRef &ref) {
    if (ref.kind == candidate::BufferKind::Workspace)
      return workspaceAddress(set, ref.index) + uint64_t(ref.offset);
    auto &list = ref.kind == candidate::BufferKind::Input ? set.inputs : set.outputs;
    return list[ref.index].data + uint64_t(ref.offset);
  };
  for (const candidate::Launch &launch : plan.launches) {
    std::vector<uint64_t> slots;
    for (const candidate::LaunchArgument &argument : launch.arguments) {
      uint64_t slot = 0;
      if (auto *ref = std::get_if<candidate::BufferRef>(&argument)) {
        slot = addressOf(*ref);
      } else if (auto *map = std::get_if<candidate::TensorMapSpec>(&argument)) {
        auto encoded = device.encode(*map, addressOf(map->buffer));
        if (!encoded)
          return encoded.takeError();
        set.maps.push_back(*encoded);
        slot = reinterpret_cast<uint64_t>(&set.maps.back());
      } else if (auto *i32 = std::get_if<int32_t>(&argument)) {
        memcpy(&slot, i32, 4);
      } else if (auto *i64 = std::get_if<int64_t>(&argument)) {
        memcpy(&slot, i64, 8);
      } else {
        memcpy(&slot, &std::get<float>(argument), 4);
      }
      slots.push_back(slot);
    }
    set.values.push_back(std::move(slots));
  }
  for (size_t i = 0; i < set.values.size(); ++i) {
    std::vector<void *> pointers;
    for (size_t j = 0; j < set.values[i].size(); ++j)
      pointers.push_back(std::holds_alternative<candidate::TensorMapSpec>(plan.launches[i].arguments[j])
                             ? reinterpret_cast<void *>(set.values[i][j])
                             : &set.values[i][j]);
    set.valuePointers.push_back(std::move(pointers));
  }
  return llvm::Error::success();
}

llvm::Error CandidateSession::setInputs(unsigned buffers, llvm::ArrayRef<const char *> bytes) {
  BufferSet &set = sets[buffers % sets.size()];
  for (size_t i = 0; i < set.inputs.size(); ++i)
    if (llvm::Error error = device.write(set.inputs[i].data, bytes[i], set.inputs[i].bytes))
      return error;
  if (device.runsApart())
    set.sources.assign(bytes.begin(), bytes.end());
  set.bytes.assign(bytes.begin(), bytes.end());
  return rememberInputs(set);
}

llvm::Error CandidateSession::setInputs(unsigned buffers, unsigned import, llvm::ArrayRef<size_t> offsets) {
  BufferSet &set = sets[buffers % sets.size()];
  std::vector<SharedPiece> pieces;
  for (size_t i = 0; i < set.inputs.size(); ++i)
    pieces.push_back({offsets[i], set.inputs[i].data, set.inputs[i].bytes});
  if (llvm::Error error = device.copyShared(import, pieces, false))
    return error;
  set.import = import;
  set.importOffsets.assign(offsets.begin(), offsets.end());
  return rememberInputs(set);
}

/// Compared with after each run: a kernel that changes its inputs falsifies every later one.
llvm::Error CandidateSession::rememberInputs(BufferSet &set) {
  if (!set.sources.empty())
    return llvm::Error::success(); // byte by byte then: no key has to be kept from a process that has all of this one's
  std::vector<DigestJob> asked;
  for (const Buffer &input : set.inputs)
    asked.push_back({input.data, input.bytes, key});
  set.inputDigests.resize(asked.size());
  return device.look(asked, set.inputDigests);
}

llvm::Error CandidateSession::shareOutputs(unsigned import, llvm::ArrayRef<size_t> offsets) {
  std::vector<SharedPiece> pieces;
  for (size_t i = 0; i < sets[last].outputs.size(); ++i)
    pieces.push_back({offsets[i], sets[last].outputs[i].data, sets[last].outputs[i].bytes});
  return device.copyShared(import, pieces, true);
}

llvm::Error CandidateSession::poison(const Buffer &buffer, uint32_t seed, bool payload) {
  auto fill = [&](DeviceAddress at, size_t bytes) { return device.fill(at, buffer.poisonAt(at, seed), bytes); };
  if (payload) // one fill covers zone, payload and zone
    return fill(buffer.whole(), buffer.before + buffer.padded + buffer.after);
  if (buffer.before)
    if (llvm::Error error = fill(buffer.whole(), buffer.before))
      return error;
  // The last word of a payload of odd bytes is no part of the zone, and nobody's.
  if (size_t odd = size_t(buffer.end() - buffer.data) - buffer.bytes)
    if (llvm::Error error = device.write(buffer.data + buffer.bytes, "\0\0\0", odd))
      return error;
  if (size_t behind = buffer.behind())
    return fill(buffer.end(), behind);
  return llvm::Error::success();
}

/// Queues what is to be known of BUFFER's zones after the run.
void CandidateSession::lookAt(const Buffer &buffer, uint32_t seed) {
  if (buffer.before)
    jobs.push_back({buffer.whole(), buffer.before, 0, buffer.poisonAt(buffer.whole(), seed)});
  if (size_t behind = buffer.behind())
    jobs.push_back({buffer.end(), behind, 0, buffer.poisonAt(buffer.end(), seed)});
}

/// A zone does not hold its poison any more: says where.
llvm::Error CandidateSession::explainZones(const Buffer &buffer, uint32_t seed) {
  for (bool after : {false, true}) {
    const DeviceAddress at = after ? buffer.end() : buffer.whole();
    const Poison poison = buffer.poisonAt(at, seed);
    std::vector<char> zone(after ? buffer.behind() : buffer.before);
    if (llvm::Error error = device.read(zone.data(), at, zone.size()))
      return error;
    for (size_t i = 0; i < zone.size(); i += 4) {
      uint32_t found;
      memcpy(&found, zone.data() + i, 4);
      if (found == poisonWord(poison, i / 4))
        continue;
      std::string where = after ? std::to_string(at - buffer.data - buffer.bytes + i) + " bytes after the end of "
                                : std::to_string(buffer.before - i) + " bytes before ";
      return llvm::make_error<CandidateError>(candidate::Verdict::Fault, "a kernel wrote " + where + buffer.name);
    }
  }
  return llvm::Error::success();
}

llvm::Error CandidateSession::explainFault(llvm::Error error, const BufferSet &set) {
  return llvm::handleErrors(std::move(error), [&](std::unique_ptr<RunKilled> killed) -> llvm::Error {
    if (!killed->fault)
      return llvm::Error(std::move(killed));
    const RunFault &fault = *killed->fault;
    constexpr uint64_t near = 1ull << 32, firstPages = 1 << 16;
    const Buffer *nearest = nullptr;
    uint64_t least = near;
    auto distanceTo = [&](const Buffer &buffer) {
      const DeviceAddress end = buffer.data + buffer.bytes;
      return fault.address < buffer.data ? buffer.data - fault.address : fault.address < end ? 0 : fault.address - end;
    };
    for (auto *list : {&set.inputs, &set.outputs, &set.workspace, &set.prepared})
      for (const Buffer &buffer : *list)
        if (distanceTo(buffer) < least) {
          least = distanceTo(buffer);
          nearest = &buffer;
        }
    llvm::raw_string_ostream text(killed->where);
    if (fault.isAccess) {
      if (!fault.hasAddress)
        text << "an access that is not aligned as its instruction wants it, or where no memory can be,";
      else
        text << (fault.writes ? "wrote " : "read ");
      if (!fault.hasAddress)
        ;
      else if (fault.overflows)
        text << "where its stack ends";
      else if (fault.address < firstPages)
        text << "address 0x" << llvm::utohexstr(fault.address, true);
      else if (!nearest)
        text << "far from every buffer";
      else if (fault.address < nearest->data)
        text << least << " bytes before " << nearest->name;
      else if (fault.address < nearest->data + nearest->bytes)
        text << "byte " << fault.address - nearest->data << " of " << nearest->name;
      else
        text << least << " bytes after the end of " << nearest->name;
      if (fault.isMissing)
        text << ", which the system could not provide,";
    }
    if (!fault.instruction.empty())
      text << (fault.isAccess ? " at " : "at ") << fault.instruction;
    return llvm::Error(std::move(killed));
  });
}

llvm::Error CandidateSession::checkZones(llvm::ArrayRef<const std::vector<Buffer> *> lists,
                                         llvm::ArrayRef<uint64_t> seen, uint32_t seed) {
  if (llvm::all_of(seen, [](uint64_t others) { return others == 0; }))
    return llvm::Error::success();
  for (auto *list : lists)
    for (const Buffer &buffer : *list)
      if (llvm::Error error = explainZones(buffer, seed))
        return error;
  return llvm::Error::success();
}

/// What prepares could find an input by its address, and leave the answer among what is prepared.
llvm::Error CandidateSession::hideInputs(uint32_t seed) {
  for (BufferSet &set : sets)
    for (size_t i = 0; i < set.inputs.size(); ++i)
      if (!plan.inputs[i].parameter)
        if (llvm::Error error = poison(set.inputs[i], seed, true))
          return error;
  return llvm::Error::success();
}

llvm::Error CandidateSession::showInputs(BufferSet &set) {
  std::vector<SharedPiece> pieces;
  for (size_t i = 0; i < set.inputs.size(); ++i) {
    const Buffer &input = set.inputs[i];
    if (plan.inputs[i].parameter)
      continue;
    if (!set.importOffsets.empty())
      pieces.push_back({set.importOffsets[i], input.data, input.bytes});
    else if (!set.bytes.empty())
      if (llvm::Error error = device.write(input.data, set.bytes[i], input.bytes))
        return error;
  }
  return pieces.empty() ? llvm::Error::success() : device.copyShared(set.import, pieces, false);
}

/// Outputs and inputs have memory of their own all the same: what a run leaves is compared, and the next one begins
/// with what the input held.
llvm::Error CandidateSession::showUpdated(BufferSet &set) {
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (const int input = plan.outputs[i].updates; input >= 0)
      if (llvm::Error error = device.copy(set.outputs[i].data, set.inputs[size_t(input)].data, set.outputs[i].bytes))
        return error;
  return llvm::Error::success();
}

llvm::Error CandidateSession::prepare(BufferSet &set, const RunRequest &request, const RunOrder &order,
                                      RunReport &report) {
  // Where runs happen apart, what is not announced is not there.
  const bool hides = !device.runsApart();
  if (hides)
    if (llvm::Error error = hideInputs(request.poison))
      return error;
  if (llvm::Error error = device.scrub(request.poison))
    return error;
  RunOrder preparing = order;
  preparing.prepare = true;
  auto times = device.timedRun(preparing);
  if (!times)
    return explainFault(times.takeError(), set);
  if (progress)
    *progress = -1;
  report.times.prepare = times->launches;
  report.keepsState = times->keepsState;
  jobs.clear();
  for (const Buffer &buffer : set.prepared)
    jobs.push_back({buffer.data, buffer.bytes, key});
  jobs.insert(jobs.end(), state.begin(), state.end());
  const size_t zones = jobs.size();
  const std::vector<Buffer> *watched[] = {&set.inputs, &set.outputs, &set.workspace, &set.prepared};
  for (auto *list : watched)
    for (const Buffer &buffer : *list)
      lookAt(buffer, request.poison);
  std::vector<uint64_t> seen(jobs.size());
  if (llvm::Error error = device.look(jobs, seen))
    return error;
  if (llvm::Error error = checkZones(watched, llvm::ArrayRef(seen).drop_front(zones), request.poison))
    return error;
  preparedDigests.assign(seen.begin(), seen.begin() + long(set.prepared.size()));
  for (size_t i = 0; i < state.size(); ++i)
    report.keepsState |= seen[set.prepared.size() + i] != initialState[i];
  if (device.runsApart()) {
    preparedBytes.resize(set.prepared.size());
    for (size_t i = 0; i < set.prepared.size(); ++i) {
      preparedBytes[i].resize(set.prepared[i].bytes);
      if (llvm::Error error = device.read(preparedBytes[i].data(), set.prepared[i].data, set.prepared[i].bytes))
        return error;
    }
  }
  // A run finds the weights and what is prepared, and nothing else of it.
  for (auto *list : {&set.outputs, &set.workspace})
    for (const Buffer &buffer : *list)
      if (llvm::Error error = poison(buffer, request.poison, true))
        return error;
  if (hides)
    for (BufferSet &each : sets)
      if (llvm::Error error = showInputs(each))
        return error;
  return llvm::Error::success();
}

llvm::Expected<RunReport> CandidateSession::run(const RunRequest &request, volatile int *progress) {
  // What lies behind a variable is the driver's memory, which nobody watches; a new module brings new memory.
  if (request.fresh && !state.empty())
    if (llvm::Error error = reload())
      return std::move(error);
  last = request.buffers % unsigned(sets.size());
  BufferSet &set = sets[last];
  // Outputs, workspace and zones of all sets: nothing that one run wrote there is there in the next.
  for (BufferSet &other : sets)
    for (auto *list : {&other.outputs, &other.workspace, &other.prepared})
      for (const Buffer &buffer : *list)
        if (llvm::Error error = poison(buffer, request.poison, true))
          return std::move(error);
  for (BufferSet &other : sets)
    for (const Buffer &buffer : other.inputs)
      if (llvm::Error error = poison(buffer, request.poison, false))
        return std::move(error);
  this->progress = progress;
  RunReport report;
  RunOrder order;
  order.set = last;
  order.descending = request.descending;
  order.empty = request.empty;
  order.cold = request.cold;
  if (plan.prepareSteps && !request.empty)
    if (llvm::Error error = prepare(set, request, order, report))
      return std::move(error);
  if (llvm::Error error = showUpdated(set))
    return std::move(error);
  if (llvm::Error error = device.scrub(request.poison))
    return std::move(error);
  if (request.graph && !device.canCaptureGraphs())
    return llvm::make_error<CandidateError>(candidate::Verdict::Unsupported, "this device has no CUDA graphs");
  order.graph = request.graph;
  order.waitNanoseconds = request.waitNanoseconds;
  auto times = device.timedRun(order);
  if (!times)
    return explainFault(times.takeError(), set);
  if (progress)
    *progress = -1;
  times->prepare = report.times.prepare;
  report.times = *times;
  report.keepsState |= times->keepsState;
  jobs.clear();
  for (const Buffer &buffer : set.outputs)
    jobs.push_back({buffer.data, buffer.bytes, request.key});
  // Inputs of all sets: what one run writes into those of another is there when that one begins, which could put it
  // right.
  for (const BufferSet &each : sets)
    for (size_t i = 0; i < each.inputDigests.size(); ++i)
      jobs.push_back({each.inputs[i].data, each.inputs[i].bytes, key});
  for (size_t i = 0; i < set.sources.size(); ++i)
    jobs.push_back({set.inputs[i].data, set.inputs[i].bytes, 0, std::nullopt, set.sources[i]});
  const bool hasPrepared = plan.prepareSteps && !request.empty;
  for (size_t i = 0; i < set.prepared.size() && hasPrepared; ++i) {
    const Buffer &buffer = set.prepared[i];
    if (device.runsApart())
      jobs.push_back({buffer.data, buffer.bytes, 0, std::nullopt, preparedBytes[i].data()});
    else
      jobs.push_back({buffer.data, buffer.bytes, key});
  }
  jobs.insert(jobs.end(), state.begin(), state.end());
  size_t zones = jobs.size();
  const std::vector<Buffer> *watched[] = {&set.inputs, &set.outputs, &set.workspace, &set.prepared};
  for (auto *list : watched)
    for (const Buffer &buffer : *list)
      lookAt(buffer, request.poison);
  std::vector<uint64_t> seen(jobs.size());
  if (llvm::Error error = device.look(jobs, seen))
    return std::move(error);
  if (llvm::Error error = checkZones(watched, llvm::ArrayRef(seen).drop_front(zones), request.poison))
    return std::move(error);
  size_t at = set.outputs.size();
  report.digests.assign(seen.begin(), seen.begin() + long(at));
  for (const BufferSet &each : sets)
    for (size_t i = 0; i < each.inputDigests.size(); ++i)
      if (seen[at++] != each.inputDigests[i])
        return llvm::make_error<CandidateError>(
            candidate::Verdict::Cheat, "a kernel changed " + std::string(&each == &set ? "its" : "another run's") +
                                           " input " + each.inputs[i].name);
  for (size_t i = 0; i < set.sources.size(); ++i)
    if (seen[at++] != 0)
      return llvm::make_error<CandidateError>(candidate::Verdict::Cheat,
                                              "a kernel changed its input " + set.inputs[i].name);
  for (size_t i = 0; i < set.prepared.size() && hasPrepared; ++i)
    if (seen[at++] != (device.runsApart() ? 0 : preparedDigests[i]))
      return llvm::make_error<CandidateError>(
          candidate::Verdict::Cheat, "a kernel of a run changed " + set.prepared[i].name + ", which was prepared");
  for (size_t i = 0; i < state.size(); ++i)
    report.keepsState |= seen[at++] != initialState[i];
  return std::move(report);
}

llvm::Error CandidateSession::readOutput(unsigned index, void *to) {
  const Buffer &buffer = sets[last].outputs[index];
  return device.read(to, buffer.data, buffer.bytes);
}
