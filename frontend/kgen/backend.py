# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(module, backend="kgen"): kernels that kgen has, PyTorch for the rest; never a search of its own.

Found through the entry-point group torch_dynamo_backends. Dynamo guards on what the kernels were made for.
"""
import warnings

import torch

from kgen.compiler import KERNELS, PRECISIONS, CompiledGraph, quiet
from kgen.exporting import chosen_by_data
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
    """(the CompiledGraph of what Dynamo traced, None); (None, why it stays PyTorch's)."""
    if not all(isinstance(value, torch.Tensor) for value in example_inputs):
        return None, "its sizes are symbolic (mark_dynamic, or a shape that changed): use dynamic=False"
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
        kinds = torch.export.graph_signature
        plain = (all(spec.kind == kinds.InputKind.USER_INPUT for spec in exported.graph_signature.input_specs) and
                 all(spec.kind == kinds.OutputKind.USER_OUTPUT for spec in exported.graph_signature.output_specs))
        if not plain:
            return None, "it changes its inputs or holds constants"
        device = next((value.device for value in example_inputs if value.is_cuda), torch.device("cpu"))
        # Dynamo hands fake tensors over: nothing can be compared here.
        real = not any(isinstance(value, torch._subclasses.FakeTensor) for value in example_inputs)
        return CompiledGraph(exported.graph_module, device, values=list(example_inputs) if real else None, **options), None


def _kept(module, why):
    if why not in _kept.said:
        _kept.said.add(why)
        warnings.warn(f"kgen leaves a graph to PyTorch: {why}", stacklevel=3)
    return module.forward


_kept.said = set()
