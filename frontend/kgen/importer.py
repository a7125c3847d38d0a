"""torch.export graph -> the project's MLIR text, in generic form, driven by the dialect's op table.

ops.json is generated from the dialect's TableGen records (scripts/gen_op_table.py), so a new op in
the dialect needs no change here unless its PyTorch form has to be normalised first.
"""
import importlib.util
import json
import math
import pathlib
import re
import sys
import traceback

import torch

from kgen import distributions
from kgen.errors import ImportRefused

TABLE = json.loads((pathlib.Path(__file__).parent / "ops.json").read_text())
ELEMENT = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
           torch.int64: "i64", torch.int32: "i32", torch.bool: "i1"}

# Ops that compute nothing in inference mode: their first argument stands for their result.
IDENTITIES = {"dropout", "feature_dropout", "detach", "detach_", "clone", "contiguous", "alias", "lift_fresh_copy",
              "_assert_tensor_metadata"}
# Other names of the same op.
SYNONYMS = {"multiply.Tensor": "mul.Tensor", "multiply.Scalar": "mul.Scalar", "divide.Tensor": "div.Tensor",
            "subtract.Tensor": "sub.Tensor", "max_pool2d_with_indices": "max_pool2d", "clip": "clamp"}


def load_module(path):
    """Runs FILE.py and returns its namespace; what it raises is reported with the line."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise ImportRefused(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    _guarded(path, lambda: spec.loader.exec_module(module), "running the file")
    for name in ("Model", "get_init_inputs", "get_inputs"):
        if not hasattr(module, name):
            raise ImportRefused(f"{path}: it defines no {name}; a problem file has class Model, get_init_inputs() and get_inputs()")
    return module


def _guarded(path, action, doing):
    """Runs user code; its exception becomes one sentence with the line in the user's file."""
    try:
        return action()
    except ImportRefused:
        raise
    except Exception as error:  # noqa: BLE001 - any exception of user code is a refusal
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if pathlib.Path(f.filename).name == path.name]
        where = f"{path}:{lines[-1]}" if lines else str(path)
        reason = (str(error).strip().splitlines() or [""])[0]
        raise ImportRefused(f"{where}: {type(error).__name__} while {doing}: {reason}") from None


def import_file(path, name=None):
    """The graph of FILE.py as MLIR text in generic form."""
    path = pathlib.Path(path)
    name = name or sanitize(path.stem)
    module = load_module(path)
    observer = distributions.Observer()
    with torch.no_grad(), observer:
        init_inputs = _guarded(path, module.get_init_inputs, "calling get_init_inputs()")
        model = _guarded(path, lambda: module.Model(*init_inputs), "building Model").eval()
        inputs = _guarded(path, module.get_inputs, "calling get_inputs()")
    with torch.no_grad():
        program = _guarded(path, lambda: torch.export.export(model, tuple(inputs), strict=False), "exporting Model")
    return GraphPrinter(path, name, program, observer, model, inputs).print()


def op_name(target):
    """The dialect's name of an ATen overload: packet, plus overload unless it is the default one."""
    packet, overload = target._schema.name.split("::")[1], target._schema.overload_name
    functional = packet[:-1] if packet.endswith("_") and not packet.endswith("__") else packet
    name = functional + (f".{overload}" if overload and overload != "default" else "")
    return SYNONYMS.get(name, name)


def sanitize(stem):
    """A file's stem as a symbol that C accepts too."""
    symbol = re.sub(r"\W+", "_", stem)
    return symbol if not symbol[:1].isdigit() else "p" + symbol


class GraphPrinter:
    """Prints one exported program as a module with one function."""

    def __init__(self, path, name, program, observer, model, inputs):
        self.path, self.name, self.program, self.observer = path, name, program, observer
        self.state = dict(model.named_parameters(remove_duplicate=False)) | dict(model.named_buffers(remove_duplicate=False))
        self.inputs = [i for i in torch.utils._pytree.tree_leaves(inputs)]
        self.values = {}  # node -> SSA name, or a list of them
        self.lines = []

    def refuse(self, node, what):
        stack = node.meta.get("stack_trace") or ""
        lines = re.findall(rf'File "[^"]*{re.escape(self.path.name)}", line (\d+)', stack)
        raise ImportRefused(f"{self.path}{':' + lines[-1] if lines else ''}: {what}")

    # Types and attributes.

    def type_of(self, value, node):
        if value.dtype not in ELEMENT:
            self.refuse(node, f"tensors of {value.dtype} are not supported")
        if not all(isinstance(d, int) for d in value.shape):
            self.refuse(node, f"the shape {tuple(value.shape)} is dynamic; kgen graphs have fixed shapes")
        return "tensor<" + "".join(f"{d}x" for d in value.shape) + ELEMENT[value.dtype] + ">"

    def attribute(self, value, kind):
        """VALUE as an MLIR attribute; KIND is the schema's type."""
        if isinstance(value, str):
            return json.dumps(value)
        if isinstance(value, (list, tuple)):
            if not value:
                return "array<i64>"
            return "array<i64: " + ", ".join(str(int(v)) for v in value) + ">"
        if isinstance(value, bool) and kind == "bool":
            return "true" if value else "false"
        if kind in ("int", "SymInt"):
            return f"{int(value)} : i64"
        value = float(value)
        if math.isinf(value) or math.isnan(value):
            return {True: "0x7FF0000000000000", False: "0xFFF0000000000000"}[value > 0] + " : f64"
        digits = repr(value)
        if "e" in digits and "." not in digits:
            digits = digits.replace("e", ".0e")
        return f"{digits} : f64"

    # The function.

    def print(self):
        arguments = self.arguments()
        returned = []
        for node in self.program.graph.nodes:
            if node.op == "call_function":
                self.call(node)
            elif node.op == "output":
                returned = [r for r in node.args[0] if isinstance(r, torch.fx.Node)]
            elif node.op != "placeholder":
                self.refuse(node, f"a graph node of kind '{node.op}' is not supported")
        signature = self.program.graph_signature
        returned = returned[len(returned) - len(signature.user_outputs):]
        results = [self.type_of(r.meta["val"], r) for r in returned]
        header = ", ".join(f"{ssa}: {kind} {{{attrs}}}" for ssa, kind, attrs in arguments)
        body = "\n".join(self.lines)
        values = ", ".join(self.values[r] for r in returned)
        return (f'module attributes {{kgen.problem = "{self.name}", kgen.source = {json.dumps(self.path.name)}}} {{\n'
                f"  func.func @{self.name}({header}) -> ({', '.join(results)}) {{\n{body}\n"
                f"    return {values} : {', '.join(results)}\n  }}\n}}\n")

    def arguments(self):
        """User inputs first, then the parameters and buffers that the graph uses."""
        signature = self.program.graph_signature
        weights = dict(signature.inputs_to_parameters) | dict(signature.inputs_to_buffers) | dict(signature.inputs_to_lifted_tensor_constants)
        nodes = [n for n in self.program.graph.nodes if n.op == "placeholder"]
        user = iter(self.inputs)
        rows, late = [], []
        for node in nodes:
            if node.name in weights:
                if node.users:
                    late.append(self.weight(node, weights[node.name]))
                continue
            given = next(user, None)
            if "val" not in node.meta or not isinstance(node.meta["val"], torch.Tensor):
                if node.users:
                    self.refuse(node, f"input '{node.name}' is not a tensor")
                continue
            init = self.observer.of(given) if isinstance(given, torch.Tensor) else distributions.DEFAULT
            rows.append((node, node.name, init, False))
        out = []
        for node, label, init, parameter in rows + late:
            ssa = "%" + re.sub(r"\W+", "_", label)
            if not re.fullmatch(r"%[A-Za-z_]\w*", ssa) or any(ssa == other for other, _, _ in out):
                ssa = f"%arg{len(out)}"
            self.values[node] = ssa
            attrs = f'kgen.init = "{init if isinstance(init, str) else distributions.text(init)}", kgen.name = {json.dumps(label)}'
            if parameter:
                attrs += ", kgen.parameter"
            out.append((ssa, self.type_of(node.meta["val"], node), attrs))
        return out

    def weight(self, node, fqn):
        tensor = self.state.get(fqn)
        if tensor is None:  # a constant that tracing lifted out of forward()
            constant = self.program.constants.get(fqn)
            if constant is not None and constant.numel() == 1 and constant.device.type != "meta":
                value = float(constant)
                return node, fqn, f"uniform({value:.9g}, {value:.9g})", True
            return node, fqn, distributions.DEFAULT, True
        init = self.observer.of(tensor)
        if fqn.endswith("running_var"):
            init = distributions.AROUND_ONE
        return node, fqn, init, True

    # One call.

    def call(self, node):
        target = node.target
        if getattr(target, "__name__", "") == "getitem":
            self.values[node] = self.values[node.args[0]][node.args[1]]
            return
        if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
            self.refuse(node, f"'{target}' is not an ATen op")
        packet = target._schema.name.split("::")[1]
        arguments = self.bind(node)
        if packet in IDENTITIES:
            source = next(iter(arguments.values()))[0]
            self.values[node] = self.values.get(source)
            return
        name = self.normalize(op_name(target), arguments)
        if name not in TABLE:
            self.refuse(node, f"op aten.{name} is not in kgen's dialect yet")
        self.emit(node, name, arguments)

    def bind(self, node):
        """Schema name -> (value, schema type), defaults written out."""
        schema = node.target._schema
        bound = {}
        for index, argument in enumerate(schema.arguments):
            if index < len(node.args):
                value = node.args[index]
            elif argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            else:
                value = argument.default_value if argument.has_default_value() else None
            bound[argument.name] = (value, str(argument.type).removeprefix("Optional[").removesuffix("]"))
        return bound

    @staticmethod
    def normalize(name, arguments):
        """The dialect's op for forms that PyTorch spells otherwise; changes ARGUMENTS to fit."""
        base, _, overload = name.partition(".")
        other = arguments.get("other", (None,))[0]
        if overload == "Tensor" and isinstance(other, (int, float)):
            # Binary ops whose second operand is a Python number.
            arguments["other"] = (other, "number")
            return base + ".Scalar"
        if name == "einsum":
            # ...k,kn->...n is a matmul; any other equation stays an einsum.
            equation, tensors = arguments["equation"][0].replace(" ", ""), arguments["tensors"][0]
            match = re.fullmatch(r"([a-z]+)([a-z]),\2([a-z])->\1\3", equation)
            if match and len(tensors) == 2 and len(set(match.group(1) + match.group(2) + match.group(3))) == len(match.group(1)) + 2:
                for key in ("equation", "path"):
                    arguments.pop(key, None)
                arguments.pop("tensors")
                arguments["self"], arguments["other"] = (tensors[0], "Tensor"), (tensors[1], "Tensor")
                return "matmul"
        return name

    def emit(self, node, name, arguments):
        row = TABLE[name]
        operands, segments = [], []
        for operand in row["operands"]:
            value = arguments.get(operand["name"], (None,))[0]
            found = list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
            if not all(isinstance(v, torch.fx.Node) for v in found) or (not found and operand["kind"] == "one"):
                self.refuse(node, f"op aten.{name}: operand '{operand['name']}' is not a tensor")
            operands += found
            segments.append(len(found))
        attributes = []
        for attribute in row["attributes"]:
            value, kind = arguments.get(attribute, (None, None))
            if value is not None:
                attributes.append(f"{attribute} = {self.attribute(value, kind)}")
        if row["segments"]:
            attributes.append("operandSegmentSizes = array<i32: " + ", ".join(map(str, segments)) + ">")
        dropped = set(arguments) - set(row["attributes"]) - {o["name"] for o in row["operands"]}
        for argument in sorted(dropped):
            if (problem := self.meaning_lost(node, argument, arguments[argument][0])):
                self.refuse(node, f"op aten.{name}: {problem}")
        value = node.meta["val"]
        results = list(value) if isinstance(value, (list, tuple)) else [value]
        results = results[:row["results"]]
        ssa = f"%v{len(self.lines)}"
        self.values[node] = ssa if not isinstance(value, (list, tuple)) else [f"{ssa}#{i}" for i in range(len(results))]
        left = ssa if len(results) == 1 else f"{ssa}:{len(results)}"
        properties = f" <{{{', '.join(attributes)}}}>" if attributes else ""
        operand_types = ", ".join(self.type_of(o.meta["val"], o) for o in operands)
        result_types = ", ".join(self.type_of(r, node) for r in results)
        if len(results) != 1:
            result_types = f"({result_types})"
        self.lines.append(f'    {left} = "aten.{name}"({", ".join(self.values[o] for o in operands)}){properties} : '
                          f"({operand_types}) -> {result_types}")

    @staticmethod
    def meaning_lost(node, argument, value):
        """Why ARGUMENT, which the dialect's op does not have, must not be dropped; None when it may."""
        harmless = {"training": False, "cudnn_enabled": None, "cudnn_enable": None, "momentum": None, "memory_format": None,
                    "dropout_p": 0.0, "enable_gqa": False, "half_to_float": False, "inplace": None, "layout": None,
                    "device": None, "pin_memory": None, "implicit": None}
        if value is None or (argument in harmless and harmless[argument] in (None, value)):
            return None
        if argument == "dtype" and isinstance(node.meta["val"], torch.Tensor) and node.meta["val"].dtype == value:
            source = node.args[0].meta["val"].dtype if isinstance(node.args[0], torch.fx.Node) else None
            return None if source == value else f"a change of type to {value} is not supported"
        return f"{argument} = {value} is not supported"
