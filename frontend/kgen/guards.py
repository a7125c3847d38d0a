# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has to hold for a call to be the one that the kernels were made for. Each check says in words what does not."""
import itertools
import operator

import torch
from torch.nn.modules import module as torch_module
from torch.utils.hooks import RemovableHandle

from kgen.reads import Reads

try:
    from torch._C._dynamo.guards import TensorGuards
except ImportError:
    TensorGuards = None

_MACHINE = torch.device("cpu")
_PLAIN = (torch.Tensor, torch.nn.Parameter)

#: How often any module got a parameter, a buffer or a submodule: while it stands, no module has another structure.
_registrations = [0]


def _registered(*_):
    # Dynamo would guard on the number, and compile anew whatever makes a module in each call: decoders of transformers slice their layers.
    if not torch.compiler.is_dynamo_compiling():
        _registrations[0] += 1


for _register in (torch_module.register_module_buffer_registration_hook, torch_module.register_module_module_registration_hook,
                  torch_module.register_module_parameter_registration_hook):
    _register(_registered)


def facts(value):
    """What is compared: of a tensor its class, type, shape, strides and device; of another value itself and its type."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            return (value.dtype, tuple(value.shape), value.layout, value.device)
        return (value.dtype, tuple(value.shape), value.stride(), value.device)
    return (type(value), value)


def describe(known):
    if len(known) == 4:
        how = f"with strides {known[2]}" if isinstance(known[2], tuple) else f"in layout {known[2]}"
        return f"{known[0]} {tuple(known[1])} {how} on {known[3]}"
    return repr(known[1])


def is_traced():
    """Whether Dynamo or export traces this thread: its flag is every thread's."""
    return torch.compiler.is_dynamo_compiling() or (torch.compiler.is_compiling() and torch._C._len_torch_dispatch_stack() > 0)


def outside():
    """Why no kernel may run now, whatever the call; None when one may."""
    if is_traced() or torch._C._get_tracing_state() is not None:
        return "it is being traced, and kgen's kernels do not show there"
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return "it runs under a transform (vmap, grad), and kgen's kernels have none"
    if _autocast():
        return "autocast is on, and kgen's kernels are for the types that the module has"
    return None


def _autocast():
    return torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")


def _same(found, expected):
    """Equality that neither arrays nor tensors can break."""
    try:
        return bool(found == expected)
    except Exception:
        return False


class Tensors:
    """What tensors were like: as fast as PyTorch's own guards where nothing changed."""

    def __init__(self, values, names):
        self.facts = [facts(value) for value in values]
        self.names = names
        #: Positions that may also lie in the machine's memory (offload.py).
        self.offloadable = frozenset()
        self._remember(values)

    def _remember(self, values):
        # PyTorch's guards refuse a tensor that comes twice: they see it once.
        first, self._distinct, self._twins = {}, [], []
        for index, value in enumerate(values):
            if id(value) in first:
                self._twins.append((index, first[id(value)]))
            else:
                first[id(value)] = index
                self._distinct.append(index)
        distinct = [values[index] for index in self._distinct]
        self._fast = (TensorGuards(*distinct, dynamic_dims_sizes=None, dynamic_dims_strides=None)
                      if TensorGuards and values and all(type(value) in _PLAIN for value in values) else None)

    def _unchanged(self, values):
        if self._twins:
            if any(values[index] is not values[first] for index, first in self._twins):
                return False
            values = [values[index] for index in self._distinct]
        return self._fast.check(*values)

    def miss(self, values):
        if self._fast is not None and self._unchanged(values):
            return None
        for position, (value, expected, name) in enumerate(zip(values, self.facts, self.names)):
            if not isinstance(value, torch.Tensor):
                return f"{name} is {describe(facts(value))}, the kernels are for {describe(expected)}"
            if type(value) not in _PLAIN:
                return f"{name} is a {type(value).__name__}, the kernels are for plain tensors"
            found = facts(value)
            if found != expected and not (position in self.offloadable and found == (*expected[:-1], _MACHINE)):
                return f"{name} is {describe(found)}, the kernels are for {describe(expected)}"
            if value.is_conj() or value.is_neg():
                return f"{name} is a lazy conjugate or negative"
        # Something that changes no answer: whether gradients are wanted.
        self._remember(values)
        return None


class Inputs:
    """One set of example inputs."""

    def __init__(self, leaves, spec):
        self.spec = spec
        self.positions = [index for index, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self._others = [(index, facts(leaf)) for index, leaf in enumerate(leaves) if not isinstance(leaf, torch.Tensor)]
        self._tensors = Tensors([leaves[index] for index in self.positions], [f"input {index}" for index in self.positions])

    def miss(self, leaves, spec):
        if spec != self.spec:
            return "the arguments have another structure"
        for index, expected in self._others:
            if not _same(facts(leaves[index]), expected):
                return f"input {index} is {describe(facts(leaves[index]))}, the kernels are for {describe(expected)}"
        return self._tensors.miss([leaves[index] for index in self.positions])


class State:
    """A module's structure, its parameters, buffers and tensors among its attributes, by reference: `values` reads them as they are now."""

    def __init__(self, module, names):
        self._places = [_place(module, name) for name in names]
        self._tensors = Tensors(self.values(), names)
        self._names = names
        parts = list(module.named_modules())
        self._children = [(path, part._modules, dict(part._modules)) for path, part in parts if part._modules]
        self._held = [held for _, held, _ in self._children]
        self._below = list(itertools.chain.from_iterable(map(dict.values, self._held)))
        self._absent = [(path, held, _absent(held)) for path, part in parts for held in (part._parameters, part._buffers)]
        tied = {}
        for path, part in module.named_modules(remove_duplicate=False):
            for held in (part._parameters, part._buffers):
                for name, value in held.items():
                    if value is not None:
                        tied.setdefault(id(value), []).append((f"{path}.{name}".lstrip("."), held, name))
        self._tied = [places for places in tied.values() if len(places) > 1]
        self._seen = None
        self._hooks = Hooks(module)
        self._attributes = frozenset(number for number, (name, (held, _)) in enumerate(zip(names, self._places)) if not _is_state(module, name, held))
        self.reads = Reads(module, {names[number].rpartition(".")[::2] for number in self._attributes})
        # What the flag changes is found where it is read.
        self._modes = [(path, part, part.training) for path, part in self.reads.modes]

    def values(self):
        """Raises KeyError where something is gone."""
        return [held[name] for held, name in self._places]

    def place(self, number):
        """(the dictionary that holds tensor NUMBER, its name there, whether that is a parameter or a buffer)."""
        held, name = self._places[number]
        return held, name, number not in self._attributes

    def offload(self, numbers):
        """From now on NUMBERS may also lie in the machine's memory."""
        self._tensors.offloadable = frozenset(numbers)

    def miss(self, values):
        """Why VALUES, or the module around them, are not what the kernels were made for."""
        for path, part, training in self._modes:
            if part.training is not training:
                return f"{path or 'the module'} changed between training and evaluation"
        now = list(itertools.chain.from_iterable(map(dict.values, self._held)))
        if len(now) != len(self._below) or not all(map(operator.is_, now, self._below)):
            path = next(path for path, held, children in self._children if list(held.items()) != list(children.items()))
            return f"the module changed: {path or 'it'} has other submodules"
        why = self._hooks.miss()
        if why is not None:
            return why
        if self._seen != _registrations[0]:
            why = self._other_structure()
            if why is not None:
                return f"the module changed: {why}"
            self._seen = _registrations[0]
        return self.reads.miss() or self._tensors.miss(values)

    def _other_structure(self):
        for path, held, children in self._children:
            if held.keys() != children.keys() or any(held[name] is not child for name, child in children.items()):
                return f"{path or 'it'} has other submodules"
        for path, held, absent in self._absent:
            if (now := _absent(held)) != absent:
                name = next(name for name in [*now, *absent] if now.get(name) != absent.get(name))
                return f"{path}.{name}".lstrip(".") + " came or went"
        for places in self._tied:
            first = places[0][1].get(places[0][2])
            for path, held, name in places[1:]:
                if held.get(name) is not first:
                    return f"{path} is no longer the same tensor as {places[0][0]}"
        return None


def _absent(held):
    """{name: whether there is none} of parameters or buffers."""
    return {name: value is None for name, value in held.items()}


def _is_state(module, name, held):
    owner = module.get_submodule(name.rpartition(".")[0])
    return held is owner._parameters or held is owner._buffers


class Hooks:
    """A module's forward hooks, those of its parts and those of all modules: each is a part of the graph or not there."""

    def __init__(self, module):
        held = [(path, getattr(part, name)) for path, part in module.named_modules() for name in ("_forward_hooks", "_forward_pre_hooks")]
        held += [("every module", torch_module._global_forward_hooks), ("every module", torch_module._global_forward_pre_hooks)]
        self._held = [(path, hooks, list(hooks)) for path, hooks in held]
        self._used = [each for each in self._held if each[2]]
        self._seen = RemovableHandle.next_id

    def miss(self):
        """Why they are other ones now."""
        new = self._seen != RemovableHandle.next_id  # which counts every hook that is registered anywhere
        for path, hooks, expected in self._held if new else self._used:
            if list(hooks) != expected:
                return f"{path or 'the module'} has other forward hooks"
        self._seen = RemovableHandle.next_id
        return None


def _place(module, name):
    """The dictionary that holds the parameter, the buffer or the attribute NAME, and its name there."""
    path, _, leaf = name.rpartition(".")
    owner = module.get_submodule(path) if path else module
    for held in (owner._parameters, owner._buffers, vars(owner)):
        if leaf in held:
            return held, leaf
    raise KeyError(name)


def overlap(values, written):
    """Whether a tensor that is written, one of the positions WRITTEN, shares memory with another of VALUES."""
    seen = {}
    for position, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            seen.setdefault((value.device, value.untyped_storage().data_ptr()), []).append(position)
    return any(len(positions) > 1 and not written.isdisjoint(positions) for positions in seen.values())
