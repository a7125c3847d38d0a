# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile(..., offload=True): weights that only preparation reads lie in the machine's memory, not in the card's.

A tensor is moved by its `data`: it stays the same object, with the same version, in the module and for optimizers. Where it lies is not noted anywhere
but in itself, so that whatever else moves tensors (`.to()`, `load_state_dict(assign=True)`) needs no word of this file.
"""
import contextlib
import threading
import weakref

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakIdKeyDictionary

from kgen.runtime import RuntimeFailed
from kgen.watch import move, shares

#: Held while weights are moved, and while something is prepared from them.
lock = threading.RLock()


class Machine:
    """The machine's memory, beside that of a card."""

    def serves(self, device):
        """Whether weights of DEVICE can be moved here."""
        return device.type == "cuda"

    def is_away(self, tensor, device):
        """Whether TENSOR, a weight for DEVICE, lies here."""
        return tensor.device.type == "cpu" and device.type != "cpu"

    def is_there(self, tensor, device):
        """Whether TENSOR lies in DEVICE's memory."""
        return tensor.device == device

    def store(self, tensor):
        """A tensor of the same content and strides here, once it is copied."""
        return tensor.detach().to("cpu")

    def load(self, tensor, device):
        """The same on DEVICE."""
        return tensor.detach().to(device)

    def settle(self, device):
        """Waits until nothing that was queued on DEVICE reads or writes a weight any more."""
        torch.cuda.synchronize(device)

    def is_captured(self, device):
        """Whether a CUDA graph captures the current stream."""
        return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


#: Tests have one of their own.
machine = Machine()


@contextlib.contextmanager
def _plainly():
    """Nobody watches PyTorch's operators, and tensors are made as outside of inference mode."""
    with _disable_current_modes(), temporarily_clear_interpreter_stack(), torch.inference_mode(False), torch.no_grad():
        yield


def _storage(tensor):
    return tensor.untyped_storage()._cdata


class Offload:
    """Which weights of ORIGINAL, a module, are moved, and when. OTHERS(): the tensors of all other compiled modules.

    Moved are parameters and buffers that some entry's preparation reads and no entry's run, that share memory with no other tensor, have no gradient and
    are not what autograd or a CUDA graph may have kept. They come back for each call of the original, and go again after the next hit.
    """

    def __init__(self, original, others):
        self._original, self._others = weakref.ref(original), others
        self._places, self._needed, self._device = [], [], None
        self._users, self._settled, self._counts = 0, False, weakref.WeakKeyDictionary()
        # {tensor: version} of what autograd may have kept, None for what a CUDA graph may read for good.
        self._recorded = WeakIdKeyDictionary()

    def update(self, entries):
        """Decides anew for ENTRIES. An entry that is not kernels alone (in pieces, or the original) reads everything."""
        devices, places, needed = {entry.device for entry in entries if hasattr(entry, "weights")}, {}, []
        whole = len(devices) == 1 and all(hasattr(entry, "weights") and entry.another is None for entry in entries)
        self._device = next(iter(devices)) if whole else None
        if whole and machine.serves(self._device):
            for entry in entries:
                lone, read = entry.weights()
                places.update({(id(held), name): (held, name) for held, name in lone})
                needed += read
        for place in needed:
            if isinstance(place, tuple):
                places.pop((id(place[0]), place[1]), None)
        self._places, self._needed, self._settled = list(places.values()), needed, False
        for entry in entries:
            if hasattr(entry, "weights"):
                entry.let_offload(places)

    def _weights(self):
        """The tensors that may be moved, each once."""
        found = (held.get(name) for held, name in self._places)
        return list({id(tensor): tensor for tensor in found if isinstance(tensor, torch.Tensor)}.values())

    def _away(self):
        return [tensor for tensor in self._weights() if machine.is_away(tensor, self._device)]

    @property
    def bytes(self):
        """What lies in the machine's memory now."""
        return sum(tensor.untyped_storage().nbytes() for tensor in self._away())

    def run(self, entry, values, call):
        """ENTRY's answers for VALUES; what may go goes afterwards."""
        if not self._places:
            return entry.run(values, call)
        if torch._C._len_torch_dispatch_stack():  # operators run, each with all of its weights
            with self.back(call):
                return entry.run(values, call)
        answers = entry.run(values, call)
        # Where weights changed or were moved by others there was a preparation.
        if not self._settled or self._counts.get(entry) != entry.graph.prepared:
            self.put_away()
            self._counts[entry] = entry.graph.prepared
        return answers

    def put_away(self):
        """Moves what may be moved to the machine's memory, unless the original is running."""
        if not self._places:
            return
        with lock, _plainly():
            if machine.is_captured(self._device):
                self._keep(None)
                return
            if self._users:
                return
            self._settled = True
            needed = [place if isinstance(place, torch.Tensor) else place[0].get(place[1]) for place in self._needed] + self._others()
            needed = {_storage(tensor) for tensor in needed if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided}
            going = [tensor for tensor in self._there() if self._may_go(tensor, needed)]
            if going:
                machine.settle(self._device)
            for tensor in going:
                copy = machine.store(tensor)
                if copy.stride() == tensor.stride():
                    move(tensor, copy)

    def _there(self):
        return [tensor for tensor in self._weights() if machine.is_there(tensor, self._device) and not machine.is_away(tensor, self._device)]

    def _keep(self, until):
        """What lies on the card stays there: UNTIL it has another "version", or for good, None."""
        for tensor in self._there():
            if not tensor.is_inference() and self._recorded.get(tensor, -1) is not None:
                self._recorded[tensor] = until and tensor._version

    def _may_go(self, tensor, needed):
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout != torch.strided or tensor.is_inference() or not tensor.is_leaf:
            return False
        if tensor.grad is not None or self._recorded.get(tensor, -1) in (None, tensor._version):
            return False
        return tensor.numel() > 0 and not shares(tensor) and _storage(tensor) not in needed

    def bring_back(self, call=()):
        """Moves to the card what lies in the machine's memory, where the rest of the module, or something in CALL, is there: not where somebody moved
        the whole module to the CPU. Raises RuntimeFailed where a CUDA graph captures."""
        with lock, _plainly():
            away = self._away()
            if not away or not self._is_there(call, away):
                return
            if machine.is_captured(self._device):
                raise RuntimeFailed("the original is to run, its weights are offloaded, and a CUDA graph cannot bring them to the card: "
                                    "call kgen.onload() before the capture")
            self._settled = False
            for tensor in away:
                move(tensor, machine.load(tensor, self._device))

    def _is_there(self, call, away):
        away, original = {id(tensor) for tensor in away}, self._original()
        if original is None:
            return False
        rest = [tensor for tensor in (*original.parameters(), *original.buffers()) if id(tensor) not in away]
        rest += [leaf for leaf in torch.utils._pytree.tree_leaves(call) if isinstance(leaf, torch.Tensor)]
        return not rest or any(machine.is_there(tensor, self._device) for tensor in rest)

    @contextlib.contextmanager
    def back(self, call=(), records=True):
        """All weights are on the card; for a run of the original with CALL's arguments, which autograd may record with RECORDS."""
        if not self._places:
            yield
            return
        with lock:
            self.bring_back(call)
            self._users += 1
        try:
            # What autograd keeps for a backward has to lie where it lay; it may go once it is another version, which autograd refuses itself.
            if records and (torch.is_grad_enabled() or torch._C._functorch.peek_interpreter_stack() is not None) and self._records(call):
                self._keep("version")
            if machine.is_captured(self._device):
                self._keep(None)
            yield
        finally:
            with lock:
                self._users -= 1
                self._settled = False

    def _records(self, call):
        original = self._original()
        leaves = torch.utils._pytree.tree_leaves(call)
        return any(isinstance(value, torch.Tensor) and value.requires_grad for value in (*original.parameters(), *original.buffers(), *leaves)) or (
            torch._C._functorch.peek_interpreter_stack() is not None)

    def forget_recorded(self):
        """Weights that autograd may have kept may go again."""
        for tensor in [tensor for tensor, version in self._recorded.items() if version is not None]:
            del self._recorded[tensor]

    def end(self):
        """Brings the weights back where somebody else still has the module."""
        if self._original() is not None and self._places:
            self.bring_back()
            self._places = []
