//===- HostRun.cpp - A process for each run on device host ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include "HostFault.h"
#include "kgen/Device/Confine.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::device;

/// The order of the worker, and the answer, which is nothing more than the word of a process that ran a candidate. It
/// is all of its mapping: what a run could write behind it would be there for the next one.
struct alignas(4096) HostRun::Page {
  enum End { None, Ran, Candidate, Machine };
  RunOrder order;
  int end;
  int verdict;
  int keepsState;
  double microseconds;
  char text[1024];
  FaultRecord fault;
};

/// What the master says of a run's end.
struct HostRun::Ended {
  int status;     ///< as wait() has it; -1: it could not be started
  int error;      ///< errno then
  double seconds; ///< of processor time
};

HostRun::~HostRun() {
  for (int end : {orders, answers})
    if (end >= 0)
      close(end);
  if (master > 0) // it ends with its orders
    waitpid(master, nullptr, 0);
  if (page)
    munmap(page, sizeof(Page));
  if (poison)
    munmap(poison, KGEN_HOST_POISON_BYTES);
}

static char *mapShared(size_t bytes) {
  void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char *>(at);
}

llvm::Error HostRun::prepare(unsigned threads) {
  page = reinterpret_cast<Page *>(mapShared(sizeof(Page)));
  poison = reinterpret_cast<unsigned char *>(mapShared(KGEN_HOST_POISON_BYTES));
  if (!page || !poison || !stacks.allocate(threads))
    return llvm::createStringError("no memory for the stacks of a block's threads: %s", strerror(errno));
  memset(poison, 0xff, KGEN_HOST_POISON_BYTES);
  return llvm::Error::success();
}

void HostRun::scrub(uint32_t seed) { fillPoison({seed, 0, 0}, poison, KGEN_HOST_POISON_BYTES / 4); }

void HostRun::lend(KGenHostLaunch &call) const { stacks.lend(call); }

/// A copied process has its memory, but not yet at hand: each first access of a page would take a part of the time of
/// whatever kernel makes it.
void HostRun::makeReady(const HostLibrary &library) const {
  library.touch();
  for (auto &buffer : used)
    touchPages(buffer.first, buffer.second, false);
  constexpr size_t top = 2 * runtime::HostStacks::guardBytes;
  for (unsigned i = 0; i < stacks.count(); ++i)
    touchPages(stacks.endOf(i) - top, top, true);
}

//===----------------------------------------------------------------------===//
// The run's process
//===----------------------------------------------------------------------===//

/// In a process that was just forked by PARENT: ends with it.
static void endWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
}

void HostRun::runInChild(pid_t parent, const RunScript &script, const HostLibrary &library, const Buffers &buffers) {
  endWith(parent);
  auto finish = [&](Page::End end) {
    page->end = end;
    _exit(0);
  };
  auto say = [&](llvm::StringRef text) {
    const size_t length = std::min(text.size(), sizeof page->text - 1);
    memcpy(page->text, text.data(), length);
    page->text[length] = 0;
  };
  const RunOrder order = page->order;
  script.announce(order);
  for (auto &buffer : buffers) {
    const bool isUsed = llvm::any_of(
        used, [&](auto &one) { return one.first >= buffer.first && one.first < buffer.first + buffer.second; });
    if (!isUsed)
      munmap(buffer.first, buffer.second);
  }
  recordFaults(&page->fault);
  makeReady(library);
  if (int code = confineRun()) {
    say(std::string("a run cannot be confined: ") + strerror(code));
    finish(Page::Machine);
  }
  const double start = toolchain::monotonicSeconds();
  llvm::Error error = script.launch(order);
  for (double until = toolchain::monotonicSeconds() + order.waitNanoseconds * 1e-9;
       toolchain::monotonicSeconds() < until;)
    ;
  page->microseconds = (toolchain::monotonicSeconds() - start) * 1e6;
  if (error) {
    Page::End end = Page::Machine;
    llvm::handleAllErrors(
        std::move(error),
        [&](const CandidateError &candidate) {
          page->verdict = int(candidate.verdict);
          say(candidate.text);
          end = Page::Candidate;
        },
        [&](const llvm::ErrorInfoBase &other) { say(other.message()); });
    finish(end);
  }
  page->keepsState = library.changed();
  fflush(stdout); // what a kernel printed ends the process here
  finish(Page::Ran);
  abort();
}

//===----------------------------------------------------------------------===//
// The master
//===----------------------------------------------------------------------===//

static bool readAll(int fd, void *to, size_t bytes) {
  for (char *at = static_cast<char *>(to); bytes;) {
    const ssize_t got = read(fd, at, bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    bytes -= size_t(got);
  }
  return true;
}

/// Waits for the end of CHILD. False: somebody stopped it, and it does not go on.
static bool waitForEnd(pid_t child, int &status, rusage &usage) {
  for (bool stopped = false;;) {
    const pid_t changed = wait4(child, &status, WUNTRACED | WCONTINUED | (stopped ? WNOHANG : 0), &usage);
    if (changed < 0 && errno == EINTR)
      continue;
    if (changed <= 0)
      return false;
    if (WIFEXITED(status) || WIFSIGNALED(status))
      return true;
    stopped = WIFSTOPPED(status);
    // Where everything was stopped, it may be about to go on.
    if (stopped)
      usleep(1000000);
  }
}

/// Closes all descriptors but the standard ones and two.
static void keepOnly(int one, int other) {
  const unsigned low = unsigned(std::min(one, other)), high = unsigned(std::max(one, other)), first = 3;
  for (auto [begin, end] : {std::pair(first, low), std::pair(low + 1, high), std::pair(high + 1, 0u)})
    if (begin != end)
      syscall(SYS_close_range, begin, end - 1, 0);
}

void HostRun::serve(int orders, int answers, const RunScript &script, const HostLibrary &library,
                    const Buffers &buffers) {
  keepOnly(orders, answers); // the worker's socket above all: whoever reads it must see the worker end
  const pid_t self = getpid();
  char byte;
  while (readAll(orders, &byte, 1)) {
    Ended ended = {};
    const pid_t child = fork();
    if (child == 0)
      runInChild(self, script, library, buffers);
    rusage usage = {};
    if (child < 0) {
      ended.status = -1;
      ended.error = errno;
    } else if (!waitForEnd(child, ended.status, usage)) {
      ended.status = SIGSTOP; // as if that had ended it: the worker's end takes it along
    }
    auto seconds = [](const timeval &time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); };
    ended.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    if (write(answers, &ended, sizeof ended) != ssize_t(sizeof ended))
      break;
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// The worker's side
//===----------------------------------------------------------------------===//

llvm::Error HostRun::startMaster(const RunScript &script, const HostLibrary &library, const Buffers &buffers) {
  int toMaster[2], fromMaster[2];
  if (pipe2(toMaster, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe: %s", strerror(errno));
  if (pipe2(fromMaster, O_CLOEXEC) != 0) {
    const int code = errno;
    close(toMaster[0]);
    close(toMaster[1]);
    return llvm::createStringError("cannot make a pipe: %s", strerror(code));
  }
  const pid_t self = getpid();
  master = fork();
  if (master == 0) {
    endWith(self);
    serve(toMaster[0], fromMaster[1], script, library, buffers);
  }
  const int code = errno;
  close(toMaster[0]);
  close(fromMaster[1]);
  orders = toMaster[1];
  answers = fromMaster[0];
  if (master < 0)
    return llvm::createStringError("cannot make a process for runs: %s", strerror(code));
  return llvm::Error::success();
}

llvm::Expected<HostRun::Ended> HostRun::await() {
  // Whoever stops the master alone would have the worker wait for ever.
  for (int stops = 0; stops < 2;) {
    pollfd answer = {answers, POLLIN, 0};
    constexpr int milliseconds = 1000;
    if (poll(&answer, 1, milliseconds) > 0)
      break;
    siginfo_t state = {};
    const bool stopped =
        waitid(P_PID, id_t(master), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 && state.si_pid == master;
    stops = stopped ? stops + 1 : 0;
    if (stops == 2)
      return llvm::make_error<RunKilled>(SIGSTOP);
  }
  Ended ended = {};
  if (readAll(answers, &ended, sizeof ended))
    return ended;
  int status = 0;
  const bool killed = waitpid(master, &status, 0) == master && WIFSIGNALED(status);
  master = -1;
  return llvm::make_error<RunKilled>(killed ? WTERMSIG(status) : SIGKILL);
}

llvm::Expected<RunTimes> HostRun::run(const RunOrder &order, const RunScript &script, const HostLibrary &library,
                                      const Buffers &buffers) {
  if (orders < 0)
    if (llvm::Error error = startMaster(script, library, buffers))
      return std::move(error);
  memset(static_cast<void *>(page), 0, sizeof *page);
  page->order = order;
  const char byte = 0;
  if (write(orders, &byte, 1) != 1 && errno != EPIPE)
    return llvm::createStringError("cannot order a run: %s", strerror(errno));
  auto ended = await();
  if (!ended)
    return ended.takeError();
  if (ended->status == -1)
    return llvm::createStringError("cannot make a process for a run: %s", strerror(ended->error));
  if (WIFSIGNALED(ended->status)) {
    const int signal = WTERMSIG(ended->status);
    if (const FaultRecord record = page->fault; endedBy(record, signal))
      return llvm::make_error<RunKilled>(record.signal, explainFault(record, stacks));
    return llvm::make_error<RunKilled>(signal);
  }
  // Nobody writes it any more.
  const Page &said = *page;
  const std::string text(said.text, strnlen(said.text, sizeof said.text));
  if (WEXITSTATUS(ended->status) != 0 || said.end == Page::None)
    return llvm::make_error<CandidateError>(candidate::Verdict::Fault, "its process ended with status " +
                                                                           std::to_string(WEXITSTATUS(ended->status)));
  if (said.end == Page::Machine)
    return llvm::createStringError("%s", text.c_str());
  if (said.end != Page::Ran) // it may condemn itself, and nothing else
    return llvm::make_error<CandidateError>(said.verdict == int(candidate::Verdict::Unsupported)
                                                ? candidate::Verdict::Unsupported
                                                : candidate::Verdict::Fault,
                                            text);
  if (!(said.microseconds >= 0 && said.microseconds < 1e12))
    return llvm::make_error<CandidateError>(candidate::Verdict::Fault, "its process says nonsense about its time");
  RunTimes times;
  times.launches = times.total = said.microseconds;
  times.wall = 1e6 * ended->seconds;
  times.keepsState = said.keepsState != 0;
  return times;
}
