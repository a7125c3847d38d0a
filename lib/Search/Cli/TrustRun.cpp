//===- TrustRun.cpp - What going on with a run starts and sends ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// run.json says who has ideas and what is timed beside the kernels. In a folder
// that somebody else handed over these are a stranger's commands, in the user's
// name and with the user's keys.
//
//===----------------------------------------------------------------------===//
#include "SearchCommands.h"

#include "kgen/Search/ProblemSource.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/Twine.h"

#include <cstdlib>

using namespace llvm;

namespace kgen::search {

/// What CONFIG, with LAUNCHERS, has started or sent beyond kgen's own programs and the providers' own hosts.
static std::string describeReach(const SearchConfig &config, ArrayRef<std::string> launchers, StringRef shippedForm,
                                 bool timesPyTorch) {
  SmallVector<std::string> reach;
  StringRef llm = config.llm, url = config.llmOptions.url;
  for (StringRef rest = llm; rest.contains("exec:");) {
    rest = rest.split("exec:").second;
    StringRef command = rest.take_until([](char c) { return c == ',' || c == '='; });
    if (command != "codex" && command != "claude" && command != "gemini") {
      reach.push_back(("the command '" + rest.take_front(120) + "' run").str());
      break;
    }
  }
  for (const std::string &launcher : launchers)
    reach.push_back("the command '" + StringRef(launcher).take_front(120).str() + "' run");
  // http is for loopback alone.
  if (url.starts_with("https:") || llm.contains("@https:"))
    reach.push_back(("prompts sent to " + (url.empty() ? llm : url).take_front(120)).str());
  if (const std::string &variable = config.llmOptions.keyEnv; !variable.empty())
    reach.push_back("the key in $" + variable + " sent");
  if (timesPyTorch && !config.pytorch.empty() && config.pytorch != shippedForm)
    reach.push_back("the Python file " + config.pytorch + " run");
  std::string words;
  for (const std::string &one : reach)
    words += (words.empty() ? "" : ", ") + one;
  return words;
}

/// The file that says that this user began a run of just this CONFIG; "" where there is no such memory.
static std::string markOf(const SearchToolWorld &world, const SearchConfig &config) {
  return world.ownRunsFolder.empty() ? "" : world.ownRunsFolder + "/" + toolchain::contentKey({config.toJson().dump()});
}

/// What going on with CONFIG and LAUNCHERS reaches; TIMESPYTORCH: its Python file has not been timed yet.
static std::string reachOf(const SearchToolWorld &world, const SearchConfig &config, ArrayRef<std::string> launchers,
                           bool timesPyTorch) {
  std::string form = findSourceFolders(world.fs, world.programFolder).frontend + "/problems/" + config.source + ".py";
  return describeReach(config, launchers, form, timesPyTorch);
}

std::string defaultOwnRunsFolder() {
  if (const char *state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::string(state) + "/kgen/runs";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/state/kgen/runs";
  return "";
}

void rememberOwnRun(const SearchToolWorld &world, const SearchConfig &config) {
  std::string mark = markOf(world, config);
  if (mark.empty() || reachOf(world, config, config.launchers, config.device != "host").empty())
    return;
  Error error = world.fs.createFolders(world.ownRunsFolder);
  if (!error)
    error = world.fs.writeAtomic(mark, config.problem + "\n");
  consumeError(std::move(error));
}

Error checkReach(const SearchCommand &command, const SearchToolWorld &world, const trajectory::RunFolder &run,
                 const SearchConfig &config) {
  // Launchers of this command line take the place of the run's.
  ArrayRef<std::string> launchers = command.launchers.empty() ? ArrayRef(config.launchers) : ArrayRef<std::string>();
  // compare-policies goes on with what its own command line says.
  bool said = command.llm == config.llm && command.proposer.url == config.llmOptions.url &&
              command.proposer.keyEnv == config.llmOptions.keyEnv && launchers.empty();
  bool timesPyTorch = config.device != "host" && !run.getBaselines();
  std::string reach = reachOf(world, config, launchers, timesPyTorch && command.problem != config.source);
  if (reach.empty() || command.trustRun || (said && command.problem == config.source))
    return Error::success();
  if (std::string mark = markOf(world, config); !mark.empty() && world.fs.exists(mark))
    return Error::success();
  return createStringError(command.run + " was not started here and asks to have " + reach +
                           "; if you trust who made it, go on with: kgen-search resume " + command.run +
                           " --trust-run");
}

} // namespace kgen::search
