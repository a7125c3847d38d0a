//===- ScalarEmitter.cpp - Scalar ops as readable C statements ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace kgen::kernels {

StringRef getStorageType(Type type) {
  if (type.isF64())
    return "double";
  if (type.isF32())
    return "float";
  if (type.isF16())
    return "__half";
  if (type.isBF16())
    return "__nv_bfloat16";
  if (type.isInteger(64))
    return "long long";
  if (type.isInteger(32))
    return "int";
  if (type.isInteger(16))
    return "short";
  if (type.isInteger(8))
    return "signed char";
  if (type.isInteger(1))
    return "bool";
  return "";
}

//===----------------------------------------------------------------------===//
// Literals and indices
//===----------------------------------------------------------------------===//

std::string parenthesized(StringRef text) {
  bool simple =
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '[' || c == ']'; });
  if (simple)
    return text.str();
  // 1e-05f
  if (llvm::isDigit(text.front()) && text.find_first_of(" ()") == StringRef::npos)
    return text.str();
  // One call or parenthesis that spans everything after its name.
  size_t open = text.find('(');
  if (open != StringRef::npos && text.back() == ')' &&
      llvm::all_of(text.take_front(open), [](char c) { return llvm::isAlnum(c) || c == '_'; })) {
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) {
        // `(float)x` is a cast, not a call: it ends early and falls through.
        if (i + 1 == text.size())
          return text.str();
        break;
      }
    }
  }
  return "(" + text.str() + ")";
}

static std::string printFloat(const APFloat &value, StringRef suffix, CudaHelpers &helpers) {
  if (value.isInfinity() || value.isNaN()) {
    helpers.need(value.isNaN() ? "KGEN_NAN" : "KGEN_INFINITY");
    // The macros are floats; a template argument must not be deduced from them for double.
    std::string name = suffix.empty() ? "(double)" : "";
    name += value.isNaN() ? "KGEN_NAN" : "KGEN_INFINITY";
    return value.isInfinity() && value.isNegative() ? "-" + name : name;
  }
  // The fewest digits that read back as the same value; APFloat's own choice is nine for any float.
  std::string text;
  for (unsigned precision = 1; precision <= 17; ++precision) {
    SmallString<32> digits;
    value.toString(digits, precision, /*FormatMaxPadding=*/6, /*TruncateZero=*/true);
    text = digits.str().lower();
    if (APFloat(value.getSemantics(), text).bitwiseIsEqual(value))
      break;
  }
  if (StringRef(text).find_first_of(".e") == StringRef::npos)
    text += ".0";
  return text + suffix.str();
}

std::string printLiteral(Attribute value, CudaHelpers &helpers, bool widen) {
  if (auto floating = dyn_cast<FloatAttr>(value)) {
    Type type = floating.getType();
    if (type.isF64())
      return printFloat(floating.getValue(), "", helpers);
    // 16-bit floats are exact in float.
    APFloat single = floating.getValue();
    bool lossy;
    single.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
    std::string text = printFloat(single, "f", helpers);
    if (type.isF32() || widen)
      return text;
    helpers.needType(type);
    return (type.isF16() ? "__float2half(" : "__float2bfloat16(") + text + ")";
  }
  auto integer = cast<IntegerAttr>(value);
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "false" : "true";
  // The most negative value has no literal of its own in C.
  if (integer.getValue().isMinSignedValue() && integer.getValue().getBitWidth() >= 32) {
    if (integer.getType().isInteger(32))
      return "(-2147483647 - 1)";
    return "(-9223372036854775807ll - 1)";
  }
  std::string digits = llvm::toString(integer.getValue(), 10, /*Signed=*/true);
  return integer.getType().isInteger(64) ? digits + "ll" : digits;
}

/// The terms of a sum, left to right.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  if (expr.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  auto sum = cast<AffineBinaryOpExpr>(expr);
  collectTerms(sum.getLHS(), terms);
  collectTerms(sum.getRHS(), terms);
}

/// Precedence: 0 sum, 1 product, 2 atom.
static std::string printIndex(AffineExpr expr, ArrayRef<std::string> dims, int precedence) {
  auto wrap = [&](std::string text, int own) { return own < precedence ? "(" + text + ")" : text; };
  switch (expr.getKind()) {
  case AffineExprKind::Constant: {
    int64_t value = cast<AffineConstantExpr>(expr).getValue();
    return wrap(std::to_string(value), value < 0 ? 0 : 2);
  }
  case AffineExprKind::DimId:
    return wrap(dims[cast<AffineDimExpr>(expr).getPosition()],
                StringRef(dims[cast<AffineDimExpr>(expr).getPosition()]).contains(' ') ? 0 : 2);
  case AffineExprKind::SymbolId:
    llvm_unreachable("index expressions have no symbols: all shapes are static");
  case AffineExprKind::Add: {
    SmallVector<AffineExpr> terms;
    collectTerms(expr, terms);
    std::string text;
    for (AffineExpr term : terms) {
      // A negative term after the first is a subtraction.
      auto constant = dyn_cast<AffineConstantExpr>(term);
      auto product = dyn_cast<AffineBinaryOpExpr>(term);
      auto factor = product && term.getKind() == AffineExprKind::Mul ? dyn_cast<AffineConstantExpr>(product.getRHS())
                                                                     : AffineConstantExpr();
      bool negative = (constant && constant.getValue() < 0) || (factor && factor.getValue() < 0);
      if (text.empty())
        text = printIndex(term, dims, 0);
      else if (negative)
        text += " - " + printIndex(-term, dims, 1);
      else
        text += " + " + printIndex(term, dims, 0);
    }
    return wrap(text, 0);
  }
  case AffineExprKind::Mul:
  case AffineExprKind::Mod:
  case AffineExprKind::FloorDiv: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
        factor && factor.getValue() == -1 && expr.getKind() == AffineExprKind::Mul)
      return wrap("-" + printIndex(binary.getLHS(), dims, 2), 0);
    const char *sign = expr.getKind() == AffineExprKind::Mul   ? " * "
                       : expr.getKind() == AffineExprKind::Mod ? " % "
                                                               : " / ";
    return wrap(printIndex(binary.getLHS(), dims, 1) + sign + printIndex(binary.getRHS(), dims, 2), 1);
  }
  case AffineExprKind::CeilDiv: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    return printIndex((binary.getLHS() + (divisor - 1)).floorDiv(divisor), dims, precedence);
  }
  }
  llvm_unreachable("unknown affine expression");
}

std::string printIndex(AffineExpr expr, ArrayRef<std::string> dims) { return printIndex(expr, dims, 0); }

//===----------------------------------------------------------------------===//
// Spelling of scalar ops
//===----------------------------------------------------------------------===//

/// The C function of a unary or binary op of math on double; float takes an `f` after it.
static StringRef getMathFunction(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("math.absf", "fabs")
      .Case("math.acos", "acos")
      .Case("math.acosh", "acosh")
      .Case("math.asin", "asin")
      .Case("math.asinh", "asinh")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Case("math.ceil", "ceil")
      .Case("math.copysign", "copysign")
      .Case("math.cos", "cos")
      .Case("math.cosh", "cosh")
      .Case("math.erf", "erf")
      .Case("math.erfc", "erfc")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.floor", "floor")
      .Case("math.fma", "fma")
      .Case("math.log", "log")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.log2", "log2")
      .Case("math.powf", "pow")
      .Case("math.round", "round")
      .Case("math.roundeven", "rint")
      .Case("math.rsqrt", "rsqrt")
      .Case("math.sin", "sin")
      .Case("math.sinh", "sinh")
      .Case("math.sqrt", "sqrt")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Case("math.trunc", "trunc")
      .Case("arith.remf", "fmod")
      .Case("arith.maxnumf", "fmax")
      .Case("arith.minnumf", "fmin")
      .Default("");
}

static StringRef getInfix(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"arith.addf", "arith.addi"}, "+")
      .Cases({"arith.subf", "arith.subi"}, "-")
      .Cases({"arith.mulf", "arith.muli"}, "*")
      .Cases({"arith.divf", "arith.divsi"}, "/")
      .Case("arith.remsi", "%")
      .Case("arith.andi", "&")
      .Case("arith.ori", "|")
      .Case("arith.xori", "^")
      .Case("arith.shli", "<<")
      .Case("arith.shrsi", ">>")
      .Default("");
}

/// A and B combined by the binary op NAME, both already of its arithmetic type.
static std::string spellBinary(StringRef name, bool isBool, StringRef a, StringRef b, CudaHelpers &helpers) {
  StringRef infix = getInfix(name);
  if (isBool) {
    infix = llvm::StringSwitch<StringRef>(name)
                .Cases({"arith.andi", "arith.muli", "arith.minui", "arith.maxsi"}, "&&")
                .Cases({"arith.ori", "arith.maxui", "arith.minsi"}, "||")
                .Cases({"arith.xori", "arith.addi", "arith.subi"}, "!=")
                .Default("");
  }
  if (!infix.empty())
    return parenthesized(a) + " " + infix.str() + " " + parenthesized(b);
  if (isBool)
    return "";
  StringRef helper = llvm::StringSwitch<StringRef>(name)
                         .Cases({"arith.maximumf", "arith.maxsi"}, "kgen_maximum")
                         .Cases({"arith.minimumf", "arith.minsi"}, "kgen_minimum")
                         .Case("arith.floordivsi", "kgen_floordiv")
                         .Case("arith.ceildivsi", "kgen_ceildiv")
                         .Default("");
  if (helper.empty())
    return "";
  helpers.need(helper);
  return (helper + "(" + a + ", " + b + ")").str();
}

std::string combineExpression(Operation *combiner, StringRef a, StringRef b, CudaHelpers &helpers) {
  if (combiner->getNumOperands() != 2 || combiner->getNumResults() != 1)
    return "";
  Type type = combiner->getResult(0).getType();
  StringRef name = combiner->getName().getStringRef();
  bool narrow = type.isF16() || type.isBF16();
  std::string left = a.str(), right = b.str();
  if (narrow) {
    helpers.needType(type);
    StringRef widen = type.isF16() ? "__half2float(" : "__bfloat162float(";
    left = (widen + a + ")").str();
    right = (widen + b + ")").str();
  }
  std::string text;
  StringRef function = getMathFunction(name);
  if (!function.empty())
    text = (function + (type.isF64() ? "(" : "f(") + left + ", " + right + ")").str();
  else
    text = spellBinary(name, type.isInteger(1), left, right, helpers);
  if (narrow && !text.empty())
    text = (type.isF16() ? "__float2half(" : "__float2bfloat16(") + text + ")";
  return text;
}

bool ScalarEmitter::isNarrow(Type type) const { return !options.widenFloats && (type.isF16() || type.isBF16()); }

std::string ScalarEmitter::getLocalType(Type type) const {
  if (type.isIndex())
    return options.indexType;
  if (options.widenFloats && (type.isF16() || type.isBF16()))
    return "float";
  helpers.needType(type);
  return getStorageType(type).str();
}

std::string ScalarEmitter::convertFloat(StringRef expression, Type from, Type to) {
  std::string fromName = getLocalType(from), toName = getLocalType(to);
  if (fromName == toName)
    return expression.str();
  std::string wide = expression.str();
  if (isNarrow(from))
    wide = ((from.isF16() ? "__half2float(" : "__bfloat162float(") + expression + ")").str();
  if (isNarrow(to)) {
    // Through float, as torch converts double: the double rounding is torch's as well.
    if (from.isF64())
      wide = "(float)" + parenthesized(wide);
    return (to.isF16() ? "__float2half(" : "__float2bfloat16(") + wide + ")";
  }
  if (to.isF64() || from.isF64())
    return "(" + toName + ")" + parenthesized(wide);
  return wide;
}

std::string ScalarEmitter::get(Value value) {
  auto it = names.find(value);
  if (it != names.end())
    return it->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (isa<IntegerAttr, FloatAttr>(constant))
      return printLiteral(constant, helpers, options.widenFloats);
  return "";
}

std::string ScalarEmitter::arithmeticOperand(Value operand) {
  std::string text = get(operand);
  if (!isNarrow(operand.getType()) || text.empty())
    return text;
  helpers.needType(operand.getType());
  return (operand.getType().isF16() ? "__half2float(" : "__bfloat162float(") + text + ")";
}

std::string ScalarEmitter::rounded(StringRef text, Type type) {
  if (text.empty() || !isNarrow(type))
    return text.str();
  return ((type.isF16() ? "__float2half(" : "__float2bfloat16(") + text + ")").str();
}

void ScalarEmitter::declare(Value value, StringRef expression) {
  std::string name = "t" + std::to_string(nextName++);
  os.indent(options.indent) << "const " << getLocalType(value.getType()) << " " << name << " = " << expression << ";\n";
  bind(value, name);
}

static std::string spellCompare(arith::CmpFPredicate predicate, StringRef a, StringRef b) {
  std::string l = parenthesized(a), r = parenthesized(b);
  using P = arith::CmpFPredicate;
  // The unordered forms are true on NaN, so each is the negation of the opposite ordered one.
  switch (predicate) {
  case P::AlwaysFalse:
    return "false";
  case P::OEQ:
    return l + " == " + r;
  case P::OGT:
    return l + " > " + r;
  case P::OGE:
    return l + " >= " + r;
  case P::OLT:
    return l + " < " + r;
  case P::OLE:
    return l + " <= " + r;
  case P::ONE:
    return l + " < " + r + " || " + l + " > " + r;
  case P::ORD:
    return l + " == " + l + " && " + r + " == " + r;
  case P::UEQ:
    return "!(" + l + " < " + r + " || " + l + " > " + r + ")";
  case P::UGT:
    return "!(" + l + " <= " + r + ")";
  case P::UGE:
    return "!(" + l + " < " + r + ")";
  case P::ULT:
    return "!(" + l + " >= " + r + ")";
  case P::ULE:
    return "!(" + l + " > " + r + ")";
  case P::UNE:
    return l + " != " + r;
  case P::UNO:
    return l + " != " + l + " || " + r + " != " + r;
  case P::AlwaysTrue:
    return "true";
  }
  return "";
}

static std::string spellCompare(arith::CmpIOp op, StringRef a, StringRef b, StringRef type) {
  std::string l = parenthesized(a), r = parenthesized(b);
  using P = arith::CmpIPredicate;
  std::string cast = type == "bool" ? "" : "(unsigned " + type.str() + ")";
  switch (op.getPredicate()) {
  case P::eq:
    return l + " == " + r;
  case P::ne:
    return l + " != " + r;
  case P::slt:
    return l + " < " + r;
  case P::sle:
    return l + " <= " + r;
  case P::sgt:
    return l + " > " + r;
  case P::sge:
    return l + " >= " + r;
  case P::ult:
    return cast + l + " < " + cast + r;
  case P::ule:
    return cast + l + " <= " + cast + r;
  case P::ugt:
    return cast + l + " > " + cast + r;
  case P::uge:
    return cast + l + " >= " + cast + r;
  }
  return "";
}

/// Whether a statistic is subtracted from this product, as softmax's largest exponent is. Another kernel found the
/// statistic among products that it rounded. One that a fused multiplication and subtraction did not round may exceed
/// the largest by half a unit in its last place, and an exponential makes infinity of that.
static bool isShiftedProduct(Operation &op) {
  auto loops = dyn_cast<linalg::GenericOp>(op.getParentOp());
  if (!loops || !isa<arith::MulFOp>(op))
    return false;
  return llvm::any_of(op.getUsers(), [&](Operation *user) {
    auto difference = dyn_cast<arith::SubFOp>(user);
    auto shift = difference ? dyn_cast<BlockArgument>(difference.getRhs()) : BlockArgument();
    return shift && shift.getOwner() == loops.getBody() &&
           !loops.getMatchingIndexingMap(loops.getMatchingOpOperand(shift)).isPermutation();
  });
}

/// Whether VALUE is one more than an exponential.
static bool isOneMoreThanExponential(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  return sum && llvm::any_of(sum->getOperands(), [](Value term) { return matchPattern(term, m_OneFloat()); }) &&
         llvm::any_of(sum->getOperands(), [](Value term) { return term.getDefiningOp<math::ExpOp>(); });
}

/// Whether OP's result jumps where its operand hardly moves: a whole quotient must be one.
static bool jumps(Operation &op) {
  if (isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp, arith::FPToSIOp,
          arith::FPToUIOp, arith::RemFOp>(op))
    return true;
  return isa<arith::CmpFOp>(op) &&
         !llvm::all_of(op.getUsers(), [](Operation *user) { return isa<arith::SelectOp>(user); });
}

std::string ScalarEmitter::approximationOf(Operation &op, ArrayRef<std::string> args) {
  if (isa<math::ExpOp>(op))
    return "__expf(" + args[0] + ")";
  if (isa<math::TanhOp>(op)) {
    auto logarithm = op.getOperand(0).getDefiningOp<math::Log1pOp>();
    auto exponential = logarithm ? logarithm.getOperand().getDefiningOp<math::ExpOp>() : math::ExpOp();
    if (!exponential)
      return "";
    helpers.need("kgen_tanh_softplus");
    return "kgen_tanh_softplus(" + arithmeticOperand(exponential.getOperand()) + ")";
  }
  if (auto sum = dyn_cast<arith::AddFOp>(op)) {
    for (auto [term, other] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
      if (auto erf = term.getDefiningOp<math::ErfOp>(); erf && matchPattern(other, m_OneFloat())) {
        helpers.need("kgen_erf_plus_one");
        return "kgen_erf_plus_one(" + arithmeticOperand(erf.getOperand()) + ")";
      }
    return "";
  }
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient)
    return "";
  // Between 2^126 and 2^128 the hardware's quotient is 0: that is all the same for what is no larger than 1.
  if (matchPattern(quotient.getLhs(), m_OneFloat()) && isOneMoreThanExponential(quotient.getRhs()))
    return "__fdividef(" + args[0] + ", " + args[1] + ")";
  APFloat divisor(APFloat::IEEEsingle());
  if (!matchPattern(quotient.getRhs(), m_ConstantFloat(&divisor)) || llvm::any_of(*op.getBlock(), jumps))
    return "";
  bool lossy;
  divisor.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
  // Neither it nor its reciprocal is near the ends of the range.
  const float value = divisor.convertToFloat(), size = std::fabs(value);
  if (!(size > 0x1p-100f && size < 0x1p100f))
    return "";
  return parenthesized(args[0]) + " * " + parenthesized(printFloat(APFloat(1.0f / value), "f", helpers));
}

std::string ScalarEmitter::expressionOf(Operation &op) {
  if (op.getNumResults() != 1)
    return "";
  Type type = op.getResult(0).getType();
  StringRef name = op.getName().getStringRef();
  SmallVector<std::string> args;
  for (Value operand : op.getOperands()) {
    args.push_back(arithmeticOperand(operand));
    if (args.back().empty())
      return "";
  }

  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() < dims.size() ? dims[index.getDim()] : "";
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    if (apply.getAffineMap().getNumSymbols())
      return "";
    for (std::string &arg : args)
      arg = parenthesized(arg);
    return printIndex(apply.getAffineMap().getResult(0), args);
  }

  if (options.approximates && getLocalType(type) == "float")
    if (std::string text = approximationOf(op, args); !text.empty())
      return text;
  StringRef function = getMathFunction(name);
  if (!function.empty()) {
    std::string text = (function + (type.isF64() ? "(" : "f(") + llvm::join(args, ", ") + ")").str();
    return rounded(text, type);
  }
  const bool isRounded = isa<arith::MulFOp>(op) && op.getResult(0) == options.roundedProduct;
  if ((isRounded || isShiftedProduct(op)) && !isNarrow(type))
    return (type.isF64() ? "__dmul_rn(" : "__fmul_rn(") + args[0] + ", " + args[1] + ")";
  if (op.getNumOperands() == 2 && op.getOperand(0).getType() == type && op.getOperand(1).getType() == type) {
    std::string text = spellBinary(name, type.isInteger(1), args[0], args[1], helpers);
    if (!text.empty())
      return rounded(text, type);
  }

  std::string typeName = getLocalType(type);
  auto cast = [&](StringRef text) { return "(" + typeName + ")" + parenthesized(text); };
  auto unsignedOf = [&](unsigned i) {
    std::string operandType = getLocalType(op.getOperand(i).getType());
    return operandType == "bool" ? args[i] : "(unsigned " + operandType + ")" + parenthesized(args[i]);
  };
  return llvm::TypeSwitch<Operation *, std::string>(&op)
      .Case([&](arith::NegFOp) { return rounded("-" + parenthesized(args[0]), type); })
      .Case([&](arith::CmpFOp cmp) { return spellCompare(cmp.getPredicate(), args[0], args[1]); })
      .Case(
          [&](arith::CmpIOp cmp) { return spellCompare(cmp, args[0], args[1], getLocalType(cmp.getLhs().getType())); })
      .Case([&](arith::SelectOp select) {
        // The operands pass through unrounded. Nothing but another choice binds as loosely.
        auto branch = [&](Value value) {
          std::string text = get(value);
          return StringRef(text).contains('?') ? "(" + text + ")" : text;
        };
        return parenthesized(args[0]) + " ? " + branch(select.getTrueValue()) + " : " + branch(select.getFalseValue());
      })
      .Case([&](arith::ExtFOp ext) { return convertFloat(get(ext.getIn()), ext.getIn().getType(), type); })
      .Case([&](arith::TruncFOp trunc) { return convertFloat(get(trunc.getIn()), trunc.getIn().getType(), type); })
      .Case<arith::SIToFPOp>(
          [&](auto) { return isNarrow(type) ? rounded("(float)" + parenthesized(args[0]), type) : cast(args[0]); })
      .Case<arith::UIToFPOp>([&](auto) {
        return isNarrow(type) ? rounded("(float)" + unsignedOf(0), type) : "(" + typeName + ")" + unsignedOf(0);
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp, arith::ExtSIOp, arith::IndexCastOp>([&](auto) {
        // A signed extension of one bit is minus one.
        if (isa<arith::ExtSIOp>(op) && op.getOperand(0).getType().isInteger(1))
          return "-(" + typeName + ")" + parenthesized(args[0]);
        return cast(args[0]);
      })
      .Case<arith::TruncIOp>(
          [&](auto) { return type.isInteger(1) ? "(" + parenthesized(args[0]) + " & 1) != 0" : cast(args[0]); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return "(" + typeName + ")" + unsignedOf(0); })
      .Case<arith::DivUIOp>([&](auto) { return cast("(" + unsignedOf(0) + " / " + unsignedOf(1) + ")"); })
      .Case<arith::RemUIOp>([&](auto) { return cast("(" + unsignedOf(0) + " % " + unsignedOf(1) + ")"); })
      .Case<arith::ShRUIOp>([&](auto) { return cast("(" + unsignedOf(0) + " >> " + parenthesized(args[1]) + ")"); })
      .Case<arith::MaxUIOp, arith::MinUIOp>([&](auto) {
        StringRef helper = isa<arith::MaxUIOp>(op) ? "kgen_maximum" : "kgen_minimum";
        helpers.need(helper);
        return cast((helper + "(" + unsignedOf(0) + ", " + unsignedOf(1) + ")").str());
      })
      .Case<arith::BitcastOp>([&](auto) -> std::string {
        Type from = op.getOperand(0).getType();
        if (from.isF32() && type.isInteger(32))
          return "__float_as_int(" + args[0] + ")";
        if (from.isInteger(32) && type.isF32())
          return "__int_as_float(" + args[0] + ")";
        return "";
      })
      .Case<math::AbsIOp>(
          [&](auto) { return parenthesized(args[0]) + " < 0 ? -" + parenthesized(args[0]) + " : " + args[0]; })
      .Case<math::FPowIOp>([&](auto) {
        return rounded((type.isF64() ? "pow(" : "powf(") + args[0] + ", (" + (type.isF64() ? "double" : "float") + ")" +
                           parenthesized(args[1]) + ")",
                       type);
      })
      .Case<math::IPowIOp>([&](auto) {
        helpers.need("kgen_ipow");
        return "kgen_ipow(" + args[0] + ", " + args[1] + ")";
      })
      .Case<math::IsNaNOp>([&](auto) { return parenthesized(args[0]) + " != " + parenthesized(args[0]); })
      .Case<math::IsInfOp>([&](auto) {
        helpers.need("KGEN_INFINITY");
        return parenthesized(args[0]) + " == KGEN_INFINITY || " + parenthesized(args[0]) + " == -KGEN_INFINITY";
      })
      .Case<math::IsFiniteOp>([&](auto) {
        // Only infinities and NaN give NaN here.
        return parenthesized(args[0]) + " - " + parenthesized(args[0]) + " == 0";
      })
      .Default([](Operation *) { return std::string(); });
}

LogicalResult ScalarEmitter::emit(Operation &op, Fallback fallback) {
  Attribute constant;
  if (matchPattern(&op, m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant)) {
    bind(op.getResult(0), printLiteral(constant, helpers, options.widenFloats));
    return success();
  }
  for (Type type : op.getResultTypes())
    if (!type.isIndex() && getStorageType(type).empty())
      return op.emitOpError() << "yields " << type << ", which CUDA-C kernels do not know";
  if (auto index = dyn_cast<linalg::IndexOp>(op); index && index.getDim() < dims.size()) {
    bind(index.getResult(), dims[index.getDim()]);
    return success();
  }
  std::string text = expressionOf(op);
  if (text.empty() && fallback)
    text = fallback(&op);
  if (text.empty())
    return op.emitOpError("has no CUDA-C form");
  // A conversion that changes nothing in C needs no variable of its own.
  if (op.getNumOperands() == 1 && text == get(op.getOperand(0)))
    bind(op.getResult(0), text);
  else
    declare(op.getResult(0), text);
  return success();
}

LogicalResult ScalarEmitter::emitBody(Block &body, Fallback fallback) {
  for (Operation &op : body.without_terminator())
    if (failed(emit(op, fallback)))
      return failure();
  return success();
}

} // namespace kgen::kernels
