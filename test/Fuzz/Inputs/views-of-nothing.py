# expect: pass
# Slices, views, expansions and pads whose extents are 0, and what becomes of them.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn([5, 0]))
        self.b = nn.Parameter(torch.randn([5]))

    def forward(self, x):
        nothing = x[:, 3:2]
        more = nothing.reshape(0, 7).expand(2, 0, 7)
        return nothing, more, torch.cat([x, nothing], 1) * 2, F.linear(nothing, self.w, self.b), x.narrow(0, 4, 0), more.sum(1)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([4, 6])]
