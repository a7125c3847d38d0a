//===- SourceRules.cpp - What kernel.cu may not say -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan that disagrees with the compiler about where a comment or a string
// ends can be led past a directive. So lines are judged whether or not they lie
// in one: whatever the compiler takes for a directive is judged here. The jail
// around the compiler holds without these rules; they give the verdict and its
// reason.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Toolchain/HostText.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cctype>

using namespace kgen;
using namespace kgen::toolchain;

static bool isWord(char c) { return isalnum((unsigned char)c) || c == '_'; }

static llvm::Error checkPragma(llvm::StringRef rest) {
  llvm::StringRef name = rest.take_while(isWord), second = rest.drop_front(name.size()).ltrim().take_while(isWord);
  bool known = name == "GCC"
                   ? llvm::StringSwitch<bool>(second).Cases({"unroll", "ivdep", "diagnostic"}, true).Default(false)
                   : name.starts_with("nv_") ||
                         llvm::StringSwitch<bool>(name)
                             .Cases({"unroll", "nounroll", "once", "pack", "diag_suppress", "diag_default",
                                     "diag_warning", "push", "pop", "hd_warning_disable", "STDC", "clang"},
                                    true)
                             .Default(false);
  if (known)
    return llvm::Error::success();
  return llvm::createStringError("kernel.cu uses #pragma %s, which device code has no need of",
                                 (name + (name == "GCC" ? " " + second : "")).str().c_str());
}

/// REST follows the # of a line that may be a directive.
static llvm::Error checkDirective(llvm::StringRef rest) {
  rest = rest.ltrim();
  if (rest.starts_with("/"))
    return llvm::createStringError("kernel.cu has a comment inside a preprocessor directive");
  llvm::StringRef name = rest.take_while(isWord), after = rest.drop_front(name.size()).ltrim();
  if (name == "pragma")
    return checkPragma(after);
  if (name == "include") {
    llvm::StringRef file =
        after.drop_front(after.empty() ? 0 : 1).take_until([](char c) { return c == '>' || c == '"' || c == '\n'; });
    bool known = llvm::StringSwitch<bool>(file)
                     .Cases({"cuda_fp16.h", "cuda_bf16.h", "mma.h", "kgen_device.cuh", "kgen_hopper.cuh",
                             "cuda_runtime.h", "stdint.h", "cstdint"},
                            true)
                     .Default(false);
    if (known && (after.starts_with("<") || after.starts_with("\"")))
      return llvm::Error::success();
    return llvm::createStringError("kernel.cu includes a header other than cuda_fp16.h, cuda_bf16.h, mma.h and "
                                   "kgen_device.cuh");
  }
  // On the host these are how a kernel is run.
  if ((name == "define" || name == "undef") && after.starts_with("KGEN_HOST"))
    return llvm::createStringError("kernel.cu defines %s anew, which device code has no need of",
                                   after.take_while(isWord).str().c_str());
  bool harmless =
      name.empty()
          ? !after.starts_with("\"")
          : llvm::StringSwitch<bool>(name)
                .Cases({"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning"}, true)
                .Default(false);
  if (harmless)
    return llvm::Error::success();
  return llvm::createStringError("kernel.cu uses #%s, which device code has no need of",
                                 name.empty() ? "\"" : name.str().c_str());
}

/// Each line that begins with #, or has one right after a comment's end. Linear, also where all is one line.
static llvm::Error checkDirectives(llvm::StringRef text) {
  for (llvm::StringRef rest = text; !rest.empty();) {
    size_t end = std::min(rest.find_first_of("\n\r"), rest.size());
    llvm::StringRef line = rest.take_front(end);
    for (size_t at = line.find('#'); at != llvm::StringRef::npos; at = line.find('#', at + 1)) {
      llvm::StringRef before = line.take_front(at).rtrim();
      if (before.empty() || before.ends_with("*/"))
        if (llvm::Error error = checkDirective(line.substr(at + 1)))
          return error;
    }
    rest = rest.drop_front(std::min(end + 1, rest.size()));
  }
  return llvm::Error::success();
}

/// Words that ask about files or hold a directive. They work from within any line.
static const char *const askingWords[] = {"__has_include", "__has_include_next", "__has_embed",
                                          "_Pragma",       "__pragma",           "__include_level__"};

/// A macro's ## can put such a word together of pieces, which stand in the text: in what way is not asked.
static llvm::Error checkPasted(llvm::StringRef text) {
  if (!text.contains("##"))
    return llvm::Error::success();
  llvm::StringSet<> pieces = findWords(text);
  for (llvm::StringRef word : askingWords) {
    std::vector<bool> reached(word.size() + 1);
    reached[0] = true;
    for (size_t begin = 0; begin < word.size(); ++begin)
      for (size_t end = begin + 1; reached[begin] && end <= word.size(); ++end)
        reached[end] = reached[end] || pieces.contains(word.slice(begin, end));
    if (reached.back())
      return llvm::createStringError("kernel.cu can put %s together with ##, which device code has no need of",
                                     word.str().c_str());
  }
  return llvm::Error::success();
}

llvm::Error kgen::toolchain::checkSource(llvm::StringRef cuda) {
  if (cuda.size() > (4u << 20))
    return llvm::createStringError("kernel.cu has %zu bytes, at most 4194304 are allowed", cuda.size());
  if (cuda.contains('\0'))
    return llvm::createStringError("kernel.cu holds a zero byte");
  if (cuda.starts_with("\xEF\xBB\xBF"))
    return llvm::createStringError("kernel.cu begins with a byte-order mark");
  if (std::string disguise = candidate::findDisguise(cuda, "kernel.cu"); !disguise.empty())
    return llvm::createStringError(disguise);
  // Digraphs and trigraphs could spell a # or a backslash that the scan does not see.
  if (cuda.contains("%:") || cuda.contains("?\?=") || cuda.contains("?\?/"))
    return llvm::createStringError("kernel.cu spells # in a disguised way");
  // Compilers join such lines, with a warning.
  for (size_t at = cuda.find('\\'); at != llvm::StringRef::npos; at = cuda.find('\\', at + 1)) {
    llvm::StringRef rest = cuda.substr(at + 1),
                    blanks = rest.take_while([](char c) { return isspace((unsigned char)c); });
    if (blanks.contains('\n') && !blanks.starts_with("\n") && !blanks.starts_with("\r\n"))
      return llvm::createStringError("kernel.cu has blanks between a backslash and the end of its line");
  }
  std::string joined = joinLines(cuda);
  if (llvm::Error error = checkDirectives(joined))
    return error;
  for (const char *word : askingWords)
    if (llvm::StringRef(joined).contains(word))
      return llvm::createStringError("kernel.cu uses %s, which device code has no need of", word);
  if (llvm::Error error = checkPasted(joined))
    return error;
  for (const char *directive : {".incbin", ".include"})
    if (llvm::StringRef(joined).contains(directive))
      return llvm::createStringError("kernel.cu names an assembler directive that reads files");
  return checkTokens(joined);
}
