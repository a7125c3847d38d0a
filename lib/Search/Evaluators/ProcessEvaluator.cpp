//===- ProcessEvaluator.cpp - The search's side of kgen-eval --serve ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search never loads a driver or a candidate. One kgen-eval child for the
// device takes jobs as lines of JSON and answers in lines of JSON; it starts a
// further process for each candidate. When it dies it is started once more.
//
// A launched one need not share a file system: candidates travel as text, what
// the evaluator says of them comes back, and nothing else does.
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Search/OpenEvaluators.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

extern char **environ;

using namespace llvm;

namespace kgen::search {

char EvaluatorLost::ID = 0;

namespace {

class ProcessEvaluator : public CandidateEvaluator {
public:
  ProcessEvaluator(const EvaluatorPlace &place, std::function<bool()> isStopped)
      : place(place), program(place.programFolder + "/kgen-eval"), isStopped(std::move(isStopped)) {}
  ~ProcessEvaluator() override {
    // Without input it ends by itself, and tidies up.
    closePipes();
    constexpr double patience = 2;
    toolchain::ProcessResult ended;
    bool waits = isLaunched() ? isReady : !isStopped();
    if (child.waitFor(waits ? patience : 0, ended))
      return;
    if (isLaunched()) {
      // Who is asked gives back what he holds elsewhere: a place in a queue, a node.
      ::kill(-child.id(), SIGTERM);
      if (child.waitFor(patience, ended))
        return;
    }
    child.kill();
    toolchain::ScratchFolder::tidy();
  }

  Error start(const Listener &tell) {
    waiting = tell;
    Error error = spawnOrRetry();
    waiting = {};
    if (error)
      return error;
    arch = device.chip.arch;
    auto compilerOr = device.isHost() ? toolchain::createHostCompiler() : toolchain::createNvrtcCompiler();
    // A launched one has its own; what is compiled here ahead of it only fills a cache that they may share.
    if (!compilerOr && !isLaunched())
      return compilerOr.takeError();
    if (compilerOr)
      compiler = std::move(*compilerOr);
    else
      consumeError(compilerOr.takeError());
    device.isolation = toolchain::describeIsolation(toolchain::supportedIsolation());
    device.confinesFiles = toolchain::supportedIsolation().confinesFiles();
    return Error::success();
  }

  DeviceFacts getDevice() const override { return device; }

  void prepare(StringRef folder) override {
    if (!compiler)
      return;
    auto source = toolchain::readWholeFile((folder + "/kernel.cu").str(), 64u << 20);
    if (!source)
      return consumeError(source.takeError());
    toolchain::CompileOptions options;
    options.arch = arch;
    // Only the cache matters: evaluate() meets the same failure and reports it.
    auto result = compiler->compile(*source, options);
    if (!result)
      consumeError(result.takeError());
  }

  bool compiles(StringRef cuda, double seconds) override {
    if (!compiler)
      return true;
    toolchain::CompileOptions options;
    options.arch = arch;
    options.wallSeconds = std::max(1.0, seconds);
    auto result = compiler->compile(cuda, options);
    if (result)
      return std::holds_alternative<toolchain::Compiled>(*result);
    consumeError(result.takeError()); // evaluate() meets it
    return true;
  }

  void learn(ArrayRef<EvaluationJob> jobs) override {
    if (isLaunched() || jobs.empty())
      return; // its files are elsewhere: it learns each problem when it gets its first candidate
    trajectory::Json list = trajectory::Json::array();
    for (const EvaluationJob &job : jobs)
      list.push_back({{"folder", job.folder}, {"graph", job.graphFile}, {"brief", job.brief}, {"later", job.later}});
    auto answer = ask({{"learn", std::move(list)}, {"rules", jobs.front().rules}});
    if (!answer)
      consumeError(answer.takeError()); // evaluate() meets it
  }

  Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    trajectory::Json request = {{"flops", job.flops}, {"precision", job.precision}, {"rules", job.rules}};
    if (!job.time)
      request["time"] = false;
    if (job.incumbentUs > 0)
      request["rival_us"] = job.incumbentUs;
    if (job.timingSeconds > 0)
      request["timing_seconds"] = job.timingSeconds;
    if (job.brief)
      request["brief"] = true;
    if (isLaunched()) {
      auto texts = readTexts(job.folder);
      if (!texts)
        return texts.takeError();
      request["texts"] = std::move(*texts);
    } else {
      request["folder"] = job.folder;
      request["graph"] = job.graphFile;
      if (!job.writesResults)
        request["results"] = false;
    }
    if (job.what != EvaluationJob::Measure)
      request["only"] = job.what == EvaluationJob::Compare ? "compare" : "sanitize";
    if (job.promote || job.what == EvaluationJob::Compare) {
      request["incumbent"] = job.incumbentFolder;
      if (isLaunched() && !job.incumbentFolder.empty()) {
        auto texts = readTexts(job.incumbentFolder);
        if (!texts)
          return texts.takeError();
        request["incumbent_texts"] = std::move(*texts);
      }
      request["incumbent_id"] = job.incumbent;
      request["incumbent_us"] = job.incumbentUs;
      request["profile"] = job.profile;
      if (!job.sanitize)
        request["sanitize_best"] = false;
    }
    if ((job.promote || job.what == EvaluationJob::Sanitize) && job.checkSeconds > 0)
      request["check_seconds"] = job.checkSeconds;
    if (job.what == EvaluationJob::Sanitize && job.knownUs > 0)
      request["known_us"] = job.knownUs;
    auto answer = ask(std::move(request), isLaunched() ? job.graphFile : "");
    if (!answer)
      return answer.takeError();
    if (!answer->contains("measurement"))
      return createStringError("kgen-eval answered without a measurement");
    if (isLaunched() && job.writesResults)
      for (auto [key, name] : {std::pair("compile_log", "compile.log"), std::pair("ptx", "kernel.ptx")})
        if (auto it = answer->find(key); it != answer->end() && it->is_string())
          if (Error error = toolchain::writeFileAtomically(job.folder + "/" + name, it->get<std::string>()))
            return std::move(error);
    return candidate::Measurement::parse((*answer)["measurement"].dump());
  }

  void makeRoom() override {
    if (!child.running() || lost)
      return;
    auto answer = ask({{"make_room", true}});
    if (!answer)
      consumeError(answer.takeError()); // evaluate() meets it
  }

  bool deviceIsLost() const override { return lost; }

  std::vector<std::string> revealInputs() override {
    // A child that died took its seed along.
    if (!child.running() || isStopped() || lost)
      return {};
    auto answer = ask({{"reveal", true}});
    if (!answer) {
      consumeError(answer.takeError());
      return {};
    }
    std::string seed = answer->value("seed", "");
    return seed.empty() ? std::vector<std::string>() : std::vector{seed};
  }

  std::map<std::string, double> timeBaselines(StringRef file, std::string &note) override {
    if (isLaunched()) {
      note = "PyTorch is timed only where kgen-search runs, and the run's reference is elsewhere";
      return {};
    }
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
  bool isLaunched() const { return !place.launcher.empty(); }
  Error spawn();
  Error readReadyLine();
  /// One that is killed before it is ready is started once more.
  Error spawnOrRetry() {
    Error error = spawn();
    if (!error.isA<toolchain::ProcessLost>() || isStopped() || place.oneOfSeveral)
      return error;
    consumeError(std::move(error));
    return spawn();
  }
  std::vector<std::string> launchersEnvironment() const;
  static Expected<trajectory::Json> readTexts(const std::string &folder);
  Expected<std::string> readLine();
  void readComplaints();
  Error writeLine(StringRef line);
  /// Sends REQUEST with a number and waits for its answer; a died child is started once more. GRAPHFILE goes along
  /// once for each process.
  Expected<trajectory::Json> ask(trajectory::Json request, const std::string &graphFile = "");
  Error ended(StringRef how);
  void closePipes() {
    for (int *fd : {&toChild, &fromChild, &complaining})
      if (*fd >= 0) {
        ::close(*fd);
        *fd = -1;
      }
  }

  EvaluatorPlace place;
  std::string program;
  std::function<bool()> isStopped;
  Listener waiting; ///< only while it starts
  DeviceFacts device;
  std::string arch; ///< for prepare(), which other threads call
  std::unique_ptr<toolchain::Compiler> compiler;
  toolchain::ChildProcess child;
  int toChild = -1, fromChild = -1;
  int complaining = -1;   ///< a launcher's stderr
  std::string complaints; ///< what it said, the end of it
  std::string sentGraph;  ///< the file that this process knows
  std::string received;
  int lastId = 0;
  bool lost = false;
  bool isReady = false; ///< it said so
};

/// What a launcher gets beside the allow-list: whom it works for. Never a key.
std::vector<std::string> ProcessEvaluator::launchersEnvironment() const {
  std::vector<std::string> result = {"KGEN_GATE="}; // a folder of this machine
  bool isSsh = sys::path::filename(place.launcher.front()).starts_with("ssh");
  for (char **variable = environ; *variable; ++variable) {
    StringRef name = StringRef(*variable).split('=').first;
    // SLURM_JWT is one.
    bool slurm = name.starts_with("SLURM_") && name != "SLURM_JWT";
    if (slurm || name == "USER" || name == "LOGNAME" || (isSsh && name == "SSH_AUTH_SOCK"))
      result.push_back(*variable);
  }
  return result;
}

Error ProcessEvaluator::spawn() {
  closePipes();
  child.kill();
  received.clear();
  complaints.clear();
  sentGraph.clear();
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  for (int i = 0; i < (isLaunched() ? 3 : 2); ++i)
    if (::pipe2(pipes[i], O_CLOEXEC) < 0) {
      int code = errno;
      for (auto &pipe : pipes)
        for (int fd : pipe)
          if (fd >= 0)
            ::close(fd);
      return createStringError(Twine("cannot make a pipe: ") + std::strerror(code));
    }
  toolchain::ProcessRequest request;
  request.arguments = place.launcher;
  // A launcher may say where the evaluator lies over there.
  if (!isLaunched() || sys::path::filename(place.launcher.back()) != "kgen-eval")
    request.arguments.push_back(program);
  for (const char *word : {"--serve", "--device"})
    request.arguments.push_back(word);
  request.arguments.push_back(place.device);
  if (!place.gate.empty()) {
    request.arguments.push_back("--gate");
    request.arguments.push_back(place.gate);
  }
  if (place.sharers > 1)
    append_range(request.arguments, std::vector<std::string>{"--sharers", std::to_string(place.sharers)});
  request.descriptors = {{pipes[0][0], 0}, {pipes[1][1], 1}};
  if (isLaunched()) {
    request.descriptors.push_back({pipes[2][1], 2});
    request.extraEnvironment = launchersEnvironment();
  }
  auto started = toolchain::ChildProcess::start(request);
  ::close(pipes[0][0]);
  ::close(pipes[1][1]);
  if (isLaunched())
    ::close(pipes[2][1]);
  toChild = pipes[0][1];
  fromChild = pipes[1][0];
  complaining = pipes[2][0];
  if (!started)
    return started.takeError();
  child = std::move(*started);
  return readReadyLine();
}

Error ProcessEvaluator::readReadyLine() {
  trajectory::Json ready;
  // Logins greet.
  constexpr int mostGreetings = 200;
  for (int skipped = 0;; ++skipped) {
    auto line = readLine();
    if (!line)
      return line.takeError();
    ready = trajectory::Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (ready.is_object() || !isLaunched() || skipped == mostGreetings)
      break;
    if (waiting)
      waiting(StringRef(*line).take_front(300));
  }
  if (ready.is_object() && ready.contains("error") && ready["error"].is_string())
    return createStringError(ready["error"].get<std::string>());
  try {
    device.name = ready.at("device");
    device.model = ready.value("model", device.model);
    device.compiler = ready.value("compiler", "");
    device.chip.arch = ready.value("arch", device.chip.arch);
    device.chip.sharedBytesPerBlock = ready.value("shared_bytes_per_block", device.chip.sharedBytesPerBlock);
    device.chip.multiprocessors = ready.value("multiprocessors", device.chip.multiprocessors);
    device.machine = ready.value("machine", "");
    device.memoryBytes = ready.value("memory_bytes", int64_t(0));
    device.version = ready.value("version", "");
  } catch (const trajectory::Json::exception &) {
    return createStringError("kgen-eval --serve did not say which device it has");
  }
  place.device = device.name; // "auto" is settled
  isReady = true;
  return Error::success();
}

/// Keeps the end of what the launcher says, and passes it on while it is waited for.
void ProcessEvaluator::readComplaints() {
  char buffer[4096];
  ssize_t count = ::read(complaining, buffer, sizeof(buffer));
  if (count < 0 && errno == EINTR)
    return;
  if (count <= 0) {
    ::close(complaining);
    complaining = -1;
    return;
  }
  complaints.append(buffer, count);
  constexpr size_t most = 8192;
  if (complaints.size() > most)
    complaints.erase(0, complaints.size() - most);
  if (waiting)
    waiting(StringRef(buffer, count).trim().rsplit('\n').second.empty()
                ? StringRef(buffer, count).trim()
                : StringRef(buffer, count).trim().rsplit('\n').second);
}

/// The end of the process, with the last words of a launcher.
Error ProcessEvaluator::ended(StringRef how) {
  std::string why = how.str();
  if (isLaunched()) {
    // What it said last may still be on its way.
    for (int i = 0; complaining >= 0 && i < 20; ++i) {
      pollfd descriptor = {complaining, POLLIN, 0};
      if (::poll(&descriptor, 1, 100) <= 0)
        break;
      readComplaints();
    }
    SmallVector<StringRef> lines;
    StringRef(complaints).split(lines, '\n', -1, /*KeepEmpty=*/false);
    constexpr size_t shown = 3;
    std::string words;
    for (StringRef line : ArrayRef(lines).take_back(shown))
      words += (words.empty() ? "" : "; ") + line.trim().take_front(300).str();
    why += words.empty() ? ", and its launcher says nothing" : ": " + words;
  }
  return make_error<toolchain::ProcessLost>(why);
}

Expected<std::string> ProcessEvaluator::readLine() {
  constexpr size_t longest = 64 << 20;
  for (int idle = 0;;) {
    if (size_t end = received.find('\n'); end != std::string::npos) {
      std::string line = received.substr(0, end);
      received.erase(0, end + 1);
      return line;
    }
    if (isStopped()) {
      if (!isLaunched()) // a launcher sees that nobody writes any more, and ends what it launched
        child.kill();
      return createStringError("interrupted");
    }
    pollfd descriptors[2] = {{fromChild, POLLIN, 0}, {complaining, POLLIN, 0}};
    constexpr int milliseconds = 100; // how long Ctrl-C may take
    int n = ::poll(descriptors, complaining >= 0 ? 2 : 1, milliseconds);
    if (n < 0 && errno != EINTR)
      return createStringError(Twine("cannot wait for kgen-eval: ") + std::strerror(errno));
    if (n <= 0) {
      // Somebody who stopped it alone would have the search wait for ever; all stopped together go on together.
      constexpr int patience = 100;
      idle = child.stopped() ? idle + 1 : 0;
      if (idle < patience)
        continue;
      child.kill();
      return ended("kgen-eval was stopped from outside");
    }
    if (complaining >= 0 && descriptors[1].revents)
      readComplaints();
    if (!descriptors[0].revents)
      continue;
    char buffer[65536];
    ssize_t count = ::read(fromChild, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return ended("kgen-eval ended unexpectedly");
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
      return ended("kgen-eval ended unexpectedly");
    rest = rest.drop_front(n);
  }
  return Error::success();
}

Expected<trajectory::Json> ProcessEvaluator::readTexts(const std::string &folder) {
  trajectory::Json texts;
  auto read = [&](trajectory::Json &to, const std::string &name, uint64_t most) -> Error {
    auto text = toolchain::readWholeFile(folder + "/" + name, most);
    if (!text)
      return text.takeError();
    to = std::move(*text);
    return Error::success();
  };
  if (Error error = read(texts["plan"], "plan.json", 64u << 20))
    return std::move(error);
  auto plan = candidate::LaunchPlan::parse(texts["plan"].get_ref<const std::string &>());
  if (!plan)
    consumeError(plan.takeError()); // the candidate's verdict, over there
  if (!plan || !plan->isNetwork()) {
    if (Error error = read(texts["cuda"], "kernel.cu", 64u << 20))
      return std::move(error);
    return texts;
  }
  texts["modules"] = trajectory::Json::array();
  for (const std::string &name : plan->modules)
    if (Error error = read(texts["modules"].emplace_back(), name, 64u << 20))
      return std::move(error);
  if (sys::fs::exists(folder + "/partition.json"))
    if (Error error = read(texts["tasks"], "partition.json", 256u << 20))
      return std::move(error);
  return texts;
}

Expected<trajectory::Json> ProcessEvaluator::ask(trajectory::Json request, const std::string &graphFile) {
  request["id"] = ++lastId;
  for (int attempt = 0;; ++attempt) {
    trajectory::Json sent = request;
    if (!graphFile.empty() && graphFile != sentGraph) {
      auto graph = toolchain::readWholeFile(graphFile, 256u << 20);
      if (!graph)
        return graph.takeError();
      sent["graph_text"] = std::move(*graph);
    }
    Error failure = writeLine(sent.dump(-1, ' ', false, trajectory::Json::error_handler_t::replace));
    if (!failure) {
      auto line = readLine();
      if (line) {
        trajectory::Json answer = trajectory::Json::parse(*line, nullptr, /*allow_exceptions=*/false);
        if (!answer.is_object())
          return createStringError("kgen-eval answered with something else than JSON");
        sentGraph = graphFile.empty() ? sentGraph : graphFile;
        lost = answer.value("lost", false);
        if (answer.contains("error") && answer["error"].is_string()) {
          std::string why = answer["error"];
          if (lost && place.oneOfSeveral)
            return make_error<EvaluatorLost>(why, /*forGood=*/true);
          return createStringError(why);
        }
        return answer;
      }
      failure = line.takeError();
    }
    if (!isStopped() && place.oneOfSeveral && failure.isA<toolchain::ProcessLost>())
      return make_error<EvaluatorLost>(toString(std::move(failure)));
    if (isStopped() || attempt == 1)
      return std::move(failure);
    consumeError(std::move(failure));
    if (Error error = spawnOrRetry())
      return std::move(error);
  }
}

} // namespace

Expected<std::unique_ptr<CandidateEvaluator>>
createProcessEvaluator(const EvaluatorPlace &place, std::function<bool()> isStopped, const Listener &waiting) {
  if (!sys::fs::can_execute(place.programFolder + "/kgen-eval"))
    return createStringError("kgen-eval is not beside kgen-search, in " + place.programFolder);
  auto evaluator = std::make_unique<ProcessEvaluator>(place, std::move(isStopped));
  if (Error error = evaluator->start(waiting))
    return std::move(error);
  return evaluator;
}

} // namespace kgen::search
