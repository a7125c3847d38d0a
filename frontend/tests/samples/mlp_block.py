# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample in the benchmark's form: linear, group norm, swish, scale."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.GroupNorm(16, features)
        self.scale = nn.Parameter(torch.randn(features))

    def forward(self, x):
        x = self.norm(self.linear(x))
        x = x * torch.sigmoid(x)
        return x * self.scale


def get_init_inputs():
    return [1024]


def get_inputs():
    return [torch.rand(1024, 1024)]
