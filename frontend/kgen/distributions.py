# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a file draws its tensors, watched while no data exists.

Parameters and inputs are built on the meta device, where `torch.randn(...) * 0.1 + 1`
leaves a shape and nothing else. A Recorder sees the calls and keeps, for each
storage, the distribution that its elements would have had.
"""
import math
from dataclasses import dataclass

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten


@dataclass(frozen=True)
class Distribution:
    """normal(a = mean, b = deviation), uniform(a, b), integer(a, b) with both ends included, or constant a."""

    kind: str
    a: float
    b: float = 0.0

    def affine(self, scale, shift):
        """The distribution of scale * x + shift."""
        if self.kind == "normal":
            return Distribution("normal", self.a * scale + shift, self.b * abs(scale))
        if self.kind == "constant":
            return Distribution("constant", self.a * scale + shift)
        low, high = sorted((self.a * scale + shift, self.b * scale + shift))
        whole = self.kind == "integer" and float(scale).is_integer() and float(shift).is_integer()
        return Distribution("integer" if whole else "uniform", low, high)

    def __str__(self):
        if self.kind == "constant":
            return f"uniform({self.a:.6g}, {self.a:.6g})"
        if self.kind == "integer":  # to the digit: an index must not exceed its table
            return f"integer({int(self.a)}, {int(self.b)})"
        return f"{self.kind}({self.a:.6g}, {self.b:.6g})"


def _number(value):
    return float(value) if isinstance(value, (int, float, bool)) else None


class Recorder(TorchDispatchMode):
    """Distribution of each meta storage that was made under this mode."""

    def __init__(self):
        super().__init__()
        self._known = {}
        # A freed storage's address may be given out again.
        self._alive = []

    def of(self, tensor):
        """The distribution of a tensor's elements, None when it is not known."""
        return self._known.get(tensor.untyped_storage()._cdata)

    def set(self, tensor, distribution):
        storage = tensor.untyped_storage()
        self._alive.append(storage)
        if distribution is None:
            self._known.pop(storage._cdata, None)
        else:
            self._known[storage._cdata] = distribution

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before = self.of(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        out = func(*args, **kwargs)
        if isinstance(out, torch.Tensor):
            self._record(func, args, kwargs, before, out)
        return out

    def _record(self, func, args, kwargs, before, out):
        name = func.overloadpacket.__name__
        made = _drawn(name, args, kwargs)
        if made is None and before is not None:
            made = _transformed(name, args, kwargs, before)
        shared = args and isinstance(args[0], torch.Tensor) and (
            out.untyped_storage()._cdata == args[0].untyped_storage()._cdata)
        # A view shares its base's entry; writing in place changes it.
        if not shared or name.endswith("_"):
            self.set(out, made)


def _drawn(name, args, kwargs):
    """What a factory or a filling call draws."""
    def argument(index, keyword, default):
        value = args[index] if len(args) > index else kwargs.get(keyword, default)
        return float(value)

    if name in ("randn", "randn_like"):
        return Distribution("normal", 0, 1)
    if name in ("rand", "rand_like"):
        return Distribution("uniform", 0, 1)
    if name in ("zeros", "zeros_like", "zero_", "new_zeros"):
        return Distribution("constant", 0)
    if name in ("ones", "ones_like", "new_ones"):
        return Distribution("constant", 1)
    if name in ("full", "full_like", "fill_", "new_full", "fill"):
        index = {"new_full": 2}.get(name, 1)
        value = args[index] if len(args) > index else kwargs.get("fill_value", kwargs.get("value"))
        return Distribution("constant", float(value)) if _number(value) is not None else None
    if name == "normal_":
        return Distribution("normal", argument(1, "mean", 0), argument(2, "std", 1))
    if name == "uniform_":
        return Distribution("uniform", argument(1, "from", 0), argument(2, "to", 1))
    if name == "randint":
        numbers = [value for value in args if isinstance(value, int)]
        low, high = numbers[:2] if len(numbers) > 1 else (0, numbers[0])
        return Distribution("integer", low, high - 1)
    return None


def _transformed(name, args, kwargs, before):
    """What arithmetic with a number, or moving elements about, makes of BEFORE."""
    other = _number(args[1]) if len(args) > 1 else _number(kwargs.get("other"))
    alpha = float(kwargs.get("alpha", 1))
    name = name.rstrip("_")
    if name == "neg":
        return before.affine(-1, 0)
    if other is not None:
        if name == "mul":
            return before.affine(other, 0)
        if name == "div" and other != 0:
            return before.affine(1 / other, 0)
        if name == "add":
            return before.affine(1, other * alpha)
        if name == "sub":
            return before.affine(1, -other * alpha)
        if name == "rsub":
            return before.affine(-alpha, other)
    # Elements move, are copied or rounded to another type, or zeroed in part.
    if name in ("clone", "contiguous", "_to_copy", "to", "expand", "repeat", "view", "reshape", "transpose", "permute",
                "t", "tril", "triu", "_unsafe_view", "unsqueeze", "squeeze", "detach", "alias", "lift_fresh"):
        return before
    return None


class TensorLiterals(TorchFunctionMode):
    """Keeps the value of `torch.tensor(2.0)`, which the meta device would lose."""

    def __init__(self, recorder):
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func in (torch.tensor, torch.as_tensor) and args and isinstance(out, torch.Tensor):
            value = _number(args[0])
            if value is not None:
                self._recorder.set(out, Distribution("constant", value))
        return out


def observed(tensor):
    """The distribution of a tensor that has data: its range where that is all there is to it, else its mean and deviation."""
    if tensor.numel() == 0:
        return Distribution("constant", 0)
    values = tensor.detach().double().flatten()
    low, high = values.min().item(), values.max().item()
    if not tensor.dtype.is_floating_point:
        return Distribution("integer", low, high)
    if low == high:
        return Distribution("constant", low)
    finite = values[values.isfinite()]
    if low >= 0 or finite.numel() < 2:
        return Distribution("uniform", finite.min().item(), finite.max().item())
    return Distribution("normal", finite.mean().item(), finite.std().item())


def initial_distribution(tensor, recorded, is_parameter):
    """The `kgen.init` of a tensor: what was recorded, except that a constant weight becomes random.

    A scale of all ones or a bias of all zeros would let a kernel pass that
    ignores it; a rank-0 tensor is a constant of the model and stays. Integers and
    bools of which nothing is known (a mask from a comparison) are 0 or 1.
    """
    if not tensor.dtype.is_floating_point and not tensor.dtype.is_complex:
        return recorded if recorded is not None and recorded.kind == "integer" else Distribution("integer", 0, 1)
    if recorded is None:
        if not is_parameter:
            return Distribution("normal", 0, 1)
        fan_in = math.prod(tensor.shape[1:]) if tensor.dim() > 1 else max(tensor.numel(), 1)
        return Distribution("normal", 0, 1 / math.sqrt(fan_in))
    if recorded.kind == "constant" and is_parameter and tensor.dim() > 0:
        if recorded.a == 1:
            return Distribution("uniform", 0.5, 1.5)
        if recorded.a == 0:
            return Distribution("normal", 0, 0.1)
    return recorded
