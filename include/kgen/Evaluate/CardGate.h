//===- CardGate.h - Several evaluators of one card --------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace kgen::evaluate {

/// Lets evaluators of one card load and verify side by side, and has each alone on the card while it times: locks on
/// two files that all of them name. What a process held is free when it ends, however it does. Threads of one process
/// are others to each other; a place ends on the thread that took it.
class CardGate {
public:
  /// Holds a place until its end. One within another of the same gate changes nothing.
  class Place {
  public:
    Place(Place &&other) noexcept : gate(std::exchange(other.gate, nullptr)) {}
    Place &operator=(Place &&) = delete;
    ~Place() {
      if (gate)
        gate->leave();
    }

  private:
    friend class CardGate;
    explicit Place(CardGate *gate) : gate(gate) {}
    CardGate *gate;
  };

  /// A gate without a file: nobody else is there.
  CardGate() = default;
  /// The gate that FILE, FILE.turn beside it, are; both are made where they are not there.
  static llvm::Expected<std::unique_ptr<CardGate>> open(llvm::StringRef file);
  /// FILE's where it is named; else FOLDER/DEVICE's where KGEN_GATE names a folder, by which another program keeps out
  /// while something is timed here, and is let alone in turn; else one without a file.
  static llvm::Expected<std::unique_ptr<CardGate>> openFor(llvm::StringRef device, llvm::StringRef file);
  ~CardGate();
  CardGate(const CardGate &) = delete;

  /// Something runs on the card that nobody times: beside others, when nobody is alone there.
  [[nodiscard]] Place work() { return enter(/*exclusive=*/false); }
  /// Something is timed: waits until all others are through with what they do, and keeps them out. Not within work().
  [[nodiscard]] Place alone() { return enter(/*exclusive=*/true); }
  bool isShared() const { return cardFile >= 0; }
  bool isAlone() const; ///< this thread

private:
  Place enter(bool wantsAlone);
  void leave();

  int cardFile = -1, turnFile = -1;
  mutable std::mutex mutex; ///< of what is below
  std::condition_variable change;
  std::map<std::thread::id, int> depths; ///< of each thread that has a place: how many within each other
  bool exclusive = false;                ///< the one that has a place is alone
  int wanting = 0;                       ///< threads that wait to be alone
};

} // namespace kgen::evaluate
