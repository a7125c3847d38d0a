//===- JudgeProcess.cpp - The parent's side of a judge's session ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session begins with four lines: the program's plan, its artifact, the shape and
// the judge's kernels. Commands are lines of words, the first reply word is "ok" or
// "error", or "fault" where the card has given up the context and the process ends.
// Numbers of doubles go by their bits, in hexadecimal; memory by its descriptor.
//
//===----------------------------------------------------------------------===//
#include "DrawBlocks.h"
#include "JudgeServer.h"
#include "JudgeSession.h"

#include "kgen/Device/DescriptorSocket.h"
#include "kgen/Judge/JudgeProcess.h"

#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/TimeProfiler.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/socket.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::judge;

static std::string wordOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return " " + llvm::utohexstr(bits);
}

namespace {

/// Adds the time of its own life to TOTAL, one at a time.
class Stopwatch {
public:
  explicit Stopwatch(std::atomic<double> &total) : total(total), begin(toolchain::monotonicSeconds()) {}
  ~Stopwatch() { total = total + toolchain::monotonicSeconds() - begin; }
  Stopwatch(const Stopwatch &) = delete;

private:
  std::atomic<double> &total;
  const double begin;
};

class JudgeProcess : public Judge {
public:
  explicit JudgeProcess(const JudgeJob &job)
      : program(job.artifact), drawn(job.shape->inputs), outputs(job.shape->outputs),
        ownTypes(declaredOf(job.shape->precision)), makeProgram(job.makeProgram), useCard(job.useCard) {}
  ~JudgeProcess() override {
    for (auto &held : inputs)
      if (held.second >= 0)
        close(held.second);
    for (int descriptor : {received, outputsFd})
      if (descriptor >= 0)
        close(descriptor);
    if (socket < 0)
      return;
    if (!broken)
      awaitEnd();
    close(socket);
  }

  llvm::Error start(std::shared_ptr<JudgeServer> in, const JudgeJob &job) {
    server = std::move(in);
    auto opened = server->open();
    if (!opened)
      return opened.takeError();
    socket = *opened;
    auto reply = ask(job.programFile + '\n' + job.artifact + '\n' + job.shapeFile + '\n' + job.kernels, 1);
    if (!reply)
      return reply.takeError();
    sets = size_t((*reply)[0]);
    outputsFd = std::exchange(received, -1);
    return llvm::Error::success();
  }

  /// Two: while the card answers one question, the next one's inputs are drawn.
  unsigned parallel() const override { return 2; }
  size_t room() const override { return sets; }
  bool works() const override { return !broken && server->works(); }

  llvm::Expected<Findings> examine(size_t set, const Question &question) override {
    std::lock_guard<std::mutex> guard(lock);
    llvm::TimeTraceScope trace("answer on the card"); // with what it waits for
    declared.erase(set);
    if (question.inputs.data || !inputs.count(set))
      if (llvm::Error error = give(set, question.inputs))
        return std::move(error);
    if (auto done = ask("answer " + std::to_string(set)); !done)
      return done.takeError();
    Findings found;
    for (size_t i = 0; i < outputs.size(); ++i) {
      double limit = question.integersTo.empty() ? -1 : question.integersTo[i];
      auto reply = ask("facts " + std::to_string(set) + " " + std::to_string(i) + wordOf(limit), 5);
      if (!reply)
        return reply.takeError();
      AnswerFacts facts;
      facts.finite = (*reply)[0] != 0;
      facts.smallIntegers = (*reply)[1] != 0;
      facts.mean = real((*reply)[2]);
      facts.rms = real((*reply)[3]);
      facts.largest = real((*reply)[4]);
      found.facts.push_back(facts);
    }
    if (question.mustBeFinite && !found.finite()) {
      if (auto done = ask("drop " + std::to_string(set)); !done)
        return done.takeError();
      return found;
    }
    if (found.allSmallIntegers())
      return found;
    llvm::TimeTraceScope costs("what rounding costs");
    for (RoundTo round : question.rounds) {
      std::string line = "cost " + std::to_string(set) + " " + std::to_string(int(round));
      for (double close : question.close)
        line += wordOf(close);
      auto reply = ask(line, comparisonWords * outputs.size());
      if (!reply)
        return reply.takeError();
      found.costs.emplace_back();
      for (size_t i = 0; i < outputs.size(); ++i)
        found.costs.back().push_back(comparison(llvm::ArrayRef(*reply).slice(comparisonWords * i, comparisonWords)));
    }
    return found;
  }

  /// Where nobody but the card needs them: a candidate's process copies what it reads from the card's memory.
  bool drawsInputs() const override { return outputsFd >= 0; }

  llvm::Error drawInputs(size_t set, const InputSet &how) override {
    std::lock_guard<std::mutex> guard(lock);
    llvm::TimeTraceScope trace("draw on the card");
    for (size_t i = 0; i < drawn.size(); ++i) {
      auto drawing = drawingOf(drawn[i], unsigned(i), how);
      if (!drawing)
        return drawing.takeError();
      std::string line = "draw " + std::to_string(set) + " " + std::to_string(i);
      for (uint64_t word : wordsOf(*drawing))
        line += " " + llvm::utohexstr(word);
      if (auto done = ask(line); !done)
        return done.takeError();
      keepInputs(set);
    }
    return llvm::Error::success();
  }

  llvm::Error learnMagnitudes(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    Stopwatch watch(learned);
    if (llvm::Error error = ensureProgram(Computed::Magnitudes))
      return error;
    return ask("learn " + std::to_string(set)).takeError();
  }

  llvm::Error learnReach(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    Stopwatch watch(learned);
    if (llvm::Error error = ensureProgram(Computed::Reach))
      return error;
    return ask("learn-reach " + std::to_string(set)).takeError();
  }

  llvm::Expected<std::vector<Comparison>> declaredCosts(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    // Each wrong answer asks, and a network has as many to try as parameters.
    if (auto known = declared.find(set); known != declared.end())
      return known->second;
    Stopwatch watch(learned);
    if (llvm::Error error = ensureOwnTypes())
      return std::move(error);
    auto reply = ask("declared " + std::to_string(set), comparisonWords * outputs.size());
    if (!reply)
      return reply.takeError();
    std::vector<Comparison> &costs = declared[set];
    for (size_t i = 0; i < outputs.size(); ++i)
      costs.push_back(comparison(llvm::ArrayRef(*reply).slice(comparisonWords * i, comparisonWords)));
    return costs;
  }

  double learningSeconds() const override { return learned; }

  int inputsOnDevice(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    auto found = inputs.find(set);
    return found == inputs.end() ? -1 : found->second;
  }
  int outputsOnDevice() override { return outputsFd; }

  void drop(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    declared.erase(set);
    if (auto done = ask("drop " + std::to_string(set)); !done)
      llvm::consumeError(done.takeError()); // the next question says the same
  }

  llvm::Expected<Comparison> compare(size_t set, unsigned output, const Exhibit &exhibit, double close) override {
    std::lock_guard<std::mutex> guard(lock);
    if (exhibit.kind == Exhibit::Outputs && !exhibit.onDevice) {
      if (!exhibit.memory)
        return llvm::createStringError("the outputs lie in no memory that the judge can see");
      // A new candidate, new memory; a descriptor's number may come back, so each is shown anew.
      if (auto done = ask("outputs", 0, exhibit.memory->readOnlyDescriptor()); !done)
        return done.takeError();
    }
    auto reply =
        ask("compare " + std::to_string(set) + " " + std::to_string(output) + " " + std::to_string(int(exhibit.kind)) +
                " " + std::to_string(exhibit.number) + wordOf(exhibit.value) + wordOf(close) +
                (exhibit.onDevice ? " 1" : " 0") + wordOf(exhibit.most) + (exhibit.onlyInfinite ? " 1" : " 0"),
            comparisonWords);
    if (!reply)
      return reply.takeError();
    return comparison(*reply);
  }

private:
  static constexpr size_t comparisonWords = 8;

  static double real(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
  }
  static Comparison comparison(llvm::ArrayRef<uint64_t> words) {
    Comparison out;
    out.norms = {real(words[0]), real(words[1])};
    out.worst = int64_t(words[2]);
    out.found = real(words[3]);
    out.expected = real(words[4]);
    out.mismatches = int64_t(words[5]);
    out.far = int64_t(words[6]);
    out.skipped = int64_t(words[7]);
    return out;
  }

  /// Has the child load the program that computes WHAT; what came of it the first time holds.
  llvm::Error ensureProgram(Computed what) {
    auto [known, isNew] = programs.try_emplace(what);
    if (isNew) {
      llvm::Error error =
          makeProgram ? makeProgram(what,
                                    [&](const std::string &plan, const std::string &artifact) {
                                      if (auto done = ask("program-plan " + plan); !done)
                                        return done.takeError();
                                      return ask("program " + std::to_string(int(what)) + " " + artifact).takeError();
                                    })
                      : llvm::createStringError("%s is not known here", describe(what));
      if (error)
        known->second = llvm::toString(std::move(error));
    }
    return known->second.empty() ? llvm::Error::success() : llvm::createStringError(known->second);
  }

  /// Has the child load what the graph's own types make of it. Where factors are rounded attention's scores pass
  /// through memory: with no room for them there is what fp32 makes of it, which is off by less.
  llvm::Error ensureOwnTypes() {
    llvm::Error error = ensureProgram(ownTypes);
    if (!error || ownTypes == Computed::Declared || broken)
      return error;
    llvm::consumeError(std::move(error));
    return ensureProgram(Computed::Declared);
  }

  /// Sends the inputs of SET, and keeps the memory that the card has them in.
  llvm::Error give(size_t set, const DrawnInputs &what) {
    llvm::TimeTraceScope trace("inputs to the card");
    auto done = ask("inputs " + std::to_string(set), 0, what.descriptor);
    if (!done)
      return done.takeError();
    keepInputs(set);
    return llvm::Error::success();
  }

  /// The descriptor that came with the last reply is that of the inputs of SET.
  void keepInputs(size_t set) {
    auto [held, added] = inputs.emplace(set, -1);
    if (held->second >= 0)
      close(held->second);
    held->second = std::exchange(received, -1);
  }

  /// Ends the session, and waits until all that it had on the card is free: who comes next may need the room.
  void awaitEnd() {
    constexpr double enough = 60; // memory is freed between other sessions' kernels
    shutdown(socket, SHUT_WR);
    for (toolchain::Deadline deadline(enough); !deadline.passed() && !server->stopped();) {
      char buffer[64];
      int came = -1;
      if (!deadline.waitFor(socket))
        continue;
      const ssize_t got = device::receiveBytes(socket, buffer, sizeof buffer, came);
      if (came >= 0)
        close(came);
      if (got == 0 || (got < 0 && errno != EINTR))
        return;
    }
  }

  llvm::Error nonsense() {
    broken = true;
    return llvm::createStringError("the card's oracle sent nonsense");
  }

  /// Words of the reply, WANTED of them.
  llvm::Expected<std::vector<uint64_t>> ask(std::string line, size_t wanted = 0, int descriptor = -1) {
    auto place = useCard ? useCard() : nullptr;
    line += '\n';
    const JudgeServer::Work work(*server, this, program);
    // receive() says how a process that is gone ended.
    device::sendLine(socket, line, descriptor);
    auto reply = receive();
    if (reply && reply->size() != wanted)
      return nonsense();
    return reply;
  }

  llvm::Expected<std::vector<uint64_t>> receive() {
    toolchain::Deadline deadline(questionSeconds);
    size_t end;
    while ((end = pending.find('\n')) == std::string::npos) {
      char buffer[4096];
      ssize_t got = 0;
      const bool silent = deadline.passed();
      if (!silent && !server->stopped()) {
        if (!deadline.waitFor(socket))
          continue;
        int came = -1;
        got = device::receiveBytes(socket, buffer, sizeof buffer, came);
        if (came >= 0) {
          if (received >= 0)
            close(received);
          received = came;
        }
        if (got < 0 && errno == EINTR)
          continue;
      }
      if (got <= 0) {
        broken = true;
        return server->end(this, silent);
      }
      pending.append(buffer, size_t(got));
    }
    std::string line = pending.substr(0, end);
    pending.erase(0, end + 1);
    llvm::StringRef rest = line;
    const bool isFault = rest.consume_front("fault ");
    if (isFault) {
      broken = true;
      server->blame(program);
    }
    if (isFault || rest.consume_front("error "))
      return llvm::createStringError("the card's oracle failed: %s", rest.str().c_str());
    if (!rest.consume_front("ok"))
      return nonsense();
    std::vector<uint64_t> words;
    while (!(rest = rest.ltrim()).empty()) {
      auto [word, after] = rest.split(' ');
      uint64_t bits;
      if (word.getAsInteger(16, bits))
        return nonsense();
      words.push_back(bits);
      rest = after;
    }
    return std::move(words);
  }

  const std::string program;                         ///< the artifact
  std::vector<candidate::BufferSpec> drawn, outputs; ///< as inputs are declared; the outputs
  const Computed ownTypes;
  decltype(JudgeJob::makeProgram) makeProgram;
  UseCard useCard;
  std::map<Computed, std::string> programs; ///< those that were asked for, and why there is none
  std::shared_ptr<JudgeServer> server;
  int socket = -1;
  std::string pending;
  size_t sets = 0; ///< room for answers
  int received = -1, outputsFd = -1;
  std::map<size_t, std::vector<Comparison>> declared; ///< what is known of declaredCosts(), by set
  std::map<size_t, int> inputs;                       ///< descriptors of the memory that the card has them in, or -1
  std::mutex lock;
  std::atomic<double> learned = 0; ///< seconds
  std::atomic<bool> broken = false;
};

} // namespace

llvm::Expected<std::unique_ptr<Judge>> kgen::judge::startJudge(JudgeServers &servers, const JudgeJob &job) {
  auto place = job.useCard ? job.useCard() : nullptr;
  for (bool isAgain : {false, true}) {
    auto server = servers.serverFor(job.artifact);
    if (!server)
      return server.takeError();
    auto judge = std::make_unique<JudgeProcess>(job);
    llvm::Error error = judge->start(std::move(*server), job);
    if (!error)
      return std::move(judge);
    // Another session may have ended the process: by itself the job shows whose fault it is.
    if (judge->works() || isAgain)
      return std::move(error);
    llvm::consumeError(std::move(error));
  }
  llvm_unreachable("the second time is the last");
}

llvm::StringRef kgen::judge::judgeKernelsText() {
  static const struct {
    const char *name, *text;
  } texts[] = {
#include "JudgeKernels.inc"
  };
  static const std::string whole = std::string(texts[0].text) + texts[1].text;
  return whole;
}
