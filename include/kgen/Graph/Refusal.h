//===- Refusal.h - Why the compiler half refuses a script -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over the wall beside the sentence that a person reads: whoever has
// ideas learns from these fields, not from words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <utility>

namespace kgen::graph {

enum class RefusalKind {
  UnknownFamily, ///< FOUND is no kernel family, or none that this kgen has
  UnknownKey,    ///< the schedule has no key FOUND, or its family does not take it
  OutOfRange,    ///< KEY may not have the value FOUND; BOUND says what it may have
  Conflict,      ///< KEY = FOUND does not go with another setting, which BOUND names
};

/// What was refused. Fields that do not apply are empty.
struct Refusal {
  RefusalKind kind = RefusalKind::OutOfRange;
  std::string key;   ///< of the schedule
  std::string found; ///< as it was written
  std::string bound; ///< what would have been taken, in words
};

/// The words of journals and requests: "unknown-family".
inline llvm::StringRef refusalName(RefusalKind kind) {
  switch (kind) {
  case RefusalKind::UnknownFamily:
    return "unknown-family";
  case RefusalKind::UnknownKey:
    return "unknown-key";
  case RefusalKind::OutOfRange:
    return "out-of-range";
  case RefusalKind::Conflict:
    return "conflict";
  }
  return "";
}

inline std::optional<RefusalKind> parseRefusalKind(llvm::StringRef name) {
  for (RefusalKind kind :
       {RefusalKind::UnknownFamily, RefusalKind::UnknownKey, RefusalKind::OutOfRange, RefusalKind::Conflict})
    if (refusalName(kind) == name)
      return kind;
  return std::nullopt;
}

/// A script that the compiler half refused for a reason that it can name. Prints as the sentence.
class DirectiveRefused : public llvm::ErrorInfo<DirectiveRefused> {
public:
  static inline char ID = 0;

  DirectiveRefused(Refusal refusal, std::string message) : refusal(std::move(refusal)), sentence(std::move(message)) {}

  const Refusal &getRefusal() const { return refusal; }
  void log(llvm::raw_ostream &os) const override { os << sentence; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Refusal refusal;
  std::string sentence;
};

/// The sentence of ERROR, and in REFUSAL what it says as data, where it says it.
inline std::string takeRefusal(llvm::Error error, std::optional<Refusal> &refusal) {
  std::string sentence;
  llvm::handleAllErrors(std::move(error), [&](std::unique_ptr<llvm::ErrorInfoBase> info) {
    if (info->isA<DirectiveRefused>())
      refusal = static_cast<const DirectiveRefused &>(*info).getRefusal();
    sentence = info->message();
  });
  return sentence;
}

} // namespace kgen::graph
