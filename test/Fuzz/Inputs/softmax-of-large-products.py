# expect: pass
# ideas: host:families cuda:families host:row-caching
# A product that is computed again beside its own maximum is the same number there: no multiplication melts into the subtraction.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, z):
        return torch.log_softmax(x * 3e9, 1), torch.softmax(y * y[:1], 0), torch.logsumexp(z * 7.7e9, [0, 2])


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(9, 33), torch.rand(65, 7) * 3e5 + 1e5, torch.randn(4, 5, 6)]
