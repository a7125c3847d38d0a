# expect: pass
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.m(x)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(3, 8, 8)]
