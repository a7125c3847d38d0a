# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls in one spelling, and answers of any class taken apart into tensors and put together again."""
import collections.abc
import enum
import inspect

import torch
from torch.utils import _pytree as pytree

from kgen.reads import Before, hidden_in

_ATOMS = frozenset((bool, int, float, str, type(None)))
_TENSORS = (torch.Tensor, torch.nn.Parameter)
#: What stands for itself on either side of a call, without a container around it.
PLAIN = _ATOMS | frozenset(_TENSORS)


class Signature:
    """A forward's parameters. Positions or names, written defaults or none: canonical() makes one call of them."""

    def __init__(self, forward, by_name=True):
        kinds = inspect.Parameter
        try:
            parameters = list(inspect.signature(forward).parameters.values())
        except (TypeError, ValueError):
            parameters = [kinds("arguments", kinds.VAR_POSITIONAL)]
        self._by_name = by_name and not any(each.kind in (kinds.POSITIONAL_ONLY, kinds.VAR_POSITIONAL) for each in parameters)
        self._positional = [each.name for each in parameters if each.kind is kinds.POSITIONAL_OR_KEYWORD]
        self._more = any(each.kind is kinds.VAR_KEYWORD for each in parameters)
        self._defaults = {each.name: each.default for each in parameters if each.kind is not kinds.VAR_KEYWORD}

    def canonical(self, arguments, keywords):
        """(arguments, keywords) without what is at its default; None for a call that Python would refuse."""
        if not self._by_name:
            return arguments, dict(sorted(keywords.items()))
        if len(arguments) > len(self._positional):
            return None
        given = dict(zip(self._positional, arguments))
        if keywords:
            if given and not given.keys().isdisjoint(keywords):
                return None
            given.update(keywords)
        ordered = {}
        for name, default in self._defaults.items():
            if name in given:
                value = given.pop(name)
                if value is not default and not (type(value) in _ATOMS and type(value) is type(default) and value == default):
                    ordered[name] = value
        if given:
            if not self._more:
                return None
            ordered.update(sorted(given.items()))
        return (), ordered


def flatten(arguments, keywords):
    """(leaves, what they hang on): a count and names where no argument is a container, which costs next to nothing."""
    leaves = [*arguments, *keywords.values()]
    for leaf in leaves:
        if type(leaf) not in PLAIN and not isinstance(leaf, torch.Tensor):
            return pytree.tree_flatten((arguments, keywords))
    return leaves, (len(arguments), *keywords)


def distinct(arguments, keywords, module):
    """ARGUMENTS and KEYWORDS with a copy of each tensor that shares memory with an earlier one, or with MODULE's parameters and buffers: export takes
    what is one tensor in an example for one in each call."""
    seen = {value.untyped_storage()._cdata for value in [*module.parameters(), *module.buffers()] if _is_strided(value)}

    def own(value):
        if not _is_strided(value):
            return value
        storage = value.untyped_storage()
        if storage._cdata not in seen:
            seen.add(storage._cdata)
            return value
        copied = torch.empty(0, dtype=value.dtype, device=value.device).set_(storage.clone(), value.storage_offset(), value.shape, value.stride())
        return copied.requires_grad_(value.requires_grad)
    return pytree.tree_map(own, (arguments, keywords))


def _is_strided(value):
    return isinstance(value, torch.Tensor) and type(value) in _TENSORS and value.layout == torch.strided and not value.is_conj() and not value.is_neg()


class Form:
    """The shape of an answer. PyTorch's pytrees take containers apart; an object of a class that they do not know (a cache of keys
    and values, a data class) is its attributes, all the way down, and every call makes a new one. What the module itself holds (its
    configuration), and what has no attributes, is kept. PLACES, {id of a tensor: what it is}: a tensor that the module was given, or
    has, and that is an answer itself. Raises TypeError for an answer that hides tensors from calls."""

    def __init__(self, value, module, places=None):
        self.tensors, self._places = [], places or {}
        self._kept = {id(held) for part in module.modules() for held in (part, *vars(part).values())}
        self._numbers, self._seen = {}, {}
        leaves, self._spec = pytree.tree_flatten(value)
        self._leaves = [self._describe(leaf) for leaf in leaves]
        #: {number of a tensor: its place}
        self.same = {number: self._places[id(tensor)] for number, tensor in enumerate(self.tensors) if id(tensor) in self._places}
        self.build(self.tensors)  # so that a class that cannot be made again shows now
        # What was seen is not held beyond the tracing.
        self._kept = self._seen = self._places = None

    def _describe(self, value):
        """A function of (results, objects made so far) to the value that stands here."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self._numbers:
                self._numbers[id(value)] = len(self.tensors)
                self.tensors.append(value)
            number = self._numbers[id(value)]
            return lambda results, made: results[number]
        if id(value) in self._kept or type(value) in _ATOMS or isinstance(value, (type, torch.nn.Module, enum.Enum)):
            return lambda results, made: value
        if callable(value) or isinstance(value, (set, frozenset, collections.abc.Iterator)):
            if hidden_in(value):
                raise TypeError(f"its answer has tensors in a {type(value).__name__}")
            return lambda results, made: value
        if type(value) in (tuple, list):
            kind, inner = type(value), [self._describe(item) for item in value]
            return lambda results, made: kind(item(results, made) for item in inner)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            kind, inner = type(value), [self._describe(item) for item in value]
            return lambda results, made: kind(*(item(results, made) for item in inner))
        return self._object(value)

    def _object(self, value):
        if id(value) in self._seen:
            number = self._seen[id(value)]
            return lambda results, made: made[number]
        names = list(getattr(value, "__dict__", ()))
        names += [name for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)]
        items = isinstance(value, (dict, list))
        if not names and not items:
            return lambda results, made: value
        number = self._seen[id(value)] = len(self._seen)
        kind = type(value)
        attributes = [(name, self._describe(getattr(value, name))) for name in names]
        pairs = [(key, self._describe(item)) for key, item in value.items()] if isinstance(value, dict) else []
        entries = [self._describe(item) for item in value] if isinstance(value, list) else []

        def make(results, made):
            if number in made:
                return made[number]
            new = made[number] = kind.__new__(kind)
            for name, inner in attributes:
                object.__setattr__(new, name, inner(results, made))
            for key, inner in pairs:
                dict.__setitem__(new, key, inner(results, made))
            for inner in entries:
                list.append(new, inner(results, made))
            return new
        return make

    def build(self, results):
        """The answer around RESULTS, which stand where `tensors` stood."""
        made = {}
        return pytree.tree_unflatten([leaf(results, made) for leaf in self._leaves], self._spec)


def _slots(kind):
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else slots
    return [name for name in names if name not in ("__dict__", "__weakref__")]


class _Answer:
    """Export puts a module's own attributes back when it is done; this one's are none of its business."""

    form, changed, written = None, (), None


class Traced(torch.nn.Module):
    """ORIGINAL as a module that returns the tensors of its answer; `form` is the rest of it, once it was called, `changed` the plain attributes
    that the call gave another value, [(path, name, before, after)]: export sets them back, and no graph has them. `written`: what else it changed,
    in words, which is undone."""

    #: What torch.export puts before the names of ORIGINAL's state.
    PREFIX = "original."

    def __init__(self, original):
        super().__init__()
        self.original = original
        self._answer = _Answer()
        self.train(original.training)

    def train(self, mode=True):
        # Only this one's flag: the parts of ORIGINAL may differ.
        self.training = mode
        return self

    def forward(self, *arguments, **keywords):
        before = Before(self.original)
        given = flatten(arguments, keywords)[0]
        try:
            answer = self.original(*arguments, **keywords)
            places = {id(leaf): ("input", position) for position, leaf in enumerate(given) if isinstance(leaf, torch.Tensor)}
            places.update({id(value): ("state", name) for named in (self.original.named_parameters(), self.original.named_buffers()) for name, value in named})
            form = self._answer.form = Form(answer, self.original, places)
            self._answer.changed, self._answer.written = before.plain(), before.written()
        finally:
            before.restore()
        tensors, form.tensors = tuple(form.tensors), None
        return tensors

    @property
    def form(self):
        return self._answer.form

    @property
    def changed(self):
        return self._answer.changed

    @property
    def written(self):
        return self._answer.written
