# expect: pass
# The factors before the infinity pass zero in fp32, not in fp64: the right answer is infinite, and from left to right it is NaN.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, i, y):
        infinite = x.masked_fill(i == 3, float("inf"))
        return torch.prod(torch.cat([infinite, y], dim=1), dim=0)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([200, 4]) * 0.3, torch.randint(0, 60, [200, 4]), torch.randn([200, 4]) * 0.1 + 1]
