//===- CudaHelpers.cpp - Headers and helper functions of a text -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace kgen::kernels {

namespace {
struct HelperText {
  const char *name, *text;
};

/// In the order in which they are printed. All names start with kgen_ or KGEN_, and each stands
/// under a guard of its own: the kernels of several dispatches end up in one file.
constexpr HelperText helperTexts[] = {
    {"KGEN_INFINITY", "#define KGEN_INFINITY __int_as_float(0x7f800000)\n"},
    {"KGEN_NAN", "#define KGEN_NAN __int_as_float(0x7fffffff)\n"},
    {"kgen_pack", "// Neighbouring elements, which travel in one access.\n"
                  "template <typename T, int N> struct alignas(sizeof(T) * N) kgen_pack {\n  T lane[N];\n};\n"},
    {"kgen_maximum", "// The larger one; NaN when either is NaN, as torch has it.\n"
                     "template <typename T> __device__ __forceinline__ T kgen_maximum(T a, T b) {\n"
                     "  return a > b || a != a ? a : b;\n}\n"},
    {"kgen_minimum", "// The smaller one; NaN when either is NaN, as torch has it.\n"
                     "template <typename T> __device__ __forceinline__ T kgen_minimum(T a, T b) {\n"
                     "  return a < b || a != a ? a : b;\n}\n"},
    {"kgen_tanh_softplus",
     "// tanh(log(1 + exp(x))), of which mish is x times: with e = exp(x) it is e (e + 2) / (e (e + 2) + 2).\n"
     "__device__ __forceinline__ float kgen_tanh_softplus(float x) {\n"
     "  const float e = __expf(x), n = e * (e + 2.0f);\n"
     "  return x > 15.0f ? 1.0f : __fdividef(n, n + 2.0f);\n}\n"},
    {"kgen_erf_plus_one", "// 1 + erf(x), of which gelu is a multiple, without what cancels below zero: a polynomial "
                          "of 1 / (1 + p |x|) times\n"
                          "// exp(-x x) (Abramowitz and Stegun 7.1.26), off by 6e-7 at most.\n"
                          "__device__ __forceinline__ float kgen_erf_plus_one(float x) {\n"
                          "  const float t = __fdividef(1.0f, fmaf(0.3275911f, fabsf(x), 1.0f));\n"
                          "  float p = fmaf(1.0614054f, t, -1.4531521f);\n"
                          "  p = fmaf(p, t, 1.4214137f);\n"
                          "  p = fmaf(p, t, -0.28449674f);\n"
                          "  p = fmaf(p, t, 0.25482959f) * t * __expf(-x * x);\n"
                          "  return x < 0.0f ? p : 2.0f - p;\n}\n"},
    {"kgen_mma_m8n8k4",
     "// A warp's d += a * b of 8x4 and 4x8: a thread's a is of row lane / 4 and column lane % 4, its b of row lane % "
     "4\n"
     "// and column lane / 4, its d of row lane / 4 and columns lane % 4 * 2 and the next.\n"
     "__device__ __forceinline__ void kgen_mma_m8n8k4(double &d0, double &d1, double a, double b) {\n"
     "#ifndef KGEN_HOST\n"
     "  asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\"\n"
     "               : \"+d\"(d0), \"+d\"(d1)\n"
     "               : \"d\"(a), \"d\"(b));\n"
     "#else\n"
     "  const int lane = threadIdx.x % 32;\n"
     "  for (int k = 0; k < 4; ++k) {\n"
     "    const double row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);\n"
     "    d0 += row * __shfl_sync(0xffffffffu, b, lane % 4 * 8 + k);\n"
     "    d1 += row * __shfl_sync(0xffffffffu, b, lane % 4 * 8 + 4 + k);\n"
     "  }\n"
     "#endif\n}\n"},
    {"kgen_floordiv", "// Integer division that rounds towards minus infinity.\n"
                      "template <typename T> __device__ __forceinline__ T kgen_floordiv(T a, T b) {\n"
                      "  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);\n}\n"},
    {"kgen_ceildiv", "// Integer division that rounds towards plus infinity.\n"
                     "template <typename T> __device__ __forceinline__ T kgen_ceildiv(T a, T b) {\n"
                     "  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);\n}\n"},
    {"kgen_ipow", "// BASE to an integer power that is not negative.\n"
                  "template <typename T> __device__ __forceinline__ T kgen_ipow(T base, long long power) {\n"
                  "  T result = 1;\n"
                  "  for (; power > 0; power >>= 1, base *= base)\n"
                  "    if (power & 1)\n"
                  "      result *= base;\n"
                  "  return result;\n}\n"},
};
} // namespace

void CudaHelpers::needType(Type type) {
  if (type.isF16())
    need("cuda_fp16.h");
  else if (type.isBF16())
    need("cuda_bf16.h");
}

std::string CudaHelpers::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const char *header : {"cuda_fp16.h", "cuda_bf16.h"})
    if (names.count(header))
      os << "#include <" << header << ">\n";
  for (const HelperText &helper : helperTexts) {
    if (!names.count(helper.name))
      continue;
    std::string guard = StringRef(helper.name).upper() + "_DEFINED";
    // A macro is its own guard.
    if (StringRef(helper.name).starts_with("KGEN_"))
      guard = helper.name;
    os << "#ifndef " << guard << "\n";
    if (guard != helper.name)
      os << "#define " << guard << "\n";
    os << helper.text << "#endif\n";
  }
  return text;
}

} // namespace kgen::kernels
