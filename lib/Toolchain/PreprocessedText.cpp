//===- PreprocessedText.cpp - What kernel.cu says once macros are gone ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros put words together that stand nowhere in the text. So the host
// compiler works in two steps: what its preprocessor wrote is looked at here,
// and just that is compiled.
//
//===----------------------------------------------------------------------===//
#include "Tokens.h"
#include "kgen/Toolchain/HostText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cctype>

using namespace kgen;
using namespace kgen::toolchain;

static llvm::Error refuse(llvm::StringRef what) {
  return llvm::createStringError("kernel.cu uses %s, which device code has no need of", what.str().c_str());
}

/// Attributes that say how to compile something; the others say where it lies, what it is called or when it runs.
static bool isHarmlessAttribute(llvm::StringRef name) {
  if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
    name = name.drop_front(2).drop_back(2);
  return llvm::StringSwitch<bool>(name)
      .Cases({"aligned", "always_inline", "noinline", "noclone", "visibility", "unused", "packed", "may_alias"}, true)
      .Cases({"const", "pure", "noreturn", "nothrow", "hot", "cold", "flatten", "vector_size", "deprecated"}, true)
      .Cases({"nonnull", "returns_nonnull", "assume_aligned", "fallthrough", "artificial", "leaf", "weak"}, true)
      .Cases({"gnu", "nodiscard", "maybe_unused", "likely", "unlikely", "no_unique_address", "warn_unused_result"},
             true)
      .Default(false);
}

/// Names of what the processor, the linker or the loader keeps beside a program's own.
static bool isReserved(llvm::StringRef name) {
  if (name.starts_with("_Z") || name.starts_with("__builtin_ia32_") || name.starts_with("__start_kgen_") ||
      name.starts_with("__stop_kgen_"))
    return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"__thread", "thread_local", "_Thread_local", "constructor", "__constructor__", "ifunc", "__ifunc__"},
             true)
      .Cases({"_end", "_edata", "_etext", "__bss_start", "__ehdr_start", "__dso_handle", "__data_start"}, true)
      .Cases({"_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__executable_start"}, true)
      .Cases({"__builtin_apply", "__builtin_apply_args", "__builtin_return", "__builtin_setjmp", "__builtin_longjmp",
              "__builtin_eh_return", "__builtin_frame_address", "__builtin_return_address", "__builtin_thread_pointer",
              "__builtin_set_thread_pointer", "__builtin_extract_return_addr", "__builtin_unwind_init",
              "__builtin_dwarf_cfa", "__builtin_init_dwarf_reg_size_table"},
             true)
      .Default(false);
}

/// Names of what calls kernels, by which device host finds them.
static bool isLaunchers(llvm::StringRef name) {
  for (llvm::StringRef kind : {"launch", "parameters", "fibres"})
    if (name.starts_with(("kgen_host_" + kind + "_").str()))
      return true;
  return false;
}

/// Functions of the C library that device host's own headers call, before each block for instance.
static bool isCalledByHeaders(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "snprintf"}, true)
      .Default(false);
}

namespace {

class Checker {
public:
  explicit Checker(llvm::StringRef text) : tokens(tokenize(text)) {}

  llvm::Error run() {
    bool begun = false; // headers that kgen puts in front are its own
    llvm::StringRef file;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token &token = tokens[i];
      if (token.kind == Token::Directive) {
        llvm::StringRef rest = token.text.drop_front().ltrim();
        if (!rest.empty() && isdigit((unsigned char)rest[0]))
          file = rest.split('"').second.split('"').first;
        begun |= file == "kernel.cu";
        continue;
      }
      if (!begun)
        continue;
      if (token.kind == Token::Literal && token.text.split('"').first.ends_with("R"))
        return refuse("a raw string");
      // The compiler proper would join it with the line that follows.
      if (token.text == "\\")
        return refuse("a backslash outside of strings");
      if (llvm::Error error = checkAttributes(i))
        return error;
      if (token.kind != Token::Identifier)
        continue;
      if (isAssembly(i))
        return refuse("inline assembly that macros put together");
      if (isCalledByHeaders(token.text) && isDefinition(i))
        return refuse("a function of its own called " + token.text.str());
      if ((file == "kernel.cu" && (token.text == "kgen_host" || isLaunchers(token.text))) || isReserved(token.text))
        return refuse(token.text);
    }
    return llvm::Error::success();
  }

private:
  llvm::StringRef at(size_t i) const { return i < tokens.size() ? tokens[i].text : ""; }

  /// Dynamic shared memory has the name of one array: that much assembly is kgen's.
  bool isAssembly(size_t i) const {
    if (at(i) != "asm" && at(i) != "__asm__" && at(i) != "__asm")
      return false;
    return !(at(i + 1) == "(" && at(i + 2) == "\"kgen_host_dynamic_shared\"" && at(i + 3) == ")");
  }

  /// Whether what follows the list of parameters is not the end of a call or of a declaration.
  bool isDefinition(size_t i) const {
    if (at(i + 1) != "(")
      return false;
    int depth = 0;
    for (++i; i < tokens.size(); ++i) {
      depth += (at(i) == "(") - (at(i) == ")");
      if (depth == 0)
        break;
    }
    return llvm::StringSwitch<bool>(at(i + 1))
        .Cases({"{", "noexcept", "throw", "__attribute__", "__attribute", "->", "try", "[", "const"}, true)
        .Default(false);
  }

  llvm::Error checkAttributes(size_t i) const {
    if (at(i) == "__attribute__" || at(i) == "__attribute")
      return checkList(i + 1);
    // Two of them, also as digraphs, begin nothing else.
    auto opens = [&](size_t k) {
      return at(k) == "[" ? 1 : at(k) == "<" && at(k + 1) == ":" && at(k + 2) != ":" ? 2 : 0;
    };
    if (const int first = opens(i))
      if (opens(i + size_t(first)))
        return first == 1 && at(i + 1) == "[" ? checkList(i) : refuse("an attribute in digraphs");
    return llvm::Error::success();
  }

  /// The names in ((a, b(c))), which are the identifiers on the second level.
  llvm::Error checkList(size_t i) const {
    int depth = 0;
    for (; i < tokens.size(); ++i) {
      llvm::StringRef text = at(i);
      const bool opens = text == "(" || text == "[", closes = text == ")" || text == "]";
      depth += opens - closes;
      if (closes && depth <= 0)
        break;
      if (depth != 2 || tokens[i].kind != Token::Identifier)
        continue;
      if (text == "section" || text == "__section__") {
        if (!isSharedSection(i + 1))
          return refuse("the attribute section");
      } else if (!isHarmlessAttribute(text)) {
        return refuse("the attribute " + text.str());
      }
    }
    return llvm::Error::success();
  }

  /// ("kgen_shared_" "NAME"): where kgen puts a kernel's __shared__ variables.
  bool isSharedSection(size_t i) const {
    llvm::StringRef name = at(i + 2);
    return at(i) == "(" && at(i + 1) == "\"kgen_shared_\"" && at(i + 3) == ")" && name.size() > 2 &&
           name.front() == '"' &&
           llvm::all_of(name.drop_front().drop_back(), [](char c) { return isalnum((unsigned char)c) || c == '_'; });
  }

  std::vector<Token> tokens;
};

} // namespace

llvm::Error kgen::toolchain::checkPreprocessed(llvm::StringRef text) { return Checker(text).run(); }
