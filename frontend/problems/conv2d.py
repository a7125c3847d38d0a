"""The first convolution of AlexNet: 96 filters 11 x 11 over a batch of 100 images."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=11, stride=4, padding=2)

    def forward(self, x):
        return self.conv(x)


def get_init_inputs():
    return [3, 96]


def get_inputs():
    return [torch.randn(100, 3, 224, 224)]


def get_small_inputs():
    return [torch.randn(4, 3, 64, 64)]
