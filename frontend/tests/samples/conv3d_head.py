# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample in the benchmark's form: 3-D convolution, batch norm, pooling, log-sum-exp."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(8, 16, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm3d(16)
        self.pool = nn.MaxPool3d(2)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.conv(x))))
        return torch.logsumexp(x, dim=1, keepdim=True).clamp(min=0.5)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.rand(16, 8, 32, 64, 64)]
