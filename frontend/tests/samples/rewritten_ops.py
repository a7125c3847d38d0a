# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample in the benchmark's form whose ops the importer spells in another way."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, kernel_size=3, padding="same", dilation=2)
        self.weight = nn.Parameter(torch.randn(64, 32))
        self.shift = nn.Parameter(torch.randn(32))

    def forward(self, x):
        left, right = torch.chunk(self.conv(x), 2, dim=1)
        y = torch.stack([F.normalize(left, dim=1), F.softsign(right)], dim=2)
        first, second, third = torch.split(y, [1, 2, 1], dim=1)
        flat = torch.cat([third, first, second], dim=1).mean(dim=(2, 3))
        return torch.einsum("bij,jk->bik", flat, F.relu6(self.weight)), torch.addmm(self.shift, flat[0], self.weight)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.rand(4, 8, 16, 64)]
