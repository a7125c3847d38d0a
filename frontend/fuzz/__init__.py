# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random op graphs against PyTorch, the oracle and kgen's own kernels (docs/fuzzing.md)."""
import os

# With AMX oneDNN ends PyTorch's process in a convolution of bf16 with an extent of 1 (torch 2.13, test/Fuzz/Inputs/products-over-one-bf16.py): no
# fault of what is tried here. It reads this when it computes first.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
