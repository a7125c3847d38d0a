//===- CommandModels.h - Models that are no HTTP provider -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Model.h"
#include "kgen/Propose/ModelWait.h"

namespace kgen::propose {

struct CommandOptions {
  double seconds = 1800;   ///< longest wait for an answer
  std::string keyVariable; ///< of the presets: where the key is; empty: the preset's own variable
  const std::atomic<bool> *stop = nullptr;
};

/// COMMAND is "codex", "claude" or "gemini" (command-line agents), a JSON array of strings, or words
/// between blanks, with "..." or '...' around one that holds blanks. No shell sees it.
llvm::Expected<std::unique_ptr<Model>> createCommandModel(llvm::StringRef command, const CommandOptions &options);

/// Writes each question to FOLDER and waits for the file with its answer, which WAITING is told.
std::unique_ptr<Model> createFolderModel(llvm::StringRef folder, const std::atomic<bool> *stop,
                                         WaitObserver waiting = {});

/// The stem of a question's files in that folder: "round-02/seed-0/idea-1" is "0002-seed-0-idea-1".
std::string questionFileName(llvm::StringRef slot);

/// What a person or a command reads: the system prompt and all turns.
std::string printQuestion(const ModelQuestion &question);

} // namespace kgen::propose
