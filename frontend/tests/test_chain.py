# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of kernels: one call, shared memory that never overlaps, the same answers as one operator for each part."""
import random
import unittest
import warnings

import torch
from torch import nn

import kgen
from kgen.chain import _Memory


class Memory(unittest.TestCase):
    def test_living_pieces_never_overlap(self):
        chance, memory, living, total = random.Random(5), _Memory(), [], 0
        for _ in range(2000):
            if living and chance.random() < 0.5:
                memory.give(*living.pop(chance.randrange(len(living))))
            else:
                piece = memory.take(chance.randrange(0, 5000))
                total += piece[1]
                for offset, size in living:
                    self.assertTrue(piece[0] + piece[1] <= offset or offset + size <= piece[0])
                self.assertEqual(piece[0] % 256, 0)
                self.assertLessEqual(piece[0] + piece[1], memory.bytes)
                living.append(piece)
        self.assertLess(memory.bytes, total / 10)


class Deep(nn.Module):
    """Values that live long, one that PyTorch computes, several that are returned, one that is an input."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(6))

    def forward(self, x):
        kept = []
        y = x
        for index, layer in enumerate(self.layers):
            y = torch.tanh(layer(y)) + (kept[0] if kept else 0)
            kept.append(y)
            if index == 3:
                y = torch.linalg.inv(y @ y.t() + 2 * torch.eye(8))
        return y, kept[1], x, kept[5]


class Chains(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(4)
        cls.module, cls.x = Deep().eval(), torch.randn(8, 8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.compiled = kgen.compile(cls.module, (cls.x,))
        cls.graph = cls.compiled._entries[0].graph

    def test_equal_in_few_calls(self):
        items = self.graph._program._items
        # The second of them asks whether there was an inverse.
        self.assertEqual([type(item).__name__ for item in items], ["_Chain", "_Elsewhere", "_Elsewhere", "_Chain"])
        with torch.no_grad():
            for _ in range(3):
                x = torch.randn(8, 8)
                found, expected = self.compiled(x), self.module(x)
                torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
                self.assertIs(found[2], x)

    def test_operators_where_somebody_watches(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        class Watch(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
                seen.append(str(function))
                return function(*arguments, **(keywords or {}))

        seen = []
        with torch.no_grad():
            plain = self.compiled(self.x)
            with Watch():
                watched = self.compiled(self.x)
        self.assertIn("kgen.run.default", seen)
        for one, other in zip(plain, watched):
            self.assertTrue(torch.equal(one, other))


if __name__ == "__main__":
    unittest.main()
