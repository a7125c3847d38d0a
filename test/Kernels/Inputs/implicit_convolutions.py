# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""implicit_convolutions.py TYPE [first|last] [nan] [blocks|halo] [half] [transposed|groups] [stacked]: convolutions by mma = wgmma and pipeline = tma.

With "blocks" by mma = mma_sync and none instead, with "halo" by mma = wgmma and im2col = halo, and then with "half" f32 data as fp16 and with "stacked" few filters, of which several output depths fill a product. With "last", dispatches read and write channels-last arguments by permutes. With "nan", inputs have a NaN and infinities here and there: where
these may show in a result, and where not, is what they are for.
"""
import sys

# Images, channels, extents, filters, kernel, stride, padding, dilation, bias, tail, schedule.
CASES = [
    (2, 40, [9, 11], 24, [3, 3], [1, 1], [1, 1], [1, 1], True, "relu", ""),
    (8, 32, [7, 7], 72, [3, 3], [1, 1], [1, 1], [1, 1], False, "add", "tile = [128, 64, 64], consumers = 1"),
    (3, 24, [13, 10], 17, [3, 3], [2, 2], [1, 1], [1, 1], True, "", "tile = [64, 16, 64]"),
    (2, 64, [8, 9], 40, [1, 1], [1, 1], [0, 0], [1, 1], True, "residual", "tile = [128, 32, 64], stages = 2"),
    (2, 72, [9, 7], 32, [1, 1], [2, 2], [0, 0], [1, 1], False, "", "split_k = 2, tile = [64, 32, 64]"),
    (1, 16, [15, 17], 33, [3, 5], [1, 2], [2, 3], [2, 2], True, "sigmoid", "mma_inflight = 0"),
    (2, 8, [4, 6, 5], 16, [3, 2, 3], [1, 2, 1], [1, 0, 1], [1, 1, 2], True, "relu", "tile = [192, 16, 64]"),
    (2, 48, [37], 20, [5], [3], [2], [1], False, "residual", "split_k = 3, tile = [64, 24, 64]"),
    (5, 136, [6, 6], 48, [2, 2], [2, 2], [0, 0], [1, 1], True, "add", "tile = [256, 48, 64], split_k = 2"),
]
# The same with groups, whose number comes last; channels and filters are those of all. Channels of a group fill rows of 16 bytes, or are odd.
GROUPED = [
    (2, 60, [7, 9], 240, [1, 1], [1, 1], [0, 0], [1, 1], False, "residual", "", 3),
    (2, 240, [6, 7], 60, [1, 1], [1, 1], [0, 0], [1, 1], True, "relu", "tile = [64, 24, 64]", 3),
    (3, 24, [5, 6], 60, [1, 1], [1, 1], [0, 0], [1, 1], True, "", "", 3),
    (2, 30, [9, 8], 30, [1, 1], [1, 1], [0, 0], [1, 1], True, "residual", "", 3),
    (1, 80, [8, 10], 70, [3, 3], [1, 1], [1, 1], [1, 1], True, "relu", "tile = [128, 16, 64]", 2),
    (2, 144, [9, 7], 160, [1, 1], [2, 2], [0, 0], [1, 1], False, "add", "split_k = 2, tile = [64, 80, 64], consumers = 1", 2),
    (2, 40, [11, 13], 48, [3, 3], [2, 2], [1, 1], [1, 1], True, "relu", "", 4),
    (2, 21, [31], 33, [3], [1], [1], [2], False, "sigmoid", "split_k = 2", 3),
    (2, 640, [3, 5], 32, [1, 1], [1, 1], [0, 0], [1, 1], False, "residual", "stages = 3, tile = [64, 16, 64]", 2),
]
# The same with output padding behind the dilation. Phases of one to four taps and of none, kernels below and above the stride.
TRANSPOSED = [
    (2, 40, [9, 11], 24, [3, 3], [1, 1], [1, 1], [1, 1], [0, 0], True, "relu", ""),
    (3, 32, [7, 6], 72, [3, 4], [2, 2], [1, 1], [1, 1], [1, 0], False, "add", "tile = [128, 64, 64], consumers = 1"),
    (2, 24, [6, 5], 17, [5, 3], [3, 2], [2, 1], [1, 1], [1, 1], True, "", "tile = [64, 16, 64]"),
    (2, 64, [4, 5], 40, [1, 2], [3, 3], [0, 0], [1, 1], [0, 2], True, "residual", "tile = [128, 48, 64], stages = 2"),
    (2, 72, [5, 4], 32, [4, 4], [2, 2], [1, 1], [1, 1], [0, 0], True, "residual", "split_k = 3, tile = [64, 32, 64]"),
    (1, 16, [6, 7], 33, [3, 5], [2, 4], [1, 3], [2, 3], [1, 0], True, "sigmoid", "mma_inflight = 0"),
    (2, 8, [3, 4, 3], 16, [3, 2, 3], [2, 1, 2], [1, 0, 1], [1, 2, 1], [1, 0, 0], True, "relu", "tile = [192, 16, 64]"),
    (2, 48, [19], 20, [5], [3], [2], [2], [1], False, "residual", "split_k = 2, tile = [64, 24, 64]"),
    (1, 136, [4, 5, 4], 48, [2, 3, 2], [2, 2, 3], [0, 1, 0], [1, 1, 1], [0, 1, 1], True, "add", "tile = [256, 48, 64]"),
    (2, 32, [21], 70, [4], [2], [1], [1], [0], True, "relu", ""),
    (1, 24, [3, 4, 5], 20, [2, 3, 4], [3, 2, 2], [0, 1, 1], [1, 1, 1], [0, 1, 0], True, "residual", ""),
]
# Few filters in three dimensions, for "halo".
STACKED = [
    (2, 3, [7, 9, 12], 16, [3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1], True, "relu", "depths = 4"),
    (1, 3, [9, 6, 8], 24, [3, 3, 3], [1, 1, 1], [0, 0, 0], [1, 1, 1], False, "", "depths = 2, tile = [64, 64, 16]"),
    (2, 5, [8, 7, 5], 13, [2, 3, 3], [2, 1, 2], [1, 1, 0], [2, 1, 1], True, "residual", "depths = 4, tile = [48, 64, 16]"),
    (1, 18, [5, 6, 8], 32, [3, 1, 3], [1, 1, 1], [1, 0, 1], [1, 1, 1], True, "add", "depths = 2, tile = [48, 64, 16], stages = 2"),
    (2, 2, [6, 5, 4], 16, [4, 2, 2], [1, 2, 1], [2, 0, 1], [1, 1, 2], False, "sigmoid", "depths = 2, tile = [32, 64, 16], mma_inflight = 0"),
]
STACKED_TRANSPOSED = [
    (1, 3, [5, 6, 8], 16, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], [1, 1, 1], True, "relu", "depths = 4, tile = [32, 64, 16]"),
    (2, 4, [4, 5, 6], 7, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], [0, 0, 0], True, "residual", "depths = 4, tile = [48, 64, 16], consumers = 4"),
    (1, 6, [3, 4, 8], 20, [5, 3, 4], [2, 1, 2], [2, 1, 0], [1, 1, 1], [1, 0, 0], False, "add", "depths = 2, tile = [64, 64, 16]"),
    (1, 3, [6, 5, 7], 30, [4, 2, 3], [1, 2, 1], [1, 0, 1], [2, 1, 1], [0, 0, 0], True, "", "depths = 2, tile = [64, 64, 16], producer_warps = 8"),
    (1, 9, [4, 4, 5], 10, [3, 3, 2], [4, 1, 1], [1, 1, 0], [1, 2, 1], [2, 0, 0], True, "sigmoid", "depths = 4"),
    (1, 5, [6, 5, 8], 16, [3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0], True, "", "depths = 4"),
]
# The schedules of the cases with "halo": teams and parts of warpgroups, filters that stay and that travel, several boxes and filters' tiles for a block.
HALO = ["", "tile = [64, 128, 16]", "tile = [64, 64, 16], stages = 2", "tile = [48, 64, 32], mma_inflight = 0", "", "tile = [96, 64, 16]", "tile = [64, 64, 16], consumers = 4",
        "tile = [32, 64, 16], stages = 4, consumers = 3", "tile = [64, 64, 32], stages = 3"]
HALO_TRANSPOSED = ["tile = [128, 64, 16], producer_warps = 8", "tile = [48, 64, 16], consumers = 4", None, None, "", None, "tile = [64, 64, 16], stages = 2", None, None, "tile = [64, 128, 16]",
                   "tile = [32, 64, 16]"]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def last(shape):
    return [shape[0], *shape[2:], shape[1]]


class Writer:
    def __init__(self, element, words):
        self.element = element
        self.is_last, self.has_nan, self.in_blocks, self.in_halo = (word in words for word in ("last", "nan", "blocks", "halo"))
        self.is_transposed, self.is_half, self.is_grouped, self.is_stacked = (word in words for word in ("transposed", "half", "groups", "stacked"))
        self.arguments, self.body, self.results = [], [], []

    def layout(self, shape):
        return last(shape) if self.is_last else shape

    def spots(self, number, shape):
        """The name of an input that has NaN and infinities."""
        values, where, bools = (tensor(self.layout(shape), kind) for kind in (self.element, "i64", "i1"))
        self.arguments.append(f"%x{number}: {values}")
        if not self.has_nan:
            return f"%x{number}"
        self.arguments.append(f'%i{number}: {where} {{kgen.init = "integer(0, 599)"}}')
        self.body += [f"  %spots{number} = kgen.dispatch @spots{number} schedule(#kgen.schedule<family = pointwise>) "
                      f"ins(%x{number}, %i{number} : {values}, {where}) {{",
                      f"  ^bb0(%a: {values}, %b: {where}):",
                      f"    %n = aten.eq.Scalar %b {{other = 0.0}} : ({where}) -> {bools}",
                      f"    %v = aten.masked_fill.Scalar %a, %n {{value = 0x7FF8000000000000 : f64}} : ({values}, {bools}) -> {values}",
                      f"    %m = aten.eq.Scalar %b {{other = 1.0}} : ({where}) -> {bools}",
                      f"    %y = aten.masked_fill.Scalar %v, %m {{value = 0x7FF0000000000000 : f64}} : ({values}, {bools}) -> {values}",
                      f"    kgen.yield %y : {values}",
                      f"  }} : {values}"]
        return f"%spots{number}"

    def permuted(self, lines, name, shape):
        """The name of a value of SHAPE, whose argument has its channels last."""
        if not self.is_last:
            return name
        rank = len(shape)
        dims = [0, rank - 1, *range(1, rank - 1)]
        lines.append(f"    {name}p = aten.permute {name} dims {dims} : "
                     f"({tensor(last(shape), self.element)}) -> {tensor(shape, self.element)}")
        return f"{name}p"

    def add(self, number, images, channels, extents, filters, kernel, stride, padding, dilation, *rest):
        output_padding, (bias, tail, schedule, *groups) = (rest[0], rest[1:]) if self.is_transposed else (None, rest)
        if self.in_halo:
            if not self.is_stacked:
                schedule = (HALO_TRANSPOSED if self.is_transposed else HALO)[number]
            if self.element == "f32" and not self.is_half:
                schedule = schedule.replace(", 16]", ", 8]").replace(", 32]", ", 16]")
        elif self.element == "f32":
            schedule = schedule.replace(", 64]", ", 32]") if number % 2 else schedule
        out = [(e + 2 * p - d * (k - 1) - 1) // s + 1 for e, p, d, k, s in zip(extents, padding, dilation, kernel, stride)]
        weight = [filters, channels // (groups[0] if groups else 1), *kernel]
        if self.is_transposed:
            out = [(e - 1) * s - 2 * p + d * (k - 1) + o + 1
                   for e, p, d, k, s, o in zip(extents, padding, dilation, kernel, stride, output_padding)]
            weight = [channels, filters, *kernel]
        image, result = [images, channels, *extents], [images, filters, *out]
        operands = [(self.spots(number, image), tensor(self.layout(image), self.element))]
        weight_type = tensor(weight if self.is_transposed else self.layout(weight), self.element)
        self.arguments.append(f'%w{number}: {weight_type} {{kgen.init = "normal(0, 0.2)"}}')
        operands.append((f"%w{number}", weight_type))
        if bias:
            self.arguments.append(f"%b{number}: {tensor([filters], self.element)}")
            operands.append((f"%b{number}", tensor([filters], self.element)))
        if tail == "residual":
            kind = tensor(self.layout(result), self.element)
            self.arguments.append(f"%r{number}: {kind}")
            operands.append((f"%r{number}", kind))
        blocks = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(operands))
        lines = []
        read = [self.permuted(lines, "%a0", image), "%a1" if self.is_transposed else self.permuted(lines, "%a1", weight)] + (["%a2"] if bias else [])
        types = ", ".join([tensor(image, self.element), tensor(weight, self.element)] +
                          ([tensor([filters], self.element)] if bias else []))
        full = tensor(result, self.element)
        name, last_word = f"conv{len(extents)}d", f"dilation {dilation}"
        if self.is_transposed:
            name = f"conv_transpose{len(extents)}d{'.input' if len(extents) > 1 else ''}"
            last_word = f"output_padding {output_padding} dilation {dilation}"
        lines.append(f"    %c = aten.{name} {', '.join(read)} stride {stride} padding {padding} {last_word} : ({types}) -> {full}")
        if groups:
            lines[-1] = lines[-1].replace(" : ", f" groups {groups[0]} : ", 1)
        value = "%c"
        if tail in ("relu", "sigmoid"):
            lines.append(f"    %t = aten.{tail} %c : ({full}) -> {full}")
            value = "%t"
        elif tail == "add":
            lines.append(f"    %t = aten.add.Scalar %c {{other = 0.5}} : ({full}) -> {full}")
            value = "%t"
        elif tail == "residual":
            other = self.permuted(lines, f"%a{len(operands) - 1}", result)
            lines += [f"    %s = aten.add.Tensor %c, {other} : ({full}, {full}) -> {full}",
                      f"    %t = aten.relu %s : ({full}) -> {full}"]
            value = "%t"
        if self.is_last:
            rank = len(result)
            dims = [0, *range(2, rank), 1]
            lines.append(f"    %l = aten.permute {value} dims {dims} : ({full}) -> {tensor(last(result), self.element)}")
            value, full = "%l", tensor(last(result), self.element)
        names, kinds = ", ".join(name for name, _ in operands), ", ".join(kind for _, kind in operands)
        keys = "family = conv, mma = wgmma, pipeline = tma" + (f", {schedule}" if schedule else "")
        if self.in_halo:
            keys = keys.replace("pipeline = tma", "im2col = halo, dtype = fp16" if self.is_half else "im2col = halo")
        if self.in_blocks:
            keys = f"family = conv, mma = {['mma_sync', 'none'][number % 2]}"
        self.body += [f"  %y{number} = kgen.dispatch @c{number} schedule(#kgen.schedule<{keys}>) ins({names} : {kinds}) {{",
                      f"  ^bb0({blocks}):", *lines, f"    kgen.yield {value} : {full}", f"  }} : {full}"]
        self.results.append(full)


def main():
    element, words = sys.argv[1], sys.argv[2:]
    writer = Writer(element, words)
    cases = TRANSPOSED if writer.is_transposed else GROUPED if writer.is_grouped else CASES
    if writer.is_stacked:
        cases = STACKED_TRANSPOSED if writer.is_transposed else STACKED
    elif writer.in_halo and writer.is_transposed:  # strides up to 2 along height and width
        cases = [case for case, schedule in zip(cases, HALO_TRANSPOSED) if schedule is not None]
        HALO_TRANSPOSED[:] = [schedule for schedule in HALO_TRANSPOSED if schedule is not None]
    for number, case in enumerate(cases):
        writer.add(number, *case)
    print('module attributes {kgen.precision = "tf32"} {' if element == "f32" else "module {")
    print("func.func @convolutions(" + ",\n    ".join(writer.arguments) + f")\n    -> ({', '.join(writer.results)}) {{")
    print("\n".join(writer.body))
    print("  return " + ", ".join(f"%y{i}" for i in range(len(cases))) + " : " + ", ".join(writer.results) + "\n}\n}")


if __name__ == "__main__":
    main()
