# expect: pass
# The smallest of zeros of both signs is either, and one by it either infinity.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        smallest = torch.min(torch.trunc(x), dim=1)[0]
        return torch.reciprocal(smallest), smallest * smallest, torch.reciprocal(torch.maximum(torch.trunc(x), torch.trunc(y)))


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([65, 4], dtype=torch.float16), torch.randn([65, 4], dtype=torch.float16)]
