# expect: pass
# One number less its mean is zero, or what PyTorch's rounding makes of it: infinity times that has either sign, or is none.
import torch
import torch.nn as nn
import torch.nn.functional as F

f64 = torch.float64


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w3 = nn.Parameter(torch.randn([64, 1, 1], dtype=f64))
        self.w4 = nn.Parameter(torch.randn([1], dtype=f64) * 0.5 + 1)

    def forward(self, x0):
        w3, w4 = self.w3, self.w4
        v1 = F.group_norm(w3, 1, weight=w4, eps=0.01)
        return torch.bmm(v1, x0)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([64, 1, 5], dtype=f64)]
