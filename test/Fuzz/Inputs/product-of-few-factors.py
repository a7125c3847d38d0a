# expect: pass
# What is rounded to tf32 is no input: three factors, whose roundings every element has.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn([7, 7]))
        self.v = nn.Parameter(torch.randn([12, 3]) * 0.577)
        self.b = nn.Parameter(torch.randn([12]))

    def forward(self, x):
        few = torch.linalg.vector_norm(self.w.unfold(0, 1, 3), 1, dim=[1, 2])
        return x + 1, F.linear(F.gelu(few), self.v, self.b)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([4])]
