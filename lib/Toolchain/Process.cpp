//===- Process.cpp - Child processes with limits --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <limits>
#include <mutex>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

extern char **environ;

using namespace kgen;
using namespace kgen::toolchain;

// AddressSanitizer maps terabytes, so a binary built with it cannot bear a limit on addresses.
#if __has_feature(address_sanitizer)
static constexpr bool sanitized = true;
#else
static constexpr bool sanitized = false;
#endif

double kgen::toolchain::monotonicSeconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

bool kgen::toolchain::Deadline::waitFor(int descriptor) {
  const double slice = 1, slack = 1; // a busy machine is late by less
  double begin = monotonicSeconds(), wait = std::clamp(end - begin, 0.0, slice);
  pollfd poller = {descriptor, POLLIN, 0};
  int ready = poll(&poller, 1, int(wait * 1000) + 1);
  double late = monotonicSeconds() - begin - wait;
  if (late > slack)
    end += late;
  return ready > 0;
}

char kgen::toolchain::ProcessLost::ID = 0;

bool kgen::toolchain::isForeignSignal(int signal) {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGABRT:
  case SIGSYS:
  case SIGXFSZ:
  case SIGXCPU:
    return false;
  default:
    return true;
  }
}

std::string kgen::toolchain::workerBinary() {
  if (const char *path = getenv("KGEN_WORKER"))
    return path;
  return llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&workerBinary));
}

/// The variables a child sees: what finds programs, libraries, caches and devices; no keys.
static std::vector<std::string> childEnvironment(const std::vector<std::string> &extra) {
  static const char *const allowed[] = {
      "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV",
      "XDG_CACHE_HOME", "PYTHONPATH", "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS", "UBSAN_OPTIONS", "NVIDIA_VISIBLE_DEVICES",
      "CUDA_MODULE_LOADING", "TORCHINDUCTOR_CACHE_DIR",
      // By name, not by prefix: a user may call a key KGEN_ANYTHING.
      "KGEN_BASELINES", "KGEN_CACHE_DIR", "KGEN_CUDA_INCLUDE", "KGEN_FRONTEND", "KGEN_GATE", "KGEN_HOST_CXX",
      "KGEN_ISOLATION", "KGEN_NCU", "KGEN_NVRTC", "KGEN_SANITIZER", "KGEN_OPT", "KGEN_ORACLE", "KGEN_PROBLEMS",
      "KGEN_PYTHON", "KGEN_TIME_TRACE", "KGEN_WORKER"};
  std::vector<std::string> out;
  for (char **variable = environ; *variable; ++variable) {
    llvm::StringRef text(*variable), name = text.split('=').first;
    bool keep = false;
    for (const char *a : allowed)
      keep |= name == a;
    for (const std::string &entry : extra)
      keep &= llvm::StringRef(entry).split('=').first != name;
    if (keep)
      out.push_back(text.str());
  }
  out.insert(out.end(), extra.begin(), extra.end());
  return out;
}

namespace {

/// The thread that forks. A child dies with the thread that forked it (that is what PR_SET_PDEATHSIG means by a
/// parent), and callers' threads end while their children are still wanted. This one ends with the process.
class Forker {
public:
  /// Calls BODY there, and waits for its end.
  static void run(const std::function<void()> &body) {
    static std::mutex turn;
    static Forker *forker = nullptr;
    std::lock_guard<std::mutex> mine(turn);
    if (!forker || forker->owner != getpid()) // a forked copy of this process has no threads but one
      forker = new Forker();
    std::unique_lock<std::mutex> guard(forker->lock);
    forker->body = &body;
    forker->change.notify_all();
    forker->change.wait(guard, [] { return !forker->body; });
  }

private:
  Forker() : owner(getpid()) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // handlers run in the threads that expect them
    std::thread([this] {
      std::unique_lock<std::mutex> guard(lock);
      for (;;) {
        change.wait(guard, [this] { return body; });
        (*body)();
        body = nullptr;
        change.notify_all();
      }
    }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  pid_t owner;
  std::mutex lock;
  std::condition_variable change;
  const std::function<void()> *body = nullptr;
};

} // namespace

/// After fork only async-signal-safe calls are allowed, so everything is prepared before.
static llvm::Expected<pid_t> spawn(const ProcessRequest &request, const ProcessLimits &limits, int output) {
  if (request.arguments.empty())
    return llvm::createStringError("no program to run");
  std::string program = request.arguments[0];
  if (program.find('/') == std::string::npos) {
    auto found = llvm::sys::findProgramByName(program);
    if (!found)
      return llvm::createStringError("%s is not on PATH", program.c_str());
    program = *found;
  }
  std::vector<std::string> environment = childEnvironment(request.extraEnvironment);
  std::vector<char *> argv, envp;
  for (const std::string &argument : request.arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  for (const std::string &entry : environment)
    envp.push_back(const_cast<char *>(entry.c_str()));
  envp.push_back(nullptr);

  // Named descriptors first move out of the way of the numbers they will get.
  std::vector<std::pair<int, int>> descriptors = request.descriptors;
  if (output >= 0) {
    descriptors.push_back({output, 1});
    descriptors.push_back({output, 2});
  }
  int status[2];
  if (pipe2(status, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe: %s", strerror(errno));
  const bool own = request.arguments[0] == workerBinary();
  pid_t parent = getpid();
  pid_t pid = -1;
  int failure = 0;
  auto child = [&] {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ})
      signal(number, SIG_DFL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int high[32], report = fcntl(status[1], F_DUPFD_CLOEXEC, 200);
    unsigned count = 0;
    for (auto &d : descriptors)
      if (count < 32)
        high[count++] = fcntl(d.first, F_DUPFD_CLOEXEC, 200);
    for (int fd = 0; fd < 3; ++fd)
      dup2(null, fd);
    for (unsigned i = 0; i < count; ++i)
      dup2(high[i], descriptors[i].second);
    // Everything else closes on exec.
    int last = 2;
    for (unsigned i = 0; i < count; ++i)
      last = descriptors[i].second > last ? descriptors[i].second : last;
    const unsigned closeOnExec = 4; // CLOSE_RANGE_CLOEXEC, Linux 5.11
    if (syscall(SYS_close_range, unsigned(last + 1), ~0u, closeOnExec) != 0)
      for (int fd = last + 1; fd < 4096; ++fd)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (limits.memoryBytes && !(sanitized && own)) {
      rlimit memory = {limits.memoryBytes, limits.memoryBytes};
      setrlimit(RLIMIT_AS, &memory);
    }
    if (limits.fileBytes) {
      rlimit file = {limits.fileBytes, limits.fileBytes};
      setrlimit(RLIMIT_FSIZE, &file);
    }
    if (limits.cpuSeconds) {
      rlimit cpu = {limits.cpuSeconds, limits.cpuSeconds};
      setrlimit(RLIMIT_CPU, &cpu);
    }
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int error = request.jail ? request.jail->enterInChild() : 0;
    // A new user namespace forgets it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    if (error)
      ;
    else if (!request.directory.empty() && chdir(request.directory.c_str()) != 0)
      error = errno;
    else {
      execve(program.c_str(), argv.data(), envp.data());
      error = errno;
    }
    (void)!write(report, &error, sizeof error);
    _exit(127);
  };
  Forker::run([&] {
    pid = fork();
    if (pid == 0)
      child();
    failure = errno;
  });
  if (pid < 0) {
    close(status[0]), close(status[1]);
    return llvm::createStringError("cannot start a process: %s", strerror(failure));
  }
  close(status[1]);
  int error = 0;
  ssize_t got;
  do
    got = read(status[0], &error, sizeof error);
  while (got < 0 && errno == EINTR);
  close(status[0]);
  if (got == sizeof error) {
    waitpid(pid, nullptr, 0);
    return llvm::createStringError("cannot start %s: %s", program.c_str(), strerror(error));
  }
  return pid;
}

static void describeEnd(int status, ProcessResult &result) {
  if (WIFSIGNALED(status)) {
    result.end = ProcessResult::End::Signalled;
    result.code = WTERMSIG(status);
  } else {
    result.end = ProcessResult::End::Exited;
    result.code = WEXITSTATUS(status);
  }
}

std::optional<std::vector<std::string>> kgen::toolchain::splitWords(llvm::StringRef command,
                                                                    llvm::StringRef separators) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false; // quotes make an empty word
  for (char c : command) {
    if (quote ? c == quote : (c == '"' || c == '\'')) {
      quote = quote ? 0 : c;
      any = true;
    } else if (!quote && separators.contains(c)) {
      if (any)
        words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (quote)
    return std::nullopt;
  if (any)
    words.push_back(std::move(word));
  return words;
}

llvm::Expected<ProcessResult> kgen::toolchain::runProcess(const ProcessRequest &request, const ProcessLimits &limits) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe: %s", strerror(errno));
  double start = monotonicSeconds();
  auto pid = spawn(request, limits, out[1]);
  close(out[1]);
  if (!pid) {
    close(out[0]);
    return pid.takeError();
  }
  ProcessResult result;
  bool timedOut = false;
  Deadline deadline(limits.wallSeconds > 0 ? limits.wallSeconds : std::numeric_limits<double>::infinity());
  char buffer[8192];
  while (true) {
    if (deadline.passed()) {
      timedOut = true;
      break;
    }
    if (!deadline.waitFor(out[0]))
      continue;
    ssize_t got = read(out[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    size_t room = limits.outputBytes - std::min(limits.outputBytes, result.output.size());
    result.output.append(buffer, std::min(size_t(got), room));
  }
  // The pipe's end does not prove the child's: wait on, within the limit.
  ChildProcess child(*pid);
  if (timedOut || !child.waitFor(limits.wallSeconds > 0 ? std::max(deadline.left(), 0.0) : -1, result)) {
    child.kill();
    result.end = ProcessResult::End::TimedOut;
  }
  close(out[0]);
  result.seconds = monotonicSeconds() - start;
  return result;
}

ChildProcess::ChildProcess(pid_t started) : pid(started), handle(int(syscall(SYS_pidfd_open, started, 0))) {}

llvm::Expected<ChildProcess> ChildProcess::start(const ProcessRequest &request, const ProcessLimits &limits) {
  auto pid = spawn(request, limits, -1);
  if (!pid)
    return pid.takeError();
  return ChildProcess(*pid);
}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept {
  if (this != &other) {
    kill();
    pid = std::exchange(other.pid, -1);
    handle = std::exchange(other.handle, -1);
  }
  return *this;
}

ChildProcess::~ChildProcess() { kill(); }

/// Waits for the end of a child that was told to end or has ended. What it started goes first: until the child
/// is reaped, nobody else can have its number.
int ChildProcess::reap() {
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (handle >= 0)
    close(handle);
  pid = handle = -1;
  return status;
}

void ChildProcess::kill() {
  if (pid <= 0)
    return;
  if (handle < 0 || syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0) != 0)
    ::kill(pid, SIGKILL);
  reap();
}

bool ChildProcess::stopped() const {
  siginfo_t info = {};
  return pid > 0 && waitid(P_PID, id_t(pid), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

bool ChildProcess::waitFor(double seconds, ProcessResult &result) {
  if (pid <= 0)
    return true;
  double start = monotonicSeconds();
  while (true) {
    siginfo_t info = {};
    if (waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | (seconds < 0 ? 0 : WNOHANG)) != 0) {
      if (errno == EINTR)
        continue;
      return true;
    }
    if (info.si_pid == pid) {
      describeEnd(reap(), result);
      result.seconds = monotonicSeconds() - start;
      return true;
    }
    double left = seconds - (monotonicSeconds() - start);
    if (left <= 0)
      return false;
    // Readable once the process has ended. Kernels without pidfds are asked again and again.
    pollfd poller = {handle, POLLIN, 0};
    if (handle >= 0)
      poll(&poller, 1, int(left * 1000) + 1);
    else
      usleep(500);
  }
}
