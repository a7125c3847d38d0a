//===- Server.h - The Model Context Protocol, without a transport ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two eras of the protocol on one channel: requests that carry their version
// in _meta (2026-07-28) are served statelessly, and a client that opens with
// `initialize` (2025-06-18, 2025-11-25) gets the handshake it knows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Mcp/Shape.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kgen::mcp {

/// A tool's side of one request: it can be cancelled, and tells how far it is.
class Call {
public:
  virtual ~Call() = default;
  /// The client no longer wants the answer, or the server ends.
  virtual const std::atomic<bool> &cancelled() const = 0;
  /// DONE of TOTAL (0: unknown) steps. Sent only where the client asked for it, DONE has grown, and not more than ten
  /// times a second.
  virtual void progress(double done, double total, llvm::StringRef message) = 0;
};

/// One row of the table of tools. INPUT and OUTPUT are records; both schemas and the checks come from them.
struct Tool {
  std::string name, title, description;
  Shape input, output;
  bool readOnly = false;   ///< changes nothing on disk
  bool idempotent = false; ///< a second call with the same arguments changes nothing more
  /// The result is of OUTPUT. An Error is the tool's own and one sentence: the client's model reads it.
  std::function<llvm::Expected<Json>(const Json &arguments, Call &call)> run;

  /// As tools/list prints it.
  Json describe() const;
};

struct ServerOptions {
  std::string version;      ///< of kgen
  std::string instructions; ///< for the client's model
  unsigned threads = 8;     ///< that calls run on
  size_t mostCalls = 64;    ///< in progress and waiting; more are refused with a sentence
  size_t longestMessage = 8 << 20;
};

class Server {
public:
  /// SEND takes whole messages, from several threads but one at a time, each without its line feed.
  Server(std::vector<Tool> tools, ServerOptions options, std::function<void(const std::string &)> send);
  ~Server();

  /// Takes one message and returns soon: tools run on threads of their own.
  void receive(llvm::StringRef line);
  /// Says that a message longer than the limit was left out.
  void refuseLongMessage();
  /// The client is gone: what is in progress has GRACE seconds to end and is then cancelled. Returns when all has
  /// ended.
  void finish(double grace);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// TEXT without what the oracle knows: the sentence on a wrong element keeps where it is and what was found there, not
/// what had been right. Everything that is sent goes through it.
std::string withoutAnswers(llvm::StringRef text);

} // namespace kgen::mcp
