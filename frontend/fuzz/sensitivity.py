# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the inputs determine each element of PyTorch's own fp64 answer.

The sine of a rounded 1e30 is any number between -1 and 1, and infinity times what rounding made of a zero may have either sign or be
none. So may the zeros of a maximum. Stochastic arithmetic finds such elements (as CADNA does, for one): each result of each op is moved by some roundings, several
times over, and what moves with it by as much as the comparison asks for may be off by some times as much. Nor does anybody promise the order of a product's factors:
an overflow before a zero makes NaN of what is 0 in every other draw. kgen has no part in it.
"""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fuzz.ops import CHOICES

# Two libraries' functions and orders of sums differ by some units in the last place of fp64.
_UNITS = 8 * 2.0 ** -52
# All up, all down (what rounding made of a zero has either sign then), and by chance.
_DRAWS = 5
# The largest of so few draws may be some times as large in another.
_TIMES = 8
# Ops that add up, whose result may be as far off as their operands' rounding, however small it is itself.
_SUMS = ("sum", "mean", "var", "std", "norm", "mm", "bmm", "baddbmm", "addmm", "addmv", "mv", "dot", "convolution", "cumsum", "pool", "log_softmax",
         "logsumexp", "scatter_add", "scatter_reduce", "index_put", "index_add", "loss")
_CONTRACTIONS = ("mm", "addmv", "mv", "dot", "convolution", "pool")


def _floats(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.is_floating_point():
                yield value
        elif isinstance(value, (list, tuple)):
            yield from _floats(value)


def _whole(tensor):
    return (tensor == tensor.trunc()) & (tensor.abs() < 2.0 ** 31)


def _zero_first(result, factors, dim=None, keepdim=False, **_):
    """`prod` along DIM (of all, where it is None) in an order that meets a zero before the factors whose product overflows."""
    dims = {} if dim is None else {"dim": dim, "keepdim": keepdim}
    zero = (factors == 0).any(**dims) & factors.isfinite().all(**dims)
    return torch.where(zero & result.isnan(), 0.0, result)


class _Moved(TorchDispatchMode):
    """Every result that an op rounded is moved: not integers, nor values that are an operand's."""

    def __init__(self, number):
        super().__init__()
        self._number, self._generator = number, torch.Generator().manual_seed(number)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._schema.name.removeprefix("aten::")
        result = func(*args, **(kwargs or {}))
        if name == "prod" and self._number % 2 and result.is_floating_point():
            result = _zero_first(result, *args, **(kwargs or {}))
        # A result that is its operand's memory is a view, or was written in place and is moved as its values are.
        if func.is_view or not any(True for _ in _floats([result])):
            return result
        operands = [operand.detach().flatten() for operand in _floats([args, list((kwargs or {}).values())])]
        known = torch.cat(operands).double() if operands else torch.zeros(0, dtype=torch.float64)
        sums, contracts = (any(part in name for part in parts) for parts in (_SUMS, _CONTRACTIONS))
        for part in _floats([result]):
            self._move(part, known, sums, contracts)
            if name.startswith(CHOICES) and bool((known.signbit() & (known == 0)).any()):
                self._sign(part)
        return result

    def _sign(self, part):
        """Zeros of either sign, as the zeros of a maximum of both."""
        sign = torch.randint(0, 2, part.shape, generator=self._generator) if self._number > 1 else torch.full(part.shape, self._number)
        part.copy_(torch.where(part == 0, torch.zeros_like(part).copysign(0.5 - sign), part))

    def _move(self, part, known, sums, contracts):
        if not part.numel() or part.dtype != torch.float64 or any(stride == 0 for stride in part.stride()):
            return
        finite = part.isfinite()
        if sums and not bool(_whole(known[known.isfinite()]).all()):
            # A zero of a contraction is one of padding; one of a norm or a sum may be what is left.
            rounded, size = finite & (part != 0) if contracts else finite, known[known.isfinite()].abs().max().item()
        else:
            rounded, size = finite & ~_whole(part) & ~torch.isin(part.abs(), known.abs()), 0.0
        step = torch.rand(part.shape, generator=self._generator, dtype=torch.float64) * 2 - 1 if self._number > 1 else 1 - 2 * self._number
        part.copy_(torch.where(rounded, part + step * _UNITS * (part.abs() + size), part))


def slack(compute, tolerance):
    """For each of the tensors that COMPUTE gives, in fp64, by how much more than TOLERANCE (of the largest element that has none) each
    element may be off: some times what moving did to it, infinity where a NaN or an infinity came or went, an integer changed or a sign of
    infinity did, and mostly 0."""
    right = compute()
    most = [torch.zeros(tensor.shape, dtype=torch.float64) for tensor in right]
    for number in range(_DRAWS):
        with _Moved(number):
            moved = compute()
        for each, tensor, other in zip(most, right, moved):
            apart = (tensor.double() - other.double()).abs()
            same = (tensor == other) | (tensor.isnan() & other.isnan())
            unlike = ~same & ~(tensor.isfinite() & other.isfinite() & torch.tensor(tensor.is_floating_point()))
            apart = torch.where(same, 0.0, apart.masked_fill(unlike, float("inf")))
            known = tensor.isfinite() & (each == 0)
            scale = tensor[known].double().abs().max().item() if bool(known.any()) else 0.0
            each.copy_(torch.where(apart > tolerance / 4 * (scale + 1e-5), torch.maximum(each, _TIMES * apart), each))
    return most
