//===- TableProgress.cpp - The live table ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/Progress.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Report/TerminalText.h"
#include "kgen/Trajectory/Clock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace llvm;

namespace kgen::report {
namespace {

std::string percent(double other, double mine) {
  if (other <= 0 || mine <= 0)
    return "-";
  std::string text;
  raw_string_ostream(text) << format("%.0f %%", 100 * other / mine);
  return text;
}

std::string times(double other, double mine) {
  if (other <= 0 || mine <= 0)
    return "-";
  std::string text;
  raw_string_ostream(text) << format("%.2fx", other / mine);
  return text;
}

/// "0:42", "12:05": how long something has been waited for.
std::string stopwatch(double seconds) {
  std::string text;
  int total = int(std::max(0.0, seconds));
  raw_string_ostream(text) << format("%d:%02d", total / 60, total % 60);
  return text;
}

Ink inkOf(StringRef verdict) {
  if (verdict == "PASS")
    return Ink::Good;
  // What never ran says nothing against the idea.
  if (verdict == "REJECT" || verdict == "BADREPLY" || verdict == "UNSUPPORTED")
    return Ink::Doubtful;
  return Ink::Bad;
}

class TableProgress : public Progress {
public:
  TableProgress(raw_ostream &os, trajectory::Clock &clock, const TableOptions &given)
      : os(os), clock(clock), options(given), begin(clock.seconds()) {
    options.columns = std::max(options.columns, 50);
    if (options.live)
      ticker = std::thread([this] { tick(); });
  }

  ~TableProgress() override { stopTicker(); }

  void note(StringRef line) override {
    std::lock_guard<std::mutex> guard(mutex);
    clearStatus();
    std::string words = candidate::printable(line);
    if (options.live)
      for (const std::string &part : wrapLines(words, options.columns))
        os << part << "\n";
    else
      os << words << "\n";
    os.flush();
  }

  void beginRound(int round, int rounds, int branches) override {
    std::lock_guard<std::mutex> guard(mutex);
    clearStatus();
    if (round > 0)
      os << paint("round " + std::to_string(round) + " of " + std::to_string(rounds) + ": " + std::to_string(branches) +
                      (branches == 1 ? " branch planned" : " branches planned"),
                  Ink::Strong, options.colour)
         << "\n";
    os.flush();
    current = round;
    total = rounds;
    inRound = branches;
    doneInRound = 0;
    lastIdea.clear();
    drawStatus();
  }

  void moreBranches(int count) override {
    std::lock_guard<std::mutex> guard(mutex);
    inRound += count;
    drawStatus();
  }

  void activity(StringRef what) override {
    std::lock_guard<std::mutex> guard(mutex);
    doing = candidate::onOneLine(what);
    doingSince = clock.seconds();
    drawStatus();
  }

  void waiting(const propose::ModelWait *wait) override {
    std::lock_guard<std::mutex> guard(mutex);
    if (!wait) {
      asked.reset();
      drawStatus();
      return;
    }
    // A further try is still the same wait.
    if (!asked || (wait->reason.empty() && wait->answerFile.empty()))
      askedSince = clock.seconds();
    pausedUntil = clock.seconds() + wait->pauseSeconds;
    asked = *wait;
    // Where no line is redrawn, only what somebody has to know or do.
    if (!options.live && (!wait->answerFile.empty() || wait->pauseSeconds > 0)) {
      os << describeWait() << "\n";
      os.flush();
    }
    drawStatus();
  }

  void branchDone(const BranchNews &news, int branchesLeft) override {
    std::lock_guard<std::mutex> guard(mutex);
    clearStatus();
    ++done;
    ++doneInRound;
    left = branchesLeft;
    printHead(news);
    printIdea(news);
    printRow(news);
    os.flush();
    drawStatus();
  }

  void finished() override {
    stopTicker();
    std::lock_guard<std::mutex> guard(mutex);
    clearStatus();
    os.flush();
  }

private:
  /// Once, with the columns that this run has something for.
  void printHead(const BranchNews &news) {
    if (headPrinted)
      return;
    headPrinted = true;
    hasEager = news.eagerUs > 0;
    hasFloor = news.floorUs > 0;
    std::string head = padRight("branch", 14) + padRight("verdict", 9) + padLeft("time", 10) + padLeft("round 0", 9);
    if (hasEager)
      head += padLeft("% eager", 9);
    if (hasFloor)
      head += padLeft("% floor", 9);
    os << paint(head + (options.live ? "   settings" : "   idea; settings"), Ink::Faint, options.colour) << "\n";
  }

  /// On a terminal the idea stands once above the rows that carry it out.
  void printIdea(const BranchNews &news) {
    std::string idea = candidate::onOneLine(news.idea);
    if (!options.live || idea == lastIdea || idea.empty())
      return;
    lastIdea = idea;
    StringRef start = "idea: ";
    for (const std::string &line : wrapLines(idea, options.columns - int(start.size()), /*most=*/2)) {
      os << paint((start + line).str(), Ink::Strong, options.colour) << "\n";
      start = "      ";
    }
  }

  void printRow(const BranchNews &news) {
    // The verdict is padded before it is painted: escape sequences take no columns.
    std::string id = padRight(news.id, 14), verdict = padRight(news.verdict, 9);
    if (news.verdict.size() >= 9)
      verdict = news.verdict + " ";
    bool passed = news.timeUs > 0;
    std::string numbers;
    if (passed) {
      numbers = padLeft(printTime(news.timeUs), 10) + padLeft(times(news.genericUs, news.timeUs), 9);
      if (hasEager)
        numbers += padLeft(percent(news.eagerUs, news.timeUs), 9);
      if (hasFloor)
        numbers += padLeft(percent(news.floorUs, news.timeUs), 9);
      numbers += news.isBest ? " * " : "   ";
    }
    os << id << paint(verdict, inkOf(news.verdict), options.colour)
       << paint(numbers, news.isBest ? Ink::Strong : Ink::Plain, options.colour);
    std::string settings = candidate::onOneLine(news.settings);
    // Why there is no time: nobody should have to open a file for it.
    std::string why = passed || !news.sameAs.empty() ? "" : candidate::onOneLine(news.detail);
    if (!options.live) {
      // In a file a branch is one line with everything, so that it can be searched for.
      std::string words = news.idea + (settings.empty() ? "" : "; " + settings);
      if (std::string reason = news.sameAs.empty() ? why : "the same kernel as " + news.sameAs; !reason.empty())
        words = reason + " <- " + words;
      os << clipLine(words, 600) << "\n";
      return;
    }
    if (!news.sameAs.empty())
      settings = "= " + news.sameAs + (settings.empty() ? "" : "; " + settings);
    printWords(settings, columnsOf(id) + columnsOf(verdict) + columnsOf(numbers), /*most=*/2, Ink::Plain);
    if (!why.empty()) {
      os.indent(wordIndent);
      printWords(why, wordIndent, /*most=*/3, inkOf(news.verdict));
    }
  }

  /// WORDS behind USED columns of the line when they fit there, else below it.
  void printWords(const std::string &words, int used, size_t most, Ink ink) {
    if (columnsOf(words) <= options.columns - used) {
      os << paint(words, ink, options.colour) << "\n";
      return;
    }
    bool here = used <= wordIndent;
    for (const std::string &line : wrapLines(words, options.columns - wordIndent, most)) {
      if (!here) {
        os << "\n";
        os.indent(wordIndent);
      }
      here = false;
      os << paint(line, ink, options.colour);
    }
    os << "\n";
  }

  std::string describeWait() {
    const propose::ModelWait &wait = *asked;
    double now = clock.seconds();
    std::string model = candidate::onOneLine(wait.model), since = stopwatch(now - askedSince);
    if (!wait.answerFile.empty())
      return "waiting " + (options.live ? since + " " : std::string()) + "for " +
             candidate::onOneLine(wait.answerFile) + " (or .json, .txt); the question is beside it";
    std::string text = "asking " + model;
    if (options.live)
      text += " " + since;
    if (wait.reason.empty())
      return text;
    text += ": " + candidate::onOneLine(wait.reason) + ", try " + std::to_string(wait.attempt + 1);
    return pausedUntil > now ? text + " in " + printDuration(pausedUntil - now) : text;
  }

  /// Seconds that the search may still take; negative while nothing is known.
  double estimate() {
    double limit = options.secondsLeft > 0 ? std::max(0.0, options.secondsLeft - (clock.seconds() - begin)) : -1;
    // Round 0 pays for starting everything, so the estimate waits for a second branch.
    if (done < 2 || left < 0)
      return limit;
    double rest = (clock.seconds() - begin) / done * left;
    return limit >= 0 ? std::min(limit, rest) : rest;
  }

  void clearStatus() {
    if (options.live && statusShown)
      os << "\r\033[K";
    statusShown = false;
  }

  void drawStatus() {
    if (!options.live || ended)
      return;
    std::string line;
    if (total > 0 || current > 0)
      line = "round " + std::to_string(current) + "/" + std::to_string(total);
    // Of this round alone: how many branches the later ones have is only guessed at.
    if (inRound > 1)
      line += " " + std::to_string(doneInRound) + "/" + std::to_string(std::max(inRound, doneInRound));
    constexpr int width = 12;
    double spent = clock.seconds() - begin, rest = estimate();
    if (rest >= 0 && spent + rest > 0)
      share = std::max(share, std::min(1.0, spent / (spent + rest)));
    if (done > 1)
      line += " [" + std::string(int(share * width), '#') + std::string(width - int(share * width), '.') + "]";
    if (rest >= 0 && done > 1)
      line += " " + std::string(left > 0 ? "at most " : "") + printDuration(rest) + " left";
    std::string now = asked ? describeWait() : doing;
    if (!asked && !doing.empty() && clock.seconds() - doingSince >= 2)
      now += " " + stopwatch(clock.seconds() - doingSince);
    if (!now.empty())
      line += (line.empty() ? "" : ", ") + now;
    os << "\r\033[K" << paint(clipLine(line, options.columns - 1), Ink::Faint, options.colour);
    os.flush();
    statusShown = true;
  }

  void tick() {
    std::unique_lock<std::mutex> guard(mutex);
    while (!wake.wait_for(guard, std::chrono::seconds(1), [this] { return ended; }))
      if (statusShown)
        drawStatus();
  }

  void stopTicker() {
    {
      std::lock_guard<std::mutex> guard(mutex);
      ended = true;
    }
    wake.notify_all();
    if (ticker.joinable())
      ticker.join();
  }

  static constexpr int wordIndent = 14; ///< under the verdict

  raw_ostream &os;
  trajectory::Clock &clock;
  TableOptions options;
  double begin;
  std::mutex mutex; ///< of everything below, and of OS
  std::condition_variable wake;
  std::thread ticker;
  bool ended = false, statusShown = false, headPrinted = false, hasEager = false, hasFloor = false;
  int current = 0, total = 0, inRound = 0, doneInRound = 0, done = 0, left = -1;
  double share = 0; ///< of the bar: it never goes back
  std::string lastIdea, doing;
  double doingSince = 0, askedSince = 0, pausedUntil = 0;
  std::optional<propose::ModelWait> asked;
};

class SilentProgress : public Progress {
public:
  void note(StringRef) override {}
  void beginRound(int, int, int) override {}
  void moreBranches(int) override {}
  void activity(StringRef) override {}
  void waiting(const propose::ModelWait *) override {}
  void branchDone(const BranchNews &, int) override {}
  void finished() override {}
};

} // namespace

std::unique_ptr<Progress> createTableProgress(raw_ostream &os, trajectory::Clock &clock, const TableOptions &options) {
  return std::make_unique<TableProgress>(os, clock, options);
}

std::unique_ptr<Progress> createSilentProgress() { return std::make_unique<SilentProgress>(); }

} // namespace kgen::report
