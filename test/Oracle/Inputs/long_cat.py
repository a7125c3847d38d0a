# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_cat.py N: N ops that write to one empty tensor, and their results one after the other, as a concatenation is lowered."""
import sys

count = int(sys.argv[1])
print(f"func.func @cat(%x: tensor<1x3xf64>) -> tensor<{count}x3xf64> {{")
print("  %e = tensor.empty() : tensor<1x3xf64>")
print(f"  %t0 = tensor.empty() : tensor<{count}x3xf64>")
for n in range(count):
    print(f"  %p{n} = linalg.exp ins(%{'x' if n == 0 else f'p{n - 1}'} : tensor<1x3xf64>) outs(%e : tensor<1x3xf64>) -> tensor<1x3xf64>")
for n in range(count):
    print(f"  %t{n + 1} = tensor.insert_slice %p{n} into %t{n}[{n}, 0] [1, 3] [1, 1] : tensor<1x3xf64> into tensor<{count}x3xf64>")
print(f"  return %t{count} : tensor<{count}x3xf64>\n}}")
