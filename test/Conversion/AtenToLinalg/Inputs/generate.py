#!/usr/bin/env python3
"""Writes ../numeric-KIND.mlir: one graph for each variant of each aten op, with PyTorch's fp64
answer, which `kgen-oracle --check` holds the oracle against. Inputs are a function of their position, computed there and here, so only
answers are stored. Shapes are small, unequal and prime where they can be: a wrong index or extent shows."""
import math
import os
import struct

import torch

F = torch.nn.functional
A = torch.ops.aten
HERE = os.path.dirname(os.path.abspath(__file__))
INF, NAN = math.inf, math.nan
SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 800.0, -800.0, 1e-3, -1e-3, 25.0, -25.0, 1.5]
MASK = (1 << 64) - 1


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def element(kind, which, i):
    h = splitmix((which << 32) + i)
    u = (h >> 11) * 2.0**-53  # [0, 1)
    return {
        "uniform": lambda: 4 * u - 2,
        "positive": lambda: u + 0.25,
        "offset": lambda: 1000 + 0.1 * (4 * u - 2),
        "unit": lambda: 2 * u - 1,
        "position": lambda: float(h % 4),
        "order": lambda: float(i * 3 % 4),
        "integer": lambda: float(h % 5) - 2,
        "bool": lambda: float(h % 3 != 0),
        "first": lambda: float(i == 0),
        "special": lambda: SPECIAL[i % len(SPECIAL)],
    }[kind]()


DTYPES = {"f32": torch.float64, "i64": torch.int64, "i32": torch.int32, "i1": torch.bool}
KINDS = {"f32": "uniform", "i64": "integer", "i32": "integer", "i1": "bool"}
NAMES = {torch.float64: "f32", torch.int64: "i64", torch.int32: "i32", torch.bool: "i1"}


class Input:
    """A tensor argument: Input(2, 3), Input(4, dtype="i64"), Input(2, 3, kind="positive")."""

    def __init__(self, *shape, dtype="f32", kind=None):
        self.shape, self.dtype, self.kind = shape, dtype, kind or KINDS[dtype]

    def tensor(self, which):
        values = [element(self.kind, which, i) for i in range(math.prod(self.shape))]
        return torch.tensor(values, dtype=torch.float64).reshape(self.shape).to(DTYPES[self.dtype])


def mlir_type(tensor):
    return "tensor<" + "".join(f"{n}x" for n in tensor.shape) + NAMES[tensor.dtype] + ">"


files = {}


def case(file, name, text, function, *inputs):
    """TEXT is the op with {0}, {1} ... for its operands; FUNCTION computes the answer from the inputs."""
    tensors = [x.tensor(i) for i, x in enumerate(inputs)]
    results = function(*tensors)
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    arguments = ", ".join(f"%a{i}: {mlir_type(t)}" for i, t in enumerate(tensors))
    types = [mlir_type(r) for r in results]
    one = types[0] if len(types) == 1 else f"({', '.join(types)})"
    body = text.format(*(f"%a{i}" for i in range(len(tensors))))
    used = [f"%a{i}" for i in range(len(tensors)) if "{%d}" % i in text]
    signature = ", ".join(mlir_type(tensors[int(u[2:])]) for u in used)
    lines = [f"// case: {name}", "// inputs: " + " ".join(x.kind for x in inputs)]
    if any(x.kind == "offset" for x in inputs):
        lines.append("// tolerance: 5e-11")  # mean 1000, deviation 0.1: four digits go; a one-pass variance loses eight
    for result in results:
        values = [repr(v) for v in result.to(torch.float64).flatten().tolist()]
        lines.append("// expect:")
        lines += ["//   " + " ".join(values[i:i + 6]) for i in range(0, len(values), 6)]
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    # Tensors out of nothing have no operand, and the oracle no input.
    lines += [f"func.func @f({arguments}) -> {one} {{",
              f"  {names} = aten.{body} : ({signature}) -> {one}",
              f"  return {names} : {', '.join(types)}", "}"]
    assert name not in [n for n, _ in files.setdefault(file, [])], name
    files[file].append((name, "\n".join(lines)))


#
# pointwise
#
def pointwise(name, function, text=None, kind=None, label=None):
    text = text or name + " {0}"
    case("pointwise", label or name, text, function, Input(2, 3, 5, kind=kind))
    if kind is None:
        case("pointwise", (label or name) + "_special", text, function, Input(12, kind="special"))


for name in ("abs erf exp hardsigmoid hardswish mish neg reciprocal relu selu sigmoid silu square tanh "
             "asinh atan ceil cosh erfc expm1 floor sign sinh trunc isnan isinf").split():
    pointwise(name, getattr(A, name))
# Of 800 the last digits of the first three depend on the library, and 2^800 is a double but no float.
for name in "cos sin tan exp2".split():
    case("pointwise", name, name + " {0}", getattr(A, name), Input(2, 3, 5))
for name in "acos asin atanh erfinv".split():
    pointwise(name, getattr(A, name), kind="unit")
case("pointwise", "erfinv_ends", "erfinv {0}", A.erfinv, Input(9, kind="integer"))
case("pointwise", "acosh", "acosh {0}", lambda x: A.acosh(x), Input(2, 3, kind="offset"))
case("pointwise", "round", "round {0}", A.round, Input(2, 3, 5))
case("pointwise", "round_halves", "round {0}", lambda x: A.round(x), Input(12, kind="special"))
for name in "log10 log1p log2".split():
    pointwise(name, getattr(A, name), kind="positive")
case("pointwise", "sign_i64", "sign {0}", A.sign, Input(7, dtype="i64"))
for name in "log rsqrt sqrt".split():
    pointwise(name, getattr(A, name), kind="positive")
case("pointwise", "abs_i64", "abs {0}", A.abs, Input(7, dtype="i64"))
case("pointwise", "neg_i32", "neg {0}", A.neg, Input(7, dtype="i32"))
case("pointwise", "relu_i64", "relu {0}", A.relu, Input(7, dtype="i64"))
case("pointwise", "square_i64", "square {0}", A.square, Input(7, dtype="i64"))
case("pointwise", "relu_scalar", "relu {0}", A.relu, Input())
pointwise("clamp", lambda x: A.clamp(x, -0.5, 0.75), "clamp {0} {{max = 0.75, min = -0.5}}")
pointwise("clamp_min", lambda x: A.clamp(x, -0.5), "clamp {0} {{min = -0.5}}", label="clamp_min")
pointwise("clamp_max", lambda x: A.clamp(x, None, 0.75), "clamp {0} {{max = 0.75}}", label="clamp_max")
case("pointwise", "clamp_i64", "clamp {0} {{max = 1.0, min = -1.0}}", lambda x: A.clamp(x, -1, 1), Input(9, dtype="i64"))
pointwise("elu", A.elu)
pointwise("elu", lambda x: A.elu(x, 0.5, 2.0, 1.5), "elu {0} {{alpha = 0.5, input_scale = 1.5, scale = 2.0}}", label="elu_all")
pointwise("gelu", A.gelu)
pointwise("gelu", lambda x: A.gelu(x, approximate="tanh"), 'gelu {0} {{approximate = "tanh"}}', label="gelu_tanh")
pointwise("hardtanh", A.hardtanh)
pointwise("hardtanh", lambda x: A.hardtanh(x, -0.25, 1.5), "hardtanh {0} {{max_val = 1.5, min_val = -0.25}}", label="hardtanh_bounds")
pointwise("leaky_relu", A.leaky_relu)
pointwise("leaky_relu", lambda x: A.leaky_relu(x, 0.3), "leaky_relu {0} {{negative_slope = 0.3}}", label="leaky_relu_slope")
pointwise("softplus", A.softplus)
pointwise("softplus", lambda x: A.softplus(x, 2.0, 1.0), "softplus {0} {{beta = 2.0, threshold = 1.0}}", label="softplus_threshold")
for name in ("add", "sub", "rsub"):
    function = getattr(A, name).Scalar
    pointwise(name, lambda x: function(x, 0.7), name + ".Scalar {0} {{other = 0.7}}", label=name + ".Scalar")
    pointwise(name, lambda x: function(x, 0.7, 1.9), name + ".Scalar {0} {{alpha = 1.9, other = 0.7}}", label=name + ".Scalar_alpha")
    case("pointwise", name + ".Scalar_i64", name + ".Scalar {0} {{alpha = 3.0, other = 2.0}}",
         lambda x: function(x, 2, 3), Input(7, dtype="i64"))
pointwise("mul", lambda x: A.mul.Scalar(x, 0.7), "mul.Scalar {0} {{other = 0.7}}", label="mul.Scalar")
pointwise("div", lambda x: A.div.Scalar(x, 0.7), "div.Scalar {0} {{other = 0.7}}", label="div.Scalar")
for exponent in (0.0, 1.0, 2.0, 3.0, -2.0):
    pointwise("pow", lambda x: A.pow.Tensor_Scalar(x, exponent), f"pow.Tensor_Scalar {{0}} {{{{exponent = {exponent}}}}}",
              label=f"pow.Tensor_Scalar_{exponent}")
for exponent in (0.5, -0.5, -1.0, 2.5):
    pointwise("pow", lambda x: A.pow.Tensor_Scalar(x, exponent), f"pow.Tensor_Scalar {{0}} {{{{exponent = {exponent}}}}}",
              kind="positive", label=f"pow.Tensor_Scalar_{exponent}")


def binary(name, function, text=None, label=None, types=("f32",)):
    text, label = text or name + " {0}, {1}", label or name
    case("pointwise", label, text, function, Input(2, 3, 5), Input(2, 3, 5))
    case("pointwise", label + "_row", text, function, Input(2, 3, 5), Input(5))
    case("pointwise", label + "_both", text, function, Input(2, 1, 5), Input(3, 1))
    case("pointwise", label + "_scalar", text, function, Input(), Input(2, 3))
    case("pointwise", label + "_special", text, function, Input(12, kind="special"), Input(5, 1, kind="special"))
    if "i64" in types:
        case("pointwise", label + "_i64", text, function, Input(2, 5, dtype="i64"), Input(2, 1, dtype="i64"))


for name in ("add.Tensor", "sub.Tensor"):
    function = getattr(A, name.split(".")[0]).Tensor
    binary(name, function, types=("f32", "i64"))
    case("pointwise", name + "_alpha", name + " {0}, {1} {{alpha = 0.7}}", lambda x, y: function(x, y, alpha=0.7), Input(2, 3), Input(3))
binary("mul.Tensor", A.mul.Tensor, types=("f32", "i64"))
binary("div.Tensor", A.div.Tensor)
for name, function in (("max.other", A.max.other), ("maximum", A.maximum), ("min.other", A.min.other), ("minimum", A.minimum)):
    binary(name, function, types=("f32", "i64"))

binary("atan2", A.atan2)
for name in ("fmod", "remainder"):
    tensor, scalar = getattr(A, name).Tensor, getattr(A, name).Scalar
    binary(name + ".Tensor", tensor)
    case("pointwise", name + ".Tensor_i64", name + ".Tensor {0}, {1}", tensor, Input(2, 9, dtype="i64", kind="order"),
         Input(1, 1, dtype="i64", kind="first"))
    pointwise(name, lambda x: scalar(x, -0.7), name + ".Scalar {0} {{other = -0.7}}", label=name + ".Scalar")
    case("pointwise", name + ".Scalar_i64", name + ".Scalar {0} {{other = -2.0}}", lambda x: scalar(x, -2), Input(9, dtype="i64"))
for mode in ("trunc", "floor"):
    function = lambda x, y: A.div.Tensor_mode(x, y, rounding_mode=mode)
    text = f'div.Tensor_mode {{0}}, {{1}} {{{{rounding_mode = "{mode}"}}}}'
    case("pointwise", "div.Tensor_mode_" + mode, text, function, Input(2, 3, 5), Input(2, 3, 5))
    case("pointwise", f"div.Tensor_mode_{mode}_special", text, function, Input(4, kind="order"), Input(3, 1, kind="positive"))
    case("pointwise", f"div.Tensor_mode_{mode}_i64", text, function, Input(9, dtype="i64"), Input(1, dtype="i64", kind="first"))
case("pointwise", "pow.Tensor_Tensor", "pow.Tensor_Tensor {0}, {1}", A.pow.Tensor_Tensor, Input(2, 3, 5, kind="positive"), Input(5))
case("pointwise", "pow.Scalar", "pow.Scalar {0} {{self = 1.5}}", lambda x: A.pow.Scalar(1.5, x), Input(2, 3))
for exponent in (0, 1, 2, 5):
    case("pointwise", f"pow.Tensor_Scalar_i64_{exponent}", f"pow.Tensor_Scalar {{0}} {{{{exponent = {exponent}.0}}}}",
         lambda x: A.pow.Tensor_Scalar(x, exponent), Input(9, dtype="i64"))

#
# logic
#
for name in "eq ge gt le lt ne".split():
    packet = getattr(A, name)
    for dtype in ("f32", "i64", "i32", "i1"):
        case("logic", f"{name}.Tensor_{dtype}", name + ".Tensor {0}, {1}", packet.Tensor, Input(3, 4, dtype=dtype), Input(4, dtype=dtype))
    for dtype, other in (("f32", 0.5), ("i64", 1), ("i1", 1)):
        case("logic", f"{name}.Scalar_{dtype}", f"{name}.Scalar {{0}} {{{{other = {float(other)}}}}}",
             lambda x: packet.Scalar(x, other), Input(3, 4, dtype=dtype))
    case("logic", f"{name}.Tensor_special", name + ".Tensor {0}, {1}", packet.Tensor, Input(12, kind="special"), Input(5, 1, kind="special"))
for name in "logical_and logical_or logical_xor".split():
    for dtype in ("f32", "i64", "i1"):
        kind = "integer" if dtype == "f32" else None
        case("logic", f"{name}_{dtype}", name + " {0}, {1}", getattr(A, name), Input(3, 4, dtype=dtype, kind=kind), Input(4, dtype=dtype, kind=kind))
for dtype in ("f32", "i64", "i1"):
    case("logic", f"logical_not_{dtype}", "logical_not {0}", A.logical_not, Input(9, dtype=dtype, kind="integer" if dtype == "f32" else None))
for name in "and or xor".split():
    packet = getattr(A, "bitwise_" + name)
    for dtype in ("i64", "i32", "i1"):
        case("logic", f"bitwise_{name}.Tensor_{dtype}", f"bitwise_{name}.Tensor {{0}}, {{1}}", packet.Tensor, Input(3, 4, dtype=dtype), Input(4, dtype=dtype))
    case("logic", f"bitwise_{name}.Scalar", f"bitwise_{name}.Scalar {{0}} {{{{other = 3.0}}}}", lambda x: packet.Scalar(x, 3), Input(9, dtype="i64"))
for dtype in ("i64", "i1"):
    case("logic", f"bitwise_not_{dtype}", "bitwise_not {0}", A.bitwise_not, Input(9, dtype=dtype))
B = Input(3, 4, dtype="i1")
for dtype in ("f32", "i64", "i1"):
    case("logic", f"where.self_{dtype}", "where.self {0}, {1}, {2}", A.where.self, B, Input(2, 1, 4, dtype=dtype), Input(dtype=dtype))
    case("logic", f"masked_fill.Scalar_{dtype}", "masked_fill.Scalar {0}, {1} {{value = 1.0}}", lambda x, m: A.masked_fill.Scalar(x, m, 1),
         Input(2, 3, 4, dtype=dtype), B)
case("logic", "masked_fill.Scalar_infinite", "masked_fill.Scalar {0}, {1} {{value = 0xFFF0000000000000 : f64}}",
     lambda x, m: A.masked_fill.Scalar(x, m, -INF), Input(3, 4), B)
for source, kind in (("f32", None), ("f32", "integer"), ("i64", None), ("i32", None), ("i1", None)):
    for target in ("f32", "i64", "i32", "i1"):
        case("logic", f"_to_copy_{source}_{kind}_{target}", f"_to_copy {{0}} dtype {target}", lambda x: x.to(DTYPES[target]),
             Input(3, 4, dtype=source, kind=kind))

#
# creation
#
DUMMY = Input(1)  # an argument that nothing reads
case("creation", "constant", "constant dense<[[1.5, 2.0, -3.0]]> : tensor<1x3xf32>", lambda x: torch.tensor([[1.5, 2, -3]]).double(), DUMMY)
case("creation", "constant_i64", "constant dense<[7, -9]> : tensor<2xi64>", lambda x: torch.tensor([7, -9]), DUMMY)
case("creation", "constant_i1", "constant dense<[true, false]> : tensor<2xi1>", lambda x: torch.tensor([True, False]), DUMMY)
for dtype, value in (("f32", 0.5), ("i64", -3), ("i1", 1)):
    case("creation", f"full_{dtype}", f"full size [2, 3] fill_value {float(value)} dtype {dtype}", lambda x: torch.full((2, 3), value, dtype=DTYPES[dtype]), DUMMY)
    case("creation", f"full_like_{dtype}", f"full_like {{0}} fill_value {float(value)} dtype {dtype}",
         lambda x: torch.full_like(x, value, dtype=DTYPES[dtype]), Input(2, 3))
for dtype, start, end, step in (("f32", 0, 5, 1), ("f32", 1.5, -2, -0.5), ("i64", 3, 11, 3), ("i32", 0, 4, 1)):
    case("creation", f"arange.start_step_{dtype}_{step}", f"arange.start_step start {float(start)} end {float(end)} step {float(step)} dtype {dtype}",
         lambda x: torch.arange(start, end, step, dtype=DTYPES[dtype]), DUMMY)

#
# index: every dimension that is indexed has an extent of 4
#
P = dict(dtype="i64", kind="position")
case("index", "embedding", "embedding {0}, {1}", A.embedding, Input(4, 5), Input(2, 3, **P))
case("index", "embedding_scalar", "embedding {0}, {1}", A.embedding, Input(4, 5), Input(**P))
case("index", "embedding_i32", "embedding {0}, {1}", A.embedding, Input(4, 5), Input(3, dtype="i32", kind="position"))
for dim in (0, 1, -1):
    shape = [3, 5, 2]
    shape[dim] = 4
    case("index", f"index_select_{dim}", f"index_select {{0}}, {{1}} dim {dim}", lambda x, i: A.index_select(x, dim, i), Input(*shape), Input(6, **P))
    less = [2, 3, 1]
    less[dim] = 6
    case("index", f"gather_{dim}", f"gather {{0}}, {{1}} dim {dim}", lambda x, i: A.gather(x, dim, i), Input(*shape), Input(*less, **P))
    for kind in ("f32", "i64"):
        x, source = Input(*shape, dtype=kind), Input(*[n + 1 for n in less], dtype=kind)
        case("index", f"scatter_add_{dim}_{kind}", f"scatter_add {{0}}, {{1}}, {{2}} dim {dim}", lambda x, i, s: A.scatter_add(x, dim, i, s), x, Input(*less, **P), source)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            case("index", f"scatter_reduce.two_{dim}_{reduce}_{include}",
                 f'scatter_reduce.two {{0}}, {{1}}, {{2}} dim {dim} reduce "{reduce}"' + ("" if include else " include_self false"),
                 lambda x, i, s: A.scatter_reduce.two(x, dim, i, s, reduce, include_self=include), Input(*shape), Input(*less, **P), Input(*less))
    less[dim] = 4
    O = Input(*less, dtype="i64", kind="order")
    if dim == 0:  # the order of positions names each once only in one dimension
        O = Input(4, 1, 1, dtype="i64", kind="order")
    else:
        O = Input(*[4 if i == dim % 3 else 1 for i in range(3)], dtype="i64", kind="order")
    case("index", f"scatter.src_{dim}", f"scatter.src {{0}}, {{1}}, {{2}} dim {dim}", lambda x, i, s: A.scatter.src(x, dim, i, s), Input(*shape), O, Input(*O.shape))
    case("index", f"scatter.value_{dim}", f"scatter.value {{0}}, {{1}} dim {dim} value 0.5", lambda x, i: A.scatter.value(x, dim, i, 0.5),
         Input(*shape), Input(*less, **P))
SIGNED = dict(dtype="i64", kind="integer")
T = Input(4, 5, 4, 3)
for label, dims, shapes in (("first", [0], [(2, 3)]), ("middle", [2], [(6,)]), ("two", [0, 1], [(2, 1), (3,)]), ("apart", [0, 2], [(2, 3), (3,)]),
                            ("all", [0, 1, 2, 3], [(2,), (2,), (1,), ()]), ("scalar", [1], [()]), ("inner", [1, 2], [(2, 2), (1, 2)])):
    def indexed(x, *indices):
        return A.index.Tensor(x, [indices[dims.index(d)] if d in dims else None for d in range(max(dims) + 1)])
    case("index", "index.Tensor_" + label, "index.Tensor {0}, " + ", ".join(f"{{{1 + i}}}" for i in range(len(dims))) + f" dims {dims}", indexed,
         T, *[Input(*shape, **SIGNED) for shape in shapes])

    def put(x, *indices, accumulate):
        *indices, v = indices
        return A.index_put(x, [indices[dims.index(d)] if d in dims else None for d in range(max(dims) + 1)], v, accumulate)
    shape = indexed(T.tensor(0), *[Input(*shape, **SIGNED).tensor(1 + i) for i, shape in enumerate(shapes)]).shape
    text = "index_put {0}, " + ", ".join(f"{{{1 + i}}}" for i in range(len(dims))) + f" values {{{1 + len(dims)}}} dims {dims}"
    case("index", "index_put_add_" + label, text + " accumulate true", lambda *x: put(*x, accumulate=True), T,
         *[Input(*shape, **SIGNED) for shape in shapes], Input(*shape))
case("index", "index_put", "index_put {0}, {1} values {2} dims [2]", lambda x, i, v: A.index_put(x, [None, None, i], v), T,
     Input(3, dtype="i64", kind="order"), Input(5, 3, 1))
case("index", "index_put_i64", "index_put {0}, {1} values {2} dims [0]", lambda x, i, v: A.index_put(x, [i], v), Input(4, dtype="i64"),
     Input(3, dtype="i64", kind="order"), Input(dtype="i64"))
case("index", "slice_scatter", "slice_scatter {0}, {1} dim 1 start 1 end -1", lambda x, s: A.slice_scatter(x, s, 1, 1, -1), Input(3, 5, 2), Input(3, 3, 2))
case("index", "slice_scatter_step", "slice_scatter {0}, {1} step 2", lambda x, s: A.slice_scatter(x, s, 0, None, None, 2), Input(5, 2), Input(3, 2))
for label, x in (("", Input(3, 7, 2)), ("_ties", Input(3, 7, 2, kind="integer")), ("_special", Input(1, 12, 1, kind="special")), ("_i64", Input(2, 9, 1, dtype="i64"))):
    for descending in (False, True):
        case("index", f"sort{label}_{descending}", f"sort {{0}} dim 1 descending {str(descending).lower()}",
             lambda x: torch.sort(x, stable=True, dim=1, descending=descending), x)
for largest in (True, False):
    case("index", f"topk_{largest}", f"topk {{0}} k 3 dim 0 largest {str(largest).lower()}", lambda x: A.topk(x, 3, 0, largest), Input(7, 4))
case("index", "topk_last", "topk {0} k 2", lambda x: A.topk(x, 2), Input(2, 3, 5))
case("index", "topk_scalar", "topk {0} k 1", lambda x: A.topk(x, 1), Input())
case("index", "_grouped_mm", "_grouped_mm {0}, {1}, {2}",
     lambda x, w, o: torch.stack([x[m] @ w[min(int((o <= m).sum()), 3)] for m in range(6)]), Input(6, 3), Input(4, 3, 5), Input(4, dtype="i64", kind="position"))

#
# reduction
#
X = Input(2, 3, 5)
for name, packet in (("all.dims", A.all), ("any.dims", A.any)):
    for dtype in ("f32", "i64", "i1"):
        x = Input(2, 3, 5, dtype=dtype, kind="first" if name == "any.dims" else "bool")
        case("reduction", f"{name}_{dtype}", name + " {0} dim [0, -1]", lambda x: packet.dims(x, [0, 2]), x)
        case("reduction", f"{name}_{dtype}_all", name + " {0} keepdim true", lambda x: packet.dims(x, None, True), x)
for correction in (0.0, 1.0, 2.5):
    case("reduction", f"var.correction_{correction}", f"var.correction {{0}} dim [1] correction {correction}",
         lambda x: A.var.correction(x, [1], correction=correction), X)
case("reduction", "var.correction_all", "var.correction {0} keepdim true", lambda x: A.var.correction(x, None, keepdim=True), X)
case("reduction", "var.correction_offset", "var.correction {0}", lambda x: A.var.correction(x - 1000), Input(40, kind="offset"))
DIMS = [("dim0", [0]), ("dim1", [1]), ("last", [-1]), ("two", [0, 2]), ("all", [])]
for name, function in (("sum.dim_IntList", A.sum.dim_IntList), ("mean.dim", A.mean.dim), ("amax", A.amax), ("amin", A.amin)):
    for label, dims in DIMS:
        text = f"{name} {{0}}" + (f" dim {dims}" if dims else "")
        case("reduction", f"{name}_{label}", text, lambda x: function(x, dims), X)
        case("reduction", f"{name}_{label}_keep", text + " keepdim true", lambda x: function(x, dims, True), X)
for label, dims in DIMS[:4]:
    case("reduction", f"logsumexp_{label}", f"logsumexp {{0}} dim {dims}", lambda x: A.logsumexp(x, dims), X)
    case("reduction", f"logsumexp_{label}_keep", f"logsumexp {{0}} dim {dims} keepdim true", lambda x: A.logsumexp(x, dims, True), X)
case("reduction", "logsumexp_far", "logsumexp {0} dim [1]", lambda x: A.logsumexp(x, [1]), Input(2, 7, kind="offset"))
case("reduction", "logsumexp_special", "logsumexp {0} dim [0]", lambda x: A.logsumexp(x, [0]), Input(1, 12, kind="special"))
for name in ("sum", "prod", "mean", "max", "min"):
    case("reduction", name, name + " {0}", getattr(A, name).default, X)
    case("reduction", name + "_scalar", name + " {0}", getattr(A, name).default, Input())
for dtype in ("i64", "i32", "i1"):
    case("reduction", f"sum_{dtype}", "sum {0}", A.sum.default, Input(3, 5, dtype=dtype))
    case("reduction", f"sum.dim_IntList_{dtype}", "sum.dim_IntList {0} dim [1]", lambda x: A.sum.dim_IntList(x, [1]), Input(3, 5, dtype=dtype))
    case("reduction", f"prod_{dtype}", "prod.dim_int {0} dim 0", lambda x: A.prod.dim_int(x, 0), Input(3, 5, dtype=dtype))
case("reduction", "amax_i64", "amax {0} dim [1]", lambda x: A.amax(x, [1]), Input(3, 5, dtype="i64"))
case("reduction", "amin_i32", "amin {0} dim [1]", lambda x: A.amin(x, [1]), Input(3, 5, dtype="i32"))
for dim in (0, 1, -1):
    case("reduction", f"prod.dim_int_{dim}", f"prod.dim_int {{0}} dim {dim}", lambda x: A.prod.dim_int(x, dim), X)
case("reduction", "prod.dim_int_keep", "prod.dim_int {0} dim 1 keepdim true", lambda x: A.prod.dim_int(x, 1, True), X)
for ord_ in (2.0, 1.0, 0.0, 3.0, 0.5, INF, -INF):
    written = {INF: "0x7FF0000000000000", -INF: "0xFFF0000000000000"}.get(ord_, ord_)
    case("reduction", f"linalg_vector_norm_{ord_}", f"linalg_vector_norm {{0}} ord {written} dim [1]",
         lambda x: A.linalg_vector_norm(x, ord_, [1]), Input(2, 3, 5, kind="integer" if ord_ == 0 else None))
case("reduction", "linalg_vector_norm_all", "linalg_vector_norm {0}", A.linalg_vector_norm, X)
case("reduction", "linalg_vector_norm_keep", "linalg_vector_norm {0} dim [0, 2] keepdim true",
     lambda x: A.linalg_vector_norm(x, 2, [0, 2], True), X)
TIES = Input(4, 9, kind="integer")


def first(function, better):
    """ATen leaves open which of several equal extrema it names; the dialect says the first."""

    def run(x, dim, keepdim=False):
        values = function(x, dim, keepdim)[0]
        wide = values if keepdim else values.unsqueeze(dim)
        positions = torch.where((x == wide) | (x.isnan() & wide.isnan()), torch.arange(x.shape[dim]).reshape(
            [-1 if i == dim % x.dim() else 1 for i in range(x.dim())]), x.shape[dim]).amin(dim, keepdim)
        return values, positions

    return run


for name, function in (("max.dim", first(A.max.dim, "max")), ("min.dim", first(A.min.dim, "min"))):
    for dim in (0, 1, -1):
        case("reduction", f"{name}_{dim}", f"{name} {{0}} dim {dim}", lambda x: function(x, dim), X)
    case("reduction", name + "_keep", name + " {0} dim 1 keepdim true", lambda x: function(x, 1, True), X)
    case("reduction", name + "_ties", name + " {0} dim 1", lambda x: function(x, 1), TIES)
    case("reduction", name + "_special", name + " {0} dim 1", lambda x: function(x, 1), Input(3, 4, kind="special"))
for name in ("argmax", "argmin"):
    function = getattr(A, name)
    for dim in (0, 1, -1):
        case("reduction", f"{name}_{dim}", f"{name} {{0}} dim {dim}", lambda x: function(x, dim), X)
    case("reduction", name + "_all", name + " {0}", function, X)
    case("reduction", name + "_all_keep", name + " {0} keepdim true", lambda x: function(x, None, True), X)
    case("reduction", name + "_keep", name + " {0} dim 1 keepdim true", lambda x: function(x, 1, True), X)
    case("reduction", name + "_ties", name + " {0} dim 1", lambda x: first(A.max.dim if name == "argmax" else A.min.dim, "")(x, 1)[1], TIES)

#
# contraction
#
case("contraction", "mm", "mm {0}, {1}", A.mm, Input(3, 5), Input(5, 2))
case("contraction", "bmm", "bmm {0}, {1}", A.bmm, Input(4, 3, 5), Input(4, 5, 2))
for label, left, right in (("2d", (3, 5), (5, 2)), ("row", (5,), (5, 2)), ("column", (3, 5), (5,)), ("dot", (5,), (5,)),
                           ("batch", (4, 3, 5), (4, 5, 2)), ("broadcast", (4, 1, 3, 5), (7, 5, 2)), ("right2d", (4, 3, 5), (5, 2)),
                           ("left2d", (3, 5), (4, 5, 2)), ("batch_column", (4, 3, 5), (5,)), ("row_batch", (5,), (4, 5, 2)),
                           ("one", (1, 3, 5), (4, 5, 2))):
    case("contraction", "matmul_" + label, "matmul {0}, {1}", A.matmul, Input(*left), Input(*right))
case("contraction", "linear", "linear {0}, {1}", A.linear, Input(3, 5), Input(2, 5))
case("contraction", "linear_bias", "linear {0}, {1}, {2}", A.linear, Input(2, 3, 5), Input(4, 5), Input(4))
case("contraction", "linear_vector", "linear {0}, {1}, {2}", A.linear, Input(5), Input(4, 5), Input(4))
# More iterations than a tile of the oracle's schedule, and no multiple of it.
case("contraction", "mm_tiled_k", "mm {0}, {1}", A.mm, Input(3, 131, kind="integer"), Input(131, 5, kind="integer"))
case("contraction", "mm_tiled_m", "mm {0}, {1}", A.mm, Input(67, 3, kind="integer"), Input(3, 2, kind="integer"))
case("contraction", "mm_tiled_n", "mm {0}, {1}", A.mm, Input(1, 3, kind="integer"), Input(3, 515, kind="integer"))

CONVS = [
    ("conv1d", "plain", (2, 3, 9), (4, 3, 3), {}),
    ("conv1d", "all", (2, 4, 13), (6, 2, 3), dict(stride=[2], padding=[3], dilation=[2], groups=2)),
    ("conv2d", "plain", (2, 3, 7, 5), (4, 3, 3, 2), {}),
    ("conv2d", "stride", (1, 2, 9, 8), (3, 2, 3, 3), dict(stride=[2, 3])),
    ("conv2d", "padding", (1, 2, 5, 4), (3, 2, 3, 3), dict(padding=[2, 1])),
    ("conv2d", "dilation", (1, 2, 9, 8), (3, 2, 3, 2), dict(dilation=[2, 3])),
    ("conv2d", "groups", (2, 6, 5, 4), (4, 3, 2, 3), dict(groups=2)),
    ("conv2d", "depthwise", (2, 3, 6, 20), (3, 1, 3, 3), dict(padding=[1, 1], groups=3)),
    ("conv2d", "multiplier", (2, 3, 5, 4), (6, 1, 3, 3), dict(groups=3)),
    ("conv2d", "all", (2, 4, 11, 9), (6, 2, 3, 2), dict(stride=[2, 1], padding=[1, 2], dilation=[2, 1], groups=2)),
    ("conv2d", "wide", (1, 3, 4, 23), (2, 3, 2, 3), {}),
    ("conv2d", "many_filters", (1, 2, 5, 5), (17, 2, 3, 3), dict(stride=[2, 2])),
    ("conv2d", "pointwise", (2, 5, 3, 4), (3, 5, 1, 1), {}),
    ("conv3d", "plain", (1, 2, 4, 5, 3), (3, 2, 2, 3, 2), {}),
    ("conv3d", "all", (1, 4, 7, 6, 5), (2, 2, 2, 3, 2), dict(stride=[2, 1, 1], padding=[1, 0, 2], dilation=[2, 1, 3], groups=2)),
]
TRANSPOSED = [
    ("conv_transpose1d", "plain", (2, 3, 5), (3, 4, 3), {}),
    ("conv_transpose1d", "all", (2, 4, 5), (4, 3, 3), dict(stride=[3], padding=[2], output_padding=[1], groups=2, dilation=[2])),
    ("conv_transpose2d.input", "plain", (2, 3, 4, 5), (3, 4, 3, 2), {}),
    ("conv_transpose2d.input", "stride", (1, 2, 3, 4), (2, 3, 3, 3), dict(stride=[2, 3])),
    ("conv_transpose2d.input", "padding", (1, 2, 5, 4), (2, 3, 3, 3), dict(padding=[1, 2])),
    ("conv_transpose2d.input", "crop", (1, 2, 5, 6), (2, 3, 2, 1), dict(stride=[2, 2], padding=[2, 1])),
    ("conv_transpose2d.input", "output_padding", (1, 2, 3, 4), (2, 3, 3, 3), dict(stride=[2, 3], padding=[1, 1], output_padding=[1, 2])),
    ("conv_transpose2d.input", "groups", (2, 4, 3, 4), (4, 3, 2, 3), dict(groups=2)),
    ("conv_transpose2d.input", "all", (2, 4, 3, 4), (4, 3, 2, 3), dict(stride=[2, 1], padding=[1, 3], output_padding=[1, 0], groups=2, dilation=[1, 2])),
    ("conv_transpose3d.input", "plain", (1, 2, 3, 2, 4), (2, 3, 2, 3, 2), {}),
    ("conv_transpose3d.input", "all", (1, 4, 3, 2, 3), (4, 1, 2, 3, 2), dict(stride=[2, 3, 1], padding=[1, 1, 0], output_padding=[1, 0, 0], groups=2, dilation=[1, 1, 2])),
]
for name, label, shape, weight, attributes in CONVS + TRANSPOSED:
    packet, _, overload = name.partition(".")
    function = getattr(getattr(A, packet), overload or "default")
    text = name + " {0}, {1}" + "%s" + "".join(f" {k} {v}" for k, v in attributes.items())
    filters = weight[0] if name.startswith("conv_transpose") is False else weight[1] * attributes.get("groups", 1)

    def run(x, w, b=None):
        return function(x, w, b, **attributes)

    case("convolution", f"{name}_{label}", text % "", run, Input(*shape), Input(*weight))
    case("convolution", f"{name}_{label}_bias", text % ", {2}", run, Input(*shape), Input(*weight), Input(filters))

#
# window
#
POOLS = [
    ("1d", (2, 3, 11), "plain", [3], {}),
    ("1d", (3, 11), "unbatched", [3], dict(stride=[2])),
    ("1d", (2, 3, 11), "ceil", [3], dict(stride=[2], padding=[1], ceil_mode=True)),
    ("2d", (2, 3, 7, 9), "plain", [3, 2], {}),
    ("2d", (1, 2, 7, 9), "stride", [3, 2], dict(stride=[1, 3])),
    ("2d", (1, 2, 7, 9), "padding", [3, 4], dict(stride=[2, 3], padding=[1, 2])),
    ("2d", (1, 2, 8, 6), "ceil", [3, 3], dict(stride=[2, 2], ceil_mode=True)),
    ("2d", (1, 2, 8, 10), "ceil_padding", [3, 4], dict(stride=[2, 3], padding=[1, 2], ceil_mode=True)),
    ("3d", (1, 2, 5, 6, 7), "plain", [2, 3, 2], {}),
    ("3d", (1, 2, 5, 6, 7), "all", [2, 3, 3], dict(stride=[2, 1, 3], padding=[1, 1, 0], ceil_mode=True)),
]


def keywords(attributes):
    return "".join(f" {k} {str(v).lower() if isinstance(v, bool) else v}" for k, v in attributes.items())


for n, shape, label, kernel, attributes in POOLS:
    x = Input(*shape)
    dilation = {"dilation": [2] + [1] * (len(kernel) - 1)}
    for name, extra in ((f"max_pool{n}", {}), (f"max_pool{n}", dilation)):
        merged = dict(attributes, **extra)
        order = [k for k in ("stride", "padding", "dilation", "ceil_mode") if k in merged]
        text = f"{name} {{0}} kernel {kernel}" + keywords({k: merged[k] for k in order})
        case("window", f"{name}_{label}" + ("_dilation" if extra else ""), text, lambda x: getattr(F, name)(x, kernel, **merged), x)
    name = f"avg_pool{n}"
    for extra in ({}, {"count_include_pad": False}, {"divisor_override": 5}):
        if n == "1d" and "divisor_override" in extra:
            continue
        merged = dict(attributes, **extra)
        text = f"{name} {{0}} kernel {kernel}" + keywords(merged)
        case("window", f"{name}_{label}" + "".join("_" + k for k in extra), text, lambda x: getattr(F, name)(x, kernel, **merged), x)
case("window", "max_pool2d_infinite", "max_pool2d {0} kernel [2, 2] padding [1, 1]", lambda x: F.max_pool2d(x, 2, padding=1),
     Input(1, 3, 4, kind="special"))
for n, shape, sizes in (("1d", (2, 3, 11), ([4], [1], [11], [13])), ("1d", (3, 12), ([4],)),
                        ("2d", (2, 3, 7, 9), ([1, 1], [3, 3], [7, 4], [5, 11])), ("3d", (1, 2, 4, 7, 5), ([1, 1, 1], [2, 3, 4], [3, 7, 2]))):
    name = f"adaptive_avg_pool{n}"
    for size in sizes:
        case("window", f"{name}_{'x'.join(map(str, shape))}_to_{'x'.join(map(str, size))}", f"{name} {{0}} output_size {size}",
             lambda x: getattr(F, name)(x, size), Input(*shape))

#
# normalization
#
for name, function in (("softmax.int", A.softmax.int), ("log_softmax.int", A.log_softmax.int)):
    for dim in (0, 1, -1):
        case("normalization", f"{name}_{dim}", f"{name} {{0}} dim {dim}", lambda x: function(x, dim), X)
    case("normalization", name + "_far", name + " {0} dim 1", lambda x: function(x * 1, 1), Input(2, 7, kind="offset"))
    case("normalization", name + "_overflow", name + " {0} dim 0", lambda x: function(x, 0), Input(12, kind="special"))
C = Input(3)
V = Input(3, kind="positive")
for label, shape in (("2d", (5, 3)), ("3d", (2, 3, 5)), ("4d", (2, 3, 4, 5))):
    def batch_norm(x, w, b, m, v, eps=1e-5):
        return A.batch_norm(x, w, b, m, v, False, 0.1, eps, False)
    case("normalization", f"batch_norm_{label}", "batch_norm {0} weight {1} bias {2} running_mean {3} running_var {4}", batch_norm,
         Input(*shape), C, C, C, V)
case("normalization", "batch_norm_bare", "batch_norm {0} running_mean {1} running_var {2} eps 0.25",
     lambda x, m, v: batch_norm(x, None, None, m, v, 0.25), Input(2, 3, 5), C, V)
case("normalization", "batch_norm_weight", "batch_norm {0} weight {1} running_mean {2} running_var {3}",
     lambda x, w, m, v: batch_norm(x, w, None, m, v), Input(2, 3, 5), C, C, V)
case("normalization", "batch_norm_bias", "batch_norm {0} bias {1} running_mean {2} running_var {3}",
     lambda x, b, m, v: batch_norm(x, None, b, m, v), Input(2, 3, 5), C, C, V)



def centred(function):
    """Normalisation does not see a common offset, and taking 1000 off is exact: this answer has all its digits."""
    return lambda x, *rest: function(x - 1000, *rest)


def normalization(kind, name, text, function, *inputs):
    case("normalization", name, text, centred(function) if kind == "offset" else function, *inputs)


for kind in ("uniform", "offset"):
    suffix = "" if kind == "uniform" else "_offset"
    x = Input(2, 6, 5, kind=kind)
    for groups in (1, 2, 6):
        normalization(kind, f"group_norm_{groups}{suffix}", f"group_norm {{0}} weight {{1}} bias {{2}} num_groups {groups}",
             lambda x, w, b: A.group_norm(x, groups, w, b), x, Input(6), Input(6))
    normalization(kind, "group_norm_bare" + suffix, "group_norm {0} num_groups 3 eps 0.25", lambda x: A.group_norm(x, 3, None, None, 0.25), x)
    normalization(kind, "group_norm_4d" + suffix, "group_norm {0} bias {1} num_groups 2", lambda x, b: A.group_norm(x, 2, None, b),
         Input(2, 4, 3, 5, kind=kind), Input(4))
    normalization(kind, "instance_norm" + suffix, "instance_norm {0}",
         lambda x: A.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False), x)
    normalization(kind, "instance_norm_affine" + suffix, "instance_norm {0} weight {1} bias {2} eps 0.25",
         lambda x, w, b: A.instance_norm(x, w, b, None, None, True, 0.1, 0.25, False), Input(2, 3, 4, 5, kind=kind), C, C)
    normalization(kind, "layer_norm" + suffix, "layer_norm {0} weight {1} bias {2} normalized_shape [5]",
         lambda x, w, b: A.layer_norm(x, [5], w, b), x, Input(5), Input(5))
    normalization(kind, "layer_norm_two" + suffix, "layer_norm {0} weight {1} bias {2} normalized_shape [6, 5] eps 0.25",
         lambda x, w, b: A.layer_norm(x, [6, 5], w, b, 0.25), x, Input(6, 5), Input(6, 5))
    normalization(kind, "layer_norm_all" + suffix, "layer_norm {0} normalized_shape [2, 6, 5]", lambda x: A.layer_norm(x, [2, 6, 5]), x)
    normalization(kind, "layer_norm_weight" + suffix, "layer_norm {0} weight {1} normalized_shape [5]",
         lambda x, w: A.layer_norm(x, [5], w), x, Input(5))
case("normalization", "instance_norm_running", "instance_norm {0} weight {1} running_mean {2} running_var {3} use_input_stats false",
     lambda x, w, m, v: A.instance_norm(x, w, None, m, v, False, 0.1, 1e-5, False), Input(2, 3, 5), C, C, V)

#
# shape
#
S = Input(2, 3, 4, 5)
case("shape", "reshape", "reshape {0} shape [6, -1]", lambda x: x.reshape(6, -1), S)
case("shape", "reshape_regroup", "reshape {0} shape [3, 5, 8]", lambda x: x.reshape(3, 5, 8), S)
case("shape", "view", "view {0} size [2, 3, 2, 2, 5]", lambda x: x.view(2, 3, 2, 2, 5), S)
case("shape", "view_scalar", "view {0} size []", lambda x: x.view([]), Input(1, 1))
case("shape", "view_from_scalar", "view {0} size [1, 1]", lambda x: x.view(1, 1), Input())
case("shape", "flatten", "flatten.using_ints {0}", A.flatten.using_ints, S)
case("shape", "flatten_middle", "flatten.using_ints {0} start_dim 1 end_dim 2", lambda x: x.flatten(1, 2), S)
case("shape", "squeeze", "squeeze.dim {0} dim 1", lambda x: x.squeeze(1), Input(2, 1, 5))
case("shape", "squeeze_kept", "squeeze.dim {0} dim 0", lambda x: x.squeeze(0), Input(2, 1, 5))
case("shape", "unsqueeze", "unsqueeze {0} dim -1", lambda x: x.unsqueeze(-1), Input(2, 3))
case("shape", "unsqueeze_front", "unsqueeze {0} dim 0", lambda x: x.unsqueeze(0), Input(2, 3))
case("shape", "permute", "permute {0} dims [2, 0, -1, 1]", lambda x: x.permute(2, 0, 3, 1), S)
case("shape", "transpose", "transpose.int {0} dim0 1 dim1 -1", lambda x: x.transpose(1, -1), S)
case("shape", "numpy_T", "numpy_T {0}", lambda x: x.permute(3, 2, 1, 0), S)
case("shape", "expand", "expand {0} size [2, -1, 4]", lambda x: x.expand(2, -1, 4), Input(3, 1))
case("shape", "expand_i64", "expand {0} size [4, 3]", lambda x: x.expand(4, 3), Input(3, dtype="i64"))
case("shape", "select", "select.int {0} dim 1 index 2", lambda x: x.select(1, 2), S)
case("shape", "select_negative", "select.int {0} dim -1 index -2", lambda x: x.select(-1, -2), S)
case("shape", "slice", "slice.Tensor {0} dim 1 start 1", lambda x: x[:, 1:], S)
case("shape", "slice_step", "slice.Tensor {0} dim -1 start -4 end -1 step 2", lambda x: x[..., -4:-1:2], S)
case("shape", "slice_clamped", "slice.Tensor {0} dim 2 start 1 end 99", lambda x: x[:, :, 1:99], S)
case("shape", "narrow", "narrow {0} dim 2 start 1 length 2", lambda x: x.narrow(2, 1, 2), S)
case("shape", "narrow_negative", "narrow {0} dim 2 start -3 length 2", lambda x: x.narrow(2, -3, 2), S)
case("shape", "cat", "cat {0}, {1}, {2} dim 1", lambda *x: torch.cat(x, 1), Input(2, 3), Input(2, 1), Input(2, 4))
case("shape", "cat_last", "cat {0}, {1} dim -1", lambda *x: torch.cat(x, -1), Input(2, 2, 3), Input(2, 2, 2))
case("shape", "cat_rows", "cat {0}, {1}", lambda *x: torch.cat(x), Input(2, 3, dtype="i64"), Input(1, 3, dtype="i64"))
for diagonal in (0, 1, -2):
    case("shape", f"tril_{diagonal}", f"tril {{0}} diagonal {diagonal}", lambda x: x.tril(diagonal), Input(2, 4, 5))
    case("shape", f"triu_{diagonal}", f"triu {{0}} diagonal {diagonal}", lambda x: x.triu(diagonal), Input(2, 4, 5))

case("shape", "flip", "flip {0} dims [1]", lambda x: x.flip(1), S)
case("shape", "flip_two", "flip {0} dims [-1, 0]", lambda x: x.flip(-1, 0), S)

case("shape", "repeat", "repeat {0} repeats [2, 3]", lambda x: x.repeat(2, 3), Input(2, 5))
case("shape", "repeat_lead", "repeat {0} repeats [2, 1, 3]", lambda x: x.repeat(2, 1, 3), Input(2, 5, dtype="i64"))
for shifts, dims in (([2], [1]), ([-1, 7], [0, -1]), ([0], [0])):
    case("shape", f"roll_{shifts}", f"roll {{0}} shifts {shifts} dims {dims}", lambda x: torch.roll(x, shifts, dims), S)
for pad in ([1, 2], [0, 1, 2, 0, 1, 1], [-1, 2, 0, -1]):
    case("shape", f"constant_pad_nd_{pad}", f"constant_pad_nd {{0}} pad {pad} value 0.5", lambda x: A.constant_pad_nd(x, pad, 0.5), S)
case("shape", "constant_pad_nd_i1", "constant_pad_nd {0} pad [1, 0] value 1.0", lambda x: A.constant_pad_nd(x, [1, 0], True), Input(2, 3, dtype="i1"))
for dim, size, step in ((1, 2, 1), (-1, 3, 2), (2, 4, 5)):
    case("shape", f"unfold_{dim}", f"unfold {{0}} dimension {dim} size {size} step {step}", lambda x: x.unfold(dim, size, step), S)
for offset, first, second in ((0, 0, 1), (1, 1, 3), (-2, -1, 0)):
    case("shape", f"diagonal_{offset}", f"diagonal {{0}} offset {offset} dim1 {first} dim2 {second}", lambda x: x.diagonal(offset, first, second), S)
case("shape", "as_strided", "as_strided {0} size [3, 4, 2] stride [5, 1, 60] storage_offset 2",
     lambda x: x.as_strided((3, 4, 2), (5, 1, 60), 2), S)
case("shape", "as_strided_row", "as_strided {0} size [3] stride [1]", lambda x: x.as_strided((3,), (1,)), Input(2, 4))

#
# scans: within a segment of 32, across segments, and across segments of segments
#
for name, function in (("cumsum", torch.cumsum), ("cumprod", torch.cumprod)):
    for dim in (0, 1, -1):
        case("scan", f"{name}_{dim}", f"{name} {{0}} dim {dim}", lambda x: function(x, dim), Input(3, 4, 5))
    case("scan", f"{name}_segments", f"{name} {{0}} dim 0", lambda x: function(x, 0), Input(71, 2))
    case("scan", f"{name}_bool", f"{name} {{0}} dim 0", lambda x: function(x, 0), Input(7, dtype="i1"))
    case("scan", f"{name}_special", f"{name} {{0}} dim 0", lambda x: function(x, 0), Input(6, kind="special"))
case("scan", "cumsum_levels", "cumsum {0} dim -1", lambda x: torch.cumsum(x, -1), Input(1, 1031, dtype="i64"))
case("scan", "cumsum_scalar", "cumsum {0} dim 0", lambda x: torch.cumsum(x, 0), Input())

#
# attention
#
Q, K, VALUE = Input(2, 3, 4, 5), Input(2, 3, 7, 5), Input(2, 3, 7, 2)
NAME = "scaled_dot_product_attention"
SDPA = F.scaled_dot_product_attention
case("attention", "plain", NAME + " {0}, {1}, {2}", SDPA, Q, K, VALUE)
case("attention", "causal", NAME + " {0}, {1}, {2} is_causal true", lambda q, k, v: SDPA(q, k, v, is_causal=True), Q, K, VALUE)
case("attention", "causal_square", NAME + " {0}, {1}, {2} is_causal true", lambda q, k, v: SDPA(q, k, v, is_causal=True),
     Input(1, 6, 5), Input(1, 6, 5), Input(1, 6, 5))
case("attention", "scale", NAME + " {0}, {1}, {2} scale 0.3", lambda q, k, v: SDPA(q, k, v, scale=0.3), Q, K, VALUE)
case("attention", "mask", NAME + " {0}, {1}, {2} attn_mask {3}", SDPA, Q, K, VALUE, Input(4, 7))
case("attention", "mask_heads", NAME + " {0}, {1}, {2} attn_mask {3}", SDPA, Q, K, VALUE, Input(2, 1, 4, 7))
case("attention", "bool_mask", NAME + " {0}, {1}, {2} attn_mask {3}", SDPA, Q, K, VALUE, Input(3, 4, 7, dtype="i1"))
case("attention", "hidden_rows", NAME + " {0}, {1}, {2} attn_mask {3}", SDPA, Q, K, VALUE, Input(4, 7, dtype="i1", kind="first"))
case("attention", "matrices", NAME + " {0}, {1}, {2}", SDPA, Input(4, 5), Input(7, 5), Input(7, 2))

if __name__ == "__main__":
    for file, cases in files.items():
        # Attention's cases also run with its scores computed slice by slice.
        runs = ["kgen-oracle %s --check"] + ["kgen-oracle %s --check --slice-limit 64"] * (file in ("attention", "reduction"))
        with open(os.path.join(HERE, "..", f"numeric-{file}.mlir"), "w") as out:
            out.write("".join(f"// RUN: {run}\n" for run in runs))
            out.write(f"// Written by Inputs/generate.py with PyTorch {torch.__version__}; do not edit.\n\n")
            out.write("\n\n// -----\n".join(text for _, text in cases) + "\n")
        print(file, len(cases))
