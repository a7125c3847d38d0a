//===- SearchMain.cpp - kgen-search in the real world ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Library/KernelLibrary.h"
#include "kgen/Search/SearchTool.h"
#include "kgen/Toolchain/Streams.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace kgen::search {

namespace {
std::atomic<bool> stopRequested{false};

/// The first signal asks for a clean end, the second one takes the default action.
void requestStop(int signal) {
  stopRequested = true;
  std::signal(signal, SIG_DFL);
}
} // namespace

int searchMain(int argc, char **argv, graph::GraphCompiler &compiler) {
  toolchain::claimStandardStreams();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  auto command = parseSearchCommand(arguments);
  if (!command) {
    errs() << "kgen-search: " << candidate::printable(toString(command.takeError())) << "\n";
    return toolchain::finishStandardStreams("kgen-search", 1, 1);
  }
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
  if (std::signal(SIGHUP, requestStop) == SIG_IGN) // its terminal may go, as nohup promised
    std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN); // a died child is an error, not the end
  auto fs = trajectory::createRealFileSystem();
  auto clock = trajectory::createRealClock();
  std::string self = sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&searchMain));
  std::string folder = sys::path::parent_path(self).str();
  auto say = [](StringRef line) { errs() << "kgen-search: " << candidate::printable(line) << "\n"; };
  auto openDevice = [&](const EvaluatorRequest &request) {
    return openEvaluators(request, folder, stopRequested, say);
  };
  SearchToolWorld world{*fs, *clock, compiler, openDevice, outs(), errs(), stopRequested};
  // What a terminal can do: https://no-color.org, and TERM=dumb takes no control sequences at all.
  bool terminal = ::isatty(STDOUT_FILENO);
  const char *kind = std::getenv("TERM"), *plain = std::getenv("NO_COLOR");
  world.live = terminal && kind && StringRef(kind) != "dumb";
  world.colour = world.live && !(plain && *plain);
  if (terminal)
    world.columns = sys::Process::StandardOutColumns();
  if (world.columns == 0)
    world.columns = 80;
  world.kernelLibraryPath = library::defaultLibraryPath();
  world.ownRunsFolder = defaultOwnRunsFolder();
  world.programFolder = folder;
  int code = runSearchCommand(*command, world);
  return toolchain::finishStandardStreams("kgen-search", code, 1);
}

} // namespace kgen::search
