# expect: pass
# ideas: cuda:pixel-tile:1 cuda:fragment-padding:2
# One of three phases of the stride has no tap, the others one each.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn([17, 1, 2], dtype=torch.float16) * 0.707)
        self.b = nn.Parameter(torch.rand([17], dtype=torch.float16) * 4 - 1)

    def forward(self, x):
        return torch.erf(F.conv_transpose1d(x, self.w, self.b, stride=3, groups=17))


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([5, 17, 7], dtype=torch.float16)]
