# expect: pass
# ideas: host:slab:4 host:families
# Tiles of 72 bytes, behind which loads of 16 bytes went to odd places.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn([3, 1, 1], dtype=torch.bfloat16))
        self.f = nn.Parameter(torch.randn([3, 2, 2, 3, 1], dtype=torch.bfloat16) * 0.289)

    def forward(self, x, y):
        return torch.einsum('bmk,bkn->bmn', self.w, x), F.conv3d(y, self.f, padding='same', dilation=[2, 1, 2])


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([3, 1, 128], dtype=torch.bfloat16), torch.randn([3, 2, 1, 16, 1], dtype=torch.bfloat16)]
