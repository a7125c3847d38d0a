# expect: pass
# Squares of such answers are no numbers of fp64, and of the small ones no more than zeros: norms are scaled.
import torch
import torch.nn as nn

f64 = torch.float64


class Model(nn.Module):
    def forward(self, x0, x1):
        return torch.sum(x0 * 1e200, 1), torch.softmax(x0, 0) * 1e-200, torch.matmul(x0 * 1e160, x1)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn([33, 300], dtype=f64), torch.randn([300, 5], dtype=f64)]
