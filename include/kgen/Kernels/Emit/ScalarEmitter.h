//===- ScalarEmitter.h - Scalar ops as readable C statements --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the body of a structured op: one `const float t3 = expf(t2);` for each
// arith, math or index op. The generic path and the families' point-wise
// functions share it, so that a scalar op has one spelling in CUDA-C.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>

namespace kgen::kernels {

/// What a piece of text needs from its translation unit: headers and helper functions. Each helper
/// is printed under an include guard, so that sources which need the same one can be concatenated.
class CudaHelpers {
public:
  /// Asks for a helper by name: "kgen_maximum", "kgen_minimum", "KGEN_INFINITY", "KGEN_NAN",
  /// "kgen_floordiv", "kgen_floormod", "kgen_tanh_softplus", "kgen_mma_m8n8k4"; or for a header, "cuda_fp16.h",
  /// "cuda_bf16.h".
  void need(llvm::StringRef name) { names.insert(name.str()); }

  /// The header that TYPE lives in, if any.
  void needType(mlir::Type type);

  /// `#include`s and definitions of what was asked for, in a fixed order.
  std::string text() const;

private:
  std::set<std::string> names;
};

/// The C type of a buffer's elements: f32 -> float, f16 -> __half, i64 -> long long, i1 -> bool.
/// Empty for a type that kernels do not know.
llvm::StringRef getStorageType(mlir::Type type);

/// A literal that reads back as exactly VALUE, an IntegerAttr or FloatAttr, in C type
/// TYPE's own spelling: 0.1f, 1e-05, 7ll, true, -KGEN_INFINITY. With WIDEN, 16-bit floats are
/// spelled as float.
std::string printLiteral(mlir::Attribute value, CudaHelpers &helpers, bool widen = false);

/// Prints EXPR over the names of its dimensions, with C's precedence and as few parentheses as
/// that allows. Floor division and modulo assume operands that are not negative.
std::string printIndex(mlir::AffineExpr expr, llvm::ArrayRef<std::string> dims);

/// `condition ? whenTrue : whenFalse` and the like are built from operands that bind tighter than
/// any infix operator; this adds parentheses where TEXT is not a name, call or plain literal.
std::string parenthesized(llvm::StringRef text);

/// Prints scalar ops one statement at a time. Values from outside are bound to C expressions
/// first; every op's results are then bound to fresh names t0, t1, ...
class ScalarEmitter {
public:
  /// How an op that the emitter does not know (tensor.extract) is written: an expression, or an
  /// empty string when it cannot be.
  using Fallback = llvm::function_ref<std::string(mlir::Operation *)>;

  struct Options {
    std::string indexType = "int"; ///< C type of MLIR's index
    /// Holds f16 and bf16 values in float and drops the roundings between them, as an epilogue
    /// on an fp32 accumulator does.
    bool widenFloats = false;
    unsigned indent = 2; ///< spaces before each statement
    /// If a product, it is rounded before anything is added to it: another kernel, or another pass over the elements,
    /// found a statistic among rounded ones.
    mlir::Value roundedProduct = nullptr;
    /// Writes exponentials, sigmoids, what mish multiplies with and quotients of floats by constants as what the
    /// hardware has for them, off by some 2^-17 of themselves: classes that round factors to 11 bits do not see it.
    bool approximates = false;
  };

  ScalarEmitter(llvm::raw_ostream &os, CudaHelpers &helpers, Options options)
      : os(os), helpers(helpers), options(std::move(options)) {}

  /// Says that VALUE is written as EXPRESSION.
  void bind(mlir::Value value, std::string expression) { names[value] = std::move(expression); }
  /// Says how dimension d of linalg.index is written.
  void bindDims(llvm::ArrayRef<std::string> dims) { this->dims.assign(dims.begin(), dims.end()); }

  /// The expression that stands for VALUE; constants from outside the body become literals.
  /// Empty when VALUE is unknown.
  std::string get(mlir::Value value);

  /// Prints `const TYPE NAME = EXPRESSION;` under a fresh name and binds VALUE to it.
  void declare(mlir::Value value, llvm::StringRef expression);

  /// Prints the statement of OP. One diagnostic at OP when it has no CUDA-C form.
  mlir::LogicalResult emit(mlir::Operation &op, Fallback fallback = {});

  /// Prints BODY up to its terminator, whose operands can be had by get().
  mlir::LogicalResult emitBody(mlir::Block &body, Fallback fallback = {});

  /// The C type of a local variable of type TYPE.
  std::string getLocalType(mlir::Type type) const;

  void setIndent(unsigned indent) { options.indent = indent; }

  /// EXPRESSION of float type FROM turned into float type TO, through __half2float and the like.
  std::string convertFloat(llvm::StringRef expression, mlir::Type from, mlir::Type to);

private:
  std::string expressionOf(mlir::Operation &op);
  /// What is as good as OP of ARGS where floats may be approximated; empty: nothing is.
  std::string approximationOf(mlir::Operation &op, llvm::ArrayRef<std::string> args);
  /// OPERAND for arithmetic: 16-bit floats are read as float.
  std::string arithmeticOperand(mlir::Value operand);
  /// TEXT computed by arithmeticOperand()s, rounded to the 16-bit float TYPE if it is one.
  std::string rounded(llvm::StringRef text, mlir::Type type);
  bool isNarrow(mlir::Type type) const;

  llvm::raw_ostream &os;
  CudaHelpers &helpers;
  Options options;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::SmallVector<std::string> dims;
  unsigned nextName = 0;
};

/// The C expression that combines A and B as COMBINER, a binary arith op (arith.addf,
/// arith.maximumf, ...), does. Empty for an op that is not binary arithmetic.
std::string combineExpression(mlir::Operation *combiner, llvm::StringRef a, llvm::StringRef b, CudaHelpers &helpers);

} // namespace kgen::kernels
