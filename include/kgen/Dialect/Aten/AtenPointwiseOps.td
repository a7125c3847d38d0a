//===- AtenPointwiseOps.td - Element-wise ops -----------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENPOINTWISEOPS_TD
#define KGEN_DIALECT_ATEN_ATENPOINTWISEOPS_TD

include "kgen/Dialect/Aten/AtenBase.td"

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Result type = operand type. `params` is the schema's text after `Tensor self`,
/// `example` the attributes of the documentation's example.
class Aten_UnaryOp<string mnemonic, Type type, string formula, string params = "",
                   string example = "">
    : Aten_Op<mnemonic, "Elementwise"> {
  let summary = "element-wise " # formula;
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self" # params # ") -> Tensor`.\n\n"
      # "result = " # formula # " for each element x of `self`; shape and element type are `self`'s.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic # " %x " # example
      # ": (tensor<4x8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins type:$self);
  let results = (outs type:$result);
  let assemblyFormat = "$self attr-dict `:` functional-type(operands, results)";
  let infer = "inferSameAsOperand(*this, results)";
  let flops = "resultElements(*this)";
}

def Aten_AbsOp : Aten_UnaryOp<"abs", Aten_NumberTensor, "|x|">;
def Aten_AcosOp : Aten_UnaryOp<"acos", Aten_FloatTensor, "arccos(x)">;
def Aten_AcoshOp : Aten_UnaryOp<"acosh", Aten_FloatTensor, "arcosh(x)">;
def Aten_AsinOp : Aten_UnaryOp<"asin", Aten_FloatTensor, "arcsin(x)">;
def Aten_AsinhOp : Aten_UnaryOp<"asinh", Aten_FloatTensor, "arsinh(x)">;
def Aten_AtanOp : Aten_UnaryOp<"atan", Aten_FloatTensor, "arctan(x)">;
def Aten_AtanhOp : Aten_UnaryOp<"atanh", Aten_FloatTensor, "artanh(x)">;
def Aten_CeilOp : Aten_UnaryOp<"ceil", Aten_FloatTensor, "the smallest integer that is not below x">;
def Aten_CosOp : Aten_UnaryOp<"cos", Aten_FloatTensor, "cos(x)">;
def Aten_CoshOp : Aten_UnaryOp<"cosh", Aten_FloatTensor, "cosh(x)">;
def Aten_ErfOp : Aten_UnaryOp<"erf", Aten_FloatTensor, "erf(x)">;
def Aten_ErfcOp : Aten_UnaryOp<"erfc", Aten_FloatTensor, "1 - erf(x)">;
def Aten_ErfinvOp : Aten_UnaryOp<"erfinv", Aten_FloatTensor, "the y with erf(y) = x">;
def Aten_ExpOp : Aten_UnaryOp<"exp", Aten_FloatTensor, "exp(x)">;
def Aten_Exp2Op : Aten_UnaryOp<"exp2", Aten_FloatTensor, "2 ** x">;
def Aten_Expm1Op : Aten_UnaryOp<"expm1", Aten_FloatTensor, "exp(x) - 1">;
def Aten_FloorOp : Aten_UnaryOp<"floor", Aten_FloatTensor, "the largest integer that is not above x">;
def Aten_HardsigmoidOp : Aten_UnaryOp<"hardsigmoid", Aten_FloatTensor, "min(max(x + 3, 0), 6) / 6">;
def Aten_HardswishOp : Aten_UnaryOp<"hardswish", Aten_FloatTensor, "x * min(max(x + 3, 0), 6) / 6">;
def Aten_LogOp : Aten_UnaryOp<"log", Aten_FloatTensor, "ln(x)">;
def Aten_Log10Op : Aten_UnaryOp<"log10", Aten_FloatTensor, "ln(x) / ln(10)">;
def Aten_Log1pOp : Aten_UnaryOp<"log1p", Aten_FloatTensor, "ln(1 + x)">;
def Aten_Log2Op : Aten_UnaryOp<"log2", Aten_FloatTensor, "ln(x) / ln(2)">;
def Aten_MishOp : Aten_UnaryOp<"mish", Aten_FloatTensor, "x * tanh(ln(1 + exp(x)))">;
def Aten_NegOp : Aten_UnaryOp<"neg", Aten_NumberTensor, "-x">;
def Aten_ReciprocalOp : Aten_UnaryOp<"reciprocal", Aten_FloatTensor, "1 / x">;
def Aten_ReluOp : Aten_UnaryOp<"relu", Aten_NumberTensor, "max(x, 0)">;
def Aten_RoundOp : Aten_UnaryOp<"round", Aten_FloatTensor, "the integer nearest to x, of two the even one">;
def Aten_RsqrtOp : Aten_UnaryOp<"rsqrt", Aten_FloatTensor, "1 / sqrt(x)">;
def Aten_SeluOp : Aten_UnaryOp<"selu", Aten_FloatTensor,
    "s * (max(x, 0) + min(a * (exp(x) - 1), 0)), a = 1.6732632423543772, s = 1.0507009873554805">;
def Aten_SigmoidOp : Aten_UnaryOp<"sigmoid", Aten_FloatTensor, "1 / (1 + exp(-x))">;
def Aten_SignOp : Aten_UnaryOp<"sign", Aten_NumberTensor, "-1, 0 or 1 as x is negative, zero or positive, 0 for NaN">;
def Aten_SiluOp : Aten_UnaryOp<"silu", Aten_FloatTensor, "x / (1 + exp(-x))">;
def Aten_SinOp : Aten_UnaryOp<"sin", Aten_FloatTensor, "sin(x)">;
def Aten_SinhOp : Aten_UnaryOp<"sinh", Aten_FloatTensor, "sinh(x)">;
def Aten_SqrtOp : Aten_UnaryOp<"sqrt", Aten_FloatTensor, "sqrt(x)">;
def Aten_SquareOp : Aten_UnaryOp<"square", Aten_NumberTensor, "x * x">;
def Aten_TanOp : Aten_UnaryOp<"tan", Aten_FloatTensor, "tan(x)">;
def Aten_TanhOp : Aten_UnaryOp<"tanh", Aten_FloatTensor, "tanh(x)">;
def Aten_TruncOp : Aten_UnaryOp<"trunc", Aten_FloatTensor, "x without its fraction">;

//===----------------------------------------------------------------------===//
// One operand and constants
//===----------------------------------------------------------------------===//

def Aten_ClampOp : Aten_UnaryOp<"clamp", Aten_NumberTensor, "min(max(x, min), max), an absent bound does not bind",
    ", Scalar? min=None, Scalar? max=None", "{max = 1.0, min = 0.0} "> {
  let arguments = (ins Aten_NumberTensor:$self, OptionalAttr<Aten_F64>:$min, OptionalAttr<Aten_F64>:$max);
  // clamp_c1: at least one bound is present.
  let infer = "inferClamp(*this, getMinAttr(), getMaxAttr(), results)";
}

def Aten_EluOp : Aten_UnaryOp<"elu", Aten_FloatTensor,
    "scale * (x > 0 ? x : alpha * (exp(x * input_scale) - 1))",
    ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1", "{alpha = 0.5} "> {
  let arguments = (ins Aten_FloatTensor:$self, Aten_DefaultF64<"1.0">:$alpha,
                       Aten_DefaultF64<"1.0">:$scale, Aten_DefaultF64<"1.0">:$input_scale);
}

def Aten_GeluOp : Aten_UnaryOp<"gelu", Aten_FloatTensor,
    "x * Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or with approximate = \"tanh\" "
    # "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))",
    ", *, str approximate='none'", "{approximate = \"tanh\"} "> {
  let arguments = (ins Aten_FloatTensor:$self, DefaultValuedStrAttr<StrAttr, "none">:$approximate);
  // gelu_c1: approximate is none or tanh.
  let infer = "inferGelu(*this, getApproximate(), results)";
}

def Aten_HardtanhOp : Aten_UnaryOp<"hardtanh", Aten_NumberTensor, "min(max(x, min_val), max_val)",
    ", Scalar min_val=-1, Scalar max_val=1", "{max_val = 2.0, min_val = -2.0} "> {
  let arguments = (ins Aten_NumberTensor:$self, Aten_DefaultF64<"-1.0">:$min_val, Aten_DefaultF64<"1.0">:$max_val);
}

def Aten_LeakyReluOp : Aten_UnaryOp<"leaky_relu", Aten_FloatTensor, "x > 0 ? x : negative_slope * x",
    ", Scalar negative_slope=0.01", "{negative_slope = 0.1} "> {
  let arguments = (ins Aten_FloatTensor:$self, Aten_DefaultF64<"0.01">:$negative_slope);
}

def Aten_SoftplusOp : Aten_UnaryOp<"softplus", Aten_FloatTensor,
    "x * beta > threshold ? x : ln(1 + exp(x * beta)) / beta",
    ", Scalar beta=1, Scalar threshold=20", "{beta = 2.0} "> {
  let arguments = (ins Aten_FloatTensor:$self, Aten_DefaultF64<"1.0">:$beta, Aten_DefaultF64<"20.0">:$threshold);
}

/// Second operand is a Python number.
class Aten_ScalarOp<string mnemonic, Type type, string formula, string params = ", Scalar other",
                    string attribute = "other">
    : Aten_UnaryOp<mnemonic, type, formula, params, "{" # attribute # " = 0.5} "> {
  let arguments = (ins type:$self, Aten_F64:$other);
}

/// The same with ATen's factor on the subtrahend or second summand.
class Aten_AlphaScalarOp<string mnemonic, string formula>
    : Aten_ScalarOp<mnemonic, Aten_NumberTensor, formula, ", Scalar other, Scalar alpha=1"> {
  let arguments = (ins Aten_NumberTensor:$self, Aten_F64:$other, Aten_DefaultF64<"1.0">:$alpha);
}

def Aten_AddScalarOp : Aten_AlphaScalarOp<"add.Scalar", "x + alpha * other">;
def Aten_FmodScalarOp : Aten_ScalarOp<"fmod.Scalar", Aten_NumberTensor, "x - other * trunc(x / other)">;
def Aten_DivScalarOp : Aten_ScalarOp<"div.Scalar", Aten_FloatTensor, "x / other">;
def Aten_MulScalarOp : Aten_ScalarOp<"mul.Scalar", Aten_NumberTensor, "x * other">;
def Aten_PowTensorScalarOp : Aten_ScalarOp<"pow.Tensor_Scalar", Aten_NumberTensor, "x ** exponent",
    ", Scalar exponent", "exponent"> {
  let arguments = (ins Aten_NumberTensor:$self, Aten_F64:$exponent);
  // pow_c1: an integer is raised to a whole number that is not negative.
  let infer = "inferPower(*this, getExponent(), results)";
}
def Aten_PowScalarOp : Aten_UnaryOp<"pow.Scalar", Aten_FloatTensor, "self ** x", "", "{self = 2.0} "> {
  let description = "ATen schema: `aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor`.\n\n"
      # "result = self ** x for each element x of `exponent`.\n\n"
      # "Example:\n\n```mlir\n%0 = aten.pow.Scalar %x {self = 2.0} : (tensor<4x8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins Aten_FloatTensor:$exponent, Aten_F64:$self);
  let assemblyFormat = "$exponent attr-dict `:` functional-type(operands, results)";
}
def Aten_RemainderScalarOp : Aten_ScalarOp<"remainder.Scalar", Aten_NumberTensor, "x - other * floor(x / other)">;
def Aten_RsubScalarOp : Aten_AlphaScalarOp<"rsub.Scalar", "other - alpha * x">;
def Aten_SubScalarOp : Aten_AlphaScalarOp<"sub.Scalar", "x - alpha * other">;

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Operands of one element type, broadcast against each other.
class Aten_BinaryOp<string mnemonic, Type type, string formula, string params = "">
    : Aten_Op<mnemonic, "Elementwise"> {
  let summary = "element-wise " # formula;
  let description = "ATen schema: `aten::" # mnemonic # "(Tensor self, Tensor other" # params # ") -> Tensor`.\n\n"
      # "result = " # formula # " for elements x of `self` and y of `other`, which are broadcast against "
      # "each other from the last dimension on.\n\n"
      # "broadcast_c1: extents are equal or one of them is 1; broadcast_c2: element types are equal.\n\n"
      # "Example:\n\n```mlir\n%0 = aten." # mnemonic
      # " %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins type:$self, type:$other);
  let results = (outs type:$result);
  let assemblyFormat = "$self `,` $other attr-dict `:` functional-type(operands, results)";
  let infer = "inferBroadcast(*this, results)";
  let flops = "resultElements(*this)";
}

class Aten_AlphaBinaryOp<string mnemonic, string formula>
    : Aten_BinaryOp<mnemonic, Aten_NumberTensor, formula, ", *, Scalar alpha=1"> {
  let arguments = (ins Aten_NumberTensor:$self, Aten_NumberTensor:$other, Aten_DefaultF64<"1.0">:$alpha);
}

def Aten_AddTensorOp : Aten_AlphaBinaryOp<"add.Tensor", "x + alpha * y">;
def Aten_DivTensorOp : Aten_BinaryOp<"div.Tensor", Aten_FloatTensor, "x / y">;
def Aten_Atan2Op : Aten_BinaryOp<"atan2", Aten_FloatTensor, "the angle of the point (y, x), in radians">;
def Aten_DivTensorModeOp : Aten_BinaryOp<"div.Tensor_mode", Aten_NumberTensor,
    "x / y rounded towards zero (rounding_mode = \"trunc\") or down (\"floor\")", ", *, str? rounding_mode"> {
  let description = "ATen schema: `aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor`.\n\n"
      # "result = x / y rounded towards zero (`trunc`) or down (`floor`). Without rounding it is `div.Tensor`.\n\n"
      # "broadcast_c1: extents are equal or one of them is 1; broadcast_c2: element types are equal; div_c1: `rounding_mode` is "
      # "one of the two.\n\nExample:\n\n```mlir\n%0 = aten.div.Tensor_mode %x, %y {rounding_mode = \"floor\"} "
      # ": (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>\n```\n";
  let arguments = (ins Aten_NumberTensor:$self, Aten_NumberTensor:$other, StrAttr:$rounding_mode);
  let infer = "inferRoundedDiv(*this, getRoundingMode(), results)";
}
def Aten_FmodTensorOp : Aten_BinaryOp<"fmod.Tensor", Aten_NumberTensor, "x - y * trunc(x / y)">;
def Aten_MaxOtherOp : Aten_BinaryOp<"max.other", Aten_NumberTensor, "max(x, y)">;
def Aten_MaximumOp : Aten_BinaryOp<"maximum", Aten_NumberTensor, "max(x, y)">;
def Aten_MinOtherOp : Aten_BinaryOp<"min.other", Aten_NumberTensor, "min(x, y)">;
def Aten_MinimumOp : Aten_BinaryOp<"minimum", Aten_NumberTensor, "min(x, y)">;
def Aten_MulTensorOp : Aten_BinaryOp<"mul.Tensor", Aten_NumberTensor, "x * y">;
def Aten_PowTensorTensorOp : Aten_BinaryOp<"pow.Tensor_Tensor", Aten_FloatTensor, "x ** y">;
def Aten_RemainderTensorOp : Aten_BinaryOp<"remainder.Tensor", Aten_NumberTensor, "x - y * floor(x / y)">;
def Aten_SubTensorOp : Aten_AlphaBinaryOp<"sub.Tensor", "x - alpha * y">;

#endif // KGEN_DIALECT_ATEN_ATENPOINTWISEOPS_TD
