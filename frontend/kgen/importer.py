# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.export's graph of a model as kgen's MLIR text."""
import contextlib
import io
import logging
import operator
import re

import torch
from torch._subclasses.fake_tensor import FakeTensor

from kgen.distributions import Distribution, initial_distribution
from kgen.errors import ImportRefused
from kgen.op_table import IDENTITIES, LATER, LAYOUTS, SYNONYMS, VIEWS, WITHOUT_LOWERING, WORD_OF
from kgen.problem_file import ProblemFile, summary

_ELEMENTS = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
             torch.int64: "i64", torch.int32: "i32", torch.bool: "i1"}


def import_file(path, name=None):
    """The MLIR text of the problem in PATH, called NAME or after the file; raises ImportRefused."""
    file = ProblemFile(path, name)
    problem = file.build()
    exported = _export(file, problem)
    small = file.build_small()
    return _GraphWriter(file, problem, exported, _small_shapes(file, small)).text()


def _export(file, problem):
    try:
        with torch.no_grad(), _quiet():
            return torch.export.export(problem.model, tuple(problem.inputs))
    except Exception as error:  # export raises many kinds
        raise ImportRefused(f"torch.export failed: {summary(error)}", file.place_of(error)) from error


@contextlib.contextmanager
def _quiet():
    """torch prints the graph so far when export fails; the user gets one sentence."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(level)


def _small_shapes(file, small):
    """Shape at the small size, by name; empty when the file names no small size."""
    if small is None:
        return {}
    exported = _export(file, small)
    shapes = {}
    for node in exported.graph.nodes:
        if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor):
            shapes[node.name] = tuple(node.meta["val"].shape)
    return shapes


def tensor_type(tensor, shape=None):
    """`tensor<4x8xf32>`; raises KeyError for an element type that the dialect has not."""
    extents = [str(extent) for extent in (tensor.shape if shape is None else shape)]
    return f"tensor<{'x'.join(extents + [_ELEMENTS[tensor.dtype]])}>"


def float_text(value):
    """A float as MLIR reads it: always with a point; infinities by their bits."""
    value = float(value)
    if value != value:
        return "0x7FF8000000000000"
    if value in (float("inf"), float("-inf")):
        return "0x7FF0000000000000" if value > 0 else "0xFFF0000000000000"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e") if "e" in text else text + ".0"


class _Value:
    """One SSA value: its text, a meta tensor, and whether it shares memory with another."""

    def __init__(self, name, tensor, aliased=False):
        self.name = name
        self.tensor = tensor
        self.aliased = aliased


class _GraphWriter:
    """Writes one exported graph. Values of fx nodes are _Value, or lists of them for ops with several results."""

    def __init__(self, file, problem, exported, small_shapes):
        self._file = file
        self._problem = problem
        self._exported = exported
        self._small = small_shapes
        self._values = {}
        self._lines = []
        self._names = set()
        self._node = None

    # Text

    def text(self):
        arguments = self._arguments()
        returned = None
        for node in self._exported.graph.nodes:
            self._node = node
            if node.op == "call_function":
                self._values[node] = self._call(node)
            elif node.op == "output":
                returned = self._returned(node)
            elif node.op not in ("placeholder",):
                self._refuse(f"{node.op} {node.target} cannot be imported")
        types = [tensor_type(value.tensor) for value in returned]
        name = self._file.name
        attributes = [f'kgen.problem = "{name}"', f'kgen.source = "{self._file.path.name}"']
        if self._file.precision:
            attributes.insert(0, f'kgen.precision = "{self._file.precision}"')
        result = types[0] if len(types) == 1 else f"({', '.join(types)})"
        body = self._live_lines(returned)
        body.append(f"return {', '.join(value.name for value in returned)} : {', '.join(types)}")
        return (f"module attributes {{{', '.join(attributes)}}} {{\n"
                f"  func.func @{name}(\n" + ",\n".join(arguments) + f")\n      -> {result} {{\n"
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
        name, count = base, 1
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        return name

    def _refuse(self, message):
        raise ImportRefused(message, self._place())

    def _place(self):
        """FILE:LINE where the node's op was called, if the trace names this file."""
        trace = self._node.meta.get("stack_trace") or "" if self._node is not None else ""
        lines = re.findall(rf'File "{re.escape(str(self._file.path))}", line (\d+)', trace)
        return f"{self._file.path}:{lines[-1]}" if lines else str(self._file.path)

    def _type(self, value):
        try:
            return tensor_type(value.tensor)
        except KeyError:
            self._refuse(f"element type {value.tensor.dtype} is not in the dialect")

    # Arguments

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
                inputs.append((node, node.name, tensor, False))
            elif node.users:
                weights.append((node, spec.target, tensor, True))
        user_values = iter([value for value in self._problem.inputs if isinstance(value, torch.Tensor)])
        lines = []
        for node, name, tensor, is_parameter in inputs + weights:
            self._node = node
            value = _Value(self._fresh(name), tensor)
            self._values[node] = value
            actual = self._weight(name) if is_parameter else next(user_values)
            if actual is not None and not isinstance(actual, FakeTensor):
                init = self._literal(actual)
            else:
                recorded = self._problem.recorder.of(actual) if actual is not None else None
                init = initial_distribution(tensor, recorded, is_parameter)
            attributes = [f'kgen.init = "{init}"', f'kgen.name = "{name}"']
            if is_parameter:
                attributes.append("kgen.parameter")
            if node.name in self._small:
                attributes.append(f"kgen.small = {tensor_type(tensor, self._small[node.name])}")
            lines.append(f"    {value.name}: {self._type(value)}\n        {{{', '.join(attributes)}}}")
        return lines

    def _weight(self, name):
        """The parameter or buffer NAME, without data, or the constant that forward made, with its value."""
        return self._exported.state_dict.get(name, self._exported.constants.get(name))

    def _literal(self, tensor):
        """The distribution of a constant made in forward: its one value."""
        if tensor.numel() == 0 or not bool((tensor == tensor.flatten()[0]).all()):
            self._refuse("forward makes a constant tensor of several values, which cannot be imported yet")
        return Distribution("constant", float(tensor.flatten()[0]))

    def _returned(self, node):
        values = []
        for out in node.args[0]:
            value = self._values.get(out) if isinstance(out, torch.fx.Node) else None
            if not isinstance(value, _Value):
                self._refuse("expected forward to return tensors")
            values.append(value)
        if not values:
            self._refuse("expected forward to return a tensor")
        return values

    # Calls

    def _call(self, node):
        if node.target is operator.getitem:
            return self._values[node.args[0]][node.args[1]]
        if not isinstance(node.target, torch._ops.OpOverload):
            self._refuse(f"{getattr(node.target, '__name__', node.target)} cannot be imported")
        arguments = self._bind(node)
        packet, overload = node.target._overloadpacket.__name__, node.target._overloadname
        if packet == "_assert_tensor_metadata":
            return None
        name = packet if overload in ("default", "") else f"{packet}.{overload}"
        if packet in IDENTITIES:
            if packet.startswith(("dropout", "feature_dropout")) and arguments["train"]:
                self._refuse("dropout in training mode cannot be imported")
            return arguments.get("self") or arguments["input"]
        if packet.endswith("_") and not packet.startswith("_"):
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
        if value.aliased or any(self._values.get(user) is not None and getattr(self._values[user], "aliased", False)
                                for user in target.users):
            self._refuse(f"aten.{name} writes to memory that another tensor shares")
        result = self._emit_any(packet[:-1] + dot + overload, arguments, node)
        for other, known in list(self._values.items()):
            if known is value:
                self._values[other] = result
        return result

    def _emit_any(self, name, arguments, node):
        """An op under its dialect name, whatever spelling the graph has."""
        name = SYNONYMS.get(name, name)
        rewrite = getattr(self, "_rewrite_" + name.replace(".", "_"), None)
        if rewrite:
            return rewrite(arguments, node)
        # A Python number as second operand is the Scalar overload.
        if name.endswith(".Tensor") and isinstance(arguments.get("other"), (int, float)):
            name = name.replace(".Tensor", ".Scalar")
        if name not in LAYOUTS:
            packet = name.partition(".")[0]
            reason = f" yet: {LATER[packet]}" if packet in LATER else ""
            self._refuse(f"aten.{name} is not in the dialect{reason}")
        if name in WITHOUT_LOWERING:
            self._refuse(f"aten.{name} cannot be computed yet: {WITHOUT_LOWERING[name]}")
        values = node.meta["val"]
        return self._emit(name, arguments, node, values if isinstance(values, (list, tuple)) else [values])

    def _emit(self, name, arguments, node, tensors, label=None):
        """Writes one op; ARGUMENTS by schema names, TENSORS the results' meta tensors."""
        layout = LAYOUTS[name]
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
        inside = [f"{key} = {printed}" for key, printed in inside if printed is not None]
        if inside:
            text += f" {{{', '.join(inside)}}}"
        if len({item.tensor.dtype for item in operands}) > 1 and layout.positional == "self other":
            self._refuse(f"aten.{name} on {' and '.join(self._type(item) for item in operands)} needs a cast, "
                         "which is not in the dialect")

        results = [_Value(self._fresh(label or node.name), tensor, name in VIEWS) for tensor in tensors]
        types = [self._type(value) for value in results]
        result_text = types[0] if len(types) == 1 else f"({', '.join(types)})"
        line = (f"{', '.join(value.name for value in results)} = aten.{name} {text} : "
                f"({', '.join(self._type(item) for item in operands)}) -> {result_text}")
        self._lines.append(([value.name for value in results], [item.name for item in operands], line))
        return results[0] if len(results) == 1 else results

    @staticmethod
    def _schema(name):
        packet, _, overload = name.partition(".")
        target = getattr(getattr(torch.ops.aten, packet), overload or "default")
        return {argument.name: argument for argument in target._schema.arguments}

    def _attribute(self, parameter, value, layout):
        """An attribute's text, None where it is at its default."""
        kind = str(parameter.type)
        default = layout.defaults.get(parameter.name, parameter.default_value)
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

    # Ops that the dialect spells in another way

    def _rewrite_clamp_min(self, arguments, node):
        return self._emit("clamp", {"self": arguments["self"], "min": arguments["min"]}, node, [node.meta["val"]])

    def _rewrite_clamp_max(self, arguments, node):
        return self._emit("clamp", {"self": arguments["self"], "max": arguments["max"]}, node, [node.meta["val"]])

    def _rewrite_relu6(self, arguments, node):
        return self._emit("hardtanh", {"self": arguments["self"], "min_val": 0, "max_val": 6}, node, [node.meta["val"]])

    def _rewrite_t(self, arguments, node):
        if arguments["self"].tensor.dim() < 2:
            return arguments["self"]
        return self._emit("transpose.int", {"self": arguments["self"], "dim0": 0, "dim1": 1}, node, [node.meta["val"]])

    def _rewrite_expand_as(self, arguments, node):
        size = list(arguments["other"].tensor.shape)
        return self._emit("expand", {"self": arguments["self"], "size": size}, node, [node.meta["val"]])

    def _rewrite_to_dtype(self, arguments, node):
        if arguments["dtype"] == arguments["self"].tensor.dtype:
            return arguments["self"]
        self._refuse(f"aten.to.dtype with dtype = {arguments['dtype']} is not in the dialect yet: casts come later")

    def _rewrite_broadcast_tensors(self, arguments, node):
        results = []
        for value, tensor in zip(arguments["tensors"], node.meta["val"]):
            same = value.tensor.shape == tensor.shape
            results.append(value if same else self._emit(
                "expand", {"self": value, "size": list(tensor.shape)}, node, [tensor], "broadcast"))
        return results

    def _rewrite_addmm(self, arguments, node):
        if arguments["alpha"] != 1 or arguments["beta"] != 1:
            self._refuse("aten.addmm with alpha or beta other than 1 is not in the dialect")
        product = self._emit("mm", {"self": arguments["mat1"], "mat2": arguments["mat2"]}, node, [node.meta["val"]],
                             node.name + "_product")
        return self._emit("add.Tensor", {"self": product, "other": arguments["self"], "alpha": 1}, node,
                          [node.meta["val"]])

    # Losses, which are element-wise ops and a mean or a sum

    def _piece(self, name, tensor, node, arguments):
        """One op of a rewritten one, whose result has TENSOR's shape."""
        return self._emit(name, arguments, node, [tensor], f"{node.name}_{name.partition('.')[0]}")

    def _reduced(self, value, reduction, node):
        """`none`, `mean` or `sum`, as ATen counts them."""
        if reduction == 0:
            return value
        return self._emit("mean" if reduction == 1 else "sum", {"self": value}, node, [node.meta["val"]])

    def _difference(self, arguments, node):
        a, b = arguments["self"], arguments["target"]
        if a.tensor.shape != b.tensor.shape:
            self._refuse("a loss of tensors that broadcast is not in the dialect")
        return self._piece("sub.Tensor", a.tensor, node, {"self": a, "other": b, "alpha": 1})

    def _rewrite_mse_loss(self, arguments, node):
        difference = self._difference(arguments, node)
        return self._reduced(self._piece("square", difference.tensor, node, {"self": difference}), arguments["reduction"], node)

    def _rewrite_l1_loss(self, arguments, node):
        difference = self._difference(arguments, node)
        return self._reduced(self._piece("abs", difference.tensor, node, {"self": difference}), arguments["reduction"], node)

    def _rewrite_smooth_l1_loss(self, arguments, node):
        """With d = |x - y| and c = min(d, beta): c (d - c / 2) / beta, which is d^2 / (2 beta) below beta, d - beta / 2 above."""
        beta = arguments["beta"]
        if beta == 0:
            return self._rewrite_l1_loss(arguments, node)
        difference = self._difference(arguments, node)
        like = difference.tensor
        distance = self._piece("abs", like, node, {"self": difference})
        near = self._piece("clamp", like, node, {"self": distance, "max": beta})
        rest = self._piece("sub.Tensor", like, node, {"self": distance, "other": near, "alpha": 0.5})
        loss = self._piece("mul.Tensor", like, node, {"self": near, "other": rest})
        if beta != 1:
            loss = self._piece("div.Scalar", like, node, {"self": loss, "other": beta})
        return self._reduced(loss, arguments["reduction"], node)

    def _rewrite_kl_div(self, arguments, node):
        """target (log target - x); the smallest float keeps 0 log 0 at 0."""
        x, target = arguments["self"], arguments["target"]
        if x.tensor.shape != target.tensor.shape or target.tensor.dtype != torch.float32:
            self._refuse("aten.kl_div of tensors that broadcast, or are not float32, is not in the dialect")
        like = target.tensor
        if arguments["log_target"]:
            weight, logarithm = self._piece("exp", like, node, {"self": target}), target
        else:
            weight = target
            positive = self._piece("clamp", like, node, {"self": target, "min": torch.finfo(torch.float32).tiny})
            logarithm = self._piece("log", like, node, {"self": positive})
        rest = self._piece("sub.Tensor", like, node, {"self": logarithm, "other": x, "alpha": 1})
        return self._reduced(self._piece("mul.Tensor", like, node, {"self": weight, "other": rest}), arguments["reduction"], node)

    def _rewrite_mv(self, arguments, node):
        operands = {"self": arguments["self"], "other": arguments["vec"]}
        return self._emit("matmul", operands, node, [node.meta["val"]])

    def _rewrite_dot(self, arguments, node):
        operands = {"self": arguments["self"], "other": arguments["tensor"]}
        return self._emit("matmul", operands, node, [node.meta["val"]])

    def _rewrite_squeeze(self, arguments, node):
        return self._view(arguments["self"], node.meta["val"], node)

    def _rewrite_squeeze_dims(self, arguments, node):
        return self._view(arguments["self"], node.meta["val"], node)

    def _rewrite_unflatten_int(self, arguments, node):
        return self._view(arguments["self"], node.meta["val"], node)

    def _view(self, value, tensor, node):
        if value.tensor.shape == tensor.shape:
            return value
        return self._emit("view", {"self": value, "size": list(tensor.shape)}, node, [tensor])

    def _rewrite_conv1d_padding(self, arguments, node):
        return self._convolution_with_word(1, arguments, node)

    def _rewrite_conv2d_padding(self, arguments, node):
        return self._convolution_with_word(2, arguments, node)

    def _rewrite_conv3d_padding(self, arguments, node):
        return self._convolution_with_word(3, arguments, node)

    def _convolution_with_word(self, spatial, arguments, node):
        """Padding "valid" is 0; "same" keeps the extents, which needs as much on either side."""
        padding = [0] * spatial
        if arguments["padding"] == "same":
            kernel = arguments["weight"].tensor.shape[2:]
            dilation = list(arguments["dilation"])
            total = [step * (extent - 1) for step, extent in zip(dilation * (spatial // len(dilation)), kernel)]
            if any(extra % 2 for extra in total):
                self._refuse(f'aten.conv{spatial}d with padding "same" and an even kernel is not in the dialect')
            padding = [extra // 2 for extra in total]
        return self._emit(f"conv{spatial}d", {**arguments, "padding": padding}, node, [node.meta["val"]])

    def _rewrite_split_Tensor(self, arguments, node):
        return self._pieces(arguments["self"], arguments["dim"], node)

    _rewrite_chunk = _rewrite_split_with_sizes = _rewrite_split_Tensor

    def _pieces(self, value, dim, node):
        """Neighbouring slices along DIM, as long as torch made them."""
        pieces, start = [], 0
        for tensor in node.meta["val"]:
            length = tensor.shape[dim]
            bounds = {"self": value, "dim": dim, "start": start, "length": length}
            pieces.append(self._emit("narrow", bounds, node, [tensor], f"{node.name}_piece"))
            start += length
        return pieces

    def _rewrite_stack(self, arguments, node):
        dim = arguments["dim"] % node.meta["val"].dim()
        rows = []
        for value in arguments["tensors"]:
            tensor = value.tensor.unsqueeze(dim)
            rows.append(self._emit("unsqueeze", {"self": value, "dim": dim}, node, [tensor], node.name + "_row"))
        return self._emit("cat", {"tensors": rows, "dim": dim}, node, [node.meta["val"]])

    def _rewrite_einsum(self, arguments, node):
        """Equations that are one product: `...mk,kn->...mn` is matmul, `bmk,bkn->bmn` is bmm."""
        equation = arguments["equation"].replace(" ", "")
        match = re.fullmatch(r"([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)", equation)
        if match:
            left, right, out = match.groups()
            distinct = all(len(set(text)) == len(text) for text in (left, right, out))
            tensors = dict(zip(("self", "other"), arguments["tensors"]))
            if distinct and len(right) == 2 and len(left) >= 1 and left[-1] == right[0] and (
                    out == left[:-1] + right[1] and right[1] not in left):
                return self._emit("matmul", tensors, node, [node.meta["val"]])
            if distinct and len(left) == len(right) == 3 and left[0] == right[0] == out[0] and left[2] == right[1] and (
                    out[1:] == left[1] + right[2]):
                bmm = {"self": tensors["self"], "mat2": tensors["other"]}
                return self._emit("bmm", bmm, node, [node.meta["val"]])
        self._refuse(f'aten.einsum with equation "{equation}" is not a single matrix product, and others are not in the '
                     "dialect")
