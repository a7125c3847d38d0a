# expect: pass
# ideas: host:norm-statistics
# What pools or reduces a norm computes it of what the norm read: NaN and infinities reach as much of it as before.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(3, 6)
        self.single = nn.GroupNorm(2, 4, affine=False)
        self.instance = nn.InstanceNorm1d(5, affine=True)

    def forward(self, x, y, z):
        pooled = torch.nn.functional.max_pool2d(torch.relu(self.norm(x)), 2)
        return pooled, self.single(y).amax(dim=2), self.instance(z).sum(dim=[0, 2]), self.norm(x * 2).mean(dim=[1, 2, 3])


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(2, 6, 7, 9), torch.randn(3, 4, 11), torch.randn(2, 5, 13)]
