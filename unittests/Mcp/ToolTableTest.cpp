//===- ToolTableTest.cpp - What the table promises -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Mcp/Handlers.h"
#include "../Search/Fakes.h"
#include "kgen/Mcp/Tools.h"

#include "gtest/gtest.h"

#include <set>

using namespace kgen;
using namespace kgen::mcp;
using llvm::toString;

namespace {

struct NoCall : Call {
  std::atomic<bool> stop{false};
  const std::atomic<bool> &cancelled() const override { return stop; }
  void progress(double, double, llvm::StringRef) override {}
};

/// A workspace among fakes.
struct Bench {
  test::MemoryFileSystem fs;
  test::FakeClock clock;
  test::FakeCompiler compiler;
  Workspace workspace{{fs, clock, compiler,
                       [this](const std::string &, const std::atomic<bool> &)
                           -> llvm::Expected<std::unique_ptr<search::CandidateEvaluator>> {
                         return std::make_unique<test::FakeEvaluator>(fs);
                       }},
                      options()};
  std::vector<Tool> tools = makeTools(workspace);

  static WorkspaceOptions options() {
    WorkspaceOptions options;
    options.root = "root";
    options.runs = "runs";
    options.maxMinutes = 5;
    options.maxSittings = 1;
    return options;
  }
  llvm::Expected<Json> call(const std::string &name, const Json &arguments) {
    NoCall nobody;
    for (const Tool &tool : tools)
      if (tool.name == name) {
        if (std::string fault = tool.input.findFault(arguments, name); !fault.empty())
          return llvm::createStringError(fault);
        return tool.run(arguments, nobody);
      }
    return llvm::createStringError("no tool");
  }
  std::string faultOf(const std::string &name, const Json &arguments) {
    auto answer = call(name, arguments);
    return answer ? "" : toString(answer.takeError());
  }
};

void checkDescriptions(const Shape &shape, const std::string &where) {
  for (const Field &field : shape.fields) {
    EXPECT_FALSE(field.description.empty()) << where << "." << field.name;
    EXPECT_NE(field.description.back(), '.') << where << "." << field.name;
    checkDescriptions(field.shape, where + "." + field.name);
  }
  for (const Shape &item : shape.item)
    checkDescriptions(item, where + "[]");
}

TEST(ToolTable, IsWellFormed) {
  Bench bench;
  std::set<std::string> names;
  for (const Tool &tool : bench.tools) {
    EXPECT_TRUE(names.insert(tool.name).second) << tool.name;
    EXPECT_EQ(tool.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << tool.name;
    EXPECT_FALSE(tool.title.empty() || tool.description.empty()) << tool.name;
    EXPECT_EQ(tool.description.back(), '.') << tool.name;
    checkDescriptions(tool.input, tool.name);
    checkDescriptions(tool.output, tool.name);
    // A text of a client has a limit, wherever it stands.
    for (const Field &field : tool.input.fields)
      EXPECT_TRUE(field.shape.kind != Shape::Text || field.shape.most > 0) << tool.name << "." << field.name;
  }
  std::string page = printToolReference(bench.tools);
  for (const std::string &name : names)
    EXPECT_NE(page.find("### " + name + "\n"), std::string::npos);
}

TEST(Workspace, KeepsClientsToItsFolders) {
  Bench bench;
  for (const char *run : {"..", "../x", ".", "a/b", "/etc", "", "-x", ".hidden"})
    EXPECT_NE(bench.faultOf("read_report", {{"run", run}}), "") << run;
  EXPECT_EQ(bench.faultOf("read_report", {{"run", "nobody"}}),
            "there is no run 'nobody'; list_runs names those that are there");
  for (const char *problem : {"../x", "/etc/passwd", "a/b"})
    EXPECT_NE(bench.faultOf("describe_problem", {{"problem", problem}}).find("is no registered name"),
              std::string::npos);
  for (const char *problem : {"/etc/x.py", "../x.mlir"})
    EXPECT_NE(bench.faultOf("describe_problem", {{"problem", problem}}), "") << problem;
}

TEST(Workspace, GivesEachNewRunANameOfItsOwn) {
  Bench bench;
  auto name = [&](llvm::StringRef wanted, llvm::StringRef problem) {
    auto taken = bench.workspace.takeName(wanted, problem);
    return taken ? *taken : "error: " + toString(taken.takeError());
  };
  EXPECT_EQ(name("", "softmax"), "softmax");
  EXPECT_EQ(name("", "softmax"), "softmax-2");
  EXPECT_EQ(name("", "/a/b/My Net!.py"), "My_Net_");
  EXPECT_EQ(name("", "/a/-x.py"), "run-x");
  EXPECT_EQ(name("mine", "softmax"), "mine");
  EXPECT_EQ(name("mine", "softmax"), "error: there is a run 'mine' already; choose another name, or work on that one");
  bench.workspace.releaseName("mine");
  EXPECT_EQ(name("mine", "softmax"), "mine");
}

TEST(DeviceTurns, AreInTheOrderOfComing) {
  DeviceTurns turns;
  std::atomic<bool> never{false}, stopped{true};
  int a = 0, b = 0, c = 0;
  ASSERT_TRUE(turns.begin(&a, "cuda:0", never));
  ASSERT_TRUE(turns.begin(&a, "cuda:0", never)); // its own do not hinder it
  ASSERT_TRUE(turns.begin(&b, "cuda:1", never)); // another device
  EXPECT_FALSE(turns.begin(&c, "cuda:1", stopped));
  EXPECT_FALSE(turns.begin(&c, DeviceTurns::all, stopped));
  std::atomic<int> place{0};
  int placeOfAll = 0, placeOfA = 0;
  std::thread all([&] {
    EXPECT_TRUE(turns.begin(&c, DeviceTurns::all, never));
    placeOfAll = ++place;
    turns.end(&c);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200)); // it waits
  std::thread again([&] {
    EXPECT_TRUE(turns.begin(&a, "cuda:0", never)); // came later, although the device would be its own
    placeOfA = ++place;
    turns.end(&a);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(place, 0);
  turns.end(&b);
  turns.end(&a);
  turns.end(&a);
  all.join();
  again.join();
  EXPECT_EQ(placeOfAll, 1);
  EXPECT_EQ(placeOfA, 2);
}

TEST(Tools, SpeakOfArgumentsNotOfOptions) {
  EXPECT_EQ(spellForClients("give it more by --max-minutes", {"run", "max_minutes"}), "give it more by max_minutes");
  EXPECT_EQ(spellForClients("--family is 'gem'", {"family"}), "family is 'gem'");
  EXPECT_EQ(spellForClients("ask a model by --llm", {"run"}), "ask a model by the server's --llm");
  // Of no tool, or inside other words: as it is.
  for (const char *text : {"a -- b", "try nvcc --family-values", "x--family", "--", "ends in --runs"})
    EXPECT_EQ(spellForClients(text, {"family", "run"}), text);
}

TEST(Tools, NeedOneKindOfProposal) {
  Bench bench;
  EXPECT_EQ(bench.faultOf("start_search", Json::object()),
            "start_search takes a problem for a new run or a run to go on with, one of them");
  EXPECT_EQ(bench.faultOf("start_search", {{"run", "a"}, {"rounds", 2}}),
            "there is no run 'a'; list_runs names those that are there");
  EXPECT_EQ(bench.faultOf("describe_problem", {{"problem", "softmax"}, {"card", "Abacus"}}),
            "card is 'Abacus', whose rates kgen does not know");
}

TEST(ToolTableTest, ProgressGrowsAndNeverSaysMoreThanIsDone) {
  double last = -1;
  for (int done = 0; done < 5; ++done)
    for (int steps = 0; steps < 50; ++steps) {
      double told = toldProgress(done, steps);
      EXPECT_GT(told, last) << done << " done, step " << steps;
      EXPECT_LE(told, done ? done : 0.5);
      last = told;
    }
}

} // namespace
