"""large_network.py: prints a network of 130 blocks of 10 ops, 1,300 in all, 82 different tasks."""
ROWS = "tensor<64x128xf32>"
arguments, body, current = [], [], "%x"
for b in range(130):
    h = 256 + 8 * (b % 40)
    wide, deep = f"tensor<8x8x{h}xf32>", "tensor<8x8x128xf32>"
    arguments.append(f"%g{b}: tensor<128xf32>, %s{b}: tensor<128xf32>, %u{b}: tensor<{h}x128xf32>, %c{b}: tensor<{h}xf32>, "
                     f"%d{b}: tensor<128x{h}xf32>, %e{b}: tensor<128xf32>")
    body += [
        f"%n{b} = aten.layer_norm {current} weight %g{b} bias %s{b} normalized_shape [128] : ({ROWS}, tensor<128xf32>, tensor<128xf32>) -> {ROWS}",
        f"%v{b} = aten.reshape %n{b} shape [8, 8, 128] : ({ROWS}) -> {deep}",
        f"%h{b} = aten.linear %v{b}, %u{b}, %c{b} : ({deep}, tensor<{h}x128xf32>, tensor<{h}xf32>) -> {wide}",
        f"%a{b} = aten.sigmoid %h{b} : ({wide}) -> {wide}",
        f"%m{b} = aten.mul.Tensor %h{b}, %a{b} : ({wide}, {wide}) -> {wide}",
        f"%o{b} = aten.linear %m{b}, %d{b}, %e{b} : ({wide}, tensor<128x{h}xf32>, tensor<128xf32>) -> {deep}",
        f"%w{b} = aten.reshape %o{b} shape [64, 128] : ({deep}) -> {ROWS}",
        f"%r{b} = aten.add.Tensor {current}, %w{b} : ({ROWS}, {ROWS}) -> {ROWS}",
        f"%q{b} = aten.relu %r{b} : ({ROWS}) -> {ROWS}",
        f"%z{b} = aten.add.Tensor %q{b}, %r{b} : ({ROWS}, {ROWS}) -> {ROWS}",
    ]
    current = f"%z{b}"
print(f"func.func @large(%x: {ROWS}, " + ",\n    ".join(arguments) + f") -> {ROWS} {{")
print("\n".join("  " + line for line in body))
print(f"  return {current} : {ROWS}\n}}")
