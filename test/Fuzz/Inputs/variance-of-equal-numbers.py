# expect: pass
# Each is a mean away from itself, as rounding has it: the square of that is all there is, of two elements and of many.
import torch
import torch.nn as nn
import torch.nn.functional as F

f32 = torch.float32


class Model(nn.Module):
    def forward(self, x0, x1):
        v2 = torch.asin(torch.tanh(torch.sign(x0)) * 0.9)
        v3 = torch.asin(torch.tanh(torch.sign(x1)) * 0.9)
        return torch.var(v2, dim=0, correction=1), torch.var(v3, dim=0, correction=1), torch.std(v3, dim=0, correction=0)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.rand([12, 2], dtype=f32) + 0.5, torch.rand([12, 130], dtype=f32) + 0.5]
