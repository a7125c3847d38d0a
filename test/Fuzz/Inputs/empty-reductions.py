# expect: pass
# What PyTorch has for reductions of nothing: 0, NaN, 1, -inf.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.sum(1), x.mean(1), x.prod(1), torch.logsumexp(x, 1), x.sum(), torch.softmax(x, 1), x + 1


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([3, 0, 4])]
