# expect: pass
# A diagonal beside the matrix, no repeats, padding that takes all and windows of nothing are tensors without elements.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a, b = torch.diagonal(x, 1), torch.diagonal(x, -9)
        c, d = x.repeat(0, 2), F.pad(x, (-1, 0))
        return a, b, c, d, x + 1, x.unfold(0, 0, 2), torch.as_strided(x, (2, 0), (1, 1))


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(7, 1)]
