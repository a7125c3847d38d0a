# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has to hold for a call to be the one that the kernels were made for. Each check says in words what does not."""
import inspect
import types

import torch
from torch.nn.modules import module as torch_module
from torch.utils.hooks import RemovableHandle

try:
    from torch._C._dynamo.guards import TensorGuards
except ImportError:
    TensorGuards = None

_PLAIN = (torch.Tensor, torch.nn.Parameter)

#: How often any module got a parameter, a buffer or a submodule: while it stands, no module has another structure.
_registrations = [0]


def _registered(*_):
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


def outside():
    """Why no kernel may run now, whatever the call; None when one may."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
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
        for value, expected, name in zip(values, self.facts, self.names):
            if not isinstance(value, torch.Tensor):
                return f"{name} is {describe(facts(value))}, the kernels are for {describe(expected)}"
            if type(value) not in _PLAIN:
                return f"{name} is a {type(value).__name__}, the kernels are for plain tensors"
            found = facts(value)
            if found != expected:
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
    """A module's structure, its parameters and buffers, by reference: `values` reads them as they are now."""

    def __init__(self, module, names):
        self._places = [_place(module, name) for name in names]
        self._tensors = Tensors(self.values(), names)
        self._names = names
        self._children = [(path, part._modules, dict(part._modules)) for path, part in module.named_modules()]
        tied = {}
        for path, part in module.named_modules(remove_duplicate=False):
            for held in (part._parameters, part._buffers):
                for name, value in held.items():
                    if value is not None:
                        tied.setdefault(id(value), []).append((f"{path}.{name}".lstrip("."), held, name))
        self._tied = [places for places in tied.values() if len(places) > 1]
        self._seen = None
        self._hooks = Hooks(module)
        # What forward reads of its own, side by side: they are compared in one go.
        self._read = [(path, vars(part), name) for path, part in module.named_modules() for name in _read_attributes(part)]
        # Who gives a part another forward gives it to the part itself.
        self._read += [(path, vars(part), "forward") for path, part in module.named_modules()]
        self._dicts, self._keys = [held for _, held, _ in self._read], [name for _, _, name in self._read]
        self._settings = list(map(dict.get, self._dicts, self._keys))
        # What the flag changes is found where it is read.
        self._modes = [(path, part, part.training) for path, part in module.named_modules() if part is module or _reads_mode(part)]

    def values(self):
        """Raises KeyError where something is gone."""
        return [held[name] for held, name in self._places]

    def miss(self, values):
        """Why VALUES, or the module around them, are not what the kernels were made for."""
        for path, part, training in self._modes:
            if part.training is not training:
                return f"{path or 'the module'} changed between training and evaluation"
        if (found := list(map(dict.get, self._dicts, self._keys))) != self._settings:
            (path, _, name), value, expected = next(each for each in zip(self._read, found, self._settings) if each[1] != each[2])
            return f"{path}.{name}".lstrip(".") + f" is {value!r}, the kernels are for {expected!r}"
        why = self._hooks.miss()
        if why is not None:
            return why
        if self._seen != _registrations[0]:
            for path, held, children in self._children:
                if held.keys() != children.keys() or any(held[name] is not child for name, child in children.items()):
                    return f"the module changed: {path or 'it'} has other submodules"
            for places in self._tied:
                first = places[0][1].get(places[0][2])
                for path, held, name in places[1:]:
                    if held.get(name) is not first:
                        return f"the module changed: {path} is no longer the same tensor as {places[0][0]}"
            self._seen = _registrations[0]
        return self._tensors.miss(values)


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


def _read_attributes(part):
    """The names of PART's own numbers, words, flags and tuples of them that a method of its class reads or may read."""
    named = set()
    for kind in type(part).__mro__:
        if kind is torch.nn.Module:
            break
        for method, value in vars(kind).items():
            if method in ("__init__", "extra_repr"):
                continue
            value = inspect.unwrap(value) if callable(value) else value
            waiting = [getattr(value, "__code__", None)]
            while waiting:
                code = waiting.pop()
                if code is not None:
                    named.update(code.co_names)
                    waiting += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return [name for name, value in vars(part).items() if name in named and name != "training" and _is_plain(value)]


def _is_plain(value):
    return type(value) in (bool, int, float, str, type(None)) or (type(value) is tuple and all(map(_is_plain, value)))


def _place(module, name):
    """The dictionary that holds the parameter or buffer NAME, and its name there."""
    path, _, leaf = name.rpartition(".")
    owner = module.get_submodule(path) if path else module
    for held in (owner._parameters, owner._buffers):
        if leaf in held:
            return held, leaf
    raise KeyError(name)


def _reads_mode(part):
    code = getattr(inspect.unwrap(type(part).forward), "__code__", None)
    return code is None or "training" in code.co_names or "train" in code.co_names


def overlap(values, written):
    """Whether a tensor that is written, one of the positions WRITTEN, shares memory with another of VALUES."""
    seen = {}
    for position, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            seen.setdefault((value.device, value.untyped_storage().data_ptr()), []).append(position)
    return any(len(positions) > 1 and not written.isdisjoint(positions) for positions in seen.values())
