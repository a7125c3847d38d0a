# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems in the benchmark's form that are not of the benchmark, at sizes for device host: `python -m tests.more_problems FOLDER` writes
them; check_benchmark.py and `kgen bench` take the folder.
"""
import pathlib
import sys

from tests.support import model_source

#: name: (forward, inputs, what __init__ makes, forward's parameters)
PROBLEMS = {}


def problem(name, forward, inputs, init="", parameters="x"):
    PROBLEMS[name] = model_source(forward, inputs, init, parameters)


# Losses
problem("loss_mse", "return torch.mean((x - y) ** 2)", "[torch.rand(32, 64), torch.rand(32, 64)]", parameters="x, y")
problem("loss_huber", "return F.smooth_l1_loss(x, y) + F.huber_loss(x, y, delta=0.5)", "[torch.randn(32, 64), torch.randn(32, 64)]", parameters="x, y")
problem("loss_cross_entropy", "return F.cross_entropy(x, y, label_smoothing=0.1)", "[torch.randn(32, 10), torch.randint(0, 10, (32,))]", parameters="x, y")
problem("loss_cross_entropy_ignored", "return F.cross_entropy(x, y, weight=self.weight, ignore_index=3)",
        "[torch.randn(4, 10, 6), torch.randint(0, 10, (4, 6))]", "self.register_buffer('weight', torch.rand(10))", "x, y")
problem("loss_nll", "return F.nll_loss(F.log_softmax(x, 1), y, reduction='sum')", "[torch.randn(32, 10), torch.randint(0, 10, (32,))]", parameters="x, y")
problem("loss_kl", "return F.kl_div(torch.log(x), y, reduction='batchmean')",
        "[torch.rand(32, 64).softmax(-1), torch.rand(32, 64).softmax(-1)]", parameters="x, y")
problem("loss_hinge", "return torch.mean(torch.clamp(1 - x * y, min=0))", "[torch.rand(32, 1), torch.randint(0, 2, (32, 1)).float() * 2 - 1]", parameters="x, y")
problem("loss_triplet", "return self.loss(a, p, n)", "[torch.rand(16, 32), torch.rand(16, 32), torch.rand(16, 32)]",
        "self.loss = nn.TripletMarginLoss(margin=1.0)", "a, p, n")
problem("loss_cosine", "return torch.mean(1 - F.cosine_similarity(x, y, dim=1))", "[torch.randn(32, 64), torch.randn(32, 64)]", parameters="x, y")
problem("loss_cosine_embedding", "return F.cosine_embedding_loss(x, y, t, margin=0.2)",
        "[torch.randn(32, 64), torch.randn(32, 64), torch.randint(0, 2, (32,)).float() * 2 - 1]", parameters="x, y, t")
problem("loss_bce", "return F.binary_cross_entropy_with_logits(x, y, pos_weight=self.w)", "[torch.randn(32, 8), torch.rand(32, 8)]",
        "self.register_buffer('w', torch.rand(8) + 1)", "x, y")
problem("loss_focal", """
    p = torch.sigmoid(x)
    ce = F.binary_cross_entropy_with_logits(x, y, reduction='none')
    pt = p * y + (1 - p) * (1 - y)
    return (ce * (1 - pt) ** 2).mean()
    """, "[torch.randn(32, 8), torch.randint(0, 2, (32, 8)).float()]", parameters="x, y")
problem("loss_info_nce", """
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    return F.cross_entropy(x @ y.t() / 0.07, torch.arange(x.shape[0], device=x.device))
    """, "[torch.randn(16, 32), torch.randn(16, 32)]", parameters="x, y")
# Running sums
problem("cumsum_reverse", "return torch.cumsum(x.flip(1), dim=1).flip(1)", "[torch.randn(16, 128)]")
problem("cumsum_masked", "return torch.cumsum(x * mask, dim=1)", "[torch.randn(16, 128), torch.randint(0, 2, (16, 128)).bool()]", parameters="x, mask")
problem("cumsum_exclusive", "return torch.cumsum(torch.cat((torch.zeros_like(x.select(1, 0).unsqueeze(1)), x), dim=1)[:, :-1], dim=1)", "[torch.randn(16, 64)]")
problem("cumprod", "return torch.cumprod(x, dim=1)", "[torch.rand(16, 64) + 0.5]")
# Norms and reductions
problem("norm_frobenius", "return x / torch.norm(x, p='fro')", "[torch.rand(4, 8, 16, 16)]")
problem("norm_l1", "return x / torch.mean(torch.abs(x), dim=1, keepdim=True)", "[torch.rand(16, 256)]")
problem("norm_l2", "return x / torch.norm(x, p=2, dim=1, keepdim=True)", "[torch.rand(16, 256)]")
problem("norm_rms", "return x / torch.sqrt(torch.mean(x ** 2, dim=1, keepdim=True) + 1e-5)", "[torch.rand(4, 16, 8, 8)]")
problem("norm_weight", "return self.net(x)", "[torch.randn(8, 16)]", "self.net = nn.utils.parametrizations.weight_norm(nn.Linear(16, 24))")
problem("norm_spectral", "return self.net(x)", "[torch.randn(8, 16)]", "self.net = nn.utils.parametrizations.spectral_norm(nn.Linear(16, 24))")
problem("reduce_argmin_var", "return torch.argmin(x, dim=1), torch.std(x, dim=-1), torch.median(x, dim=2).values", "[torch.randn(4, 16, 33)]")
problem("reduce_masked_softmax", "return torch.softmax(x.masked_fill(~mask, float('-inf')), -1).nan_to_num()",
        "[torch.randn(4, 16, 16), torch.randint(0, 2, (4, 16, 16)).bool()]", parameters="x, mask")
# Products
problem("matmul_triangular", "return torch.tril(torch.matmul(torch.tril(a), torch.tril(b)))", "[torch.rand(48, 48), torch.rand(48, 48)]", parameters="a, b")
problem("matmul_diagonal", "return torch.diag(a) @ b", "[torch.rand(32), torch.rand(32, 48)]", parameters="a, b")
problem("matmul_einsum", "return torch.einsum('bijl,lk->bijk', a, b)", "[torch.rand(2, 4, 8, 16), torch.rand(16, 12)]", parameters="a, b")
problem("matmul_bilinear", "return self.layer(a, b)", "[torch.rand(8, 12), torch.rand(8, 10)]", "self.layer = nn.Bilinear(12, 10, 6)", "a, b")
problem("matmul_low_rank", "return self.base(x) + (x @ self.a) @ self.b * 0.5", "[torch.randn(8, 32)]",
        "self.base = nn.Linear(32, 24)\nself.a = nn.Parameter(torch.randn(32, 4))\nself.b = nn.Parameter(torch.randn(4, 24))")
# Recurrent
problem("rnn_vanilla", """
    outputs = []
    for t in range(x.size(0)):
        hidden = torch.tanh(self.i2h(torch.cat((x[t], hidden), dim=1)))
        outputs.append(self.h2o(hidden))
    return torch.stack(outputs, dim=0)
    """, "[torch.rand(5, 4, 8), torch.rand(4, 16)]", "self.i2h = nn.Linear(24, 16)\nself.h2o = nn.Linear(16, 6)", "x, hidden")
problem("rnn_elman", "return self.rnn(x)[0]", "[torch.randn(4, 6, 8)]", "self.rnn = nn.RNN(8, 16, 2, batch_first=True, nonlinearity='relu')")
problem("lstm", "return self.fc(self.lstm(x, (h, c))[0][:, -1])", "[torch.rand(4, 6, 8), torch.rand(2, 4, 16), torch.rand(2, 4, 16)]",
        "self.lstm = nn.LSTM(8, 16, 2, batch_first=True)\nself.fc = nn.Linear(16, 5)", "x, h, c")
problem("lstm_cn", "return self.lstm(x, (h, c))[1][1]", "[torch.rand(4, 6, 8), torch.rand(2, 4, 16), torch.rand(2, 4, 16)]",
        "self.lstm = nn.LSTM(8, 16, 2, batch_first=True, dropout=0.1)", "x, h, c")
problem("lstm_bidirectional", "return self.lstm(x)[0]", "[torch.rand(6, 4, 8)]", "self.lstm = nn.LSTM(8, 12, 2, bidirectional=True)")
problem("lstm_projected", "return self.lstm(x)[0]", "[torch.rand(6, 4, 8)]", "self.lstm = nn.LSTM(8, 12, proj_size=5)")
problem("gru_bidirectional_hidden", "return self.gru(x, h)[1]", "[torch.randn(6, 4, 8), torch.randn(4, 4, 12)]", "self.gru = nn.GRU(8, 12, 2, bidirectional=True)",
        "x, h")
problem("conv_lstm_cell", """
    i, f, o, g = self.gates(torch.cat((x, h), 1)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
    """, "[torch.randn(2, 3, 8, 8), torch.randn(2, 4, 8, 8), torch.randn(2, 4, 8, 8)]", "self.gates = nn.Conv2d(7, 16, 3, padding=1)", "x, h, c")
# State spaces
_MAMBA2_INIT = """
    self.A = nn.Parameter(-torch.rand(2, 16, 4))
    self.B = nn.Parameter(torch.randn(2, 16, 4, 8))
    self.C = nn.Parameter(torch.randn(2, 16, 4, 8))
    """
_SEGSUM = """
    def segsum(a):
        total = torch.cumsum(a, dim=-1)
        t = a.size(-1)
        return (total[..., :, None] - total[..., None, :]).masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool, device=a.device)), -torch.inf)
    def blocks(v):
        return v.reshape(v.shape[0], v.shape[1] // 4, 4, *v.shape[2:])
    X, A, B, C = blocks(x), blocks(self.A).permute(0, 3, 1, 2), blocks(self.B), blocks(self.C)
    sums = torch.cumsum(A, dim=-1)
    states = torch.einsum('bclhn,bhcl,bclhp->bchpn', B, torch.exp(sums[..., -1:] - sums), X)
    states = torch.cat([torch.zeros_like(states[:, :1]), states], dim=1)
    decay = torch.exp(segsum(F.pad(sums[..., -1], (1, 0))))
    states = torch.einsum('bhzc,bchpn->bzhpn', decay, states)
    """
problem("mamba2_y", _SEGSUM + """
    diagonal = torch.einsum('bclhn,bcshn,bhcls,bcshp->bclhp', C, B, torch.exp(segsum(A)), X)
    other = torch.einsum('bclhn,bchpn,bhcl->bclhp', C, states[:, :-1], torch.exp(sums))
    return (diagonal + other).reshape(x.shape)
    """, "[torch.randn(2, 16, 4, 6)]", _MAMBA2_INIT)
problem("mamba2_final_state", _SEGSUM + "return states[:, -1]\n", "[torch.randn(2, 16, 4, 6)]", _MAMBA2_INIT)
# Attention
problem("attention_causal_gelu", """
    b, t, c = x.size()
    q, k, v = self.qkv(x).split(c, dim=2)
    q, k, v = (y.view(b, t, 4, c // 4).transpose(1, 2) for y in (q, k, v))
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    att = F.softmax(att.masked_fill(self.bias[:, :, :t, :t] == 0, float('-inf')), dim=-1)
    y = self.proj((att @ v).transpose(1, 2).contiguous().view(b, t, c))
    return 0.5 * y * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (y + 0.044715 * torch.pow(y, 3.0))))
    """, "[torch.rand(2, 12, 32)]",
        "global math\nimport math\nself.qkv, self.proj = nn.Linear(32, 96), nn.Linear(32, 32)\nself.register_buffer('bias', torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))")
problem("attention_relu", """
    b, t, c = x.size()
    q, k, v = (y.view(b, t, 4, c // 4).transpose(1, 2) for y in self.qkv(x).split(c, dim=2))
    att = (q @ k.transpose(-2, -1)) * (c // 4) ** -0.5
    return (F.relu(att.masked_fill(self.bias == 0, float('-inf'))) @ v).transpose(1, 2).reshape(b, t, c)
    """, "[torch.rand(2, 12, 32)]", "self.qkv = nn.Linear(32, 96)\nself.register_buffer('bias', torch.tril(torch.ones(12, 12)).view(1, 1, 12, 12))")
problem("attention_multihead", "return self.norm(self.attn(x, x, x, need_weights=False)[0] + x)", "[torch.randn(9, 2, 32)]",
        "self.attn, self.norm = nn.MultiheadAttention(32, 4), nn.LayerNorm(32)")
problem("attention_encoder_layer", "return self.layer(x)", "[torch.randn(9, 2, 32)]", "self.layer = nn.TransformerEncoderLayer(32, 4, 48, activation='gelu', norm_first=True)")
problem("attention_decoder_layer", "return self.layer(x, memory, tgt_mask=self.mask)", "[torch.randn(7, 2, 32), torch.randn(9, 2, 32)]",
        "self.layer = nn.TransformerDecoderLayer(32, 4, 48)\nself.register_buffer('mask', nn.Transformer.generate_square_subsequent_mask(7))", "x, memory")
problem("attention_rotary_gqa", """
    b, t, _ = x.shape
    q, k, v = self.q(x).view(b, t, 4, 8).transpose(1, 2), self.k(x).view(b, t, 2, 8).transpose(1, 2), self.v(x).view(b, t, 2, 8).transpose(1, 2)
    angle = torch.outer(torch.arange(t, device=x.device).to(x.dtype), 10000.0 ** (-torch.arange(0, 8, 2, device=x.device).to(x.dtype) / 8))
    cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
    def turn(y):
        first, second = y.chunk(2, -1)
        return y * cos + torch.cat((-second, first), -1) * sin
    return self.o(F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True, enable_gqa=True).transpose(1, 2).reshape(b, t, -1))
    """, "[torch.randn(2, 10, 32)]", "self.q, self.k, self.v, self.o = nn.Linear(32, 32), nn.Linear(32, 16), nn.Linear(32, 16), nn.Linear(32, 32)")
problem("attention_cache_step", """
    k = torch.cat((past_k, self.k(x).view(2, 1, 4, 8).transpose(1, 2)), 2)
    v = torch.cat((past_v, self.v(x).view(2, 1, 4, 8).transpose(1, 2)), 2)
    q = self.q(x).view(2, 1, 4, 8).transpose(1, 2)
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 1, 32), k, v
    """, "[torch.randn(2, 1, 32), torch.randn(2, 4, 11, 8), torch.randn(2, 4, 11, 8)]",
        "self.q, self.k, self.v = nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(32, 32)", "x, past_k, past_v")
problem("attention_linear", """
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return torch.einsum('bhld,bhde,bhl->bhle', q, torch.einsum('bhld,bhle->bhde', k, v), 1 / (torch.einsum('bhld,bhd->bhl', q, k.sum(2)) + 1e-6))
    """, "[torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 8)]", parameters="q, k, v")
problem("moe_top2", """
    weights, chosen = torch.topk(self.gate(x).softmax(-1), 2, dim=-1)
    every = torch.stack([expert(x) for expert in self.experts], 1)
    return (every.gather(1, chosen.unsqueeze(-1).expand(-1, -1, 16)) * (weights / weights.sum(-1, keepdim=True)).unsqueeze(-1)).sum(1)
    """, "[torch.randn(12, 16)]", "self.gate = nn.Linear(16, 4)\nself.experts = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))")
problem("ffn_swiglu", "y = self.norm(x)\nreturn x + self.down(F.silu(self.gate(y)) * self.up(y))", "[torch.randn(2, 9, 32)]",
        "self.norm, self.gate, self.up, self.down = nn.RMSNorm(32, eps=1e-6), nn.Linear(32, 48, bias=False), nn.Linear(32, 48, bias=False), nn.Linear(48, 32, bias=False)")
# Networks of images
problem("vit", """
    b = x.shape[0]
    p = x.unfold(2, 8, 8).unfold(3, 8, 8).contiguous().view(b, -1, 192)
    y = torch.cat((self.token.expand(b, -1, -1), self.embed(p)), dim=1) + self.position
    return self.head(self.encoder(y)[:, 0])
    """, "[torch.randn(2, 3, 32, 32)]", """
    self.embed, self.token, self.position = nn.Linear(192, 32), nn.Parameter(torch.randn(1, 1, 32)), nn.Parameter(torch.randn(1, 17, 32))
    self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 48, batch_first=True), 2)
    self.head = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 10))
    """)
problem("swin_block", """
    b, h, w, c = x.shape
    y = torch.roll(self.norm(x), (-2, -2), (1, 2)).view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
    q, k, v = self.qkv(y).reshape(-1, 16, 3, 2, c // 2).permute(2, 0, 3, 1, 4).unbind(0)
    y = (torch.softmax(q @ k.transpose(-2, -1) + self.table[self.index.view(-1)].view(16, 16, 2).permute(2, 0, 1), -1) @ v).transpose(1, 2).reshape(-1, 16, c)
    y = y.view(b, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
    return x + torch.roll(y, (2, 2), (1, 2))
    """, "[torch.randn(2, 8, 8, 16)]", """
    self.norm, self.qkv, self.table = nn.LayerNorm(16), nn.Linear(16, 48), nn.Parameter(torch.randn(49, 2))
    at = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing='ij')).flatten(1)
    at = (at[:, :, None] - at[:, None, :]) + 3
    self.register_buffer('index', at[0] * 7 + at[1])
    """)
problem("densenet_block", """
    features = [x]
    for layer in self.layers:
        x = layer(torch.cat(features, 1))
        features.append(x)
    return self.transition(torch.cat(features, 1))
    """, "[torch.rand(2, 8, 16, 16)]", """
    self.layers = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(8 + 4 * i), nn.ReLU(inplace=True), nn.Conv2d(8 + 4 * i, 4, 3, padding=1, bias=False), nn.Dropout(0.0)) for i in range(3))
    self.transition = nn.Sequential(nn.BatchNorm2d(20), nn.ReLU(inplace=True), nn.Conv2d(20, 10, 1), nn.AvgPool2d(2, 2))
    """)
problem("squeeze_excite", "y = self.fc2(F.relu(self.fc1(x.mean((2, 3)))))\nreturn x * torch.sigmoid(y)[:, :, None, None]", "[torch.randn(2, 16, 8, 8)]",
        "self.fc1, self.fc2 = nn.Linear(16, 4), nn.Linear(4, 16)")
problem("mb_conv", "y = self.depth(self.expand(x))\nreturn self.project(y * self.se(y)) + x", "[torch.rand(2, 8, 12, 12)]", """
    self.expand = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), nn.SiLU())
    self.depth = nn.Sequential(nn.Conv2d(24, 24, 5, padding=2, groups=24, bias=False), nn.BatchNorm2d(24), nn.SiLU())
    self.se = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 4, 1), nn.SiLU(), nn.Conv2d(4, 24, 1), nn.Sigmoid())
    self.project = nn.Sequential(nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))
    """)
problem("shuffle_unit", """
    y = F.relu(self.bn1(self.conv1(x)))
    b, c, h, w = y.shape
    y = y.view(b, 3, c // 3, h, w).transpose(1, 2).contiguous().view(b, c, h, w)
    return F.relu(self.bn3(self.conv3(self.bn2(self.conv2(y)))) + x)
    """, "[torch.rand(2, 12, 8, 8)]", """
    self.conv1, self.bn1 = nn.Conv2d(12, 6, 1, groups=3, bias=False), nn.BatchNorm2d(6)
    self.conv2, self.bn2 = nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False), nn.BatchNorm2d(6)
    self.conv3, self.bn3 = nn.Conv2d(6, 12, 1, groups=3, bias=False), nn.BatchNorm2d(12)
    """)
problem("inception", "return torch.cat([branch(x) for branch in self.branches], 1)", "[torch.rand(2, 8, 12, 12)]", """
    self.branches = nn.ModuleList([nn.Conv2d(8, 4, 1), nn.Sequential(nn.Conv2d(8, 4, 1), nn.Conv2d(4, 6, 3, padding=1)),
                                   nn.Sequential(nn.Conv2d(8, 2, 1), nn.Conv2d(2, 4, 5, padding=2)), nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(8, 4, 1))])
    """)
problem("unet_softmax", """
    a = self.down1(x)
    b = self.down2(F.max_pool2d(a, 2))
    c = self.up(b)
    return self.last(self.join(torch.cat((c, a), 1)))
    """, "[torch.rand(2, 3, 16, 16)]", """
    def double(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.Softmax(dim=-1), nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.Softmax(dim=-1))
    self.down1, self.down2, self.up, self.join, self.last = double(3, 8), double(8, 16), nn.ConvTranspose2d(16, 8, 2, stride=2), double(16, 8), nn.Conv2d(8, 4, 1)
    """)
problem("netvlad", """
    b, n, d = x.shape
    a = F.softmax(self.norm(x.reshape(-1, d) @ self.clusters), dim=1)[:, :6].view(b, n, 6)
    vlad = torch.matmul(a.transpose(1, 2), x).transpose(1, 2) - a.sum(dim=1, keepdim=True) * self.clusters2
    return F.normalize(F.normalize(vlad).reshape(b, -1))
    """, "[torch.rand(4, 10, 16)]", """
    self.clusters, self.norm = nn.Parameter(torch.randn(16, 8) / 4), nn.BatchNorm1d(8)
    self.clusters2 = nn.Parameter(torch.randn(1, 16, 6) / 4)
    """)
problem("upsampling", "return F.pixel_shuffle(self.conv(F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=False)), 2) + F.interpolate(x[:, :1], size=(32, 32), mode='nearest')",
        "[torch.rand(2, 4, 8, 8)]", "self.conv = nn.Conv2d(4, 4, 3, padding=1, padding_mode='reflect')")
problem("grid_sample", "return F.grid_sample(x, F.affine_grid(self.theta.expand(2, 2, 3), (2, 4, 8, 8), align_corners=False), align_corners=False)",
        "[torch.rand(2, 4, 8, 8)]", "self.theta = nn.Parameter(torch.tensor([[[0.9, 0.1, 0.0], [-0.1, 0.9, 0.1]]]))")
problem("conv_transposed_3d", "return F.avg_pool3d(torch.clamp(F.softmax(self.norm(self.conv(x)), 1), 0.01, 0.5), 2) * self.scale", "[torch.rand(2, 4, 4, 6, 6)]",
        "self.conv, self.norm = nn.ConvTranspose3d(4, 6, 3, stride=2, padding=1, output_padding=1), nn.BatchNorm3d(6)\nself.scale = nn.Parameter(torch.rand(6, 1, 1, 1))")
problem("conv_dilated_1d", "return F.mish(self.conv(x)).logsumexp(-1)", "[torch.rand(2, 4, 40)]", "self.conv = nn.Conv1d(4, 8, 3, stride=2, dilation=3, padding='valid')")
problem("conv_fold", "return F.fold(self.mix(F.unfold(x, 3, padding=1).transpose(1, 2)).transpose(1, 2), (8, 8), 3, padding=1)", "[torch.rand(2, 3, 8, 8)]",
        "self.mix = nn.Linear(27, 27)")
problem("conv_deep_supervision", "return [head(F.adaptive_max_pool2d(stage(x), 1).flatten(1)) for stage, head in zip(self.stages, self.heads)]", "[torch.rand(2, 3, 16, 16)]",
        "self.stages, self.heads = nn.ModuleList(nn.Conv2d(3, 4 + i, 3, stride=1 + i) for i in range(3)), nn.ModuleList(nn.Linear(4 + i, 5) for i in range(3))")
# Graphs, tables, sequences
problem("graph_convolution", "return torch.relu(torch.zeros_like(y := self.mix(x)).index_add(0, edges[1], y[edges[0]]))", "[torch.randn(12, 8), torch.randint(0, 12, (2, 30))]",
        "self.mix = nn.Linear(8, 6)", "x, edges")
problem("embedding_mean", "e = self.table(x)\nm = (x != 0).unsqueeze(-1)\nreturn self.head((e * m).sum(1) / m.sum(1).clamp(min=1))", "[torch.randint(0, 20, (4, 9))]",
        "self.table, self.head = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 3)")
problem("deep_fm", """
    e = self.table(x)
    pairs = 0.5 * (e.sum(1) ** 2 - (e ** 2).sum(1)).sum(1, keepdim=True)
    return torch.sigmoid(pairs + self.deep(e.flatten(1)))
    """, "[torch.randint(0, 50, (8, 5))]", "self.table, self.deep = nn.Embedding(50, 8), nn.Sequential(nn.Linear(40, 16), nn.PReLU(), nn.Linear(16, 1))")
problem("quantised", "s = x.abs().amax(-1, keepdim=True) / 127\nq = torch.round(x / s).clamp(-128, 127)\nreturn (q @ self.w.t()) * s", "[torch.randn(8, 32)]",
        "self.w = nn.Parameter(torch.round(torch.randn(16, 32) * 10))")
problem("sinkhorn", "for _ in range(4):\n    x = x - torch.logsumexp(x, -1, keepdim=True)\n    x = x - torch.logsumexp(x, -2, keepdim=True)\nreturn x.exp()", "[torch.randn(2, 12, 12)]")
problem("sort_nms_scores", "v, i = torch.sort(x, dim=-1, descending=True)\nreturn v[:, :5], i[:, :5], torch.gather(x, 1, i.flip(1))", "[torch.randn(4, 33)]")


def write(folder):
    """One file for each problem in FOLDER."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in PROBLEMS.items():
        (folder / f"{name}.py").write_text(source)
    return folder


if __name__ == "__main__":
    write(sys.argv[1])
    print(f"{len(PROBLEMS)} problems")
