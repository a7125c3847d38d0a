# expect: pass
# The oracle spread what is padded in front without the stride (LLVM's FoldInsertPadIntoFill).
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, weight):
        return F.conv_transpose2d(F.pad(x, [2, 0]), weight, stride=[3, 2], padding=[2, 0], output_padding=[2, 0], groups=3)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([1, 3, 1, 1]), torch.randn([3, 1, 3, 1])]
