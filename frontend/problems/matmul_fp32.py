"""C = A B, 4096 x 4096, float32; tf32 is allowed."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(4096, 4096), torch.randn(4096, 4096)]


def get_small_inputs():
    return [torch.randn(256, 256), torch.randn(256, 256)]
