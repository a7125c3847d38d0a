# expect: pass
# ideas: host:reduce-first cuda:reduce-first
# Infinities at pixels that a convolution of stride 2 or 3 passes by: zero times one was NaN in the sum taken in front of it.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 3, 1))
        self.v = nn.Parameter(torch.randn(4, 3, 2, 2))

    def forward(self, x, y):
        x = torch.where(torch.arange(32) % 2 == 0, -torch.inf, x)
        y = torch.where(torch.arange(29) % 3 == 2, torch.inf, y)
        return torch.mean(F.conv1d(x, self.w, stride=2, padding=1), dim=2), torch.mean(F.conv2d(y, self.v, stride=3), dim=[2, 3])


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(2, 3, 32), torch.randn(2, 3, 29, 29)]
