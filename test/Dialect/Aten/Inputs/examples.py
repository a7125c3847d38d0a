"""Prints each `mlir` example of a dialect's documentation as a function: examples.py INCLUDE FILE.td."""
import pathlib
import re
import shutil
import subprocess
import sys

include, source = sys.argv[1:]
tblgen = shutil.which("mlir-tblgen")
upstream = pathlib.Path(tblgen).resolve().parents[1] / "include"
document = subprocess.run([tblgen, "-gen-op-doc", "-dialect=aten", "-I", include, "-I", upstream, f"{include}/{source}"],
                          check=True, capture_output=True, text=True).stdout
ops = re.split(r"^### `", document, flags=re.M)[1:]
assert len(ops) > 90, len(ops)
for op in ops:
    name = op.partition("`")[0]
    examples = re.findall(r"```mlir\n(.*?)```", op, flags=re.S)
    assert len(examples) == 1, f"{name} has {len(examples)} examples"
    example = examples[0].strip()
    results, _, rest = example.partition(" = ")
    assert rest.startswith(name + " "), example
    operands = re.findall(r"%\w+", rest)
    types = re.findall(r"tensor<[^>]*>", re.search(r":\s*\((.*?)\)\s*->", rest, flags=re.S).group(1))
    assert len(operands) == len(types), example
    arguments = ", ".join(f"{operand}: {kind}" for operand, kind in zip(operands, types))
    print(f"func.func @{name.replace('.', '_')}({arguments}) {{\n  {example}\n  return\n}}")
