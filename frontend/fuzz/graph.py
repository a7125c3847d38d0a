# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random graph: leaves, calls, what is returned, and its text as a file in the benchmark's form."""
import re
from dataclasses import dataclass, field, replace

import torch
import torch.nn.functional as F
from kgen.compiler import grouped_product
from torch.overrides import TorchFunctionMode

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "i64": torch.int64, "i32": torch.int32, "i1": torch.bool}
NAME_OF = {dtype: name for name, dtype in DTYPES.items()}
FLOATS = ("f64", "f32", "f16", "bf16")

# What a call's text may name: torch's dtypes under short names, so that one text computes in any precision.
_PRELUDE = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\naten = torch.ops.aten\n"
_TYPE_LINES = "".join(f"{name} = {str(dtype)}\n" for name, dtype in DTYPES.items())


@dataclass(frozen=True)
class Leaf:
    """One argument of the graph: an input of forward or a weight of the model.

    plain: no infinities or NaN here, where PyTorch's own answer would depend on how it pads or blocks
    state: a weight that a call writes to, so a buffer of the model
    """

    name: str
    shape: tuple
    dtype: str
    init: tuple = ("normal", 0, 1)
    weight: bool = False
    plain: bool = False
    state: bool = False

    def source(self):
        """The expression that draws it."""
        shape, dtype = list(self.shape), self.dtype
        kind, a, b = self.init
        if kind == "integer":
            drawn = f"torch.randint({a}, {b + 1}, {shape})"
            return drawn + (".bool()" if dtype == "i1" else f".to({dtype})" if dtype != "i64" else "")
        drawn = f"torch.randn({shape}, dtype={dtype})" if kind == "normal" else f"torch.rand({shape}, dtype={dtype})"
        if kind == "uniform":
            return drawn + f" * {b - a} + {a}" if (a, b) != (0, 1) else drawn
        return drawn if (a, b) == (0, 1) else drawn + f" * {b} + {a}"

    def draw(self, generator, kind="declared"):
        """A tensor of these values: declared, integer (-1, 0, 1) or special (with NaN, infinities, zeros)."""
        init, a, b = self.init
        if init == "integer":
            return torch.randint(a, b + 1, self.shape, generator=generator).to(DTYPES[self.dtype])
        if kind == "integer":
            low = 1 if init == "uniform" and a >= 0 else -1
            return torch.randint(low, low + (2 if low > 0 else 3), self.shape, generator=generator).to(DTYPES[self.dtype])
        if init == "uniform":
            value = torch.rand(self.shape, generator=generator, dtype=torch.float64) * (b - a) + a
        else:
            value = torch.randn(self.shape, generator=generator, dtype=torch.float64) * b + a
        value = value.to(DTYPES[self.dtype])
        if kind == "special" and not self.weight and not self.plain and init == "normal":
            extremes = torch.tensor([float("nan"), float("inf"), float("-inf"), 0.0, 300.0, -300.0, 1.5])
            chosen = torch.randint(0, len(extremes), self.shape, generator=generator)
            there = torch.rand(self.shape, generator=generator) < 0.2
            value = torch.where(there, extremes[chosen].to(value.dtype), value)
        return value


@dataclass(frozen=True)
class Call:
    """`v3, v4 = torch.max(v2, dim=1)`: OUTS are the names, TEXT the expression, OP the table's line.

    many: the call gives a tuple, if only of one
    """

    op: str
    outs: tuple
    text: str
    many: bool = False

    def operands(self):
        return re.findall(r"\b[xwpsv]\d+\b", self.text)

    def renamed(self, old, new):
        return replace(self, text=re.sub(rf"\b{old}\b", new, self.text))


@dataclass(frozen=True)
class Graph:
    """Leaves and calls in order; every name is a leaf's or an earlier call's."""

    name: str
    leaves: tuple
    calls: tuple
    returned: tuple
    precision: str = ""

    def source(self, types=None):
        """The file's text. TYPES other than DTYPES compute in other precisions."""
        lines = _TYPE_LINES if types is None else "".join(f"{name} = {str(dtype)}\n" for name, dtype in types.items())
        weights = [leaf for leaf in self.leaves if leaf.weight]
        inputs = [leaf for leaf in self.leaves if not leaf.weight]
        text = _PRELUDE + lines + (f'kgen_precision = "{self.precision}"\n' if self.precision else "")
        text += "\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        for leaf in weights:
            drawn = leaf.source()
            if leaf.dtype in FLOATS and not leaf.state:
                text += f"        self.{leaf.name} = nn.Parameter({drawn})\n"
            else:
                text += f'        self.register_buffer("{leaf.name}", {drawn})\n'
        text += f"\n    def forward(self{''.join(', ' + leaf.name for leaf in inputs)}):\n"
        if weights:
            text += f"        {', '.join(leaf.name for leaf in weights)} = " \
                    f"{', '.join('self.' + leaf.name for leaf in weights)}\n"
        for call in self.calls:
            text += f"        {', '.join(call.outs)}{',' if call.many and len(call.outs) == 1 else ''} = {call.text}\n"
        returned = f"{', '.join(self.returned)}"
        text += f"        return {returned}\n\n\ndef get_init_inputs():\n    return []\n\n\n"
        text += f"def get_inputs():\n    return [{', '.join(leaf.source() for leaf in inputs)}]\n"
        return text

    def live(self):
        """The same graph without calls and leaves that nothing returned needs; unused inputs go too."""
        needed = set(self.returned)
        calls = []
        for call in reversed(self.calls):
            if needed.intersection(call.outs):
                needed.update(call.operands())
                calls.append(call)
        leaves = tuple(leaf for leaf in self.leaves if leaf.name in needed)
        return replace(self, leaves=leaves, calls=tuple(calls[::-1]))

    def ops(self):
        return sorted({call.op for call in self.calls})


WIDE = {name: torch.float64 if name in FLOATS else dtype for name, dtype in DTYPES.items()}


def environment(types):
    """The names that a call's text uses, with the given dtypes behind the short names."""
    return {"torch": torch, "F": F, "aten": torch.ops.aten, "nn": torch.nn, **types}


def evaluate(call, values, types):
    """The results of CALL on the tensors VALUES (by name), as a list."""
    return as_list(compute(call.text, values, types))


class WideGroups(TorchFunctionMode):
    """Computes products of groups of rows in fp64, which PyTorch has no kernel for."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        wide = function is torch._grouped_mm and args[0].dtype == torch.float64
        return (grouped_product if wide else function)(*args, **kwargs)


def compute(text, values, types):
    """What a call's TEXT gives, a tensor or several."""
    with torch.no_grad(), WideGroups():
        return eval(text, environment(types), values)  # the text is our own


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def answers(graph, tensors, wide=True):
    """What PyTorch computes: a list of tensors. WIDE: every float type is fp64, as the oracle has it."""
    types = WIDE if wide else DTYPES
    values = {name: tensor.to(torch.float64) if wide and tensor.is_floating_point() else tensor
              for name, tensor in tensors.items()}
    for call in graph.calls:
        values.update(zip(call.outs, evaluate(call, values, types)))
    return [values[name] for name in graph.returned]


def draw(graph, seed, kind="declared"):
    """Tensors for every leaf, by name."""
    generator = torch.Generator().manual_seed(seed)
    return {leaf.name: leaf.draw(generator, kind) for leaf in graph.leaves}
