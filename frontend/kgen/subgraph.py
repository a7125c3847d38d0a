# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of an exported graph as kgen's MLIR text, and which nodes kgen can take."""
import operator
import re
import types

import torch

from kgen.errors import ImportRefused
from kgen.exporting import NeedsDecomposition, decompose, without_effects
from kgen.graph_writer import GraphWriter, Value
from kgen.strides import strided_from_copies
from kgen.text import tensor_type


_DROPOUTS = frozenset((torch.ops.aten.dropout.default, torch.ops.aten.feature_dropout.default, torch.ops.aten.alpha_dropout.default,
                       torch.ops.aten.feature_alpha_dropout.default))


class _Writer(GraphWriter):
    """Writes a GraphModule whose placeholders are all tensors: weights come in like any other input. NEW_VALUES, {result: placeholder}, are what
    placeholders hold afterwards, and DRAWS, {placeholder: Distribution}, what a search draws for them."""

    def __init__(self, graph, name, precision=None, parameters=(), new_values=None, draws=None):
        file = types.SimpleNamespace(name=name, precision=precision, path=types.SimpleNamespace(name="torch.export"))
        super().__init__(file, None, types.SimpleNamespace(graph=graph), {})
        self._parameters, self._new_values, self._draws = frozenset(parameters), new_values or {}, draws or {}

    def _arguments(self):
        lines = []
        for node in self._exported.graph.nodes:
            if node.op != "placeholder":
                continue
            self._node = node
            value = self.bind(node)
            attributes = [f'kgen.name = "{node.name}"'] + ["kgen.parameter"] * (node.name in self._parameters)
            # Else a search would draw rows that there are not.
            drawn = self._rows_of_a_table(node) or self._draws.get(node.name)
            attributes += [f'kgen.init = "{drawn}"'] if drawn else []
            lines.append(f"    {value.name}: {self._type(value)} {{{', '.join(attributes)}}}")
        return lines

    def _returned(self, node):
        values = super()._returned(node)
        if len(values) == len(node.args[0]):
            self.results = [("mutation", self._new_values[index]) if index in self._new_values else kind for index, kind in enumerate(self.results)]
        return values

    def bind(self, node):
        """Makes NODE's value known as an input."""
        tensor = node.meta.get("val")
        if not isinstance(tensor, torch.Tensor):
            self._refuse(f"{node.name} is no tensor")
        value = Value(self._fresh(node.name), tensor)
        self._values[node] = value
        return value

    def _place(self):
        return place_of(self._node)


def place_of(node):
    """FILE:LINE of the user's line that NODE comes from; None when the trace has none."""
    trace = (node.meta.get("stack_trace") or "") if node is not None else ""
    lines = re.findall(r'File "([^"]+)", line (\d+)', trace)
    return f"{lines[-1][0]}:{lines[-1][1]}" if lines else None


def graph_text(graph, name, precision=None, parameters=(), new_values=None, draws=None):
    """The MLIR text of GRAPH (an fx.Graph of ATen calls on tensors). NEW_VALUES: {the number of a result: the placeholder whose new value it is}.
    DRAWS: {placeholder: the Distribution of its elements}. Raises ImportRefused."""
    return _Writer(graph, name, precision, parameters, new_values, draws).text()


def anonymous_text(graph, precision, parameters=(), new_values=None, draws=None):
    """GRAPH's text under names that say nothing of where it stands, so that equal layers have equal texts. PARAMETERS, by these
    names, are weights, NEW_VALUES those whose new value a result is, and DRAWS has the Distributions of some."""
    plain = torch.fx.Graph()
    seen, counts = {}, {}
    for node in graph.nodes:
        copied = plain.node_copy(node, lambda old: seen[old])
        counts[node.op] = counts.get(node.op, 0) + 1
        copied.name = f"{'x' if node.op == 'placeholder' else 'v'}{counts[node.op]}"
        if node.op == "placeholder":
            copied.target = copied.name
        seen[node] = copied
    return graph_text(plain, "segment", precision, parameters, new_values, draws)


class Undecomposed(str):
    """A refusal that PyTorch's decomposition of `target` may remove; None: of all that writes in place."""

    def __new__(cls, words, target):
        made = super().__new__(cls, words)
        made.target = target
        return made


def settled(exported):
    """EXPORTED in a form that writes nothing in place and asks for no more decompositions."""
    more = {None}
    _without_dropout(exported)
    while True:
        exported = without_effects(decompose(exported, GraphWriter, more))
        needed = {why.target for why in map(refusal, exported.graph.nodes) if isinstance(why, Undecomposed)} - more
        if not needed:
            return _answers_first(_without_unused(strided_from_copies(exported)))
        more |= needed


def _answers_first(exported):
    """EXPORTED with its answers in front of what buffers and arguments hold afterwards, as the importer has them: what a search found for an imported
    problem is known again (applied.py)."""
    signature, graph = exported.graph_signature, exported.graph_module.graph
    order = sorted(range(len(signature.output_specs)), key=lambda index: signature.output_specs[index].kind != torch.export.graph_signature.OutputKind.USER_OUTPUT)
    end = next(node for node in graph.nodes if node.op == "output")
    end.args = (tuple(end.args[0][index] for index in order),)
    signature.output_specs[:] = [signature.output_specs[index] for index in order]
    exported.graph_module.recompile()
    return exported


def _without_dropout(exported):
    """Has dropouts that drop nothing give their operand itself, as PyTorch's do: what is written to one shows in the other. Functional forms of
    the graph take them for values of their own."""
    graph = exported.graph_module.graph
    for node in list(graph.nodes):
        given = dict(zip(("input", "p", "train"), node.args)) | node.kwargs if node.target in _DROPOUTS else {}
        if given and (given.get("train") is False or given.get("p") == 0):
            node.replace_all_uses_with(given["input"])
            graph.erase_node(node)
            for item in exported.graph_signature.output_specs:
                if item.arg.name == node.name:
                    item.arg = torch.export.graph_signature.TensorArgument(given["input"].name)
    exported.graph_module.recompile()


def _without_unused(exported):
    """EXPORTED without what kgen could compute and nobody reads. What is PyTorch's may do more than give a value."""
    for node in reversed(exported.graph.nodes):
        if node.op == "call_function" and not node.users and refusal(node) is None:
            exported.graph.erase_node(node)
    exported.graph_module.recompile()
    return exported


def refusal(node):
    """Why kgen cannot compute NODE, in words; None when it can."""
    if node.op != "call_function":
        return f"{node.op} {node.target}"
    if node.target is operator.getitem:
        return refusal(node.args[0])
    writer = _Writer(node.graph, "node")
    writer._node = node
    try:
        for source in node.all_input_nodes:
            writer.bind(source)
        if isinstance(node.meta.get("val"), torch.Tensor):
            tensor_type(node.meta["val"])
        writer._call(node)
    except ImportRefused as refused:
        return str(refused).removeprefix(f"{place_of(node)}: ")
    except NeedsDecomposition as needed:
        return Undecomposed(f"{node.target} has to be decomposed first", needed.target)
    except KeyError as missing:
        return f"element type {missing} is not in the dialect"
    return None
