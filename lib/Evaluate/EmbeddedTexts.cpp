//===- EmbeddedTexts.cpp - Files that travel inside the binary ------------===//
#include "EmbeddedTexts.h"

namespace {
struct EmbeddedText {
  const char *name, *text;
};
const EmbeddedText texts[] = {
#include "EmbeddedTexts.inc"
};
} // namespace

llvm::StringRef kgen::embeddedText(llvm::StringRef name) {
  for (const EmbeddedText &entry : texts)
    if (name == entry.name)
      return entry.text;
  return "";
}
