# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many_convs.py N: a graph of N convolutions of different widths, one behind the other; each is a task of its own, and its weight another one with channels last."""
import sys

widths = range(16, 17 + int(sys.argv[1]))
arguments = ", ".join(f"%w{n}: tensor<{n + 1}x{n}x3x3xf32> {{kgen.parameter}}" for n in widths[:-1])
print(f"module attributes {{kgen.problem = \"many\", kgen.precision = \"tf32\"}} {{\nfunc.func @many(%x16: tensor<1x16x4x4xf32>, {arguments}) -> tensor<1x{widths[-1]}x4x4xf32> {{")
for n in widths[:-1]:
    print(f"  %x{n + 1} = aten.conv2d %x{n}, %w{n} padding [1, 1] : (tensor<1x{n}x4x4xf32>, tensor<{n + 1}x{n}x3x3xf32>) -> tensor<1x{n + 1}x4x4xf32>")
print(f"  return %x{widths[-1]} : tensor<1x{widths[-1]}x4x4xf32>\n}}\n}}")
