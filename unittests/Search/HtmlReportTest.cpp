//===- HtmlReportTest.cpp - The page of a run, whatever its words are --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/HtmlReport.h"
#include "World.h"
#include "kgen/Candidate/UntrustedText.h"

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::StringRef;

namespace {

constexpr StringRef hostile =
    "</td></table><script>alert(1)</script><img src=x onerror='alert(2)'>\" & \xff\x1b[31m\nforged";

/// The builtin proposer's answers in hostile words, carried out by CUDA-C that no plan fits.
class HostileProposer : public propose::Proposer {
public:
  std::unique_ptr<propose::Proposer> inner = propose::createBuiltinProposer();
  llvm::Expected<std::vector<propose::Idea>> proposeIdeas(const propose::ProposalContext &context, int n) override {
    auto ideas = inner->proposeIdeas(context, n);
    if (ideas)
      for (propose::Idea &idea : *ideas)
        idea.text = hostile.str() + idea.text;
    return ideas;
  }
  llvm::Expected<std::vector<propose::Materialization>> materialize(const propose::ProposalContext &context,
                                                                    const propose::Idea &idea, int n) override {
    auto options = inner->materialize(context, idea, n);
    if (options)
      for (propose::Materialization &option : *options) {
        option.label = hostile.str() + option.label;
        option.cuda = "// </code></pre><script>alert(4)</script>\n// " + option.directives;
        option.plan = "{}";
        option.directives.clear();
      }
    return options;
  }
};

/// The first thing that is wrong with the nesting of PAGE's elements; "" when nothing is.
std::string findBadNesting(StringRef page) {
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != StringRef::npos; at = page.find('<', at + 1)) {
    StringRef tag = page.substr(at + 1);
    size_t end = 0;
    for (bool quoted = false; end < tag.size() && (quoted || tag[end] != '>'); ++end)
      quoted ^= tag[end] == '"';
    tag = tag.take_front(end);
    if (tag.starts_with("!doctype") || tag.starts_with("meta") || tag.starts_with("br") || tag.ends_with("/"))
      continue;
    if (tag.consume_front("/")) {
      if (open.empty() || open.back() != tag)
        return "</" + tag.str() + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else {
      open.push_back(tag.take_while([](char c) { return llvm::isAlnum(c); }).str());
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

TEST(HtmlReport, SaysWhatTheRunFound) {
  World world;
  world.config.device = "cuda:0";
  world.config.pytorch = "problem.py";
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  report::RunReport report = report::summarizeRun(*run);
  std::string page = report::printReportHtml(report, *run);
  EXPECT_EQ(findBadNesting(page), "");
  for (const trajectory::BranchRecord &branch : run->getBranches())
    EXPECT_NE(page.find("id=\"" + branch.id + "\""), std::string::npos) << branch.id;
  // The curve: a step down for each point after the first, PyTorch and the floor as levels.
  size_t path = page.find("class=\"so-far\"");
  ASSERT_NE(path, std::string::npos);
  StringRef line = StringRef(page).substr(path).split('>').first;
  EXPECT_EQ(line.count('V'), report.curve.size() - 1);
  EXPECT_NE(page.find(">PyTorch eager 500.0 µs<"), std::string::npos);
  EXPECT_NE(page.find(">floor 50.00 µs<"), std::string::npos);
  EXPECT_NE(page.find("found its best in round " + std::to_string(report.best.round)), std::string::npos);
  // The best kernel's text, and its time over PyTorch's.
  EXPECT_NE(page.find(*run->readFile(report.best.id, "kernel.cu")), std::string::npos);
  EXPECT_NE(page.find("of PyTorch eager"), std::string::npos);
  EXPECT_NE(page.find("<th>search seed</th><td>7</td>"), std::string::npos);
}

TEST(HtmlReport, EscapesEveryWord) {
  World world;
  world.proposer = std::make_unique<HostileProposer>();
  world.compiler.genericPlan = "{\"</code></pre><script>alert(3)</script>\": 1}\n";
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  std::string page = report::printReportHtml(report::summarizeRun(*run), *run);
  EXPECT_EQ(findBadNesting(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(3)"), std::string::npos); // in the best branch's plan
  EXPECT_NE(page.find("content=\"default-src 'none'; style-src 'unsafe-inline'\""), std::string::npos);
}

TEST(HtmlReport, TextAndMarkdownAreNoLessCareful) {
  World world;
  world.proposer = std::make_unique<HostileProposer>();
  ASSERT_FALSE(bool(world.search()));
  report::RunReport report = report::summarizeRun(*world.read());
  // Had one of these been fast.
  report.best.idea = report.best.settings = report.rows.back().idea = candidate::onOneLine(hostile);
  std::string markdown = report::printReportMarkdown(report);
  EXPECT_EQ(markdown.find("<script"), std::string::npos);
  EXPECT_EQ((markdown + report::printReportText(report, 100)).find('\x1b'), std::string::npos);
  EXPECT_EQ(report::printReportText(report, 100).find("\nforged"), std::string::npos);
}

TEST(HtmlReport, TextAndMarkdownSayWhatTheSanitizerSaid) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  report::RunReport report = report::summarizeRun(*world.read());
  ASSERT_FALSE(report.best.id.empty());
  EXPECT_EQ(report::printReportText(report, 100).find("compute-sanitizer"), std::string::npos);
  report.bestSanitizer = "not run: <why>";
  EXPECT_NE(report::printReportText(report, 100).find("checked:  compute-sanitizer: not run: <why>"),
            std::string::npos);
  EXPECT_NE(report::printReportMarkdown(report).find("compute-sanitizer: not run: &lt;why"), std::string::npos);
}

TEST(HtmlReport, SaysSoWhenNothingPassed) {
  World world;
  world.evaluator.genericVerdict = candidate::Verdict::Wrong;
  llvm::consumeError(world.search());
  auto run = world.read();
  std::string page = report::printReportHtml(report::summarizeRun(*run), *run);
  EXPECT_EQ(findBadNesting(page), "");
  EXPECT_NE(page.find("Nothing passed"), std::string::npos);
}

} // namespace
