//===- CorruptRun.h - A run folder that is not what was recorded ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace kgen::trajectory {

/// A file of a run is not what the journal says of it, or the journal is not what was written. Told from other errors
/// by its type; people read "CORRUPT: FILE ...".
class CorruptRun : public llvm::ErrorInfo<CorruptRun> {
public:
  static inline char ID = 0;

  /// WHY goes on behind the file's name: " differs from ...", ": its record ...".
  CorruptRun(const llvm::Twine &file, const llvm::Twine &why) : file(file.str()), why(why.str()) {}

  llvm::StringRef getFile() const { return file; }
  void log(llvm::raw_ostream &os) const override { os << "CORRUPT: " << file << why; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string file, why;
};

} // namespace kgen::trajectory
