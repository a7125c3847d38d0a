//===- RealFileSystemTest.cpp - On the real disk --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/FileSystem.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::trajectory;
using llvm::toString;

namespace {

class RealFileSystemTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kgen-fs", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::unique_ptr<FileSystem> fs = createRealFileSystem();
  std::string folder;
};

TEST_F(RealFileSystemTest, WritesWholeFilesAndLeavesNoTemporary) {
  std::string file = folder + "/a/b/x.txt";
  ASSERT_FALSE(bool(fs->createFolders(folder + "/a/b")));
  ASSERT_FALSE(bool(fs->writeAtomic(file, "one")));
  ASSERT_FALSE(bool(fs->writeAtomic(file, "two")));
  auto text = fs->read(file);
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(*text, "two");
  EXPECT_EQ(fs->list(folder + "/a/b"), std::vector<std::string>{"x.txt"});
}

/// A run folder may be a stranger's: nobody waits at a pipe, and no link leads to a file that is not its own.
TEST_F(RealFileSystemTest, PipesAndLinksAreNoFiles) {
  ASSERT_EQ(::mkfifo((folder + "/pipe").c_str(), 0600), 0);
  for (std::string path : {folder + "/pipe", std::string("/dev/zero")}) {
    auto text = fs->read(path);
    ASSERT_FALSE(bool(text));
    EXPECT_EQ(llvm::toString(text.takeError()), "cannot read " + path + ": it is no regular file");
  }
  ASSERT_FALSE(bool(fs->writeAtomic(folder + "/precious", "precious")));
  ASSERT_EQ(::symlink((folder + "/precious").c_str(), (folder + "/link").c_str()), 0);
  auto locked = fs->lock(folder + "/link");
  auto opened = fs->openAppend(folder + "/link", 0);
  EXPECT_FALSE(bool(locked));
  EXPECT_FALSE(bool(opened));
  llvm::consumeError(locked.takeError());
  llvm::consumeError(opened.takeError());
  EXPECT_EQ(llvm::cantFail(fs->read(folder + "/link")), "precious");
}

TEST_F(RealFileSystemTest, SaysWhyAWriteFailed) {
  // A file where a folder should be: this fails for root too.
  ASSERT_FALSE(bool(fs->writeAtomic(folder + "/f", "x")));
  EXPECT_EQ(toString(fs->writeAtomic(folder + "/f/g", "y")), "cannot write " + folder + "/f/g: Not a directory");
  EXPECT_EQ(toString(fs->createFolders(folder + "/f/h")).rfind("cannot create folder " + folder + "/f/h", 0), 0u);
  EXPECT_EQ(fs->list(folder), std::vector<std::string>{"f"});
}

TEST_F(RealFileSystemTest, WritesSeveralFilesOrNone) {
  ASSERT_FALSE(bool(fs->writeAllAtomic(folder, {{"a", "1"}, {"b", "2"}}, /*wait=*/true)));
  EXPECT_EQ(fs->list(folder), (std::vector<std::string>{"a", "b"}));
  // The second cannot be created: the first stays as it was.
  EXPECT_EQ(toString(fs->writeAllAtomic(folder, {{"a", "new"}, {"no/b", "2"}}, /*wait=*/true)),
            "cannot write " + folder + "/no/b: No such file or directory");
  auto text = fs->read(folder + "/a");
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(*text, "1");
  EXPECT_EQ(fs->list(folder), (std::vector<std::string>{"a", "b"}));
}

TEST_F(RealFileSystemTest, AppendsAfterCutting) {
  ASSERT_FALSE(bool(fs->writeAtomic(folder + "/j", "12345")));
  auto file = fs->openAppend(folder + "/j", 3);
  ASSERT_TRUE(bool(file));
  ASSERT_FALSE(bool((*file)->append("xy")));
  auto text = fs->read(folder + "/j");
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(*text, "123xy");
}

TEST_F(RealFileSystemTest, ReplacesLinks) {
  ASSERT_FALSE(bool(fs->link("round-00/b00", folder + "/best")));
  ASSERT_FALSE(bool(fs->link("round-01/b02", folder + "/best")));
  char target[64] = {};
  ASSERT_GT(::readlink((folder + "/best").c_str(), target, sizeof(target) - 1), 0);
  EXPECT_STREQ(target, "round-01/b02");
}

TEST_F(RealFileSystemTest, NamesTheProcessThatHoldsALock) {
  auto lock = fs->lock(folder + "/lock");
  ASSERT_TRUE(bool(lock));
  // flock belongs to the open file, so a second open in this process is refused as well.
  auto second = fs->lock(folder + "/lock");
  ASSERT_FALSE(bool(second));
  EXPECT_EQ(toString(second.takeError()), "BUSY: run in use by pid " + std::to_string(::getpid()) + ": " + folder);
  lock->reset();
  auto third = fs->lock(folder + "/lock");
  EXPECT_TRUE(bool(third));
  if (!third)
    llvm::consumeError(third.takeError());
}

TEST_F(RealFileSystemTest, ALockDiesWithItsProcess) {
  std::string path = folder + "/lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto lock = fs->lock(path);
    char byte = bool(lock) ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  auto refused = fs->lock(path);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(toString(refused.takeError()), "BUSY: run in use by pid " + std::to_string(child) + ": " + folder);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  auto lock = fs->lock(path);
  EXPECT_TRUE(bool(lock));
  if (!lock)
    llvm::consumeError(lock.takeError());
}

/// A run that somebody else hands over may hold anything; opening a pipe would wait for a writer.
TEST_F(RealFileSystemTest, OnlyRegularFilesAreRead) {
  std::string pipe = folder + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(toString(fs->read(pipe).takeError()), "cannot read " + pipe + ": it is no regular file");
  EXPECT_EQ(toString(fs->read("/dev/zero").takeError()), "cannot read /dev/zero: it is no regular file");
}

} // namespace
