# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convolutions_of_nan.py TYPE plain|transposed: a graph of convolutions of inputs with a NaN or an infinity here and there.

Every pair of a stride (1 to 3) and a kernel (1 to 5) is there, in one to three dimensions, with dilations, paddings, output paddings,
groups and a bias in turn, on tensor cores (plain ones of no group or dilation by warpgroups) and without. Where these elements may show in a result, and where not, is what they are for.
"""
import sys

CHANNELS = 8
EXTENTS = {1: [29], 2: [6, 11], 3: [3, 4, 9]}


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def convolution(number, transposed, element):
    """The function's lines, its result's type, and its arguments as (name, type)."""
    stride, kernel = 1 + number % 3, 1 + number // 3 % 5
    rank = 1 + (number + number // 5) % 3
    last = EXTENTS[rank]
    strides = ([1 + (number + 1) % 2, 1 + number % 2][:rank - 1]) + [stride]
    kernels = ([1 + number % 3, 2][:rank - 1]) + [kernel]
    dilations = [1 + (number + d) // 2 % (3 if rank < 3 else 2) for d in range(rank)]
    warpgroups = not transposed and number % 4 == 0 and rank < 3
    dilations = [1] * rank if warpgroups else dilations
    groups = [1, 1, 2, 4][number % 4]
    reach = [d * (k - 1) for d, k in zip(dilations, kernels)]
    padding = [min((number + i) % 3, r) if transposed else (number + i) % 3 for i, r in enumerate(reach)]
    filters = [16, 12, 20][number % 3]
    if transposed:
        extra = [(number + i) % max(s, d) for i, (s, d) in enumerate(zip(strides, dilations))]
        out = [(e - 1) * s - 2 * p + r + x + 1 for e, s, p, r, x in zip(last, strides, padding, reach, extra)]
        weight = [CHANNELS, filters // groups, *kernels]
    else:
        padding = [max(p, (r + 1 - e + 1) // 2) for p, r, e in zip(padding, reach, last)]
        out = [(e + 2 * p - r - 1) // s + 1 for e, s, p, r in zip(last, strides, padding, reach)]
        weight = [filters, CHANNELS // groups, *kernels]
    image = tensor([2, CHANNELS, *last], element)
    result = tensor([2, filters, *out], element)
    arguments = [(f"w{number}", tensor(weight, element))] + ([(f"b{number}", tensor([filters], element))] if number % 2 else [])
    name = f"conv_transpose{rank}d{'.input' if rank > 1 else ''}" if transposed else f"conv{rank}d"
    attributes = f"stride {strides} padding {padding} "
    if transposed:
        attributes += f"output_padding {extra} "
    spread, several = f"dilation {dilations} ", f"groups {groups} " if groups > 1 else ""
    attributes += several + spread if transposed else spread + several
    units = 'mma = "none"' if (number + number // 3) % 2 else "mma = mma_sync"
    units = "mma = wgmma" if warpgroups else units
    types = ", ".join([image] + [kind for _, kind in arguments])
    operands = ", ".join([f"%spots{rank}"] + [f"%{name}" for name, _ in arguments])
    inner = ", ".join(f"%a{i}" for i in range(1 + len(arguments)))
    blocks = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(types.split(", ")))
    lines = [f"  %r{number} = kgen.dispatch @c{number} schedule(#kgen.schedule<family = conv, {units}>) ins({operands} : {types}) {{",
             f"  ^bb0({blocks}):",
             f"    %c = aten.{name} {inner} {attributes}: ({types}) -> {result}",
             f"    kgen.yield %c : {result}",
             f"  }} : {result}"]
    return lines, result, arguments


def main():
    element, transposed = sys.argv[1], sys.argv[2] == "transposed"
    arguments, body, results = [], [], []
    for rank, extents in EXTENTS.items():
        shape = [2, CHANNELS, *extents]
        values, where, bools = tensor(shape, element), tensor(shape, "i64"), tensor(shape, "i1")
        arguments += [f"%x{rank}: {values}", f'%i{rank}: {where} {{kgen.init = "integer(0, 59)"}}']
        body += [f"  %spots{rank} = kgen.dispatch @spots{rank} schedule(#kgen.schedule<family = pointwise>) "
                 f"ins(%x{rank}, %i{rank} : {values}, {where}) {{",
                 f"  ^bb0(%a: {values}, %b: {where}):",
                 f"    %n = aten.eq.Scalar %b {{other = 0.0}} : ({where}) -> {bools}",
                 f"    %v = aten.masked_fill.Scalar %a, %n {{value = 0x7FF8000000000000 : f64}} : ({values}, {bools}) -> {values}",
                 f"    %m = aten.eq.Scalar %b {{other = 1.0}} : ({where}) -> {bools}",
                 f"    %y = aten.masked_fill.Scalar %v, %m {{value = 0x7FF0000000000000 : f64}} : ({values}, {bools}) -> {values}",
                 f"    kgen.yield %y : {values}",
                 f"  }} : {values}"]
    for number in range(15):
        lines, result, more = convolution(number, transposed, element)
        body += lines
        results.append(result)
        arguments += [f'%{name}: {kind} {{kgen.init = "normal(0, 0.3)"}}' for name, kind in more]
    print('module attributes {kgen.precision = "tf32"} {' if element == "f32" else "module {")
    print("func.func @convolutions(" + ",\n    ".join(arguments) + f")\n    -> ({', '.join(results)}) {{")
    print("\n".join(body))
    print("  return " + ", ".join(f"%r{i}" for i in range(15)) + " : " + ", ".join(results) + "\n}\n}")


if __name__ == "__main__":
    main()
