# expect: pass
# The mean of no elements is NaN. Taken in front of the product (idea reduce-first) it was the bias.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn([1]))

    def forward(self, x, y, z):
        mean = torch.mean(torch.addmm(self.bias, x, y), dim=[0, 1])
        return mean, torch.matmul(torch.tril(y), z)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(0, 0), torch.randn(0, 5), torch.randn(5, 0)]
