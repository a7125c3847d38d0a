# expect: pass
# ideas: host:families host:row-fast-math cuda:families
# What families hold in floats, an index, meets an operator of integers.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, modulus):
        smallest = torch.argmin(x, dim=1, keepdim=True)
        return torch.remainder(smallest, modulus), torch.argmax(x, dim=1) * 3 - 1


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(6, 40, 5), torch.randint(1, 8, (6, 1, 5))]
