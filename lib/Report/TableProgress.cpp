//===- TableProgress.cpp - The live table ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/Progress.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Trajectory/Clock.h"

#include "llvm/Support/Format.h"

#include <algorithm>

using namespace llvm;

namespace kgen::report {
namespace {

/// TEXT on one line, without control characters: a model's words must not move the cursor.
std::string flatten(StringRef text, size_t width) {
  std::string line = candidate::onOneLine(text);
  if (line.size() > width) {
    line.resize(width > 3 ? width - 3 : 0);
    // Not in the middle of a UTF-8 sequence.
    while (!line.empty() && ((unsigned char)line.back() & 0xC0) == 0x80)
      line.pop_back();
    if (!line.empty() && ((unsigned char)line.back() & 0xC0) == 0xC0)
      line.pop_back();
    line += "...";
  }
  return line;
}

std::string percent(double other, double mine) {
  if (other <= 0 || mine <= 0)
    return "-";
  std::string text;
  raw_string_ostream(text) << format("%.0f %%", 100 * other / mine);
  return text;
}

std::string duration(double seconds) {
  int total = int(seconds + 0.5);
  std::string text;
  raw_string_ostream os(text);
  if (total >= 60)
    os << total / 60 << " min ";
  os << total % 60 << " s";
  return text;
}

class TableProgress : public Progress {
public:
  TableProgress(raw_ostream &os, trajectory::Clock &clock, bool live, int columns)
      : os(os), clock(clock), live(live), columns(std::max(columns, 60)) {}

  void note(StringRef line) override {
    clearStatus();
    os << candidate::printable(line) << "\n";
    os.flush();
  }

  void beginRound(int round, int rounds, int branches) override {
    clearStatus();
    if (round == 0)
      os << format("%-14s %-8s %12s %9s %8s %8s  %s\n", "branch", "verdict", "time", "% round 0", "% eager", "% floor",
                   "idea; settings");
    if (start < 0)
      start = clock.seconds();
    current = round;
    total = rounds;
    if (round > 0)
      os << "round " << round << " of " << rounds << ": " << branches << (branches == 1 ? " branch\n" : " branches\n");
    os.flush();
    drawStatus();
  }

  void activity(StringRef what) override {
    doing = what.str();
    drawStatus();
  }

  void branchDone(const BranchNews &news, int branchesLeft) override {
    clearStatus();
    ++done;
    left = branchesLeft;
    os << format("%-14s %-8s %12s %9s %8s %8s  ", news.id.c_str(), news.verdict.c_str(), printTime(news.timeUs).c_str(),
                 percent(news.genericUs, news.timeUs).c_str(), percent(news.eagerUs, news.timeUs).c_str(),
                 percent(news.floorUs, news.timeUs).c_str());
    // What follows the numbers may wrap once in a file, never on a terminal.
    std::string words = news.settings.empty() ? news.idea : news.idea + "; " + news.settings;
    if (!news.sameAs.empty())
      words = "the same kernel as " + news.sameAs + " <- " + words;
    else if (news.timeUs == 0 && !news.detail.empty())
      words = news.detail + " <- " + words;
    constexpr int fixed = 66;
    os << (news.isBest ? "* " : "  ") << flatten(words, live ? std::max(20, columns - fixed) : 240) << "\n";
    os.flush();
    drawStatus();
  }

  void finished() override {
    clearStatus();
    os.flush();
  }

private:
  void clearStatus() {
    if (live && statusShown)
      os << "\r\033[K";
    statusShown = false;
  }

  void drawStatus() {
    if (!live)
      return;
    std::string line = "round " + std::to_string(current) + "/" + std::to_string(total);
    if (done > 0 && left >= 0) {
      int all = done + left;
      constexpr int width = 20;
      int filled = all > 0 ? width * done / all : width;
      line += " [" + std::string(filled, '#') + std::string(width - filled, '.') + "] " + std::to_string(done) + "/" +
              std::to_string(all);
      // Round 0 pays for starting everything, so the estimate waits for a second branch.
      if (done > 1)
        line += ", about " + duration((clock.seconds() - start) / done * left) + " left";
    }
    if (!doing.empty())
      line += ", " + doing;
    os << "\r\033[K" << flatten(line, columns - 1);
    os.flush();
    statusShown = true;
  }

  raw_ostream &os;
  trajectory::Clock &clock;
  bool live;
  int columns;
  bool statusShown = false;
  int current = 0, total = 0, done = 0, left = -1;
  double start = -1;
  std::string doing;
};

class SilentProgress : public Progress {
public:
  void note(StringRef) override {}
  void beginRound(int, int, int) override {}
  void activity(StringRef) override {}
  void branchDone(const BranchNews &, int) override {}
  void finished() override {}
};

} // namespace

std::unique_ptr<Progress> createTableProgress(raw_ostream &os, trajectory::Clock &clock, bool live, int columns) {
  return std::make_unique<TableProgress>(os, clock, live, columns);
}

std::unique_ptr<Progress> createSilentProgress() { return std::make_unique<SilentProgress>(); }

} // namespace kgen::report
