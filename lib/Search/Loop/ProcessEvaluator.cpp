//===- ProcessEvaluator.cpp - The search's side of kgen-eval --serve ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search never loads a driver or a candidate. One kgen-eval child for the
// device takes jobs as lines of JSON and answers in lines of JSON; it starts a
// further process for each candidate. When it dies it is started once more.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/CandidateEvaluator.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace kgen::search {
namespace {

class ProcessEvaluator : public CandidateEvaluator {
public:
  ProcessEvaluator(std::string device, std::string program, const std::atomic<bool> &stop)
      : wantedDevice(std::move(device)), program(std::move(program)), stop(stop) {}
  ~ProcessEvaluator() override {
    // Without input it ends by itself, and tidies up.
    closePipes();
    constexpr double patience = 2;
    toolchain::ProcessResult ended;
    if (child.waitFor(stop ? 0 : patience, ended))
      return;
    child.kill();
    toolchain::ScratchFolder::tidy();
  }

  Error start() {
    if (Error error = spawnOrRetry())
      return error;
    auto compilerOr = device.isHost() ? toolchain::createHostCompiler() : toolchain::createNvrtcCompiler();
    if (!compilerOr)
      return compilerOr.takeError();
    compiler = std::move(*compilerOr);
    device.isolation = toolchain::describeIsolation(toolchain::supportedIsolation());
    device.confinesFiles = toolchain::supportedIsolation().confinesFiles();
    return Error::success();
  }

  DeviceFacts getDevice() const override { return device; }

  void prepare(StringRef folder) override {
    auto source = toolchain::readWholeFile((folder + "/kernel.cu").str(), 64u << 20);
    if (!source)
      return consumeError(source.takeError());
    toolchain::CompileOptions options;
    options.arch = device.chip.arch;
    // Only the cache matters: evaluate() meets the same failure and reports it.
    auto result = compiler->compile(*source, options);
    if (!result)
      consumeError(result.takeError());
  }

  Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    trajectory::Json request = {{"folder", job.folder},
                                {"graph", job.graphFile},
                                {"flops", job.flops},
                                {"precision", job.precision},
                                {"rules", job.rules}};
    if (job.promote) {
      request["incumbent"] = job.incumbentFolder;
      request["incumbent_id"] = job.incumbent;
      request["incumbent_us"] = job.incumbentUs;
      request["profile"] = job.profile;
    }
    auto answer = ask(std::move(request));
    if (!answer)
      return answer.takeError();
    if (!answer->contains("measurement"))
      return createStringError("kgen-eval answered without a measurement");
    return candidate::Measurement::parse((*answer)["measurement"].dump());
  }

  bool deviceIsLost() const override { return lost; }

  std::string revealInputs() override {
    // A child that died took its seed along.
    if (!child.running() || stop || lost)
      return "";
    auto answer = ask({{"reveal", true}});
    if (!answer) {
      consumeError(answer.takeError());
      return "";
    }
    return answer->value("seed", "");
  }

  std::map<std::string, double> timeBaselines(StringRef file, std::string &note) override {
    auto answer = ask({{"baselines", file.str()}});
    if (!answer) {
      note = toString(answer.takeError());
      return {};
    }
    try {
      return answer->at("baselines").get<std::map<std::string, double>>();
    } catch (const trajectory::Json::exception &) {
      note = "kgen-eval answered without baselines";
      return {};
    }
  }

private:
  Error spawn();
  /// One that is killed before it is ready is started once more.
  Error spawnOrRetry() {
    Error error = spawn();
    if (!error.isA<toolchain::ProcessLost>() || stop)
      return error;
    consumeError(std::move(error));
    return spawn();
  }
  Expected<std::string> readLine();
  Error writeLine(StringRef line);
  /// Sends REQUEST with a number and waits for its answer; a died child is started once more.
  Expected<trajectory::Json> ask(trajectory::Json request);
  void closePipes() {
    for (int *fd : {&toChild, &fromChild})
      if (*fd >= 0) {
        ::close(*fd);
        *fd = -1;
      }
  }

  std::string wantedDevice, program;
  const std::atomic<bool> &stop;
  DeviceFacts device;
  std::unique_ptr<toolchain::Compiler> compiler;
  toolchain::ChildProcess child;
  int toChild = -1, fromChild = -1;
  std::string received;
  int lastId = 0;
  bool lost = false;
};

Error ProcessEvaluator::spawn() {
  closePipes();
  child.kill();
  received.clear();
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) < 0)
    return createStringError(Twine("cannot make a pipe: ") + std::strerror(errno));
  if (::pipe2(out, O_CLOEXEC) < 0) {
    int code = errno;
    ::close(in[0]);
    ::close(in[1]);
    return createStringError(Twine("cannot make a pipe: ") + std::strerror(code));
  }
  toolchain::ProcessRequest request;
  request.arguments = {program, "--serve", "--device", wantedDevice};
  request.descriptors = {{in[0], 0}, {out[1], 1}};
  auto started = toolchain::ChildProcess::start(request);
  ::close(in[0]);
  ::close(out[1]);
  toChild = in[1];
  fromChild = out[0];
  if (!started)
    return started.takeError();
  child = std::move(*started);
  auto line = readLine();
  if (!line)
    return line.takeError();
  trajectory::Json ready = trajectory::Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (ready.is_object() && ready.contains("error") && ready["error"].is_string())
    return createStringError(ready["error"].get<std::string>());
  try {
    device.name = ready.at("device");
    device.model = ready.value("model", device.model);
    device.chip.arch = ready.value("arch", device.chip.arch);
    device.chip.sharedBytesPerBlock = ready.value("shared_bytes_per_block", device.chip.sharedBytesPerBlock);
    device.chip.multiprocessors = ready.value("multiprocessors", device.chip.multiprocessors);
  } catch (const trajectory::Json::exception &) {
    return createStringError("kgen-eval --serve did not say which device it has");
  }
  wantedDevice = device.name; // "auto" is settled
  return Error::success();
}

Expected<std::string> ProcessEvaluator::readLine() {
  constexpr size_t longest = 64 << 20;
  for (int idle = 0;;) {
    if (size_t end = received.find('\n'); end != std::string::npos) {
      std::string line = received.substr(0, end);
      received.erase(0, end + 1);
      return line;
    }
    if (stop) {
      child.kill();
      return createStringError("interrupted");
    }
    pollfd descriptor = {fromChild, POLLIN, 0};
    constexpr int milliseconds = 100; // how long Ctrl-C may take
    int n = ::poll(&descriptor, 1, milliseconds);
    if (n < 0 && errno != EINTR)
      return createStringError(Twine("cannot wait for kgen-eval: ") + std::strerror(errno));
    if (n <= 0) {
      // Somebody who stopped it alone would have the search wait for ever; all stopped together go on together.
      constexpr int patience = 100;
      idle = child.stopped() ? idle + 1 : 0;
      if (idle < patience)
        continue;
      child.kill();
      return createStringError("kgen-eval was stopped from outside");
    }
    char buffer[65536];
    ssize_t count = ::read(fromChild, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return make_error<toolchain::ProcessLost>("kgen-eval ended unexpectedly");
    received.append(buffer, count);
    if (received.size() > longest)
      return createStringError("kgen-eval answers without end");
  }
}

Error ProcessEvaluator::writeLine(StringRef line) {
  std::string text = (line + "\n").str();
  for (StringRef rest = text; !rest.empty();) {
    ssize_t n = ::write(toChild, rest.data(), rest.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return createStringError("kgen-eval ended unexpectedly");
    rest = rest.drop_front(n);
  }
  return Error::success();
}

Expected<trajectory::Json> ProcessEvaluator::ask(trajectory::Json request) {
  request["id"] = ++lastId;
  std::string text = request.dump(-1, ' ', false, trajectory::Json::error_handler_t::replace);
  for (int attempt = 0;; ++attempt) {
    Error failure = writeLine(text);
    if (!failure) {
      auto line = readLine();
      if (line) {
        trajectory::Json answer = trajectory::Json::parse(*line, nullptr, /*allow_exceptions=*/false);
        if (!answer.is_object())
          return createStringError("kgen-eval answered with something else than JSON");
        lost = answer.value("lost", false);
        if (answer.contains("error") && answer["error"].is_string())
          return createStringError(answer["error"].get<std::string>());
        return answer;
      }
      failure = line.takeError();
    }
    if (stop || attempt == 1)
      return std::move(failure);
    consumeError(std::move(failure));
    if (Error error = spawnOrRetry())
      return std::move(error);
  }
}

} // namespace

Expected<std::unique_ptr<CandidateEvaluator>>
createProcessEvaluator(const std::string &device, const std::string &programFolder, const std::atomic<bool> &stop) {
  std::string program = programFolder + "/kgen-eval";
  if (!sys::fs::can_execute(program))
    return createStringError("kgen-eval is not beside kgen-search, in " + programFolder);
  auto evaluator = std::make_unique<ProcessEvaluator>(device, program, stop);
  if (Error error = evaluator->start())
    return std::move(error);
  return evaluator;
}

} // namespace kgen::search
