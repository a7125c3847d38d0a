# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are aimed at a variant of a kernel: what those of tensor cores, tensor maps, long rows, channels-last images and matrices behind views ask for,
and random shapes never are. Each makes its own operands from the generator `g`."""
from fuzz.ops import INF, pool


def _normal(fan_in):
    return ("normal", 0, round(fan_in ** -0.5, 3))


def _ending(g, text):
    return g.pick(["{}", "{}", "F.relu({})", "F.gelu({})", "F.silu({})"]).format(text)


def _aim_linear(g):
    rows, depth = g.pick([(1, 2048), (8, 1024), (16, 768), (33, 512), (4, 1000), (64, 256), (96, 512), (128, 128), (130, 72)])
    columns = g.pick([64, 128, 192, 72])
    x = g.leaf(g.pick([[rows, depth], [rows, depth], [1, rows, depth]]))
    w = g.leaf([columns, depth], init=_normal(depth), weight=True)
    bias = g.leaf([columns], weight=True) if g.maybe(0.5) else None
    return _ending(g, f"F.linear({x}, {w}, {bias})")


def _aim_matmul(g):
    batch, rows, depth, columns = g.pick([1, 2, 3]), g.pick([16, 33, 64, 130]), g.pick([32, 64, 72, 128]), g.pick([8, 64, 72, 128])
    lead = g.pick([[], [batch], [batch, 2]])
    shared = g.maybe(0.3)
    a = g.leaf([*lead, rows, depth])
    if g.maybe(0.5):
        return _ending(g, f"torch.matmul({a}, {g.leaf([*([] if shared else lead), columns, depth])}.transpose(-1, -2))")
    return _ending(g, f"torch.matmul({a}, {g.leaf([*([] if shared else lead), depth, columns])})")


def _images(g, spatial, channels):
    """Images whose channels are last in memory, as an expression with the channels second."""
    extent = [g.pick({1: [64, 70, 130], 2: [7, 8, 9, 12, 16], 3: [4, 5, 6]}[spatial]) for _ in range(spatial)]
    return f"{g.leaf([g.pick([1, 1, 2, 3]), *extent, channels])}.permute(0, {spatial + 1}, {', '.join(map(str, range(1, spatial + 1)))})"


def _last(g, text, spatial):
    """TEXT, mostly with its channels last again."""
    return f"{text}.permute(0, {', '.join(map(str, range(2, spatial + 2)))}, 1)" if g.maybe(0.75) else text


def _aim_conv(g, spatial):
    channels, filters = g.pick([8, 24, 32, 32, 40, 64, 64]), g.pick([8, 16, 32, 64, 72])
    kernel = [g.pick([1, 3, 3, 5] if spatial < 3 else [1, 2, 3]) for _ in range(spatial)]
    fan_in = channels
    for k in kernel:
        fan_in *= k
    if g.maybe(0.4):  # the weight's memory is channels last, too
        w = f"{g.leaf([filters, *kernel, channels], init=_normal(fan_in), weight=True)}.permute(0, {spatial + 1}, {', '.join(map(str, range(1, spatial + 1)))})"
    else:
        w = g.leaf([filters, channels, *kernel], init=_normal(fan_in), weight=True)
    x = _images(g, spatial, channels) if g.maybe(0.7) else \
        g.leaf([g.pick([1, 2]), channels, *[g.pick({1: [64, 100], 2: [6, 8, 9, 12], 3: [4, 5]}[spatial]) for _ in range(spatial)]])
    bias = g.leaf([filters], weight=True) if g.maybe(0.5) else None
    stride, dilation = [g.pick([1, 1, 2]) for _ in kernel], [g.pick([1, 1, 1, 2]) for _ in kernel]
    padding = [g.pick([0, k // 2, k - 1]) for k in kernel]
    text = _ending(g, f"F.conv{spatial}d({x}, {w}, {bias}, stride={stride}, padding={padding}, dilation={dilation})")
    return _last(g, text, spatial)


def _aim_depthwise(g):
    channels, kernel = g.pick([8, 16, 32, 33, 40, 64]), g.pick([3, 3, 5, 7])
    w = g.leaf([channels, 1, kernel, g.pick([kernel, 3])], init=_normal(kernel * kernel), weight=True)
    bias = g.leaf([channels], weight=True) if g.maybe(0.5) else None
    text = f"F.conv2d({_images(g, 2, channels)}, {w}, {bias}, stride={g.pick([1, 1, 2])}, padding={g.pick([0, 1, kernel // 2])}, " \
           f"dilation={g.pick([1, 1, 2])}, groups={channels})"
    return _last(g, _ending(g, text), 2)


def _aim_stem(g):
    kernel, filters = g.pick([3, 5, 7]), g.pick([32, 64])
    w = g.leaf([filters, 3, kernel, kernel], init=_normal(3 * kernel * kernel), weight=True)
    extent = g.pick([24, 32, 35])
    text = f"F.relu(F.conv2d({g.leaf([1, 3, extent, extent])}, {w}, {g.leaf([filters], weight=True)}, stride=2, padding={kernel // 2}))"
    return f"F.max_pool2d({text}, 3, stride=2, padding=1)" if g.maybe(0.7) else text


def _aim_pooled(g):
    """Convolutions and what windows of their outputs come to; in three dimensions of few channels. Transposed ones have as many phases as a window."""
    spatial, transposed = g.pick([2, 2, 3]), g.maybe(0.5)
    channels, filters = g.pick([8, 16, 24] if spatial == 2 else [3, 5]), g.pick([16, 40, 64] if spatial == 2 else [8, 16, 24])
    extents = {2: [g.pick([12, 17]), g.pick([16, 20])], 3: [g.pick([3, 4]), 8, g.pick([8, 9])]}[spatial]
    if not transposed:
        extents = [2 * extent for extent in extents]
    x = g.leaf([g.pick([1, 2]), channels, *extents])
    w = g.leaf([channels if transposed else filters, filters if transposed else channels, *[3] * spatial], init=_normal(channels * 3 ** spatial), weight=True)
    bias = g.leaf([filters], weight=True) if g.maybe(0.5) else None
    name = f"conv_transpose{spatial}d" if transposed else f"conv{spatial}d"
    text = _ending(g, f"F.{name}({x}, {w}, {bias}, stride={2 if transposed else 1}, padding={g.pick([0, 1])})")
    window = [g.pick([1, 2, 2, 4]) if d else g.pick([1, 2]) for d in range(spatial)]
    return f"F.{'max' if spatial == 3 else g.pick(['max', 'max', 'avg'])}_pool{spatial}d({text}, {window})"


def _aim_attention(g):
    """Heads as models have them: beside each other in a row or apart, grouped, and with masks of every form."""
    batch, heads, depth = g.pick([1, 1, 2]), g.pick([1, 2, 4]), g.pick([16, 32, 64, 64, 40, 80, 128])
    rows, keys = g.pick([1, 16, 17, 33, 64, 70]), g.pick([16, 33, 64, 65, 100, 128])
    if g.maybe(0.1):
        depth = g.pick([136, 160, 200, 256])
    few = g.pick([heads, heads, *[h for h in (1, 2) if heads % h == 0]])

    def operand(length, count):
        if g.maybe(0.5):
            return g.leaf([batch, count, length, depth], plain=True)
        return f"{g.leaf([batch, length, count * depth], plain=True)}.view({batch}, {length}, {count}, {depth}).transpose(1, 2)"

    form = g.pick(["", "", "causal", "bool", "number", "padding", "infinities"])
    rows = keys if form == "causal" and g.maybe(0.7) else rows
    extra = f", scale={g.pick([0.1, 1.0])}" if g.maybe(0.2) else ""
    if form == "causal":
        extra += ", is_causal=True"
    elif form:
        shape = [batch, 1, 1, keys] if form == "padding" else g.pick([[rows, keys], [1, keys], [batch, 1, rows, keys], [batch, heads, rows, keys],
                                                                    [1, heads, rows, 1], [rows, 1]])
        flags = form in ("bool", "padding")
        mask = g.leaf(shape, "i1" if flags or form == "infinities" else None, ("integer", 0, 1) if flags or form == "infinities" else None, plain=True)
        if form == "infinities":
            mask = f"torch.where({mask}, 0.0, {g.pick(['-' + INF, '-30000.0'])}).to({g.dtype})"
        extra += f", attn_mask={mask}"
    if few != heads:
        extra += ", enable_gqa=True"
    text = f"F.scaled_dot_product_attention({operand(rows, heads)}, {operand(keys, few)}, {operand(keys, few)}{extra})"
    return f"{text}.transpose(1, 2).reshape({batch}, {rows}, {heads * depth})" if g.maybe(0.4) else text


def _long_rows(g):
    rows, columns = g.pick([(1, 32768), (2, 16384), (3, 10000), (4, 8192), (7, 4100), (9, 2048)])
    return g.leaf([rows, columns]), columns


def _aim_softmax(g):
    x, columns = _long_rows(g)
    return g.pick([f"torch.softmax({x}, -1)", f"torch.log_softmax({x}, -1)", f"F.layer_norm({x}, [{columns}], eps=1e-3)",
                   f"F.layer_norm({x}, [{columns}], {g.leaf([columns], weight=True)}, {g.leaf([columns], weight=True)}, 1e-3)",
                   f"F.rms_norm({x}, [{columns}], eps=1e-3)", f"{x} * torch.rsqrt({x}.square().mean(-1, keepdim=True) + 1e-3)"])


def _aim_sum(g):
    x, _ = _long_rows(g)
    return g.pick([f"torch.sum({x}, -1)", f"torch.mean({x}, -1)", f"torch.amax({x}, -1)", f"torch.logsumexp({x}, -1)", f"torch.var({x}, -1)",
                   f"torch.linalg.vector_norm({x}, dim=-1)", f"torch.argmax({x}, -1)", f"torch.sum({x}, 0)"])


def _aim_scan(g):
    x = g.leaf(g.pick([[3, 5000], [2, 300, 17], [1, 8192], [40, 257]]))
    return f"torch.{g.pick(['cumsum', 'cumsum', 'logcumsumexp'])}({x}, dim={g.pick([0, 1, -1])})"


def _aim_scan_order(g):
    """Scans from the end of a row, of what stands before each element, and of what a mask leaves."""
    x = g.leaf(g.pick([[3, 5000], [2, 300, 17], [5, 1024], [40, 257], [7, 96]]))
    dim, form = g.pick([0, 1, -1]), g.pick(["flip", "flips", "exclusive", "total", "mask", "mask and flips"])
    text = f"({x} * ({x} > 0))" if "mask" in form else str(x)
    if "flip" in form:
        text = f"torch.flip({text}, [{dim}])"
    if form in ("exclusive", "total"):
        text = f"torch.cat((torch.zeros_like({x}.select({dim}, 0).unsqueeze({dim})), {x}), dim={dim})"
    if form == "exclusive":
        text += f".narrow({dim}, 0, {x.shape[dim]})"
    text = f"torch.cumsum({text}, dim={dim})"
    return f"torch.flip({text}, [{dim}])" if "flips" in form else text


def _aim_sort(g):
    x = g.leaf(g.pick([[3, 1000], [5, 129, 3], [2049]]))
    dim, down = g.pick([-1, 0]), g.maybe(0.5)
    if g.maybe(0.5):
        return f"torch.sort({x}, dim={dim}, descending={down})[0]"
    return f"torch.topk({x}, {g.pick([1, 2, min(x.shape[dim], 20)])}, dim={dim}, largest={down})[0]"


def _aim_index_put(g):
    rows, columns, count = g.pick([5, 64, 200]), g.pick([3, 32, 65]), g.pick([1, 17, 300])
    x = g.leaf([rows, columns])
    i, j = g.leaf([count], "i64", ("integer", 0, rows - 1)), g.leaf([count], "i64", ("integer", 0, columns - 1))
    return g.pick([f"torch.index_put({x}, ({i}, {j}), {g.leaf([count])}, accumulate=True)",
                   f"torch.index_put({x}, ({i},), {g.leaf(g.pick([[count, columns], [columns], [count, 1]]))}, accumulate=True)",
                   f"torch.index_put({x}, ({i}, {j}), {g.leaf([])}, accumulate=False)",
                   f"{x}[{i}, {j}]", f"{x}[:, {j}]"])


def _aim_update(g):
    """A row of a cache that is the model's, and what is computed of the cache then."""
    rows, columns = g.pick([5, 64, 200]), g.pick([3, 32, 65])
    cache = g.leaf(g.pick([[rows, columns], [2, rows, columns], [rows]]), state=True)
    place = g.leaf(g.pick([[1], [], [1, 1]]), "i64", ("integer", 0, rows - 1))
    values = _ending(g, g.leaf(g.pick([cache.shape[-1:] if cache.rank > 1 else [], []])))
    written = f"aten.index_put_({cache}, [{'None, ' if cache.rank == 3 else ''}{place}], {values})"
    return g.pick(["torch.tanh({})", "{}.sum(0)", "{} * 2", "{}"]).format(written)


def _aim_heads(g):
    """Products of heads that lie beside each other, perhaps of a part of them."""
    rows, columns, heads, depth = g.pick([1, 5, 16, 33]), g.pick([4, 16, 40]), g.pick([1, 2, 3, 8]), g.pick([4, 8, 16, 24])
    x, y = g.leaf([2, rows, heads, depth]), g.leaf([2, columns, heads, depth])
    text = g.pick([f"torch.einsum('bihd,bjhd->bhij', {x}, {y})", f"torch.matmul({x}.transpose(1, 2), {y}.permute(0, 2, 3, 1))",
                   f"torch.matmul({x}.permute(0, 2, 3, 1), {g.leaf([2, heads, rows, columns])})",
                   f"torch.bmm({x}.transpose(1, 2).reshape({2 * heads}, {rows}, {depth}), {g.leaf([2 * heads, depth, columns])})",
                   f"F.linear({g.leaf([2, rows, 3 * depth])}[:, :, {depth}:{2 * depth}], {g.leaf([columns, depth], init=_normal(depth), weight=True)})"])
    return _ending(g, g.pick(["{}", "{}", "({})[..., -1, :]", "({})[:1]", "({})[..., :1]"]).format(text))


def _aim_states(g):
    """States of a chunked scan: a factor along what is summed, a sum of few chunks behind zeros, perhaps the last one of them."""
    chunks, length, heads, depth, width = g.pick([1, 2, 3]), g.pick([4, 16, 20]), g.pick([1, 2, 3]), g.pick([3, 8, 16]), g.pick([2, 4, 16])
    x, y = g.leaf([2, chunks, length, heads, depth]), g.leaf([2, chunks, length, heads, width], weight=g.maybe(0.5))
    states = f"torch.einsum('bclhn,bhcl,bclhp->bchpn', {y}, {g.leaf([2, heads, chunks, length], weight=g.maybe(0.5))}, {x})"
    if g.maybe(0.4):
        return states
    padded = f"torch.cat([torch.zeros(2, 1, {heads}, {depth}, {width}, dtype={x.dtype}), {states}], 1)"
    summed = f"torch.einsum('bhzc,bchpn->bzhpn', {g.leaf([2, heads, chunks + 1, chunks + 1])}, {padded})"
    return g.pick([f"{summed}[:, -1]", f"{summed}[:, :-1]", summed])


# Each line's op, then what it is aimed at.
AIMS = {"linear:products": _aim_linear, "matmul:products": _aim_matmul, "conv2d:channels last": lambda g: _aim_conv(g, 2), "conv1d:channels last": lambda g: _aim_conv(g, 1),
        "conv3d:channels last": lambda g: _aim_conv(g, 3), "conv2d:depthwise": _aim_depthwise, "conv2d:first layers": _aim_stem, "conv2d:pooled": _aim_pooled,
        "scaled_dot_product_attention:heads": _aim_attention, "softmax.int:long rows": _aim_softmax, "sum.dim_IntList:long rows": _aim_sum,
        "cumsum:long rows": _aim_scan, "cumsum:in any order": _aim_scan_order, "sort:long rows": _aim_sort, "index_put:places": _aim_index_put,
        "index_put:one position": _aim_update, "bmm:heads behind views": _aim_heads, "bmm:states": _aim_states}
AIM_WEIGHTS = {"linear:products": 3, "conv2d:channels last": 3, "conv2d:depthwise": 2, "scaled_dot_product_attention:heads": 4}
