# expect: pass
# ideas: host:row-fast-math
# Rows behind a view are a dispatch outside of any module; with fast_math (idea row-fast-math) it was asked for its module's precision.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.mean(x.narrow(0, 3, 1))


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(7, 8, 15, 1)]
