# expect: pass
# The initialiser of a table is a constant expression: no conversion to 16 bits, no function behind NaN and infinity.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y, z, w):
        a = x * torch.tensor([0.5, float('inf'), float('nan')], dtype=torch.float16)
        b = y + torch.tensor([0.5, -float('inf'), 3.0], dtype=torch.bfloat16)
        c = z * torch.tensor([0.25, float('nan'), -float('inf')])
        d = w * torch.tensor([0.1, -float('inf'), 1e300], dtype=torch.float64)
        return a, b, c, d


def get_init_inputs():
    return []


def get_inputs():
    return [torch.rand(4, 3).half() + 0.5, torch.randn(4, 3).bfloat16(), torch.rand(4, 3) + 0.5, torch.rand(4, 3, dtype=torch.float64) + 0.5]
