# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ATen ops the aten dialect has, and how their text is laid out.

The mnemonic is the ATen packet's name, plus `.overload` unless that is `default`.
Types, defaults and argument names come from ATen's own schema at import; what is
here is only what a schema does not say: the order and keywords of the assembly format.
tests/test_op_table.py holds this table against the dialect's tests.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Layout:
    """How one op is written.

    positional  tensor operands, separated by commas; `?` marks one that may be absent
    named       tensor operands after their own name
    words       attributes as `name value`, in this order
    braces      attributes as `{name = value}`
    fixed       arguments that are not part of the op, with the values that they must have
    ignored     arguments that do not change the meaning
    defaults    values that are not written although the schema has no such default
    promote     what mixed element types become before the op: `result`, the result's; `common`, what ATen promotes
                them to; `truth`, i1 where they differ
    """

    positional: str = "self"
    named: str = ""
    words: str = ""
    braces: str = ""
    fixed: dict = field(default_factory=dict)
    ignored: str = ""
    defaults: dict = field(default_factory=dict)
    promote: str = ""


# The attributes whose word in the text differs from their name.
WORD_OF = {"kernel_size": "kernel"}

_UNARY = ("abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf erfc erfinv exp exp2 expm1 floor hardsigmoid hardswish "
          "log log10 log1p log2 mish neg reciprocal relu round rsqrt selu sigmoid sign silu sin sinh sqrt square tan tanh "
          "trunc").split()
_BINARY = ("atan2 bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor div.Tensor fmod.Tensor max.other maximum min.other "
           "minimum mul.Tensor remainder.Tensor").split()
_WITH_NUMBER = ("bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar div.Scalar fmod.Scalar mul.Scalar "
                "remainder.Scalar").split()
_COMPARISONS = "eq ge gt le lt ne".split()
_NO_DTYPE = {"dtype": None}
_CONV = Layout("input weight bias?", words="stride padding dilation groups")
_CONV_TRANSPOSE = Layout("input weight bias?", words="stride padding output_padding groups dilation")
_MAX_POOL = Layout(words="kernel_size stride padding dilation ceil_mode")
_AVG_POOL = Layout(words="kernel_size stride padding ceil_mode count_include_pad divisor_override")

_SCATTER = Layout("self index src", words="dim")

LAYOUTS = {
    **{name: Layout(promote="result") for name in _UNARY},
    "isinf": Layout(),
    "isnan": Layout(),
    **{name: Layout("self other", promote="result") for name in _BINARY},
    **{name: Layout(braces="other", promote="result") for name in _WITH_NUMBER},
    "add.Tensor": Layout("self other", braces="alpha", promote="result"),
    "sub.Tensor": Layout("self other", braces="alpha", promote="result"),
    "add.Scalar": Layout(braces="other alpha", promote="result"),
    "sub.Scalar": Layout(braces="other alpha", promote="result"),
    "rsub.Scalar": Layout(braces="other alpha", promote="result"),
    "div.Tensor_mode": Layout("self other", braces="rounding_mode", promote="result"),
    "pow.Scalar": Layout("exponent", braces="self", promote="result"),
    "pow.Tensor_Scalar": Layout(braces="exponent", promote="result"),
    "pow.Tensor_Tensor": Layout("self exponent", promote="result"),
    # Comparisons, logic, choices, casts
    **{f"{name}.Scalar": Layout(braces="other", promote="common") for name in _COMPARISONS},
    **{f"{name}.Tensor": Layout("self other", promote="common") for name in _COMPARISONS},
    "logical_and": Layout("self other", promote="truth"),
    "logical_not": Layout(),
    "logical_or": Layout("self other", promote="truth"),
    "logical_xor": Layout("self other", promote="truth"),
    "masked_fill.Scalar": Layout("self mask", braces="value"),
    "where.self": Layout("condition self other"),
    "_to_copy": Layout(words="dtype"),
    # Tensors out of nothing
    "arange.start_step": Layout("", words="start end step dtype"),
    "constant": Layout(""),
    "full": Layout("", words="size fill_value dtype"),
    "full_like": Layout(words="fill_value dtype"),
    # Positions that are read at run time
    "embedding": Layout("weight indices", ignored="padding_idx scale_grad_by_freq sparse"),
    "gather": Layout("self index", words="dim", ignored="sparse_grad"),
    "index.Tensor": Layout("self indices"),
    "index_put": Layout("self indices", named="values", words="accumulate"),
    "index_select": Layout("self index", words="dim"),
    "scatter.src": _SCATTER,
    "scatter.value": Layout("self index", words="dim value"),
    "scatter_add": _SCATTER,
    "scatter_reduce.two": Layout("self index src", words="dim reduce include_self"),
    "slice_scatter": Layout("self src", words="dim start end step"),
    "sort": Layout(words="dim descending"),
    "topk": Layout(words="k dim largest", ignored="sorted"),
    "_grouped_mm": Layout("self mat2 offs", fixed={"bias": None}),
    # One operand and constants
    "clamp": Layout(braces="min max", promote="result"),
    "elu": Layout(braces="alpha scale input_scale", promote="result"),
    "gelu": Layout(braces="approximate", promote="result"),
    "hardtanh": Layout(braces="min_val max_val", promote="result"),
    "leaky_relu": Layout(braces="negative_slope", promote="result"),
    "softplus": Layout(braces="beta threshold", promote="result"),
    # Reductions
    "max": Layout(),
    "min": Layout(),
    "mean": Layout(fixed=_NO_DTYPE),
    "prod": Layout(fixed=_NO_DTYPE),
    "sum": Layout(fixed=_NO_DTYPE),
    "amax": Layout(words="dim keepdim"),
    "amin": Layout(words="dim keepdim"),
    "logsumexp": Layout(words="dim keepdim"),
    "mean.dim": Layout(words="dim keepdim", fixed=_NO_DTYPE),
    "sum.dim_IntList": Layout(words="dim keepdim", fixed=_NO_DTYPE),
    "prod.dim_int": Layout(words="dim keepdim", fixed=_NO_DTYPE),
    "all.dims": Layout(words="dim keepdim"),
    "any.dims": Layout(words="dim keepdim"),
    "var.correction": Layout(words="dim correction keepdim", defaults={"correction": 1}),
    "linalg_vector_norm": Layout(words="ord dim keepdim", fixed=_NO_DTYPE),
    "max.dim": Layout(words="dim keepdim"),
    "min.dim": Layout(words="dim keepdim"),
    "argmax": Layout(words="dim keepdim"),
    "argmin": Layout(words="dim keepdim"),
    # Scans
    "cumsum": Layout(words="dim", fixed=_NO_DTYPE),
    "cumprod": Layout(words="dim", fixed=_NO_DTYPE),
    # Contractions
    "bmm": Layout("self mat2"),
    "mm": Layout("self mat2"),
    "matmul": Layout("self other"),
    "linear": Layout("input weight bias?"),
    "conv1d": _CONV,
    "conv2d": _CONV,
    "conv3d": _CONV,
    "conv_transpose1d": _CONV_TRANSPOSE,
    "conv_transpose2d.input": _CONV_TRANSPOSE,
    "conv_transpose3d.input": _CONV_TRANSPOSE,
    "scaled_dot_product_attention": Layout("query key value", named="attn_mask?", words="dropout_p is_causal scale",
                                           fixed={"enable_gqa": False}),
    # Windows
    "max_pool1d": _MAX_POOL,
    "max_pool2d": _MAX_POOL,
    "max_pool3d": _MAX_POOL,
    "avg_pool1d": Layout(words="kernel_size stride padding ceil_mode count_include_pad"),
    "avg_pool2d": _AVG_POOL,
    "avg_pool3d": _AVG_POOL,
    "adaptive_avg_pool1d": Layout(words="output_size"),
    "adaptive_avg_pool2d": Layout(words="output_size"),
    "adaptive_avg_pool3d": Layout(words="output_size"),
    # Normalisations
    "softmax.int": Layout(words="dim", fixed=_NO_DTYPE),
    "log_softmax.int": Layout(words="dim", fixed=_NO_DTYPE),
    "batch_norm": Layout("input", named="weight? bias? running_mean running_var", words="eps",
                         fixed={"training": False}, ignored="momentum cudnn_enabled", defaults={"eps": 1e-5}),
    "group_norm": Layout("input", named="weight? bias?", words="num_groups eps", ignored="cudnn_enabled"),
    "instance_norm": Layout("input", named="weight? bias? running_mean? running_var?", words="use_input_stats eps",
                            ignored="momentum cudnn_enabled", defaults={"use_input_stats": True, "eps": 1e-5}),
    "layer_norm": Layout("input", named="weight? bias?", words="normalized_shape eps", ignored="cudnn_enable"),
    # Views
    "as_strided": Layout(words="size stride storage_offset", defaults={"storage_offset": 0}),
    "cat": Layout("tensors", words="dim"),
    "constant_pad_nd": Layout(words="pad value"),
    "diagonal": Layout(words="offset dim1 dim2"),
    "expand": Layout(words="size", ignored="implicit"),
    "flatten.using_ints": Layout(words="start_dim end_dim"),
    "flip": Layout(words="dims"),
    "narrow": Layout(words="dim start length"),
    "numpy_T": Layout(),
    "permute": Layout(words="dims"),
    "repeat": Layout(words="repeats"),
    "reshape": Layout(words="shape"),
    "roll": Layout(words="shifts dims"),
    "select.int": Layout(words="dim index"),
    "slice.Tensor": Layout(words="dim start end step"),
    "squeeze.dim": Layout(words="dim"),
    "transpose.int": Layout(words="dim0 dim1"),
    "tril": Layout(words="diagonal"),
    "triu": Layout(words="diagonal"),
    "unfold": Layout(words="dimension size step"),
    "unsqueeze": Layout(words="dim"),
    "view": Layout(words="size"),
}

# Ops of the dialect whose results share memory with an operand: writing in place to those is refused.
VIEWS = set("as_strided diagonal expand flatten.using_ints narrow numpy_T permute reshape select.int slice.Tensor squeeze.dim "
            "transpose.int unfold unsqueeze view".split())

# No effect at inference on one device: the operand is the result.
IDENTITIES = {"alias", "clone", "contiguous", "detach", "detach_", "dropout", "dropout_", "feature_dropout", "lift_fresh",
              "lift_fresh_copy", "resolve_conj", "resolve_neg", "alpha_dropout", "feature_alpha_dropout"}

# Checks on tensors whose shapes and types are fixed: they hold, or export would have failed.
CHECKS = {"_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size",
          "_assert_async", "_functional_assert_async"}

# Other names of the same op.
SYNONYMS = {
    "multiply.Tensor": "mul.Tensor", "divide.Tensor": "div.Tensor", "true_divide.Tensor": "div.Tensor",
    "subtract.Tensor": "sub.Tensor", "multiply.Scalar": "mul.Scalar", "divide.Scalar": "div.Scalar",
    "subtract.Scalar": "sub.Scalar", "negative": "neg", "clip": "clamp", "absolute": "abs", "softmax": "softmax.int",
    "_unsafe_view": "view", "_reshape_alias": "view", "reshape_as": "view_as", "_unsafe_index.Tensor": "index.Tensor",
    "_unsafe_index_put": "index_put", "__and__.Tensor": "bitwise_and.Tensor", "__or__.Tensor": "bitwise_or.Tensor",
    "__xor__.Tensor": "bitwise_xor.Tensor", "__and__.Scalar": "bitwise_and.Scalar", "__or__.Scalar": "bitwise_or.Scalar",
    "__xor__.Scalar": "bitwise_xor.Scalar", "fix": "trunc", "special_erf": "erf", "special_erfc": "erfc", "special_exp2": "exp2",
    "special_expm1": "expm1", "special_expit": "sigmoid", "special_log1p": "log1p", "special_round": "round",
    "arctan2": "atan2", "sgn": "sign", "_softmax": "softmax.int", "_log_softmax": "log_softmax.int",
    "_adaptive_avg_pool2d": "adaptive_avg_pool2d", "_adaptive_avg_pool3d": "adaptive_avg_pool3d",
    "divide.Tensor_mode": "div.Tensor_mode", "concat": "cat", "concatenate": "cat", "not_equal.Tensor": "ne.Tensor",
    "not_equal.Scalar": "ne.Scalar", "greater.Tensor": "gt.Tensor", "greater.Scalar": "gt.Scalar", "less.Tensor": "lt.Tensor",
    "less.Scalar": "lt.Scalar", "greater_equal.Tensor": "ge.Tensor", "greater_equal.Scalar": "ge.Scalar",
    "less_equal.Tensor": "le.Tensor", "less_equal.Scalar": "le.Scalar", "sort.stable": "sort", "arccos": "acos",
    "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
}

RANDOM = "a result that is drawn at random cannot be checked"

# Why an op is not there; by packet name. These are refused before anything is decomposed.
LATER = {
    **dict.fromkeys(("rand randn randint randperm rand_like randn_like randint_like bernoulli bernoulli_ normal normal_ uniform uniform_ "
                     "multinomial exponential exponential_ geometric_ cauchy_ log_normal_ random random_ poisson native_dropout "
                     "rrelu_with_noise").split(), RANDOM),
    **dict.fromkeys(("nonzero nonzero_static masked_select unique unique_dim unique_consecutive _unique _unique2 item "
                     "_local_scalar_dense bincount argwhere is_nonzero equal allclose").split(),
                    "a shape or a number that depends on data is not in a graph of fixed shapes"),
    **dict.fromkeys("stft istft fft_fft fft_ifft fft_rfft fft_irfft fft_fft2 fft_rfft2 fft_irfft2 fft_fftn fft_ifftn view_as_complex view_as_real polar complex".split(),
                    "complex numbers are not in the dialect"),
}

# In the dialect, but nothing computes them yet.
WITHOUT_LOWERING = {}
