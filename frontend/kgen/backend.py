# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(module, backend="kgen"): kernels that kgen has, PyTorch for the rest; never a search of its own.

Found through the entry-point group torch_dynamo_backends. Dynamo guards on what the kernels were made for.
"""
import warnings

import torch

from kgen.compiler import PRECISIONS, CompiledGraph, quiet
from kgen.devices import move_constants
from kgen.exporting import chosen_by_data
from kgen.guards import overlap
from kgen.maker import KERNELS
from kgen.subgraph import settled


def kgen_backend(module, example_inputs, *, precision=None, kernels=None, options=None, mode=None):
    """A callable for the GraphModule that Dynamo traced. Graphs with symbolic sizes, or that autograd records, stay
    PyTorch's, said once each. OPTIONS as torch.compile passes them: {"precision": class, "kernels": which}; MODE is Inductor's."""
    if mode not in (None, "default"):
        raise ValueError(f"mode is {mode!r}, and backend \"kgen\" has none")
    options = {"precision": precision, "kernels": kernels, **(options or {})}
    if unknown := sorted(options.keys() - {"precision", "kernels"}):
        raise ValueError(f"option {unknown[0]!r} is unknown to backend \"kgen\", expected \"precision\" or \"kernels\"")
    precision, kernels = options["precision"], options["kernels"]
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}, expected \"strict-fp32\", \"tf32\", \"bf16\" or \"fp16\"")
    if kernels not in (None, *KERNELS):
        raise ValueError(f"kernels is {kernels!r}, expected \"first\" or \"generic\"")
    graph, why = compiled_graph(module, example_inputs, precision=precision, search="cached", kernels=kernels)
    if graph is None:
        return _kept(module, why)

    def run(*values):
        with torch.no_grad():
            return graph.run(*values)

    run.coverage = graph.coverage
    return run


def compiled_graph(module, example_inputs, **options):
    """(the kernels of what Dynamo traced, None); (None, why it stays PyTorch's)."""
    if not all(isinstance(value, torch.Tensor) for value in example_inputs):
        return None, "its sizes are symbolic: data decides them, they changed (torch.compile's dynamic=False), or mark_dynamic"
    if torch.is_grad_enabled() and any(value.requires_grad for value in example_inputs):
        return None, "gradients are on, and kgen's kernels have none: use torch.no_grad()"
    # Dynamo's own context is not for this export: what it learned there of sizes, Dynamo would have to guard.
    with torch.no_grad(), quiet(), torch._guards.tracing(None):
        try:
            exported = torch.export.export(module, tuple(example_inputs), strict=False)
            exported = settled(exported)
        except Exception as error:  # export raises many kinds
            words = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            return None, f"torch.export cannot take it: {words}"
        if chosen_by_data(exported.graph):
            return None, "it chooses by what is in a tensor (torch.cond or a loop of its kind)"
        device = next((value.device for value in example_inputs if value.is_cuda), torch.device("cpu"))
        try:
            sources, places = _read(exported, module, move_constants(exported, device))
        except KeyError as unknown:
            return None, f"its graph gives or takes a {unknown.args[0]}"
        # Dynamo hands fake tensors over: nothing can be compared here.
        real = not any(isinstance(value, torch._subclasses.FakeTensor) for value in example_inputs)
        given = _given(sources, example_inputs)
        weights = [place for place, (source, value) in enumerate(zip(sources, given))
                   if place not in places and (not isinstance(source, int) or isinstance(value, torch.nn.Parameter))]
        graph = CompiledGraph(exported.graph_module, device, values=given if real else None, weights=weights, places=places, **options)
        return _Called(graph, sources, places, module.forward), None


def _read(exported, module, moved):
    """(what each placeholder gets: the position of an input, or a tensor; which placeholder each result is written to, None for an answer). MOVED: constants on
    another device. Raises KeyError with the kind of what is neither."""
    inputs, outputs = torch.export.graph_signature.InputKind, torch.export.graph_signature.OutputKind
    sources, names = [], {}
    for place, item in enumerate(exported.graph_signature.input_specs):
        if item.kind == inputs.USER_INPUT:
            sources.append(sum(isinstance(source, int) for source in sources))
            names[item.arg.name] = place
        elif item.kind == inputs.CONSTANT_TENSOR:
            sources.append(moved.get(place, exported.constants[item.target]))
        elif item.kind in (inputs.BUFFER, inputs.PARAMETER):
            owner = module.get_submodule(item.target.rpartition(".")[0])
            sources.append(getattr(owner, item.target.rpartition(".")[2]))
            names[item.target] = place
        else:
            raise KeyError(item.kind.name.lower())
    places = []
    for item in exported.graph_signature.output_specs:
        if item.kind not in (outputs.USER_OUTPUT, outputs.USER_INPUT_MUTATION, outputs.BUFFER_MUTATION):
            raise KeyError(item.kind.name.lower())
        places.append(None if item.kind == outputs.USER_OUTPUT else names[item.target])
    return sources, places


def _given(sources, values):
    return [values[source] if isinstance(source, int) else source for source in sources]


class _Called:
    """GRAPH for the values that Dynamo passes: what it holds comes with them (SOURCES), and what it writes to (PLACES) is written. ORIGINAL runs where
    that shares memory with another value."""

    def __init__(self, graph, sources, places, original):
        self._graph, self._sources, self._places, self._original = graph, sources, places, original
        self._written = {place for place in places if place is not None}
        self.coverage, self.precision, self.module = graph.coverage, graph.precision, graph.module

    @property
    def prepared(self):
        return self._graph.prepared

    def refresh(self):
        """What is prepared of weights is prepared anew before the next run."""
        self._graph.refresh([None] * len(self._sources))

    def run(self, *values):
        given = _given(self._sources, values)
        if self._written and overlap(given, self._written):
            return self._original(*values)
        return [result for place, result in zip(self._places, self._graph.run_in_place(*given), strict=True) if place is None]


def _kept(module, why):
    if why not in _kept.said:
        _kept.said.add(why)
        warnings.warn(f"kgen leaves a graph to PyTorch: {why}", stacklevel=3)
    return module.forward


_kept.said = set()
