//===- HandWritten.h - Ideas and kernels that a person gives a run --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are dropped into the run folder's inbox by a rename, also while a search
// is at it, and taken at the beginning of the next round; the journal then
// holds them, so that a resumed or replayed run needs no inbox.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Idea.h"
#include "kgen/Trajectory/Clock.h"
#include "kgen/Trajectory/Journal.h"

#include <string>
#include <vector>

namespace kgen::trajectory {

/// An idea in words, a transform script, or a kernel.
struct HandWritten {
  std::string file; ///< its name in the inbox; the same text has the same
  propose::Idea idea;
  std::string cuda;       ///< kernel.cu's text; empty for an idea
  std::string plan;       ///< plan.json's text, or only its launches; empty: CUDA's header says them
  std::string directives; ///< a transform.kgen.* script for the whole graph; empty unless one was given
  std::string parent;     ///< id of the branch that it is about; empty: the search chooses

  Json toJson() const;
  /// The Error is one sentence.
  static llvm::Expected<HandWritten> fromJson(const Json &json);
};

/// An idea of TEXT; "memory: TEXT" and the like name its category.
llvm::Expected<HandWritten> readHandWrittenIdea(llvm::StringRef text);
/// The kernel in PATH, with the plan beside it when there is one: FILE.plan.json for FILE.cu.
llvm::Expected<HandWritten> readHandWrittenKernel(FileSystem &fs, llvm::StringRef path);
/// The kernel CUDA with PLAN (see HandWritten::plan), which sentences call WHERE and PLANWHERE. NAME, where it has one,
/// is said of it until its header or somebody else gives it an idea.
llvm::Expected<HandWritten> takeHandWrittenKernel(std::string cuda, std::string plan, llvm::StringRef where,
                                                  llvm::StringRef planWhere, llvm::StringRef name = "");
/// The transform script DIRECTIVES. What it holds is asked when it is lowered.
llvm::Expected<HandWritten> takeHandWrittenDirectives(std::string directives);

/// Puts ENTRY, the ORDER-th of this command, into the inbox of run folder RUN; sets its file.
llvm::Error dropIntoInbox(FileSystem &fs, Clock &clock, llvm::StringRef run, int order, HandWritten entry);

/// What lies in the inbox, in the order in which it was dropped. What cannot be read stays there, and
/// PROBLEMS says why, one sentence each.
std::vector<HandWritten> readInbox(FileSystem &fs, llvm::StringRef run, std::vector<std::string> &problems);
/// Takes a file out of the inbox.
llvm::Error removeFromInbox(FileSystem &fs, llvm::StringRef run, llvm::StringRef file);

} // namespace kgen::trajectory
