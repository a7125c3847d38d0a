//===- HostTextTest.cpp - The host text pass and the source rules ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/HostText.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::toolchain;

static HostText rewrite(llvm::StringRef cuda) {
  auto text = rewriteForHost(cuda);
  EXPECT_TRUE(bool(text)) << llvm::toString(text.takeError());
  return text ? *text : HostText();
}

static std::string whyNot(llvm::StringRef cuda) { return llvm::toString(checkSource(cuda)); }

TEST(HostText, KernelWithoutBarrierIsALoop) {
  HostText text = rewrite("extern \"C\" __global__ void f(float *x) { x[threadIdx.x] = 0; }");
  ASSERT_EQ(text.kernels.size(), 1u);
  EXPECT_EQ(text.kernels[0].mode, HostMode::Plain);
  EXPECT_NE(text.text.find("f(const KGenIndex threadIdx"), std::string::npos);
  EXPECT_NE(text.launchers.find("int kgen_host_launch_f("), std::string::npos);
  EXPECT_NE(text.launchers.find("::kgen_host::plain<false>("), std::string::npos);
  EXPECT_EQ(text.text.find("kgen_host_launch_"), std::string::npos); // no macro reaches it
}

TEST(HostText, BarrierWithinReachAsksForFibres) {
  // Through two functions and a macro.
  HostText text = rewrite("#define MEET __syncthreads()\n"
                          "__device__ void inner() { MEET; }\n"
                          "template <int N> __device__ void outer() { inner(); }\n"
                          "extern \"C\" __global__ void f(float *x) { outer<3>(); }\n"
                          "extern \"C\" __global__ void g(float *x) { x[0] = 1; }\n");
  ASSERT_EQ(text.kernels.size(), 2u);
  EXPECT_EQ(text.kernels[0].mode, HostMode::Fibres);
  EXPECT_EQ(text.kernels[1].mode, HostMode::Plain);
}

TEST(HostText, CommentsAndStringsDoNotCount) {
  HostText text = rewrite("// __syncthreads() is not needed\n"
                          "extern \"C\" __global__ void f(float *x) { /* __shfl_sync */ x[0] = 1; }");
  EXPECT_EQ(text.kernels[0].mode, HostMode::Plain);
}

TEST(HostText, DeviceFunctionThatReadsThreadIdx) {
  HostText text = rewrite("__device__ int where() { return threadIdx.x; }\n"
                          "extern \"C\" __global__ void f(int *x) { x[where()] = 1; }");
  EXPECT_EQ(text.kernels[0].mode, HostMode::PlainGlobal);
}

TEST(HostText, NamespacesQualifyTheLauncher) {
  HostText text =
      rewrite("namespace a { namespace b {\nextern \"C\" __global__ void __launch_bounds__(64, 2) f() {}\n}}\n"
              "extern \"C\" __global__ void g(void) {}");
  ASSERT_EQ(text.kernels.size(), 2u);
  EXPECT_EQ(text.kernels[0].qualified, "a::b::f");
  EXPECT_EQ(text.kernels[1].qualified, "g");
  // Neither has parameters of its own, so no comma follows the hidden ones.
  EXPECT_EQ(text.text.find("gridDim, )"), std::string::npos);
}

TEST(HostText, DynamicSharedMemoryBecomesOneArray) {
  HostText text = rewrite("extern \"C\" __global__ void f() {\n  extern __shared__ unsigned char smem[];\n"
                          "  __shared__ float tile[4];\n}");
  EXPECT_NE(text.text.find("smem[] __asm__(\"kgen_host_dynamic_shared\");"), std::string::npos);
  EXPECT_NE(text.text.find("KGEN_HOST_SHARED(f) float tile[4];"), std::string::npos);
}

TEST(HostText, AssemblyIsMarkedEvenInMacros) {
  HostText text = rewrite("#define STOP asm volatile(\"trap;\")\n"
                          "__device__ void f() { __asm__(\"\"); }\n"
                          "extern \"C\" __global__ void g() { int assembly; }\n");
  EXPECT_NE(text.text.find(std::string("STOP ") + hostAssemblyMark), std::string::npos);
  EXPECT_NE(text.text.find(std::string("{ ") + hostAssemblyMark), std::string::npos);
  EXPECT_EQ(text.text.find("asm"), std::string::npos);
}

TEST(HostText, LineNumbersStay) {
  std::string cuda = "\n\n\nextern \"C\" __global__ void f(float *x)\n{\n  undeclared;\n}\n";
  HostText text = rewrite(cuda);
  size_t line = std::count(text.text.begin(), text.text.begin() + text.text.find("undeclared"), '\n');
  // One line for the #line directive, which says that the next one is 1.
  EXPECT_EQ(line, 5u + 1u);
}

/// Nothing that kernel.cu defines reaches what calls its kernels.
TEST(HostText, LaunchersAreFreeOfMacros) {
  HostText text = rewrite("namespace a {\nextern \"C\" __global__ void f(float *x) { __syncthreads(); }\n}\n"
                          "#define return launch->descending = 0; return\n#define f(...) g(__VA_ARGS__)\n");
  EXPECT_EQ(text.text.find("kgen_host_launch_"), std::string::npos);
  EXPECT_NE(text.launchers.find("kgen_host_fibres_f = 1"), std::string::npos);
  EXPECT_NE(text.launchers.find("::kgen_host::fibres((decltype(&::a::f))nullptr, *launch"), std::string::npos);
}

TEST(HostText, FunctionsThatTheHeadersCallStayTheirs) {
  auto why = [](llvm::StringRef text) {
    return llvm::toString(checkPreprocessed(("# 1 \"kernel.cu\"\n" + text + "\n").str()));
  };
  const char *reason = "kernel.cu uses a function of its own called memcpy, which device code has no need of";
  EXPECT_EQ(why("extern \"C\" void *memcpy(void *to, const void *from, unsigned long n) { return to; }"), reason);
  EXPECT_EQ(why("auto memcpy(void *a, const void *b, unsigned long n) noexcept -> void * { return a; }"), reason);
  EXPECT_EQ(why("extern \"C\" void *memcpy(void *, const void *, unsigned long);"), "");
  EXPECT_EQ(why("void f(char *a) { if (memcmp(a, a + 1, (1 + 2)) == 0) { memcpy(a, a + 4, sizeof(int)); } }"), "");
  EXPECT_NE(why("extern \"C\" int kgen_host_launch_f(const void *) { return 0; }"), "");
}

TEST(HostText, NoKernelIsAnError) {
  auto text = rewriteForHost("int x;");
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()), "kernel.cu defines no __global__ function");
}

TEST(HostText, GarbageDoesNotCrash) {
  for (const char *text : {"", "__global__", "__global__ void", "__global__ void f(", "#define", "\"", "/*", "R\"x(",
                           "namespace", "extern __shared__", "((((", "}}}}", "template", "'"}) {
    auto result = rewriteForHost(text);
    if (!result)
      llvm::consumeError(result.takeError());
    llvm::consumeError(checkSource(text));
  }
}

TEST(CheckSource, KnownHeadersOnly) {
  EXPECT_EQ(whyNot("#include <cuda_fp16.h>\n#include \"mma.h\"\n#  include <cuda_bf16.h>\n"), "");
  for (const char *text : {"#include </etc/passwd>", "#include \"../x.h\"", "# include <stdio.h>",
                           "#inc\\\nlude <stdio.h>", "#include X", "#include_next <mma.h>"})
    EXPECT_NE(whyNot(text), "") << text;
}

TEST(CheckSource, Disguises) {
  for (const char *text :
       {"#embed \"x\"", "#if __has_include(<x>)\n#endif\nint x = __has_include;", "%:include <x>", "#/**/include <x>",
        "__attribute__((constructor)) void f() {}", "#line 3 \"x\"", "# 3 \"x\"", "asm(\".incbin \\\"x\\\"\");"})
    EXPECT_NE(whyNot(text), "") << text;
}

TEST(CheckSource, WhereAReaderAndACompilerDisagree) {
  // Each hides the directive from a scan that follows comments and strings a little differently.
  for (const char *text :
       {"#inc\\ \nlude \"/etc/passwd\"", "#inc\\\t\r\nlude \"/etc/passwd\"", "#inc\\\r\nlude \"/etc/passwd\"",
        "int q = x'R\"(';\n#include \"/etc/passwd\"\n// )\"", "#define X /*\nR\"( */\n#include \"/etc/passwd\"\n// )\"",
        "/* a */ #include \"/etc/passwd\"", "/*\n*/ /**/ # include \"/etc/passwd\"", "\f\v#include \"/etc/passwd\"",
        "\xEF\xBB\xBF#include \"/etc/passwd\"", "#inc?\?/\nlude \"/etc/passwd\"", "int a;\r#include \"/etc/passwd\"",
        "#pragma GCC pch_preprocess \"/etc/passwd\"", "#pragma GCC dependency \"/etc/passwd\"",
        "#pragma include_alias(<a>, </etc/passwd>)", "#import </etc/passwd>", "#ident \"x\"", "__has_incl\\\nude(<x>)",
        "asm(\".include \\\"/etc/passwd\\\"\");", "char *s = R\"(x)\";"})
    EXPECT_NE(whyNot(text), "") << text;
}

TEST(CheckSource, OrdinaryTextPasses) {
  for (const char *text : {"#pragma unroll 4\n#define A(x) #x\n#if 1 // why\n#endif\n#\n",
                           "// a default constructor, # 5\nint n = 1'000'000; char c = '\\'', d = '\"', e = 'R';\n",
                           "#define LONG \\\n  1\nconst char *s = \"a\\\nb\";\n#pragma GCC unroll 8\n",
                           "#error \"no\"\n#define KGEN_BLOCK 4 /* of\n rows */\n"})
    EXPECT_EQ(whyNot(text), "") << text;
}

TEST(SourceRules, WordsPutTogether) {
  const std::string paste = "#define P(a, b) a##b\n";
  EXPECT_EQ(whyNot(paste + "#if P(__has_, include)(\"/etc/passwd\")\n#endif\n"),
            "kernel.cu can put __has_include together with ##, which device code has no need of");
  EXPECT_EQ(whyNot(paste + "P(P(_Pr, ag), ma)(\"GCC dependency \\\"/etc/passwd\\\"\")\n"),
            "kernel.cu can put _Pragma together with ##, which device code has no need of");
  EXPECT_EQ(whyNot(paste + "__device__ float P(tile_, a)(float _Prag) { return _Prag; }\n"), "");
}

/// What a reader takes for a comment or a string, and a compiler does not, would hide from every other rule.
TEST(SourceRules, CommentsAndStringsEndWhereTheCompilerEndsThem) {
  const std::string hidden = "__attribute__((constructor)) static void f() {}\n// */\n";
  const std::string seen = "kernel.cu uses constructor, which device code has no need of";
  EXPECT_EQ(whyNot("#define A /*\n/*/\n" + hidden), seen);
  EXPECT_EQ(whyNot("#if 0\n' /*\n/*/\n#endif\n" + hidden), seen);
  EXPECT_EQ(whyNot("#define A \"/*\"\n" + hidden), seen);
  EXPECT_EQ(whyNot("const char *s = u8R\"(\"(\" )\"; " + hidden),
            "kernel.cu holds a raw string, which device code has no need of");
  EXPECT_EQ(whyNot("#error don't /* constructor */\n"), "");
}

TEST(HostText, JoinedLinesHideNoAssembly) {
  HostText text = rewrite("#define STOP \\\n  a\\\nsm(\"ud2\")\nextern \"C\" __global__ void f() { undeclared; }\n");
  EXPECT_NE(text.text.find(hostAssemblyMark), std::string::npos);
  // The third line's end and two joined ones come before it.
  size_t line = std::count(text.text.begin(), text.text.begin() + text.text.find("undeclared"), '\n');
  EXPECT_EQ(line, 1u + 3u);
}

/// Each of these took minutes, in the evaluator's own process, where every # or bracket looked through the rest again.
TEST(HostText, AnyTextIsReadInLinearTime) {
  auto repeat = [](llvm::StringRef piece, size_t bytes) {
    std::string text;
    while (text.size() < bytes)
      text += piece;
    return text;
  };
  const size_t bytes = 1 << 20;
  const std::string kernel = "\nextern \"C\" __global__ void f(float *x) { x[0] = 1; }\n";
  for (const char *piece :
       {"#", "/**/ x#", "f(", "namespace a{", "f():", "extern __shared__ ", "__global__ ", "{", "R\"", "\\\""}) {
    std::string text = repeat(piece, bytes) + kernel;
    llvm::consumeError(checkSource("/*" + text));
    llvm::consumeError(rewriteForHost(text).takeError());
  }
  std::string chain = "__device__ void g0() { __syncthreads(); }\n";
  const int length = 60000;
  for (int i = 1; i < length; ++i)
    chain += "__device__ void g" + std::to_string(i) + "() { g" + std::to_string(i - 1) + "(); }\n";
  HostText text = rewrite(chain + "extern \"C\" __global__ void f() { g" + std::to_string(length - 1) + "(); }");
  EXPECT_EQ(text.kernels.at(0).mode, HostMode::Fibres);
}

TEST(HostText, LaunchersDoNotOutgrowTheText) {
  std::string many;
  for (int i = 0; i < 5000; ++i)
    many += "__global__ void k" + std::to_string(i) + "() {}\n";
  EXPECT_EQ(llvm::toString(rewriteForHost(many).takeError()),
            "kernel.cu defines 5000 kernels, at most 4096 are allowed");
  EXPECT_EQ(llvm::toString(
                rewriteForHost("namespace " + std::string(2000, 'a') + " { " + many.substr(0, 25) + "}").takeError()),
            "kernel.cu has a kernel whose name and namespaces take 2004 characters, at most 1000 are allowed");
}

static std::string whyNotPreprocessed(llvm::StringRef text) {
  return llvm::toString(
      checkPreprocessed(("# 1 \"kgen_host.h\"\n__asm__(\"own\"); int kgen_host;\n# 1 \"kernel.cu\"\n" + text).str()));
}

TEST(PreprocessedText, WhatMacrosPutTogetherIsSeen) {
  EXPECT_EQ(whyNotPreprocessed("int x;\n"), "");
  for (const char *word : {"asm", "__asm__", "__asm"})
    EXPECT_EQ(whyNotPreprocessed(std::string("int f() { ") + word + " volatile(\"nop\"); }\n"),
              "kernel.cu uses inline assembly that macros put together, which device code has no need of");
  // The name of dynamic shared memory is kgen's.
  EXPECT_EQ(whyNotPreprocessed("extern unsigned char a[] __asm__(\"kgen_host_dynamic_shared\");\n"), "");
  EXPECT_NE(whyNotPreprocessed("extern unsigned char a[] __asm__(\"kgen_host_dynamic_shared\\n nop\");\n"), "");
  for (const char *name : {"kgen_host", "_ZN9kgen_hostL6hopperE", "__thread", "thread_local", "_end", "_DYNAMIC",
                           "__builtin_return_address", "__builtin_ia32_rdtsc"})
    EXPECT_EQ(whyNotPreprocessed(std::string("int a = sizeof(") + name + ");\n"),
              std::string("kernel.cu uses ") + name + ", which device code has no need of");
  EXPECT_NE(whyNotPreprocessed("as\\\nm(\"nop\");\n"), "");
  EXPECT_NE(whyNotPreprocessed("const char *a = R\"(asm)\";\n"), "");
  EXPECT_EQ(whyNotPreprocessed("const char *a = \"asm kgen_host \\\\\";\n"), "");
}

TEST(PreprocessedText, AttributesAreThoseOfOptimisation) {
  for (const char *attribute :
       {"__attribute__((aligned(16), noinline))", "__attribute__((__vector_size__(32)))", "[[maybe_unused]]",
        "[[gnu::always_inline]]", "__attribute__((section(\"kgen_shared_\" \"twice\")))"})
    EXPECT_EQ(whyNotPreprocessed(std::string(attribute) + " int a;\n"), "") << attribute;
  for (const char *attribute :
       {"__attribute__((section(\"mine\")))", "__attribute__((aligned(4), __section__ (\"mine\")))",
        "__attribute((alias(\"memcpy\")))", "[[gnu::section(\"mine\")]]", "[ [ gnu :: alias (\"x\")]]",
        "[[using gnu: section(\"x\")]]", "<:<:gnu::section(\"x\"):>:>", "__attribute__((tls_model(\"initial-exec\")))",
        "__attribute__((section(\"kgen_shared_\" \"a\\n.incbin\")))", "__attribute__((optimize(\"O0\")))"})
    EXPECT_NE(whyNotPreprocessed(std::string(attribute) + " int a;\n"), "") << attribute;
  EXPECT_EQ(whyNotPreprocessed("int b = a[b[3]], c = f<::x>();\n"), "");
}

TEST(SourceRules, DirectionOfReadingDoesNotTurn) {
  EXPECT_EQ(whyNot("// \xE2\x80\xAE\n"), "kernel.cu holds the bidirectional control character U+202E, which makes text "
                                         "read differently from what it is");
  EXPECT_NE(whyNot("// \xD8\x9C\n"), "");
  EXPECT_EQ(whyNot("// \xE2\x80\x93 \xD8\x9B \xC3\xA9\n"), "");
}

TEST(SourceRules, HowAKernelIsRunIsNotItsOwn) {
  EXPECT_NE(whyNot("#define KGEN_HOST_PLAIN(a, b)\n"), "");
  EXPECT_NE(whyNot("#undef KGEN_HOST\n"), "");
  EXPECT_EQ(whyNot("#ifdef KGEN_HOST\n#endif\n"), "");
  EXPECT_NE(whyNot("#pragma GCC optimize(\"fast-math\")\n"), "");
}
