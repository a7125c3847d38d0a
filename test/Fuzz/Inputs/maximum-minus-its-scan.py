# expect: pass
# ideas: network
# All elements share the rounding of one maximum, which a network stores in fp16: the next draw of it may be several times what inputs beside these show.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        v = torch.logcumsumexp(x, dim=-1)
        return torch.max(v) - v, v


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(40, 257, dtype=torch.float16)]
