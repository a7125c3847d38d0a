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

bool CardGate::isAlone() const {
  std::lock_guard<std::mutex> guard(mutex);
  return exclusive && depths.count(std::this_thread::get_id());
}

CardGate::Place CardGate::enter(bool wantsAlone) {
  std::unique_lock<std::mutex> guard(mutex);
  if (auto own = depths.find(std::this_thread::get_id()); own != depths.end()) {
    assert((exclusive || !wantsAlone) && "who works with others cannot wait for them to leave");
    ++own->second;
    return Place(this);
  }
  // Who waits to be alone is not overtaken, here by a count, elsewhere by the turn's file.
  wanting += wantsAlone;
  change.wait(guard, [&] { return wantsAlone ? depths.empty() : !exclusive && wanting == 0; });
  wanting -= wantsAlone;
  exclusive = wantsAlone;
  if (depths.empty() && cardFile >= 0) {
    // Nobody of this process has a place, so that nobody waits for the mutex to leave.
    lock(turnFile, LOCK_EX);
    lock(cardFile, wantsAlone ? LOCK_EX : LOCK_SH);
    lock(turnFile, LOCK_UN);
  }
  depths[std::this_thread::get_id()] = 1;
  return Place(this);
}

void CardGate::leave() {
  std::lock_guard<std::mutex> guard(mutex);
  auto own = depths.find(std::this_thread::get_id());
  assert(own != depths.end() && "a place ends on the thread that took it");
  if (--own->second > 0)
    return;
  depths.erase(own);
  if (depths.empty()) {
    exclusive = false;
    if (cardFile >= 0)
      lock(cardFile, LOCK_UN);
  }
  change.notify_all();
}
