//===- OptionTable.cpp - kgen-search's options ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"
#include "kgen/Network/Network.h"
#include "kgen/Search/OpenEvaluators.h"
#include "kgen/Support/Architectures.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace kgen::search {
namespace {

using Setter = std::function<Error(SearchCommand &, StringRef, StringRef)>;

Error wrong(StringRef name, StringRef value, const Twine &expected) {
  return createStringError(name + " is '" + value + "', expected " + expected);
}

/// The kinds of values. TARGET is a member of SearchCommand, or a function that gives one.
template <typename Target>
Setter flag(Target target) {
  return [=](SearchCommand &command, StringRef, StringRef) -> Error {
    std::invoke(target, command) = true;
    return Error::success();
  };
}

template <typename Target>
Setter text(Target target) {
  return [=](SearchCommand &command, StringRef, StringRef value) -> Error {
    std::invoke(target, command) = value.str();
    return Error::success();
  };
}

template <typename Target>
Setter folder(Target target) {
  return [=](SearchCommand &command, StringRef, StringRef value) -> Error {
    std::invoke(target, command) = value.rtrim('/').str();
    return Error::success();
  };
}

/// May be given several times.
template <typename Target>
Setter each(Target target) {
  return [=](SearchCommand &command, StringRef, StringRef value) -> Error {
    std::invoke(target, command).push_back(value.str());
    return Error::success();
  };
}

template <typename Target>
Setter oneOf(Target target, std::vector<StringRef> words) {
  return [=](SearchCommand &command, StringRef name, StringRef value) -> Error {
    if (!is_contained(words, value))
      return wrong(name, value, "one of " + join(words, ", "));
    std::invoke(target, command) = value.str();
    return Error::success();
  };
}

/// Words with commas between.
template <typename Target>
Setter someOf(Target target, std::vector<StringRef> words) {
  return [=](SearchCommand &command, StringRef name, StringRef value) -> Error {
    for (StringRef word : split(value, ',')) {
      if (!is_contained(words, word))
        return wrong(name, word, "one of " + join(words, ", "));
      std::invoke(target, command).push_back(word.str());
    }
    return Error::success();
  };
}

template <typename Target, typename Number>
Setter whole(Target target, Number low, Number high) {
  return [=](SearchCommand &command, StringRef name, StringRef value) -> Error {
    Number number;
    if (value.getAsInteger(10, number) || number < low || number > high)
      return wrong(name, value, "a whole number from " + Twine(low) + " to " + Twine(high));
    std::invoke(target, command) = number;
    return Error::success();
  };
}

template <typename Target>
Setter number(Target target, double low, double high) {
  return [=](SearchCommand &command, StringRef name, StringRef value) -> Error {
    double number;
    if (value.getAsDouble(number) || !(number >= low && number <= high)) {
      std::string range;
      raw_string_ostream(range) << format("a number from %.7g to %.7g", low, high);
      return wrong(name, value, range);
    }
    std::invoke(target, command) = number;
    return Error::success();
  };
}

Error setCut(SearchCommand &command, StringRef name, StringRef value) {
  SmallVector<std::string> keys;
  for (const network::PartitionIdea &idea : network::partitionCatalogue())
    keys.push_back(idea.key);
  if (value != "auto" && value != "given")
    for (StringRef key : split(value, ','))
      if (!is_contained(keys, key))
        return wrong(name, key, "auto, given, or some of " + join(keys, ", "));
  command.cut = value.str();
  return Error::success();
}

Error setDevice(SearchCommand &command, StringRef name, StringRef value) {
  unsigned index;
  StringRef rest = value;
  bool card = rest.consume_front("cuda:") && !rest.getAsInteger(10, index);
  if (value != "auto" && value != "host" && value != "cuda" && !card)
    return wrong(name, value, "host, cuda:N or auto");
  command.device = value == "cuda" ? "cuda:0" : value.str();
  return Error::success();
}

Error setTarget(SearchCommand &command, StringRef name, StringRef value) {
  if (value != "host" && !isKnownArchitecture(value))
    return wrong(name, value, "host or the architecture of a card, as sm_90a");
  command.device = value.str();
  return Error::success();
}

/// Several; whether one may come twice depends on other options.
Error setDevices(SearchCommand &command, StringRef name, StringRef value) {
  auto devices = parseDevices(value, /*launched=*/true);
  if (!devices)
    return createStringError(name + ": " + toString(devices.takeError()));
  command.device = value == "cuda" ? "cuda:0" : value.str();
  command.devicesGiven = true;
  return Error::success();
}

Error addLauncher(SearchCommand &command, StringRef name, StringRef value) {
  auto words = parseLauncher(value);
  if (!words)
    return createStringError(name + ": " + toString(words.takeError()));
  command.launchers.push_back(value.str());
  return Error::success();
}

Error setLicence(SearchCommand &command, StringRef name, StringRef value) {
  if (value.empty())
    return createStringError(name + " needs an SPDX expression, as CC0-1.0");
  command.licence = value.str();
  return Error::success();
}

constexpr unsigned bit(SearchCommand::Kind kind) { return 1u << kind; }

} // namespace

StringRef groupTitle(OptionGroup group) {
  switch (group) {
  case OptionGroup::What:
    return "what to search";
  case OptionGroup::HowFar:
    return "how far";
  case OptionGroup::Ideas:
    return "who has ideas";
  case OptionGroup::Output:
    return "what comes out";
  case OptionGroup::Trust:
    return "what is trusted";
  }
  return "";
}

std::vector<OptionSpec> optionTable() {
  using C = SearchCommand;
  constexpr unsigned search = bit(C::Search), policies = bit(C::ComparePolicies), searches = search | policies,
                     resume = bit(C::Resume), add = bit(C::Add), report = bit(C::Report), exporting = bit(C::Export),
                     replay = bit(C::Replay), ideas = bit(C::Ideas), first = bit(C::First);
  constexpr OptionGroup What = OptionGroup::What, HowFar = OptionGroup::HowFar, Ideas = OptionGroup::Ideas,
                        Output = OptionGroup::Output, Trust = OptionGroup::Trust;
  std::vector<StringRef> policyWords(policyNames().begin(), policyNames().end());
  constexpr int many = 1000000;
  return {
      {"--problem", "P", search, "", What, "a registered name, an op graph FILE.mlir, or a PyTorch file FILE.py",
       text(&C::problem)},
      {"--problem", "P", policies, "", What, "a registered name, FILE.mlir or FILE.py (repeatable)",
       each(&C::problems)},
      {"--problem", "P", ideas, "", What,
       "a registered name, FILE.mlir or FILE.py: only ideas that it could begin with", text(&C::problem)},
      {"--problem", "P", first, "", What, "a registered name, FILE.mlir or FILE.py", text(&C::problem)},
      {"--target", "T", first, "sm_90a", What, "host, or the architecture of a card, as sm_80", setTarget},
      {"--multiprocessors", "N", first, "the architecture's", What, "how many the card has",
       whole(&C::multiprocessors, int64_t(1), int64_t(1000))},
      {"--family", "F", ideas, "", What, "only ideas for this family of kernels: gemm, conv, row, ...",
       text(&C::family)},
      {"--device", "D", ideas, "any; with --problem host", What, "only ideas for host or cuda", setDevice},
      {"--size", "full|small", searches, "small on device host, else full", What,
       "full is the published size; small is one that a single core runs soon", oneOf(&C::size, {"full", "small"})},
      {"--precision", "CLASS", searches | first, "the problem's", What,
       "what rounding the answer may have: strict-fp32, tf32, bf16 or fp16",
       oneOf(&C::precision, {"strict-fp32", "tf32", "bf16", "fp16"})},
      {"--rules", "R", searches, "kgen", What,
       "whose rules make a verdict: kgen, kernelbench-2025 (allclose 1e-2) or kernelbench (1e-4)",
       oneOf(&C::rules, {"kgen", "kernelbench-2025", "kernelbench"})},
      {"--device", "D", searches, "auto", What,
       "host, cuda:N, or auto: a card when there is one; all cards of this machine, or several with commas between "
       "(cuda:0,cuda:2), measure at the same time; host*3: three evaluators alike",
       setDevices},
      {"--device", "D", resume, "the run's", What, "other cards of the same model to go on with", setDevices},
      {"--launcher", "CMD", searches | resume, "none: evaluators run here", What,
       "starts an evaluator for each --device by a command that runs what follows it elsewhere, as 'ssh HOST'; "
       "slurm[:OPTIONS] is srun (repeatable: one after the other place)",
       addLauncher},
      {"--network", "HOW", search, "auto", What,
       "auto: a graph of at least 8 tasks is cut into them, and each is searched by itself (docs/networks.md)\n"
       "always: any graph is\nnever: any graph is one search",
       oneOf(&C::network, {"auto", "always", "never"})},
      {"--cut", "HOW", search, "auto", What,
       "how a network is cut before its first round (docs/networks.md)\n"
       "auto: on a Hopper card join-heads, and channels-last unless the class is strict-fp32 or that makes more than "
       "64 different tasks\ngiven: as its graph has it\n"
       "KEY,...: as these partitions of the catalogue have it, where they apply",
       setCut},

      {"--rounds", "N", searches, "host 3, cuda 5, networks 12", HowFar, "rounds after round 0",
       whole(&C::rounds, 0, 1000)},
      {"--seeds", "K", searches, "host 3, cuda 4, tasks 1", HowFar, "kernels kept after each round",
       whole(&C::seeds, 1, 100)},
      {"--ideas", "I", searches, "host 5, cuda 6, tasks 3", HowFar, "ideas for each of them", whole(&C::ideas, 1, 100)},
      {"--variants", "V", searches, "3, tasks 2", HowFar, "ways to carry out each idea", whole(&C::variants, 1, 100)},
      {"--tune", "N", searches, "host 0, cuda 4, tasks 2", HowFar,
       "besides, N neighbours of each round's best: its idea with other constants", whole(&C::tune, 0, 1000)},
      {"--branches", "N", searches, "no limit", HowFar, "stop after N branches; --rounds then only if you say so",
       whole(&C::branches, 1, many)},
      {"--max-minutes", "M", searches, "host 4, cuda 30", HowFar,
       "stop after M minutes in all, also over resumes; 0 is no limit", number(&C::maxMinutes, 0, many)},
      {"--max-minutes", "M", resume, "the run's", HowFar, "stop after M minutes in all; 0 is no limit",
       number(&C::maxMinutes, 0, many)},
      {"--max-tokens", "N", searches | resume, "no limit", HowFar,
       "stop asking models after N tokens in all; what was asked is still measured",
       whole(&C::maxTokens, int64_t(0), int64_t(1) << 53)},
      {"--max-usd", "X", searches | resume, "no limit", HowFar,
       "the same for dollars, by a price file; a model without a price is refused", number(&C::maxDollars, 0, many)},
      {"--prices", "FILE", searches, "~/.config/kgen/prices.json, else the shipped examples", HowFar, "the price file",
       text(&C::prices)},
      {"--stop-at-floor", "F", searches, "never", HowFar,
       "stop when the best kernel reaches this share of the floor's speed, as 0.95", number(&C::stopAtFloor, 0, 1)},
      {"--profile", "", searches, "", HowFar,
       "on a card, have Nsight Compute (ncu) watch each new best kernel; its numbers go into the diagnosis that the "
       "next ideas are asked with (some seconds each; without ncu a warning)",
       flag(&C::profile)},
      {"--policy", "P", search, "branch", HowFar,
       "branch: rounds of parallel branches\nsequential: revise one kernel again and again\n"
       "beam: only the last round's best\nislands: populations that meet at times\nmcts: tree search",
       oneOf(&C::policy, policyWords)},
      {"--policies", "P,Q", policies, "all", HowFar,
       ("the policies to compare, of branch, sequential, beam, islands "
        "and mcts"),
       someOf(&C::policies, policyWords)},
      {"--repeats", "N", policies, "1", HowFar, "searches by each policy on each problem, with seeds S, S+1, ...",
       whole(&C::repeats, 1, 1000)},
      {"--seed", "S", searches, "0", HowFar, "a number; the same seed and the same times give the same ideas",
       whole(&C::seed, uint64_t(0), UINT64_MAX)},
      {"--jobs", "N", searches | resume, "cores", HowFar, "compiles at the same time", whole(&C::jobs, 1, 256)},
      {"--jobs", "N", replay, "cores", HowFar, "branches derived at the same time", whole(&C::jobs, 1, 256)},
      {"--recorded", "", replay, "", Trust,
       "what another version of kgen's code generator wrote differently need only be as the journal recorded it",
       flag(&C::recorded)},

      {"--llm", "WHO", searches, "builtin", Ideas,
       "builtin: a catalogue that needs no key and no network\n"
       "openai:MODEL, anthropic:MODEL, gemini:MODEL: a provider; keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY and "
       "GEMINI_API_KEY and are never written\n"
       "chat:MODEL: a server that speaks Chat Completions; chat:MODEL@URL names its address\n"
       "exec:CMD: a command that reads a prompt on stdin and answers on stdout; codex, claude and gemini are known\n"
       "dir:FOLDER: each question is a file there, and so is its answer: a person or any program is the model\n"
       "replay:RUN: the answers recorded in another run\n"
       "A=3,B: several with weights; who gains more is asked more often",
       text(&C::llm)},
      {"--llm-url", "URL", searches, "", Ideas, "the provider's address; http on loopback only",
       text([](C &c) -> auto & { return c.proposer.url; })},
      {"--llm-key-env", "VAR", searches, "", Ideas, "environment variable that holds the key",
       text([](C &c) -> auto & { return c.proposer.keyEnv; })},
      {"--llm-effort", "E", searches, "the provider's", Ideas,
       "how long the model thinks: low, medium, high, as the provider has it",
       text([](C &c) -> auto & { return c.proposer.effort; })},
      {"--llm-max-tokens", "N", searches, "the provider's", Ideas, "tokens of one answer",
       whole([](C &c) -> auto & { return c.proposer.maxTokens; }, 1, 10000000)},
      {"--llm-temperature", "T", searches, "the provider's", Ideas, "how freely words are drawn",
       number([](C &c) -> auto & { return c.proposer.temperature; }, 0, 10)},
      {"--llm-timeout", "S", searches, "the provider's", Ideas, "seconds to wait for one answer",
       number([](C &c) -> auto & { return c.proposer.timeoutSeconds; }, 0.001, many)},
      {"--idea", "WORDS", searches | add, "", Ideas,
       "an idea of yours, carried out in the next round (repeatable; \"memory: WORDS\" names its category); the "
       "builtin catalogue knows its own ideas only, by key or by their words",
       each(&C::handIdeas)},
      {"--seed-kernel", "F.cu", searches | add, "", Ideas,
       "a kernel of yours, verified like any other (repeatable); its launch plan is F.plan.json or a line\n"
       "// kgen-launch: kernel=NAME grid=500 block=256 shared=0 args=in0,out0,i32:5",
       each(&C::seedKernels)},
      {"--directives", "F.mlir", searches | add, "", Ideas,
       "a transform.kgen.* script of yours for the whole graph, carried out in the next round (repeatable)",
       each(&C::scripts)},
      {"--library", "FILE", searches, "$KGEN_LIBRARY, else ~/.local/share/kgen/kernels.db", Ideas,
       "verified kernels of all your searches (SQLite): the best for this graph start this one, and its best go "
       "there; none: do without",
       text(&C::kernelLibrary)},

      {"--allow-unconfined-compile", "", searches | resume, "", Trust,
       "where the system cannot keep a compiler away from your files (kgen-search doctor says so), compile what a "
       "model wrote all the same",
       flag(&C::allowUnconfinedCompile)},
      {"--trust-run", "", resume, "", Trust,
       "go on with a run that somebody else started, with the commands, addresses and keys that its run.json names",
       flag(&C::trustRun)},

      {"--out", "RUN", search, "runs/PROBLEM, numbered when taken", Output, "run folder", folder(&C::out)},
      {"--out", "FOLDER", first, "", Output, "folder of the candidate", folder(&C::out)},
      {"--out", "FOLDER", policies, "runs/policies", Output,
       "folder of the run folders, PROBLEM/POLICY-SEED, and of the comparison's page", folder(&C::out)},
      {"--out", "FILE", report | exporting | bit(C::Help), "standard output", Output, "where it is written",
       folder(&C::out)},
      {"--format", "F", report, "text", Output, "text, md, json or html",
       oneOf(&C::format, {"text", "md", "json", "html"})},
      {"--format", "F", bit(C::Compare) | policies, "text", Output, "text, md or json",
       oneOf(&C::format, {"text", "md", "json"})},
      {"--format", "F", bit(C::Doctor) | ideas, "text", Output, "text or json", oneOf(&C::format, {"text", "json"})},
      {"--format", "F", bit(C::Prior), "text", Output, "text or json", oneOf(&C::format, {"text", "json"})},
      {"--format", "F", exporting, "jsonl", Output, "jsonl", oneOf(&C::format, {"jsonl"})},
      {"--format", "F", bit(C::Help), "text", Output, "text, or md: the reference of all commands",
       oneOf(&C::format, {"text", "md"})},
      {"--licence", "SPDX", exporting, "NOASSERTION", Output, "what the lines say about who may use them, as CC0-1.0",
       setLicence},
  };
}

} // namespace kgen::search
