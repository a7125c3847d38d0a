# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer makes the same valid graphs from the same seed, calls every op, and makes failures small."""
import unittest

import torch

from fuzz.check import Finding, difference
from fuzz.generate import generate
from fuzz.graph import answers, draw
from fuzz.ops import table
from fuzz.reduce import reduce_graph


class Generating(unittest.TestCase):
    def test_every_op_of_the_dialect_is_called(self):
        self.assertEqual(table()[1], [], "each op of frontend/kgen/op_table.py needs a line in frontend/fuzz/ops.py")

    def test_same_seed_same_graph(self):
        for index in range(10):
            self.assertEqual(generate("a", index), generate("a", index))
        self.assertNotEqual(generate("a", 0).source(), generate("b", 0).source())

    def test_graphs_compute(self):
        shapes, ops = set(), set()
        for index in range(120):
            graph = generate("valid", index)
            results = answers(graph, draw(graph, index), wide=False)
            self.assertEqual(len(results), len(graph.returned))
            shapes.update(extent for leaf in graph.leaves for extent in leaf.shape)
            ops.update(graph.ops())
            compile(graph.source(), graph.name, "exec")
        self.assertGreater(len(ops), 60)
        self.assertTrue({0, 1, 17, 33} <= shapes, shapes)


class Reducing(unittest.TestCase):
    def test_what_matters_is_left(self):
        graph = next(graph for graph in (generate("reduce", i) for i in range(200))
                     if len(graph.calls) > 6 and "softmax.int" in graph.ops())
        small = reduce_graph(graph, lambda smaller: "softmax.int" in smaller.ops(), seconds=20)
        self.assertEqual(small.ops(), ["softmax.int"])
        self.assertEqual(len(small.returned), 1)
        self.assertLessEqual(max((extent for leaf in small.leaves for extent in leaf.shape), default=1), 2)


class Judging(unittest.TestCase):
    def test_difference(self):
        right = torch.tensor([1.0, float("nan"), float("inf"), -3.0], dtype=torch.float64)
        self.assertEqual(difference(right.clone(), right), "")
        for place, value in ((0, 1.001), (1, 0.0), (2, float("-inf")), (2, 1e308), (3, float("nan"))):
            wrong = right.clone()
            wrong[place] = value
            self.assertIn(f"element {place} is", difference(wrong, right))
        self.assertIn("3 elements, expected 4", difference(right[:3], right))

    def test_alike_findings_have_one_signature(self):
        a = Finding("wrong", "idea host:coarsen:2", "WRONG: input wide#0: out0[1,2] is 3.5e-1, expected -4")
        b = Finding("wrong", "idea cuda:wmma:0", "WRONG: input wide#1: out0[7,0] is -12, expected 4.5")
        self.assertEqual(a.signature(), b.signature())


if __name__ == "__main__":
    unittest.main()
