# expect: pass
# ideas: host:few-barriers host:pool-rows
# The kernel of a pool whose channels are last divides by their number, which it was not told where that is one.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, image, filters, rows):
        rows = nn.functional.max_pool1d(rows.transpose(1, 2), 1, stride=3, ceil_mode=True, dilation=2)
        return rows, nn.functional.conv2d(image, filters)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(1, 1, 5, 2), torch.randn(2, 1, 1, 1) * 0.2, torch.rand(1, 1, 1) + 0.5]
