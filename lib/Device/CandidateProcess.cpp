//===- CandidateProcess.cpp - The parent's side of a candidate's process --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateProcess.h"
#include "kgen/Device/DescriptorSocket.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Support/JSON.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::device;
namespace json = llvm::json;

char WorkerFailed::ID = 0;

/// A signal's plain meaning for whoever reads the verdict.
static std::string describeSignal(int signal) {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
    return "it accessed memory outside every buffer (or overflowed its stack)";
  case SIGFPE:
    return "it divided an integer by zero";
  case SIGILL:
  case SIGTRAP:
    return "it trapped";
  case SIGABRT:
    return "it aborted";
  case SIGXFSZ: // its process may write no file, its standard output included
    return "it prints, and a measured kernel has nothing to say";
  case SIGSTOP:
    return "its process was stopped from outside";
  default:
    return "its process was killed (signal " + std::to_string(signal) + ")";
  }
}

/// Replies are flat; a parser that recurses would follow a candidate's brackets down to the end of our stack.
static bool nestsDeep(llvm::StringRef text) {
  constexpr int deepest = 64;
  int depth = 0;
  for (char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > deepest)
      return true;
  }
  return false;
}

namespace {

/// A worker that has no candidate yet.
class IdleWorker {
public:
  /// Who lists processes finds PLAN, if the candidate is known already.
  static llvm::Expected<IdleWorker> spawn(const std::string &device, const std::string &plan = "") {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
      return llvm::createStringError("cannot make a socket: %s", strerror(errno));
    IdleWorker worker;
    worker.device = device;
    worker.socket = pair[0];
    toolchain::ProcessRequest request;
    request.arguments = {toolchain::workerBinary(), "--kgen-candidate-worker", device};
    if (!plan.empty())
      request.arguments.push_back(plan);
    // One stream is all it uses; a context with one channel instead of eight is there in half the time.
    request.extraEnvironment = {"CUDA_DEVICE_MAX_CONNECTIONS=1"};
    request.descriptors = {{pair[1], 3}};
    auto started = toolchain::ChildProcess::start(request);
    close(pair[1]);
    if (!started)
      return started.takeError();
    worker.child = std::move(*started);
    return std::move(worker);
  }

  IdleWorker() = default;
  IdleWorker(IdleWorker &&other) noexcept
      : device(std::move(other.device)), child(std::move(other.child)), socket(std::exchange(other.socket, -1)) {}
  IdleWorker &operator=(IdleWorker &&other) noexcept {
    std::swap(device, other.device);
    std::swap(child, other.child);
    std::swap(socket, other.socket);
    return *this;
  }
  ~IdleWorker() {
    if (socket >= 0)
      close(socket);
    child.kill();
  }

  /// Waits until its context is there, or until nobody can say when it will be.
  void settle() const {
    constexpr int patience = 3000; // milliseconds
    pollfd descriptor = {socket, POLLIN, 0};
    (void)poll(&descriptor, 1, patience);
  }

  std::string device;
  toolchain::ChildProcess child;
  int socket = -1;
};

/// The worker that the next candidate gets.
class SpareWorker {
public:
  /// None where there is none for DEVICE.
  std::optional<IdleWorker> take(const std::string &device) {
    std::lock_guard<std::mutex> guard(lock);
    std::optional<IdleWorker> taken = std::exchange(worker, std::nullopt);
    if (taken && taken->device != device)
      taken.reset();
    return taken;
  }
  void make(const std::string &device) {
    auto spawned = IdleWorker::spawn(device);
    if (!spawned)
      return llvm::consumeError(spawned.takeError()); // the next candidate starts its own
    std::lock_guard<std::mutex> guard(lock);
    worker.emplace(std::move(*spawned));
  }
  void settle() {
    std::lock_guard<std::mutex> guard(lock);
    if (worker)
      worker->settle();
  }

private:
  std::mutex lock;
  std::optional<IdleWorker> worker;
};

class WorkerProcess : public CandidateProcess {
  static constexpr size_t mostOfAPlace = 300; ///< characters about where a kernel was when a signal ended it

public:
  WorkerProcess(const CandidateJob &job, IdleWorker idle, SpareWorker &spare)
      : plan(*job.plan), limit(job.runSeconds), shared(job.sharesDevice()), spare(spare),
        socket(std::exchange(idle.socket, -1)), child(std::move(idle.child)) {}
  ~WorkerProcess() override {
    if (socket >= 0)
      close(socket);
    child.kill();
  }

  Outcome start(const CandidateJob &job) {
    size_t total;
    offsets = packBuffers(plan.outputs, 4096, total);
    auto memory = SharedMemory::create(total);
    if (!memory)
      return memory.takeError();
    // One mapping for all outputs, its first page for the child's progress.
    outputs = std::move(*memory);
    // Loading a driver and its context takes 0.2 s; a minute means that the machine is in trouble.
    json::Object reply;
    Outcome outcome = receive(reply, job.startSeconds);
    if (!outcome)
      return outcome;
    if (*outcome) // it has no candidate yet that could be to blame
      return llvm::make_error<WorkerFailed>((*outcome)->detail);
    std::string name = reply.getString("device").value_or("").str();
    std::vector<int> descriptors = {outputs.descriptor()};
    for (size_t i = 0; i < job.inputSets.size(); ++i)
      descriptors.push_back(shared ? job.inputsOnDevice[i] : job.inputSets[i]->readOnlyDescriptor());
    if (shared)
      descriptors.push_back(job.outputsOnDevice);
    for (int descriptor : descriptors)
      sendLine(socket, "descriptor\n", descriptor);
    std::string words;
    llvm::raw_string_ostream(words) << json::Value(json::Object{{"plan", job.planFile},
                                                                {"artifact", job.artifact},
                                                                {"trusted", job.trusted},
                                                                {"buffer_sets", int64_t(job.bufferSets)},
                                                                {"on_device", shared}});
    outcome = ask("job " + words, job.startSeconds, reply);
    if (outcome && !*outcome)
      device = std::move(name);
    return outcome;
  }

  void settleDevice() override { spare.settle(); }

  Outcome run(unsigned set, const RunRequest &request, RunReport &report) override {
    // Text, because a person can read it: see CandidateWorker.cpp.
    char line[200];
    snprintf(line, sizeof line, "run %u %u %d %u %d %d %.0f %llu %d %d %d", set, request.poison, request.descending,
             request.buffers, request.cold, request.copy, request.waitNanoseconds, (unsigned long long)request.key,
             request.fresh, request.empty, request.graph);
    json::Object reply;
    Outcome outcome = ask(line, limit, reply);
    if (!outcome || *outcome)
      return outcome;
    report = RunReport();
    report.times.launches = reply.getNumber("us").value_or(0);
    report.times.prepare = reply.getNumber("prepare").value_or(0);
    report.times.total = reply.getNumber("total").value_or(0);
    report.times.wall = reply.getNumber("wall").value_or(0);
    for (double time : {report.times.launches, report.times.prepare, report.times.total, report.times.wall})
      if (!(time >= 0 && time < 1e6 * limit + 60e6)) // microseconds
        return CandidateFailure{candidate::Verdict::Fault, "its process sent nonsense"};
    report.keepsState = reply.getBoolean("state").value_or(false);
    if (const json::Array *list = reply.getArray("digests"))
      for (const json::Value &value : *list)
        report.digests.push_back(value.getAsUINT64().value_or(0));
    if (report.digests.size() != plan.outputs.size())
      return CandidateFailure{candidate::Verdict::Fault, "its process sent nonsense"};
    return outcome;
  }

  Outcome reload() override {
    json::Object reply;
    return ask("reload", 60, reply);
  }

  candidate::Conditions conditions() override {
    json::Object reply;
    candidate::Conditions out;
    auto outcome = ask("conditions", 20, reply);
    if (!outcome)
      return llvm::consumeError(outcome.takeError()), out;
    out.clockMHz = reply.getNumber("clock").value_or(0);
    out.powerWatts = reply.getNumber("power").value_or(0);
    out.temperature = reply.getNumber("temperature").value_or(0);
    return out;
  }

  const char *output(unsigned index) const override { return outputs.data() + offsets[index]; }
  const SharedMemory *outputMemory() const override { return shared ? nullptr : &outputs; }
  bool sharesOutputs() const override { return shared; }
  std::string deviceName() const override { return device; }

private:
  Outcome ask(std::string line, double seconds, json::Object &reply) {
    line += '\n';
    // When the child is gone already, receive() says how it ended.
    sendLine(socket, line, -1);
    return receive(reply, seconds);
  }

  Outcome receive(json::Object &reply, double seconds) {
    toolchain::Deadline deadline(seconds);
    int stops = 0; // how often in turn it was found to be stopped
    size_t end;
    while ((end = pending.find('\n')) == std::string::npos) {
      if (deadline.passed()) {
        // Read before the kill: afterwards nobody knows which launch it was.
        std::string where = launchUnderWay();
        child.kill();
        char text[64];
        snprintf(text, sizeof text, "no answer within %.3g s", seconds);
        return CandidateFailure{candidate::Verdict::Timeout, text + where};
      }
      if (!deadline.waitFor(socket)) {
        // A kernel cannot do that to its process. Where everything was stopped, it may be about to go on.
        stops = child.stopped() ? stops + 1 : 0;
        if (stops < 2)
          continue;
        child.kill();
        return llvm::make_error<toolchain::ProcessLost>("its process was stopped from outside", true);
      }
      char buffer[4096];
      ssize_t got = recv(socket, buffer, sizeof buffer, 0);
      if (got > 0) {
        pending.append(buffer, size_t(got));
        // Replies are small; what floods us is not our worker any more.
        if (pending.size() > (1u << 20))
          return CandidateFailure{candidate::Verdict::Fault, "its process sent nonsense"};
        continue;
      }
      if (got < 0 && errno == EINTR)
        continue;
      return died();
    }
    std::string line = pending.substr(0, end);
    pending.erase(0, end + 1);
    // A candidate's code is near: a reply is input to check, not to trust.
    if (nestsDeep(line))
      return CandidateFailure{candidate::Verdict::Fault, "its process sent nonsense"};
    auto value = json::parse(line);
    if (!value || !value->getAsObject()) {
      if (!value)
        llvm::consumeError(value.takeError());
      return CandidateFailure{candidate::Verdict::Fault, "its process sent nonsense"};
    }
    reply = std::move(*value->getAsObject());
    if (auto error = reply.getString("error")) {
      if (!device.empty())
        return llvm::make_error<WorkerFailed>("its process says: " + error->str());
      return llvm::createStringError(*error);
    }
    // A process that it made for a run.
    if (auto signal = reply.getInteger("signal")) {
      std::string where = launchUnderWay();
      if (llvm::StringRef more = reply.getString("where").value_or(""); !more.empty())
        where += ": " + more.take_front(mostOfAPlace).str();
      return endedBy(int(*signal), where);
    }
    if (auto name = reply.getString("verdict")) {
      // It may condemn itself, and nothing else.
      candidate::Verdict verdict = candidate::parseVerdict(*name).value_or(candidate::Verdict::Fault);
      if (verdict == candidate::Verdict::Pass)
        return CandidateFailure{candidate::Verdict::Cheat, "its process gave itself a verdict"};
      return CandidateFailure{verdict, reply.getString("detail").value_or("").str()};
    }
    return std::nullopt;
  }

  Outcome died() {
    std::string where = launchUnderWay();
    toolchain::ProcessResult result;
    if (!child.waitFor(2, result)) {
      child.kill();
      return CandidateFailure{candidate::Verdict::Fault, "its process closed the connection" + where};
    }
    if (result.end == toolchain::ProcessResult::End::Signalled)
      return endedBy(result.code, where);
    if (where.empty())
      return llvm::make_error<WorkerFailed>("the worker " + toolchain::workerBinary() + " ended with status " +
                                            std::to_string(result.code) + " before it answered");
    return CandidateFailure{candidate::Verdict::Fault,
                            "its process ended with status " + std::to_string(result.code) + where};
  }

  /// What a signal that ended the candidate's code says of it.
  static Outcome endedBy(int signal, const std::string &where) {
    if (signal == SIGSYS)
      return CandidateFailure{candidate::Verdict::Cheat, "it made a system call that no kernel needs" + where};
    if (toolchain::isForeignSignal(signal))
      return llvm::make_error<toolchain::ProcessLost>(describeSignal(signal) + where, true);
    return CandidateFailure{candidate::Verdict::Fault, describeSignal(signal) + where};
  }

  /// " in launch 2 (name)", from the page that the child writes its progress to.
  std::string launchUnderWay() const {
    int index = *reinterpret_cast<volatile int *>(outputs.data());
    if (device.empty() || index < 0 || size_t(index) >= plan.launches.size())
      return "";
    return " in launch " + std::to_string(index) + " (" + plan.launches[size_t(index)].kernel + ")";
  }

  const candidate::LaunchPlan &plan;
  double limit;
  bool shared; ///< inputs and outputs stay on the device
  SpareWorker &spare;
  SharedMemory outputs;
  std::vector<size_t> offsets;
  int socket;
  toolchain::ChildProcess child;
  std::string pending, device;
};

/// The real thing: an exec'd child per candidate.
class ProcessRunner : public CandidateRunner {
public:
  CandidateProcess::Outcome start(const CandidateJob &job, std::unique_ptr<CandidateProcess> &process) override {
    if (auto idle = spare.take(job.device)) {
      auto outcome = startIn(std::move(*idle), job, process);
      if (outcome)
        return outcome;
      // It has waited, and something else on the card may have ended it.
      llvm::consumeError(outcome.takeError());
    }
    auto spawned = IdleWorker::spawn(job.device, job.planFile);
    if (!spawned)
      return spawned.takeError();
    return startIn(std::move(*spawned), job, process);
  }

private:
  CandidateProcess::Outcome startIn(IdleWorker idle, const CandidateJob &job,
                                    std::unique_ptr<CandidateProcess> &process) {
    auto worker = std::make_unique<WorkerProcess>(job, std::move(idle), spare);
    auto outcome = worker->start(job);
    if (outcome && !*outcome)
      process = std::move(worker);
    // On the host there is no context to wait for.
    if (outcome && job.device != "host")
      spare.make(job.device);
    return outcome;
  }

  SpareWorker spare;
};

} // namespace

std::unique_ptr<CandidateRunner> kgen::device::createProcessRunner() { return std::make_unique<ProcessRunner>(); }
