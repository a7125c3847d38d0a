//===- CommandLine.cpp - kgen-search's arguments --------------------------===//

#include "kgen/Search/SearchTool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen {

std::string printSearchHelp() {
  return R"(kgen-search: look for the fastest kernel that computes an op graph

usage:
  kgen-search --problem NAME|FILE.mlir|FILE.py [options]   start a search
  kgen-search resume RUN [--trust-run]   go on with an interrupted run; --trust-run: one that somebody else started, with the
                              commands, addresses and keys that its run.json names
  kgen-search replay RUN [--jobs N] [--recorded]           derive every kernel of a run again and compare bytes; needs no
                              device. --recorded: what another kgen wrote differently need only be as recorded
  kgen-search report RUN [--format text|md|json|html] [--out F]   what a run found; html is one page with everything
  kgen-search add RUN --idea "WORDS" --seed-kernel F.cu    give a running or stopped search an idea or a kernel
  kgen-search export RUN... [--licence SPDX] [--out F]     a line of JSON for each branch, failures too (docs/dataset.md)
  kgen-search compare RUN... [--format text|md|json]       several runs on one problem side by side
  kgen-search compare-policies --problem P --branches N    one search by each policy with the same budget
  kgen-search prompt RUN BRANCH                            what a model was told (or would be) for a branch
  kgen-search problems        list the registered problems
  kgen-search doctor [--format text|json]   what this machine has, what is missing for what, and how to get it

A search starts from generic kernels (round 0). Each round takes the fastest right kernels so far, has ideas in words
about each, carries every idea out in several ways (a script of directives, or CUDA-C), compiles, verifies against an
fp64 oracle, times, and keeps what is right and fast. Everything lands in a run folder, which can be resumed, replayed
and read: RUN/best/kernel.cu is the result.

first steps:
  kgen-search --problem conv_relu_maxpool                  on a laptop: small size, device host, a few minutes
  kgen-search --problem softmax --device cuda:0            on a card: published size
  kgen-search --problem my_model.py --rounds 5             class Model, get_init_inputs(), get_inputs()

what to search:
  --problem P        a registered name, an op graph FILE.mlir, or a PyTorch file FILE.py
  --size full|small  full is the published size; small is the default on device host, where a kernel runs on one core
  --precision C      strict-fp32, tf32, bf16 or fp16: what rounding the answer may have (default: the problem's)
  --rules R          whose rules make a verdict: kgen (default), kernelbench-2025 (allclose 1e-2) or kernelbench (1e-4)
  --device D         host, cuda:N, or auto (a card when there is one; the default)

how far:
  --rounds N         rounds after round 0                                  (host 3, cuda 5)
  --seeds K          kernels kept after each round                         (host 3, cuda 4)
  --ideas I          ideas for each of them                                (host 5, cuda 6)
  --variants V       ways to carry out each idea                           (3)
  --tune N           besides, N neighbours of each round's best: its idea with other constants  (host 0, cuda 4)
  --branches N       stop after N branches; --rounds then only if you say so
  --max-minutes M    stop after M minutes in all, also over resumes; 0 is no limit   (host 4, cuda 30)
  --max-tokens N     stop asking models after N tokens in all; what was asked is still measured
  --max-usd X        the same for dollars, by a price file; a model without a price is refused
  --prices FILE      the price file (default ~/.config/kgen/prices.json, else the shipped examples)
  --stop-at-floor F  stop when the best kernel reaches this share of the floor's speed, as 0.95
  --profile          on a card, have Nsight Compute (ncu) watch each new best kernel; its numbers go into the diagnosis that
                     the next ideas are asked with (some seconds each; without ncu a warning)
  --policy P         branch (rounds of parallel branches; the default), sequential (revise one kernel again and again),
                     beam (only the last round's best), islands (populations that meet at times), mcts (tree search)
  --policies P,Q     which ones compare-policies runs (default all)
  --seed S           a number; the same seed and the same times give the same ideas (default 0)
  --jobs N           compiles at the same time (default 2)

who has ideas:
  --llm builtin      a catalogue that needs no key and no network (the default)
  --llm openai:MODEL, anthropic:MODEL, gemini:MODEL        a provider; keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY and
                     GEMINI_API_KEY and are never written
  --llm chat:MODEL   a server that speaks Chat Completions; chat:MODEL@URL names its address
  --llm exec:CMD     a command that reads a prompt on stdin and answers on stdout; codex, claude and gemini are known
  --llm dir:FOLDER   each question is a file there, and so is its answer: a person or any program is the model
  --llm replay:RUN   the answers recorded in another run
  --llm A=3,B        several with weights; who gains more is asked more often
  --llm-url URL      the provider's address; http on loopback only
  --llm-key-env VAR  environment variable that holds the key
  --llm-effort E     how long the model thinks: low, medium, high, as the provider has it
  --llm-max-tokens N, --llm-temperature T, --llm-timeout S limits of an answer; left to the provider unless given

  --idea "WORDS"     an idea of yours, carried out in round 1 (repeatable; "memory: WORDS" names its category); the builtin
                     catalogue knows its own ideas only, by key or by their words
  --seed-kernel F.cu a kernel of yours, verified like any other (repeatable); its launch plan is F.plan.json or a line
                     // kgen-launch: kernel=NAME grid=500 block=256 shared=0 args=in0,out0,i32:5

  --allow-unconfined-compile   where the system cannot keep a compiler away from your files (`kgen-search doctor` says
                     so), compile what a model wrote all the same

  --library FILE     verified kernels of all your searches (SQLite): the best for this graph start this one, and its best
                     go there (default $KGEN_LIBRARY, else ~/.local/share/kgen/kernels.db); none: do without

  --out RUN          run folder (default runs/PROBLEM, numbered when taken)
  --help, --version

Ctrl-C ends a search cleanly; `kgen-search resume RUN` goes on where it was.
)";
}

namespace {

class Parser {
public:
  explicit Parser(ArrayRef<std::string> arguments) : arguments(arguments) {}

  Expected<SearchCommand> parse() {
    StringRef first = arguments.empty() ? StringRef() : StringRef(arguments[0]);
    if (arguments.empty() || first == "help") {
      command.kind = SearchCommand::Help;
      return command;
    }
    if (first == "prompt") {
      command.kind = SearchCommand::Prompt;
      if (arguments.size() < 3 || StringRef(arguments[1]).starts_with("-"))
        return createStringError("kgen-search prompt needs a run folder and a branch, as round-01/b00");
      command.run = StringRef(arguments[1]).rtrim('/').str();
      command.branch = StringRef(arguments[2]).rtrim('/').str();
      next = 3;
    } else if (first == "resume" || first == "replay" || first == "report" || first == "add") {
      command.kind = first == "resume"   ? SearchCommand::Resume
                     : first == "replay" ? SearchCommand::Replay
                     : first == "add"    ? SearchCommand::Add
                                         : SearchCommand::Report;
      if (arguments.size() < 2 || StringRef(arguments[1]).starts_with("-"))
        return createStringError(Twine("kgen-search ") + first + " needs a run folder");
      command.run = StringRef(arguments[1]).rtrim('/').str();
      next = 2;
    } else if (first == "compare" || first == "export") {
      command.kind = first == "compare" ? SearchCommand::Compare : SearchCommand::Export;
      if (first == "export")
        command.format = "jsonl";
      for (next = 1; next < arguments.size() && !StringRef(arguments[next]).starts_with("-"); ++next)
        command.runs.push_back(StringRef(arguments[next]).rtrim('/').str());
      if (command.runs.empty())
        return createStringError("kgen-search " + first + " needs run folders");
    } else if (first == "compare-policies") {
      command.kind = SearchCommand::ComparePolicies;
      next = 1;
    } else if (first == "doctor") {
      command.kind = SearchCommand::Doctor;
      next = 1;
    } else if (first == "problems") {
      command.kind = SearchCommand::Problems;
      next = 1;
    } else if (!first.starts_with("-")) {
      return createStringError(Twine("unknown command '") + first +
                               "', expected resume, replay, report, prompt, add, export, compare, compare-policies, "
                               "problems, doctor, or options; see kgen-search --help");
    }
    while (next < arguments.size())
      if (Error error = parseOption())
        return std::move(error);
    if ((command.kind == SearchCommand::Search || command.kind == SearchCommand::ComparePolicies) &&
        command.problem.empty())
      return createStringError("what shall be searched? give --problem NAME, FILE.mlir or FILE.py");
    if (command.kind == SearchCommand::Add && command.handIdeas.empty() && command.seedKernels.empty())
      return createStringError("kgen-search add needs --idea \"WORDS\" or --seed-kernel FILE.cu");
    if (command.kind == SearchCommand::ComparePolicies && !command.branches && !command.maxMinutes)
      return createStringError("compare-policies needs the budget of each search: --branches N or --max-minutes M");
    return command;
  }

private:
  Error parseOption() {
    StringRef argument = arguments[next++];
    if (argument == "--help" || argument == "-h") {
      command.kind = SearchCommand::Help;
      return Error::success();
    }
    if (argument == "--version") {
      command.kind = SearchCommand::Version;
      return Error::success();
    }
    if (!argument.starts_with("--"))
      return createStringError(Twine("unexpected argument '") + argument + "'");
    auto [name, inlineValue] = argument.split('=');
    if (!isKnown(name))
      return createStringError(Twine("unknown option '") + name + "'; see kgen-search --help");
    StringRef option = name;
    auto is = [&](std::initializer_list<const char *> names) { return is_contained(names, option); };
    bool fits = false;
    switch (command.kind) {
    case SearchCommand::Search:
      fits = name != "--policies" && name != "--recorded" && name != "--trust-run";
      break;
    case SearchCommand::ComparePolicies:
      fits = name != "--policy" && name != "--recorded" && name != "--trust-run";
      break;
    case SearchCommand::Report:
      fits = is({"--format", "--out"});
      break;
    case SearchCommand::Doctor:
    case SearchCommand::Compare:
      fits = is({"--format"});
      break;
    case SearchCommand::Resume:
      fits = is({"--max-minutes", "--max-tokens", "--max-usd", "--jobs", "--allow-unconfined-compile", "--trust-run"});
      break;
    case SearchCommand::Replay:
      fits = is({"--jobs", "--recorded"});
      break;
    case SearchCommand::Export:
      fits = is({"--format", "--licence", "--out"});
      break;
    case SearchCommand::Add:
      fits = is({"--idea", "--seed-kernel"});
      break;
    default:
      break;
    }
    if (!fits)
      return createStringError(Twine("option ") + name + " does not go with this command");
    for (auto [flag, target] : {std::pair{"--allow-unconfined-compile", &command.allowUnconfinedCompile},
                                std::pair{"--trust-run", &command.trustRun}, std::pair{"--recorded", &command.recorded},
                                std::pair{"--profile", &command.profile}})
      if (argument == flag) {
        *target = true;
        return Error::success();
      }
    std::string value = inlineValue.str();
    if (argument.find('=') == StringRef::npos) {
      if (next == arguments.size())
        return createStringError(Twine("option ") + name + " needs a value");
      value = arguments[next++];
    }
    return setOption(name, value);
  }

  static bool isKnown(StringRef name) {
    for (const char *known : {"--problem",
                              "--size",
                              "--precision",
                              "--rules",
                              "--device",
                              "--rounds",
                              "--seeds",
                              "--ideas",
                              "--variants",
                              "--branches",
                              "--tune",
                              "--max-minutes",
                              "--max-tokens",
                              "--max-usd",
                              "--prices",
                              "--stop-at-floor",
                              "--policy",
                              "--policies",
                              "--seed",
                              "--jobs",
                              "--llm",
                              "--llm-url",
                              "--llm-key-env",
                              "--llm-effort",
                              "--llm-max-tokens",
                              "--llm-temperature",
                              "--llm-timeout",
                              "--library",
                              "--idea",
                              "--seed-kernel",
                              "--out",
                              "--format",
                              "--licence",
                              "--recorded",
                              "--profile",
                              "--allow-unconfined-compile",
                              "--trust-run"})
      if (name == known)
        return true;
    return false;
  }

  Error setOption(StringRef name, const std::string &value) {
    if (name == "--problem")
      command.problem = value;
    else if (name == "--size")
      return oneOf(name, value, {"full", "small"}, command.size);
    else if (name == "--rules")
      return oneOf(name, value, {"kgen", "kernelbench-2025", "kernelbench"}, command.rules);
    else if (name == "--precision")
      return oneOf(name, value, {"strict-fp32", "tf32", "bf16", "fp16"}, command.precision);
    else if (name == "--policy")
      return oneOf(name, value, policyNames(), command.policy);
    else if (name == "--policies") {
      for (StringRef rest = value; !rest.empty();) {
        auto [word, others] = rest.split(',');
        rest = others;
        if (Error error = oneOf(name, word.str(), policyNames(), command.policies.emplace_back()))
          return error;
      }
    }
    if (name == "--licence" && value.empty())
      return createStringError("--licence needs an SPDX expression, as CC0-1.0");
    if (name == "--licence")
      command.licence = value;
    else if (name == "--format" && command.kind == SearchCommand::Export)
      return oneOf(name, value, {"jsonl"}, command.format);
    else if (name == "--format" && command.kind == SearchCommand::Report)
      return oneOf(name, value, {"text", "md", "json", "html"}, command.format);
    else if (name == "--format")
      return oneOf(name, value, {"text", "md", "json"}, command.format);
    else if (name == "--device")
      return setDevice(value);
    else if (name == "--rounds")
      return number(name, value, 0, 1000, command.rounds);
    else if (name == "--seeds")
      return number(name, value, 1, 100, command.seeds);
    else if (name == "--ideas")
      return number(name, value, 1, 100, command.ideas);
    else if (name == "--variants")
      return number(name, value, 1, 100, command.variants);
    else if (name == "--tune")
      return number(name, value, 0, 1000, command.tune);
    else if (name == "--branches")
      return number(name, value, 1, 1000000, command.branches);
    else if (name == "--max-minutes" || name == "--max-usd") {
      double limit;
      if (StringRef(value).getAsDouble(limit) || !(limit >= 0 && limit <= 1e6))
        return createStringError(name + " is '" + value + "', expected a number from 0");
      (name == "--max-usd" ? command.maxDollars : command.maxMinutes) = limit;
    } else if (name == "--max-tokens") {
      int64_t limit;
      if (StringRef(value).getAsInteger(10, limit) || limit < 0)
        return createStringError("--max-tokens is '" + value + "', expected a whole number from 0");
      command.maxTokens = limit;
    } else if (name == "--stop-at-floor") {
      if (StringRef(value).getAsDouble(command.stopAtFloor) || !(command.stopAtFloor >= 0 && command.stopAtFloor <= 1))
        return createStringError("--stop-at-floor is '" + value + "', expected a share from 0 to 1");
    } else if (name == "--prices") {
      command.prices = value;
    } else if (name == "--seed") {
      if (StringRef(value).getAsInteger(10, command.seed))
        return createStringError("--seed is '" + value + "', expected a whole number from 0");
    } else if (name == "--jobs") {
      std::optional<int> jobs;
      if (Error error = number(name, value, 1, 256, jobs))
        return error;
      command.jobs = *jobs;
    } else if (name == "--llm")
      command.llm = value;
    else if (name == "--llm-url")
      command.proposer.url = value;
    else if (name == "--llm-key-env")
      command.proposer.keyEnv = value;
    else if (name == "--llm-effort")
      command.proposer.effort = value;
    else if (name == "--llm-max-tokens") {
      std::optional<int> tokens;
      if (Error error = number(name, value, 1, 10000000, tokens))
        return error;
      command.proposer.maxTokens = *tokens;
    } else if (name == "--llm-temperature") {
      double temperature;
      if (StringRef(value).getAsDouble(temperature) || !(temperature >= 0 && temperature <= 10))
        return createStringError("--llm-temperature is '" + value + "', expected a number from 0 to 10");
      command.proposer.temperature = temperature;
    } else if (name == "--llm-timeout") {
      double seconds;
      if (StringRef(value).getAsDouble(seconds) || !(seconds > 0 && seconds <= 1e6))
        return createStringError("--llm-timeout is '" + value + "', expected seconds above 0");
      command.proposer.timeoutSeconds = seconds;
    } else if (name == "--library")
      command.kernelLibrary = value;
    else if (name == "--idea")
      command.handIdeas.push_back(value);
    else if (name == "--seed-kernel")
      command.seedKernels.push_back(value);
    else if (name == "--out")
      command.out = StringRef(value).rtrim('/').str();
    return Error::success();
  }

  Error setDevice(const std::string &value) {
    int index;
    StringRef rest = value;
    if (value == "auto" || value == "host" || value == "cuda") {
      command.device = value == "cuda" ? "cuda:0" : value;
      return Error::success();
    }
    if (!rest.consume_front("cuda:") || rest.getAsInteger(10, index) || index < 0)
      return createStringError("--device is '" + value + "', expected host, cuda:N or auto");
    command.device = value;
    return Error::success();
  }

  static Error oneOf(StringRef name, const std::string &value, ArrayRef<const char *> words, std::string &target) {
    std::string expected;
    for (const char *word : words) {
      if (value == word) {
        target = value;
        return Error::success();
      }
      expected += (expected.empty() ? "" : ", ") + std::string(word);
    }
    return createStringError(name + " is '" + value + "', expected one of " + expected);
  }

  static Error number(StringRef name, StringRef value, int low, int high, std::optional<int> &target) {
    int result;
    if (value.getAsInteger(10, result) || result < low || result > high)
      return createStringError(name + " is '" + value + "', expected a whole number from " + Twine(low) + " to " +
                               Twine(high));
    target = result;
    return Error::success();
  }

  ArrayRef<std::string> arguments;
  size_t next = 0;
  SearchCommand command;
};

} // namespace

Expected<SearchCommand> parseSearchCommand(ArrayRef<std::string> arguments) { return Parser(arguments).parse(); }

} // namespace kgen
