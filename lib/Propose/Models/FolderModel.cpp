//===- FolderModel.cpp - Questions and answers as files -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A person, or any program, can be the model: each question is a file, and so
// is its answer. Names follow from the place in the run, so that answers can
// be laid out ahead.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/CommandModels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <thread>

using namespace llvm;

namespace kgen::propose {

std::string questionFileName(StringRef slot) {
  auto [round, rest] = slot.split('/');
  unsigned number = 0;
  std::string name;
  if (round.consume_front("round-") && !round.getAsInteger(10, number)) {
    std::string digits = std::to_string(number);
    name = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits + "-";
  } else {
    rest = slot;
  }
  for (char c : rest)
    name += isAlnum(c) || c == '-' ? c : '-';
  return name;
}

std::string printQuestion(const ModelQuestion &question) {
  std::string text = question.system + "\n";
  for (const ModelTurn &turn : question.turns) {
    if (turn.role == "assistant")
      text += "\n# Your answer was\n\n";
    text += turn.text + "\n";
  }
  return text;
}

namespace {

constexpr uint64_t maxAnswer = 16 << 20;

class FolderModel : public Model {
public:
  FolderModel(StringRef folder, const std::atomic<bool> *stop, WaitObserver waiting)
      : folder(folder), stop(stop), waiting(std::move(waiting)) {}

  std::string getName() const override { return "dir:" + folder; }

  Expected<ModelReply> ask(const ModelQuestion &question) override {
    std::string stem = folder + "/" + questionFileName(question.slot), prompt = stem + ".prompt.md";
    if (std::error_code code = sys::fs::create_directories(folder))
      return createStringError("cannot create folder " + folder + ": " + code.message());
    if (Error error = writeToOutput(prompt, [&](raw_ostream &os) {
          os << printQuestion(question);
          return Error::success();
        }))
      return createStringError("cannot write " + prompt + ": " + toString(std::move(error)));
    bool waited = false;
    for (;;) {
      for (const char *suffix : {".reply.md", ".reply.json", ".reply.txt"})
        if (sys::fs::exists(stem + suffix))
          return read(stem + suffix, waited);
      if (stop && *stop)
        return createStringError("interrupted while waiting for " + stem + ".reply.md");
      if (!waited && waiting) {
        ModelWait wait;
        wait.model = getName();
        wait.answerFile = stem + ".reply.md";
        waiting(&wait);
      }
      waited = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

private:
  /// Reads FILE once its size stays the same: whoever writes it may be slow. One that was there before
  /// the question is taken as it is.
  Expected<ModelReply> read(const std::string &file, bool mayGrow) const {
    uint64_t size = 0;
    for (uint64_t before = ~uint64_t(0); !sys::fs::file_size(file, size) && mayGrow && (size != before || size == 0);) {
      if (stop && *stop)
        return createStringError("interrupted while reading " + file);
      before = size;
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }
    if (size > maxAnswer)
      return createStringError(file + " has " + Twine(size) + " bytes, at most " + Twine(maxAnswer) + " are read");
    auto buffer = MemoryBuffer::getFile(file);
    if (!buffer)
      return createStringError("cannot read " + file + ": " + buffer.getError().message());
    ModelReply reply;
    reply.text = (*buffer)->getBuffer().str();
    return reply;
  }

  std::string folder;
  const std::atomic<bool> *stop;
  WaitObserver waiting;
};

} // namespace

std::unique_ptr<Model> createFolderModel(StringRef folder, const std::atomic<bool> *stop, WaitObserver waiting) {
  return std::make_unique<FolderModel>(folder, stop, std::move(waiting));
}

} // namespace kgen::propose
