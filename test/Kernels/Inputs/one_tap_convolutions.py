# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""one_tap_convolutions.py f32|f16|bf16|strict [SETTINGS]: convolutions of one tap, channels first, by family gemm.

SETTINGS replace those of all cases ("mma = mma_sync"); "strict" is f32 in strict-fp32.
"""
import sys

# Images, channels, extents, filters, transposed, bias, tail, schedule; with 16-bit operands a step's k is twice as long.
CASES = [
    (2, 24, [9, 8], 40, False, True, "relu", ""),
    (3, 37, [7, 9], 17, False, True, "residual", ""),
    (2, 64, [8, 16], 144, False, False, "", "tile = [64, 64, 32], warp_tile = [32, 32], stages = 2"),
    (1, 40, [131], 96, False, True, "sigmoid", "tile = [96, 128, 16], warp_tile = [48, 32], stages = 3, min_blocks = 1"),
    (2, 16, [3, 5, 6], 33, False, False, "channels", ""),
    (2, 48, [10, 10], 20, True, True, "residual", ""),
    (1, 33, [4, 5, 4], 70, True, False, "relu", "tile = [32, 256, 32]"),
    (4, 8, [66], 16, True, True, "norm", "tile = [16, 64, 16], warp_tile = [16, 32]"),
]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def main():
    word, settings = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    element = "f32" if word == "strict" else word
    arguments, body, results = [], [], []
    for number, (images, channels, extents, filters, is_transposed, bias, tail, schedule) in enumerate(CASES):
        operands = []

        def add(name, shape, init=None):
            kind = tensor(shape, element)
            arguments.append(f"%{name}{number}: {kind}" + (f' {{kgen.init = "{init}"}}' if init else ""))
            operands.append((f"%{name}{number}", kind))
            return f"%a{len(operands) - 1}"

        image, result = [images, channels, *extents], [images, filters, *extents]
        ones = [1] * len(extents)
        weight = ([channels, filters] if is_transposed else [filters, channels]) + ones
        read = [add("x", image), add("w", weight, "normal(0, 0.2)")]
        if bias:
            read.append(add("b", [filters]))
        full, types = tensor(result, element), ", ".join(kind for _, kind in operands)
        dims = len(extents)
        name = f"conv_transpose{dims}d{'.input' if dims > 1 else ''}" if is_transposed else f"conv{dims}d"
        lines = [f"    %c = aten.{name} {', '.join(read)} : ({types}) -> {full}"]
        value = "%t" if tail else "%c"
        if tail in ("relu", "sigmoid"):
            lines.append(f"    %t = aten.{tail} %c : ({full}) -> {full}")
        elif tail == "residual":
            other = add("r", result)
            lines += [f"    %s = aten.add.Tensor %c, {other} : ({full}, {full}) -> {full}",
                      f"    %t = aten.relu %s : ({full}) -> {full}"]
        elif tail == "channels":
            each = [1, filters, *ones]
            other = add("r", each)
            lines.append(f"    %t = aten.mul.Tensor %c, {other} : ({full}, {tensor(each, element)}) -> {full}")
        elif tail == "norm":
            each = tensor([filters], element)
            mean, variance = (add(letter, [filters], "uniform(0.5, 1.5)") for letter in "mv")
            lines.append(f"    %t = aten.batch_norm %c running_mean {mean} running_var {variance} : ({full}, {each}, {each}) -> {full}")
        if element != "f32":
            for k in ("16", "32"):
                if f", {k}], warp" in schedule or schedule.endswith(f", {k}]"):
                    schedule = schedule.replace(f", {k}], warp", f", {2 * int(k)}], warp").replace(f"256, {k}]", f"256, {2 * int(k)}]")
                    break
        keys = "family = gemm"
        if settings:
            keys += f", {settings}"
        elif word != "strict":
            keys += f", mma = mma_sync, persistent = static{', ' if schedule else ''}{schedule}"
        names, kinds = ", ".join(name for name, _ in operands), ", ".join(kind for _, kind in operands)
        blocks = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(operands))
        body += [f"  %y{number} = kgen.dispatch @c{number} schedule(#kgen.schedule<{keys}>) ins({names} : {kinds}) {{",
                 f"  ^bb0({blocks}):", *lines, f"    kgen.yield {value} : {full}", f"  }} : {full}"]
        results.append(full)
    print(f'module attributes {{kgen.precision = "{"strict-fp32" if word == "strict" else "tf32"}"}} {{'
          if element == "f32" else "module {")
    print("func.func @convolutions(" + ",\n    ".join(arguments) + f")\n    -> ({', '.join(results)}) {{")
    print("\n".join(body))
    print("  return " + ", ".join(f"%y{i}" for i in range(len(CASES))) + " : " + ", ".join(results) + "\n}\n}")


if __name__ == "__main__":
    main()
