# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one exported graph as kgen's MLIR text."""
import operator
import re

import torch
from torch._subclasses.fake_tensor import FakeTensor

from kgen.composites import Composites
from kgen.distributions import Distribution, initial_distribution, observed
from kgen.errors import ImportRefused
from kgen.exporting import NeedsDecomposition, op_name
from kgen.op_table import CHECKS, IDENTITIES, LATER, LAYOUTS, SYNONYMS, VIEWS, WITHOUT_LOWERING, WORD_OF
from kgen.rewrites import Rewrites
from kgen.selections import Selections
from kgen.text import ELEMENTS, dense_text, float_text, shaped, tensor_type


class Value:
    """One SSA value: its text, a meta tensor, and whether it shares memory with another."""

    def __init__(self, name, tensor, aliased=False):
        self.name = name
        self.tensor = tensor
        self.aliased = aliased


class GraphWriter(Rewrites, Composites, Selections):
    """Values of fx nodes are Value, or lists of them for ops with several results.

    SOURCE has `name`, `path` and `precision`, PROBLEM `inputs` and the `recorder` of how tensors were drawn.
    """

    def __init__(self, source, problem, exported, small_shapes):
        self._source = source
        self._problem = problem
        self._exported = exported
        self._small = small_shapes
        self._values = {}
        self._lines = []
        self._names = {}  # how often each was asked for
        self._node = None
        # (name, kind) of each argument, kind being `input`, `parameter`, `buffer` or `constant`; the results' kinds and targets.
        self.arguments = []
        self.results = []

    # Text

    def text(self):
        lines = self._arguments()
        returned = None
        for node in self._exported.graph.nodes:
            self._node = node
            if node.op == "call_function":
                self._values[node] = self._call(node)
            elif node.op == "output":
                returned = self._returned(node)
            elif node.op == "get_attr" and any(user.target is torch.ops.higher_order.cond for user in node.users):
                self._refuse("torch.cond chooses by what is in a tensor, and a graph has one way through it (torch.where computes both)")
            elif node.op not in ("placeholder",):
                self._refuse(f"{node.op} {node.target} cannot be imported")
        types = [self._type(value) for value in returned]
        name = self._source.name
        attributes = [f'kgen.problem = "{name}"', f'kgen.source = "{self._source.path.name}"']
        if self._source.precision:
            attributes.insert(0, f'kgen.precision = "{self._source.precision}"')
        marked = [kind + (f' {{kgen.mutates = "{target}"}}' if target else "")
                  for kind, (_, target) in zip(types, self.results)]
        result = marked[0] if len(marked) == 1 and "{" not in marked[0] else f"({', '.join(marked)})"
        body = self._live_lines(returned)
        body.append(f"return {', '.join(value.name for value in returned)} : {', '.join(types)}")
        return (f"module attributes {{{', '.join(attributes)}}} {{\n"
                f"  func.func @{name}(\n" + ",\n".join(lines) + f")\n      -> {result} {{\n"
                + "".join(f"    {line}\n" for line in body) + "  }\n}\n")

    def _live_lines(self, returned):
        """The lines that a returned value needs, in order. Exported graphs hold dead views and assertions."""
        needed = {value.name for value in returned}
        lines = []
        for names, operands, line in reversed(self._lines):
            if needed.intersection(names):
                needed.update(operands)
                lines.append(line)
        return lines[::-1]

    def _fresh(self, wanted):
        base = "%" + re.sub(r"[^\w.]", "_", wanted)
        name = base
        while name in self._names:
            self._names[base] += 1
            name = f"{base}_{self._names[base]}"
        self._names[name] = 1
        return name

    def _refuse(self, message):
        raise ImportRefused(message, self._place())

    def _decompose(self):
        """Gives the current node's op to PyTorch's decompositions."""
        raise NeedsDecomposition(self._node.target)

    def _place(self):
        """FILE:LINE where the node's op was called: in this file, else in the innermost one that is not PyTorch's."""
        trace = self._node.meta.get("stack_trace") or "" if self._node is not None else ""
        lines = re.findall(rf'File "{re.escape(str(self._source.path))}", line (\d+)', trace)
        if lines:
            return f"{self._source.path}:{lines[-1]}"
        others = [f"{path}:{line}" for path, line in re.findall(r'File "([^"]+)", line (\d+)', trace)
                  if "/torch/" not in path]
        return others[-1] if others else str(self._source.path)

    def _type(self, value):
        try:
            return tensor_type(value.tensor)
        except KeyError:
            self._refuse(f"element type {value.tensor.dtype} is not in the dialect")

    # Arguments and results

    def _arguments(self):
        """The function's argument lines: inputs in their order, then the parameters, buffers and constants in use."""
        kinds = torch.export.graph_signature.InputKind
        nodes = {node.name: node for node in self._exported.graph.nodes if node.op == "placeholder"}
        inputs, weights = [], []
        for spec in self._exported.graph_signature.input_specs:
            node = nodes[spec.arg.name]
            tensor = node.meta.get("val")
            if not isinstance(tensor, torch.Tensor):
                # A number or None: export has already put its value into the graph.
                continue
            if spec.kind == kinds.USER_INPUT:
                inputs.append((node, node.name, tensor, "input"))
            elif node.users:
                kind = {kinds.PARAMETER: "parameter", kinds.BUFFER: "buffer"}.get(spec.kind, "constant")
                weights.append((node, spec.target, tensor, kind))
        user_values = iter(self._problem.tensors())
        lines = []
        for node, name, tensor, kind in inputs + weights:
            self._node = node
            actual = next(user_values, None) if kind == "input" else self._weight(name)
            if kind == "constant" and self._is_literal(actual):
                self._values[node] = self._constant(actual, name)
                continue
            value = Value(self._fresh(name), tensor)
            self._values[node] = value
            self.arguments.append((name, kind))
            init = self._rows_of_a_table(node) or self._initial(tensor, actual, kind)
            attributes = [f'kgen.init = "{init}"', f'kgen.name = "{name}"']
            if kind != "input":
                attributes.append("kgen.parameter")
            if node.name in self._small:
                attributes.append(f"kgen.small = {tensor_type(tensor, self._small[node.name])}")
            lines.append(f"    {value.name}: {self._type(value)}\n        {{{', '.join(attributes)}}}")
        return lines

    def _weight(self, name):
        """The parameter or buffer NAME, without data, or the constant that forward made, with its value."""
        return self._exported.state_dict.get(name, self._exported.constants.get(name))

    def _initial(self, tensor, actual, kind):
        if actual is not None and not isinstance(actual, FakeTensor) and not actual.is_meta:
            recorded = observed(actual)
            # A constant that forward makes is what it is.
            return recorded if kind == "constant" else initial_distribution(tensor, recorded, kind != "input")
        recorded = self._problem.recorder.of(actual) if actual is not None else None
        return initial_distribution(tensor, recorded, kind != "input")

    @staticmethod
    def _rows_of_a_table(node):
        """The range of an argument that names rows of an embedding, whatever the example has; None for another."""
        rows = [user.args[0].meta["val"].shape[0] for user in node.users
                if user.target is torch.ops.aten.embedding.default and user.args[1] is node]
        return Distribution("integer", 0, min(rows) - 1) if rows and isinstance(rows[0], int) else None

    def _is_literal(self, tensor):
        """Whether forward made TENSOR with several values, which then stand in the text."""
        if tensor is None or isinstance(tensor, FakeTensor) or tensor.is_meta or tensor.dtype not in ELEMENTS:
            return False
        return not tensor.dtype.is_floating_point or not bool((tensor == tensor.flatten()[:1]).all())

    def _constant(self, tensor, label):
        """The value of a tensor whose elements stand in the text."""
        result = Value(self._fresh(label), tensor)
        kind = self._type(result)
        line = f"{result.name} = aten.constant dense<{dense_text(tensor)}> : {kind} : () -> {kind}"
        self._lines.append(([result.name], [], line))
        return result

    def _returned(self, node):
        outputs = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
        values, written = [], []
        for target, out in zip(self._mutated(len(outputs)), outputs):
            value = self._values.get(out) if isinstance(out, torch.fx.Node) else None
            if target is not None:
                if not isinstance(value, Value):
                    self._refuse(f"what forward writes to {target} is not a tensor")
                written.append((value, ("mutation", target)))
            elif isinstance(value, Value):
                values.append((value, ("output", None)))
            elif out is not None:
                self._refuse("expected forward to return tensors")
        if not values:
            self._refuse("expected forward to return a tensor")
        # The answers first, then what the module's buffers and arguments hold afterwards.
        self.results = [kind for _, kind in values + written]
        return [value for value, _ in values + written]

    def _mutated(self, count):
        """For each of COUNT outputs, the buffer or input that holds it after the call; None for an answer."""
        signature = getattr(self._exported, "graph_signature", None)
        if signature is None:
            return [None] * count
        kinds = torch.export.graph_signature.OutputKind
        written = (kinds.BUFFER_MUTATION, kinds.USER_INPUT_MUTATION)
        return [spec.target if spec.kind in written else None for spec in signature.output_specs]

    # Calls

    def _call(self, node):
        if node.target is operator.getitem:
            value = self._values[node.args[0]][node.args[1]]
            if value is None and node.users:
                self._node = node.args[0]
                self._refuse(f"result {node.args[1]} of {op_name(node.args[0].target)} is not in the dialect")
            return value
        if not isinstance(node.target, torch._ops.OpOverload):
            self._refuse(f"{getattr(node.target, '__name__', node.target)} cannot be imported")
        name = op_name(node.target)
        packet = name.partition(".")[0]
        if packet in CHECKS:
            return None
        arguments = self._bind(node)
        if packet in IDENTITIES:
            if "dropout" in packet and arguments["train"]:
                self._refuse("dropout in training mode cannot be imported")
            return arguments.get("self") or arguments["input"]
        if packet.endswith("_") and not packet.endswith("__"):
            return self._call_in_place(node, name, arguments)
        return self._emit_any(name, arguments, node)

    def _bind(self, node):
        """The call's arguments by the schema's names, with fx nodes replaced by values and defaults filled in."""
        def resolve(value):
            if isinstance(value, torch.fx.Node):
                return self._values[value]
            if isinstance(value, (list, tuple)):
                return [resolve(item) for item in value]
            return value

        arguments = {}
        for index, parameter in enumerate(node.target._schema.arguments):
            if index < len(node.args) and not parameter.kwarg_only:
                value = resolve(node.args[index])
            elif parameter.name in node.kwargs:
                value = resolve(node.kwargs[parameter.name])
            else:
                value = parameter.default_value
            arguments[parameter.name] = value
        return arguments

    def _call_in_place(self, node, name, arguments):
        """`relu_` is `relu`, and every later use of the operand sees the result."""
        packet, dot, overload = name.partition(".")
        target = node.args[0]
        value = self._values[target]
        shared = value.aliased or target.op == "placeholder" or any(
            getattr(self._values.get(user), "aliased", False) for user in target.users)
        if shared or packet[:-1] + dot + overload in VIEWS:
            raise NeedsDecomposition()
        result = self._emit_any(packet[:-1] + dot + overload, arguments, node)
        for other, known in list(self._values.items()):
            if known is value:
                self._values[other] = result
        return result

    def _emit_any(self, name, arguments, node):
        """An op under its dialect name, whatever spelling the graph has."""
        packet = name.partition(".")[0]
        if packet in LATER:
            self._refuse(f"aten.{name} is not in the dialect: {LATER[packet]}")
        if packet.endswith("_backward"):
            self._refuse(f"aten.{name} is for training, which is not in the dialect")
        name = SYNONYMS.get(name, name)
        rewrite = getattr(self, "_rewrite_" + name.replace(".", "_"), None)
        if rewrite:
            return rewrite(arguments, node)
        # A Python number as second operand is the Scalar overload.
        if name.endswith(".Tensor") and isinstance(arguments.get("other"), (int, float)):
            name = name.replace(".Tensor", ".Scalar")
        if name not in LAYOUTS:
            # What it was before PyTorch decomposed it is what the user called.
            original = node.meta.get("original_aten")
            original = original if isinstance(original, torch._ops.OpOverload) else node.target
            self._refuse(f"{original.namespace}.{op_name(original)} is not in the dialect")
        if name in WITHOUT_LOWERING:
            self._refuse(f"aten.{name} cannot be computed yet: {WITHOUT_LOWERING[name]}")
        values = node.meta["val"]
        return self._emit(name, arguments, node, values if isinstance(values, (list, tuple)) else [values])

    def _emit(self, name, arguments, node, tensors, label=None):
        """Writes one op; ARGUMENTS by schema names, TENSORS the results' meta tensors."""
        layout = LAYOUTS[name]
        arguments = self._typed(name, layout, dict(arguments), node, tensors)
        for key, wanted in layout.fixed.items():
            if arguments.get(key, wanted) != wanted:
                self._refuse(f"aten.{name} with {key} = {arguments[key]} is not in the dialect")
        schema = self._schema(name)
        operands, head = [], []
        for key in layout.positional.split():
            value = arguments[key.rstrip("?")]
            for item in value if isinstance(value, list) else [value]:
                if item is not None:
                    operands.append(item)
                    head.append(item.name)
        text = ", ".join(head)
        for key in layout.named.split():
            value = arguments.get(key.rstrip("?"))
            if value is not None:
                operands.append(value)
                text += f" {key.rstrip('?')} {value.name}"
        for key in layout.words.split():
            printed = self._attribute(schema[key], arguments.get(key), layout)
            if printed is not None:
                text += f" {WORD_OF.get(key, key)} {printed}"
        inside = [(key, self._attribute(schema[key], arguments.get(key), layout)) for key in layout.braces.split()]
        # A float by its bits says its type where the attribute's does not.
        inside = [f"{key} = {printed}" + (" : f64" if printed.startswith("0x") else "")
                  for key, printed in inside if printed is not None]
        if inside:
            text += f" {{{', '.join(inside)}}}"
        return self._write(name, text.strip(), operands, tensors, label or node.name)

    def _write(self, name, text, operands, tensors, label):
        """One line: op NAME with TEXT between its name and its types."""
        results = [Value(self._fresh(label), tensor, name in VIEWS) for tensor in tensors]
        types = [self._type(value) for value in results]
        result_text = types[0] if len(types) == 1 else f"({', '.join(types)})"
        line = (f"{', '.join(value.name for value in results)} = aten.{name} {text} : "
                f"({', '.join(self._type(item) for item in operands)}) -> {result_text}")
        self._lines.append(([value.name for value in results], [item.name for item in operands], line))
        return results[0] if len(results) == 1 else results

    # Element types

    def _typed(self, name, layout, arguments, node, tensors):
        """ARGUMENTS with operands of the element types that the dialect's op takes."""
        keys = [key.rstrip("?") for key in layout.positional.split()]
        for key in keys:
            if isinstance(arguments.get(key), (bool, int, float)):
                arguments[key] = self._number(arguments[key], tensors[0].dtype, node)
        operands = [arguments[key] for key in keys if isinstance(arguments.get(key), Value)]
        if layout.promote == "result":
            wanted = tensors[0].dtype
        elif layout.promote == "common":
            wanted = self._common_type(arguments["self"], arguments["other"])
        elif layout.promote == "truth" and len({item.tensor.dtype for item in operands}) > 1:
            wanted = torch.bool
        elif arguments.get("dtype") is not None and "dtype" in layout.fixed:
            # `softmax(x, dtype=float32)` computes in that type; an integer sum is widened by the op itself.
            wanted = arguments.pop("dtype")
            if not wanted.is_floating_point:
                return arguments
        else:
            return arguments
        for key in keys:
            if isinstance(arguments.get(key), Value):
                arguments[key] = self._cast(arguments[key], wanted, node)
        return arguments

    @staticmethod
    def _common_type(left, right):
        """What ATen compares in; a rank-0 tensor or a number gives way to a tensor of the same kind."""
        sides = [shaped(item.tensor.shape, item.tensor.dtype) if isinstance(item, Value) else item for item in (left, right)]
        return torch.result_type(*sides)

    def _cast(self, value, dtype, node):
        if value.tensor.dtype == dtype:
            return value
        return self._emit("_to_copy", {"self": value, "dtype": dtype}, node, [shaped(value.tensor.shape, dtype)],
                          f"{value.name[1:]}_as_{ELEMENTS.get(dtype, 'unknown')}")

    # Attributes

    @staticmethod
    def _schema(name):
        packet, _, overload = name.partition(".")
        target = getattr(getattr(torch.ops.aten, packet), overload or "default")
        return {argument.name: argument for argument in target._schema.arguments}

    def _attribute(self, parameter, value, layout):
        """An attribute's text, None where it is at its default."""
        kind = str(parameter.type)
        default = layout.defaults.get(parameter.name, parameter.default_value)
        if isinstance(value, torch.dtype):
            if value not in ELEMENTS:
                self._refuse(f"element type {value} is not in the dialect")
            return ELEMENTS[value]
        if "List[int]" in kind or "List[SymInt]" in kind:
            def listed(item):
                if item is None:
                    return []
                items = list(item) if isinstance(item, (list, tuple)) else [item]
                # ATen repeats a single number for each spatial dimension.
                return items * parameter.N if len(items) == 1 and (parameter.N or 0) > 1 else items
            printed = f"[{', '.join(str(int(item)) for item in listed(value))}]"
            has_default = parameter.has_default_value() or "Optional" in kind
            return None if has_default and listed(value) == listed(default) else printed
        if value is None or (value == default and (parameter.has_default_value() or parameter.name in layout.defaults)):
            return None
        if "bool" in kind:
            return "true" if value else "false"
        if "str" in kind:
            return f'"{value}"'
        if "number" in kind or "float" in kind or "Scalar" in kind:
            return float_text(value)
        return str(int(value))
