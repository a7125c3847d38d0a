//===- CandidateWorker.cpp - The child's side of a candidate's process ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It gets a device before it gets a candidate: a context takes longer to make than most candidates to verify, so the
// next one's is made meanwhile. Then, on descriptor 3, "descriptor" lines, each with one: the outputs (one page of
// header first), the input sets, where the outputs are on the device those; last "job" and a JSON object. Replies are
// one JSON object a line.
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateProcess.h"
#include "kgen/Device/Confine.h"
#include "kgen/Device/DescriptorSocket.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/Support/JSON.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::device;
namespace json = llvm::json;

namespace {

enum { SocketFd = 3, HeaderBytes = 4096 };

class Worker {
public:
  int serve(llvm::ArrayRef<std::string> arguments) {
    if (arguments.empty() || arguments.size() > 2)
      return 2;
    auto made = createDevice(arguments[0]);
    if (!made)
      return report(made.takeError()), 0;
    device = std::move(*made);
    reply(json::Object{{"ok", true}, {"device", device->name()}});
    std::string line;
    while (receiveLine(SocketFd, line, received) && line == "descriptor") {
      if (received < 0)
        return 2;
      descriptors.push_back(std::exchange(received, -1));
    }
    llvm::StringRef job = line;
    if (!job.consume_front("job "))
      return line.empty() ? 0 : 2; // nobody had a candidate for it
    if (llvm::Error error = prepare(job))
      return report(std::move(error)), 0;
    reply(json::Object{{"ok", true}});
    while (receiveLine(SocketFd, line, received)) {
      if (line == "quit")
        break;
      handle(line);
    }
    // Skips destructors: the driver may be in any state.
    _exit(0);
  }

private:
  llvm::Error prepare(llvm::StringRef words) {
    auto value = json::parse(words);
    if (!value)
      return value.takeError();
    const json::Object *job = value->getAsObject();
    if (!job)
      return llvm::createStringError("the job is no object");
    auto named = [&](const char *key) { return job->getString(key).value_or("").str(); };
    const std::string artifact = named("artifact");
    auto text = toolchain::readWholeFile(named("plan"));
    if (!text)
      return text.takeError();
    auto parsed = candidate::LaunchPlan::parse(*text);
    if (!parsed)
      return parsed.takeError();
    plan = std::move(*parsed);
    size_t total;
    outputOffsets = packBuffers(plan.outputs, HeaderBytes, total);
    const bool onDevice = job->getBoolean("on_device").value_or(false);
    if (descriptors.size() < (onDevice ? 2 : 1))
      return llvm::createStringError("the job came without memory");
    setCount = unsigned(descriptors.size()) - (onDevice ? 2 : 1);
    auto base = map(descriptors[0], total, PROT_READ | PROT_WRITE);
    if (!base)
      return base.takeError();
    outputs = *base;
    // What a run's process has no need of; it keeps the header, to tell how far it is.
    madvise(outputs + HeaderBytes, total - HeaderBytes, MADV_DONTFORK);
    inputOffsets = packBuffers(plan.inputs, 0, inputBytes);
    if (onDevice) {
      for (unsigned i = 0; i <= setCount; ++i) {
        auto import = device->importShared(descriptors[1 + i], i < setCount ? inputBytes : total);
        if (!import)
          return import.takeError();
        imports.push_back(*import);
        // Mapped once to see that it can be: better now than in the middle of a trial.
        if (llvm::Error error = device->copyShared(*import, {}, i == setCount))
          return error;
      }
    } else {
      device->registerHostMemory(outputs + HeaderBytes, total - HeaderBytes);
      for (unsigned i = 0; i < setCount; ++i) {
        auto input = map(descriptors[1 + i], inputBytes, PROT_READ);
        if (!input)
          return input.takeError();
        madvise(*input, inputBytes, MADV_DONTFORK);
        inputs.push_back(*input);
      }
    }
    // Kernels may print; where to is ours to say, and to look at.
    printed = memfd_create("kgen-printed", MFD_CLOEXEC);
    if (printed >= 0)
      dup2(printed, 1);
    // Not from the heap, which a run could not ask for.
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    bool host = device->name() == "host";
    // Files and libraries of our own come before the isolation.
    if (std::string trusted = named("trusted"); !trusted.empty())
      if (llvm::Error error = device->loadTrusted(trusted))
        return error;
    device->conditions();
    std::string why = host ? confineBeforeLoading(artifact) : confineCardCandidate(artifact);
    if (!why.empty())
      return llvm::createStringError("the candidate's process cannot be confined: %s", why.c_str());
    auto created =
        CandidateSession::create(*device, plan, artifact, unsigned(job->getInteger("buffer_sets").value_or(1)));
    if (!created)
      return created.takeError();
    session = std::move(*created);
    loaded.assign(session->setCount(), -1);
    // Beyond buffers that are there: stacks of the threads of a block, and what the C library wants.
    if (host)
      why = confineHostCandidate(4ull << 30);
    if (!why.empty())
      return llvm::createStringError("the candidate's process cannot be confined: %s", why.c_str());
    return llvm::Error::success();
  }

  llvm::Expected<char *> map(int fd, size_t bytes, int protection) {
    void *base = mmap(nullptr, bytes ? bytes : 4096, protection, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
      return llvm::createStringError("cannot map descriptor %d: %s", fd, strerror(errno));
    return static_cast<char *>(base);
  }

  void handle(llvm::StringRef line) {
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ');
    auto number = [&](size_t i) {
      double value = 0;
      if (i < words.size())
        words[i].getAsDouble(value);
      return value;
    };
    if (words[0] == "run") {
      RunRequest request;
      request.poison = uint32_t(number(2));
      request.descending = number(3) != 0;
      request.buffers = unsigned(number(4)) % session->setCount();
      request.cold = number(5) != 0;
      request.copy = number(6) != 0;
      request.waitNanoseconds = number(7);
      // A double would lose its low digits.
      if (words.size() > 8)
        words[8].getAsInteger(10, request.key);
      request.fresh = number(9) != 0;
      request.empty = number(10) != 0;
      request.graph = number(11) != 0;
      run(unsigned(number(1)), request);
    } else if (words[0] == "reload") {
      if (llvm::Error error = session->reload())
        return report(std::move(error));
      reply(json::Object{{"ok", true}});
    } else if (words[0] == "conditions") {
      candidate::Conditions now = device->conditions();
      reply(json::Object{{"clock", now.clockMHz}, {"power", now.powerWatts}, {"temperature", now.temperature}});
    } else {
      reply(json::Object{{"error", "unknown command"}});
    }
  }

  void run(unsigned set, const RunRequest &request) {
    if (set >= setCount)
      return reply(json::Object{{"error", "no such input set"}});
    if (loaded[request.buffers] != int(set)) {
      loaded[request.buffers] = -1;
      if (llvm::Error error = load(request.buffers, set))
        return report(std::move(error));
      loaded[request.buffers] = int(set);
    }
    // The processes of runs write to it.
    auto *progress = reinterpret_cast<volatile int *>(outputs);
    memset(outputs, 0, HeaderBytes);
    *progress = -1;
    auto done = session->run(request, progress);
    if (!done)
      return report(done.takeError());
    fflush(stdout);
    struct stat status;
    if (printed >= 0 && fstat(printed, &status) == 0 && status.st_size > 0)
      return report(llvm::make_error<CandidateError>(candidate::Verdict::Fault,
                                                     "it prints, and a measured kernel has nothing to say"));
    if (request.copy)
      if (llvm::Error error = copyOutputs())
        return report(std::move(error));
    json::Array digests;
    for (uint64_t value : done->digests)
      digests.push_back(value);
    reply(json::Object{{"ok", true},
                       {"us", done->times.launches},
                       {"prepare", done->times.prepare},
                       {"total", done->times.total},
                       {"wall", done->times.wall},
                       {"state", done->keepsState},
                       {"digests", std::move(digests)}});
  }

  llvm::Error load(unsigned buffers, unsigned set) {
    if (!imports.empty())
      return session->setInputs(buffers, imports[set], inputOffsets);
    std::vector<const char *> bytes;
    for (size_t offset : inputOffsets)
      bytes.push_back(inputs[set] + offset);
    return session->setInputs(buffers, bytes);
  }

  llvm::Error copyOutputs() {
    if (!imports.empty())
      return session->shareOutputs(imports[setCount], outputOffsets);
    for (unsigned i = 0; i < plan.outputs.size(); ++i)
      if (llvm::Error error = session->readOutput(i, outputs + outputOffsets[i]))
        return error;
    return llvm::Error::success();
  }

  void report(llvm::Error error) {
    json::Object object;
    llvm::handleAllErrors(
        std::move(error),
        [&](const CandidateError &candidate) {
          object = json::Object{{"verdict", candidate::verdictName(candidate.verdict)}, {"detail", candidate.text}};
        },
        [&](const RunKilled &killed) { object = json::Object{{"signal", killed.signal}, {"where", killed.where}}; },
        [&](const llvm::ErrorInfoBase &other) { object = json::Object{{"error", other.message()}}; });
    reply(std::move(object));
  }

  void reply(json::Object object) {
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(object));
    text += '\n';
    if (!sendLine(SocketFd, text, -1))
      _exit(1);
  }

  std::unique_ptr<Device> device;
  candidate::LaunchPlan plan;
  std::unique_ptr<CandidateSession> session;
  char *outputs = nullptr;
  unsigned setCount = 0;
  std::vector<char *> inputs;
  std::vector<unsigned> imports; ///< instead, where the device shares memory: the sets, then the outputs
  size_t inputBytes = 0;
  std::vector<size_t> outputOffsets, inputOffsets;
  std::vector<int> descriptors; ///< that came before the job
  int received = -1;            ///< the last one that came
  int printed = -1;
  std::vector<int> loaded; ///< by buffer set: the input set that it holds
};

} // namespace

int kgen::device::runCandidateWorker(llvm::ArrayRef<std::string> arguments) { return Worker().serve(arguments); }
