//===- CommandLineTest.cpp - Arguments and commands -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "kgen/Search/ProblemSource.h"
#include "kgen/Search/SearchTool.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

std::string errorOf(std::vector<std::string> arguments) {
  auto command = parseSearchCommand(arguments);
  if (command)
    return "";
  return toString(command.takeError());
}

TEST(CommandLine, ReadsBothForms) {
  auto command = parseSearchCommand({"--problem", "softmax", "--device=cuda:1", "--rounds", "7", "--seed=42"});
  ASSERT_TRUE(bool(command));
  EXPECT_EQ(command->kind, SearchCommand::Search);
  EXPECT_EQ(command->problem, "softmax");
  EXPECT_EQ(command->device, "cuda:1");
  EXPECT_EQ(command->rounds, 7);
  EXPECT_EQ(command->seed, 42u);
}

TEST(CommandLine, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf({"--problem"}), "option --problem needs a value: --problem P");
  EXPECT_EQ(errorOf({"--problem", "--rounds", "3"}), "option --problem needs a value: --problem P");
  EXPECT_EQ(errorOf({"--problme", "x"}), "unknown command 'x'; a search of a problem is kgen-search --problem x, and "
                                         "kgen-search --help lists the commands");
  EXPECT_EQ(errorOf({"--problme=x"}), "unknown option '--problme'; did you mean --problem?");
  EXPECT_EQ(errorOf({"replay", "r", "--frobnicate"}), "unknown option '--frobnicate'; see kgen-search replay --help");
  EXPECT_EQ(errorOf({"replay", "r", "--record"}), "unknown option '--record'; did you mean --recorded?");
  EXPECT_EQ(errorOf({"reprot", "r"}), "unknown command 'reprot'; did you mean report?");
  EXPECT_EQ(errorOf({"report", "r", "s"}), "unexpected argument 's'; see kgen-search report --help");
  EXPECT_EQ(errorOf({"--problem", "x", "--profile=yes"}), "option --profile takes no value");
  EXPECT_EQ(errorOf({"--problem", "x", "--rounds", "many"}),
            "--rounds is 'many', expected a whole number from 0 to 1000");
  EXPECT_EQ(errorOf({"--problem", "x", "--max-minutes", "-1"}),
            "--max-minutes is '-1', expected a number from 0 to 1000000");
  EXPECT_EQ(
      errorOf({"--problem", "x", "--device", "tpu"}),
      "--device: 'tpu' is no device, expected host, cuda:N, auto or all; several with commas between, host*3 for three "
      "alike");
  EXPECT_EQ(errorOf({"--problem", "x", "--launcher", "ssh 'h"}),
            "--launcher: 'ssh 'h' has a quote that does not close");
  EXPECT_EQ(errorOf({"--problem", "x", "--size", "tiny"}), "--size is 'tiny', expected one of full, small");
  EXPECT_EQ(errorOf({"resume"}), "kgen-search resume needs a run folder");
  EXPECT_EQ(errorOf({"replay", "r", "--rounds", "3"}),
            "option --rounds does not go with kgen-search replay, only with search, compare-policies");
  EXPECT_EQ(errorOf({"--problem", "x", "--policy", "greedy"}),
            "--policy is 'greedy', expected one of branch, sequential, beam, islands, mcts");
  EXPECT_EQ(errorOf({"compare-policies", "--problem", "x"}),
            "compare-policies needs the budget of each search: --branches N or --max-minutes M");
  EXPECT_EQ(errorOf({"compare"}), "kgen-search compare needs run folders");
  EXPECT_EQ(errorOf({"prompt", "r"}), "kgen-search prompt needs a run folder and a branch, as round-01/b00");
  EXPECT_EQ(errorOf({"--problem", "x", "--policies", "beam"}),
            "option --policies does not go with kgen-search search, only with compare-policies");
  EXPECT_EQ(errorOf({"export", "r", "--format", "csv"}), "--format is 'csv', expected one of jsonl");
  EXPECT_EQ(errorOf({"--rounds", "3"}), "what shall be searched? give --problem NAME, FILE.mlir or FILE.py");
}

TEST(CommandLine, OptionsStandAnywhere) {
  for (std::vector<std::string> arguments : {std::vector<std::string>{"replay", "r/", "--jobs", "3", "--recorded"},
                                             {"replay", "--jobs", "3", "--recorded", "r"},
                                             {"--recorded", "replay", "--jobs=3", "r"},
                                             {"--jobs", "3", "replay", "--recorded", "--", "r"}}) {
    auto command = parseSearchCommand(arguments);
    ASSERT_TRUE(bool(command)) << toString(command.takeError());
    EXPECT_EQ(command->kind, SearchCommand::Replay);
    EXPECT_EQ(command->run, "r");
    EXPECT_EQ(command->jobs, 3);
    EXPECT_TRUE(command->recorded);
  }
  auto command = parseSearchCommand({"search", "--problem", "x", "--idea", "a", "--policy", "mcts", "--idea", "b"});
  ASSERT_TRUE(bool(command)) << toString(command.takeError());
  EXPECT_EQ(command->kind, SearchCommand::Search);
  EXPECT_EQ(command->handIdeas, (std::vector<std::string>{"a", "b"}));
}

TEST(CommandLine, EachCommandHasItsHelp) {
  using Kind = SearchCommand::Kind;
  const std::pair<std::vector<std::string>, std::optional<Kind>> asked[] = {
      {{}, std::nullopt},
      {{"--help"}, std::nullopt},
      {{"help"}, std::nullopt},
      {{"--problem", "x", "-h"}, std::nullopt},
      {{"search", "--help"}, Kind::Search},
      {{"--help", "replay"}, Kind::Replay},
      {{"report", "r", "--help"}, Kind::Report},
      {{"help", "export"}, Kind::Export},
      // Not even a wrong option keeps the help away.
      {{"add", "--help", "--frob"}, Kind::Add},
  };
  for (const auto &[arguments, about] : asked) {
    auto command = parseSearchCommand(arguments);
    ASSERT_TRUE(bool(command)) << toString(command.takeError());
    EXPECT_EQ(command->kind, Kind::Help);
    EXPECT_EQ(command->about, about);
  }
  // Each says its usage and keeps to the terminal, and its options are those that the parser takes.
  for (int kind = 0; kind < Kind::Help; ++kind)
    for (size_t columns : {80, 100}) {
      std::string text = printSearchHelp(Kind(kind), columns);
      EXPECT_EQ(text.rfind("usage: kgen-search", 0), 0u) << text;
      for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        EXPECT_LE(end - begin, columns) << text.substr(begin, end - begin);
    }
  EXPECT_NE(printSearchHelp(Kind::Replay, 80).find("--recorded"), std::string::npos);
  EXPECT_EQ(printSearchHelp(Kind::Replay, 80).find("--rounds"), std::string::npos);
  EXPECT_NE(printSearchReference().find("| `--rounds N` | host 3, cuda 5, networks 12 | rounds after round 0 |"),
            std::string::npos);
}

struct ToolTest : ::testing::Test {
  MemoryFileSystem fs;
  FakeClock clock;
  FakeCompiler compiler;
  std::atomic<bool> stop{false};
  std::string out, err, libraryPath;
  DeviceFacts facts;

  int run(std::vector<std::string> arguments) {
    out.clear();
    err.clear();
    llvm::raw_string_ostream outStream(out), errStream(err);
    auto command = parseSearchCommand(arguments);
    if (!command) {
      errStream << toString(command.takeError());
      return 1;
    }
    SearchToolWorld world{fs,
                          clock,
                          compiler,
                          [&](const EvaluatorRequest &) -> llvm::Expected<std::unique_ptr<CandidateEvaluator>> {
                            auto evaluator = std::make_unique<FakeEvaluator>(fs);
                            evaluator->facts = facts;
                            return evaluator;
                          },
                          outStream,
                          errStream,
                          stop};
    world.kernelLibraryPath = libraryPath;
    world.programFolder = "/kgen/bin";
    return runSearchCommand(*command, world);
  }

  void TearDown() override { llvm::sys::fs::remove(libraryPath); }

  void SetUp() override {
    llvm::SmallString<128> file;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kgen-library", "db", file));
    libraryPath = file.str().str();
    fs.files["/kgen/bin/../share/kgen/problems/conv_relu_maxpool.mlir"] = "module {}";
    ::setenv("KGEN_PROBLEMS", "/kgen/problems", 1);
    fs.files["/kgen/problems/conv_relu_maxpool.mlir"] = "module {}";
  }
};

TEST_F(ToolTest, SearchesReplaysResumesAndReports) {
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "1", "--out", "r"}), 0) << err;
  EXPECT_NE(out.find("small size"), std::string::npos);
  EXPECT_NE(out.find("times as fast as round 0"), std::string::npos) << out;
  EXPECT_TRUE(fs.exists("r/report.md") && fs.exists("r/report.json"));
  EXPECT_EQ(run({"replay", "r"}), 0) << err;
  EXPECT_NE(out.find(" branches derived again, "), std::string::npos) << out;
  EXPECT_EQ(run({"resume", "r"}), 0) << err;
  EXPECT_EQ(out.rfind("r is complete", 0), 0u);
  EXPECT_EQ(run({"report", "r", "--format", "json"}), 0) << err;
  EXPECT_TRUE(trajectory::Json::accept(out));
  fs.files["r/round-01/b03/kernel.cu"][5] ^= 1;
  EXPECT_EQ(run({"replay", "r"}), 1);
  EXPECT_EQ(err, "kgen-search: CORRUPT: r/round-01/b03/kernel.cu differs from what was recorded, first at byte 5\n");
}

TEST_F(ToolTest, TellsTheLevelOfIsolation) {
  facts.isolation = "files landlock v4, calls seccomp, network none";
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "0", "--out", "r"}), 0) << err;
  EXPECT_NE(out.find("isolation: files landlock v4, calls seccomp, network none\n"), std::string::npos) << out;
  EXPECT_NE(fs.files["r/run.json"].find(facts.isolation), std::string::npos);
  EXPECT_NE(fs.files["r/report.md"].find("Isolation: " + facts.isolation), std::string::npos);
  EXPECT_NE(fs.files["r/report.json"].find(facts.isolation), std::string::npos);
}

TEST_F(ToolTest, CompilesAModelsTextUnconfinedOnlyWhenTold) {
  facts.confinesFiles = false;
  ::setenv("KGEN_TEST_KEY", "k", 1);
  std::vector<std::string> arguments = {"--problem",     "conv_relu_maxpool",
                                        "--rounds",      "0", // nobody is asked
                                        "--llm",         "chat:m",
                                        "--llm-key-env", "KGEN_TEST_KEY",
                                        "--out",         "b"};
  EXPECT_EQ(run(arguments), 1);
  EXPECT_EQ(err, "kgen-search: this system cannot keep a compiler away from your files (no Landlock, no user "
                 "namespaces), and chat:m brings text that kgen did not write; --allow-unconfined-compile runs it "
                 "all the same\n");
  EXPECT_FALSE(fs.exists("b"));
  arguments.push_back("--allow-unconfined-compile");
  EXPECT_EQ(run(arguments), 0) << err;
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "1", "--out", "builtin"}), 0) << err;
  facts.confinesFiles = true;
  arguments.pop_back();
  arguments.back() = "c";
  EXPECT_EQ(run(arguments), 0) << err;
}

TEST_F(ToolTest, AnInterruptedSearchSaysHowToGoOn) {
  stop = true;
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--out", "r"}), 130);
  EXPECT_NE(out.find("go on with: kgen-search resume r"), std::string::npos);
  stop = false;
  EXPECT_EQ(run({"resume", "r"}), 0) << err;
}

TEST_F(ToolTest, BadInputIsOneSentence) {
  EXPECT_EQ(run({"--problem", "conv_relu_maxpol"}), 1);
  EXPECT_EQ(err, "kgen-search: unknown problem 'conv_relu_maxpol': expected a registered name, FILE.mlir or FILE.py; "
                 "did you mean conv_relu_maxpool?\n");
  EXPECT_EQ(run({"--problem", "missing.mlir"}), 1);
  EXPECT_EQ(err, "kgen-search: cannot read missing.mlir: No such file or directory\n");
  fs.files["bad.mlir"] = "garbage";
  EXPECT_EQ(run({"--problem", "bad.mlir", "--out", "r"}), 1);
  EXPECT_EQ(err, "kgen-search: bad.mlir: <graph>:1:1: error: expected operation name\n");
  EXPECT_FALSE(fs.exists("r"));
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--llm", "oracle"}), 1);
  EXPECT_EQ(err, "kgen-search: unknown proposer 'oracle', expected builtin, replay:RUN, openai:MODEL, "
                 "chat:MODEL, anthropic:MODEL, gemini:MODEL, exec:COMMAND or dir:FOLDER\n");
  EXPECT_EQ(run({"resume", "nowhere"}), 1);
  EXPECT_EQ(err, "kgen-search: nowhere is not a run folder: it has no run.json\n");
}

TEST_F(ToolTest, ALibrarySeedsTheNextSearch) {
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "2", "--out", "a"}), 0) << err;
  EXPECT_EQ(trajectory::Json::parse(fs.files["a/run.json"])["library"], "default"); // no path of this machine
  std::string best = fs.links["a/best"];
  // The next search begins with what the first one ended with, and its run replays on its own.
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "1", "--out", "b"}), 0) << err;
  EXPECT_EQ(fs.files["b/round-01/b00/kernel.cu"], fs.files["a/" + best + "/kernel.cu"]);
  EXPECT_NE(fs.files["b/round-01/b00/idea.md"].find("Known from an earlier search"), std::string::npos);
  EXPECT_NE(fs.files["b/round-01/b01/idea.md"].find("Known from an earlier search"), std::string::npos);
  EXPECT_EQ(fs.files["b/round-01/b02/idea.md"].find("Known from an earlier search"), std::string::npos);
  EXPECT_EQ(run({"replay", "b"}), 0) << err;
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "1", "--library", "none", "--out", "c"}), 0) << err;
  EXPECT_EQ(fs.files["c/round-01/b00/idea.md"].find("Known from an earlier search"), std::string::npos);
  // A damaged one is named before anything is measured.
  std::error_code ec;
  llvm::raw_fd_ostream(libraryPath, ec) << std::string(5000, 'x');
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "1", "--out", "d"}), 1);
  EXPECT_EQ(err, "kgen-search: the kernel library " + libraryPath +
                     " is damaged or something else; move it away, or go on by --library none\n");
}

TEST_F(ToolTest, ComparesPoliciesWithTheSameBudget) {
  const std::vector<std::string> compare = {"compare-policies", "--problem", "conv_relu_maxpool",
                                            "--branches",       "12",        "--policies",
                                            "branch,mcts",      "--out",     "p"};
  EXPECT_EQ(run(compare), 0) << err;
  EXPECT_NE(out.find("best at 3  best at 6  best at 9  best at 12"), std::string::npos) << out;
  EXPECT_NE(out.find("\n  mcts       1000.0 us"), std::string::npos) << out;
  EXPECT_NE(fs.files["p/comparison.html"].find("In which round each policy found its best kernel"), std::string::npos);
  // Round 0 was measured by the first search alone.
  auto ofRound0 = [&](const std::string &folder) {
    return trajectory::Json::parse(fs.files[folder + "/round-00/b00/measurement.json"])["samples"].dump();
  };
  EXPECT_EQ(ofRound0("p/conv_relu_maxpool/branch-0"), ofRound0("p/conv_relu_maxpool/mcts-0"));
  // Again: both are complete, so only the tables are printed.
  EXPECT_EQ(run(compare), 0);
  EXPECT_NE(out.find("p/conv_relu_maxpool/mcts-0 is complete"), std::string::npos) << out;
  EXPECT_EQ(run({"compare", "p/conv_relu_maxpool/branch-0", "p/conv_relu_maxpool/mcts-0", "--format", "json"}), 0);
  trajectory::Json json = trajectory::Json::parse(out);
  ASSERT_EQ(json["runs"].size(), 2u);
  for (const trajectory::Json &one : json["runs"]) {
    EXPECT_EQ(one["branches"], 13);
    EXPECT_EQ(one["curve"].back()["time_us"], one["best_us"]);
  }
  EXPECT_EQ(run({"compare", "p/conv_relu_maxpool/branch-0", "nowhere"}), 1);
  EXPECT_EQ(err, "kgen-search: nowhere is not a run folder: it has no run.json\n");
}

TEST_F(ToolTest, ComparesPoliciesOverProblemsAndSeeds) {
  fs.files["/kgen/problems/other.mlir"] = "module {}";
  EXPECT_EQ(run({"compare-policies", "--problem", "conv_relu_maxpool", "--problem", "other", "--repeats", "2",
                 "--branches", "6", "--policies", "branch,sequential", "--out", "p", "--format", "json"}),
            0)
      << err;
  trajectory::Json json = trajectory::Json::parse(fs.files["p/comparison.json"]);
  ASSERT_EQ(json["policies"].size(), 2u);
  EXPECT_EQ(json["runs"].size(), 8u);
  EXPECT_EQ(json["policies"][0]["runs"], 4);
  EXPECT_EQ(json["policies"][0]["found_in_round"].size(), 4u);
  EXPECT_TRUE(fs.exists("p/other/sequential-1/run.json"));
  EXPECT_EQ(trajectory::Json::parse(fs.files["p/other/sequential-1/run.json"])["seed"], 1);
}

TEST_F(ToolTest, ARunWhoseTimeIsUpSaysSo) {
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--max-minutes", "0.5", "--out", "r"}), 0) << err;
  fs.files["r/journal.jsonl"] =
      fs.files["r/journal.jsonl"].substr(0, fs.files["r/journal.jsonl"].rfind("{\"event\":\"stop\""));
  auto contents = trajectory::parseJournal(fs.files["r/journal.jsonl"], "j");
  ASSERT_TRUE(bool(contents));
  trajectory::Json stop = {{"event", "stop"}, {"reason", "time is up"}, {"seconds", 31.0}, {"time", 1000.0}};
  fs.files["r/journal.jsonl"] += trajectory::frameRecord(stop, contents->link);
  EXPECT_EQ(run({"resume", "r"}), 1);
  EXPECT_EQ(err, "kgen-search: r has taken 0.52 of its 0.5 minutes; give it more by --max-minutes\n");
  EXPECT_EQ(run({"resume", "r", "--max-minutes", "2"}), 0) << err;
}

TEST_F(ToolTest, AModelWithoutAPriceIsRefusedUnderALimitOfMoney) {
  fs.files["p.json"] = "{\"models\": {}}";
  ::setenv("OPENAI_API_KEY", "k", 1);
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--llm", "chat:m", "--allow-unconfined-compile", "--max-usd", "1",
                 "--prices", "p.json", "--out", "r"}),
            1);
  EXPECT_EQ(err, "kgen-search: chat:m has no price in p.json, so --max-usd cannot hold; add it there, or limit "
                 "--max-tokens\n");
  EXPECT_FALSE(fs.exists("r"));
  ::unsetenv("OPENAI_API_KEY");
}

TEST_F(ToolTest, NumbersRunFoldersAndRefusesATakenOne) {
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "0"}), 0) << err;
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "0"}), 0) << err;
  EXPECT_TRUE(fs.exists("runs/conv_relu_maxpool/run.json") && fs.exists("runs/conv_relu_maxpool-2/run.json"));
  EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--out", "runs/conv_relu_maxpool"}), 1);
  EXPECT_NE(err.find("already holds a run"), std::string::npos);
}

TEST_F(ToolTest, LargeProductsOfACardBeginByTiles) {
  auto isTiled = [&](const char *folder) {
    EXPECT_EQ(run({"--problem", "conv_relu_maxpool", "--rounds", "0", "--out", folder}), 0) << err;
    return fs.files[folder + std::string("/graph.mlir")].find("kgen.tiled_products") != std::string::npos;
  };
  EXPECT_FALSE(isTiled("host"));
  facts.name = "cuda:0";
  EXPECT_TRUE(isTiled("card"));
  EXPECT_EQ(run({"replay", "card"}), 0) << err;
  compiler.graphFacts.flops = 1e10;
  EXPECT_FALSE(isTiled("small"));
}

TEST(ProblemSource, SetsThePrecision) {
  EXPECT_EQ(withPrecision("module {\n}", "tf32"), "module attributes {kgen.precision = \"tf32\"} {\n}");
  EXPECT_EQ(withPrecision("module attributes {kgen.problem = \"p\"} {", "tf32"),
            "module attributes {kgen.precision = \"tf32\", kgen.problem = \"p\"} {");
  EXPECT_EQ(withPrecision("module attributes {kgen.precision = \"strict-fp32\"} {", "tf32"),
            "module attributes {kgen.precision = \"tf32\"} {");
  const std::string tiled = withTiledProducts("module attributes {kgen.problem = \"p\"} {\n}");
  EXPECT_EQ(tiled, "module attributes {kgen.tiled_products, kgen.problem = \"p\"} {\n}");
  EXPECT_EQ(withTiledProducts(tiled), tiled);
}

} // namespace
