"""recurrent.py STEPS [backwards]: prints two layers of a recurrent network, h' = tanh(x[t] + W h) with the gates of x made for all
steps at once, as torch's own layers are written out; `backwards` puts the last step's result first."""
import sys

steps = int(sys.argv[1])
row, wide = "tensor<4x32xf32>", f"tensor<{steps}x4x32xf32>"
weight = "tensor<32x32xf32>"
body = []
current = "%x"
for layer in range(2):
    body.append(f"%i{layer} = aten.linear {current}, %u{layer} : ({wide}, {weight}) -> {wide}")
    state = f"%s{layer}"
    body.append(f"{state} = aten.select.int %h dim 0 index {layer} : (tensor<2x4x32xf32>) -> {row}")
    rows = []
    for t in range(steps):
        n = f"{layer}_{t}"
        body += [
            f"%x{n} = aten.select.int %i{layer} dim 0 index {t} : ({wide}) -> {row}",
            f"%l{n} = aten.linear {state}, %w{layer} : ({row}, {weight}) -> {row}",
            f"%a{n} = aten.add.Tensor %l{n}, %x{n} : ({row}, {row}) -> {row}",
            f"%t{n} = aten.tanh %a{n} : ({row}) -> {row}",
            f"%r{n} = aten.unsqueeze %t{n} dim 0 : ({row}) -> tensor<1x4x32xf32>",
        ]
        state = f"%t{n}"
        rows.append(f"%r{n}")
    if sys.argv[2:] == ["backwards"]:
        rows.reverse()
    current = f"%c{layer}"
    body.append(f"{current} = aten.cat {', '.join(rows)} dim 0 : ({', '.join(['tensor<1x4x32xf32>'] * steps)}) -> {wide}")
scale = '{kgen.init = "normal(0, 0.18)", kgen.parameter}'
print(f"func.func @recurrent(%x: {wide}, %h: tensor<2x4x32xf32>, " +
      ", ".join(f"%u{i}: {weight} {scale}, %w{i}: {weight} {scale}" for i in range(2)) + f") -> {wide} {{")
print("\n".join("  " + line for line in body))
print(f"  return {current} : {wide}\n}}")
