# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""depthwise.py TYPE [planes]: convolutions with a filter for each channel, between permutes that put channels last, or with channels first."""
import sys

# Images, channels, extents, kernel, stride, padding, dilation, bias, tail, schedule.
CASES = [
    (2, 24, [9, 11], [7, 7], [1, 1], [3, 3], [1, 1], True, "relu", ""),
    (1, 96, [14, 13], [3, 3], [2, 2], [1, 1], [1, 1], False, "residual", "thread_tile = [2, 4], block = 64"),
    (3, 18, [10, 8], [5, 3], [1, 1], [2, 0], [1, 1], True, "", "thread_tile = [3, 3]"),
    (2, 7, [12, 9], [3, 3], [1, 2], [2, 2], [2, 2], True, "silu", "thread_tile = [2, 3], min_blocks = 2"),
    (2, 40, [7, 7], [3, 5], [3, 1], [1, 2], [1, 1], False, "add", "thread_tile = [4, 2], vec = 2"),
    (2, 20, [33], [9], [1], [4], [1], True, "residual", "thread_tile = [1, 16], vec = 1"),
]
# The same with channels first: rows of threads that are wider and narrower than an image, strips that end beyond it.
PLANES = [
    (2, 24, [9, 11], [7, 7], [1, 1], [3, 3], [1, 1], True, "relu", ""),
    (1, 5, [70, 131], [3, 3], [1, 1], [0, 0], [1, 1], False, "", "thread_tile = [8, 2]"),
    (1, 8, [33, 40], [3, 3], [2, 2], [1, 1], [1, 1], False, "residual", "thread_tile = [5, 1], block = 64"),
    (3, 18, [10, 8], [5, 3], [1, 1], [2, 0], [1, 1], True, "", "thread_tile = [3, 4]"),
    (2, 7, [12, 9], [3, 3], [1, 2], [2, 2], [2, 2], True, "silu", "thread_tile = [2, 3], min_blocks = 2"),
    (2, 6, [7, 65], [3, 5], [3, 1], [1, 2], [1, 1], False, "add", "thread_tile = [16, 1]"),
    (2, 20, [333], [9], [1], [4], [1], True, "residual", "thread_tile = [1, 2]"),
    (2, 3, [50, 4], [1, 3], [2, 1], [0, 1], [1, 1], False, "", ""),
]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def last(shape):
    return [shape[0], *shape[2:], shape[1]]


def write(number, element, is_last, images, channels, extents, kernel, stride, padding, dilation, bias, tail, schedule):
    """The arguments, the dispatch and the result's type of one case."""
    out = [(e + 2 * p - d * (k - 1) - 1) // s + 1 for e, p, d, k, s in zip(extents, padding, dilation, kernel, stride)]
    image, weight, result = [images, channels, *extents], [channels, 1, *kernel], [images, channels, *out]
    lying = last if is_last else list
    operands = [(f"%x{number}", tensor(lying(image), element)), (f"%w{number}", tensor(weight, element))]
    if bias:
        operands.append((f"%b{number}", tensor([channels], element)))
    if tail == "residual":
        operands.append((f"%r{number}", tensor(lying(result), element)))
    rank = len(image)
    first_dims, last_dims = [0, rank - 1, *range(1, rank - 1)], [0, *range(2, rank), 1]
    full, read = tensor(result, element), ["%p" if is_last else "%a0", "%a1"] + (["%a2"] if bias else [])
    types = [tensor(image, element)] + [kind for _, kind in operands[1:2 + bias]]
    lines = [f"%p = aten.permute %a0 dims {first_dims} : ({operands[0][1]}) -> {types[0]}"] if is_last else []
    lines += [f"%c = aten.conv{len(extents)}d {', '.join(read)} stride {stride} padding {padding} dilation {dilation} "
             f"groups {channels} : ({', '.join(types)}) -> {full}"]
    value = "%c" if not tail else "%t"
    if tail in ("relu", "silu"):
        lines.append(f"%t = aten.{tail} %c : ({full}) -> {full}")
    elif tail == "add":
        lines.append(f"%t = aten.add.Scalar %c {{other = 0.5}} : ({full}) -> {full}")
    elif tail == "residual":
        other = f"%a{len(operands) - 1}"
        if is_last:
            lines.append(f"%q = aten.permute {other} dims {first_dims} : ({operands[-1][1]}) -> {full}")
        lines.append(f"%t = aten.add.Tensor %c, {'%q' if is_last else other} : ({full}, {full}) -> {full}")
    written = tensor(lying(result), element)
    if is_last:
        lines.append(f"%l = aten.permute {value} dims {last_dims} : ({full}) -> {written}")
    lines.append(f"kgen.yield {'%l' if is_last else value} : {written}")
    keys = "family = conv" + (f", {schedule}" if schedule else "")
    names, kinds = ", ".join(name for name, _ in operands), ", ".join(kind for _, kind in operands)
    blocks = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(operands))
    body = [f"  %y{number} = kgen.dispatch @d{number} schedule(#kgen.schedule<{keys}>) ins({names} : {kinds}) {{",
            f"  ^bb0({blocks}):", *("    " + line for line in lines), f"  }} : {written}"]
    return [f"{name}: {kind}" for name, kind in operands], body, written


def main():
    element = sys.argv[1]
    is_last = sys.argv[2:] != ["planes"]
    cases = [write(number, element, is_last, *case) for number, case in enumerate(CASES if is_last else PLANES)]
    arguments = ",\n    ".join(argument for case in cases for argument in case[0])
    results = ", ".join(case[2] for case in cases)
    print('module attributes {kgen.precision = "tf32"} {' if element == "f32" else "module {")
    print(f"func.func @depthwise({arguments})\n    -> ({results}) {{")
    for case in cases:
        print("\n".join(case[1]))
    print("  return " + ", ".join(f"%y{i}" for i in range(len(cases))) + f" : {results}\n}}\n}}")


if __name__ == "__main__":
    main()
