# expect: pass
# The largest of zeros of both signs is either zero: its sign decides an angle, so that such elements are not compared.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.atan2(x, torch.topk(-torch.ceil(y), 12, dim=1)[0])


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([8, 12, 3, 4]), torch.randn([8, 12, 3, 4])]
