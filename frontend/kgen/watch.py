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

_plain = torch.Tensor.data
_watched = {}  # id of a tensor: its Watch
_steps = [0]


class Watch:
    """What is known of one tensor. `touched`: how often somebody got or set its `data`."""

    __slots__ = ("reference", "touched", "_open", "_address", "_places")

    def __init__(self, tensor):
        self.reference = weakref.ref(tensor, lambda _, key=id(tensor): _watched.pop(key, None))
        self.touched, self._open = 0, False
        self._address, self._places = None, 0

    def touch(self):
        self.touched += 1
        self._open = True

    def open(self, tensor):
        """Whether somebody who went through `data` may still write to TENSOR, which this is of: until no other tensor shares its memory."""
        if self._open:
            self._open = shares(tensor)
        return self._open


    def place(self, tensor):
        """A number of the memory of TENSOR, which this is of: another one once it lies elsewhere, but for what move() did."""
        address = tensor.data_ptr()
        if address != self._address:
            self._address, self._places = address, self._places + 1
        return self._places


def move(tensor, value):
    """TENSOR's memory becomes that of VALUE, which holds the same. Not a change of it: whoever prepared from it need not do so again."""
    known = watch(tensor)
    known.place(tensor)
    _plain.__set__(tensor, value)
    known._address = tensor.data_ptr()


def shares(tensor):
    """Whether another tensor shares TENSOR's memory."""
    # One for the tensor, one for the storage that stands for it here.
    return torch._C._storage_Use_Count(tensor.untyped_storage()._cdata) > 2


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
    def get(tensor):
        known = _watched.get(id(tensor))
        if known is not None:
            known.touch()
        return _plain.__get__(tensor)

    def put(tensor, value):
        known = _watched.get(id(tensor))
        if known is not None:
            known.touch()
        _plain.__set__(tensor, value)

    def stepped(*_):
        _steps[0] += 1
    torch.Tensor.data = property(get, put, doc=_plain.__doc__)
    register_optimizer_step_post_hook(stepped)


_install.done = False
