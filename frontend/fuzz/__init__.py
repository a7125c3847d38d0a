# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random op graphs against PyTorch, the oracle and kgen's own kernels (docs/fuzzing.md)."""
