//===- GuardedCompiler.cpp ------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <shared_mutex>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace kgen::search {
namespace {

trajectory::Json printRefusal(Error error) {
  std::optional<graph::Refusal> refusal;
  trajectory::Json answer = {{"error", graph::takeRefusal(std::move(error), refusal)}};
  if (refusal)
    answer["refusal"] = trajectory::toJson(*refusal);
  return answer;
}

/// Held by whoever compiles in this process, and alone by who forks. A child has no other threads and asks nobody.
class ForkGate {
public:
  template <typename Work>
  auto compile(Work work) {
    // One shared compiler may stand before another.
    if (isChild || isCompiling)
      return work();
    std::shared_lock<std::shared_mutex> guard(gate);
    isCompiling = true;
    auto result = work();
    isCompiling = false;
    return result;
  }
  pid_t fork() {
    std::unique_lock<std::shared_mutex> guard(gate);
    pid_t child = ::fork();
    if (child == 0) {
      isChild = true;
      guard.release(); // what waits for it is not in this process
    }
    return child;
  }

private:
  std::shared_mutex gate;
  bool isChild = false;
  static thread_local bool isCompiling;
};

thread_local bool ForkGate::isCompiling = false;

ForkGate forkGate;

class SharedCompiler : public graph::GraphCompiler {
public:
  explicit SharedCompiler(graph::GraphCompiler &inner) : inner(inner) {}

  Expected<std::string> canonicalize(StringRef graph, bool small) override {
    return forkGate.compile([&] { return inner.canonicalize(graph, small); });
  }
  Expected<graph::GraphFacts> facts(StringRef graph) override {
    return forkGate.compile([&] { return inner.facts(graph); });
  }
  Expected<graph::NetworkPartition> partition(StringRef graph) override {
    return forkGate.compile([&] { return inner.partition(graph); });
  }
  Expected<std::string> rewriteNetwork(StringRef graph, StringRef directives, const Chip &chip) override {
    return forkGate.compile([&] { return inner.rewriteNetwork(graph, directives, chip); });
  }
  Expected<graph::LoweredGraph> lowerGeneric(StringRef graph, const Chip &chip) override {
    return forkGate.compile([&] { return inner.lowerGeneric(graph, chip); });
  }
  Expected<graph::LoweredGraph> lowerWithDirectives(StringRef graph, StringRef directives, StringRef idea,
                                                    StringRef category, const Chip &chip) override {
    return forkGate.compile([&] { return inner.lowerWithDirectives(graph, directives, idea, category, chip); });
  }
  Expected<graph::LoweredGraph> wrapSource(StringRef graph, StringRef cuda, StringRef plan, const Chip &chip) override {
    return forkGate.compile([&] { return inner.wrapSource(graph, cuda, plan, chip); });
  }
  std::string inlineHeaders(StringRef cuda) override { return inner.inlineHeaders(cuda); }
  std::string getGenerator() override { return inner.getGenerator(); }

private:
  graph::GraphCompiler &inner;
};

using Lowering = function_ref<Expected<graph::LoweredGraph>()>;

/// The child's whole life. _exit, because the parent's buffers are not the child's to flush.
[[noreturn]] void lowerInChild(int out, rlim_t seconds, Lowering lower) {
  rlimit noCore = {0, 0}, memory = {rlim_t(8) << 30, rlim_t(8) << 30}, time = {seconds, seconds};
  ::setrlimit(RLIMIT_CORE, &noCore);
  ::setrlimit(RLIMIT_AS, &memory);
  // Nobody waits for it any more when the search is killed.
  ::setrlimit(RLIMIT_CPU, &time);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent's memory holds keys, and this process has a copy: what it can still do is answer.
  std::string why = toolchain::confineThisProcess(toolchain::FileRules(), toolchain::CallRules::Compute);
  Expected<graph::LoweredGraph> lowered =
      why.empty() ? lower()
                  : Expected<graph::LoweredGraph>(createStringError("lowering it cannot be confined: " + why));
  trajectory::Json answer;
  if (lowered)
    answer = {{"annotated", lowered->annotated},
              {"lowered", lowered->lowered},
              {"plan", lowered->plan},
              {"cuda", lowered->cuda}};
  else
    answer = printRefusal(lowered.takeError());
  std::string text = answer.dump(-1, ' ', false, trajectory::Json::error_handler_t::replace);
  for (StringRef rest = text; !rest.empty();) {
    ssize_t n = ::write(out, rest.data(), rest.size());
    if (n < 0 && errno != EINTR)
      ::_exit(1);
    rest = rest.drop_front(n > 0 ? n : 0);
  }
  ::_exit(0);
}

class GuardedCompiler : public graph::GraphCompiler {
public:
  GuardedCompiler(graph::GraphCompiler &inner, double seconds, bool trustScripts)
      : inner(inner), seconds(seconds), trustScripts(trustScripts) {}

  Expected<std::string> canonicalize(StringRef graph, bool small) override { return inner.canonicalize(graph, small); }
  Expected<graph::GraphFacts> facts(StringRef graph) override { return inner.facts(graph); }
  Expected<graph::NetworkPartition> partition(StringRef graph) override { return inner.partition(graph); }
  Expected<std::string> rewriteNetwork(StringRef graph, StringRef directives, const Chip &chip) override {
    if (trustScripts)
      return inner.rewriteNetwork(graph, directives, chip);
    auto carried = guard([&]() -> Expected<graph::LoweredGraph> {
      auto rewritten = inner.rewriteNetwork(graph, directives, chip);
      if (!rewritten)
        return rewritten.takeError();
      graph::LoweredGraph lowered;
      lowered.annotated = std::move(*rewritten);
      return lowered;
    });
    if (!carried)
      return carried.takeError();
    return std::move(carried->annotated);
  }
  Expected<graph::LoweredGraph> lowerGeneric(StringRef graph, const Chip &chip) override {
    return inner.lowerGeneric(graph, chip);
  }
  Expected<graph::LoweredGraph> lowerWithDirectives(StringRef graph, StringRef directives, StringRef idea,
                                                    StringRef category, const Chip &chip) override {
    if (trustScripts)
      return inner.lowerWithDirectives(graph, directives, idea, category, chip);
    return guard([&] { return inner.lowerWithDirectives(graph, directives, idea, category, chip); });
  }
  Expected<graph::LoweredGraph> wrapSource(StringRef graph, StringRef cuda, StringRef plan, const Chip &chip) override {
    return guard([&] { return inner.wrapSource(graph, cuda, plan, chip); });
  }
  std::string inlineHeaders(StringRef cuda) override { return inner.inlineHeaders(cuda); }
  std::string getGenerator() override { return inner.getGenerator(); }

private:
  Expected<graph::LoweredGraph> guard(Lowering lower);
  Expected<graph::LoweredGraph> guardOnce(Lowering lower);

  graph::GraphCompiler &inner;
  double seconds;
  bool trustScripts;
};

Expected<graph::LoweredGraph> GuardedCompiler::guard(Lowering lower) {
  auto lowered = guardOnce(lower);
  if (lowered || !lowered.errorIsA<toolchain::ProcessLost>())
    return lowered;
  consumeError(lowered.takeError());
  return guardOnce(lower);
}

Expected<graph::LoweredGraph> GuardedCompiler::guardOnce(Lowering lower) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0)
    return createStringError(Twine("cannot make a pipe: ") + std::strerror(errno));
  pid_t child = forkGate.fork();
  if (child == 0)
    lowerInChild(ends[1], rlim_t(seconds) + 2, lower);
  int code = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return createStringError(Twine("cannot start a process: ") + std::strerror(code));
  }
  std::string text;
  toolchain::Deadline deadline(seconds);
  bool late = false;
  for (;;) {
    if (deadline.passed()) {
      late = true;
      ::kill(child, SIGKILL);
      break;
    }
    if (!deadline.waitFor(ends[0]))
      continue;
    char buffer[65536];
    ssize_t count = ::read(ends[0], buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    text.append(buffer, count);
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (late)
    return createStringError("lowering it took longer than " + Twine(int(seconds)) + " s");
  if (WIFSIGNALED(status) && toolchain::isForeignSignal(WTERMSIG(status)))
    return make_error<toolchain::ProcessLost>("lowering it was killed (signal " + std::to_string(WTERMSIG(status)) +
                                              "), twice");
  if (WIFSIGNALED(status))
    return createStringError("lowering it crashed the compiler (signal " + Twine(WTERMSIG(status)) + ")");
  try {
    trajectory::Json answer = trajectory::Json::parse(text);
    if (answer.contains("refusal"))
      if (auto refusal = trajectory::refusalFromJson(answer["refusal"]))
        return make_error<graph::DirectiveRefused>(std::move(*refusal), answer.at("error").get<std::string>());
    if (answer.contains("error"))
      return createStringError(answer["error"].get<std::string>());
    return graph::LoweredGraph{answer.at("annotated"), answer.at("lowered"), answer.at("plan"), answer.at("cuda")};
  } catch (const trajectory::Json::exception &) {
    return createStringError("lowering it ended without an answer");
  }
}

} // namespace

std::unique_ptr<graph::GraphCompiler> createGuardedCompiler(graph::GraphCompiler &inner, double seconds,
                                                            bool trustScripts) {
  return std::make_unique<GuardedCompiler>(inner, seconds, trustScripts);
}

RunCompilers::RunCompilers(graph::GraphCompiler &inner, StringRef llm)
    : own(createGuardedCompiler(inner, /*seconds=*/60, /*trustScripts=*/propose::isTrustedProposer(llm))),
      foreign(createGuardedCompiler(inner)) {}

std::unique_ptr<graph::GraphCompiler> createSharedCompiler(graph::GraphCompiler &inner) {
  return std::make_unique<SharedCompiler>(inner);
}

} // namespace kgen::search
