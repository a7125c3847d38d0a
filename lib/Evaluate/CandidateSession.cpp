//===- CandidateSession.cpp - One candidate on one device -----------------===//
#include "kgen/Evaluate/CandidateSession.h"

#include "kgen/Evaluate/Inputs.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

using namespace kgen;

llvm::Expected<std::unique_ptr<CandidateSession>> CandidateSession::create(Device &device, const LaunchPlan &plan,
                                                                           llvm::StringRef artifact) {
  if (llvm::Error error = device.load(artifact, plan))
    return std::move(error);
  std::unique_ptr<CandidateSession> session(new CandidateSession(device, plan));
  auto add = [&](std::vector<Buffer> &list, std::string name, size_t bytes) {
    list.emplace_back();
    return session->allocate(list.back(), std::move(name), bytes);
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (llvm::Error error = add(session->inputs, "in" + std::to_string(i), plan.inputs[i].bytes()))
      return std::move(error);
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (llvm::Error error = add(session->outputs, "out" + std::to_string(i), plan.outputs[i].bytes()))
      return std::move(error);
  for (size_t i = 0; i < plan.workspace.size(); ++i)
    if (llvm::Error error = add(session->workspace, "ws" + std::to_string(i), size_t(plan.workspace[i].bytes)))
      return std::move(error);
  if (llvm::Error error = session->prepareValues())
    return std::move(error);
  return std::move(session);
}

llvm::Error CandidateSession::allocate(Buffer &buffer, std::string name, size_t bytes) {
  buffer.name = std::move(name);
  buffer.bytes = bytes;
  // The zone after the payload starts aligned, so that the next buffer's alignment needs no care. The slack
  // before it is poisoned as well.
  buffer.padded = (bytes + 255) / 256 * 256;
  auto address = device.allocate(buffer.padded + 2 * redZoneBytes);
  if (!address)
    return address.takeError();
  buffer.whole = *address;
  buffer.data = *address + redZoneBytes;
  return llvm::Error::success();
}

llvm::Error CandidateSession::prepareValues() {
  // Eight bytes hold any argument; a kernel reads as many of them as its parameter has.
  auto addressOf = [&](const BufferRef &ref) {
    auto &list = ref.kind == BufferKind::Input ? inputs : ref.kind == BufferKind::Output ? outputs : workspace;
    return list[ref.index].data + uint64_t(ref.offset);
  };
  for (const Launch &launch : plan.launches) {
    std::vector<uint64_t> slots;
    for (const LaunchArgument &argument : launch.arguments) {
      uint64_t slot = 0;
      if (auto *ref = std::get_if<BufferRef>(&argument)) {
        slot = addressOf(*ref);
      } else if (auto *map = std::get_if<TensorMapSpec>(&argument)) {
        auto encoded = device.encode(*map, addressOf(map->buffer));
        if (!encoded)
          return encoded.takeError();
        maps.push_back(*encoded);
        slot = reinterpret_cast<uint64_t>(&maps.back());
      } else if (auto *i32 = std::get_if<int32_t>(&argument)) {
        memcpy(&slot, i32, 4);
      } else if (auto *i64 = std::get_if<int64_t>(&argument)) {
        memcpy(&slot, i64, 8);
      } else {
        memcpy(&slot, &std::get<float>(argument), 4);
      }
      slots.push_back(slot);
    }
    values.push_back(std::move(slots));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<void *> pointers;
    for (size_t j = 0; j < values[i].size(); ++j)
      pointers.push_back(std::holds_alternative<TensorMapSpec>(plan.launches[i].arguments[j])
                             ? reinterpret_cast<void *>(values[i][j])
                             : &values[i][j]);
    valuePointers.push_back(std::move(pointers));
  }
  return llvm::Error::success();
}

llvm::Error CandidateSession::setInputs(llvm::ArrayRef<const char *> bytes) {
  // Kept to compare with after the run: a kernel that changes its inputs falsifies every later one.
  originals.assign(bytes.begin(), bytes.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (llvm::Error error = device.write(inputs[i].data, bytes[i], inputs[i].bytes))
      return error;
  return llvm::Error::success();
}

llvm::Error CandidateSession::poison(const Buffer &buffer, uint32_t pattern, bool payload) {
  if (payload)
    // One fill covers zone, payload and zone.
    return device.fill(buffer.whole, pattern, buffer.padded + 2 * redZoneBytes);
  if (llvm::Error error = device.fill(buffer.whole, pattern, redZoneBytes))
    return error;
  return device.fill(buffer.data + buffer.padded, pattern, redZoneBytes);
}

/// The zones and the slack between payload and zone must hold the pattern still.
llvm::Error CandidateSession::checkZones(const Buffer &buffer, uint32_t pattern) {
  std::vector<char> zone(redZoneBytes);
  auto check = [&](bool after) -> llvm::Error {
    DeviceAddress at = after ? buffer.data + buffer.padded : buffer.whole;
    if (llvm::Error error = device.read(zone.data(), at, redZoneBytes))
      return error;
    for (size_t i = 0; i < redZoneBytes; i += 4) {
      uint32_t found;
      memcpy(&found, zone.data() + i, 4);
      if (found == pattern)
        continue;
      std::string where = after ? std::to_string(buffer.padded - buffer.bytes + i) + " bytes after the end of "
                                : std::to_string(redZoneBytes - i) + " bytes before ";
      return llvm::make_error<CandidateError>(Verdict::Fault, "a kernel wrote " + where + buffer.name);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = check(false))
    return error;
  return check(true);
}

llvm::Expected<int64_t> CandidateSession::compare(const Buffer &buffer, const char *expected) {
  const size_t chunk = 32u << 20;
  if (staging.size() < std::min(chunk, buffer.bytes)) {
    staging.resize(std::min(chunk, buffer.bytes));
    if (staging.size() == chunk) // smaller ones may grow yet, and pinned memory must stay where it is
      device.registerHostMemory(staging.data(), staging.size());
  }
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  for (size_t at = 0; at < buffer.bytes; at += chunk) {
    size_t bytes = std::min(chunk, buffer.bytes - at);
    if (llvm::Error error = device.read(staging.data(), buffer.data + at, bytes))
      return std::move(error);
    std::atomic<bool> equal{true};
    parallelFor(int64_t(bytes), bytes < (1u << 20) ? 1 : threads, [&](int64_t begin, int64_t end) {
      if (memcmp(staging.data() + begin, expected + at + begin, size_t(end - begin)) != 0)
        equal = false;
    });
    if (equal)
      continue;
    size_t i = 0;
    while (staging[i] == expected[at + i])
      ++i;
    return int64_t(at + i);
  }
  return -1;
}

llvm::Error CandidateSession::launchAll(bool descending, int poison, volatile int *progress) {
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    if (progress)
      *progress = int(i);
    if (llvm::Error error = device.launch(i, valuePointers[i], descending, poison))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error CandidateSession::run(const RunRequest &request, volatile int *progress) {
  for (const Buffer &buffer : inputs)
    if (llvm::Error error = poison(buffer, request.poison, false))
      return error;
  for (auto *list : {&outputs, &workspace})
    for (const Buffer &buffer : *list)
      if (llvm::Error error = poison(buffer, request.poison, true))
        return error;
  // The poison's low byte also fills shared memory, where the device can.
  if (llvm::Error error = launchAll(request.descending, int(request.poison & 0xff), progress))
    return error;
  if (llvm::Error error = device.synchronize())
    return error;
  if (progress)
    *progress = -1;
  for (auto *list : {&inputs, &outputs, &workspace})
    for (const Buffer &buffer : *list)
      if (llvm::Error error = checkZones(buffer, request.poison))
        return error;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto differs = compare(inputs[i], originals[i]);
    if (!differs)
      return differs.takeError();
    if (*differs >= 0)
      return llvm::make_error<CandidateError>(Verdict::Cheat, "a kernel changed its input " + inputs[i].name);
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t> CandidateSession::compareOutput(unsigned index, const char *expected) {
  return compare(outputs[index], expected);
}

llvm::Error CandidateSession::readOutput(unsigned index, void *to) {
  return device.read(to, outputs[index].data, outputs[index].bytes);
}

llvm::Expected<std::vector<double>> CandidateSession::time(const TimingRequest &request) {
  // A workspace that holds the last run's results must not let a kernel skip its work.
  for (const Buffer &buffer : workspace)
    if (llvm::Error error = poison(buffer, 0x7fc5a5a5u, true))
      return std::move(error);
  return device.time(request, [&] { return launchAll(false, -1, nullptr); });
}
