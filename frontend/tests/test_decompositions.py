# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen's own decompositions and forms of PyTorch's functions give what PyTorch gives, and an export that does not is not used."""
import itertools
import unittest
import warnings
from unittest import mock

import torch
from torch import nn
from torch.nn import functional as F

import kgen
from kgen.decompositions import OWN

aten = torch.ops.aten


class Together(nn.Module):
    """What FORWARD gives, with parameters of PARTS."""

    def __init__(self, forward, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)
        self._forward = forward

    def forward(self, *arguments):
        return self._forward(self, *arguments)


class Own(unittest.TestCase):
    """Each function beside the op, over forms, without kernels."""

    def same(self, overload, *arguments, results=None, **keywords):
        found, expected = OWN[overload](*arguments, **keywords), overload(*arguments, **keywords)
        found, expected = ([found], [expected]) if isinstance(expected, torch.Tensor) else (found, expected)
        for one, other in list(zip(found, expected))[:results]:
            self.assertEqual(one.dtype, other.dtype)
            torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-6, equal_nan=True)

    def setUp(self):
        torch.manual_seed(3)

    def test_pools(self):
        x = torch.randn(2, 3, 11, 8).round(decimals=1)  # ties: the first counts
        x[0, 0, :4] = -torch.inf
        for kernel, stride, padding, dilation, ceil_mode in (([3, 2], [2, 1], [1, 0], [1, 2], False), ([3, 3], [2, 2], [1, 1], [1, 1], True), ([2, 2], [], [0, 0], [1, 1], True)):
            self.same(aten.max_pool2d_with_indices.default, x, kernel, stride, padding, dilation, ceil_mode)
        self.same(aten.max_pool3d_with_indices.default, torch.randn(2, 3, 5, 6, 7), [2, 3, 2], [2, 2, 2], [1, 1, 0], [1, 1, 2], True)
        self.same(aten.adaptive_max_pool2d.default, x, [4, 5])
        self.same(aten.adaptive_max_pool3d.default, torch.randn(2, 3, 5, 6, 7), [2, 6, 3])

    def test_losses(self):
        for shape in ((6, 5), (5,), (2, 5, 3, 4)):
            x = torch.randn(shape).log_softmax(1 if len(shape) > 1 else 0)
            target = torch.randint(0, 5, shape[:1] * (len(shape) > 1) + shape[2:])
            for overload in (aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)[len(shape) == 4:][:1]:
                for weight, reduction, ignored in itertools.product((None, torch.rand(5)), (0, 1, 2), (-100, 2)):
                    # Without a reduction PyTorch leaves open what the losses would be divided by.
                    self.same(overload, x, target, weight, reduction, ignored, results=1 if reduction == 0 else None)
        for one, other, dim in ((torch.randn(6, 5), torch.randn(6, 5), 1), (torch.randn(2, 5, 3), torch.randn(5, 1), -2), (torch.zeros(2, 3), torch.ones(2, 3), 1)):
            self.same(aten.cosine_similarity.default, one, other, dim)

    def test_bags(self):
        weight, indices = torch.randn(9, 4), torch.tensor([1, 5, 2, 1, 8, 2, 2])
        for mode, padding, last in itertools.product((0, 1, 2), (-1, 2), (False, True)):
            offsets = torch.tensor([0, 2, 2, 7 if last else 5])
            self.same(aten._embedding_bag.default, weight, indices, offsets, False, mode, False, None, last, padding, results=1)
        self.same(aten._embedding_bag.default, weight, indices, offsets, False, 0, False, torch.rand(7), results=1)

    def test_grids(self):
        x, grid = torch.randn(2, 3, 6, 7), torch.rand(2, 4, 5, 2) * 5 - 2.5
        for mode, corners in itertools.product((0, 1, 2), (False, True)):
            self.same(aten.grid_sampler_2d.default, x, grid, mode, 2, corners)
        x, grid = torch.randn(2, 3, 4, 6, 7), torch.rand(2, 4, 5, 3, 3) * 5 - 2.5
        for mode, padding, corners in itertools.product((0, 1), (0, 1, 2), (False, True)):
            self.same(aten.grid_sampler_3d.default, x, grid, mode, padding, corners)

    def test_antialiasing(self):
        x = torch.randn(2, 3, 13, 10)
        for overload, corners, size in itertools.product((aten._upsample_bilinear2d_aa.default, aten._upsample_bicubic2d_aa.default), (False, True), ([5, 17], [20, 3])):
            self.same(overload, x, size, corners)
        self.same(aten._upsample_bilinear2d_aa.default, x, [9, 7], False, 0.7, 0.75)

    def test_scans(self):
        x = torch.randn(3, 13, 5).round(decimals=1)
        x[0, 4, 1] = torch.nan
        for overload, dim in itertools.product((aten.cummax.default, aten.cummin.default), (0, 1, -1)):
            self.same(overload, x, dim)
            self.same(overload, torch.randint(0, 5, (4, 9)), dim if dim < 2 else 0)
        x = torch.randn(3, 13) * 40
        x[1, :3], x[2, 5] = -torch.inf, torch.inf
        self.same(aten.logcumsumexp.default, x, 1)

    def test_others(self):
        x = torch.randn(4, 5)
        self.same(aten.put.default, x, torch.tensor([[0, -1], [7, 7]]), torch.randn(2, 2), True)
        for offset in (-2, 0, 1):
            self.same(aten.diagonal_scatter.default, x, torch.randn_like(x.diagonal(offset)), offset)
        for beta in (0, 0.5):
            self.same(aten.addbmm.default, torch.full((4, 6), 1.0), torch.randn(3, 4, 5), torch.randn(3, 5, 6), beta=beta, alpha=2.0)
        target = torch.tensor([[3, 0, -1, 1, 2], [4, 4, 1, 0, 2], [-1, 3, 3, 3, 3], [0, 1, 2, 3, 4]])
        for reduction in (0, 1, 2):
            self.same(aten.multilabel_margin_loss.default, x, target, reduction)
        self.same(aten.multilabel_margin_loss.default, x[0], target[0], 0)


class Compiled(unittest.TestCase):
    def equal(self, module, *inputs, share=1):
        module.eval()
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, inputs)
            found, expected = compiled(*inputs), module(*inputs)
        self.assertEqual(kgen.report(compiled).share, share, kgen.report(compiled))
        self.assertFalse(compiled.misses)
        torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-6)

    def test_kernels(self):
        """What nothing else computes, in one module."""
        def forward(self, x, rows, offsets, grid):
            pooled, places = F.max_pool2d(x, 2, return_indices=True)
            return (F.max_unpool2d(pooled, places, 2), self.bag(rows, offsets), F.grid_sample(x, grid, padding_mode="reflection", align_corners=False),
                    F.interpolate(x, (5, 9), mode="bilinear", antialias=True), *torch.cummax(x, 2), torch.logcumsumexp(x, 3),
                    torch.searchsorted(x.sort(-1).values, x))
        self.equal(Together(forward, bag=nn.EmbeddingBag(7, 4, padding_idx=1, mode="max")), torch.randn(1, 2, 6, 6), torch.tensor([1, 3, 1, 6, 0]), torch.tensor([0, 2, 3]),
                   torch.rand(1, 3, 3, 2) * 4 - 2)

    def test_padded_encoder(self):
        """PyTorch leaves out what is padded at the end, and gives zeros there; not so where the padding is in front."""
        module = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 16, batch_first=True), 1, norm=nn.LayerNorm(16))
        inside = torch.tensor([[False, False, True, True], [False] * 4])
        for mask in (inside, inside.flip(1)):
            self.equal(Together(lambda self, x, mask: self.encoder(x, src_key_padding_mask=mask), encoder=module), torch.randn(2, 4, 16), mask)

    def test_wrapped(self):
        """Autocast and vmap in forward are seen through; negative variances are not looked for."""
        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = self.layer(x)
            return torch.vmap(lambda row: row * 2)(y.float()), F.gaussian_nll_loss(x, x * 0.5, x.abs())
        torch.manual_seed(0)
        module, x = Together(forward, layer=nn.Linear(8, 8)).eval(), torch.randn(3, 8)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (x,))
            self.assertEqual(kgen.report(compiled).share, 1, kgen.report(compiled))
            torch.testing.assert_close(compiled(x), module(x), rtol=4e-2, atol=4e-2)

    def test_cond(self):
        """torch.cond stays PyTorch's."""
        module, x = Together(lambda self, x: torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (x,))), torch.ones(3, 8)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (x,))
            for value in (x, -x):
                torch.testing.assert_close(compiled(value), module(value), rtol=0, atol=0)

    def test_another_answer(self):
        """Where torch.export makes another answer of a module, the original runs, and the report says it."""
        module, x = Together(lambda self, x: torch.relu(x) + 1), torch.randn(3, 8)
        real = torch.export.export

        def wrong(traced, *arguments, **keywords):
            with mock.patch.object(torch, "relu", torch.tanh):
                return real(traced, *arguments, **keywords)
        with warnings.catch_warnings(), torch.no_grad(), mock.patch.object(torch.export, "export", wrong):
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (x,))
            self.assertIn("torch.export's graph gives another answer than the original for the example", str(kgen.report(compiled)))
            self.assertEqual(kgen.report(compiled).share, 0)
            torch.testing.assert_close(compiled(x), module(x), rtol=0, atol=0)

    def test_the_example_is_left_alone(self):
        """The original is asked once at kgen.compile; what it writes is as it was."""
        def forward(self, x):
            self.count += 1
            x.mul_(2)
            return x + self.count
        module, x = Together(forward), torch.ones(4)
        module.register_buffer("count", torch.zeros(()))
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (x,))
            self.assertEqual((float(module.count), x.tolist()), (0, [1] * 4))
            self.assertEqual((compiled(x).tolist(), float(module.count), x.tolist()), ([3] * 4, 1, [2] * 4))


if __name__ == "__main__":
    unittest.main()
