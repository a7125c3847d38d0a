"""Prints a graph that writes COUNT rows of its argument one by one into a tensor, in reverse, and computes with it.

cat.py COUNT DIM concatenates them along DIM; cat.py COUNT scatter writes one after the other, the last row first."""
import sys

count, how = int(sys.argv[1]), sys.argv[2]
dim = 1 if how == "1" else 0
row = "tensor<16x1xf32>" if dim else "tensor<1x16xf32>"
whole = f"tensor<16x{count}xf32>" if dim else f"tensor<{count}x16xf32>"
print(f"func.func @parts(%x: {whole}) -> {whole} {{")
for i in range(count):
    print(f"  %{i} = aten.narrow %x dim {dim} start {count - 1 - i} length 1 : ({whole}) -> {row}")
if how == "scatter":
    print(f"  %w0 = aten.neg %x : ({whole}) -> {whole}")  # all of it is written over
    for i in range(count):
        at = count - 1 - i
        print(f"  %w{i + 1} = aten.slice_scatter %w{i}, %{i} dim 0 start {at} end {at + 1} : ({whole}, {row}) -> {whole}")
    print(f"  %c = aten.mul.Tensor %w{count}, %x : ({whole}, {whole}) -> {whole}")
else:
    names, types = ", ".join(f"%{i}" for i in range(count)), ", ".join([row] * count)
    print(f"  %c = aten.cat {names} dim {dim} : ({types}) -> {whole}")
print(f"  %r = aten.exp %c : ({whole}) -> {whole}")
print(f"  return %r : {whole}\n}}")
