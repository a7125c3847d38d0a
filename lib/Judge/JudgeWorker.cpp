//===- JudgeWorker.cpp - The judge's own process --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trusted code only: the oracle's kernels, kgen's own and nothing of a candidate
// but the bytes of its outputs. Descriptor 3 is where sessions' sockets arrive;
// each session has a thread, and memory arrives on its socket.
//
//===----------------------------------------------------------------------===//
#include "DrawBlocks.h"
#include "JudgeServer.h"
#include "JudgeSession.h"

#include "kgen/Device/DescriptorSocket.h"
#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::judge;

namespace {

enum { ControlFd = 3, HeaderBytes = 4096 };

/// What the process's sessions have in common.
struct Common {
  std::string device;
  bool hasContext = false;      ///< a context was there when the process began
  std::atomic<int> working = 0; ///< sessions that serve a command
  std::mutex turn; ///< of the session that works, on device host: sessions share libraries' variables there
};

/// Memory of another process, read only.
class Mapping {
public:
  ~Mapping() { clear(); }
  llvm::Error take(int fd, size_t bytes) {
    clear();
    void *at = mmap(nullptr, bytes ? bytes : 4096, PROT_READ, MAP_SHARED, fd, 0);
    int why = errno;
    close(fd);
    if (at == MAP_FAILED)
      return llvm::createStringError("cannot map memory: %s", strerror(why));
    base = static_cast<const char *>(at);
    size = bytes ? bytes : 4096;
    return llvm::Error::success();
  }
  void clear() {
    if (base)
      munmap(const_cast<char *>(base), size);
    base = nullptr;
  }
  const char *base = nullptr;

private:
  size_t size = 0;
};

/// One session, on a thread of its own. What it has on the device goes with it.
class Worker {
public:
  Worker(Common &common, int socket) : common(common), socket(socket) {}
  ~Worker() {
    if (received >= 0)
      close(received);
  }

  void serve() {
    std::string job[4], line;
    for (std::string &each : job)
      if (!kgen::device::receiveLine(socket, each, received))
        return;
    if (!begin(job))
      return;
    while (isRead && kgen::device::receiveLine(socket, line, received)) {
      turn.emplace(common);
      handle(line);
    }
  }

private:
  /// The time of one command, up to its reply.
  class Turn {
  public:
    explicit Turn(Common &common) : common(common) {
      ++common.working;
      if (common.device == "host")
        guard = std::unique_lock<std::mutex>(common.turn);
    }
    ~Turn() { --common.working; }

  private:
    Common &common;
    std::unique_lock<std::mutex> guard;
  };

  bool begin(llvm::ArrayRef<std::string> job) {
    turn.emplace(common);
    if (llvm::Error error = prepare(job)) {
      reply(std::move(error));
      return false;
    }
    attached = session->outputsDescriptor();
    reply({uint64_t(session->room())});
    return true;
  }

  llvm::Expected<std::unique_ptr<device::Device>> openDevice() {
    auto made = device::createDevice(common.device);
    if (made)
      (*made)->useThreadOrder();
    return made;
  }

  llvm::Error prepare(llvm::ArrayRef<std::string> job) {
    for (auto *each : {&oracle, &own}) {
      auto made = openDevice();
      if (!made)
        return made.takeError();
      *each = std::move(*made);
    }
    if (llvm::Error error = readPlan(job[0], program))
      return error;
    if (llvm::Error error = readPlan(job[2], shape, candidate::LaunchPlan::parseShape))
      return error;
    auto created = JudgeSession::create(*oracle, *own, program, job[1], job[3], shape);
    if (!created)
      return created.takeError();
    session = std::move(*created);
    device::packBuffers(shape.inputs, 0, inputBytes);
    outputOffsets = device::packBuffers(shape.outputs, HeaderBytes, outputBytes);
    return llvm::Error::success();
  }

  static llvm::Error readPlan(const std::string &path, candidate::LaunchPlan &plan,
                              decltype(candidate::LaunchPlan::parse) *parse = candidate::LaunchPlan::parse) {
    auto text = toolchain::readWholeFile(path);
    if (!text)
      return text.takeError();
    auto parsed = parse(*text);
    if (!parsed)
      return parsed.takeError();
    plan = std::move(*parsed);
    return llvm::Error::success();
  }

  llvm::Error useProgram(Computed what, const std::string &artifact) {
    Another &other = others[what];
    if (llvm::Error error = readPlan(nextPlan, other.plan))
      return error;
    auto made = openDevice();
    if (!made)
      return made.takeError();
    other.device = std::move(*made);
    return session->useProgram(what, *other.device, other.plan, artifact);
  }

  void handle(llvm::StringRef line) {
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ');
    auto number = [&](size_t i) {
      uint64_t value = 0;
      if (i < words.size())
        words[i].getAsInteger(10, value);
      return size_t(value);
    };
    auto real = [&](size_t i) {
      uint64_t bits = 0;
      double value;
      if (i < words.size())
        words[i].getAsInteger(16, bits);
      memcpy(&value, &bits, 8);
      return value;
    };
    if (words[0] == "inputs") {
      Mapping inputs;
      if (llvm::Error error = inputs.take(std::exchange(received, -1), inputBytes))
        return reply(std::move(error));
      auto descriptor = session->setInputs(number(1), inputs.base);
      if (!descriptor)
        return reply(descriptor.takeError());
      attached = *descriptor;
      return reply(llvm::ArrayRef<uint64_t>());
    }
    if (words[0] == "draw") {
      std::vector<uint64_t> drawing;
      for (size_t i = 3; i < words.size(); ++i)
        words[i].getAsInteger(16, drawing.emplace_back());
      if (drawing.size() != drawingWords)
        return reply(llvm::createStringError("nothing says how to draw"));
      auto descriptor = session->drawInput(number(1), unsigned(number(2)), drawingOfWords(drawing));
      if (!descriptor)
        return reply(descriptor.takeError());
      attached = *descriptor;
      return reply(llvm::ArrayRef<uint64_t>());
    }
    if (words[0] == "outputs")
      return reply(outputs.take(std::exchange(received, -1), outputBytes));
    if (words[0] == "answer")
      return reply(session->answer(number(1)));
    if (words[0] == "program-plan") { // paths may hold spaces
      nextPlan = line.split(' ').second.str();
      return reply(llvm::ArrayRef<uint64_t>());
    }
    if (words[0] == "program")
      return reply(useProgram(Computed(number(1)), line.split(' ').second.split(' ').second.str()));
    if (words[0] == "declared") {
      auto costs = session->declaredCosts(number(1));
      if (!costs)
        return reply(costs.takeError());
      return reply(wordsOf(*costs));
    }
    if (words[0] == "learn")
      return reply(session->learnMagnitudes(number(1)));
    if (words[0] == "learn-reach")
      return reply(session->learnReach(number(1)));
    if (words[0] == "drop") {
      session->drop(number(1));
      return reply(llvm::ArrayRef<uint64_t>());
    }
    if (words[0] == "facts") {
      auto facts = session->facts(number(1), unsigned(number(2)), real(3));
      if (!facts)
        return reply(facts.takeError());
      return reply({facts->finite, facts->smallIntegers, bits(facts->mean), bits(facts->rms), bits(facts->largest)});
    }
    if (words[0] == "cost") {
      std::vector<double> close;
      for (size_t i = 3; i < words.size(); ++i)
        close.push_back(real(i));
      auto costs = session->costOf(number(1), RoundTo(number(2)), close);
      if (!costs)
        return reply(costs.takeError());
      return reply(wordsOf(*costs));
    }
    if (words[0] == "compare") {
      Exhibit exhibit;
      size_t output = number(2);
      exhibit.kind = Exhibit::Kind(number(3));
      exhibit.number = number(4);
      exhibit.value = real(5);
      exhibit.most = real(8);
      exhibit.onlyInfinite = number(9) != 0;
      // The seventh word: whether they are on the device already.
      const bool mapped = exhibit.kind == Exhibit::Outputs && number(7) == 0;
      if (output >= outputOffsets.size() || (mapped && !outputs.base))
        return reply(llvm::createStringError("there is nothing to compare"));
      if (mapped)
        exhibit.bytes = outputs.base + outputOffsets[output];
      auto compared = session->compare(number(1), unsigned(output), exhibit, real(6));
      if (!compared)
        return reply(compared.takeError());
      std::vector<uint64_t> out;
      append(out, *compared);
      return reply(out);
    }
    reply(llvm::createStringError("unknown command"));
  }

  static uint64_t bits(double value) {
    uint64_t out;
    memcpy(&out, &value, 8);
    return out;
  }
  static std::vector<uint64_t> wordsOf(llvm::ArrayRef<Comparison> comparisons) {
    std::vector<uint64_t> out;
    for (const Comparison &c : comparisons)
      append(out, c);
    return out;
  }
  static void append(std::vector<uint64_t> &out, const Comparison &c) {
    out.insert(out.end(), {bits(c.norms.max), bits(c.norms.l2), uint64_t(c.worst), bits(c.found), bits(c.expected),
                           uint64_t(c.mismatches), uint64_t(c.far), uint64_t(c.skipped)});
  }

  void reply(llvm::Error error) {
    if (!error)
      return reply(llvm::ArrayRef<uint64_t>());
    std::string text = llvm::toString(std::move(error));
    std::replace(text.begin(), text.end(), '\n', ' ');
    const bool isFault = isContextLost();
    // Another one's program may have done it.
    if (isFault && common.working > 1)
      _exit(faultStatus);
    send((isFault ? "fault " : "error ") + text);
    if (isFault)
      _exit(faultStatus);
  }
  /// After a fault the driver refuses all that is asked in its context.
  bool isContextLost() {
    if (!own)
      return common.hasContext;
    llvm::Error error = own->synchronize();
    const bool isLost = bool(error);
    llvm::consumeError(std::move(error));
    return isLost;
  }
  void reply(std::initializer_list<uint64_t> words) { reply(llvm::ArrayRef(words.begin(), words.size())); }
  void reply(llvm::ArrayRef<uint64_t> words) {
    std::string text = "ok";
    for (uint64_t word : words)
      text += " " + llvm::utohexstr(word);
    send(text);
  }
  void send(std::string text) {
    text += '\n';
    turn.reset(); // whoever reads it may ask another session at once
    isRead = kgen::device::sendLine(socket, text, std::exchange(attached, -1));
  }

  /// What is computed beside the answers.
  struct Another {
    std::unique_ptr<device::Device> device;
    candidate::LaunchPlan plan;
  };
  Common &common;
  const int socket;
  std::optional<Turn> turn;
  bool isRead = true; ///< what is sent
  std::string nextPlan;
  std::unique_ptr<device::Device> oracle, own;
  candidate::LaunchPlan program, shape;
  std::map<Computed, Another> others;
  std::unique_ptr<JudgeSession> session;
  size_t inputBytes = 0, outputBytes = 0;
  std::vector<size_t> outputOffsets;
  Mapping outputs;
  int received = -1, attached = -1; ///< the last descriptor that came; the one that goes with the next reply
};

} // namespace

int kgen::judge::runJudgeWorker(llvm::ArrayRef<std::string> arguments) {
  if (arguments.size() != 1)
    return 2;
  // Each set of inputs is a descriptor, of all sessions together.
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  static Common common;
  common.device = arguments[0];
  // The context is made while the first session's job is on its way; where there is none sessions say why.
  auto first = device::createDevice(common.device);
  common.hasContext = bool(first);
  if (!first)
    llvm::consumeError(first.takeError());
  std::string line;
  for (int socket = -1; kgen::device::receiveLine(ControlFd, line, socket);)
    if (socket >= 0)
      std::thread([taken = std::exchange(socket, -1)] {
        Worker(common, taken).serve();
        close(taken); // whoever waits for it knows that all is free
      }).detach();
  _exit(0); // skips destructors: sessions may be at work
}
