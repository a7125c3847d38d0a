# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that pick and pair elements are what PyTorch computes, and which of Core ATen is not there."""
import unittest
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import kgen
from kgen.errors import ImportRefused
from kgen.exporting import _is_written, _table, op_name
from kgen.graph_writer import GraphWriter
from kgen.importer import import_module
from kgen.op_table import LATER


class Picks(nn.Module):
    def __init__(self):
        super().__init__()
        self.bilinear = nn.Bilinear(3, 4, 5)

    def forward(self, x, holes, image, ranks):
        return (x.median(), *x.median(1), *holes.median(0), holes.median(), *x.kthvalue(2, 1), *x.kthvalue(3, 0, keepdim=True),
                ranks.median(), torch.fmax(holes, x), torch.fmin(x, holes), F.pdist(x), F.pdist(x, 1.0), self.bilinear(x[:, :3], x[:, 2:]),
                torch.searchsorted(x[0].sort()[0], x), torch.searchsorted(x[0].sort()[0], x, right=True),
                F.adaptive_max_pool2d(image, (3, 5)), F.adaptive_max_pool1d(image[0], 2), ranks << 3, ranks >> 1)


class Selections(unittest.TestCase):
    def test_equal(self):
        torch.manual_seed(6)
        x = torch.randn(4, 6)
        holes = x.clone()
        holes[1, 2] = holes[3, 2] = torch.nan
        inputs = (x, holes, torch.randn(2, 3, 7, 8), torch.tensor([5, -3, 9, -8]))
        module = Picks().eval()
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, inputs)
            self.assertEqual(kgen.report(compiled).share, 1, kgen.report(compiled))
            for found, expected in zip(compiled(*inputs), module(*inputs), strict=True):
                torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True)

    def test_core_aten(self):
        """All of it but what is random, complex, for training or depends on data."""
        missing = set()
        for packet in dir(torch.ops.aten):
            packet = getattr(torch.ops.aten, packet)
            for overload in getattr(packet, "overloads", list)():
                target = getattr(packet, overload)
                if torch.Tag.core in target.tags and "backward" not in str(target):
                    if op_name(target).partition(".")[0] in LATER or not (_is_written(target, GraphWriter) or _table({target})):
                        missing.add(op_name(target))
        self.assertEqual(missing, {"_fft_c2r", "_fft_r2c", "_local_scalar_dense", "native_dropout", "nonzero", "rand", "randn",
                                   "randperm"})

    def test_refused_by_name(self):
        class Inverse(nn.Module):
            def forward(self, x):
                return torch.linalg.inv(x)
        with self.assertRaisesRegex(ImportRefused, "test_selections.py:[0-9]+: aten.linalg_inv_ex is not in the dialect"):
            import_module(Inverse(), (torch.randn(4, 4),))


if __name__ == "__main__":
    unittest.main()
