# expect: pass
# ideas: host:families cuda:families host:thread-per-row
# Beside numbers of 6e7, which are 4 apart in fp32, the logarithm of a row's sum must not be added to its maximum first.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.log_softmax(x * 0 + 6e7, 1), torch.log_softmax(y * 0 - 6e7, 1)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(9, 12), torch.randn(3, 12, 33)]
