# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks one index of a lowering at a time and counts the graphs that the fuzzer needs to notice.

Usage: fuzz_mutations.py [--graphs 200] [--jobs 2] [NAME...]

For each edit below: write it into the tree, build, fuzz until the first finding, take it back. A table of the results goes to
stdout as Markdown. The tree must have no other changes in the files named here. An edit of the ops' meaning is looked for by the
oracle's stage alone, one of a kernel family by the kernels' alone: a whole run finds it no later.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGETS = {"oracle": ["kgen-oracle"], "kernels": ["kgen-opt", "kgen-translate", "kgen-eval", "kgen-oracle"]}

# (name, file, what stands there, what the edit makes of it)
EDITS = [
    ("slice-start", "lib/Conversion/AtenToLinalg/Shape.cpp", "starts[dim] = start;", "starts[dim] = size > 1 ? start : 0;"),
    ("triangle-diagonal", "lib/Conversion/AtenToLinalg/Shape.cpp", "lower ? greater(above, diagonal)",
     "lower ? greater(above, diagonal + 1)"),
    ("window-dilation", "lib/Conversion/AtenToLinalg/Window.cpp", "b.dim(rank + i) * windows.dilation[i]", "b.dim(rank + i)"),
    ("correlation-stride", "lib/Conversion/AtenToLinalg/Contraction.cpp", "b.dim(o + i) * stride[i]", "b.dim(o + i) * stride[0]"),
    ("scan-neighbour", "lib/Conversion/AtenToLinalg/Scan.cpp", "greater(behind, 0.0)", "greater(behind, 1.0)"),
    ("gemm-column", "lib/Kernels/Gemm/gemm_simt.cuh", "(row0 + row) * LENGTH + column0 + column]",
     "(row0 + row) * LENGTH + column]"),
    ("conv-rows", "lib/Kernels/Conv/conv.cuh", "y * STRIDE_H) * PITCH + x * STRIDE_W + LEAD", "y) * PITCH + x * STRIDE_W + LEAD"),
    ("pool-dilation", "lib/Kernels/Pool/pool.cuh", "value[i * kStrideX + window_x * kDilationX]",
     "value[i * kStrideX + window_x]"),
    ("scan-inner", "lib/Kernels/Scan/ScanFamily.cpp", "column) * kInner + row % kInner;", "column) * kInner + row % kColumns % kInner;"),
    ("attention-causal", "lib/Kernels/Attention/attention_simt.cuh", "key > first_query + y + kSide * r",
     "key >= first_query + y + kSide * r"),
]


def stage_of(path):
    return "oracle" if "/Conversion/" in path else "kernels"


def build(targets):
    done = subprocess.run(["ninja", "-C", "build", "-j2", *targets], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the build failed:\n{done.stdout[-3000:]}")


def find(graphs, jobs, stage):
    """(number of graphs until the first finding or 0, the finding)."""
    environment = {"KGEN_PYTHON": str(ROOT / ".venv/bin/python3"), **os.environ, "KGEN_BIN": str(ROOT / "build/bin")}
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([ROOT / "scripts/fuzz_graphs.sh", str(graphs), "mutation", "--jobs", str(jobs), "--stop", "--stages",
                               stage, "--reduce-seconds", "0", "--out", out], capture_output=True, text=True, env=environment)
    found = re.search(r"^g(\d+): (.*)$", done.stdout, re.MULTILINE)
    return (int(found.group(1)) + 1, found.group(2)) if found else (0, done.stdout.strip().splitlines()[-1])


def try_edit(edit, arguments):
    """A row of the table."""
    name, path, old, new = edit
    file = ROOT / path
    text = file.read_text()
    if text.count(old) < 1:
        raise SystemExit(f"{path} has no '{old}'")
    try:
        file.write_text(text.replace(old, new, 1))
        build(TARGETS[stage_of(path)])
        start = time.monotonic()
        count, finding = find(arguments.graphs, arguments.jobs, stage_of(path))
        seconds = time.monotonic() - start
    finally:
        file.write_text(text)
    return f"| {name} | `{old}` | `{new}` | {count or 'not found'} | {seconds:.0f} | {finding[:110].replace('|', '/')} |"


def main():
    parser = argparse.ArgumentParser(description="Breaks lowerings by one index and fuzzes.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    chosen = [edit for edit in EDITS if not arguments.names or edit[0] in arguments.names]
    print("| edit | before | after | graphs until found | seconds | first finding |\n|---|---|---|---|---|---|")
    rows = []
    try:
        for edit in chosen:
            rows.append(try_edit(edit, arguments))
            print(rows[-1], flush=True)
    finally:
        build(TARGETS["kernels"])
    return 1 if any("not found" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
