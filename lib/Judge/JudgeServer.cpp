//===- JudgeServer.cpp - Processes that serve judges ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JudgeServer.h"

#include "kgen/Device/DescriptorSocket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::judge;

llvm::Expected<std::shared_ptr<JudgeServer>> JudgeServer::start(const std::string &device) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return llvm::createStringError("cannot make a socket: %s", strerror(errno));
  std::shared_ptr<JudgeServer> server(new JudgeServer());
  server->control = pair[0];
  toolchain::ProcessRequest request;
  request.arguments = {toolchain::workerBinary(), "--kgen-judge-worker", device};
  request.descriptors = {{pair[1], 3}};
  // Streams of sessions that share a way to the card would wait for each other's kernels; 32 is the most.
  request.extraEnvironment = {"CUDA_DEVICE_MAX_CONNECTIONS=32"};
  auto started = toolchain::ChildProcess::start(request);
  close(pair[1]);
  if (!started)
    return started.takeError();
  server->child = std::move(*started);
  server->number = server->child.id();
  return server;
}

JudgeServer::~JudgeServer() {
  if (control >= 0)
    close(control);
}

llvm::Expected<int> JudgeServer::open() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return llvm::createStringError("cannot make a socket: %s", strerror(errno));
  std::lock_guard<std::mutex> guard(lock);
  // Whoever asks on a socket that nobody has taken learns how the process ended.
  device::sendLine(control, "session\n", pair[1]);
  close(pair[1]);
  return pair[0];
}

bool JudgeServer::works() {
  std::lock_guard<std::mutex> guard(lock);
  learnEnd(/*silent=*/false, /*patience=*/0);
  return !ended;
}

bool JudgeServer::stopped() {
  std::lock_guard<std::mutex> guard(lock);
  return child.stopped();
}

JudgeServer::Work::Work(JudgeServer &server, const void *session, const std::string &program)
    : server(server), session(session) {
  std::lock_guard<std::mutex> guard(server.lock);
  server.learnEnd(/*silent=*/false, /*patience=*/0); // who asks too late has not ended it
  if (!server.ended)
    server.work[session] = program;
}

JudgeServer::Work::~Work() {
  std::lock_guard<std::mutex> guard(server.lock);
  if (!server.ended)
    server.work.erase(session);
}

/// Finds out whether the process has ended, and how; PATIENCE seconds from now at the latest.
void JudgeServer::learnEnd(bool silent, double patience) {
  if (ended)
    return;
  toolchain::ProcessResult result;
  if (!child.waitFor(patience, result)) {
    if (!silent)
      return;
    why = "does not answer within " + std::to_string(int(questionSeconds)) + " s";
  } else if (result.end != toolchain::ProcessResult::End::Signalled) {
    why = result.code == faultStatus ? "ended, as the card reported a fault"
                                     : "ended with status " + std::to_string(result.code);
  } else {
    foreign = toolchain::isForeignSignal(result.code);
    why = (foreign ? "was killed (signal " : "died of signal ") + std::to_string(result.code) + (foreign ? ")" : "");
  }
  ended = true;
}

llvm::Error JudgeServer::end(const void *session, bool silent) {
  std::lock_guard<std::mutex> guard(lock);
  constexpr double patience = 2; // a socket is closed before its process has ended
  if (!ended && child.stopped()) {
    why = "was stopped from outside";
    ended = foreign = true;
  }
  learnEnd(silent, silent ? 0 : patience);
  if (!ended)
    learnEnd(/*silent=*/true, 0);
  child.kill();
  // Where several were at work nobody knows whose fault it was.
  if (foreign || work.size() != 1 || !work.count(session))
    return llvm::make_error<toolchain::ProcessLost>("the card's oracle " + why);
  return llvm::createStringError("the card's oracle %s", why.c_str());
}

void JudgeServer::blame(const std::string &program) {
  std::lock_guard<std::mutex> guard(lock);
  if (ended)
    return;
  work = {{nullptr, program}};
  why = "ended, as the card reported a fault";
  ended = true;
  child.kill();
}

llvm::StringSet<> JudgeServer::suspects() {
  std::lock_guard<std::mutex> guard(lock);
  llvm::StringSet<> programs;
  for (auto &each : work)
    programs.insert(each.second);
  return programs;
}

void JudgeServers::begin() {
  std::lock_guard<std::mutex> guard(lock);
  llvm::consumeError(ensureShared()); // who needs it tries again
}

llvm::Error JudgeServers::ensureShared() {
  if (shared && shared->works())
    return llvm::Error::success();
  if (shared)
    for (auto &program : shared->suspects())
      apart.insert(program.getKey());
  shared = nullptr;
  auto started = JudgeServer::start(device);
  if (!started)
    return started.takeError();
  shared = std::move(*started);
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<JudgeServer>> JudgeServers::serverFor(const std::string &program) {
  std::lock_guard<std::mutex> guard(lock);
  if (llvm::Error error = ensureShared())
    return std::move(error);
  if (apart.contains(program))
    return JudgeServer::start(device);
  return shared;
}
