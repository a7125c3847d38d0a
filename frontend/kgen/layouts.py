# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that lie in memory as a permutation of row-major order, channels_last among them: read and written as they lie."""
import operator

import torch

from kgen.subgraph import refusal
from kgen.text import order_of


def _inverse(order):
    return sorted(range(len(order)), key=order.__getitem__)


class Layouts:
    """How a graph's values enter it and leave it: `inputs` and `results`, {position: the permutation that is applied there}."""

    def __init__(self):
        self.inputs, self.results = {}, {}

    @classmethod
    def of(cls, module, examples):
        """Rewrites MODULE, a GraphModule of ATen calls, for row-major values: what lies otherwise in EXAMPLES, its arguments, is
        taken permuted, and so is given what PyTorch would return in such strides. The permutations become calls in the graph,
        which kernels take as a way to index."""
        made = cls()
        graph = module.graph
        end = next(node for node in graph.nodes if node.op == "output")
        placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        for position, (node, example) in enumerate(zip(placeholders, examples)):
            order = order_of(example)
            if order is None or end in node.users or not isinstance(node.meta.get("val"), torch.Tensor):
                continue
            whole = node.meta["val"]
            for user in list(node.users):
                user.replace_input_with(node, _permute(graph, user, node, _inverse(order), whole))
            node.meta["val"] = whole.permute(order)
            made.inputs[position] = order
        results = list(end.args[0])
        for position, node in enumerate(results):
            order = order_of(node.meta.get("val")) if isinstance(node, torch.fx.Node) and node.op == "call_function" else None
            if order is not None and not _stays(node):
                results[position] = _permute(graph, end, node, order, node.meta["val"].permute(order))
                made.results[position] = _inverse(order)
        end.args = (tuple(results),)
        if made.inputs or made.results:
            graph.lint()
            module.recompile()
        return made

    def enter(self, values):
        """VALUES as the rewritten graph takes them; None stays None."""
        return [value.permute(self.inputs[position]) if position in self.inputs and value is not None else value
                for position, value in enumerate(values)] if self.inputs else values

    def leave(self, results):
        """RESULTS of the rewritten graph as the original gives them."""
        return [result.permute(self.results[position]) if position in self.results else result
                for position, result in enumerate(results)] if self.results else results


def is_added(node):
    """Whether NODE is a permutation of Layouts', no op of the module's."""
    return "kgen_layout" in node.meta


def _permute(graph, before, node, order, value):
    """NODE permuted, a new call before BEFORE."""
    with graph.inserting_before(before):
        call = graph.call_function(torch.ops.aten.permute.default, (node, order))
    call.meta["val"], call.meta["kgen_layout"] = value, True
    if "stack_trace" in before.meta:
        call.meta["stack_trace"] = before.meta["stack_trace"]
    return call


def _stays(node):
    """Whether PyTorch computes NODE, in the strides that it has."""
    source = node.args[0] if node.target is operator.getitem else node
    return refusal(source) is not None
