//===- TrustRun.cpp - What going on with a run starts and sends ------------===//
//
// run.json says who has ideas and what is timed beside the kernels. In a folder
// that somebody else handed over these are a stranger's commands, in the user's
// name and with the user's keys.
//
//===----------------------------------------------------------------------===//
#include "SearchCommands.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen {

/// What CONFIG has started or sent beyond kgen's own programs and the providers' own hosts.
static std::string describeReach(const SearchConfig &config, StringRef shippedForm, bool timesPyTorch) {
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

Error checkReach(const SearchCommand &command, const RunFolder &run, const SearchConfig &config,
                 StringRef shippedForm) {
  // compare-policies goes on with what its own command line says.
  bool said = command.llm == config.llm && command.proposer.url == config.llmOptions.url &&
              command.proposer.keyEnv == config.llmOptions.keyEnv;
  bool timesPyTorch = config.device != "host" && !run.getBaselines();
  std::string reach = describeReach(config, shippedForm, timesPyTorch && command.problem != config.source);
  if (reach.empty() || command.trustRun || (said && command.problem == config.source))
    return Error::success();
  return createStringError(command.run + " asks to have " + reach +
                           "; if it is yours, or you trust who made it, go on with: kgen-search resume " + command.run +
                           " --trust-run");
}

} // namespace kgen
