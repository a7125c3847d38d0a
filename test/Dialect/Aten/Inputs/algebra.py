"""Graphs of sums and averages behind products and convolutions, and of attention spelled out, of many shapes: `write FOLDER` writes them, each with a script that
rewrites it; `compare FOLDER` holds the fp64 answers of what came out (NAME.out.mlir) against those of the graph."""
import array
import pathlib
import random
import subprocess
import sys

GRAPHS = {}


def ty(shape, element="f32"):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def graph(name, arguments, lines, result, element="f32", rewrite="reduce_first"):
    signature = ", ".join(f'%{n}: {ty(s, element)} {{kgen.init = "{i}"}}' for n, s, i in arguments)
    body = "\n".join("  " + line for line in lines)
    GRAPHS[name] = (f"func.func @{name}({signature}) -> {result[1]} {{\n{body}\n  return {result[0]} : {result[1]}\n}}\n", rewrite, [s for _, s, _ in arguments])


def normal(name, shape):
    return (name, shape, "normal(0, 0.1)")


def uniform(name, shape):
    return (name, shape, "uniform(0, 1)")


def linear(name, shape, n, behind, result, element="f32", residual=False):
    x, y = tuple(shape), tuple(shape[:-1]) + (n,)
    arguments = [uniform("x", x), normal("w", (n, shape[-1])), normal("b", (n,))]
    lines = [f"%y = aten.linear %x, %w, %b : ({', '.join(ty(a[1], element) for a in arguments)}) -> {ty(y, element)}"]
    if residual:
        arguments.append(uniform("r", y))
        lines.append(f"%z = aten.add.Tensor %y, %r {{alpha = 2.0}} : ({ty(y, element)}, {ty(y, element)}) -> {ty(y, element)}")
    else:
        lines.append(f"%z = aten.sub.Scalar %y {{other = 0.5, alpha = 3.0}} : ({ty(y, element)}) -> {ty(y, element)}")
    lines.append(f"%s = {behind} : ({ty(y, element)}) -> {ty(result, element)}")
    graph(name, arguments, lines, ("%s", ty(result, element)), element)


def product(name, op, a, b, y, behind, result):
    lines = [f"%y = aten.{op} %a, %b : ({ty(a)}, {ty(b)}) -> {ty(y)}",
             f"%z = aten.neg %y : ({ty(y)}) -> {ty(y)}", f"%s = {behind} : ({ty(y)}) -> {ty(result)}"]
    graph(name, [uniform("a", a), normal("b", b)], lines, ("%s", ty(result)))


def convolution(name, dims, images, channels, filters, size, taps, stride=1, padding=0, dilation=1, groups=1, transposed=False, out_padding=0,
                bias=True, over=None, keep=True, mean=True, scale=False, norm=False, pools=()):
    many = lambda value: (value,) * dims if isinstance(value, int) else value
    size, taps, stride, padding, dilation, out_padding = map(many, (size, taps, stride, padding, dilation, out_padding))
    text = lambda values: "[" + ", ".join(map(str, values)) + "]"
    x = (images, channels) + size
    w = ((channels, filters // groups) if transposed else (filters, channels // groups)) + taps
    if transposed:
        y = tuple((size[i] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (taps[i] - 1) + out_padding[i] + 1 for i in range(dims))
        op = f"conv_transpose{dims}d" + ("" if dims == 1 else ".input")
        rest = f"output_padding {text(out_padding)} groups {groups} dilation {text(dilation)}"
    else:
        y = tuple((size[i] + 2 * padding[i] - dilation[i] * (taps[i] - 1) - 1) // stride[i] + 1 for i in range(dims))
        op, rest = f"conv{dims}d", f"dilation {text(dilation)} groups {groups}"
    y = (images, filters) + y
    arguments = [uniform("x", x), normal("w", w)] + ([normal("b", (filters,))] if bias else [])
    lines = [f"%y = aten.{op} %x, %w{', %b' if bias else ''} stride {text(stride)} padding {text(padding)} {rest} : "
             f"({', '.join(ty(a[1]) for a in arguments)}) -> {ty(y)}"]
    last = "%y"
    if scale:
        lines.append(f"%k = aten.mul.Scalar {last} {{other = 0.5}} : ({ty(y)}) -> {ty(y)}")
        last = "%k"
    if norm:
        arguments += [normal("g", (filters,)), normal("h", (filters,)), normal("m", (filters,)), ("v", (filters,), "uniform(0.5, 1)")]
        lines.append(f"%n = aten.batch_norm {last} weight %g bias %h running_mean %m running_var %v : ({ty(y)}, "
                     f"{', '.join([ty((filters,))] * 4)}) -> {ty(y)}")
        last = "%n"
    for number, (window, step) in enumerate(pools):
        q = y[:2] + tuple((extent - window) // step + 1 for extent in y[2:])
        lines.append(f"%p{number} = aten.avg_pool{dims}d {last} kernel {text((window,) * dims)} stride {text((step,) * dims)} : ({ty(y)}) -> {ty(q)}")
        last, y = f"%p{number}", q
    if not pools and over is None:
        q = y[:2] + (1,) * dims
        lines.append(f"%s = aten.adaptive_avg_pool{dims}d {last} output_size {text((1,) * dims)} : ({ty(y)}) -> {ty(q)}")
        last, y = "%s", q
    elif not pools:
        q = tuple(1 if i in over else extent for i, extent in enumerate(y) if keep or i not in over)
        lines.append(f"%s = aten.{'mean.dim' if mean else 'sum.dim_IntList'} {last} dim {text(over)} keepdim {str(keep).lower()} : ({ty(y)}) -> {ty(q)}")
        last, y = "%s", q
    graph(name, arguments, lines, (last, ty(y)), rewrite="pool_filters" if pools else "reduce_first")


linear("outputs", (24, 96), 80, "aten.sum.dim_IntList %z dim [1] keepdim true", (24, 1))
linear("outputs_f16", (24, 96), 80, "aten.sum.dim_IntList %z dim [-1]", (24,), element="f16")
linear("outputs_bf16", (24, 96), 80, "aten.mean.dim %z dim [1] keepdim true", (24, 1), element="bf16")
linear("rows", (24, 96), 80, "aten.mean.dim %z dim [0]", (80,))
linear("both", (4, 24, 96), 80, "aten.mean.dim %z dim [-1, 1]", (4,))
linear("tokens", (4, 24, 96), 80, "aten.sum.dim_IntList %z dim [1]", (4, 80), residual=True)
product("mm", "mm", (24, 96), (96, 40), (24, 40), "aten.sum.dim_IntList %z dim [1]", (24,))
product("bmm", "bmm", (3, 24, 96), (3, 96, 40), (3, 24, 40), "aten.mean.dim %z dim [1] keepdim true", (3, 1, 40))
product("matmul", "matmul", (3, 24, 96), (96, 40), (3, 24, 40), "aten.sum %z", ())
# As many elements as before, but means of others, beside a sum that goes.
graph("as_many", [uniform("x", (3, 1, 15)), uniform("y", (4, 1))],
      ["%p = aten.adaptive_avg_pool2d %x output_size [5, 3] : (tensor<3x1x15xf32>) -> tensor<3x5x3xf32>",
       "%s = aten.sum.dim_IntList %y dim [1] : (tensor<4x1xf32>) -> tensor<4xf32>",
       "%m = aten.mean.dim %s dim [0] keepdim true : (tensor<4xf32>) -> tensor<1xf32>",
       "%z = aten.add.Tensor %p, %m : (tensor<3x5x3xf32>, tensor<1xf32>) -> tensor<3x5x3xf32>"], ("%z", "tensor<3x5x3xf32>"))
convolution("plain", 2, 2, 8, 12, 24, 3, padding=1, over=(2, 3))
convolution("strided", 2, 2, 8, 12, (24, 31), (3, 5), stride=(2, 3), padding=(1, 2), dilation=(1, 2), groups=2, over=(2, 3), keep=False, mean=False)
convolution("one", 1, 2, 8, 12, 60, 7, padding=3, over=(2,), keep=False)
convolution("long", 1, 1, 2, 4, 9000, 5, padding=2, over=(2,), keep=False)
convolution("three", 3, 2, 4, 6, (8, 9, 10), 3, norm=True)
convolution("depthwise", 2, 2, 8, 8, 24, 3, padding=1, groups=8, scale=True)
convolution("images", 2, 4, 8, 12, 16, 3, padding=1, over=(0, 2, 3), keep=False)
convolution("channels", 2, 2, 8, 12, 16, 3, padding=1, groups=4, over=(1,), mean=False)
convolution("everything", 2, 2, 8, 12, 16, 3, padding=1, over=(1, 2, 3), keep=False)
convolution("some", 3, 2, 6, 8, (6, 9, 11), 3, padding=1, groups=2, over=(3, 4), keep=False)
convolution("transposed", 2, 2, 8, 12, 24, 3, stride=2, padding=1, transposed=True, over=(2, 3), scale=True)
convolution("transposed_large", 2, 16, 64, 8, (64, 65), 3, stride=2, padding=1, out_padding=1, transposed=True, over=(2, 3))
convolution("transposed_odd", 2, 2, 8, 12, (20, 17), (3, 4), stride=(2, 3), padding=(1, 0), dilation=(2, 1), out_padding=(1, 0), groups=4, transposed=True, over=(2, 3), keep=False)
convolution("transposed_whole", 3, 2, 6, 8, (6, 10, 9), 3, transposed=True, scale=True, norm=True)
convolution("transposed_channels", 2, 2, 8, 12, 9, 3, stride=2, padding=1, groups=2, transposed=True, over=(1,))
convolution("transposed_depth", 3, 2, 6, 8, (9, 8, 7), 3, stride=2, padding=1, out_padding=1, groups=2, transposed=True, bias=False, over=(2,), keep=False)
convolution("pool", 2, 2, 4, 6, 20, 3, pools=[(4, 4)])
convolution("pool_strided", 2, 2, 4, 6, (21, 23), 3, stride=2, padding=1, dilation=2, groups=2, norm=True, pools=[(5, 5)])
convolution("pools_transposed", 3, 2, 3, 4, 8, 3, stride=2, padding=1, transposed=True, norm=True, pools=[(2, 2), (2, 2)])
convolution("pool_transposed", 2, 2, 4, 6, (9, 11), (4, 3), stride=2, padding=(1, 0), out_padding=(0, 1), dilation=(1, 2), groups=2, transposed=True, scale=True, pools=[(4, 6)])


def norm(name, shape, groups, behind, result, conv=None, weight=True, bias=True, between=False):
    """A group norm (GROUPS), or an instance norm (None), of an argument or of a convolution's outputs, and what makes less of it."""
    y, channels = tuple(shape), shape[1]
    arguments, lines, last = [("x", y, "normal(3, 2)")], [], "%x"
    if conv:
        taps = (channels, conv) + (3,) * (len(y) - 2)
        arguments = [uniform("x", (y[0], conv) + tuple(extent + 2 for extent in y[2:])), normal("c", taps), normal("d", (channels,))]
        lines.append(f"%y = aten.conv{len(y) - 2}d %x, %c, %d : ({', '.join(ty(a[1]) for a in arguments)}) -> {ty(y)}")
        last = "%y"
    vectors = [uniform(n, (channels,)) for n, is_there in (("w", weight), ("b", bias)) if is_there]
    arguments += vectors
    words = (" weight %w" if weight else "") + (" bias %b" if bias else "") + (f" num_groups {groups}" if groups else "")
    lines.append(f"%n = aten.{'group_norm' if groups else 'instance_norm'} {last}{words} : ({', '.join([ty(y)] + [ty(v[1]) for v in vectors])}) -> {ty(y)}")
    last = "%n"
    if between:
        lines.append(f"%k = aten.relu %n : ({ty(y)}) -> {ty(y)}")
        last = "%k"
    lines.append(f"%s = {behind.replace('%n', last)} : ({ty(y)}) -> {ty(result)}")
    graph(name, arguments, lines, ("%s", ty(result)), rewrite="norm_statistics")


norm("norm_pool", (2, 12, 9, 11), 4, "aten.max_pool2d %n kernel [2, 2] stride [2, 2]", (2, 12, 4, 5), conv=3, between=True)
norm("norm_pool_alone", (3, 6, 8, 10), 6, "aten.avg_pool2d %n kernel [2, 2] stride [2, 2]", (3, 6, 4, 5), weight=False, bias=False)
norm("norm_instance", (2, 5, 7, 6, 8), None, "aten.adaptive_avg_pool3d %n output_size [1, 2, 2]", (2, 5, 1, 2, 2), between=True)
norm("norm_largest", (4, 8, 40), 2, "aten.amax %n dim [1]", (4, 40), bias=False)
norm("norm_mean", (3, 6, 5, 7, 6), 3, "aten.mean.dim %n dim [1, 2, 3, 4]", (3,), conv=2)
norm("norm_sum", (3, 8, 9, 6), 2, "aten.sum.dim_IntList %n dim [-1, -2] keepdim true", (3, 8, 1, 1), weight=False)
norm("norm_all", (2, 4, 30), 1, "aten.mean %n", ())


def attention(name, query, key, value, scores, masks, lines, out, weights=None, element="f32"):
    """LINES lead from %s, `q k^T` of shape SCORES by the first line, to the scores %t of shape WEIGHTS; %q, %k, %v and MASKS are arguments."""
    arguments = [uniform("q", query), uniform("k", key), uniform("v", value)] + [uniform(n, s) for n, s in masks]
    text = "\n".join(lines).replace("SCORES", ty(scores, element)).replace("QUERY", ty(query, element)).replace("KEY", ty(key, element))
    weights = weights or scores
    product = "bmm" if len(weights) == len(value) == 3 else "mm" if len(weights) == 2 else "matmul"
    text += (f"\n%w = aten.softmax.int %t dim -1 : ({ty(weights, element)}) -> {ty(weights, element)}\n"
             f"%o = aten.{product} %w, %v : ({ty(weights, element)}, {ty(value, element)}) -> {ty(out, element)}")
    graph(name, arguments, text.split("\n"), ("%o", ty(out, element)), element, rewrite="compose_attention")


for element, depth, deep in (("f32", 136, 24), ("f32", 32, 130), ("f64", 200, 200), ("f16", 272, 272)):
    shapes = [(2, 3, 20, depth), (2, 3, 24, depth), (2, 3, 24, deep), (2, 3, 20, deep)]
    q, k, v, out = (ty(shape, element) for shape in shapes)
    graph(f"split_{element}_{depth}", [normal(name, shape) for name, shape in zip("qkv", shapes)],
          [f"%o = aten.scaled_dot_product_attention %q, %k, %v : ({q}, {k}, {v}) -> {out}"], ("%o", out), element, rewrite="split_attention")


# As nn.MultiheadAttention spells it; the scale on both sides, and on the scores.
attention("attention_bmm", (6, 20, 16), (6, 24, 16), (6, 24, 16), (6, 20, 24), [], [
    "%a = aten.mul.Scalar %q {other = 0.25} : (QUERY) -> QUERY",
    "%b = aten.transpose.int %k dim0 -2 dim1 -1 : (KEY) -> tensor<6x16x24xf32>",
    "%c = aten.div.Scalar %b {other = 0.5} : (tensor<6x16x24xf32>) -> tensor<6x16x24xf32>",
    "%s = aten.bmm %a, %c : (QUERY, tensor<6x16x24xf32>) -> SCORES",
    "%t = aten.mul.Scalar %s {other = 3.0} : (SCORES) -> SCORES"], (6, 20, 16))
# A causal mask that the graph shows, and heads that a row of the projection holds.
attention("attention_causal", (2, 24, 3, 16), (2, 24, 3, 16), (2, 3, 24, 16), (2, 3, 24, 24), [], [
    "%x = aten.mul.Scalar %q {other = 0.25} : (QUERY) -> QUERY",
    "%a = aten.permute %x dims [0, 2, 1, 3] : (QUERY) -> tensor<2x3x24x16xf32>",
    "%b = aten.permute %k dims [0, 2, 3, 1] : (KEY) -> tensor<2x3x16x24xf32>",
    "%s = aten.matmul %a, %b : (tensor<2x3x24x16xf32>, tensor<2x3x16x24xf32>) -> SCORES",
    "%i = aten.full size [24, 24] fill_value 1.0 dtype f32 : () -> tensor<24x24xf32>",
    "%j = aten.tril %i : (tensor<24x24xf32>) -> tensor<24x24xf32>",
    "%m = aten.eq.Scalar %j {other = 0.0} : (tensor<24x24xf32>) -> tensor<24x24xi1>",
    "%n = aten.unsqueeze %m dim 0 : (tensor<24x24xi1>) -> tensor<1x24x24xi1>",
    "%t = aten.masked_fill.Scalar %s, %n {value = 0xFFF0000000000000 : f64} : (SCORES, tensor<1x24x24xi1>) -> SCORES"], (2, 3, 24, 16))
# Rows that nothing shows are NaN: of a mask that chooses, and of one that is added, before a scale.
attention("attention_where", (2, 3, 20, 8), (2, 3, 8, 24), (2, 3, 24, 8), (2, 3, 20, 24), [("m", (20, 24)), ("r", (20, 1))], [
    "%s = aten.matmul %q, %k : (QUERY, KEY) -> SCORES",
    "%a = aten.lt.Scalar %m {other = 0.6} : (tensor<20x24xf32>) -> tensor<20x24xi1>",
    "%b = aten.lt.Scalar %r {other = 0.6} : (tensor<20x1xf32>) -> tensor<20x1xi1>",
    "%c = aten.logical_and %a, %b : (tensor<20x24xi1>, tensor<20x1xi1>) -> tensor<20x24xi1>",
    "%n = aten.full size [] fill_value 0xFFF0000000000000 dtype f32 : () -> tensor<f32>",
    "%t = aten.where.self %c, %s, %n : (tensor<20x24xi1>, SCORES, tensor<f32>) -> SCORES"], (2, 3, 20, 8))
attention("attention_added", (6, 20, 12), (6, 12, 24), (6, 24, 20), (6, 20, 24), [("m", (2, 1, 20, 24)), ("r", (20, 1))], [
    "%s = aten.bmm %q, %k : (QUERY, KEY) -> SCORES",
    "%a = aten.view %s size [2, 3, 20, 24] : (SCORES) -> tensor<2x3x20x24xf32>",
    "%b = aten.gt.Scalar %r {other = 0.6} : (tensor<20x1xf32>) -> tensor<20x1xi1>",
    "%c = aten.masked_fill.Scalar %m, %b {value = 0xFFF0000000000000 : f64} : (tensor<2x1x20x24xf32>, tensor<20x1xi1>) -> tensor<2x1x20x24xf32>",
    "%d = aten.add.Tensor %a, %c {alpha = 2.0} : (tensor<2x3x20x24xf32>, tensor<2x1x20x24xf32>) -> tensor<2x3x20x24xf32>",
    "%e = aten.view %d size [6, 20, 24] : (tensor<2x3x20x24xf32>) -> SCORES",
    "%t = aten.div.Scalar %e {other = 4.0} : (SCORES) -> SCORES"], (6, 20, 20))
# Two dimensions, with a softmax in fp32 of narrower products; the scale is a tensor, the mask one row for all.
NARROW = [
    "%p = aten.transpose.int %k dim0 0 dim1 1 : (KEY) -> tensor<16x24xf16>",
    "%s = aten.mm %q, %p : (QUERY, tensor<16x24xf16>) -> SCORES",
    "%a = aten._to_copy %s dtype f32 : (SCORES) -> tensor<20x24xf32>",
    "%n = aten.full size [] fill_value 0.25 dtype f32 : () -> tensor<f32>",
    "%b = aten.mul.Tensor %a, %n : (tensor<20x24xf32>, tensor<f32>) -> tensor<20x24xf32>",
    "%t = aten._to_copy %b dtype f16 : (tensor<20x24xf32>) -> SCORES"]
attention("attention_mm_f16", (20, 16), (24, 16), (24, 16), (20, 24), [], NARROW, (20, 16), element="f16")
# Keys that all heads share, and values of one head that all read.
attention("attention_shared", (2, 3, 20, 16), (24, 16), (24, 16), (2, 3, 20, 24), [("m", (24,))], [
    "%p = aten.permute %k dims [1, 0] : (KEY) -> tensor<16x24xf32>",
    "%s = aten.matmul %q, %p : (QUERY, tensor<16x24xf32>) -> SCORES",
    "%t = aten.sub.Tensor %s, %m : (SCORES, tensor<24xf32>) -> SCORES"], (2, 3, 20, 16))


def sliced(name, arguments, lines, result, rewrite="slice_first"):
    """LINES with %x, %y, ... of the shapes ARGUMENTS; the last one gives %s of shape RESULT."""
    graph(name, [uniform(n, shape) for n, shape in arguments], lines, ("%s", ty(result)), rewrite=rewrite)


# One row of each sequence, behind what is element-wise; a residual is sliced, a bias is not.
sliced("slice_rows", [("x", (3, 8, 40)), ("w", (24, 40)), ("b", (24,)), ("r", (3, 8, 24)), ("t", (8, 1))], [
    "%y = aten.linear %x, %w, %b : (tensor<3x8x40xf32>, tensor<24x40xf32>, tensor<24xf32>) -> tensor<3x8x24xf32>",
    "%a = aten.add.Tensor %y, %r : (tensor<3x8x24xf32>, tensor<3x8x24xf32>) -> tensor<3x8x24xf32>",
    "%m = aten.mul.Tensor %a, %t : (tensor<3x8x24xf32>, tensor<8x1xf32>) -> tensor<3x8x24xf32>",
    "%s = aten.select.int %m dim -2 index -3 : (tensor<3x8x24xf32>) -> tensor<3x24xf32>"], (3, 24))
sliced("slice_filters", [("x", (5, 40)), ("w", (64, 40)), ("b", (64,))], [
    "%y = aten.linear %x, %w, %b : (tensor<5x40xf32>, tensor<64x40xf32>, tensor<64xf32>) -> tensor<5x64xf32>",
    "%s = aten.narrow %y dim 1 start 16 length 7 : (tensor<5x64xf32>) -> tensor<5x7xf32>"], (5, 7))
sliced("slice_columns", [("x", (200, 4)), ("w", (4, 64)), ("b", (64,))], [
    "%y = aten.mm %x, %w : (tensor<200x4xf32>, tensor<4x64xf32>) -> tensor<200x64xf32>",
    "%z = aten.sub.Tensor %b, %y : (tensor<64xf32>, tensor<200x64xf32>) -> tensor<200x64xf32>",
    "%s = aten.slice.Tensor %z dim -1 start -9 end -2 : (tensor<200x64xf32>) -> tensor<200x7xf32>"], (200, 7))
# Batches that one operand lacks, and both have.
for dim, start, result in ((0, 1, (1, 3, 15, 17)), (1, 2, (2, 1, 15, 17)), (2, 13, (2, 3, 2, 17)), (3, 4, (2, 3, 15, 3))):
    length = result[dim]
    sliced(f"slice_matmul{dim}", [("x", (2, 1, 15, 6)), ("y", (3, 6, 17))], [
        "%m = aten.matmul %x, %y : (tensor<2x1x15x6xf32>, tensor<3x6x17xf32>) -> tensor<2x3x15x17xf32>",
        f"%s = aten.narrow %m dim {dim} start {start} length {length} : (tensor<2x3x15x17xf32>) -> {ty(result)}"], result)
sliced("slice_vectors", [("x", (4, 15, 6)), ("v", (6,)), ("y", (3, 6, 17))], [
    "%a = aten.matmul %x, %v : (tensor<4x15x6xf32>, tensor<6xf32>) -> tensor<4x15xf32>",
    "%b = aten.select.int %a dim 0 index 2 : (tensor<4x15xf32>) -> tensor<15xf32>",
    "%c = aten.matmul %v, %y : (tensor<6xf32>, tensor<3x6x17xf32>) -> tensor<3x17xf32>",
    "%d = aten.narrow %c dim 0 start 1 length 1 : (tensor<3x17xf32>) -> tensor<1x17xf32>",
    "%e = aten.narrow %d dim 1 start 0 length 15 : (tensor<1x17xf32>) -> tensor<1x15xf32>",
    "%s = aten.add.Tensor %b, %e : (tensor<15xf32>, tensor<1x15xf32>) -> tensor<1x15xf32>"], (1, 15))
# Through views, down to a batch of rows of three numbers, of which one meets zeros.
sliced("slice_states", [("w", (6, 3, 3)), ("y", (3, 2, 2, 20))], [
    "%z = aten.full size [3, 1, 2, 20] fill_value 0.0 dtype f32 : () -> tensor<3x1x2x20xf32>",
    "%c = aten.cat %z, %y dim 1 : (tensor<3x1x2x20xf32>, tensor<3x2x2x20xf32>) -> tensor<3x3x2x20xf32>",
    "%t = aten.permute %c dims [0, 2, 1, 3] : (tensor<3x3x2x20xf32>) -> tensor<3x2x3x20xf32>",
    "%b = aten.view %t size [6, 3, 20] : (tensor<3x2x3x20xf32>) -> tensor<6x3x20xf32>",
    "%p = aten.bmm %w, %b : (tensor<6x3x3xf32>, tensor<6x3x20xf32>) -> tensor<6x3x20xf32>",
    "%v = aten.view %p size [3, 2, 3, 4, 5] : (tensor<6x3x20xf32>) -> tensor<3x2x3x4x5xf32>",
    "%o = aten.permute %v dims [0, 2, 1, 4, 3] : (tensor<3x2x3x4x5xf32>) -> tensor<3x3x2x5x4xf32>",
    "%s = aten.select.int %o dim 1 index -1 : (tensor<3x3x2x5x4xf32>) -> tensor<3x2x5x4xf32>"], (3, 2, 5, 4))
sliced("short_product", [("x", (7, 1, 1)), ("y", (7, 1, 30))], [
    "%s = aten.bmm %x, %y : (tensor<7x1x1xf32>, tensor<7x1x30xf32>) -> tensor<7x1x30xf32>"], (7, 1, 30))
sliced("short_zeros", [("x", (7, 1, 2))], [
    "%z = aten.full size [7, 2, 9] fill_value -1.5 dtype f32 : () -> tensor<7x2x9xf32>",
    "%s = aten.bmm %x, %z : (tensor<7x1x2xf32>, tensor<7x2x9xf32>) -> tensor<7x1x9xf32>"], (7, 1, 9))
sliced("slice_cat", [("x", (4, 3, 10)), ("y", (4, 5, 10)), ("w", (4, 8, 10))], [
    "%c = aten.cat %x, %y dim 1 : (tensor<4x3x10xf32>, tensor<4x5x10xf32>) -> tensor<4x8x10xf32>",
    "%m = aten.mul.Tensor %c, %w : (tensor<4x8x10xf32>, tensor<4x8x10xf32>) -> tensor<4x8x10xf32>",
    "%t = aten.transpose.int %m dim0 0 dim1 1 : (tensor<4x8x10xf32>) -> tensor<8x4x10xf32>",
    "%n = aten.slice.Tensor %t dim 0 start 4 end 7 : (tensor<8x4x10xf32>) -> tensor<3x4x10xf32>",
    "%s = aten.relu %n : (tensor<3x4x10xf32>) -> tensor<3x4x10xf32>"], (3, 4, 10))
# A factor for each position along k: of the left operand behind views, and of the right one.
sliced("factor_left", [("x", (2, 20, 3, 16)), ("d", (2, 3, 20)), ("y", (6, 20, 5))], [
    "%a = aten.permute %x dims [0, 2, 3, 1] : (tensor<2x20x3x16xf32>) -> tensor<2x3x16x20xf32>",
    "%e = aten.unsqueeze %d dim 2 : (tensor<2x3x20xf32>) -> tensor<2x3x1x20xf32>",
    "%m = aten.mul.Tensor %e, %a : (tensor<2x3x1x20xf32>, tensor<2x3x16x20xf32>) -> tensor<2x3x16x20xf32>",
    "%v = aten.view %m size [6, 16, 20] : (tensor<2x3x16x20xf32>) -> tensor<6x16x20xf32>",
    "%s = aten.bmm %v, %y : (tensor<6x16x20xf32>, tensor<6x20x5xf32>) -> tensor<6x16x5xf32>"], (6, 16, 5), rewrite="move_factors")
sliced("factor_right", [("x", (6, 5, 20)), ("d", (20, 1)), ("y", (6, 16, 20))], [
    "%t = aten.transpose.int %y dim0 1 dim1 2 : (tensor<6x16x20xf32>) -> tensor<6x20x16xf32>",
    "%m = aten.mul.Tensor %t, %d : (tensor<6x20x16xf32>, tensor<20x1xf32>) -> tensor<6x20x16xf32>",
    "%s = aten.bmm %x, %m : (tensor<6x5x20xf32>, tensor<6x20x16xf32>) -> tensor<6x5x16xf32>"], (6, 5, 16), rewrite="move_factors")


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, rewrite, _) in GRAPHS.items():
        (folder / f"{name}.mlir").write_text(text)
        (folder / f"{name}.script").write_text(f'transform.kgen.rewrite %f as {rewrite}\n')
        print(name)


def answer(path, inputs, outputs):
    outputs.mkdir(exist_ok=True)
    subprocess.run(["kgen-oracle", path, "--inputs", inputs, "--outputs", outputs], check=True)
    return array.array("d", (outputs / "out0.bin").read_bytes())


def compare(folder):
    draw, wrong = random.Random(1), 0
    for name, (_, _, shapes) in GRAPHS.items():
        inputs = folder / "inputs"
        inputs.mkdir(exist_ok=True)
        for number, shape in enumerate(shapes):
            count = 1
            for extent in shape:
                count *= extent
            (inputs / f"in{number}.bin").write_bytes(array.array("d", (draw.random() + 0.1 for _ in range(count))).tobytes())
        a = answer(folder / f"{name}.mlir", inputs, folder / "a")
        b = answer(folder / f"{name}.out.mlir", inputs, folder / "b")
        pairs = [(left, right) for left, right in zip(a, b) if left == left and right == right]
        off = max(abs(left - right) for left, right in pairs) / max(abs(left) for left, _ in pairs)
        if len(a) != len(b) or not off < 1e-12 or [left == left for left in a] != [right == right for right in b]:
            wrong += 1
            print(f"{name}: {len(b)} of {len(a)} elements, off by {off}")
    print(f"{len(GRAPHS)} graphs, {wrong} wrong")


{"write": write, "compare": compare}[sys.argv[1]](pathlib.Path(sys.argv[2]))
