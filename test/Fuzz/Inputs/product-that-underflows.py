# expect: pass
# A product far below what fp32 holds, whose parts overflow in some orders.
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
        self.w0 = nn.Parameter(torch.randn([1, 2, 127, 1], dtype=f32))
        self.w14 = nn.Parameter(torch.randn([2], dtype=f32))
        self.w15 = nn.Parameter(torch.rand([2], dtype=f32) * 1.0 + 0.5)
        self.w16 = nn.Parameter(torch.randn([2], dtype=f32) * 0.5 + 1)
        self.w17 = nn.Parameter(torch.randn([2], dtype=f32))

    def forward(self, x5, x9):
        w0, w14, w15, w16, w17 = self.w0, self.w14, self.w15, self.w16, self.w17
        v1 = aten.atan(w0)
        v2 = torch.remainder(w0, 0.5)
        v3 = torch.min(v2, v2)
        v4 = torch.std(v3, dim=3, correction=0, keepdim=True) + 1
        v6 = aten.silu(x5)
        v7 = F.max_pool1d(v6, [4], stride=[1], padding=[2], ceil_mode=False, dilation=[2])
        v8 = F.adaptive_avg_pool1d(v7, [3])
        v10 = torch.where(x9, v4, 7)
        v11 = F.max_pool2d(v10, [3, 1], stride=[3, 2], padding=[1, 0], ceil_mode=False, dilation=[2, 2])
        v12 = torch.prod(v8)
        v18 = F.batch_norm(w0, w14, w15, weight=w16, bias=w17, training=False, eps=1e-05)
        v19 = torch.cumsum(w16, dim=0)
        v20 = torch.ceil(w14)
        v21 = F.max_pool2d(v18, [1, 2], stride=[1, 2], padding=[0, 1], ceil_mode=False, dilation=[2, 2])
        return v21, v6, v20, v19, v12, v11, v1

def get_init_inputs():
    return []

def get_inputs():
    return [torch.randn([127, 3, 3], dtype=f32), torch.randint(0, 2, [1, 2, 127, 1]).bool()]
