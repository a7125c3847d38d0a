# expect: pass
# The buffer gets one position's new value in its own memory; a view of it is a result as well, and a copy.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("s0", torch.randn([200], dtype=torch.float16))

    def forward(self, i, x):
        changed = torch.ops.aten.index_put_(self.s0, [i], x)
        return changed.view(10, 20), changed.transpose(0, 0), changed.sum(0)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randint(0, 200, [1, 1]), torch.randn([], dtype=torch.float16)]
