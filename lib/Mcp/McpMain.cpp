//===- McpMain.cpp --------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/McpMain.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Library/KernelLibrary.h"
#include "kgen/Mcp/Tools.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Toolchain/Streams.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace kgen::mcp {
namespace {

constexpr StringLiteral version = KGEN_VERSION;

struct McpCommand {
  enum Kind { Serve, Help, Version, Reference } kind = Serve;
  WorkspaceOptions workspace;
};

struct McpOption {
  const char *name, *value, *what;
  /// Takes VALUE and returns what was expected of it, or "".
  const char *(*take)(McpCommand &command, StringRef value);
};

const McpOption optionTable[] = {
    {"--root", "DIR", "the folder whose .py and .mlir files clients may name; default: the working folder",
     [](McpCommand &c, StringRef v) { return c.workspace.root = v.str(), v.empty() ? "a folder" : ""; }},
    {"--runs", "DIR", "the folder of run folders; default: runs below the root",
     [](McpCommand &c, StringRef v) { return c.workspace.runs = v.str(), v.empty() ? "a folder" : ""; }},
    {"--device", "DEVICE", "what runs are measured on where a client does not say: auto, host or cuda:N; default auto",
     [](McpCommand &c, StringRef v) { return c.workspace.device = v.str(), v.empty() ? "a device" : ""; }},
    {"--llm", "SPEC", "who has ideas in searches, as for kgen-search; default builtin. No client can choose another",
     [](McpCommand &c, StringRef v) { return c.workspace.llm = v.str(), v.empty() ? "a proposer" : ""; }},
    {"--max-minutes", "N", "the most that a run may take; default 240",
     [](McpCommand &c, StringRef v) {
       return v.getAsDouble(c.workspace.maxMinutes) || !(c.workspace.maxMinutes > 0) ? "a number above 0" : "";
     }},
    {"--at-once", "N", "searches and evaluations at once; default 4",
     [](McpCommand &c, StringRef v) {
       return v.getAsInteger(10, c.workspace.maxSittings) || c.workspace.maxSittings < 1 || c.workspace.maxSittings > 64
                  ? "a whole number from 1 to 64"
                  : "";
     }},
    {"--allow-unconfined-compile", nullptr, "compile clients' text where this system cannot keep files from compilers",
     [](McpCommand &c, StringRef) { return c.workspace.allowUnconfinedCompile = true, ""; }},
    {"--reference", nullptr, "print the tools with their arguments, as a page of markdown",
     [](McpCommand &c, StringRef) { return c.kind = McpCommand::Reference, ""; }},
    {"--version", nullptr, "print the version",
     [](McpCommand &c, StringRef) { return c.kind = McpCommand::Version, ""; }},
    {"--help", nullptr, "print this", [](McpCommand &c, StringRef) { return c.kind = McpCommand::Help, ""; }},
};

Expected<McpCommand> parseCommand(int argc, char **argv) {
  McpCommand command;
  for (int i = 1; i < argc; ++i) {
    auto [name, value] = StringRef(argv[i]).split('=');
    const McpOption *option = find_if(optionTable, [&, name = name](const McpOption &o) { return name == o.name; });
    if (option == std::end(optionTable))
      return createStringError("unknown option '" + Twine(argv[i]) + "'; kgen-mcp --help lists them");
    bool isJoined = StringRef(argv[i]).contains('=');
    if (!option->value && isJoined)
      return createStringError(Twine(option->name) + " takes no value");
    if (option->value && !isJoined) {
      if (++i == argc)
        return createStringError(Twine(option->name) + " lacks its " + option->value);
      value = argv[i];
    }
    if (StringRef expected = option->take(command, value); !expected.empty())
      return createStringError(Twine(option->name) + " is '" + value + "', expected " + expected);
  }
  return command;
}

void printHelp(raw_ostream &os) {
  os << "usage: kgen-mcp [options]\n\nServes kgen to agents by the Model Context Protocol on standard input and output "
        "(docs/agents.md).\n\n";
  for (const McpOption &option : optionTable)
    os << "  " << left_justify((Twine(option.name) + " " + (option.value ? option.value : "")).str(), 28) << option.what
       << "\n";
}

std::atomic<bool> endRequested{false}; // by a signal, or by a client that is gone

void requestEnd(int) { endRequested = true; }

/// The protocol's two descriptors. What else this process or its children print goes to standard error, and nobody but
/// the server reads the client's messages.
struct Channel {
  int in = -1, out = -1;

  Channel() {
    in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
      ::dup2(nothing, STDIN_FILENO);
      ::close(nothing);
    }
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }

  void send(const std::string &message) const {
    std::string text = message + "\n";
    for (StringRef rest = text; !rest.empty();) {
      ssize_t n = ::write(out, rest.data(), rest.size());
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0) { // the client is gone
        endRequested = true;
        return;
      }
      rest = rest.drop_front(n);
    }
  }

  /// Hands lines to SERVER until the client closes its end or somebody asks for the end.
  void serve(Server &server, size_t longest) const {
    std::string line;
    bool tooLong = false;
    while (!endRequested) {
      pollfd descriptor = {in, POLLIN, 0};
      constexpr int milliseconds = 200; // a signal may come just before the call
      int ready = ::poll(&descriptor, 1, milliseconds);
      if (ready == 0 || (ready < 0 && errno == EINTR))
        continue;
      char buffer[65536];
      ssize_t count = ::read(in, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      for (StringRef rest(buffer, count); !rest.empty();) {
        size_t end = rest.find('\n');
        if (!tooLong)
          line += rest.take_front(std::min(end, rest.size()));
        if (line.size() > longest) {
          tooLong = true;
          line.clear();
        }
        if (end == StringRef::npos)
          break;
        rest = rest.drop_front(end + 1);
        if (tooLong)
          server.refuseLongMessage();
        else
          server.receive(line);
        tooLong = false;
        line.clear();
      }
    }
    if (!tooLong && !line.empty() && !endRequested)
      server.receive(line); // the last line may lack its end
  }
};

int serveClient(const McpCommand &command, const std::string &programFolder, graph::GraphCompiler &compiler) {
  Channel channel;
  auto fs = trajectory::createRealFileSystem();
  auto clock = trajectory::createRealClock();
  auto shared = search::createSharedCompiler(compiler);
  WorkspaceWorld world{*fs, *clock, *shared, [&](const std::string &device, const std::atomic<bool> &stop) {
                         return search::openEvaluators(device, programFolder, stop, [](StringRef) {});
                       }};
  world.kernelLibraryPath = library::defaultLibraryPath();
  world.ownRunsFolder = search::defaultOwnRunsFolder();
  world.programFolder = programFolder;
  Workspace workspace(world, command.workspace);
  ServerOptions options;
  options.version = version.str();
  options.instructions = printInstructions();
  Server server(makeTools(workspace), options, [&](const std::string &message) { channel.send(message); });
  errs() << "kgen-mcp " << version << " serves; root " << command.workspace.root << ", runs in "
         << command.workspace.runs << "\n";
  channel.serve(server, options.longestMessage);
  // An import cannot be cut short, and a client that does not read cannot be answered.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    ::_exit(1);
  }).detach();
  constexpr double grace = 2; // what is nearly done still answers
  server.finish(endRequested ? 0 : grace);
  return 0;
}

} // namespace

int mcpMain(int argc, char **argv, graph::GraphCompiler &compiler) {
  toolchain::claimStandardStreams();
  auto fail = [](Error error) {
    errs() << "kgen-mcp: " << candidate::printable(toString(std::move(error))) << "\n";
    return toolchain::finishStandardStreams("kgen-mcp", 1, 1);
  };
  auto command = parseCommand(argc, argv);
  if (!command)
    return fail(command.takeError());
  std::string self = sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&mcpMain));
  std::string folder = sys::path::parent_path(self).str();
  WorkspaceOptions &options = command->workspace;
  SmallString<256> root(options.root.empty() ? "." : options.root);
  if (std::error_code code = sys::fs::make_absolute(root))
    return fail(createStringError(code, "cannot find the working folder: " + code.message()));
  sys::path::remove_dots(root, /*remove_dot_dot=*/true);
  // Some clients start their servers there, and nobody meant all files.
  if (options.root.empty() && root == "/" && command->kind == McpCommand::Serve)
    return fail(createStringError("the working folder is /: name the folder of clients' files by --root"));
  options.root = root.str().str();
  SmallString<256> runs(options.runs.empty() ? options.root + "/runs" : options.runs);
  sys::fs::make_absolute(runs);
  sys::path::remove_dots(runs, /*remove_dot_dot=*/true);
  options.runs = runs.str().str();
  switch (command->kind) {
  case McpCommand::Help:
    printHelp(outs());
    return toolchain::finishStandardStreams("kgen-mcp", 0, 1);
  case McpCommand::Version:
    outs() << "kgen-mcp " << version << "\n";
    return toolchain::finishStandardStreams("kgen-mcp", 0, 1);
  case McpCommand::Reference: {
    auto fs = trajectory::createRealFileSystem();
    auto clock = trajectory::createRealClock();
    Workspace workspace({*fs, *clock, compiler, {}}, options);
    outs() << printToolReference(makeTools(workspace));
    return toolchain::finishStandardStreams("kgen-mcp", 0, 1);
  }
  case McpCommand::Serve:
    break;
  }
  if (!sys::fs::is_directory(options.root))
    return fail(createStringError("--root is " + options.root + ", which is no folder"));
  if (auto proposer = propose::createProposer(options.llm); !proposer)
    return fail(proposer.takeError());
  struct sigaction action = {};
  action.sa_handler = requestEnd;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // a client that is gone is the end of input, a died child is an error
  return toolchain::finishStandardStreams("kgen-mcp", serveClient(*command, folder, compiler), 1);
}

} // namespace kgen::mcp
