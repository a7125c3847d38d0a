# expect: pass
# One by the root of a maximum of zeros of both signs is infinite, with either sign.
import torch
import torch.nn as nn
import torch.nn.functional as F

aten = torch.ops.aten
f64 = torch.float64
f32 = torch.float32
f16 = torch.float16
bf16 = torch.bfloat16
i64 = torch.int64
i32 = torch.int32
i1 = torch.bool

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w3 = nn.Parameter(torch.randn([1, 12], dtype=bf16))
        self.w4 = nn.Parameter(torch.randn([1, 12], dtype=bf16) * 0.289 + 0)
        self.w5 = nn.Parameter(torch.randn([1], dtype=bf16))

    def forward(self, x0):
        w3, w4, w5 = self.w3, self.w4, self.w5
        v1 = F.max_pool2d(x0, [2, 4], stride=[2, 4], padding=[0, 2], ceil_mode=True, dilation=[2, 2])
        v2 = torch.rsqrt(v1)
        v6 = F.linear(w3, w4, w5)
        return v1, v6, v2

def get_init_inputs():
    return []

def get_inputs():
    return [torch.randn([7, 2, 63, 2], dtype=bf16)]
