# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile with the first ideas of the catalogue, on device host: equal to PyTorch, and generic kernels where they are not."""
import os
import unittest
from unittest import mock

import torch
from torch import nn
from torch.nn import functional as F

import kgen
from kgen.backend import kgen_backend
from kgen.compiler import in_float64
from kgen.maker import Maker
from kgen.tools import ToolFailed
from tests.test_compile import quietly


@torch.fx.wrap
def lying_by_type(x):
    """X, its rows one after the other in float32, its columns in float64, as attention on a card."""
    return x.clone() if x.dtype == torch.float32 else x.t().contiguous().t()


class Lying(nn.Module):
    def forward(self, x):
        return torch.ops.aten.view.default(lying_by_type(x), [12])


class Layer(nn.Module):
    """Attention and a perceptron, each behind a norm."""

    def __init__(self, width=32):
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.joint, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (each.view(batch, length, 2, width // 2).transpose(1, 2) for each in self.joint(self.before(x)).split(width, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.after(x))))


class Typed(nn.Module):
    """Types said by position and by name, and a constant of its own."""

    def __init__(self, constant):
        super().__init__()
        self.register_buffer("constant", constant)

    def forward(self, x, weight):
        x = torch.ops.aten.to.dtype(x, torch.float32)
        x = torch.ops.aten.mm.default(x, weight) + torch.ops.aten.full_like.default(x, 0.1, dtype=torch.float32)
        return torch.ops.aten.mm.default(x, self.constant)


class Groups(nn.Module):
    def forward(self, rows, matrices, ends):
        return torch.ops.aten._grouped_mm.default(rows, matrices, ends)


class Small(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.layer(x))


def first_bundles(compiled):
    """The kinds of bundles of COMPILED's first example."""
    parts = compiled._entries[0].graph.module.children()
    return [part.bundle.kind for part in parts if hasattr(part, "bundle")]


class FirstTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)

    def same(self, module, compiled, x, **bounds):
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), module(x), **(bounds or {"rtol": 1e-4, "atol": 1e-5}))
        self.assertEqual(compiled.misses, {})

    def test_nothing_is_rounded_in_float64(self):
        constant, x, weight = (torch.randn(4, 4) for _ in range(3))
        part, faults = torch.fx.symbolic_trace(Typed(constant)), []
        found, = in_float64(part, [x, weight], faults)
        self.assertEqual(faults, [])
        self.assertTrue(torch.equal(found, (x.double() @ weight.double() + 0.1) @ constant.double()))
        self.assertEqual(part.constant.dtype, torch.float32)
        self.assertIsNone(in_float64(part, [x, weight[:3]], faults))
        self.assertIn("mat1 and mat2", faults[0])

    def test_float64_may_leave_other_strides(self):
        x, faults = torch.randn(3, 4), []
        part = torch.fx.symbolic_trace(Lying())
        self.assertTrue(torch.equal(part(x), x.reshape(12)))
        found, = in_float64(part, [x], faults)
        self.assertEqual(faults, [])
        self.assertTrue(torch.equal(found, x.double().reshape(12)))

    def test_products_of_groups_in_float64(self):
        rows, matrices, ends = torch.randn(7, 16).bfloat16(), torch.randn(3, 16, 8).bfloat16(), torch.tensor([2, 2, 7], dtype=torch.int32)
        part = torch.fx.symbolic_trace(Groups())
        found, = in_float64(part, [rows, matrices, ends])
        expected = torch.cat([rows[:2].double() @ matrices[0].double(), rows[2:].double() @ matrices[2].double()])
        self.assertTrue(torch.equal(found, expected))

    def test_transformer(self):
        module, x = nn.Sequential(Layer(), Layer()).eval(), torch.randn(2, 8, 32)
        first = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        generic = quietly(lambda: kgen.compile(module, (x,), kernels="generic"))
        self.same(module, first, x)
        self.same(module, generic, x)
        kinds = first_bundles(first)
        self.assertEqual(set(kinds), {"first"})
        self.assertEqual(set(first_bundles(generic)), {"round0"})
        one, other = kgen.report(first), kgen.report(generic)
        self.assertEqual(one.share, 1)
        self.assertLess(one.kernels, other.kernels)
        self.assertIn(f"{len(kinds)} of {len(kinds)} segments have the first ideas", str(one))
        self.assertNotIn("first ideas", str(other))
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(1.5)
        self.same(module, first, x)

    def test_wrong_whole_is_made_in_segments(self):
        module, x = nn.Sequential(Layer(), Small(32)).eval(), torch.randn(2, 8, 32)
        right = Maker._first

        def wrong(self, text, count, folder):
            right(self, text.replace("aten.relu", "aten.neg") if "aten.gelu" in text and "aten.relu" in text else text, None, folder)
        with mock.patch.object(Maker, "_first", wrong), mock.patch.object(Maker, "_multiprocessors", lambda self: "wrong whole"):
            compiled = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        self.same(module, compiled, x)
        kinds = first_bundles(compiled)
        self.assertGreater(len(kinds), 1)
        self.assertEqual(set(kinds), {"first"})
        self.assertIn("made in segments: as one network it gave other results", str(kgen.report(compiled)))

    def test_prepared(self):
        class Folded(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(16, 16))

            def forward(self, x):
                return F.layer_norm(F.linear(x, torch.softmax(self.weight, -1)), (16,))

        module, x = Folded().eval(), torch.randn(4, 16)
        compiled = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        self.same(module, compiled, x)
        self.same(module, compiled, x)
        self.assertEqual(kgen.report(compiled).prepared, 1)
        with torch.no_grad():
            module.weight.mul_(2)
        self.same(module, compiled, x)
        self.assertEqual(kgen.report(compiled).prepared, 2)

    def test_torch_compile_compares_in_the_first_call(self):
        module, x = nn.Sequential(Layer(), Small(32)).eval(), torch.randn(2, 8, 32)
        right, graphs = Maker._first, []

        def wrong(self, text, count, folder):
            right(self, text.replace("aten.relu", "aten.neg"), None, folder)

        def backend(graph, inputs):
            run = kgen_backend(graph, inputs, kernels="first")
            graphs.append(run)
            return run
        with mock.patch.object(Maker, "_first", wrong), mock.patch.object(Maker, "_multiprocessors", lambda self: "wrong late"), torch.no_grad():
            compiled = quietly(lambda: torch.compile(module, backend=backend, dynamic=False))
            for _ in range(2):
                torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)
        self.assertEqual(len(graphs), 1)
        self.assertEqual(graphs[0].coverage.share, 1)
        self.assertEqual(str(graphs[0].coverage).count("has generic kernels: the catalogue's first idea gave other results"), 1)

    def test_half(self):
        module, x = Layer().eval().bfloat16(), torch.randn(2, 8, 32).bfloat16()
        compiled = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        self.same(module, compiled, x, rtol=4e-2, atol=4e-2)
        self.assertEqual(set(first_bundles(compiled)), {"first"})

    def test_wrong_kernels_are_replaced_by_generic_ones(self):
        module, x = Small().eval(), torch.randn(4, 16)
        with mock.patch.object(Maker, "_first", lambda self, text, count, folder: self._lower(text.replace("aten.relu", "aten.neg"), folder)):
            with mock.patch.object(Maker, "_multiprocessors", lambda self: "wrong"):  # a key of its own in the cache
                compiled = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        self.same(module, compiled, x)
        self.assertEqual(first_bundles(compiled), ["round0"])
        self.assertEqual(kgen.report(compiled).share, 1)
        self.assertIn("has generic kernels: the catalogue's first idea gave other results: an error of", str(kgen.report(compiled)))

    def test_what_cannot_be_made_is_generic(self):
        module, x = Small().eval(), torch.randn(8, 16)

        def fail(self, text, count, folder):
            raise ToolFailed("no idea")
        with mock.patch.object(Maker, "_first", fail):
            compiled = quietly(lambda: kgen.compile(module, (x,), kernels="first"))
        self.same(module, compiled, x)
        self.assertEqual(first_bundles(compiled), ["round0"])
        self.assertIn("a segment has generic kernels: no idea", str(kgen.report(compiled)))

    def test_which(self):
        module, x = Small().eval(), torch.randn(2, 16)
        with mock.patch.dict(os.environ, {"KGEN_KERNELS": "first"}):
            self.assertEqual(first_bundles(quietly(lambda: kgen.compile(module, (x,)))), ["first"])
            self.assertEqual(first_bundles(quietly(lambda: kgen.compile(module, (x,), kernels="generic"))), ["round0"])
        with mock.patch.dict(os.environ, {"KGEN_KERNELS": "fastest"}), self.assertRaisesRegex(ValueError, "KGEN_KERNELS is 'fastest'"):
            quietly(lambda: kgen.compile(module, (x,)))
        with self.assertRaisesRegex(ValueError, "kernels is 'fastest'"):
            kgen.compile(module, (x,), kernels="fastest")


if __name__ == "__main__":
    unittest.main()
