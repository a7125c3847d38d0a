# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the fuzzer calls: one line for each op that the importer takes.

A line's key is the op's name in the importer's table (or a spelling that the importer rewrites). Its function gets the
generator `g` and operands, which are chosen by the parameter's name:

    x a float tensor      x2..x5 of that rank      i integers      b bools      t any type
    e a float tensor that came from the inputs without rounding (what jumps needs one: rounding must not decide)
    p one that is exact or well above zero         n one that is exact or well away from zero

and returns the call's text, or None for operands that the op does not take. Shapes and types of results are
PyTorch's own, found by computing; what PyTorch refuses is dropped. A plain op without attributes needs no line.
"""
from kgen.graph_writer import GraphWriter
from kgen.op_table import IDENTITIES, LAYOUTS, SYNONYMS

INF, NAN = "float('inf')", "float('nan')"


def _pierced(g, x, values=(NAN, INF, "-" + INF)):
    """X with one of VALUES at some places, on every kind of inputs: no more outputs than these are factors of may show them."""
    places = g.leaf(x.shape, "i64", ("integer", 0, 59))
    return f"{x}.masked_fill({places} == 0, {g.pick(values)})"


def _conv(g, x, spatial, transposed=False):
    """A convolution's text, its weight drawn to fit."""
    unbatched = x.rank == spatial + 1
    channels = x.shape[0 if unbatched else 1]
    if 0 in x.shape or channels > 24:
        return None
    groups = g.pick([d for d in (1, 1, 1, 2, 3, 4, channels) if channels % d == 0])
    kernel = [g.pick([1, 1, 2, 3, 3, 4, 5, 7] if spatial < 3 else [1, 2, 3]) for _ in range(spatial)]
    stride = [g.pick([1, 1, 2, 2, 3]) for _ in range(spatial)]
    dilation = [g.pick([1, 1, 1, 2]) for _ in range(spatial)]
    padding = [g.pick([0, 0, 1, 2, k // 2]) for k in kernel]
    per_group = g.pick([1, 2, 3, 5, 8, 16])
    fan_in = channels // groups
    for k in kernel:
        fan_in *= k
    init = ("normal", 0, round(fan_in ** -0.5, 3))
    if transposed:
        w = g.leaf([channels, per_group, *kernel], x.dtype, init, weight=True, plain=True)
        output_padding = [g.pick([0, max(s, d) - 1]) for s, d in zip(stride, dilation)]
    else:
        w = g.leaf([per_group * groups, channels // groups, *kernel], x.dtype, init, weight=True, plain=True)
    bias = str(g.leaf([per_group * groups], x.dtype, weight=True)) if g.maybe(0.5) else "None"
    source = _pierced(g, x) if g.maybe(0.35) else x
    name = f"F.conv{'_transpose' if transposed else ''}{spatial}d"
    rest = f"output_padding={output_padding}, " if transposed else ""
    even = [d * (k - 1) % 2 == 0 for d, k in zip(dilation, kernel)]
    if not transposed and all(even) and g.maybe(0.1):
        return f"{name}({source}, {w}, {bias}, padding='{g.pick(['same', 'valid'])}', dilation={dilation}, groups={groups})"
    return f"{name}({source}, {w}, {bias}, stride={stride}, padding={padding}, {rest}dilation={dilation}, groups={groups})"


def pool(g, x, spatial, kind):
    kernel = [g.pick([1, 2, 2, 3, 3, 4, 5]) for _ in range(spatial)]
    text = f"F.{kind}_pool{spatial}d({x}, {kernel}, stride={[g.pick([1, 2, 3, k]) for k in kernel]}, " \
           f"padding={[g.pick([0, k // 2]) for k in kernel]}, ceil_mode={g.maybe(0.4)}"
    if kind == "max":
        return text + f", dilation={[g.pick([1, 2, 2, 3]) for _ in kernel]})"
    divisor = f", divisor_override={g.pick([2, 5])}" if spatial > 1 and g.maybe(0.2) else ""
    return text + f", count_include_pad={g.maybe(0.5)}{divisor})"


def _adaptive(g, x, spatial):
    return f"F.adaptive_avg_pool{spatial}d({x}, {[g.pick([1, 2, 3, 5]) for _ in range(spatial)]})"


def _affine(g, x, extent):
    """Scale and shift of a norm: both, one or none."""
    one = [("normal", 1, 0.5), ("normal", 0, 1)]
    return ", ".join(f"{name}={g.leaf(extent, x.dtype, init, weight=True)}"
                     for name, init in zip(("weight", "bias"), one) if g.maybe(0.7))


def _batch_norm(g, x):
    channels = [x.shape[1]]
    mean = g.leaf(channels, x.dtype, ("normal", 0, 1), weight=True)
    var = g.leaf(channels, x.dtype, ("uniform", 0.5, 1.5), weight=True)
    return ", ".join(filter(None, [f"F.batch_norm({x}, {mean}, {var}", _affine(g, x, channels)])) + \
        f", training=False, eps={g.pick([1e-5, 1e-3])})"


def _layer_norm(g, x):
    shape = list(x.shape[-g.pick(range(1, x.rank + 1)):])
    return ", ".join(filter(None, [f"F.layer_norm({x}, {shape}", _affine(g, x, shape)])) + f", eps={g.pick([1e-5, 1e-2])})"


def _group_norm(g, x):
    groups = g.pick([d for d in range(1, x.shape[1] + 1) if x.shape[1] % d == 0])
    return ", ".join(filter(None, [f"F.group_norm({x}, {groups}", _affine(g, x, [x.shape[1]])])) + f", eps={g.pick([1e-5, 1e-2])})"


def _instance_norm(g, x):
    return ", ".join(filter(None, [f"F.instance_norm({x}", _affine(g, x, [x.shape[1]])])) + ", eps=1e-3)"


def _attention(g, q):
    *batch, rows, depth = q.shape
    keys, width = g.extent(), g.pick([depth, depth, g.extent()])
    if g.maybe(0.3):
        batch = [1 if g.maybe(0.3) else extent for extent in batch]
    masked = g.pick(["", "", "causal", "mask"])
    if masked or not keys:  # what shows of a NaN behind a mask, or of queries without a key, is the choice of each of PyTorch's kernels
        q = g.leaf(q.shape, q.dtype, plain=True)
    k = g.leaf([*batch, keys, depth], q.dtype, plain=bool(masked))
    v = g.leaf([*batch, keys, width], q.dtype, plain=bool(masked))
    extra = ""
    if masked == "causal":
        extra += ", is_causal=True"
    elif masked:
        shape = g.pick([[rows, keys], [*q.shape[:-1], keys], [1, keys]])
        mask = g.leaf(shape, "i1", ("integer", 0, 1)) if g.maybe(0.3) else g.leaf(shape, q.dtype, plain=True)
        extra += f", attn_mask={mask}"
    if g.maybe(0.3):
        extra += f", scale={g.pick([0.1, 1.0])}"
    operands = [q, k, v]
    if keys and masked in ("", "causal") and g.maybe(0.25):  # a query's own row is NaN with a mask, too
        which = g.pick([0, 1, 2] if not masked else [0])
        operands[which] = _pierced(g, operands[which], [NAN])
    return f"F.scaled_dot_product_attention({', '.join(map(str, operands))}{extra})"


def _cat(g, x):
    dim = g.dim(x)
    others = []
    for _ in range(g.pick([1, 1, 2, 3])):
        shape = list(x.shape)
        shape[dim] = g.pick([shape[dim], 1, 3, g.extent()])
        others.append(g.leaf(shape, x.dtype))
    operands = [x, *others]
    g.rng.shuffle(operands)
    return f"torch.cat([{', '.join(map(str, operands))}], dim={dim})"


def _sliced(g, t, dim):
    """start:stop:step along DIM, signs and ends anything that Python takes."""
    extent = t.shape[dim]
    start = g.pick(["", "1", "-2", str(extent // 2)])
    stop = g.pick(["", "-1", str(extent), str(extent + 5), str(extent // 2 + 1)])
    return f"{start}:{stop}:{g.pick(['', '2', '3'])}"


def _index(g, t):
    parts = [g.pick([":", ":", "None", str(g.rng.randrange(-e, e)) if e else ":", _sliced(g, t, d)])
             for d, e in enumerate(t.shape)]
    return f"{t}[{', '.join(parts)}]" if parts else None


def _split(g, t):
    dim = g.dim(t)
    if g.maybe(0.5):
        return f"torch.split({t}, {g.pick([1, 2, max(t.shape[dim] // 2, 1)])}, dim={dim})" if t.shape[dim] <= 6 else \
            f"torch.split({t}, {t.shape[dim] // 2}, dim={dim})"
    return f"torch.chunk({t}, {g.pick([1, 2, 3])}, dim={dim})"


def _expand(g, t):
    shape = [g.extent(small=True) if extent == 1 else g.pick([extent, -1]) for extent in t.shape]
    if g.maybe(0.3):
        shape.insert(0, g.extent(small=True))
    return f"{t}.expand({shape})"


def _reduce(name, more=""):
    """A reduction over some dims, kept or not."""
    def build(g, x):
        return f"{name}({x}{more}, dim={g.pick([g.dim(x), g.dims(x)])}, keepdim={g.maybe(0.4)})"
    return build


def _along(name, more=""):
    """A call along one dim."""
    return lambda g, x: f"{name}({x}{more}, dim={g.dim(x)})"


def _operator(sign):
    return lambda g, x: f"{x} {sign} {g.broadcast(x)}"


def _number(sign):
    return lambda g, x: f"{x} {sign} {g.number()}"


def _compare(sign):
    return lambda g, e: f"{e} {sign} {g.pick([0, 0.5, g.broadcast(e, exact=True)])}"


def _linear(g, x):
    if x.rank < 1 or x.shape[-1] > 600:
        return None
    wide = g.extent()
    scale = ("normal", 0, round(max(x.shape[-1], 1) ** -0.5, 3))
    w = g.leaf([wide, x.shape[-1]], x.dtype, scale, weight=True)
    bias = f", {g.leaf([wide], x.dtype, weight=True)}" if g.maybe(0.6) else ""
    return f"F.linear({x}, {w}{bias})"


def _matmul(g, x):
    if x.rank < 1:
        return None
    other = g.pick([[x.shape[-1]], [x.shape[-1], g.extent()], [*x.shape[:-2], x.shape[-1], g.extent()],
                    [g.extent(small=True), *[1] * max(x.rank - 2, 0), x.shape[-1], g.extent(small=True)]])
    return f"torch.matmul({x}, {g.leaf(other, x.dtype)})"


def _grouped_mm(g, x2):
    """Rows in groups, some of them empty, by a matrix each. torch.export takes bf16 alone, and rows of whole 16 bytes."""
    rows, inner = x2.shape
    if not rows:
        return None
    missing, groups, columns = -inner % 8, g.pick([1, 2, 3, 4, 7]), g.pick([8, 16, 24, 40, 72])
    source = str(x2) if x2.dtype == "bf16" else f"{x2}.to(bf16)"
    source = f"F.pad({source}, [0, {missing}])" if missing else source
    scale = ("normal", 0, round(max(inner, 1) ** -0.5, 3))
    turned = g.maybe(0.5)
    extents = [columns, inner + missing] if turned else [inner + missing, columns]
    w = g.leaf([groups, *extents], "bf16", scale, weight=True, plain=True)
    if g.maybe(0.5):
        ends = f"torch.tensor({sorted(g.pick(range(rows + 1)) for _ in range(groups - 1)) + [rows]}, dtype=i32)"
    else:
        counts = g.leaf([groups], "i64", ("integer", 0, 2 * rows // groups))
        ends = f"torch.maximum(torch.cumsum({counts}, 0), torch.tensor({[0] * (groups - 1) + [rows]})).clamp(max={rows}).to(i32)"
    return f"torch._grouped_mm({source}, {w}{'.transpose(1, 2)' if turned else ''}, offs={ends})"


def _einsum(g, x3):
    b, m, k = x3.shape
    return g.pick([lambda: f"torch.einsum('bmk,kn->bmn', {x3}, {g.leaf([k, g.extent()], x3.dtype)})",
                   lambda: f"torch.einsum('bmk,bkn->bmn', {x3}, {g.leaf([b, k, g.extent()], x3.dtype)})"])()


def _where(g, x):
    shape = list(x.shape)
    return f"torch.where({g.leaf(shape, 'i1', ('integer', 0, 1))}, {x}, {g.pick([g.broadcast(x), g.number()])})"


def _masked_fill(g, x):
    mask = g.leaf(g.broadcastable(x.shape), "i1", ("integer", 0, 1))
    return f"{x}.masked_fill({mask}, {g.pick([0.0, -1e4, '-' + INF])})"


def _embedding(g, x2):
    rows = x2.shape[0]
    if rows == 0:
        return None
    places = g.leaf(g.shape(2), g.pick(["i64", "i64", "i32"]), ("integer", 0, rows - 1))
    return f"F.embedding({places}, {x2})"


def _gather(g, x):
    dim = g.dim(x)
    if 0 in x.shape:
        return None
    shape = [g.pick([e, max(e - 1, 1)]) if d != dim else g.extent(small=True) for d, e in enumerate(x.shape)]
    return f"torch.gather({x}, {dim}, {g.leaf(shape, 'i64', ('integer', 0, x.shape[dim] - 1))})"


def _index_select(g, x):
    dim = g.dim(x)
    if x.shape[dim] == 0:
        return None
    return f"torch.index_select({x}, {dim}, {g.leaf([g.extent(small=True)], 'i64', ('integer', 0, x.shape[dim] - 1))})"


def _pad(g, x):
    sides = [g.pick([0, 1, 2]) for _ in range(2 * g.pick(range(1, min(x.rank, 3) + 1)))]
    return f"F.pad({x}, {sides}, value={g.pick([0.0, 0.5, -1.0])})"


def _repeat(g, x):
    return f"{x}.repeat({[g.pick([1, 1, 2, 3]) for _ in range(x.rank + g.pick([0, 0, 1]))]})" if x.rank else None


def _scatter(g, x):
    """Dim, index and source of a scatter that combines what meets in one place."""
    dim = g.dim(x)
    if 0 in x.shape:
        return None
    shape = [extent if d == dim else g.pick([extent, max(extent - 1, 1)]) for d, extent in enumerate(x.shape)]
    return dim, g.leaf(shape, "i64", ("integer", 0, x.shape[dim] - 1)), g.leaf(shape, x.dtype)


def _scatter_add(g, x):
    made = _scatter(g, x)
    return made and f"torch.scatter_add({x}, {made[0]}, {made[1]}, {made[2]})"


def _scatter_reduce(g, e):
    made = _scatter(g, e)
    return made and f"torch.scatter_reduce({e}, {made[0]}, {made[1]}, {made[2]}, '{g.pick(['amax', 'amin', 'sum'])}')"


def _scatter_value(g, x):
    made = _scatter(g, x)
    return made and f"torch.scatter({x}, {made[0]}, {made[1]}, 0.5)"


def _scatter_src(g, x):
    """Every place of one index, so that no two writes meet."""
    dim = g.dim(x)
    if 0 in x.shape:
        return None
    shape = [1 if d == dim else extent for d, extent in enumerate(x.shape)]
    return f"torch.scatter({x}, {dim}, {g.leaf(shape, 'i64', ('integer', 0, x.shape[dim] - 1))}, {g.leaf(shape, x.dtype)})"


def _positions(g, x):
    if 0 in x.shape or not x.rank:
        return None
    return g.leaf([g.extent(small=True)], "i64", ("integer", 0, x.shape[0] - 1))


def _index_tensor(g, x):
    places = _positions(g, x)
    return places and f"{x}[{places}]"


def _index_put(g, x):
    places = _positions(g, x)
    return places and f"torch.index_put({x}, ({places},), {g.leaf(places.shape + x.shape[1:], x.dtype)}, accumulate=True)"


def _slice_scatter(g, x):
    dim = g.dim(x)
    extent = x.shape[dim]
    start = extent // 3
    shape = [extent - start if d == dim else e for d, e in enumerate(x.shape)]
    return f"torch.slice_scatter({x}, {g.leaf(shape, x.dtype)}, dim={dim}, start={start})"


def _topk(g, e):
    dim = g.dim(e)
    return f"torch.topk({e}, {g.pick(range(1, e.shape[dim] + 1))}, dim={dim}, largest={g.maybe(0.5)})[0]"


def _unfold(g, t):
    dim = g.dim(t)
    size = g.pick(range(1, t.shape[dim] + 1))
    return f"{t}.unfold({dim}, {size}, {g.pick([1, 2, 3])})"


def _as_strided(g, t):
    if t.rank != 2 or 0 in t.shape:
        return None
    rows, columns = t.shape
    return f"{t}.contiguous().as_strided([{rows}, {max(columns - 1, 1)}], [{columns}, 1], {min(1, columns - 1)})"


def _integers(sign):
    return lambda g, i: f"{i} {sign} {g.pick([1, 3, g.broadcast(i)])}"


def _view(g, t):
    return f"{t}.{g.pick(['reshape', 'view'])}({g.reshaped(t)})"


# What rounds nothing: an element of the result is one of an operand, or its negative or magnitude.
EXACT = set("""abs neg relu clamp hardtanh relu6 maximum minimum max.other min.other max min amax amin max.dim min.dim
    argmax argmin cat expand view reshape slice.Tensor split.Tensor select.int flatten.using_ints flip narrow permute
    transpose.int squeeze.dim squeeze unsqueeze t numpy_T tril triu stack clone max_pool1d max_pool2d max_pool3d
    where.self masked_fill embedding gather index_select pad repeat roll unbind cummax cummin floor ceil round trunc sign
    sort topk isnan isinf all.dims any.dims unfold as_strided diagonal constant_pad_nd slice_scatter index.Tensor
    eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor logical_not bitwise_not logical_and logical_or""".split())

# Beginnings of names of those that choose among equal operands: of two zeros of different signs either may be theirs.
CHOICES = ("max", "min", "amax", "amin", "clamp", "relu", "hardtanh", "sort", "topk", "cummax", "cummin")

# How many cards of a deck are a line's (fuzz/deal.py); others have 1. PyTorch has no avg_pool3d of 16 bits for the CPU.
WEIGHTS = {"conv2d": 3, "conv_transpose1d": 4, "conv_transpose2d.input": 5, "linear": 3, "matmul": 2, "scaled_dot_product_attention": 3,
           "softmax.int": 2, "layer_norm": 2, "max_pool1d": 2, "max_pool2d": 5, "max_pool3d": 2, "avg_pool2d": 2, "avg_pool3d": 2, "cumsum": 3, "cumprod": 2}

OPS = {
    # Element by element
    "abs": lambda g, t: f"torch.abs({t})" if t.dtype != "i1" else None,
    "exp": lambda g, x: f"torch.exp({x} * 0.25)",
    "log": lambda g, p: f"torch.log({p})",
    "sqrt": lambda g, p: f"torch.sqrt({p})",
    "rsqrt": lambda g, p: f"torch.rsqrt({p})",
    "reciprocal": lambda g, n: f"torch.reciprocal({n})",
    "square": lambda g, x: f"torch.square({x})",
    "clamp": lambda g, x: f"torch.clamp({x}, {g.pick(['min=0.0', 'max=0.5', '-0.5, 0.5', '-1, 1', '0.5, 0.25'])})",
    "elu": lambda g, x: f"aten.elu({x}, {g.pick([1.0, 0.5])}, {g.pick([1, 2])}, {g.pick([1, 0.5])})",
    "gelu": lambda g, x: f"F.gelu({x}, approximate='{g.pick(['none', 'tanh'])}')",
    "hardtanh": lambda g, x: f"F.hardtanh({x}, -0.5, 2.0)",
    "leaky_relu": lambda g, x: f"F.leaky_relu({x}, {g.pick([0.01, 0.2, -0.5])})",
    "softplus": lambda g, x: f"F.softplus({x}, {g.pick([1, 2])}, {g.pick([20, 3])})",
    "pow.Tensor_Scalar": lambda g, e: f"{e} ** {g.pick([2, 3, 0.5, -1, 0, 1, 4, -2, 1.5])}",
    "add.Tensor": lambda g, x: f"torch.add({x}, {g.broadcast(x)}, alpha={g.pick([1, 1, 2, -0.5])})",
    "sub.Tensor": lambda g, x: f"torch.sub({x}, {g.broadcast(x)}, alpha={g.pick([1, 1, 2])})",
    "mul.Tensor": _operator("*"),
    "div.Tensor": lambda g, n: f"{g.broadcast(n)} / {n}",
    "add.Scalar": _number("+"), "sub.Scalar": _number("-"), "mul.Scalar": _number("*"),
    "div.Scalar": lambda g, x: f"{x} / {g.pick([2, 3.0, -7, 0.1])}",
    "rsub.Scalar": lambda g, x: f"{g.number()} - {x}",
    "maximum": lambda g, x: f"torch.maximum({x}, {g.broadcast(x)})",
    "minimum": lambda g, x: f"torch.minimum({x}, {g.broadcast(x)})",
    "max.other": lambda g, x: f"torch.max({x}, {g.broadcast(x)})",
    "min.other": lambda g, x: f"torch.min({x}, {g.broadcast(x)})",
    "relu6": lambda g, x: f"F.relu6({x})",
    # Reductions and scans
    "max": lambda g, x: f"torch.max({x})", "min": lambda g, x: f"torch.min({x})",
    "mean": lambda g, x: f"torch.mean({x})", "sum": lambda g, x: f"torch.sum({x})",
    "prod": lambda g, x: f"torch.prod({x})",
    "amax": _reduce("torch.amax"), "amin": _reduce("torch.amin"),
    "logsumexp": _reduce("torch.logsumexp"), "mean.dim": _reduce("torch.mean"),
    "sum.dim_IntList": _reduce("torch.sum"),
    "prod.dim_int": lambda g, x: f"torch.prod({x}, dim={g.dim(x)}, keepdim={g.maybe(0.5)})",
    "linalg_vector_norm": lambda g, x: f"torch.linalg.vector_norm({x}, {g.pick([2, 1, 3, INF, '-' + INF])}, "
                                       f"dim={g.dims(x)}, keepdim={g.maybe(0.4)})",
    "max.dim": lambda g, e: f"torch.max({e}, dim={g.dim(e)}, keepdim={g.maybe(0.4)})",
    "min.dim": lambda g, e: f"torch.min({e}, dim={g.dim(e)}, keepdim={g.maybe(0.4)})",
    "argmax": lambda g, e: f"torch.argmax({e}{g.pick(['', f', dim={g.dim(e)}, keepdim={g.maybe(0.5)}'])})",
    "argmin": lambda g, e: f"torch.argmin({e}{g.pick(['', f', dim={g.dim(e)}, keepdim={g.maybe(0.5)}'])})",
    "cumsum": _along("torch.cumsum"), "cumprod": _along("torch.cumprod"),
    # Contractions
    "mm": lambda g, x2: f"torch.mm({x2}, {g.leaf([x2.shape[1], g.extent()], x2.dtype)})",
    "bmm": lambda g, x3: f"torch.bmm({x3}, {g.leaf([x3.shape[0], x3.shape[2], g.extent()], x3.dtype)})",
    "matmul": _matmul, "linear": _linear, "einsum": _einsum, "_grouped_mm": _grouped_mm,
    "addmm": lambda g, x2: f"torch.addmm({g.leaf(g.pick([[], [1], [5], [x2.shape[0], 5]]), x2.dtype)}, {x2}, "
                           f"{g.leaf([x2.shape[1], 5], x2.dtype)})",
    "mv": lambda g, x2: f"torch.mv({x2}, {g.leaf([x2.shape[1]], x2.dtype)})",
    "dot": lambda g, x1: f"torch.dot({x1}, {g.leaf(x1.shape, x1.dtype)})",
    "conv1d": lambda g, x3: _conv(g, x3, 1), "conv2d": lambda g, x4: _conv(g, x4, 2),
    "conv3d": lambda g, x5: _conv(g, x5, 3),
    "conv_transpose1d": lambda g, x3: _conv(g, x3, 1, True),
    "conv_transpose2d.input": lambda g, x4: _conv(g, x4, 2, True),
    "conv_transpose3d.input": lambda g, x5: _conv(g, x5, 3, True),
    "scaled_dot_product_attention": lambda g, x3, x4: _attention(g, g.pick([x3, x4, x4])),
    # Windows
    **{f"{kind}_pool{n}d": eval(f"lambda g, x{n + 2}: pool(g, x{n + 2}, {n}, '{kind}')", {"pool": pool})
       for kind in ("max", "avg") for n in (1, 2, 3)},
    **{f"adaptive_avg_pool{n}d": eval(f"lambda g, x{n + 2}: _adaptive(g, x{n + 2}, {n})", {"_adaptive": _adaptive})
       for n in (1, 2, 3)},
    # Normalisations
    "softmax.int": _along("torch.softmax"), "log_softmax.int": _along("torch.log_softmax"),
    "batch_norm": lambda g, x4, x3, x2: _batch_norm(g, g.pick([x4, x3, x2])),
    "group_norm": lambda g, x4, x3: _group_norm(g, g.pick([x4, x3])),
    "instance_norm": lambda g, x4, x3: _instance_norm(g, g.pick([x4, x3])),
    "layer_norm": lambda g, x: _layer_norm(g, x) if x.rank else None,
    # Views and layout
    "cat": _cat, "expand": _expand, "view": _view, "reshape": _view, "slice.Tensor": _index, "split.Tensor": _split,
    "select.int": lambda g, t: f"{t}.select({g.dim(t)}, {g.pick([0, -1])})",
    "flatten.using_ints": lambda g, t: f"torch.flatten({t}, {g.pick(['0', '1', '0, 1', '-2, -1'])})",
    "flip": lambda g, t: f"torch.flip({t}, {g.dims(t)})",
    "narrow": lambda g, t: g.narrow(t),
    "permute": lambda g, t: f"{t}.permute({g.rng.sample(range(t.rank), t.rank)})",
    "transpose.int": lambda g, t: f"{t}.transpose({g.dim(t)}, {g.dim(t)})",
    "squeeze.dim": lambda g, t: f"{t}.squeeze({g.dim(t)})",
    "squeeze": lambda g, t: f"{t}.squeeze()",
    "unsqueeze": lambda g, t: f"{t}.unsqueeze({g.pick([0, -1, t.rank])})",
    "t": lambda g, x2: f"{x2}.t()",
    "numpy_T": lambda g, x2: f"{x2}.T",
    "tril": lambda g, x: f"torch.tril({x}, {g.pick([0, 1, -1, 3])})" if x.rank > 1 else None,
    "triu": lambda g, x: f"torch.triu({x}, {g.pick([0, 1, -1, 3])})" if x.rank > 1 else None,
    "stack": lambda g, x: f"torch.stack([{x}, {g.leaf(x.shape, x.dtype)}], dim={g.pick([0, -1])})",
    "clone": lambda g, t: f"{t}.{g.pick(['clone', 'contiguous', 'detach'])}()",
    # Losses
    "mse_loss": lambda g, x: f"F.mse_loss({x}, {g.leaf(x.shape, x.dtype)}, reduction='{g.pick(['mean', 'sum', 'none'])}')",
    "l1_loss": lambda g, x: f"F.l1_loss({x}, {g.leaf(x.shape, x.dtype)}, reduction='{g.pick(['mean', 'sum', 'none'])}')",
    "smooth_l1_loss": lambda g, x: f"F.smooth_l1_loss({x}, {g.leaf(x.shape, x.dtype)}, beta={g.pick([1.0, 0.5])})",
    # Comparisons, masks and choices
    "eq.Tensor": _compare("=="), "ne.Tensor": _compare("!="), "lt.Tensor": _compare("<"), "le.Tensor": _compare("<="),
    "gt.Tensor": _compare(">"), "ge.Tensor": _compare(">="),
    "logical_not": lambda g, b: f"torch.logical_not({b})", "bitwise_not": lambda g, b: f"~{b}",
    "logical_and": lambda g, b: f"torch.logical_and({b}, {g.leaf(b.shape, 'i1', ('integer', 0, 1))})",
    "logical_or": lambda g, b: f"torch.logical_or({b}, {g.leaf(b.shape, 'i1', ('integer', 0, 1))})",
    "where.self": _where, "masked_fill": _masked_fill,
    # Element types and places
    "to.dtype": lambda g, t: g.cast(t),
    "embedding": _embedding, "gather": _gather, "index_select": _index_select, "pad": _pad, "repeat": _repeat,
    "roll": lambda g, t: f"torch.roll({t}, {g.pick([1, -2])}, dims={g.dim(t)})",
    "unbind": lambda g, x3: f"torch.unbind({x3}, dim={g.dim(x3)})" if x3.rank and max(x3.shape) <= 8 else None,
    "cummax": lambda g, e: f"torch.cummax({e}, dim={g.dim(e)})", "cummin": lambda g, e: f"torch.cummin({e}, dim={g.dim(e)})",
    "logcumsumexp": _along("torch.logcumsumexp"),
    "floor": lambda g, e: f"torch.floor({e})", "ceil": lambda g, e: f"torch.ceil({e})",
    "round": lambda g, e: f"torch.round({e})", "trunc": lambda g, e: f"torch.trunc({e})",
    "sign": lambda g, e: f"torch.sign({e})",
    "var.correction": lambda g, x: f"torch.var({x}, dim={g.dim(x)}, correction={g.pick([0, 1])}, keepdim={g.maybe(0.5)})",
    "std.correction": lambda g, x: f"torch.std({x}, dim={g.dim(x)}, correction=0, keepdim=True) + 1",
    "pow.Tensor_Tensor": lambda g, x: f"(torch.sigmoid({x}) + 0.5) ** {g.broadcast(x)}",
    "pow.Scalar": lambda g, x: f"{g.pick([2, 0.5, 1.5])} ** {x}",
    "_to_copy": lambda g, t: g.cast(t),
    "eq.Scalar": lambda g, e: f"{e} == {g.pick([0, 1])}", "ne.Scalar": lambda g, e: f"{e} != 0",
    "lt.Scalar": lambda g, e: f"{e} < 0.25", "le.Scalar": lambda g, e: f"{e} <= 0",
    "gt.Scalar": lambda g, e: f"{e} > 0", "ge.Scalar": lambda g, e: f"{e} >= -0.5",
    "isnan": lambda g, e: f"torch.isnan({e})", "isinf": lambda g, e: f"torch.isinf({e})",
    "all.dims": lambda g, b: f"torch.all({b}, dim={g.dim(b)}, keepdim={g.maybe(0.5)})",
    "any.dims": lambda g, b: f"torch.any({b}, dim={g.dim(b)}, keepdim={g.maybe(0.5)})",
    "logical_xor": lambda g, b: f"torch.logical_xor({b}, {g.leaf(b.shape, 'i1', ('integer', 0, 1))})",
    "bitwise_and.Scalar": lambda g, i: f"{i} & 5", "bitwise_or.Scalar": lambda g, i: f"{i} | 5",
    "bitwise_xor.Scalar": lambda g, i: f"{i} ^ 5", "bitwise_and.Tensor": _integers("&"),
    "bitwise_or.Tensor": _integers("|"), "bitwise_xor.Tensor": _integers("^"),
    "div.Tensor_mode": lambda g, i: f"torch.div({i}, {g.pick([2, 3, -4])}, rounding_mode='{g.pick(['floor', 'trunc'])}')",
    "fmod.Scalar": lambda g, e: f"torch.fmod({e}, {g.pick([2, 0.5, -3])})",
    "fmod.Tensor": lambda g, i: f"torch.fmod({i}, {g.leaf(i.shape, i.dtype, ('integer', 1, 7))})",
    "remainder.Scalar": lambda g, e: f"torch.remainder({e}, {g.pick([2, 0.5, -3])})",
    "remainder.Tensor": lambda g, i: f"torch.remainder({i}, {g.leaf(i.shape, i.dtype, ('integer', 1, 7))})",
    "acos": lambda g, x: f"torch.acos(torch.tanh({x}) * 0.9)", "asin": lambda g, x: f"torch.asin(torch.tanh({x}) * 0.9)",
    "atanh": lambda g, x: f"torch.atanh(torch.tanh({x}) * 0.9)", "acosh": lambda g, x: f"torch.acosh(torch.square({x}) + 1.1)",
    "atan2": lambda g, p: f"torch.atan2({g.leaf(p.shape, p.dtype)}, {p})", "erfinv": lambda g, x: f"torch.erfinv(torch.tanh({x}) * 0.9)",
    "log2": lambda g, p: f"torch.log2({p})", "log10": lambda g, p: f"torch.log10({p})",
    "log1p": lambda g, x: f"torch.log1p(torch.abs({x}))", "exp2": lambda g, x: f"torch.exp2({x} * 0.25)",
    "expm1": lambda g, x: f"torch.expm1({x} * 0.25)", "sinh": lambda g, x: f"torch.sinh({x} * 0.25)",
    "cosh": lambda g, x: f"torch.cosh({x} * 0.25)", "tan": lambda g, x: f"torch.tan(torch.tanh({x}))",
    "full_like": lambda g, x: f"{x} + torch.full_like({x}, {g.number()})",
    "full": lambda g, x: f"{x} + torch.full({x.shape}, {g.number()}, dtype={x.dtype})",
    "arange.start_step": lambda g, x2: f"{x2} + torch.arange({x2.shape[1]}, dtype={x2.dtype})",
    "constant": lambda g, x2: f"{x2} * torch.tensor([[0.5], [2.0], [-1.0]], dtype={x2.dtype})[:1]",
    "constant_pad_nd": _pad, "diagonal": lambda g, x2: f"torch.diagonal({x2}, {g.pick([0, 1, -1])})",
    "masked_fill.Scalar": _masked_fill, "index.Tensor": _index_tensor, "index_put": _index_put,
    "scatter.src": _scatter_src, "scatter.value": _scatter_value, "scatter_add": _scatter_add,
    "scatter_reduce.two": _scatter_reduce, "slice_scatter": _slice_scatter,
    "sort": lambda g, e: f"torch.sort({e}, dim={g.dim(e)}, descending={g.maybe(0.5)})[0]", "topk": _topk, "unfold": _unfold,
    "as_strided": _as_strided,
}

# Spellings whose own name says nothing of the dialect's.
_REWRITES = {name[len("_rewrite_"):] for name in dir(GraphWriter) if name.startswith("_rewrite_")}


def is_imported(name):
    """Whether the importer of this tree takes the op of line NAME."""
    return name in LAYOUTS or name in SYNONYMS or name in IDENTITIES or name.replace(".", "_") in _REWRITES


def _plain_lines():
    """Ops of one or two tensors without attributes, which need no line of their own."""
    lines = {}
    for name, layout in LAYOUTS.items():
        bare = not (layout.named or layout.words or layout.braces)
        if name in OPS or not bare:
            continue
        call = f"aten.{name}"
        if layout.positional == "self":
            lines[name] = lambda g, x, call=call: f"{call}({x})"
        elif layout.positional == "self other":
            lines[name] = lambda g, x, call=call: f"{call}({x}, {g.broadcast(x)})"
    return lines


def table():
    """Name to function of every line that this tree's importer takes, and the ops of the dialect without one."""
    lines = {**{name: line for name, line in OPS.items() if is_imported(name)}, **_plain_lines()}
    return lines, sorted(set(LAYOUTS) - set(lines))
