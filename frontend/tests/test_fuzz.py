# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer makes the same valid graphs from the same seed, calls every op, and makes failures small."""
import collections
import contextlib
import io
import json
import math
import os
import pathlib
import signal
import tempfile
import threading
import unittest
from unittest import mock

import torch
import torch.nn.functional as F

from fuzz.__main__ import main
from fuzz.check import Finding, NotExported, Stop, difference, import_graph, variants
from fuzz.deal import LENGTHS, Card, Rotation, aimed_before, card, hand
from fuzz.generate import Generator, generate
from fuzz.graph import answers, draw
from fuzz.aims import AIMS
from fuzz.ops import table
from fuzz.reduce import reduce_graph
from fuzz.sensitivity import slack


class Generating(unittest.TestCase):
    def test_every_op_of_the_dialect_is_called(self):
        self.assertEqual(table()[1], [], "each op of frontend/kgen/op_table.py needs a line in frontend/fuzz/ops.py")

    def test_same_seed_same_graph(self):
        for index in range(10):
            self.assertEqual(generate("a", index), generate("a", index))
        self.assertNotEqual(generate("a", 0).source(), generate("b", 0).source())

    def test_a_graph_needs_none_of_those_before_it(self):
        graphs = [generate("a", index) for index in range(40)]
        self.assertEqual([generate("a", index) for index in range(39, -1, -1)], graphs[::-1])
        self.assertEqual(generate("a", 10**7), generate("a", 10**7))

    def test_every_op_comes_up_in_two_hundred_graphs(self):
        for seed in ("mutation", "0"):
            calls, diagonals = collections.Counter(), set()
            for index in range(200):
                graph = generate(seed, index)
                calls.update(call.op for call in graph.calls)
                diagonals.update(call.text.rpartition(", ")[2] for call in graph.calls if call.op in ("tril", "triu"))
            # PyTorch has no avg_pool3d of 16 bits for the CPU.
            seldom = {name: calls[name] for name in table()[0] if calls[name] < {"avg_pool3d": 1}.get(name, 3)}
            self.assertEqual(seldom, {}, seed)
            self.assertEqual(diagonals, {"0)", "1)", "-1)", "3)"}, seed)

    def test_graphs_compute(self):
        shapes, ops = set(), set()
        for index in range(120):
            graph = generate("valid", index)
            results = answers(graph, draw(graph, index), wide=False)
            self.assertEqual(len(results), len(graph.returned))
            shapes.update(extent for leaf in graph.leaves for extent in leaf.shape)
            ops.update(graph.ops())
            compile(graph.source(), graph.name, "exec")
        self.assertGreater(len(ops), 150)
        self.assertTrue({0, 1, 17, 33} <= shapes, shapes)

    def test_every_aim_makes_calls(self):
        for name, line in AIMS.items():
            for seed in range(4):
                graph = Generator(f"{name}:{seed}", aims={name: line}).graph("aim")
                self.assertTrue(any(call.op == name.partition(":")[0] for call in graph.calls), f"{name} {seed}: {graph.ops()}")

    def test_aimed_graphs_compute_and_are_what_they_aim_at(self):
        calls, elements = collections.Counter(), 0
        for index in range(60):
            graph = generate("aimed", index, aimed=1)
            results = answers(graph, draw(graph, index), wide=False)
            self.assertEqual(len(results), len(graph.returned))
            calls[graph.calls[0].op] += 1
            elements = max(elements, *(math.prod(leaf.shape) for leaf in graph.leaves))
        self.assertEqual({"linear", "matmul", "conv2d", "scaled_dot_product_attention", "softmax.int", "index_put"} - set(calls), set(), calls)
        self.assertGreater(elements, 30000)
        self.assertNotEqual(generate("aimed", 0, aimed=1), generate("aimed", 0, aimed=0))

    def test_variants_are_told_apart(self):
        def of(*schedules):
            return variants("".join(f"kgen.schedule = #kgen.schedule<{schedule}>" for schedule in schedules))

        self.assertEqual(of("family = gemm, mma = none, tile = [1, 64, 4]", "family = pool, block = 256"), {"gemm/simt", "pool"})
        self.assertEqual(of("family = gemm, mma = wgmma, split_at = cluster, tile = [64, 64]"), {"gemm/cluster"})
        self.assertEqual(of("family = conv, mma = wgmma, pipeline = tma, tile = [8, 8]"), {"conv/implicit"})
        self.assertEqual(of("family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16]"), {"conv/halo"})
        self.assertEqual(of("family = conv, mma = wgmma, tile = [8, 8]", "family = conv, mma = none, vec = 4"), {"conv/wgmma", "conv/depthwise"})
        self.assertEqual(of("family = row, resident = cluster, split_rows = 1", "family = row, resident = none, split_rows = 4"), {"row/cluster", "row/split"})


class Dealing(unittest.TestCase):
    names, weights = ["a", "b", "c"], {"b": 2}

    def test_decks_hold_lines_as_often_as_they_weigh(self):
        dealt = [card("k", place, self.names, self.weights) for place in range(400)]
        self.assertEqual(collections.Counter(one.line for one in dealt), {"a": 100, "b": 200, "c": 100})
        for name in self.names:
            numbers = [one.number for one in dealt if one.line == name]
            self.assertEqual(numbers, list(range(len(numbers))))

    def test_hands_are_the_decks_in_order(self):
        hands = [hand("k", index, LENGTHS, self.names, self.weights) for index in range(64)]
        self.assertEqual(sum(hands, []), [card("k", place, self.names, self.weights) for place in range(4 * sum(LENGTHS))])
        self.assertEqual(sorted(map(len, hands[16:32])), sorted(LENGTHS))

    def test_aimed_graphs_are_the_share(self):
        for share in (0, 0.2, 0.37, 1):
            aimed = [aimed_before("k", index, share) for index in range(501)]
            self.assertTrue(all(after - before in (0, 1) for before, after in zip(aimed, aimed[1:])))
            self.assertAlmostEqual(aimed[500], 500 * share, delta=1)

    def test_choices_go_through_all_there_is(self):
        def chosen(number):
            rotation = Rotation("k", Card("tril", number))
            return rotation.place(4), rotation.place(4), rotation.place(3)
        made = [chosen(number) for number in range(48)]
        for turn in range(12):
            self.assertEqual({first for first, _, _ in made[4 * turn:4 * turn + 4]}, set(range(4)))
        self.assertEqual(collections.Counter(third for _, _, third in made), {0: 16, 1: 16, 2: 16})
        self.assertGreater(len({(first, second) for first, second, _ in made}), 12, "two choices must not go together")
        self.assertEqual(chosen(7), made[7])


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

    def test_what_is_determined_less_is_asked_for_less(self):
        right = torch.tensor([1.0, 2.0, 3.0, float("inf")], dtype=torch.float64)
        more = torch.tensor([0.0, 1e-3, 0.0, float("inf")], dtype=torch.float64)
        found = right + torch.tensor([0.0, 9e-4, 0.0, float("nan")])
        self.assertEqual(difference(found, right, more), "")
        self.assertIn("element 1 is", difference(found + torch.tensor([0, 1e-2, 0, 0]), right, more))
        self.assertIn("element 2 is", difference(found + torch.tensor([0, 0, 1e-6, 0]), right, more))


class Determining(unittest.TestCase):
    def masks(self, function, *shapes):
        generator = torch.Generator().manual_seed(3)
        tensors = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
        result = function(*tensors)
        return [more > 0 for more in slack(lambda: list(function(*tensors)) if isinstance(result, tuple) else [function(*tensors)], 1e-8)]

    def test_functions_of_large_rounded_values_are_not(self):
        large, small = self.masks(lambda x: (torch.sin(1e30 * torch.exp(x)), torch.sin(torch.exp(x))), [200])
        self.assertTrue(bool(large.all()))
        self.assertFalse(bool(small.any()))

    def test_infinity_times_a_rounded_zero_is_not(self):
        def product(x, y):
            y = y.masked_fill(y > 1, float("inf"))
            return torch.bmm(F.group_norm(x, 1, eps=0.01), y), y
        found, kept = self.masks(product, [64, 1, 1], [64, 1, 5])
        self.assertTrue(bool(found.any()))
        self.assertFalse(bool(kept.any()))

    def test_zeros_that_are_left_have_the_size_of_what_cancelled(self):
        left, = slack(lambda: [torch.log_softmax(300 * torch.linspace(-1, 1, 20, dtype=torch.float64)[:, None], 1)], 1e-8)
        self.assertTrue(bool((left < 1e-10).all()))

    def test_products_that_overflow_before_a_zero_are_not(self):
        def products(x):
            overflows = torch.cat([1e30 * (x.abs() + 1), torch.zeros(1, 20, dtype=torch.float64)])
            return torch.prod(overflows, 0), torch.prod(overflows), torch.prod(x, 0), torch.prod(x[0, 0])
        along, whole, small, one = self.masks(products, [20, 20])
        self.assertTrue(bool(along.all() and whole.all()))
        self.assertFalse(bool(small.any() or one.any()))

    def test_signs_of_chosen_zeros_are_not(self):
        def angles(x, zeros):
            zeros = zeros.masked_fill(zeros > 0, 0.0).masked_fill(zeros < 0, -0.0)
            return torch.atan2(zeros, torch.topk(zeros, 3, dim=0)[0][:1]), torch.atan2(x, zeros), F.conv1d(x[None], x[:, :, None], padding=1)[..., :1]
        chosen, given, padded = self.masks(angles, [30, 30], [30, 30])
        self.assertTrue(bool(chosen.any()))
        self.assertFalse(bool(given.any()))
        self.assertFalse(bool(padded.any()))

    def test_jumps_of_what_nothing_rounded_are(self):
        for function in (lambda x: torch.floor(4 * torch.floor(x)), lambda x: (x > x.flip(0), torch.argmax(x, dim=0)), lambda x: torch.sort(x)[0],
                         lambda x: torch.sign(torch.relu(x)), lambda x: 1 / (torch.relu(x.t()) - 0.5),
                         lambda x: torch.linalg.vector_norm(F.layer_norm(x, [30]), dim=0), lambda x: x.cumsum(0).cumprod(1),
                         lambda x: F.scaled_dot_product_attention(x[None], x[None], 3 * x[None])):
            for mask in self.masks(function, [30, 30]):
                self.assertFalse(bool(mask.any()))


class Ending(unittest.TestCase):
    def test_a_signal_leaves_a_summary(self):
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.addCleanup(lambda: [signal.signal(number, handler) for number, handler in handlers.items()])
        with tempfile.TemporaryDirectory() as out:
            told = io.StringIO()
            timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM))
            timer.start()
            self.addCleanup(timer.cancel)
            with contextlib.redirect_stdout(told):
                self.assertEqual(main(["1000", "--jobs", "1", "--out", out]), 1)
            self.assertIn("ended by a signal", told.getvalue())
            self.assertEqual(json.loads((pathlib.Path(out) / "summary.json").read_text())["asked"], 1000)


class Exporting(unittest.TestCase):
    def found(self, patched, failure):
        with tempfile.TemporaryDirectory() as folder, mock.patch(patched, side_effect=failure):
            path = pathlib.Path(folder) / "model.py"
            path.write_text(generate("valid", 3).source())
            return import_graph(path)

    def test_failures_of_the_exporter_itself_are_no_findings(self):
        # What PyTorch's own code raises below torch.export.export, here an IndexError of its split.
        with self.assertRaisesRegex(NotExported, "torch.export failed"):
            self.found("torch.export.export", lambda *_: torch.split(torch.zeros(0), 1, dim=3))
        with self.assertRaises(Stop):
            self.found("kgen.importer.decompose", lambda *_: torch.split(torch.zeros(0), 1, dim=3))

    def test_another_shape_than_pytorch_computes_is_the_exporters(self):
        # PyTorch 2.11 exports a norm over one of two dimensions of one element as if it kept that dimension.
        with tempfile.TemporaryDirectory() as folder, mock.patch("fuzz.check.import_file", return_value="    return %n : tensor<1x1xbf16>\n"):
            path = pathlib.Path(folder) / "model.py"
            path.write_text("import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.sum(0)\n\n\n"
                            "def get_init_inputs():\n    return []\n\n\ndef get_inputs():\n    return [torch.zeros(1, 1)]\n")
            with self.assertRaisesRegex(NotExported, r"result 0 the shape \[1, 1\], PyTorch computes \[1\]"):
                import_graph(path)


if __name__ == "__main__":
    unittest.main()
