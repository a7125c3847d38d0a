//===- HostText.cpp - Making kernel.cu compile with a host compiler -------===//
#include "kgen/Toolchain/HostText.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cctype>

using namespace kgen;

namespace {

struct Token {
  llvm::StringRef text;
  enum Kind { Identifier, Punctuation, Literal, Directive } kind;
};

/// Splits C++ text into tokens. Comments vanish; a preprocessor line is one token.
std::vector<Token> tokenize(llvm::StringRef s) {
  std::vector<Token> out;
  size_t i = 0, n = s.size();
  bool lineStart = true;
  auto isWord = [](char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; };
  while (i < n) {
    char c = s[i];
    if (c == '\n') {
      lineStart = true;
      ++i;
    } else if (isspace((unsigned char)c)) {
      ++i;
    } else if (s.substr(i).starts_with("//")) {
      i = std::min(s.find('\n', i), n);
    } else if (s.substr(i).starts_with("/*")) {
      size_t end = s.find("*/", i + 2);
      i = end == llvm::StringRef::npos ? n : end + 2;
    } else if (c == '#' && lineStart) {
      size_t end = i;
      do
        end = std::min(s.find('\n', end + 1), n);
      while (end < n && s[end - 1] == '\\');
      out.push_back({s.slice(i, end), Token::Directive});
      i = end;
    } else if (c == 'R' && i + 1 < n && s[i + 1] == '"') {
      size_t open = s.find('(', i);
      std::string close = ")" + s.slice(i + 2, open).str() + "\"";
      size_t end = open == llvm::StringRef::npos ? n : s.find(close, open);
      end = end == llvm::StringRef::npos ? n : end + close.size();
      out.push_back({s.slice(i, end), Token::Literal});
      i = end;
    } else if (c == '"' || c == '\'') {
      size_t end = i + 1;
      while (end < n && s[end] != c && s[end] != '\n')
        end += s[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, n);
      out.push_back({s.slice(i, end), Token::Literal});
      i = end;
      lineStart = false;
    } else if (isWord(c)) {
      size_t end = i;
      // A quote between a number's digits separates them; after a name it begins a character.
      while (end < n &&
             (isWord(s[end]) || (s[end] == '\'' && isdigit((unsigned char)c) && end + 1 < n && isWord(s[end + 1]))))
        ++end;
      out.push_back({s.slice(i, end), isdigit((unsigned char)c) ? Token::Literal : Token::Identifier});
      i = end;
      lineStart = false;
    } else {
      out.push_back({s.substr(i, 1), Token::Punctuation});
      ++i;
      lineStart = false;
    }
  }
  return out;
}

/// The index after the bracket that matches tokens[open].
size_t afterMatch(const std::vector<Token> &tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Punctuation)
      continue;
    char c = tokens[i].text[0];
    if (c == '(' || c == '{' || c == '[')
      ++depth;
    else if ((c == ')' || c == '}' || c == ']') && --depth == 0)
      return i + 1;
  }
  return tokens.size();
}

bool isWarpOrBlockWide(llvm::StringRef name) {
  return name.starts_with("__shfl") || name.starts_with("__syncthreads") || name.starts_with("kgen_host_") ||
         (name.starts_with("__") && name.ends_with("_sync")) ||
         llvm::StringSwitch<bool>(name)
             .Cases({"__syncwarp", "__activemask", "mma_sync", "load_matrix_sync", "store_matrix_sync"}, true)
             .Default(false);
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
  llvm::StringSet<> mentions;
  bool collective = false, readsThread = false;
};

struct Kernel {
  HostKernel info;
  size_t marker, open, bodyBegin, bodyEnd; ///< token indices: __global__, '(', '{', past '}'
  bool templated;
};

class Rewriter {
public:
  explicit Rewriter(llvm::StringRef cuda) : source(cuda), tokens(tokenize(cuda)) {}

  llvm::Expected<HostText> run() {
    findUnits();
    if (kernels.empty())
      return llvm::createStringError("kernel.cu defines no __global__ function");
    spread();
    for (Kernel &kernel : kernels) {
      const Unit &unit = units[kernel.info.name];
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
          scopes.push_back({name, afterMatch(tokens, j)});
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
    Unit &unit = units[body[0].text];
    for (size_t i = 1; i < body.size(); ++i)
      if (body[i].kind == Token::Identifier)
        unit.mentions.insert(body[i].text);
  }

  /// tokens[i] is a name before '('. When a body follows, records it; returns where to go on.
  size_t addFunction(size_t i) {
    size_t after = afterMatch(tokens, i + 1);
    size_t j = after;
    while (j < tokens.size() && (is(j, "const") || is(j, "noexcept") || is(j, "override")))
      ++j;
    if (is(j, ":")) // a constructor's initialisers
      while (j < tokens.size() && !is(j, "{") && !is(j, ";"))
        ++j;
    if (!is(j, "{"))
      return i;
    size_t end = afterMatch(tokens, j);
    addMentions(units[tokens[i].text], i + 1, end);
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
        i = afterMatch(tokens, i + 1) - 1;
      }
    }
    if (i >= tokens.size())
      return i;
    Kernel kernel;
    kernel.info.name = tokens[i].text.str();
    for (auto &scope : scopes)
      if (!scope.first.empty())
        kernel.info.qualified += scope.first + "::";
    kernel.info.qualified += kernel.info.name;
    kernel.marker = marker;
    kernel.open = i + 1;
    kernel.templated = templated;
    kernel.bodyBegin = afterMatch(tokens, i + 1);
    if (!is(kernel.bodyBegin, "{")) {
      declarations.push_back(kernel);
      return kernel.bodyBegin;
    }
    kernel.bodyEnd = afterMatch(tokens, kernel.bodyBegin);
    addMentions(units[tokens[i].text], kernel.bodyBegin, kernel.bodyEnd);
    kernels.push_back(kernel);
    return kernel.bodyEnd - 1;
  }

  /// A unit is collective when it mentions a primitive or a collective unit: a fixed point.
  void spread() {
    for (auto &entry : units)
      for (auto &mention : entry.second.mentions) {
        entry.second.collective |= isWarpOrBlockWide(mention.first());
        entry.second.readsThread |= mention.first() == "threadIdx";
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &entry : units)
        for (auto &mention : entry.second.mentions) {
          auto found = units.find(mention.first());
          if (found == units.end() || &found->second == &entry.second)
            continue;
          if (found->second.collective && !entry.second.collective)
            entry.second.collective = changed = true;
          // A kernel reads its own hidden parameter; that does not count for its callers.
          if (found->second.readsThread && !entry.second.readsThread)
            entry.second.readsThread = changed = true;
        }
    }
  }

  bool reachesThreadIdx(const Kernel &kernel) {
    for (auto &mention : units[kernel.info.name].mentions) {
      auto found = units.find(mention.first());
      if (found != units.end() && found->first() != kernel.info.name && found->second.readsThread)
        return true;
    }
    return false;
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
        size_t end = i;
        while (end < tokens.size() && !is(end, ";"))
          ++end;
        if (end < tokens.size())
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
    out.text += "\n#line 1 \"launchers\"\n";
    for (const HostKernel &kernel : out.kernels) {
      const char *mode = kernel.mode == HostMode::Fibres        ? "KGEN_HOST_FIBRES"
                         : kernel.mode == HostMode::PlainGlobal ? "KGEN_HOST_PLAIN_GLOBAL"
                                                                : "KGEN_HOST_PLAIN";
      out.text += std::string(mode) + "(" + kernel.name + ", " + kernel.qualified + ")\n";
    }
    return out;
  }

  llvm::StringRef source;
  std::vector<Token> tokens;
  llvm::StringMap<Unit> units;
  std::vector<Kernel> kernels, declarations;
  std::vector<Edit> edits;
};

} // namespace

llvm::Expected<HostText> kgen::rewriteForHost(llvm::StringRef cuda) { return Rewriter(cuda).run(); }

llvm::Error kgen::checkTokens(llvm::StringRef cuda) {
  for (const Token &token : tokenize(cuda)) {
    bool forbidden = token.kind == Token::Identifier &&
                     llvm::StringSwitch<bool>(token.text)
                         .Cases({"constructor", "__constructor__", "ifunc", "__ifunc__", "kgen_host"}, true)
                         .Default(false);
    if (forbidden)
      return llvm::createStringError("kernel.cu uses %s, which device code has no need of", token.text.str().c_str());
    // Nothing else can hide what follows it from a reader, and kernels have no use for it.
    if (token.kind == Token::Literal && token.text.starts_with("R\""))
      return llvm::createStringError("kernel.cu holds a raw string, which device code has no need of");
  }
  return llvm::Error::success();
}
