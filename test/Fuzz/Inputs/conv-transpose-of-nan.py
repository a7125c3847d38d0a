# expect: pass
# ideas: host:families cuda:pixel-tile:1 cuda:fragment-padding:2
# g129 of fz3: logarithms of negative numbers, and a few infinities, are factors of the outputs that a tap leads to, not of their neighbours.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn([8, 12, 3]) * 0.2)
        self.v = nn.Parameter(torch.randn([12, 5, 3, 4]) * 0.1)

    def forward(self, x, y, places):
        x = F.conv_transpose1d(torch.log(x + 1.5), self.w, stride=2, padding=1)
        y = F.conv_transpose2d(y.masked_fill(places == 0, float("-inf")), self.v, stride=[3, 2], output_padding=[1, 0])
        return x, y


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([3, 8, 33]), torch.randn([2, 12, 5, 7]), torch.randint(0, 40, [2, 12, 5, 7])]
