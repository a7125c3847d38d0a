# expect: pass
# ideas: host:pool-coarsen
# With AVX-512VL GCC 12 loads eight numbers where the last two of a row are asked for, behind the buffer's end.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.max_pool2d(torch.exp(x), 5, 5, 2, (1, 2), True)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([6, 10, 16, 16])]
