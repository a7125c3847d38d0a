# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that kgen.compile returns: guards, the original behind them, and parameters by reference."""
import warnings

import torch
from torch.utils import _pytree as pytree

from kgen.compiler import CompiledGraph, quiet
from kgen.exporting import decompose
from kgen.graph_writer import GraphWriter


class CompileFailed(RuntimeError):
    """A module that cannot be exported, in one sentence."""


def _facts(value):
    """What a guard compares: of a tensor its type, shape, strides and device; another value is itself."""
    if isinstance(value, torch.Tensor):
        return (value.dtype, tuple(value.shape), value.stride(), value.device)
    return value


def _describe(facts):
    if isinstance(facts, tuple) and len(facts) == 4 and isinstance(facts[0], torch.dtype):
        return f"{facts[0]} {tuple(facts[1])} with strides {facts[2]} on {facts[3]}"
    return repr(facts)


class _Entry:
    """The kernels for one set of example inputs."""

    def __init__(self, original, arguments, keywords, options):
        with torch.no_grad(), quiet():
            try:
                exported = torch.export.export(original, arguments, keywords, strict=False)
                # In a form that writes nothing in place.
                exported = decompose(exported, GraphWriter, [None])
            except Exception as error:  # export raises many kinds
                words = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
                raise CompileFailed(f"torch.export cannot take {type(original).__name__}: {words}") from error
        self.spec = exported.call_spec.in_spec
        self.out_spec = exported.call_spec.out_spec
        leaves, _ = pytree.tree_flatten((arguments, keywords))
        self.inputs = [_facts(leaf) for leaf in leaves]
        self.signature = exported.graph_signature
        kinds = torch.export.graph_signature.InputKind
        self.sources, position = [], 0
        for item in self.signature.input_specs:
            if item.kind == kinds.USER_INPUT:
                self.sources.append(("input", position))
                position += 1
            elif item.kind in (kinds.PARAMETER, kinds.BUFFER) and item.target in exported.state_dict:
                self.sources.append(("state", item.target))
            else:
                constants = {**exported.constants}
                held = constants.get(item.target)
                # A buffer that is not persistent lives in the module, not in its state_dict.
                if item.kind == kinds.BUFFER:
                    self.sources.append(("state", item.target))
                else:
                    self.sources.append(("constant", held))
        values = self.values(original, leaves)
        self.state = [(kind, _facts(value)) for (kind, _), value in zip(self.sources, values)]
        devices = {value.device for value in values if isinstance(value, torch.Tensor)}
        self.device = next((device for device in devices if device.type == "cuda"), torch.device("cpu"))
        with torch.no_grad():
            self.graph = CompiledGraph(exported.graph_module, self.device, values=[_copied(value) for value in values],
                                       **options)

    def values(self, original, leaves):
        """What the graph's placeholders get: parameters and buffers as the module has them now."""
        out = []
        for kind, what in self.sources:
            out.append(leaves[what] if kind == "input" else what if kind == "constant" else _lookup(original, what))
        return out

    def miss(self, leaves, spec, values):
        """Why this call is not what the kernels were made for; None when it is."""
        if spec != self.spec:
            return "the arguments have another structure"
        for index, (found, expected) in enumerate(zip(leaves, self.inputs)):
            if _facts(found) != expected:
                return f"input {index} is {_describe(_facts(found))}, the kernels are for {_describe(expected)}"
        for (kind, expected), (_, name), value in zip(self.state, self.sources, values):
            if kind == "state" and _facts(value) != expected:
                return f"{name} is {_describe(_facts(value))}, the kernels are for {_describe(expected)}"
        return None

    def run(self, original, leaves, values):
        results = self.graph.run(*values)
        kinds = torch.export.graph_signature.OutputKind
        outputs = []
        for item, result in zip(self.signature.output_specs, results):
            if item.kind == kinds.BUFFER_MUTATION:
                _lookup(original, item.target).copy_(result)
            elif item.kind == kinds.USER_INPUT_MUTATION:
                names = [spec.arg.name for spec in self.signature.input_specs if spec.kind.name == "USER_INPUT"]
                leaves[names.index(item.target)].copy_(result)
            else:
                outputs.append(item.arg.value if result is None and hasattr(item.arg, "value") else result)
        return pytree.tree_unflatten(outputs, self.out_spec)


def _copied(value):
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _lookup(module, name):
    path, _, leaf = name.rpartition(".")
    return getattr(module.get_submodule(path) if path else module, leaf)


class CompiledModule(torch.nn.Module):
    """A module with ORIGINAL's signature, parameters and buffers, computed by kgen's kernels where they fit.

    A call that they were not made for (another shape, type, stride or device, changed parameter shapes, another
    structure of arguments, training mode) runs the original: counted in report(), and said once. So does a call that
    autograd would record, unless gradients="ignore".
    """

    def __init__(self, original, gradients, options):
        super().__init__()
        object.__setattr__(self, "_entries", [])
        self._original = original
        self._gradients, self._options = gradients, options
        self._training_at_compile = original.training
        self._said = set()
        self.misses = {}

    def add(self, arguments, keywords):
        """Kernels for one more set of example inputs."""
        self._entries.append(_Entry(self._original, tuple(arguments), dict(keywords), self._options))
        return self

    def forward(self, *arguments, **keywords):
        leaves, spec = pytree.tree_flatten((arguments, keywords))
        why = None
        if self._original.training != self._training_at_compile:
            why = "the module changed between training and evaluation"
        else:
            for entry in self._entries:
                if spec != entry.spec:
                    why = why or "the arguments have another structure"
                    continue
                try:
                    values = entry.values(self._original, leaves)
                except AttributeError as gone:
                    why = f"the module changed: {gone}"
                    continue
                missed = entry.miss(leaves, spec, values)
                if missed is None:
                    if torch.is_grad_enabled() and self._gradients == "original" and any(
                            isinstance(value, torch.Tensor) and value.requires_grad for value in values):
                        why = "gradients are on; kgen's kernels have none (torch.no_grad(), or gradients=\"ignore\")"
                        break
                    with torch.no_grad():
                        return entry.run(self._original, leaves, values)
                why = why or missed
        self._count(why)
        return self._original(*arguments, **keywords)

    def _count(self, why):
        self.misses[why] = self.misses.get(why, 0) + 1
        if why not in self._said:
            self._said.add(why)
            warnings.warn(f"kgen runs the original {type(self._original).__name__}: {why}", stacklevel=4)

    # The original's state is this module's: the same names, the same tensors.

    def state_dict(self, *arguments, **keywords):
        return self._original.state_dict(*arguments, **keywords)

    def load_state_dict(self, *arguments, **keywords):
        return self._original.load_state_dict(*arguments, **keywords)

    def named_parameters(self, *arguments, **keywords):
        return self._original.named_parameters(*arguments, **keywords)

    def named_buffers(self, *arguments, **keywords):
        return self._original.named_buffers(*arguments, **keywords)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_original"), name)


def compile(module, example_inputs, example_keywords=None, *, precision=None, search="none", gradients="original",
            check=True):
    """MODULE computed by kgen's kernels; the same signature, the same parameters.

    EXAMPLE_INPUTS: a tuple of positional arguments, or a list of such tuples, one for each shape that calls will have;
    EXAMPLE_KEYWORDS the keyword arguments (a list beside a list). PRECISION: "strict-fp32", "tf32", "bf16" or "fp16"; by
    default a float32 module has tf32 products only where PyTorch's own settings allow them. SEARCH: "none" takes kgen's
    first kernels, "cached" those that an earlier search found, a number searches for that many minutes for each kernel.
    CHECK: every kernel is compared once with PyTorch's own ops on the example's activations, and left out where it
    differs. Raises CompileFailed when the module cannot be exported.
    """
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module, found {type(module).__name__}")
    if search not in ("none", "cached") and not (isinstance(search, (int, float)) and search > 0):
        raise ValueError(f"search is {search!r}, expected \"none\", \"cached\" or a number of minutes")
    if gradients not in ("original", "ignore"):
        raise ValueError(f"gradients is {gradients!r}, expected \"original\" or \"ignore\"")
    examples = example_inputs if isinstance(example_inputs, list) else [example_inputs]
    keywords = example_keywords if isinstance(example_keywords, list) else [example_keywords or {}] * len(examples)
    compiled = CompiledModule(module, gradients, {"precision": precision, "search": search, "check": check})
    for arguments, named in zip(examples, keywords, strict=True):
        if not isinstance(arguments, tuple):
            arguments = (arguments,)
        compiled.add(arguments, named)
    return compiled


def report(compiled):
    """What of COMPILED is kgen's, what is PyTorch's and why, and how often the original ran: one Coverage for each set
    of example inputs."""
    if not isinstance(compiled, CompiledModule):
        raise TypeError(f"expected what kgen.compile returned, found {type(compiled).__name__}")
    reports = [entry.graph.coverage for entry in compiled._entries]
    for one in reports:
        one.misses = compiled.misses
    return reports[0] if len(reports) == 1 else reports
