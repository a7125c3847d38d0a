# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""folded_convolutions.py TYPE channels|pixels|windows [nan] [halves]: convolutions by im2col = halo whose outputs are folded before they leave.

With "nan", outputs have NaN and infinities here and there: whole pixels of minus infinity, single ones of infinity.
With "halves", f32 data is multiplied as fp16 under powers of two, one for each filter.
"""
import sys

# Transposed, images, channels, extents, filters, kernel, stride, padding, output padding, fold, what comes behind it, schedule.
CHANNELS = [
    (True, 2, 16, [5, 6], 72, [3, 3], [2, 2], [1, 1], [1, 1], "softmax", "bias", ""),
    (True, 2, 24, [5, 7], 128, [4, 4], [2, 2], [1, 1], [0, 0], "min keep", "", "tile = [32, 128, 16]"),
    (False, 2, 16, [9, 11], 130, [3, 3], [1, 1], [1, 1], None, "logsumexp", "tanh", ""),
    (False, 3, 20, [13], 33, [5], [2], [2], None, "amax", "", "tile = [48, 64, 16]"),
    (True, 1, 16, [3, 4, 5], 20, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], "softmax", "sigmoid", ""),
    (True, 2, 16, [19], 70, [4], [2], [1], [0], "mean keep", "relu", ""),
    (False, 2, 8, [4, 6, 5], 64, [3, 2, 3], [1, 2, 1], [1, 0, 1], None, "max keep", "add", "tile = [64, 64, 16]"),
    (False, 2, 16, [8, 9], 192, [1, 1], [1, 1], [0, 0], None, "softmax", "", ""),
    (True, 2, 16, [6, 5], 40, [3, 3], [1, 1], [1, 1], [0, 0], "sum keep", "residual", ""),
    (False, 1, 16, [40, 9], 96, [3, 3], [1, 1], [1, 1], None, "logsumexp keep", "", "mma_inflight = 0"),
    (False, 1, 16, [20, 20], 24, [3, 3], [1, 1], [1, 1], None, "amin keep", "", "tile = [224, 64, 16]"),
    (True, 1, 3, [3, 4, 5], 16, [3, 3, 3], [2, 2, 2], [1, 1, 1], [0, 0, 0], "logsumexp keep", "sigmoid", "tile = [48, 64, 16], consumers = 4"),
    (False, 1, 5, [5, 4, 8], 13, [3, 3, 3], [1, 1, 1], [1, 1, 1], None, "amax", "", "tile = [64, 64, 16]"),
]
PIXELS = [
    (True, 2, 16, [5, 6], 72, [3, 3], [2, 2], [1, 1], [1, 1], "mean keep", "bias", ""),
    (False, 3, 24, [13, 10], 17, [3, 3], [2, 2], [1, 1], None, "mean", "relu", "tile = [32, 64, 16]"),
    (False, 2, 16, [37], 130, [5], [3], [2], None, "sum", "", ""),
    (True, 2, 16, [3, 4, 3], 20, [3, 2, 3], [2, 2, 2], [1, 0, 1], [1, 0, 0], "mean", "tanh", ""),
    (False, 2, 16, [20, 20], 128, [3, 3], [1, 1], [1, 1], None, "adaptive keep", "sigmoid", "tile = [128, 128, 16]"),
    (True, 2, 16, [19], 70, [1], [2], [0], [1], "sum keep", "add", ""),
    (False, 2, 8, [4, 6, 5], 64, [3, 2, 3], [1, 2, 1], [1, 0, 1], None, "mean keep", "", "tile = [64, 64, 16]"),
    (False, 2, 3, [7, 6, 8], 13, [3, 3, 3], [1, 1, 1], [1, 1, 0], None, "sum", "relu", ""),
]
WINDOWS = [
    (False, 2, 16, [13, 18], 20, [3, 3], [1, 1], [1, 1], None, "max_pool 2 2", "add", "tile = [64, 64, 16]"),
    (False, 1, 24, [20, 17], 130, [3, 3], [1, 1], [0, 0], None, "avg_pool 3 2", "relu", "tile = [96, 128, 16]"),
    (False, 2, 16, [12, 30], 40, [3, 3], [2, 1], [1, 1], None, "max_pool 1 4", "", "tile = [48, 64, 16]"),
    (False, 2, 16, [41], 33, [5], [1], [2], None, "avg_pool 4", "tanh", ""),
    (True, 2, 16, [5, 6], 72, [3, 3], [2, 2], [1, 1], [1, 1], "max_pool 2 2", "bias", "tile = [32, 128, 16]"),
    (True, 1, 16, [9, 7], 40, [4, 4], [2, 2], [1, 1], [0, 0], "avg_pool 4 3", "", "tile = [64, 64, 16]"),
    (True, 2, 16, [6, 5], 30, [3, 3], [2, 1], [1, 1], [1, 0], "max_pool 1 3", "sigmoid", ""),
    (True, 1, 16, [8, 9], 130, [3, 3], [1, 1], [1, 1], [0, 0], "max_pool 2 3", "", ""),
    (True, 2, 16, [19], 70, [4], [2], [1], [0], "avg_pool 2", "relu", ""),
    (True, 2, 3, [3, 4, 5], 16, [3, 3, 3], [2, 2, 2], [1, 1, 1], [0, 0, 0], "max_pool 2 2 2", "add", "tile = [48, 64, 16], consumers = 4"),
    (True, 1, 5, [4, 5, 4], 13, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], "avg_pool 4 4 2", "", "tile = [64, 64, 16]"),
    (True, 1, 6, [4, 4, 8], 24, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], "max_pool 2 1 2", "bias", ""),
    (True, 1, 16, [3, 4, 5], 40, [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], "max_pool 1 2 2", "", ""),
    (False, 2, 5, [7, 6, 8], 13, [3, 3, 3], [1, 1, 1], [1, 1, 1], None, "max_pool 2 2 2", "", "tile = [64, 64, 16]"),
    (False, 1, 8, [5, 9, 8], 30, [3, 3, 3], [1, 1, 1], [0, 1, 1], None, "avg_pool 2 3 2", "relu", ""),
    (False, 2, 16, [4, 6, 5], 64, [3, 2, 3], [1, 2, 1], [1, 0, 1], None, "avg_pool 1 2 2", "tanh", "tile = [64, 64, 16]"),
]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Writer:
    def __init__(self, element, over_channels, has_nan, halves):
        self.element, self.over_channels, self.has_nan, self.halves = element, over_channels, has_nan, halves
        self.arguments, self.body, self.results = [], [], []

    def argument(self, name, shape, init=""):
        kind = tensor(shape, self.element)
        self.arguments.append(f"%{name}: {kind}" + (f' {{kgen.init = "{init}"}}' if init else ""))
        return f"%{name}", kind

    def spots(self, number, shape):
        """An addend of the outputs: mostly zero, and minus infinity, infinity or NaN."""
        kind, where, bools = tensor(shape, self.element), tensor(shape, "i64"), tensor(shape, "i1")
        self.arguments.append(f'%i{number}: {where} {{kgen.init = "integer(0, 99)"}}')
        self.argument(f"z{number}", shape)
        self.body += [f"  %spots{number} = kgen.dispatch @spots{number} schedule(#kgen.schedule<family = pointwise>) ins(%z{number}, %i{number} : {kind}, {where}) {{",
                      f"  ^bb0(%a: {kind}, %b: {where}):"]
        value = "%a"
        for i, (place, bits) in enumerate([(0, "0x7FF8000000000000"), (1, "0x7FF0000000000000"), (2, "0xFFF0000000000000")]):
            self.body += [f"    %m{i} = aten.eq.Scalar %b {{other = {place}.0}} : ({where}) -> {bools}",
                          f"    %v{i} = aten.masked_fill.Scalar {value}, %m{i} {{value = {bits} : f64}} : ({kind}, {bools}) -> {kind}"]
            value = f"%v{i}"
        self.body += [f"    kgen.yield {value} : {kind}", f"  }} : {kind}"]
        return f"%spots{number}", kind

    def add(self, number, transposed, images, channels, extents, filters, kernel, stride, padding, output_padding, fold, behind, schedule):
        rank = len(extents)
        if self.halves:
            schedule = ", ".join(word for word in ("dtype = fp16", schedule) if word)
        elif self.element == "f32":
            schedule = schedule.replace(", 16]", ", 8]")
        if transposed:
            out = [(e - 1) * s - 2 * p + k + o for e, p, k, s, o in zip(extents, padding, kernel, stride, output_padding)]
        else:
            out = [(e + 2 * p - k) // s + 1 for e, p, k, s in zip(extents, padding, kernel, stride)]
        result = [images, filters, *out]
        full = tensor(result, self.element)
        operands = [self.argument(f"x{number}", [images, channels, *extents]),
                    self.argument(f"w{number}", [channels, filters, *kernel] if transposed else [filters, channels, *kernel], "normal(0, 0.2)"),
                    self.argument(f"b{number}", [filters])]
        name = f"conv_transpose{rank}d{'.input' if rank > 1 else ''}" if transposed else f"conv{rank}d"
        types = ", ".join(kind for _, kind in operands)
        lines = [f"    %c = aten.{name} %a0, %a1, %a2 stride {stride} padding {padding} " + (f"output_padding {output_padding} " if transposed else "") +
                 f": ({types}) -> {full}"]
        value = "%c"
        if self.has_nan:
            operands.append(self.spots(number, result))
            lines.append(f"    %s = aten.add.Tensor %c, %a3 : ({full}, {full}) -> {full}")
            value = "%s"
        word, keeps = fold.split()[0], fold.endswith("keep")
        window = [int(extent) for extent in fold.split()[1:] if extent != "keep"]
        dims = [1] if self.over_channels else list(range(2, rank + 2))
        left = [1 if keeps and d in dims else extent for d, extent in enumerate(result) if keeps or d not in dims]
        left = result if word == "softmax" else [images, filters, *(extent // of for extent, of in zip(out, window))] if window else left
        kind = tensor(left, self.element)
        keep = " keepdim true" if keeps else ""
        if word == "softmax":
            lines.append(f"    %f = aten.softmax.int {value} dim 1 : ({full}) -> {kind}")
        elif word in ("max", "min"):
            lines.append(f"    %f, %n = aten.{word}.dim {value} dim 1{keep} : ({full}) -> ({kind}, {tensor(left, 'i64')})")
        elif window:
            lines.append(f"    %f = aten.{word}{rank}d {value} kernel {window} : ({full}) -> {kind}")
        elif word == "adaptive":
            lines.append(f"    %f = aten.adaptive_avg_pool{rank}d {value} output_size {[1] * rank} : ({full}) -> {kind}")
        else:
            op = {"mean": "mean.dim", "sum": "sum.dim_IntList"}.get(word, word)
            lines.append(f"    %f = aten.{op} {value} dim {dims}{keep} : ({full}) -> {kind}")
        value = "%f"
        if behind in ("relu", "sigmoid", "tanh"):
            lines.append(f"    %t = aten.{behind} %f : ({kind}) -> {kind}")
            value = "%t"
        elif behind == "add":
            lines.append(f"    %t = aten.add.Scalar %f {{other = 0.5}} : ({kind}) -> {kind}")
            value = "%t"
        elif behind:
            operands.append(self.argument(f"r{number}", [filters] + [1] * rank if behind == "bias" else left))
            lines.append(f"    %t = aten.add.Tensor %f, %a{len(operands) - 1} : ({kind}, {operands[-1][1]}) -> {kind}")
            value = "%t"
        names, kinds = ", ".join(name for name, _ in operands), ", ".join(kind for _, kind in operands)
        blocks = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(operands))
        keys = "family = conv, mma = wgmma, im2col = halo" + (f", {schedule}" if schedule else "")
        self.body += [f"  %y{number} = kgen.dispatch @c{number} schedule(#kgen.schedule<{keys}>) ins({names} : {kinds}) {{",
                      f"  ^bb0({blocks}):", *lines, f"    kgen.yield {value} : {kind}", f"  }} : {kind}"]
        self.results.append(kind)


def main():
    element, words = sys.argv[1], sys.argv[2:]
    cases = next(cases for word, cases in (("channels", CHANNELS), ("pixels", PIXELS), ("windows", WINDOWS)) if word in words)
    writer = Writer(element, "channels" in words, "nan" in words, "halves" in words)
    for number, case in enumerate(cases):
        writer.add(number, *case)
    print('module attributes {kgen.precision = "tf32"} {' if element == "f32" else "module {")
    print("func.func @convolutions(" + ",\n    ".join(writer.arguments) + f")\n    -> ({', '.join(writer.results)}) {{")
    print("\n".join(writer.body))
    print("  return " + ", ".join(f"%y{i}" for i in range(len(cases))) + " : " + ", ".join(writer.results) + "\n}\n}")


if __name__ == "__main__":
    main()
