//===- TortureTest.cpp - Runs that are killed, and disks that fail --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search with fakes for compiler and device gives the same bytes each time,
// so what a run is after any number of crashes can be compared with a run that
// nobody disturbed. KGEN_TORTURE_KILLS sets how often a process is killed.
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "kgen/Search/Search.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <csignal>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;
namespace sysfs = llvm::sys::fs;

namespace {

/// Starts the run in FOLDER, or goes on with it. EVALUATED counts measurements.
llvm::Error searchIn(trajectory::FileSystem &fs, const std::string &folder, int *evaluated = nullptr,
                     useconds_t pause = 0) {
  FakeClock clock;
  FakeCompiler compiler;
  std::unique_ptr<propose::Proposer> proposer = propose::createBuiltinProposer();
  FakeEvaluator evaluator(fs);
  if (pause)
    evaluator.beforeEvaluate = [&](int) { ::usleep(pause); };
  auto progress = report::createSilentProgress();
  std::atomic<bool> stop{false};
  SearchConfig config;
  config.problem = "conv_relu_maxpool";
  config.precision = "tf32";
  config.options = {2, 2, 3, 2};
  config.seed = 7;
  auto run = fs.exists(folder + "/run.json")
                 ? trajectory::RunFolder::open(fs, clock, folder)
                 : trajectory::RunFolder::create(fs, clock, folder, config.toJson(), "graph");
  if (!run)
    return run.takeError();
  if (llvm::Error error = (*run)->verifyFiles())
    return error;
  llvm::Error error = runSearch({fs, clock, compiler, *proposer, evaluator, *progress, stop}, **run, config);
  if (evaluated)
    *evaluated += evaluator.evaluated;
  return error;
}

/// Every byte that a trajectory consists of. Left out: the lock, and of the journal what tells of sittings (times,
/// stops) or was said twice.
std::string bytesOf(trajectory::FileSystem &fs, const std::string &folder) {
  std::string all;
  auto add = [&](const std::string &file) { all += file + ": " + llvm::cantFail(fs.read(folder + "/" + file)) + "\n"; };
  for (const std::string &name : fs.list(folder)) {
    if (llvm::StringRef(name).starts_with("round-")) {
      for (const std::string &branch : fs.list(folder + "/" + name))
        for (const std::string &file : fs.list(folder + "/" + name + "/" + branch))
          add(name + "/" + branch + "/" + file);
    } else if (name == "replies") {
      for (const std::string &file : fs.list(folder + "/replies"))
        add("replies/" + file);
    } else if (name != "lock" && name != "journal.jsonl" && name != "best") {
      add(name);
    }
  }
  auto contents =
      llvm::cantFail(trajectory::parseJournal(llvm::cantFail(fs.read(folder + "/journal.jsonl")), "journal"));
  EXPECT_FALSE(contents.torn);
  std::vector<std::string> seen;
  for (trajectory::Json record : contents.records) {
    for (const char *key : {"time", "seconds"})
      record.erase(key);
    std::string event = record.value("event", ""), text = record.dump();
    if (event == "stop" || event == "best" || llvm::is_contained(seen, text))
      continue;
    seen.push_back(text);
    all += text + "\n";
  }
  FakeClock clock;
  auto run = trajectory::RunFolder::openForReading(fs, clock, folder);
  EXPECT_TRUE(bool(run));
  return run ? all + "best " + (*run)->getBest().str() : all;
}

bool wholeTorture() { return ::getenv("KGEN_TORTURE_KILLS") != nullptr; }

struct Folder {
  llvm::SmallString<128> path;
  Folder() { sysfs::createUniqueDirectory("kgen-torture", path); }
  ~Folder() { sysfs::remove_directories(path); }
  std::string operator/(const std::string &name) const { return path.str().str() + "/" + name; }
};

} // namespace

TEST(Torture, AFailingWriteAtEveryWrite) {
  MemoryFileSystem whole;
  int measured = 0;
  ASSERT_FALSE(bool(searchIn(whole, "run", &measured)));
  std::string expected = bytesOf(whole, "run");
  ASSERT_GT(whole.writes, 50);
  for (auto fault : {MemoryFileSystem::Clean, MemoryFileSystem::Short, MemoryFileSystem::Late})
    // In short: each write fails in one of the ways; in full, in each.
    for (int at = wholeTorture() ? 1 : 1 + int(fault); at <= whole.writes; at += wholeTorture() ? 1 : 3) {
      MemoryFileSystem fs;
      fs.fault = fault;
      fs.failAt = at;
      int evaluated = 0;
      llvm::Error error = searchIn(fs, "run", &evaluated);
      if (error) {
        std::string message = toString(std::move(error));
        ASSERT_EQ(message.rfind("cannot write run", 0), 0u) << message;
      } else {
        // The link to the best branch, or the last word of a run that is done.
        ASSERT_GE(at, whole.writes - 2) << at;
      }
      fs.failAt = -1;
      error = searchIn(fs, "run", &evaluated);
      ASSERT_FALSE(bool(error)) << at << " " << int(fault) << ": " << toString(std::move(error));
      ASSERT_EQ(bytesOf(fs, "run"), expected) << at << " " << int(fault);
      ASSERT_LE(evaluated, measured + 1) << at;
    }
}

TEST(Torture, ARealDiskThatIsFull) {
  Folder folder;
  auto fs = trajectory::createRealFileSystem();
  ASSERT_FALSE(bool(searchIn(*fs, folder / "whole")));
  std::string expected = bytesOf(*fs, folder / "whole");
  uint64_t length = llvm::cantFail(fs->read(folder / "whole/journal.jsonl")).size();
  for (int part = 1; part <= 12; part += wholeTorture() ? 1 : 4) {
    // Writes beyond the limit are short, then fail: the journal ends at a byte of our choice.
    std::string run = folder / ("run-" + std::to_string(part));
    pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      rlimit limit = {length * part / 13 + part, length * part / 13 + part};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      llvm::Error error = searchIn(*fs, run);
      ::_exit(error && toString(std::move(error)).find("File too large") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << part;
    llvm::Error error = searchIn(*fs, run);
    ASSERT_FALSE(bool(error)) << part << ": " << toString(std::move(error));
    ASSERT_EQ(bytesOf(*fs, run), expected) << part;
  }
}

TEST(Torture, KilledAtRandomPoints) {
  const char *asked = ::getenv("KGEN_TORTURE_KILLS");
  int wanted = asked ? std::atoi(asked) : 25, kills = 0, runs = 0, worst = 0;
  Folder folder;
  auto fs = trajectory::createRealFileSystem();
  int measured = 0;
  ASSERT_FALSE(bool(searchIn(*fs, folder / "whole", &measured)));
  std::string expected = bytesOf(*fs, folder / "whole");
  std::mt19937 random(std::random_device{}());
  while (kills < wanted) {
    std::string run = folder / ("run-" + std::to_string(++runs));
    int killsHere = 0;
    // From crashes during the first steps to runs that nearly end.
    const useconds_t window = 1000 * (runs % 4 == 0 ? 10 : runs % 4 == 1 ? 60 : runs % 4 == 2 ? 150 : 300);
    for (bool done = false; !done;) {
      pid_t child = ::fork();
      if (child == 0) {
        llvm::Error error = searchIn(*fs, run, nullptr, 1000);
        ::_exit(error ? (llvm::errs() << toString(std::move(error)) << "\n", 1) : 0);
      }
      if (kills + killsHere < wanted)
        ::usleep(useconds_t(random() % window));
      else
        done = true; // the last one may end
      if (!done)
        ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFSIGNALED(status)) {
        ++killsHere;
        continue;
      }
      ASSERT_EQ(WEXITSTATUS(status), 0) << "run " << runs << " after " << killsHere << " kills";
      done = true;
    }
    kills += killsHere;
    ASSERT_EQ(bytesOf(*fs, run), expected) << "run " << runs << " after " << killsHere << " kills";
    // Each kill costs at most the branch in flight, so nothing is measured again after the first resume but that.
    worst = std::max(worst, killsHere);
    for (const std::string &name : fs->list(run))
      EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
  }
  llvm::outs() << kills << " kills in " << runs << " runs, up to " << worst << " in one: every trajectory the same\n";
  llvm::outs().flush();
}

TEST(Torture, EveryFlippedByteIsNamed) {
  MemoryFileSystem fs;
  ASSERT_FALSE(bool(searchIn(fs, "run")));
  std::map<std::string, std::string> intact = fs.files;
  int flips = 0;
  for (const auto &[path, text] : intact) {
    if (path == "run/lock" || text.empty())
      continue;
    for (size_t at : {size_t(0), text.size() / 2, text.size() - 1}) {
      fs.files = intact;
      fs.files[path][at] ^= 1;
      llvm::Error error = searchIn(fs, "run");
      // Of the journal's end a crash may have left a part: without its last line feed it is that.
      if (path == "run/journal.jsonl" && at == text.size() - 1) {
        llvm::consumeError(std::move(error));
        continue;
      }
      ASSERT_TRUE(bool(error)) << path << " " << at;
      std::string message = toString(std::move(error));
      EXPECT_EQ(message.rfind("CORRUPT: " + path, 0), 0u) << message;
      ++flips;
    }
  }
  EXPECT_GT(flips, 100);
}
