# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that torch.export cannot take whole, as what they do depends on data: Dynamo's graphs, and Python between them as it is."""
import torch

from kgen.backend import compiled_graph
from kgen.compiler import Coverage
from kgen.guards import Hooks, Inputs
from kgen.structure import flatten


class Pieces:
    """The kernels of ORIGINAL for one set of example inputs, made in the first call, when Dynamo knows the graphs. Dynamo guards on
    what each was made for; another one is made where that does not hold."""

    def __init__(self, original, arguments, keywords, options, why):
        leaves, spec = flatten(arguments, keywords)
        self.inputs = Inputs(leaves, spec)
        self._original, self._options, self._failed, self._graphs = original, options, None, []
        self._call = torch.compile(original, backend=self._made)
        # Dynamo does not guard on these.
        self._hooks = Hooks(original)
        self.coverage, self.precision = Coverage(in_pieces=True), options["precision"]
        self.coverage.notes.append(f"in pieces, made in the first call: {why}")

    @property
    def graph(self):
        return self

    @property
    def prepared(self):
        counts = [graph.prepared for graph in self._graphs if graph.prepared is not None]
        return sum(counts) if counts else None

    def refresh(self):
        for graph in self._graphs:
            graph.refresh()

    def _made(self, module, example_inputs):
        graph, why = compiled_graph(module, example_inputs, **self._options)
        if graph is None:
            count = sum(node.op not in ("placeholder", "output") for node in module.graph.nodes)
            if count:
                self.coverage.rows.append(["a graph", count, "PyTorch", why, None, 0.0])
            return module.forward
        self._graphs.append(graph)
        self.precision = graph.precision
        self.coverage.rows += graph.coverage.rows
        self.coverage.kernels += graph.coverage.kernels
        self.coverage.notes += [note for note in graph.coverage.notes if note not in self.coverage.notes]
        return lambda *values: graph.run(*values)

    def miss(self, leaves, spec):
        """As an _Entry's: the values are those that autograd may record."""
        why = self._failed or self.inputs.miss(leaves, spec) or self._hooks.miss()
        return (why, None) if why is not None else (None, [*leaves, *self._original.parameters()])

    def run(self, values, call):
        arguments, keywords = call
        try:
            return self._call(*arguments, **keywords)
        except torch._dynamo.exc.TorchDynamoException as error:
            words = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            self._failed = f"torch.compile cannot take it in pieces: {words}"
            return self._original(*arguments, **keywords)
