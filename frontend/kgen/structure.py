# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls in one spelling, and answers of any class taken apart into tensors and put together again."""
import inspect

import torch
from torch.utils import _pytree as pytree

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


class Form:
    """The shape of an answer. PyTorch's pytrees take containers apart; an object of a class that they do not know (a cache of keys
    and values, a data class) is its attributes, all the way down, and every call makes a new one. What the module itself holds (its
    configuration), and what has no attributes, is kept."""

    def __init__(self, value, module):
        self.tensors = []
        self._kept = {id(held) for part in module.modules() for held in (part, *vars(part).values())}
        self._numbers, self._seen = {}, {}
        leaves, self._spec = pytree.tree_flatten(value)
        self._leaves = [self._describe(leaf) for leaf in leaves]
        # What was seen is not held beyond the tracing.
        self._kept = self._seen = None

    def _describe(self, value):
        """A function of (results, objects made so far) to the value that stands here."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self._numbers:
                self._numbers[id(value)] = len(self.tensors)
                self.tensors.append(value)
            number = self._numbers[id(value)]
            return lambda results, made: results[number]
        if id(value) in self._kept or type(value) in _ATOMS or isinstance(value, (type, torch.nn.Module)) or callable(value):
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

    form, changed = None, ()


def _plain_attributes(module):
    """{(path in MODULE, name): value} of its parts' own attributes that are numbers, words, flags or nothing."""
    return {(path, name): value for path, part in module.named_modules() for name, value in vars(part).items()
            if type(value) in _ATOMS and name != "training"}


class Traced(torch.nn.Module):
    """ORIGINAL as a module that returns the tensors of its answer; `form` is the rest of it, once it was called, and `changed` the attributes
    that the call gave another value, [(path, name, before, after)]: export sets them back, and no graph has them."""

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
        before = _plain_attributes(self.original)
        form = self._answer.form = Form(self.original(*arguments, **keywords), self.original)
        self._answer.changed = [(*place, before.get(place), value) for place, value in _plain_attributes(self.original).items()
                                if place not in before or before[place] is not value and before[place] != value]
        tensors, form.tensors = tuple(form.tensors), None
        return tensors

    @property
    def form(self):
        return self._answer.form

    @property
    def changed(self):
        return self._answer.changed
