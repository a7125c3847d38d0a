//===- CardGate.cpp - Several evaluators of one card ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/CardGate.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace kgen::evaluate;

static void lock(int file, int how) {
  while (flock(file, how) != 0 && errno == EINTR) {
  }
}

llvm::Expected<std::unique_ptr<CardGate>> CardGate::open(llvm::StringRef file) {
  auto gate = std::make_unique<CardGate>();
  for (auto [handle, name] :
       {std::pair(&gate->cardFile, file.str()), std::pair(&gate->turnFile, file.str() + ".turn")}) {
    // A child that kept it would keep others from the card.
    *handle = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*handle < 0)
      return llvm::createStringError("cannot open %s, by which evaluators of one card take turns: %s", name.c_str(),
                                     strerror(errno));
  }
  return std::move(gate);
}

llvm::Expected<std::unique_ptr<CardGate>> CardGate::openFor(llvm::StringRef device, llvm::StringRef file) {
  if (!file.empty())
    return open(file);
  const char *folder = getenv("KGEN_GATE");
  if (!folder || !*folder || device == "host")
    return std::make_unique<CardGate>();
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot create %s, which KGEN_GATE names: %s", folder, code.message().c_str());
  return open((llvm::Twine(folder) + "/" + device).str());
}

CardGate::~CardGate() {
  for (int handle : {cardFile, turnFile})
    if (handle >= 0)
      close(handle);
}

CardGate::Place CardGate::enter(bool wantsAlone) {
  assert((depth == 0 || exclusive || !wantsAlone) && "who works with others cannot wait for them to leave");
  if (depth++ == 0) {
    exclusive = wantsAlone;
    if (cardFile >= 0) {
      // Who waits for the others to leave holds the turn, so that nobody overtakes.
      lock(turnFile, LOCK_EX);
      lock(cardFile, wantsAlone ? LOCK_EX : LOCK_SH);
      lock(turnFile, LOCK_UN);
    }
  }
  return Place(this);
}

void CardGate::leave() {
  if (--depth == 0 && cardFile >= 0)
    lock(cardFile, LOCK_UN);
}
