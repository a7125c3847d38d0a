# expect: pass
# Scores over no depth are 0: each answer is the values' mean, or what the mask makes of it.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, attn_mask=m)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(1, 2, 0), torch.randn(1, 3, 0), torch.randn(1, 3, 4), torch.randn(2, 3)]
