# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: architectures.py ARCH. A module with a dispatch of each variant of each kernel family that ARCH can have, and one op for the
generic path."""
import sys

arch = sys.argv[1]
HEAD = "tensor<1x2x128x64xf16>"
MM = ("aten.mm {0}, {1}", ["tensor<256x128xf32>", "tensor<128x192xf32>"], "tensor<256x192xf32>")
LINEAR = ("aten.linear {0}, {1}, {2}", ["tensor<256x768xf32>", "tensor<192x768xf32>", "tensor<192xf32>"], "tensor<256x192xf32>")
BATCH_OF_1 = ("aten.linear {0}, {1}", ["tensor<1x768xbf16>", "tensor<192x768xbf16>"], "tensor<1x192xbf16>")
HALVES = ("aten.mm {0}, {1}", ["tensor<256x128xf16>", "tensor<128x192xf16>"], "tensor<256x192xf16>")
ROWS = ["tensor<300x128xbf16>", "tensor<5x128x192xbf16>", "tensor<5xi32>"]
GROUPS = ("aten._grouped_mm {0}, {1}, {2}", ROWS, "tensor<300x192xbf16>")
# Tiles divide it, and its results are rounded right behind the products.
ROUNDED_RESULT = ("aten.linear {0}, {1}", ["tensor<256x768xbf16>", "tensor<512x768xbf16>"], "tensor<256x512xbf16>")
ONE_TAP = ("aten.conv2d {0}, {1}, {2}", ["tensor<2x40x20x20xf32>", "tensor<72x40x1x1xf32>", "tensor<72xf32>"], "tensor<2x72x20x20xf32>")
CONV = ("aten.conv2d {0}, {1}", ["tensor<2x8x20x20xf32>", "tensor<32x8x3x3xf32>"], "tensor<2x32x18x18xf32>")
GROUPED = ("aten.conv2d {0}, {1} groups 3", ["tensor<2x60x20x20xf32>", "tensor<96x20x1x1xf32>"], "tensor<2x96x20x20xf32>")
STRIDED = ("aten.conv3d {0}, {1}, {2} stride [1, 2, 2] padding [1, 1, 1]",
           ["tensor<2x72x5x20x20xbf16>", "tensor<40x72x3x3x3xbf16>", "tensor<40xbf16>"], "tensor<2x40x5x10x10xbf16>")
TRANSPOSED = ("aten.conv_transpose2d.input {0}, {1} stride [2, 2] padding [1, 1]", ["tensor<2x8x20x20xf32>", "tensor<8x32x3x3xf32>"],
              "tensor<2x32x39x39xf32>")
# Fewer filters than a tile has, and what is left of them.
FEW_FILTERS = ("aten.conv2d {0}, {1} padding [1, 1]", ["tensor<2x16x20x20xf32>", "tensor<32x16x3x3xf32>"], "tensor<2x32x20x20xf32>")
FOLDED = ("%c = aten.conv2d {0}, {1} : (tensor<2x16x20x20xf32>, tensor<80x16x3x3xf32>) -> tensor<2x80x18x18xf32>\n"
          "    %r = aten.amax %c dim [1] : (tensor<2x80x18x18xf32>)", ["tensor<2x16x20x20xf32>", "tensor<80x16x3x3xf32>"], "tensor<2x18x18xf32>")
ATTENTION = ("aten.scaled_dot_product_attention {0}, {1}, {2}", [HEAD, HEAD, HEAD], HEAD)
WIDE, FEW = "tensor<1x2x128x40xf32>", "tensor<1x4x100x64xf16>"
ROUNDED = ("aten.scaled_dot_product_attention {0}, {1}, {2}", [WIDE, WIDE, WIDE], WIDE)
HIDDEN = ("aten.scaled_dot_product_attention {0}, {1}, {2} attn_mask {3}", [WIDE, WIDE, WIDE, "tensor<1x1x1x128xi1>"], WIDE)
SHIFTED = ("aten.scaled_dot_product_attention {0}, {1}, {2} attn_mask {3}", [FEW, FEW, FEW, "tensor<4x100x100xf16>"], FEW)
SOFTMAX = ("aten.softmax.int {0} dim -1", ["tensor<64x16384xf32>"], "tensor<64x16384xf32>")
ODD = ("aten.softmax.int {0} dim -1", ["tensor<64x4097xf32>"], "tensor<64x4097xf32>")
CASES = [
    ("pointwise", "aten.relu {0}", ["tensor<64x96xf32>"], "tensor<64x96xf32>"),
    ("pool", "aten.max_pool2d {0} kernel [3, 3] stride [2, 2]", ["tensor<2x4x20x20xf32>"], "tensor<2x4x9x9xf32>"),
    ("scan", "aten.cumsum {0} dim 1", ["tensor<8x512xf32>"], "tensor<8x512xf32>"),
    ("gather", "aten.embedding {0}, {1}", ["tensor<100x96xf32>", "tensor<40xi64>"], "tensor<40x96xf32>"),
    ("gather", "aten.gather {0}, {1} dim 1", ["tensor<100x96xf32>", "tensor<100x8xi64>"], "tensor<100x8xf32>"),
    ("row, resident = reg, split_rows = 1", *SOFTMAX),
    ("row, resident = none, split_rows = 1", *SOFTMAX),
    ("row, resident = none, split_rows = 4", *SOFTMAX),
    ("row, resident = hybrid, threads_per_row = 512", *SOFTMAX),
    ("row, resident = reg", *ODD),
    ("gemm, mma = none", *MM),
    ("gemm, mma = wmma", *MM),
    ("gemm, mma = mma_sync", *MM),
    ("gemm, mma = wmma", *HALVES),
    ("gemm, mma = mma_sync", *HALVES),
    ("gemm, mma = none", *GROUPS),
    ("gemm, mma = mma_sync", *GROUPS),
    ("gemm, rows_per_block = 4", *BATCH_OF_1),
    ("gemm, mma = mma_sync, persistent = static", *ONE_TAP),
    ("gemm, mma = mma_sync, persistent = static", *HALVES),
    ("conv, mma = none", *CONV),
    ("conv, mma = mma_sync", *CONV),
    ("conv, mma = none", *GROUPED),
    ("conv, mma = mma_sync", *GROUPED),
    ("conv, mma = none", *TRANSPOSED),
    ("conv, mma = mma_sync", *TRANSPOSED),
    ("conv, mma = mma_sync, dtype = fp16", *TRANSPOSED),
    ("attention, mma = none", *ATTENTION),
    ("attention, mma = mma_sync", *ATTENTION),
    ("attention, split_keys = 2", *ATTENTION),
    ("attention, split_keys = 1, warp_tile = [16, 16]", *SHIFTED),
    ("attention, mma = mma_sync", *ROUNDED),
    ("attention, mma = mma_sync", *HIDDEN),
    ("attention, mma = mma_sync", *SHIFTED),
    ("attention, mma = none", *HIDDEN),
    ("attention, mma = none", *SHIFTED),
]
if int("".join(c for c in arch if c.isdigit())) >= 90:
    CASES += [("row, resident = reg, split_rows = 4", *SOFTMAX), ("row, resident = cluster", *SOFTMAX)]
if arch == "sm_90a":
    CASES += [("gemm, mma = wgmma", *MM), ("gemm, mma = wgmma, dtype = tf32", *LINEAR),
              ("gemm, mma = wgmma, dtype = tf32, convert_at = prepass", *MM), ("gemm, mma = wgmma, dtype = tf32, convert_at = registers, split_k = 2", *MM),
              ("gemm, split_at = cluster, cluster = 2, split_k = 3", *LINEAR), ("gemm, split_at = cluster", *BATCH_OF_1), ("gemm, mma = wgmma", *HALVES), ("conv, mma = wgmma", *CONV),
              ("conv, mma = wgmma, pipeline = tma", *CONV), ("conv, mma = wgmma, pipeline = tma", *GROUPED), ("conv, mma = wgmma, pipeline = tma, split_k = 2", *STRIDED),
              *((f"conv, mma = wgmma, im2col = halo{halves}", *case) for case in (FEW_FILTERS, TRANSPOSED, FOLDED) for halves in ("", ", dtype = fp16")),
              ("conv, mma = wgmma, im2col = halo", *STRIDED), ("conv, mma = wgmma, im2col = halo, dtype = fp16, consumers = 4, tile = [32, 64, 16]", *TRANSPOSED), ("attention, mma = wgmma", *ATTENTION), ("attention, split_keys = 2, split_at = cluster", *ATTENTION), ("row, resident = grid", *SOFTMAX)]

arguments, results, body = [], [], []
for number, (family, op, inputs, result) in enumerate(CASES):
    names = [f"%x{number}_{i}" for i in range(len(inputs))]
    inner = [f"%a{i}" for i in range(len(inputs))]
    arguments += [f"{n}: {t}" for n, t in zip(names, inputs)]
    types = ", ".join(inputs)
    blocks = ", ".join(f"{n}: {t}" for n, t in zip(inner, inputs))
    body += [f"  %{number} = kgen.dispatch @d{number} schedule(#kgen.schedule<family = {family}>) ins({', '.join(names)} : {types}) {{",
             f"  ^bb0({blocks}):", f"    {op.format(*inner)} -> {result}" if op.startswith("%") else f"    %r = {op.format(*inner)} : ({types}) -> {result}", f"    kgen.yield %r : {result}",
             f"  }} : {result}"]
    results.append(result)
arguments.append("%y: tensor<8x8xf32>")
results.append("tensor<8x8xf32>")
body += ["  %g = aten.erfinv %y : (tensor<8x8xf32>) -> tensor<8x8xf32>",
         f"  return {', '.join(f'%{n}' for n in range(len(CASES)))}, %g : {', '.join(results)}"]
print(f"func.func @all({', '.join(arguments)}) -> ({', '.join(results)}) {{\n" + "\n".join(body) + "\n}")
