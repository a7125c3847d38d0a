//===- EmbeddedTexts.h - Files that travel inside the binary --------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace kgen {

/// The text of baselines.py, trusted_kernels.cu or judge_kernels.cu; empty for another name.
llvm::StringRef embeddedText(llvm::StringRef name);

} // namespace kgen
