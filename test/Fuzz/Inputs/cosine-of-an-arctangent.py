# expect: pass
# GCC folds sines and cosines of arctangents where errno is not asked for, and gives 0 or 1 for NaN.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        angle = torch.atan(x)
        return torch.cos(angle), torch.sin(angle), torch.cosh(torch.atanh(y)), torch.sinh(torch.atanh(y))


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([17, 6]), torch.rand([17, 6]) * 0.9]
