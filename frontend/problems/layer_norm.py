"""Layer normalisation over the last three dimensions, with scale and shift."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return self.norm(x)


def get_init_inputs():
    return [(64, 256, 256)]


def get_inputs():
    return [torch.randn(16, 64, 256, 256)]


def get_small_init_inputs():
    return [(8, 32, 32)]


def get_small_inputs():
    return [torch.randn(4, 8, 32, 32)]
