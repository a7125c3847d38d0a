# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: wrong_sizes.py SOURCE_FOLDER FOLDER. Emits a kernel of several templates with assertions, changes one constant at a time, and
says with what message the text compiles no more."""
import pathlib
import re
import subprocess
import sys

here, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
host = here.parent.parent / "lib" / "Device" / "host"
folder.mkdir(parents=True, exist_ok=True)


def graph(schedule, op, inputs, result):
    """A function of one dispatch @d of OP on INPUTS."""
    names = [f"%x{i}" for i in range(len(inputs))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, inputs))
    types = ", ".join(inputs)
    return (f"func.func @f({arguments}) -> {result} {{\n"
            f"  %0 = kgen.dispatch @d schedule(#kgen.schedule<{schedule}>) ins({', '.join(names)} : {types}) {{\n"
            f"  ^bb0({', '.join(f'%a{i}: {t}' for i, t in enumerate(inputs))}):\n"
            f"    %1 = {op} : ({types}) -> {result}\n"
            f"    kgen.yield %1 : {result}\n  }} : {result}\n  return %0 : {result}\n}}\n")


HEAD = "tensor<1x2x128x64xf16>"
CASES = {
    "gemm_mma": (graph("family = gemm, mma = mma_sync, tile = [64, 64, 32], warp_tile = [32, 32]", "aten.mm %a0, %a1",
                       ["tensor<512x256xf32>", "tensor<256x128xf32>"], "tensor<512x128xf32>"),
                 ["BM = 48", "WM = 16", "M = 640"]),
    "conv": (graph("family = conv, mma = mma_sync, tile = [64, 32, 16], warp_tile = [32, 16]", "aten.conv2d %a0, %a1",
                   ["tensor<2x8x20x20xf32>", "tensor<32x8x3x3xf32>"], "tensor<2x32x18x18xf32>"),
             ["WN = 20", "SHARED_BYTES = 231936"]),
    "attention_mma": (graph("family = attention, mma = mma_sync", "aten.scaled_dot_product_attention %a0, %a1, %a2",
                            [HEAD, HEAD, HEAD], HEAD),
                      ["kTileKeys = 72"]),
    "attention_split": (graph("family = attention, split_keys = 2", "aten.scaled_dot_product_attention %a0, %a1, %a2", [HEAD, HEAD, HEAD], HEAD),
                        ["kTileKeys = 24"]),
    "row_registers": (graph("family = row, resident = reg", "aten.softmax.int %a0 dim -1", ["tensor<64x4096xf32>"],
                            "tensor<64x4096xf32>"),
                      ["kRowsPerBlock = 2"]),
    "row_ring": (graph("family = row, resident = cluster", "aten.softmax.int %a0 dim -1", ["tensor<64x65536xf32>"],
                       "tensor<64x65536xf32>"),
                 ["kLead = 64"]),
}


def compile(text):
    """The messages of the assertions that fail in TEXT, or other errors; "" when it compiles."""
    path = folder / "kernel.cpp"
    # What device host makes of dynamic shared memory.
    path.write_text(re.sub(r"extern __shared__ .*unsigned char (\w+)\[\];", r"unsigned char *\1 = nullptr;", text))
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-w", "-I", str(host), "-include", "kgen_host.h", str(path)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    failed = re.findall(r"static assertion failed: (.*)", done.stderr)
    return "; ".join(failed) or ("" if done.returncode == 0 else done.stderr[:400])


for name, (module, changes) in CASES.items():
    (folder / "graph.mlir").write_text(module)
    lowered = subprocess.run(["kgen-opt", str(folder / "graph.mlir"), "-kgen-lower-dispatches=assert-sizes"], stdout=subprocess.PIPE,
                             check=True).stdout
    text = subprocess.run(["kgen-translate", "--kgen-to-cuda"], input=lowered, stdout=subprocess.PIPE, check=True).stdout.decode()
    print(f"{name} as it is: {compile(text) or 'compiles'}", flush=True)
    for change in changes:
        constant = change.split(" ")[0]
        changed, count = re.subn(rf"\b{constant} = \d+(?=[,;])", change, text, count=1)
        if count != 1 or changed == text:
            sys.exit(f"{name} has no other {constant}")
        print(f"{name} {change}: {compile(changed) or 'compiles'}", flush=True)
