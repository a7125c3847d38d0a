# expect: pass
# Where several threads share a row, fmaxf hid that a row with an infinity has no variance.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.std(torch.cosh(torch.rsqrt(x) * 0.25), dim=2, correction=0, keepdim=True)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([4, 6, 16], dtype=torch.bfloat16) * 0.5 + 1]
