//===- JudgeServer.h - Processes that serve judges ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context of a card takes a second and 400 MB, and a search of a network has a
// judge for each task: one process serves them all, each on a thread and a
// socket of its own. Where it ends, programs that were at work in it get a
// process of their own from then on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <memory>
#include <mutex>

namespace kgen::judge {

/// What any one answer may take.
constexpr double questionSeconds = 300;

/// The exit status of a process whose context the card's driver has given up.
constexpr int faultStatus = 3;

/// One process. Thread safe.
class JudgeServer {
public:
  static llvm::Expected<std::shared_ptr<JudgeServer>> start(const std::string &device);
  ~JudgeServer();

  /// The socket of a new session.
  llvm::Expected<int> open();
  /// False once it has ended.
  bool works();
  /// Whether somebody stopped it (SIGSTOP).
  bool stopped();
  pid_t id() const { return number; }

  /// While it lives SESSION, whose program is PROGRAM, has a question under way.
  class Work {
  public:
    Work(JudgeServer &server, const void *session, const std::string &program);
    ~Work();
    Work(const Work &) = delete;

  private:
    JudgeServer &server;
    const void *session;
  };

  /// SESSION gets no more replies; SILENT: there was none for as long as a question may take. Ends the process and says
  /// why it ended: ProcessLost where that need not be the session's own fault.
  llvm::Error end(const void *session, bool silent);
  /// The card has reported a fault of PROGRAM, and the process is about to end.
  void blame(const std::string &program);
  /// The programs that were at work when it ended.
  llvm::StringSet<> suspects();

private:
  JudgeServer() = default;
  void learnEnd(bool silent, double patience);

  std::mutex lock;
  toolchain::ChildProcess child;
  pid_t number = -1;
  int control = -1;                         ///< where sessions are opened
  std::map<const void *, std::string> work; ///< programs by session
  bool ended = false, foreign = false;      ///< foreign: whoever ended it was none of ours
  std::string why;
};

/// The processes of a device's judges. Thread safe.
class JudgeServers {
public:
  explicit JudgeServers(std::string device) : device(std::move(device)) {}

  /// Starts the process that all share, unless it runs: it makes its context while others prepare what it is asked.
  void begin();
  /// The process for a session of PROGRAM.
  llvm::Expected<std::shared_ptr<JudgeServer>> serverFor(const std::string &program);

private:
  llvm::Error ensureShared();

  const std::string device;
  std::mutex lock;
  std::shared_ptr<JudgeServer> shared;
  llvm::StringSet<> apart; ///< programs that get a process of their own
};

} // namespace kgen::judge
