"""Prints `NAME: not tested` for each mnemonic in the .td files that no test file uses."""
import pathlib
import re
import sys

folder, *tests = map(pathlib.Path, sys.argv[1:])
text = "".join(path.read_text() for path in sorted(folder.glob("Aten*Ops.td")))
text = re.sub(r"\n\s*", " ", text)
# A def's first string argument is its mnemonic; pools are defined by their rank instead.
names = re.findall(r'\bdef Aten_\w+Op : Aten_\w+<"([^"]+)"', text)
for kind, rank in re.findall(r"\bdef Aten_\w+Op : Aten_(MaxPool|DivisorAvgPool|AdaptiveAvgPool)Op<(\d)", text):
    names.append({"MaxPool": "max_pool", "DivisorAvgPool": "avg_pool", "AdaptiveAvgPool": "adaptive_avg_pool"}[kind] + rank + "d")
assert len(names) > 90, names
tested = set(re.findall(r"= aten\.([\w.]+) ", "".join(test.read_text() for test in tests)))
for name in names:
    if name not in tested:
        print(f"{name}: not tested")
