# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is imported means what PyTorch computes: a table of calls, over shapes, element types and attributes, against the oracle.

The dialect's own ops are held against PyTorch one by one in test/Conversion/AtenToLinalg; here it is the importer's part that is
tested: promotion, casts, rewrites, and PyTorch's decompositions.
"""
import unittest

import torch

from tests.oracle_check import TOLERANCE, compare_module

GENERATOR = torch.Generator().manual_seed(5)


def _floats(*shape):
    return torch.randn(shape, generator=GENERATOR)


def _integers(low, high, *shape, dtype=torch.int64):
    return torch.randint(low, high, shape, generator=GENERATOR).to(dtype)


INPUTS = {
    "x": _floats(2, 4, 5, 6), "y": _floats(2, 1, 5, 1), "row": _floats(6), "p": _floats(3, 4).abs() + 0.1, "m": _floats(3, 4),
    "n": _floats(4, 5), "v": _floats(4), "i": _integers(-3, 4, 3, 4), "j": _integers(1, 5, 4), "k": _integers(0, 3, 3, 4, dtype=torch.int32),
    "b": _integers(0, 2, 3, 4, dtype=torch.bool), "c": _integers(0, 2, 4, dtype=torch.bool), "at": _integers(0, 4, 2, 3),
    "rows": _integers(0, 3, 5), "sub": _integers(0, 4, 3, 2), "seq": _floats(2, 6, 8), "img": _floats(2, 4, 8, 6), "w": _floats(6, 4, 3, 2),
    "q": _floats(2, 4, 5, 8), "kv": _floats(2, 2, 7, 8), "hide": _integers(0, 2, 5, 7, dtype=torch.bool), "s": _floats(4),
}

# By what is tested; every expression is one result.
CALLS = {
    "promotion": """x+1|x*i[0,0]|i+m|i*2|i+0.5|i/j|i/2|i+k|k*m|b*m|b*b|b+b|b+1|m-i|1-i|i.float()*2|i**2|2**m|m**i.abs()|torch.sin(i)|
        torch.sqrt(j)|torch.exp(k)|i.abs()|-i|i.clamp(-1,2)|i.clamp(0.5)|m.clamp(v-1,v+1)|torch.maximum(i,k)|torch.maximum(b,c)|torch.minimum(b,c)|
        torch.where(b,m,i)|torch.where(b,1.0,m)|torch.where(b,m,0)|torch.where(b,1,0)|i.sum()|b.sum(1)|k.sum(dtype=torch.int32)|i.sum(dtype=torch.float32)|b.cumsum(1)|
        i.prod(1)|i.float().mean()|m.softmax(-1,dtype=torch.float32)|i.softmax(-1,dtype=torch.float32)|torch.cat([m,i])|torch.stack([m[0],v])|m.mean(1)""",
    "comparisons": """x>0|x>=y|m<i|i<=j|i==1|i==k|b==c|b!=True|m.eq(m)|i>0.5|b&c|b|b^c|~b|i&j|~i|i&3|torch.logical_and(m,b)|torch.logical_or(i,k)|torch.logical_not(m)|
        torch.logical_xor(b,c)|m.isnan()|m.isinf()|m.isfinite()|b.any()|b.all(1)|i.any(1,keepdim=True)|m.bool()|torch.isin(i,j)|torch.isclose(m,m+1e-9)""",
    "numbers": """i//2|i//j|m//0.3|m//v|-i//j|i%3|i%j|m%0.7|-m%v|torch.fmod(m,v)|torch.fmod(i,3)|torch.div(m,v,rounding_mode="trunc")|torch.div(i,j,rounding_mode="floor")|
        torch.atan2(m,v)|m.floor()|m.ceil()|m.round()|m.trunc()|m.frac()|m.sign()|m.sgn()|i.sign()|m.sin()|m.cos()|m.tan()|m.sinh()|m.cosh()|m.atan()|m.asinh()|
        torch.asin(m.tanh())|torch.acos(m.tanh())|torch.atanh(m.tanh())|torch.acosh(p+1)|p.log2()|p.log10()|p.log1p()|m.expm1()|m.exp2()|torch.erfc(m)|m.sigmoid().logit()|
        torch.erfinv(m.tanh())|torch.copysign(m,v)|torch.hypot(m,v)|torch.logaddexp(m,v)|torch.lerp(m,p,0.3)|torch.addcmul(m,p,p)|torch.addcdiv(m,p,p)|m.nan_to_num()|
        torch.xlogy(p,p)|torch.sinc(m)|torch.heaviside(m,v)|torch.rsub(m,v)|torch.rsub(m,2)|torch.float_power(p,2)|torch.deg2rad(m)""",
    "activations": """F.elu(m)|F.celu(m)|F.glu(m,-1)|F.hardshrink(m)|F.softshrink(m)|F.logsigmoid(m)|F.threshold(m,0.1,3.0)|F.prelu(x,s)|F.relu6(m)|F.rrelu(m)|F.softmin(m,0)|
        F.tanhshrink(m)|F.softsign(m)|F.gelu(m,approximate="tanh")|F.silu(m)|F.mish(m)|F.log_softmax(m,0)|F.normalize(m)|F.rms_norm(x,[6],row)|F.rms_norm(x,[5,6])|
        F.layer_norm(x,[6],row)|F.group_norm(x,2,s,s)|F.local_response_norm(x,3)|F.batch_norm(x,None,None,training=True)|F.instance_norm(x)|F.cosine_similarity(m,m+v)|F.pairwise_distance(m,p)""",
    "creation": """torch.ones(2,3)|torch.zeros(3,dtype=torch.int32)|torch.full((2,),1.5)|torch.full((2,),float("-inf"))|torch.arange(5)|torch.arange(1,9,3)|torch.arange(0,1,0.25)|torch.arange(4)+i|
        torch.ones_like(i)|torch.zeros_like(m)|torch.full_like(m,2)|m.new_ones(3)|m.new_full((2,),7)|torch.eye(3)|torch.linspace(0,1,5)|torch.tensor([1.0,2.5,-3.0])*2|
        torch.tensor([[1,2],[3,4]])|torch.tensor([True,False])|torch.tensor(3)+i|torch.tensor(0.5)*m|torch.tril(torch.ones(4,4))|torch.ones(4,4,dtype=torch.bool).triu(1)|
        torch.meshgrid(torch.arange(3),torch.arange(2),indexing="ij")[0]|F.one_hot(i.abs(),5)|torch.zeros(2,3).fill_(4)|torch.scalar_tensor(2.0)|torch.arange(100).view(4,25)*1.5""",
    "masks": """m.masked_fill(b,0)|m.masked_fill(b,float("-inf"))|m.masked_fill(b,v[0])|i.masked_fill(c,7)|m.tril()|b.tril()|i.triu(1)|m.masked_scatter(b,x)|
        F.scaled_dot_product_attention(q,kv,kv,enable_gqa=True)|F.scaled_dot_product_attention(q,kv,kv,attn_mask=hide,enable_gqa=True)|F.scaled_dot_product_attention(q,q,q,is_causal=True)|
        F.scaled_dot_product_attention(q,kv[:,:1],kv[:,:1])|F.scaled_dot_product_attention(q,q,q,attn_mask=y)|F.scaled_dot_product_attention(q,q,q,attn_mask=torch.ones(5,5,dtype=torch.bool).tril())|
        F.scaled_dot_product_attention(q[0],q[0],q[0],scale=0.3)|F.scaled_dot_product_attention(q,q,q,attn_mask=q[...,:5])""",
    "indices": """n[at]|F.embedding(at,n)|x[:,at]|x[...,rows]|x[0]|x[:,1:3]|x[...,::2]|x[:,-1]|x[0,at]|x[[0,1],[1,2]]|x[:,[0,2],:,[1,3]]|m[rows%3]|m[i[0]%3,j-1]|m[-1]|m[k[:,0].long()]|
        m.gather(1,sub)|torch.take_along_dim(m,sub,1)|m.index_select(0,rows)|m.index_select(1,j-1)|m.take(sub)|m.scatter(1,sub,9.0)|m.scatter(0,sub%3,m)|m.scatter_add(1,sub,p)|
        m.scatter_reduce(1,sub,p,"amax")|m.scatter_reduce(1,sub,p,"mean",include_self=False)|m.index_add(0,rows%3,_5x4(n))|m.index_copy(0,rows[:1],m[:1])|m.index_fill(1,j[:1]-1,3.0)|
        m.index_put((rows[:2]%3,),v)|m.index_put((rows,),v,accumulate=True)|m.index_put((b,),v[0])|torch.where(b.any(),m,-m)|torch.bucketize(m,v.sort()[0])|
        m.histc(4,-2,2)""",
    "order": """m.sort()[0]|m.sort(0,descending=True)[1]|i.sort(stable=True)[1]|m.argsort(1)|m.topk(2)[0]|m.topk(2,largest=False)[1]|i.float().topk(1,0)[0]|m.max(1)[0]|m.max(1)[1]|m.min(0)[0]|
        m.argmax()|m.argmin(1)|m.amax()|i.amax(1)|i.max()|b.float().max()|m.msort()|m.aminmax()[1]|m.cumsum(0)|m.cumprod(1)|m.diff()|m.logsumexp(0)""",
    "statistics": """m.var()|m.var(1)|m.std(0)|m.var(1,correction=0)|x.var((2,3),keepdim=True)|torch.var_mean(x,1)[0]|torch.var_mean(x,1)[1]|torch.std_mean(m)[0]|m.norm()|m.norm(1,1)|m.norm(dim=1)|
        m.nansum()|m.nanmean()|m.count_nonzero()|m.sum((0,1))|m.mean((0,1))|torch.cdist(m,p)|torch.cdist(m,p,1.0)|torch.trace(m[:,:3])|m.prod()""",
    "shapes": """m.T|m.mT|x.mT|m.H|m.t()|x.permute(0,2,3,1)|x.movedim(1,-1)|x.swapaxes(1,2)|x.flatten(1)|x.unflatten(1,(2,2))|x.reshape(8,-1)|x.squeeze()|y.squeeze()|y.squeeze((1,3))|x.unsqueeze(-1)|
        m.expand(2,3,4)|v.expand_as(m)|m.repeat(2,1)|m.repeat(2,1,2)|m.tile(2)|m.repeat_interleave(2,1)|m.repeat_interleave(2)|m.roll(1)|m.roll((1,-2),(0,1))|m.flip(0)|m.fliplr()|m.rot90()|
        m.unfold(1,2,1)|x.unfold(2,3,2)|F.unfold(img,3,padding=1)|F.fold(F.unfold(img,2,stride=2),(8,6),2,stride=2)|m.diagonal()|m.diagonal(1)|x.diagonal(0,2,3)|v.diag()|torch.diag_embed(v)|
        m.split(2)[1]|m.split([1,3],1)[1]|m.chunk(2,1)[0]|m.unbind(1)[2]|m.tensor_split(2,1)[1]|torch.hstack([m,m])|torch.vstack([m,m])|torch.dstack([m,m])|torch.column_stack([v,m.T])|
        torch.cat([m,m[:,:0]],1)|torch.cat([torch.zeros(0),v])|torch.cat([m])|F.pad(m,(1,2))|F.pad(m,(1,0,-1,1),value=3.0)|F.pad(b,(1,1),value=True)|F.pad(x,(1,2,0,1),mode="reflect")|F.pad(x,(1,1,2,0),mode="replicate")|
        F.pad(x,(1,2,0,1),mode="circular")|m.narrow(1,1,2)|x.select(1,2)|torch.block_diag(m,n)|F.pixel_shuffle(img,2)|F.pixel_unshuffle(img,2)|F.channel_shuffle(img,2)|m.as_strided((2,2),(1,4))|m.t().as_strided((2,2),(2,1),1)|x.permute(0,2,3,1).as_strided((2,3,2),(4,2,1))|m.t().contiguous().as_strided((2,2),(2,1),1)|
        torch.kron(m,n)|torch.atleast_3d(m)|m.view(4,3)|m.ravel()|m.select_scatter(v,0,1)|m.slice_scatter(v.view(1,4),0,1,2)""",
    "products": """m@n|torch.mm(m,n)|m@v|v@n|torch.dot(v,v)|torch.outer(v,v)|torch.addmm(n[0],m,n)|torch.addmm(n[0],m,n,beta=0.5,alpha=2)|torch.addmv(m[:,0],m,v)|torch.baddbmm(q[0],q[0],q[0].mT@q[0])|
        torch.einsum("ij,jk->ik",m,n)|torch.einsum("bhqd,bhkd->bhqk",q,q)|torch.einsum("ij,ij->i",m,m)|torch.einsum("ii->i",n[:,:4])|torch.einsum("i,j->ij",v,v)|torch.tensordot(m,n,1)|torch.inner(m,m)|
        F.linear(m,n.T)|F.linear(m,v)|F.linear(m,n.T,n[0])|torch.matmul(x,x.mT)|torch.linalg.vecdot(m,m)|torch.cross(m[:,:3],p[:,:3],dim=1)""",
    "windows": """F.conv2d(img,w)|F.conv2d(img[0],w)|F.conv2d(img,w,padding="same")|F.conv2d(img,w,stride=2,padding=1,dilation=2)|F.conv1d(seq,w[:,:,:,0].repeat(1,2,1)[:,:6])|F.conv1d(seq[0],w[:,:,:,0].repeat(1,2,1)[:,:6])|
        F.conv_transpose2d(img[0],w.transpose(0,1).contiguous())|F.max_pool2d(img,2)|F.max_pool2d(img[0],2)|F.avg_pool2d(img,2)|F.adaptive_avg_pool2d(img,(3,2))|F.adaptive_max_pool2d(img,(4,3))|
        F.lp_pool2d(img,2,2)|F.max_pool1d(seq,2)|F.interpolate(img,scale_factor=2)|F.interpolate(img,size=(5,7),mode="bilinear")|F.interpolate(img,scale_factor=2,mode="bilinear",align_corners=True)|
        F.interpolate(img,size=(5,7),mode="bicubic")|F.interpolate(seq,scale_factor=2,mode="linear")|F.grid_sample(img,_grid(img))|
        F.affine_grid(x[:,:2,:3,0].contiguous(),[2,1,3,3],align_corners=False)""",
    "losses": """F.mse_loss(m,p)|F.l1_loss(m,v)|F.smooth_l1_loss(m,p,beta=0.5)|F.huber_loss(m,p)|F.cross_entropy(m,rows[:3])|F.cross_entropy(m,rows[:3],ignore_index=1,reduction="none")|F.cross_entropy(m,p.softmax(1))|
        F.nll_loss(m,rows[:3])|F.binary_cross_entropy(m.sigmoid(),b.to(m.dtype))|F.binary_cross_entropy_with_logits(m,b.to(m.dtype))|F.kl_div(m.log_softmax(1),p.softmax(1),reduction="batchmean")|
        F.triplet_margin_loss(m,p,p+1)|F.hinge_embedding_loss(m,b.to(m.dtype)*2-1)|F.cosine_embedding_loss(m,p,b[:,0].to(m.dtype)*2-1)|F.margin_ranking_loss(m,p,b.to(m.dtype)*2-1)|F.soft_margin_loss(m,b.to(m.dtype)*2-1)|
        F.poisson_nll_loss(m,p)""",
    "in place": """_in_place(m)|_slice_in_place(m,v)|_index_in_place(m,rows)""",
}


def _5x4(n):
    return n.T


def _grid(img):
    steps = torch.linspace(-0.9, 0.8, 5)
    return torch.stack(torch.meshgrid(steps, steps, indexing="ij"), -1).expand(2, 5, 5, 2).to(img.dtype)


def _in_place(m):
    y = m + 1
    z = y.view(-1)
    y.mul_(2)
    return z + 1


def _slice_in_place(m, v):
    y = m.clone()
    y[1] = v
    y[:, 1:3] += 2
    return y


def _index_in_place(m, rows):
    y = m.clone()
    y[rows] += 1
    y[:, 0].zero_()
    return y


class Calls(torch.nn.Module):
    """Several expressions of the inputs; each one's code is compiled once."""

    def __init__(self, expressions):
        super().__init__()
        self.codes = [compile(text, text, "eval") for text in expressions]

    def forward(self, *tensors):
        names = dict(zip(INPUTS, tensors))
        return tuple(eval(code, {**globals(), "F": torch.nn.functional, **names}) for code in self.codes)


def expressions(kind):
    return [" ".join(text.split()) for text in CALLS[kind].split("|") if text.strip()]


class AgainstTorch(unittest.TestCase):
    def test_calls(self):
        for kind in CALLS:
            with self.subTest(kind):
                self.assertLess(compare_module(Calls(expressions(kind)), tuple(INPUTS.values())), 1e-6)

    def test_recurrent_networks(self):
        class Flat(torch.nn.Module):
            def __init__(self, network):
                super().__init__()
                self.network = network

            def forward(self, x):
                return tuple(torch.utils._pytree.tree_leaves(self.network(x)))

        nn = torch.nn
        for network in (nn.LSTM(8, 5, 2, batch_first=True), nn.LSTM(8, 5, 2, bidirectional=True), nn.LSTM(8, 5, 2, bidirectional=True, proj_size=3),
                        nn.GRU(8, 5, 2, bias=False), nn.GRU(8, 5, bidirectional=True, batch_first=True), nn.RNN(8, 5), nn.RNN(8, 5, nonlinearity="relu")):
            with self.subTest(str(network)):
                self.assertLess(compare_module(Flat(network), (INPUTS["seq"],)), TOLERANCE)

    def test_tolerance_is_not_needed_for_most(self):
        self.assertLess(compare_module(Calls(["m@n", "x.sum(1)", "n[at]"]), tuple(INPUTS.values())), TOLERANCE)


if __name__ == "__main__":
    unittest.main()
