//===- HostText.cpp - Making kernel.cu compile with a host compiler -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/HostText.h"

#include "Tokens.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

/// Where brackets and declarations end, looked up once: a text of nothing but open brackets is quick too.
class Ends {
public:
  explicit Ends(const std::vector<Token> &tokens)
      : matches(tokens.size(), tokens.size()), stops(tokens.size() + 1, tokens.size()), semicolons(stops) {
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != Token::Punctuation)
        continue;
      char c = tokens[i].text[0];
      if (c == '(' || c == '{' || c == '[') {
        open.push_back(i);
      } else if ((c == ')' || c == '}' || c == ']') && !open.empty()) {
        matches[open.back()] = i + 1;
        open.pop_back();
      }
    }
    for (size_t i = tokens.size(); i-- > 0;) {
      semicolons[i] = tokens[i].text == ";" ? i : semicolons[i + 1];
      stops[i] = tokens[i].text == ";" || tokens[i].text == "{" ? i : stops[i + 1];
    }
  }

  /// The index after the bracket that matches the one at OPEN.
  size_t afterMatch(size_t open) const { return matches[open]; }
  /// The first ; or { from I on.
  size_t bodyOrSemicolon(size_t i) const { return stops[i]; }
  size_t semicolon(size_t i) const { return semicolons[i]; }

private:
  std::vector<size_t> matches, stops, semicolons;
};

bool isWarpOrBlockWide(llvm::StringRef name) {
  return name.starts_with("__shfl") || name.starts_with("__syncthreads") || name.starts_with("kgen_host_") ||
         (name.starts_with("__") && name.ends_with("_sync")) ||
         llvm::StringSwitch<bool>(name)
             .Cases({"__syncwarp", "__activemask", "mma_sync", "load_matrix_sync", "store_matrix_sync"}, true)
             .Default(false);
}

/// What calls KERNEL on the host. Only its type is used beside the call, so that an inlined kernel leaves no copy of
/// its own behind.
std::string launcherOf(const HostKernel &kernel) {
  const bool fibres = kernel.mode == HostMode::Fibres;
  const llvm::StringRef mode = fibres                                 ? "fibres"
                               : kernel.mode == HostMode::PlainGlobal ? "plain<true>"
                                                                      : "plain<false>";
  const std::string &name = kernel.name, seen = "extern \"C\" __attribute__((visibility(\"default\"))) ",
                    section = "_kgen_shared_" + name, path = "::" + kernel.qualified,
                    type = "(decltype(&" + path + "))nullptr";
  std::string out;
  // The exported byte tells that a block needs stacks.
  if (fibres)
    out += seen + "constexpr char kgen_host_fibres_" + name + " = 1;\n";
  out += seen + "constexpr auto kgen_host_parameters_" + name + " = ::kgen_host::parameters(" + type + ");\n";
  for (const char *end : {"__start", "__stop"})
    out += "extern \"C\" unsigned char " + (end + section) + "[] __attribute__((weak, visibility(\"hidden\")));\n";
  out += seen + "int kgen_host_launch_" + name + "(const ::KGenHostLaunch *launch) {\n" +
         "  ::kgen_host::staticShared = __start" + section + ";\n  ::kgen_host::staticSharedEnd = __stop" + section +
         ";\n  return ::kgen_host::" + mode.str() + "(" + type +
         ", *launch, [](auto... a) __attribute__((always_inline)) { " + path + "(a...); }, ::kgen_host::indices(" +
         type + "));\n}\n";
  return out;
}

bool takesArguments(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__align__", "alignas", "__attribute__",
              "__block_size__"},
             true)
      .Default(false);
}

bool isControl(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"if", "for", "while", "switch", "return", "sizeof", "catch", "decltype", "else"}, true)
      .Default(false);
}

/// One function or macro: what its body mentions.
struct Unit {
  llvm::StringRef name;
  llvm::StringSet<> mentions;
  bool collective = false, readsThread = false;
  std::optional<bool> reachesThread;
};

struct Kernel {
  HostKernel info;
  size_t marker, open, bodyBegin, bodyEnd; ///< token indices: __global__, '(', '{', past '}'
  bool templated;
};

class Rewriter {
public:
  explicit Rewriter(llvm::StringRef cuda) : source(cuda), tokens(tokenize(cuda)), ends(tokens) {}

  llvm::Expected<HostText> run() {
    findUnits();
    if (kernels.empty())
      return llvm::createStringError("kernel.cu defines no __global__ function");
    // A launcher is written for each, with its namespaces: the text must not grow beyond what it was by much.
    constexpr size_t mostKernels = 4096, longestName = 1000;
    if (kernels.size() > mostKernels)
      return llvm::createStringError("kernel.cu defines %zu kernels, at most %zu are allowed", kernels.size(),
                                     mostKernels);
    spread();
    for (Kernel &kernel : kernels) {
      if (kernel.info.qualified.size() > longestName)
        return llvm::createStringError("kernel.cu has a kernel whose name and namespaces take %zu characters, at most "
                                       "%zu are allowed",
                                       kernel.info.qualified.size(), longestName);
      const Unit &unit = unitOf(kernel.info.name);
      // Shared memory without any barrier: whether threads need one shows only when their order can be turned.
      bool shared = false;
      for (size_t i = kernel.bodyBegin; i < kernel.bodyEnd; ++i)
        shared |= is(i, "__shared__");
      if (unit.collective || shared)
        kernel.info.mode = HostMode::Fibres;
      else if (reachesThreadIdx(kernel))
        kernel.info.mode = HostMode::PlainGlobal;
    }
    return emit();
  }

private:
  bool is(size_t i, llvm::StringRef text) const { return i < tokens.size() && tokens[i].text == text; }

  Unit &unitOf(llvm::StringRef name) {
    auto &entry = *units.try_emplace(name).first;
    entry.second.name = entry.first();
    return entry.second;
  }

  void addMentions(Unit &unit, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (tokens[i].kind == Token::Identifier)
        unit.mentions.insert(tokens[i].text);
  }

  /// Walks declarations at namespace and class scope.
  void findUnits() {
    std::vector<std::pair<std::string, size_t>> scopes; // name (or empty), token index past its end
    bool templated = false;
    for (size_t i = 0; i < tokens.size(); ++i) {
      while (!scopes.empty() && i >= scopes.back().second - 1)
        scopes.pop_back();
      const Token &token = tokens[i];
      if (token.kind == Token::Directive) {
        addMacro(token.text);
        continue;
      }
      if (token.text == ";" || token.text == "}")
        templated = false;
      if (token.text == "template")
        templated = true;
      if (token.text == "namespace") {
        std::string name;
        size_t j = i + 1;
        for (; j < tokens.size() && tokens[j].text != "{" && tokens[j].text != ";" && tokens[j].text != "="; ++j)
          name += tokens[j].text;
        if (is(j, "{"))
          scopes.push_back({name, ends.afterMatch(j)});
        i = j;
        continue;
      }
      if (token.text == "__global__") {
        i = addKernel(i, scopes, templated);
        templated = false;
        continue;
      }
      if (token.kind == Token::Identifier && is(i + 1, "(") && !takesArguments(token.text) && !isControl(token.text)) {
        size_t end = addFunction(i);
        templated &= end == i; // a template's body ends what `template` began
        i = end;
      }
    }
  }

  void addMacro(llvm::StringRef line) {
    llvm::StringRef rest = line.drop_front().ltrim();
    if (!rest.consume_front("define"))
      return;
    std::vector<Token> body = tokenize(rest);
    if (body.empty())
      return;
    Unit &unit = unitOf(body[0].text);
    for (size_t i = 1; i < body.size(); ++i)
      if (body[i].kind == Token::Identifier)
        unit.mentions.insert(body[i].text);
  }

  /// tokens[i] is a name before '('. When a body follows, records it; returns where to go on.
  size_t addFunction(size_t i) {
    size_t after = ends.afterMatch(i + 1);
    size_t j = after;
    while (j < tokens.size() && (is(j, "const") || is(j, "noexcept") || is(j, "override")))
      ++j;
    if (is(j, ":")) // a constructor's initialisers
      j = ends.bodyOrSemicolon(j);
    if (!is(j, "{"))
      return i;
    size_t end = ends.afterMatch(j);
    addMentions(unitOf(tokens[i].text), i + 1, end);
    return end - 1;
  }

  size_t addKernel(size_t marker, const std::vector<std::pair<std::string, size_t>> &scopes, bool templated) {
    size_t i = marker + 1;
    for (; i < tokens.size(); ++i) {
      if (is(i, ";") || is(i, "{"))
        return i; // nothing we understand; the compiler will say what is wrong
      if (tokens[i].kind == Token::Identifier && is(i + 1, "(")) {
        if (!takesArguments(tokens[i].text))
          break;
        i = ends.afterMatch(i + 1) - 1;
      }
    }
    if (i >= tokens.size())
      return i;
    Kernel kernel;
    kernel.info.name = tokens[i].text.str();
    for (auto &scope : scopes)
      if (!scope.first.empty() && kernel.info.qualified.size() < 4096) // more is refused
        kernel.info.qualified += scope.first.substr(0, 4096) + "::";
    kernel.info.qualified += kernel.info.name;
    kernel.marker = marker;
    kernel.open = i + 1;
    kernel.templated = templated;
    kernel.bodyBegin = ends.afterMatch(i + 1);
    if (!is(kernel.bodyBegin, "{")) {
      declarations.push_back(kernel);
      return kernel.bodyBegin;
    }
    kernel.bodyEnd = ends.afterMatch(kernel.bodyBegin);
    addMentions(unitOf(tokens[i].text), kernel.bodyBegin, kernel.bodyEnd);
    kernels.push_back(kernel);
    return kernel.bodyEnd - 1;
  }

  /// A unit is collective when it mentions a primitive or a collective unit; the same for reading threadIdx. A
  /// kernel reads its own hidden parameter; that does not count for its callers.
  void spread() {
    llvm::StringMap<std::vector<Unit *>> mentioning;
    for (auto &entry : units)
      for (auto &mention : entry.second.mentions)
        mentioning[mention.first()].push_back(&entry.second);
    for (bool Unit::*property : {&Unit::collective, &Unit::readsThread}) {
      std::vector<llvm::StringRef> reached;
      for (auto &entry : mentioning)
        if (property == &Unit::collective ? isWarpOrBlockWide(entry.first()) : entry.first() == "threadIdx")
          reached.push_back(entry.first());
      while (!reached.empty()) {
        llvm::StringRef name = reached.back();
        reached.pop_back();
        for (Unit *unit : mentioning[name])
          if (!(unit->*property)) {
            unit->*property = true;
            reached.push_back(unit->name);
          }
      }
    }
  }

  /// Whether something that the kernel mentions reads threadIdx. Looked up once: many kernels may have one name.
  bool reachesThreadIdx(const Kernel &kernel) {
    Unit &unit = unitOf(kernel.info.name);
    if (!unit.reachesThread) {
      unit.reachesThread = false;
      for (auto &mention : unit.mentions) {
        auto found = units.find(mention.first());
        if (found != units.end() && found->first() != kernel.info.name && found->second.readsThread)
          unit.reachesThread = true;
      }
    }
    return *unit.reachesThread;
  }

  struct Edit {
    size_t at, length;
    std::string text;
  };

  void replace(size_t token, std::string text) {
    edits.push_back({size_t(tokens[token].text.data() - source.data()), tokens[token].text.size(), std::move(text)});
  }
  void insertAfter(size_t token, std::string text) {
    edits.push_back(
        {size_t(tokens[token].text.data() - source.data()) + tokens[token].text.size(), 0, std::move(text)});
  }

  void markAssembly(const Token &token) {
    if (token.text == "asm" || token.text == "__asm__" || token.text == "__asm")
      edits.push_back({size_t(token.text.data() - source.data()), token.text.size(), hostAssemblyMark});
  }

  void addHiddenParameters(const Kernel &kernel) {
    bool empty = is(kernel.open + 1, ")") || (is(kernel.open + 1, "void") && is(kernel.open + 2, ")"));
    if (is(kernel.open + 1, "void") && empty)
      replace(kernel.open + 1, "");
    insertAfter(kernel.open, "const KGenIndex threadIdx, const KGenIndex blockIdx, const KGenIndex blockDim, "
                             "const KGenIndex gridDim" +
                                 std::string(empty ? "" : ", "));
  }

  llvm::Expected<HostText> emit() {
    for (const Kernel &kernel : declarations)
      addHiddenParameters(kernel);
    HostText out;
    for (const Kernel &kernel : kernels) {
      if (kernel.templated)
        return llvm::createStringError("kernel %s is a template, which a launch plan cannot name",
                                       kernel.info.name.c_str());
      addHiddenParameters(kernel);
      replace(kernel.marker, kernel.info.mode == HostMode::Fibres ? "__attribute__((noinline))"
                                                                  : "inline __attribute__((always_inline))");
      for (size_t i = kernel.bodyBegin; i < kernel.bodyEnd; ++i)
        if (is(i, "__shared__") && !is(i - 1, "extern"))
          replace(i, "KGEN_HOST_SHARED(" + kernel.info.name + ")");
      out.kernels.push_back(kernel.info);
    }
    // PTX means nothing here, and host assembly is not the candidate's to write. Text that the
    // preprocessor drops may hold it.
    for (const Token &token : tokens) {
      markAssembly(token);
      if (token.kind == Token::Directive) // a macro's body
        for (const Token &inner : tokenize(token.text.drop_front()))
          markAssembly(inner);
    }
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (is(i, "extern") && is(i + 1, "__shared__")) {
        replace(i, "KGEN_HOST_EXTERN_SHARED");
        replace(i + 1, "");
        if (size_t end = ends.semicolon(i); end < tokens.size())
          replace(end, " __asm__(\"kgen_host_dynamic_shared\");");
      }
    std::sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) { return a.at < b.at; });
    out.text = "#line 1 \"kernel.cu\"\n";
    size_t at = 0;
    for (const Edit &edit : edits) {
      out.text += source.slice(at, edit.at);
      out.text += edit.text;
      at = edit.at + edit.length;
    }
    out.text += source.substr(at);
    for (const HostKernel &kernel : out.kernels)
      out.launchers += launcherOf(kernel);
    return out;
  }

  llvm::StringRef source;
  std::vector<Token> tokens;
  Ends ends;
  llvm::StringMap<Unit> units;
  std::vector<Kernel> kernels, declarations;
  std::vector<Edit> edits;
};

} // namespace

std::string kgen::toolchain::joinLines(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  size_t joined = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      size_t next = i + 1;
      next += text.substr(next).starts_with("\r\n") ? 2 : text.substr(next).starts_with("\n") ? 1 : 0;
      if (next != i + 1) {
        i = next - 1;
        ++joined;
        continue;
      }
    }
    out += text[i];
    if (text[i] == '\n') {
      out.append(joined, '\n');
      joined = 0;
    }
  }
  return out;
}

llvm::Expected<HostText> kgen::toolchain::rewriteForHost(llvm::StringRef cuda) {
  std::string joined = joinLines(cuda);
  return Rewriter(joined).run();
}

llvm::StringSet<> kgen::toolchain::findWords(llvm::StringRef cuda) {
  llvm::StringSet<> words;
  for (const Token &token : tokenize(cuda)) {
    if (token.kind == Token::Directive)
      for (const Token &inner : tokenize(token.text.drop_front()))
        words.insert(inner.text);
    words.insert(token.text);
  }
  return words;
}

llvm::Error kgen::toolchain::checkTokens(llvm::StringRef cuda) {
  for (const Token &token : tokenize(cuda)) {
    bool forbidden = token.kind == Token::Identifier &&
                     llvm::StringSwitch<bool>(token.text)
                         .Cases({"constructor", "__constructor__", "ifunc", "__ifunc__", "kgen_host"}, true)
                         .Default(false);
    if (forbidden)
      return llvm::createStringError("kernel.cu uses %s, which device code has no need of", token.text.str().c_str());
    // Nothing else can hide what follows it from a reader, and kernels have no use for it.
    if (token.kind == Token::Literal && token.text.split('"').first.ends_with("R"))
      return llvm::createStringError("kernel.cu holds a raw string, which device code has no need of");
  }
  return llvm::Error::success();
}
