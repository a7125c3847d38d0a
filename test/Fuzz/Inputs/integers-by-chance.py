# expect: pass
# Half of the sums are integers though they hold fifths: bits may not be asked for then.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        z = F.leaky_relu(x, 0.2)
        return torch.square(torch.dot(z, y)), (z * y).sum()


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([5]), torch.randn([5])]
