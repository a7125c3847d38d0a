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
    """

    positional: str = "self"
    named: str = ""
    words: str = ""
    braces: str = ""
    fixed: dict = field(default_factory=dict)
    ignored: str = ""
    defaults: dict = field(default_factory=dict)


# The attributes whose word in the text differs from their name.
WORD_OF = {"kernel_size": "kernel"}

_UNARY = ("abs erf exp hardsigmoid hardswish log mish neg reciprocal relu rsqrt selu sigmoid silu sqrt square tanh "
          "numpy_T").split()
_BINARY = "div.Tensor max.other maximum min.other minimum mul.Tensor".split()
_NO_DTYPE = {"dtype": None}
_CONV = Layout("input weight bias?", words="stride padding dilation groups")
_CONV_TRANSPOSE = Layout("input weight bias?", words="stride padding output_padding groups dilation")
_MAX_POOL = Layout(words="kernel_size stride padding dilation ceil_mode")
_AVG_POOL = Layout(words="kernel_size stride padding ceil_mode count_include_pad divisor_override")

LAYOUTS = {
    **{name: Layout() for name in _UNARY},
    **{name: Layout("self other") for name in _BINARY},
    "add.Tensor": Layout("self other", braces="alpha"),
    "sub.Tensor": Layout("self other", braces="alpha"),
    "add.Scalar": Layout(braces="other alpha"),
    "sub.Scalar": Layout(braces="other alpha"),
    "rsub.Scalar": Layout(braces="other alpha"),
    "mul.Scalar": Layout(braces="other"),
    "div.Scalar": Layout(braces="other"),
    "pow.Tensor_Scalar": Layout(braces="exponent"),
    "clamp": Layout(braces="min max"),
    "elu": Layout(braces="alpha scale input_scale"),
    "gelu": Layout(braces="approximate"),
    "hardtanh": Layout(braces="min_val max_val"),
    "leaky_relu": Layout(braces="negative_slope"),
    "softplus": Layout(braces="beta threshold"),
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
    "cat": Layout("tensors", words="dim"),
    "expand": Layout(words="size", ignored="implicit"),
    "flatten.using_ints": Layout(words="start_dim end_dim"),
    "flip": Layout(words="dims"),
    "narrow": Layout(words="dim start length"),
    "permute": Layout(words="dims"),
    "reshape": Layout(words="shape"),
    "select.int": Layout(words="dim index"),
    "slice.Tensor": Layout(words="dim start end step"),
    "squeeze.dim": Layout(words="dim"),
    "transpose.int": Layout(words="dim0 dim1"),
    "tril": Layout(words="diagonal"),
    "triu": Layout(words="diagonal"),
    "unsqueeze": Layout(words="dim"),
    "view": Layout(words="size"),
}

# Ops of the dialect whose results share memory with an operand: writing in place to those is refused.
VIEWS = set("expand flatten.using_ints narrow numpy_T permute reshape select.int slice.Tensor squeeze.dim "
            "transpose.int unsqueeze view".split())

# No effect at inference on one device: the operand is the result.
IDENTITIES = {"alias", "clone", "contiguous", "detach", "detach_", "dropout", "dropout_", "feature_dropout",
              "lift_fresh_copy"}

# Other names of the same op.
SYNONYMS = {
    "multiply.Tensor": "mul.Tensor", "divide.Tensor": "div.Tensor", "true_divide.Tensor": "div.Tensor",
    "subtract.Tensor": "sub.Tensor", "multiply.Scalar": "mul.Scalar", "divide.Scalar": "div.Scalar",
    "subtract.Scalar": "sub.Scalar", "negative": "neg", "clip": "clamp", "absolute": "abs", "softmax": "softmax.int",
}

# Why an op is not there; by packet name.
LATER = {
    **dict.fromkeys("logcumsumexp cummax cummin".split(), "scans other than sums and products come later"),
    **dict.fromkeys(("cross_entropy_loss triplet_margin_loss huber_loss "
                     "nll_loss nll_loss_nd binary_cross_entropy hinge_embedding_loss cosine_embedding_loss").split(),
                    "losses come later"),
    **dict.fromkeys("lstm gru rnn_tanh rnn_relu lstm_cell gru_cell".split(), "recurrent networks come later"),
    **dict.fromkeys(("unfold pad masked_fill to ones zeros zeros_like eq bitwise_not copy_ where unbind roll").split(), "layout and masking ops come later"),
}

# In the dialect, but nothing computes them yet.
WITHOUT_LOWERING = {}
