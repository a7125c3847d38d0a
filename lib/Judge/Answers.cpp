//===- Answers.cpp - kgen-oracle in a child process -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Answers.h"
#include "kgen/Judge/Verify.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"
#include "kgen/Toolchain/SiblingTool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::judge;
namespace fs = llvm::sys::fs;

Answer &Answer::operator=(Answer &&other) noexcept {
  if (this == &other)
    return *this;
  if (mapped)
    munmap(const_cast<double *>(base), mapped);
  owned = std::move(other.owned);
  wide = std::move(other.wide);
  mapped = std::exchange(other.mapped, 0);
  count = std::exchange(other.count, 0);
  base = std::exchange(other.base, nullptr);
  return *this;
}

Answer::~Answer() {
  if (mapped)
    munmap(const_cast<double *>(base), mapped);
}

llvm::Expected<Answer> Answer::takeFile(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0)
    return llvm::createStringError("the oracle left no %s: %s", path.c_str(), strerror(errno));
  Answer answer;
  answer.count = size_t(info.st_size) / sizeof(double);
  if (info.st_size > 0) {
    void *base = mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED) {
      close(fd);
      return llvm::createStringError("cannot map %s: %s", path.c_str(), strerror(errno));
    }
    answer.base = static_cast<const double *>(base);
    answer.mapped = size_t(info.st_size);
  }
  close(fd);
  unlink(path.c_str());
  return std::move(answer);
}

namespace {

/// A folder for the exchange, in memory when there is room for BYTES twice over.
llvm::Expected<toolchain::ScratchFolder> exchangeFolder(size_t bytes) {
  struct statvfs space;
  std::string parent;
  if (statvfs("/dev/shm", &space) == 0 && space.f_bavail * space.f_frsize > 2 * bytes && access("/dev/shm", W_OK) == 0)
    parent = "/dev/shm";
  return toolchain::ScratchFolder::create("oracle", parent);
}

/// One child, which compiled one graph.
class OracleProcess {
public:
  ~OracleProcess() { stop(); }

  explicit OracleProcess(Computed what) : what(what) {}
  bool knows(llvm::StringRef graph) const { return graph == started; }
  bool computes(Computed wanted) const { return wanted == what; }

  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph, llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
    if (llvm::Error error = ensureStarted(graph))
      return std::move(error);
    size_t bytes = 0;
    for (llvm::ArrayRef<double> input : inputs)
      bytes += input.size() * sizeof(double);
    auto folder = exchangeFolder(2 * bytes + (64u << 20));
    if (!folder)
      return folder.takeError();
    return exchange(folder->path(), inputs);
  }

  /// REQUEST in kgen-oracle's words.
  llvm::Expected<GraphTraits> traits(llvm::StringRef graph, const std::string &request) {
    auto reply = ask(graph, "traits " + request);
    if (!reply)
      return reply.takeError();
    auto [exact, inputs] = llvm::StringRef(*reply).split(' ');
    auto [multiplied, keepsNaN] = inputs.split(' ');
    if (exact.find_first_not_of("01") != llvm::StringRef::npos)
      return refused(*reply);
    GraphTraits traits;
    for (char c : exact)
      traits.exact.push_back(c == '1');
    for (char c : multiplied)
      traits.multiplied.push_back(c == '1');
    for (char c : keepsNaN)
      traits.keepsNaN.push_back(c == '1');
    return traits;
  }

  llvm::Expected<double> flops(llvm::StringRef graph) {
    auto reply = ask(graph, "flops");
    if (!reply)
      return reply.takeError();
    double flops = 0;
    if (llvm::StringRef(*reply).getAsDouble(flops))
      return refused(*reply);
    return flops;
  }

private:
  /// The answer to LINE, a question of GRAPH that needs no inputs.
  llvm::Expected<std::string> ask(llvm::StringRef graph, std::string line) {
    if (llvm::Error error = ensureStarted(graph))
      return std::move(error);
    line += '\n';
    std::string reply;
    if (write(toChild, line.data(), line.size()) != ssize_t(line.size()) || !readLine(reply))
      return explainEnd();
    return reply;
  }

  static llvm::Error refused(llvm::StringRef reply) {
    reply.consume_front("error: ");
    return llvm::createStringError("oracle: %s", reply.str().c_str());
  }

  /// One question: inputs as files, a line that names the folder, answers as files beside them. Gigabytes go
  /// through the page cache of a folder in memory, not through a pipe.
  llvm::Expected<std::vector<Answer>> exchange(const std::string &folder,
                                               llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (llvm::Error error = toolchain::writeFileAtomically(
              folder + "/in" + std::to_string(i) + ".bin",
              llvm::StringRef(reinterpret_cast<const char *>(inputs[i].data()), inputs[i].size() * sizeof(double))))
        return std::move(error);
    // The answers may overwrite nothing: inputs are inN.bin, they are outN.bin.
    std::string job = folder + "\t" + folder + "\n", reply;
    if (write(toChild, job.data(), job.size()) != ssize_t(job.size()) || !readLine(reply))
      return explainEnd();
    if (reply != "ok")
      return refused(reply);
    std::vector<Answer> answers;
    for (size_t i = 0;; ++i) {
      std::string path = folder + "/out" + std::to_string(i) + ".bin";
      if (!fs::exists(path))
        break;
      auto taken = Answer::takeFile(path);
      if (!taken)
        return taken.takeError();
      path = folder + "/wide" + std::to_string(i) + ".bin";
      if (fs::exists(path)) {
        auto words = toolchain::readWholeFile(path);
        if (!words)
          return words.takeError();
        taken->wide.resize(words->size() / sizeof(int64_t));
        memcpy(taken->wide.data(), words->data(), taken->wide.size() * sizeof(int64_t));
        unlink(path.c_str());
      }
      answers.push_back(std::move(*taken));
    }
    return std::move(answers);
  }

  /// Compiling a graph costs more than answering a small question, so a child lives on for the next one.
  llvm::Error ensureStarted(llvm::StringRef graph) {
    if (child.running() && graph == started)
      return llvm::Error::success();
    stop();
    const char *path = getenv("KGEN_ORACLE");
    std::string program = path ? path : toolchain::siblingTool("kgen-oracle");
    if (!fs::can_execute(program))
      return llvm::createStringError("the oracle %s is not there: build the target kgen-oracle", program.c_str());
    auto folder = exchangeFolder(1 << 20);
    if (!folder)
      return folder.takeError();
    graphFolder = std::move(*folder);
    if (llvm::Error error = toolchain::writeFileAtomically(graphFolder.path() + "/graph.mlir", graph))
      return error;
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
      return llvm::createStringError("cannot make pipes: %s", strerror(errno));
    toolchain::ProcessRequest request;
    request.arguments = {program, graphFolder.path() + "/graph.mlir", "--jobs", "-"};
    if (what != Computed::Answers)
      request.arguments.push_back(what == Computed::Magnitudes ? "--magnitudes"
                                  : what == Computed::Reach    ? "--reach"
                                  : what == Computed::Declared ? "--declared"
                                                               : "--declared-tf32");
    request.descriptors = {{in[0], 0}, {out[1], 1}, {err[1], 2}};
    auto process = toolchain::ChildProcess::start(request);
    close(in[0]), close(out[1]), close(err[1]);
    toChild = in[1], fromChild = out[0], errors = err[0];
    if (!process)
      return process.takeError();
    child = std::move(*process);
    started = graph.str();
    return llvm::Error::success();
  }

  /// False when the child is gone, stopped, or silent for an hour.
  bool readLine(std::string &line) {
    line.clear();
    toolchain::Deadline deadline(3600);
    while (line.size() < 65536) {
      if (!deadline.waitFor(fromChild)) {
        wasStopped = child.stopped();
        if (wasStopped || deadline.passed())
          return false;
        continue;
      }
      char c;
      if (read(fromChild, &c, 1) != 1)
        return false;
      if (c == '\n')
        return true;
      line += c;
    }
    return false;
  }

  /// The child closed its end: what it said on stderr is the reason.
  llvm::Error explainEnd() {
    std::string text;
    char buffer[4096];
    ssize_t got;
    // Reading must not wait for a grandchild that still holds the pipe.
    fcntl(errors, F_SETFL, O_NONBLOCK);
    toolchain::ProcessResult end;
    bool ended = !wasStopped && child.waitFor(2, end);
    while (text.size() < 65536 && (got = read(errors, buffer, sizeof buffer)) > 0)
      text.append(buffer, size_t(got));
    stop();
    llvm::StringRef words = llvm::StringRef(text).trim();
    words.consume_front("error: ");
    if (std::exchange(wasStopped, false))
      return llvm::make_error<toolchain::ProcessLost>("the oracle was stopped from outside");
    if (!ended)
      return llvm::createStringError("the oracle does not answer");
    if (end.end == toolchain::ProcessResult::End::Signalled && toolchain::isForeignSignal(end.code))
      return llvm::make_error<toolchain::ProcessLost>("the oracle was killed (signal " + std::to_string(end.code) +
                                                      ")");
    if (words.empty())
      return llvm::createStringError("the oracle died of signal %d", end.code);
    return llvm::createStringError("oracle: %s", words.str().c_str());
  }

  void stop() {
    child.kill();
    for (int *fd : {&toChild, &fromChild, &errors})
      if (*fd >= 0)
        close(std::exchange(*fd, -1));
    graphFolder = toolchain::ScratchFolder();
    started.clear();
  }

  toolchain::ChildProcess child;
  int toChild = -1, fromChild = -1, errors = -1;
  std::string started;
  toolchain::ScratchFolder graphFolder;
  bool wasStopped = false;
  const Computed what;
};

/// Hands each question to a child that nobody uses, or to a new one. How many run at once is the asker's affair.
class OraclePool : public AnswerSource {
public:
  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                             llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return compute(Computed::Answers, graph, inputs);
  }
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return twice<std::vector<Answer>>(what, graph,
                                      [&](OracleProcess &process) { return process.answer(graph, inputs); });
  }

  llvm::Expected<GraphTraits> traits(llvm::StringRef graph, llvm::ArrayRef<double> largest, double products) override {
    auto print = [](double value) { return llvm::formatv("{0:f0}", value).str(); };
    std::vector<std::string> sizes;
    for (double size : largest)
      sizes.push_back(print(size));
    const std::string request = print(products) + ":" + llvm::join(sizes, ",");
    return twice<GraphTraits>(Computed::Answers, graph,
                              [&](OracleProcess &process) { return process.traits(graph, request); });
  }
  llvm::Expected<double> flops(llvm::StringRef graph) override {
    return twice<double>(Computed::Answers, graph, [&](OracleProcess &process) { return process.flops(graph); });
  }

  void rest(llvm::StringRef graph) override {
    std::lock_guard<std::mutex> guard(lock);
    if (!stays)
      llvm::erase_if(idle, [&](const auto &each) { return each->knows(graph); });
  }
  void stay() override {
    std::lock_guard<std::mutex> guard(lock);
    stays = true;
  }

private:
  /// What QUESTION gets of a child that computes WHAT of GRAPH.
  template <class Reply>
  llvm::Expected<Reply> twice(Computed what, llvm::StringRef graph,
                              llvm::function_ref<llvm::Expected<Reply>(OracleProcess &)> question) {
    llvm::Expected<Reply> reply = once(what, graph, question);
    // One that was killed while nobody asked it shows now.
    if (reply || !reply.template errorIsA<toolchain::ProcessLost>())
      return reply;
    llvm::consumeError(reply.takeError());
    return once(what, graph, question);
  }

  template <class Reply>
  llvm::Expected<Reply> once(Computed what, llvm::StringRef graph,
                             llvm::function_ref<llvm::Expected<Reply>(OracleProcess &)> question) {
    std::unique_ptr<OracleProcess> process;
    {
      std::lock_guard<std::mutex> guard(lock);
      auto found = llvm::find_if(idle, [&](const auto &each) { return each->knows(graph) && each->computes(what); });
      if (found != idle.end()) {
        process = std::move(*found);
        idle.erase(found);
      }
    }
    if (!process)
      process = std::make_unique<OracleProcess>(what);
    auto reply = question(*process);
    if (reply) {
      std::lock_guard<std::mutex> guard(lock);
      idle.push_back(std::move(process));
      // Several graphs are asked about side by side; whoever was idle longest goes first.
      constexpr size_t mostIdle = 16;
      if (idle.size() > mostIdle)
        idle.erase(idle.begin());
    }
    return reply;
  }

  std::mutex lock;
  std::vector<std::unique_ptr<OracleProcess>> idle;
  bool stays = false;
};

} // namespace

const char *kgen::judge::describe(Computed what) {
  switch (what) {
  case Computed::Answers:
    return "the answers";
  case Computed::Magnitudes:
    return "the size of what was added up";
  case Computed::Reach:
    return "how large partial sums and products may get";
  case Computed::Declared:
  case Computed::DeclaredTF32:
    return "what the graph's own types make of it";
  }
  return "";
}

Computed kgen::judge::declaredOf(llvm::StringRef precision) {
  return classRoundoff(precision) > 0 ? Computed::DeclaredTF32 : Computed::Declared;
}

llvm::Expected<double> AnswerSource::flops(llvm::StringRef) {
  return llvm::createStringError("the work of a graph is not known here");
}

llvm::Expected<std::vector<Answer>> AnswerSource::compute(Computed what, llvm::StringRef graph,
                                                          llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
  if (what == Computed::Answers)
    return answer(graph, inputs);
  return llvm::createStringError("%s is not known here", describe(what));
}

std::unique_ptr<AnswerSource> kgen::judge::createOracleProcess() { return std::make_unique<OraclePool>(); }

int64_t kgen::judge::inputElements(const candidate::LaunchPlan &plan) {
  int64_t elements = 0;
  for (const candidate::BufferSpec &input : plan.inputs)
    elements += input.elements();
  return elements;
}
