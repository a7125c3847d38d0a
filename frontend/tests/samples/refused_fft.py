# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample in the benchmark's form that the dialect cannot hold."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


def get_init_inputs():
    return []


def get_inputs():
    return [torch.rand(128, 4000)]
