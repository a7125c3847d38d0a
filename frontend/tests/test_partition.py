# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cut between kgen and PyTorch beside torch.fx's CapabilityBasedPartitioner: the same ops, in no more pieces, without a cycle."""
import itertools
import random
import unittest
import warnings

import torch
from torch import nn
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import kgen
from kgen.devices import move_constants, staying
from kgen.ordering import scheduled
from kgen.segments import packet_of, segments_of
from kgen.subgraph import refusal, settled


class Support(OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and refusal(node) is None


def kept(x):
    """An op that stays PyTorch's."""
    return torch.special.bessel_j0(x)


class Shape(nn.Module):
    """A graph around ops that stay PyTorch's, in places where pieces of the largest size would wait for each other."""

    def __init__(self, forward):
        super().__init__()
        self.layer, self._forward = nn.Linear(4, 4), forward

    def forward(self, x):
        return self._forward(self.layer, x)


def diamond(layer, x):
    top = layer(x)
    return kept(top) + torch.relu(top)


def long_way_round(layer, x):
    """What is behind the op that stays, and what is before the second one, are independent."""
    first, second = layer(x), torch.softmax(x, -1)
    behind = torch.tanh(kept(first)) * second
    return behind + kept(torch.exp(second)) - layer(second)


def branches(layer, x):
    return sum(torch.tanh(kept(layer(x * scale))) for scale in (1.0, 2.0, 3.0))


def nested(layer, x):
    outer = layer(x)
    inner = torch.sigmoid(outer)
    return torch.relu(kept(kept(inner) + inner) + layer(inner)) + outer


def several_results(layer, x):
    values, places = torch.topk(layer(x), 2)
    top, where = torch.frexp(layer(x))
    return values + top[:, :2] + kept(x)[:, 2:], places + where[:, 1:3]


def drawn(seed, count=14):
    """A random graph; about three of ten ops stay PyTorch's."""
    def forward(layer, x):
        chance, values = random.Random(seed), [x]
        for _ in range(count):
            one, other, kind = chance.choice(values[-4:]), chance.choice(values), chance.random()
            values.append(kept(one) if kind < 0.3 else layer(one) if kind < 0.5 else one + other if kind < 0.8 else torch.softmax(one, -1))
        return values[-1], values[-2]
    return forward


SHAPES = (diamond, long_way_round, branches, nested, several_results)


def exported(forward):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        return settled(torch.export.export(Shape(forward).eval(), (torch.ones(4, 4),))).graph_module


class Partition(unittest.TestCase):
    def pieces(self, module):
        """How many pieces of kgen's the calls of a compiled MODULE have, after the cut was held against the graph."""
        segments, where = segments_of(module.graph)
        for node in where:
            for source in node.all_input_nodes:
                self.assertLessEqual(where.get(source, -1), where[node], f"{node} reads {source}, which comes later")
        self.assertEqual(sorted(map(str, where)), sorted(str(node) for segment in segments for node in segment.nodes))
        segments = [segment for segment in segments if segment.nodes]
        order = scheduled([(not segment.refused, {where[source] for node in segment.nodes for source in node.all_input_nodes if source in where}
                            - {segment.number}, {segment.number}, False) for segment in segments])
        return sum(kernels for kernels, _ in itertools.groupby(not segments[index].refused for index in order))

    def test_as_good_as_the_capability_based_partitioner(self):
        saved = 0
        for forward in (*SHAPES, *map(drawn, range(20))):
            module = exported(forward)
            partitions = CapabilityBasedPartitioner(module, Support(), allows_single_node_partition=True).propose_partitions()
            segments, _ = segments_of(module.graph)
            self.assertEqual({node for segment in segments if not segment.refused for node in segment.nodes},
                             {node for partition in partitions for node in partition.nodes})
            pieces = self.pieces(module)
            self.assertLessEqual(pieces, len(partitions))
            whys = [refusal(node) is None for node in module.graph.nodes if node.op == "call_function"]
            saved += sum(kernels for kernels, _ in itertools.groupby(whys)) - pieces
        self.assertGreater(saved, 0, "the graphs' own order was never worse: the test sees nothing")

    def test_equal_and_in_that_many_calls(self):
        torch.manual_seed(2)
        x = torch.randn(4, 4)
        for forward, calls in zip(SHAPES, (2, 2, 2, 3, 2)):
            with self.subTest(forward.__name__), warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                module = Shape(forward).eval()
                compiled = kgen.compile(module, (x,))
                torch.testing.assert_close(compiled(x), module(x), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(compiled(x + 1), module(x + 1), rtol=1e-4, atol=1e-5)
                self.assertFalse(compiled.misses)
                program = compiled._entries[0].graph._program
                self.assertEqual(sum(hasattr(item, "reads") for item in program._items), calls)

    def test_what_nobody_reads_is_not_computed(self):
        def forward(layer, x):
            layer(torch.softmax(x, -1)).cumsum(0)
            return torch.tanh(x)
        self.assertEqual([str(node.target) for node in exported(forward).graph.nodes if node.op == "call_function"], ["aten.tanh.default"])

    def test_what_draws_keeps_its_turn(self):
        def forward(layer, x):
            late = torch.rand_like(layer(kept(x)))
            return late, torch.rand_like(x), torch.tanh(x)
        x, module = torch.ones(4, 4), Shape(forward).eval()
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (x,), check=False)
            torch.manual_seed(3)
            expected = module(x)
            torch.manual_seed(3)
            torch.testing.assert_close(compiled(x), expected)


class Orders(unittest.TestCase):
    def test_no_order_has_fewer_runs(self):
        """Beside every order that there is."""
        def runs(parts, order):
            return sum(kernels for kernels, _ in itertools.groupby(parts[index][0] for index in order))
        chance = random.Random(4)
        for _ in range(60):
            parts = [(chance.random() < 0.6, [source for source in range(index) if chance.random() < 0.3], [index], chance.random() < 0.2)
                     for index in range(6)]
            fixed = [index for index in range(6) if parts[index][3]]
            legal = [order for order in itertools.permutations(range(6))
                     if all(order.index(source) < order.index(index) for index in range(6) for source in parts[index][1])
                     and [index for index in order if parts[index][3]] == fixed]
            order = scheduled(parts)
            self.assertIn(tuple(order), legal)
            self.assertEqual(runs(parts, order), min(runs(parts, each) for each in legal))


class Numbers(torch.nn.Module):
    """Arithmetic with numbers that torch.tensor() puts on the CPU."""

    def forward(self, x):
        scale = torch.sqrt(torch.tensor(8.0) * 3)
        return torch.relu(x) / scale, torch.tensor(7) + 1


class OnTwoDevices(unittest.TestCase):
    def test_numbers_of_the_cpu_move_and_results_there_stay(self):
        program = settled(torch.export.export(Numbers(), (torch.ones(4, 4),)))
        graph = program.graph_module.graph
        self.assertEqual(move_constants(program, torch.device("cpu")).keys(), {0, 1}, "all are on one device")
        self.assertEqual(staying(graph), set())
        # "meta" for a card: what depends on x is there.
        x = next(node for node in graph.nodes if node.op == "placeholder" and not node.meta.get("constant"))
        there = {x}
        for node in graph.nodes:
            if there & set(node.all_input_nodes):
                there.add(node)
        for node in there:
            if isinstance(node.meta.get("val"), torch.Tensor):
                node.meta["val"] = torch.empty(node.meta["val"].shape, device="meta")
        moved = move_constants(program, torch.device("meta"))
        self.assertEqual([value.device.type for value in moved.values()], ["meta"], "the number that is a result stays")
        segments, where = segments_of(graph)
        why = {packet_of(node): segments[where[node]].refused for node in where}
        self.assertEqual([why[op] for op in ("relu", "sqrt", "div")], [[], [], []])
        self.assertEqual(why["add"][0][1], "is computed on the CPU")


if __name__ == "__main__":
    unittest.main()
