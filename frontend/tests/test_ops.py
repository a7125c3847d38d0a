# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of the dialect is imported, and its shape rule agrees with torch's.

kgen-opt verifies the imported types, which torch computed, against what the dialect
infers: so a wrong rule in either fails here.
"""
import re
import unittest

from kgen.op_table import LAYOUTS
from tests.support import ROOT, import_source, kgen_opt, model_source

INPUTS = {
    "x": "(2, 4, 15, 17)", "y": "(2, 1, 15, 1)", "row": "(17,)", "m": "(6, 8)", "n": "(8, 10)", "b": "(3, 6, 8)",
    "c": "(3, 8, 10)", "w": "(10, 8)", "wb": "(10,)", "v": "(8,)", "seq": "(2, 4, 32)", "vol": "(2, 4, 9, 8, 7)",
    "f1": "(6, 4, 3)", "f2": "(6, 2, 3, 5)", "f3": "(6, 4, 3, 2, 1)", "t1": "(4, 6, 3)", "t2": "(4, 3, 3, 5)",
    "t3": "(4, 6, 3, 2, 1)", "fb": "(6,)", "q": "(2, 3, 12, 8)", "k": "(2, 3, 10, 8)", "mask": "(12, 10)",
    "s": "(4,)", "one": "(2, 1, 8)", "at": "3x3 positions",
}

# One expression an op, with arguments away from their defaults.
CALLS = """
aten.abs(x) aten.erf(x) aten.exp(x) aten.hardsigmoid(x) aten.hardswish(x) aten.log(x) aten.mish(x) aten.neg(x)
aten.reciprocal(x) aten.relu(x) aten.rsqrt(x) aten.selu(x) aten.sigmoid(x) aten.silu(x) aten.sqrt(x) aten.square(x)
aten.tanh(x) aten.numpy_T(x)
aten.clamp(x,0,1.5) aten.clamp(x,None,1) aten.clamp_min(x,0.5) aten.clamp_max(x,0.5) aten.relu6(x)
aten.elu(x,0.5,2,3) aten.gelu(x) aten.gelu(x,approximate="tanh") aten.hardtanh(x,-2,2) aten.leaky_relu(x,0.2)
aten.softplus(x,2,10)
aten.add.Tensor(x,y) aten.add.Tensor(x,y,alpha=2) aten.add.Tensor(x,1) aten.add.Scalar(x,1e-5,2) aten.sub.Tensor(x,row)
aten.sub.Tensor(x,0.5) aten.rsub.Scalar(x,1) aten.mul.Tensor(x,y) aten.mul.Tensor(x,3) aten.multiply.Tensor(x,y)
aten.div.Tensor(x,y) aten.div.Tensor(x,7) aten.pow.Tensor_Scalar(x,3) aten.max.other(x,y) aten.maximum(y,x)
aten.min.other(x,row) aten.minimum(x,x)
aten.max.default(x) aten.min.default(x) aten.mean.default(x) aten.prod.default(x) aten.sum.default(x)
aten.amax(x,[1,-1]) aten.amin(x,[0],True) aten.logsumexp(x,[1],True) aten.mean.dim(x,[2,3]) aten.mean.dim(x,None,True)
aten.sum.dim_IntList(x,[-1],True) aten.prod.dim_int(x,2) aten.linalg_vector_norm(x,float("inf"),[1],True)
aten.linalg_vector_norm(x) *aten.max.dim(x,1) *aten.min.dim(x,-1,True) aten.argmax(x) aten.argmin(x,2,True)
aten.cumsum(x,1) aten.cumprod(x,-1) aten.flip(x,[1,-1])
aten.bmm(b,c) aten.mm(m,n) aten.matmul(b,n) aten.matmul(v,c) aten.matmul(b,v) aten.matmul(v,v) aten.linear(m,w)
aten.linear(b,w,wb) torch.einsum("bij,jk->bik",b,n) torch.einsum("bij,bjk->bik",b,c)
aten.conv1d(seq,f1,fb,[2],[1],[3]) aten.conv2d(x,f2,fb,[2,3],[1,0],[1,2],2) F.conv2d(x,f2,stride=2,groups=2)
aten.conv3d(vol,f3,None,[1,2,3],[0,1,2])
aten.conv_transpose1d(seq,t1,fb,[3],[1],[2]) aten.conv_transpose2d.input(x,t2,fb,[2,2],[1,1],[1,0],2,[1,2])
aten.conv_transpose3d.input(vol,t3,None,[2,1,1],[1,0,0])
aten.scaled_dot_product_attention(q,k,k) aten.scaled_dot_product_attention(q,q,q,None,0.0,True,scale=0.5)
aten.scaled_dot_product_attention(q,k,k,mask)
aten.max_pool1d(seq,[8],[1],[4],[3]) aten.max_pool2d(x,[3,2],[2,2],[1,0],[1,2],True) aten.max_pool2d(x,[3,3])
aten.max_pool3d(vol,[2,2,2],[],1) aten.avg_pool1d(seq,[4],[3],[2],True,False)
aten.avg_pool2d(x,[3,3],[2,2],[1,1],True,False,5) aten.avg_pool3d(vol,[3,3,3],[2,2,2],[1,1,1])
aten.adaptive_avg_pool1d(seq,[5]) aten.adaptive_avg_pool2d(x,[4,1]) aten.adaptive_avg_pool3d(vol,[1,2,3])
aten.softmax.int(x,-2) aten.log_softmax.int(x,1)
aten.batch_norm(x,s,s,s,s,False,0.1,1e-3,False) aten.batch_norm(x,None,None,s,s,False,0.1,1e-5,True)
aten.group_norm(x,2,s,s,1e-3,False) aten.instance_norm(x,None,None,None,None,True,0.1,1e-5,False)
aten.instance_norm(x,s,s,s,s,False,0.1,1e-5,False) aten.layer_norm(x,[17],row,row,1e-3,False)
aten.cat([x,y.expand(2,3,15,17)],1) aten.expand(y,[2,-1,15,17]) aten.expand_as(y,x) *aten.broadcast_tensors([x,y])
aten.flatten.using_ints(x,1,2) aten.narrow(x,3,1,5) aten.permute(x,[3,0,1,2]) aten.reshape(x,[8,-1])
aten.select.int(x,1,-1) aten.slice.Tensor(x,2,1,9223372036854775807,3) aten.slice.Tensor(x,3,-5,-1)
aten.squeeze.dim(one,1) aten.squeeze.dim(one,0) aten.transpose.int(x,1,-1) aten.t(m) aten.tril(x,-1) aten.triu(x)
aten.unsqueeze(x,-1) aten.view(x,[2,60,17])
aten.acos(x) aten.acosh(x) aten.asin(x) aten.asinh(x) aten.atan(x) aten.atanh(x) aten.bitwise_not(at) aten.ceil(x) aten.cos(x)
aten.cosh(x) aten.erfc(x) aten.erfinv(x) aten.exp2(x) aten.expm1(x) aten.floor(x) aten.log10(x) aten.log1p(x) aten.log2(x) aten.round(x)
aten.sign(x) aten.sin(x) aten.sinh(x) aten.tan(x) aten.trunc(x) aten.isinf(x) aten.isnan(x) aten.logical_not(x)
aten.atan2(x,y) aten.fmod.Tensor(x,y) aten.fmod.Scalar(x,2) aten.remainder.Tensor(x,y) aten.remainder.Scalar(x,2)
aten.div.Tensor_mode(x,y,rounding_mode="floor") aten.pow.Tensor_Tensor(x,y) aten.pow.Scalar(2,x)
aten.eq.Scalar(x,1) aten.eq.Tensor(x,y) aten.ge.Scalar(x,1) aten.ge.Tensor(x,y) aten.gt.Scalar(x,1) aten.gt.Tensor(x,y)
aten.le.Scalar(x,1) aten.le.Tensor(x,y) aten.lt.Scalar(x,1) aten.lt.Tensor(x,y) aten.ne.Scalar(x,1) aten.ne.Tensor(x,y)
aten.logical_and(x,y) aten.logical_or(x,y) aten.logical_xor(x,y) aten.bitwise_and.Scalar(at,3) aten.bitwise_and.Tensor(at,at)
aten.bitwise_or.Scalar(at,3) aten.bitwise_or.Tensor(at,at) aten.bitwise_xor.Scalar(at,3) aten.bitwise_xor.Tensor(at,at)
aten.where.self(x>y,x,row) aten.masked_fill.Scalar(x,x>y,0) aten._to_copy(x,dtype=torch.int64)
aten.full([2,3],0.5)+torch.tensor([1.0,2.0,4.0]) aten.full_like(x,1,dtype=torch.int64) aten.arange.start_step(1,9,2)
aten.embedding(n,at) aten.index_select(x,1,at[0]) aten.gather(at,1,at) aten.index.Tensor(x,[None,at,at]) aten.index_put(m,[at[0]],v,True)
aten.scatter.src(at,1,at,at) aten.scatter.value(at,1,at,3) aten.scatter_add(at,0,at,at) aten.scatter_reduce.two(at,0,at,at,"amax",include_self=False)
aten.slice_scatter(m,n[:3,:8],0,1,4) *aten.sort(x,1,True) *aten.topk(x,3,1,False) aten.all.dims(x,[1]) aten.any.dims(x,None,True)
aten.var.correction(x,[1],correction=0.0,keepdim=True) aten.repeat(m,[2,1,3]) aten.roll(x,[1,-2],[0,1]) aten.constant_pad_nd(x,[1,-2],0.5)
aten.unfold(x,2,3,2) aten.diagonal(x,1,1,3) aten.as_strided(m,[3,2],[2,1],4) aten._grouped_mm(b[0].bfloat16(),c.bfloat16().mT.contiguous().mT,at[0].int())
""".split()

# Ops that the importer writes as others of the dialect.
REWRITTEN = """
aten.clip(x,0,1) torch.addmm(wb,m,n) torch.mv(n.T,v) torch.dot(v,v) x.unsqueeze(0).squeeze() torch.squeeze(one,(1,0))
x.unflatten(1,(2,-1)) F.conv2d(x,f3[:,:,:,:,0].contiguous()[:,:,:,:1],padding="same",dilation=2)
F.conv1d(seq,f1,padding="valid") F.conv2d(x[0],f2,groups=2) m.mT F.linear(m,v) *torch.split(x,4,dim=2) *torch.split(x,[1,3],dim=1) *torch.chunk(x,3,dim=-1)
F.mse_loss(x,x) F.l1_loss(x,x,reduction="sum") F.smooth_l1_loss(x,x,reduction="none") F.kl_div(x,x,reduction="sum")
torch.stack([m,m],dim=-1) F.normalize(x,dim=1) F.softsign(x)
""".split()


class EveryOp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        inputs = ", ".join("torch.randint(0, 3, (3, 3))" if "positions" in shape else f"torch.randn{shape}"
                           for shape in INPUTS.values())
        # Calls share one model: one export instead of a hundred.
        cls.inputs = f"[{inputs}]"
        cls.graph = import_source(model_source("aten = torch.ops.aten\nreturn (" + ",\n".join(CALLS) + ",)", cls.inputs,
                                               parameters=", ".join(INPUTS)))

    def test_shapes_agree_with_torch(self):
        kgen_opt(self.graph)

    def test_every_op_is_there(self):
        self.assertEqual(set(re.findall(r" = aten\.([\w.]+) ", self.graph)), set(LAYOUTS))

    def test_rewritten_ops(self):
        kgen_opt(import_source(model_source("aten = torch.ops.aten\nreturn (" + ",\n".join(REWRITTEN) + ",)", self.inputs,
                                            parameters=", ".join(INPUTS))))

    def test_table_is_the_dialect(self):
        tested = "".join((ROOT / "test/Dialect/Aten" / name).read_text() for name in ("ops.mlir", "ops-core.mlir"))
        self.assertEqual(set(re.findall(r" = aten\.([\w.]+) ", tested)), set(LAYOUTS))

    def test_defaults_are_not_written(self):
        text = import_source(model_source("return torch.ops.aten.hardtanh(x, -1.0, 1.0)", "[torch.rand(4)]"))
        self.assertIn("aten.hardtanh %x : (tensor<4xf32>)", text)


if __name__ == "__main__":
    unittest.main()
