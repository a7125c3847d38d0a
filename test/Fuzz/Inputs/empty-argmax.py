# expect: refused: Expected reduction dim
# PyTorch itself has no answer.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, 1)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([3, 0])]
