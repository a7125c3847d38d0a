# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of weights that PyTorch's own count, `tensor._version`, does not show.

Two kinds are seen here. `p.data` is a tensor of the same memory with a count of its own: `p.data.add_(...)`, `p.data += merged adapter`.
A fused optimizer's step is not counted at all. From the first weight that is watched on, `torch.Tensor.data` is a property
that takes notice and then does what it did before, and every step of an optimizer is counted. Who writes to the memory itself (NumPy, DLPack, an
extension, a collective) shows nowhere: that is what kgen.refresh is for.
"""
import weakref

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

_watched = {}  # id of a tensor: its Watch
_steps = [0]


class Watch:
    """What is known of one tensor. `touched`: how often somebody got or set its `data`."""

    __slots__ = ("reference", "touched", "_open")

    def __init__(self, tensor):
        self.reference = weakref.ref(tensor, lambda _, key=id(tensor): _watched.pop(key, None))
        self.touched, self._open = 0, False

    def touch(self):
        self.touched += 1
        self._open = True

    def open(self, tensor):
        """Whether somebody who went through `data` may still write to TENSOR, which this is of: until no other tensor shares its memory."""
        if self._open:
            # One for the tensor, one for the storage that stands for it here.
            self._open = torch._C._storage_Use_Count(tensor.untyped_storage()._cdata) > 2
        return self._open


def watch(tensor):
    """The Watch of TENSOR, the same one as long as it lives."""
    _install()
    known = _watched.get(id(tensor))
    if known is None or known.reference() is not tensor:
        known = _watched[id(tensor)] = Watch(tensor)
    return known


def steps():
    """How many steps optimizers made. A fused one may write to other tensors than it was given: each may have changed any weight."""
    return _steps[0]


def _install():
    if _install.done:
        return
    _install.done = True
    plain = torch.Tensor.data

    def get(tensor):
        known = _watched.get(id(tensor))
        if known is not None:
            known.touch()
        return plain.__get__(tensor)

    def put(tensor, value):
        known = _watched.get(id(tensor))
        if known is not None:
            known.touch()
        plain.__set__(tensor, value)

    def stepped(*_):
        _steps[0] += 1
    torch.Tensor.data = property(get, put, doc=plain.__doc__)
    register_optimizer_step_post_hook(stepped)


_install.done = False
