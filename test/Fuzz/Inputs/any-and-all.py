# expect: pass
# Lanes whose own part decides take part in the shuffles all the same.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.all(x, dim=2, keepdim=True), torch.any(x, dim=[0, 2]), torch.any(y), torch.all(y)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randint(0, 2, [1, 8, 65, 1]).bool(), torch.randint(0, 2, [700]).bool()]
