# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module reads and writes beside its arguments, parameters and buffers: its own attributes, what hangs on them (lists, dictionaries,
configurations, modules that are not registered), what its hooks close over, and numbers in global names."""
import collections.abc
import functools
import itertools
import operator
import sys
import types

import torch

_ATOMS = frozenset((bool, int, float, str, bytes, complex, type(None)))
#: What every module has.
_OWN = frozenset(vars(torch.nn.Module())) | {"training"}
#: A longer container is none that a forward is set up by; more than so many are not followed.
_LONGEST, _MOST = 1000, 1000
#: Functions that are followed from one class's forward.
_FUNCTIONS = 400
_FOLLOWED = frozenset(("types", "collections", "argparse", "functools", "builtins"))
_FORWARD, _joined = operator.attrgetter("forward"), itertools.chain.from_iterable
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def is_plain(value):
    return type(value) in _ATOMS or (type(value) is tuple and all(map(is_plain, value)))


def _functions(value):
    """The Python functions of VALUE: itself, what it wraps or is bound to, what a property is made of."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, property):
            waiting.append(each.fget)
        elif isinstance(each, (staticmethod, classmethod, types.MethodType)):
            waiting.append(each.__func__)
        elif isinstance(each, functools.partial):
            waiting.append(each.func)
        elif isinstance(each, types.FunctionType):
            yield each
            waiting.append(getattr(each, "__wrapped__", None))
            waiting += [content for _, content in _cells(each) if callable(content)]


def _cells(function):
    """[(cell, what it holds)] of what FUNCTION closes over."""
    held = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held.append((cell, cell.cell_contents))
        except ValueError:  # nothing yet
            pass
    return held


def _names(code):
    names, waiting = set(), [code]
    while waiting:
        each = waiting.pop()
        names.update(each.co_names)
        waiting += [held for held in each.co_consts if isinstance(held, types.CodeType)]
    return names


def _is_pytorchs(name):
    return (name or "").partition(".")[0] == "torch"


class Code:
    """What forward of the class KIND, the methods and functions that it calls and the class's operators name."""

    def __init__(self, kind):
        self.names, self.globals = {"forward"}, []
        bases = [vars(base) for base in kind.__mro__ if base not in (torch.nn.Module, object)]
        waiting = [value for base in bases for name, value in base.items()
                   if name == "forward" or (name.startswith("__") and name not in ("__init__", "__class__", "__repr__", "__setstate__"))]
        seen = set()
        while waiting and len(seen) < _FUNCTIONS:
            for function in _functions(waiting.pop()):
                if function.__code__ in seen:
                    continue
                seen.add(function.__code__)
                for name in _names(function.__code__):
                    if name not in self.names:
                        self.names.add(name)
                        waiting += [base[name] for base in bases if name in base]
                    if _is_pytorchs(function.__module__) or name not in function.__globals__:
                        continue
                    value = function.__globals__[name]
                    if isinstance(value, types.FunctionType) and not _is_pytorchs(value.__module__):
                        waiting.append(value)
                    elif is_plain(value):
                        self.globals.append((function.__globals__, name))
        #: Who asks for names that are computed may read any.
        self.reads_all = not self.names.isdisjoint(("getattr", "vars", "__dict__"))

    def attributes(self, part):
        """The names among PART's own attributes that may be read."""
        return [name for name in vars(part) if name not in _OWN and (self.reads_all or name in self.names)]


class _Walk:
    """What hangs on some roots: `containers`, [(label, the object, what it holds)], each once; `leaves`, {label: value}."""

    def __init__(self, module):
        self._parts = {id(part) for part in module.modules()}
        self._state = {id(value) for value in [*module.parameters(), *module.buffers()]}
        self.containers, self.leaves, self.cells, self._seen, self._waiting = [], {}, [], set(), collections.deque()

    def add(self, label, value):
        self._waiting.append((label, value))

    def run(self):
        while self._waiting:
            self._visit(*self._waiting.popleft())
        return self

    def _visit(self, label, value):
        if isinstance(value, torch.Tensor):
            # Which of its parameters a list names is seen where the parameters are.
            self.leaves[label] = "a parameter or buffer" if id(value) in self._state else value
            return
        if id(value) in self._parts or is_plain(value) or isinstance(value, (type, types.ModuleType)) or len(self.containers) >= _MOST:
            self.leaves[label] = "a part of the module" if id(value) in self._parts else value
            return
        held, functions = _held(value), list(_functions(value)) if callable(value) and not isinstance(value, torch.nn.Module) else []
        if held is None and not functions:
            self.leaves[label] = value
            return
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if functions:
            self.leaves[label] = getattr(value, "__func__", value)
            for function in functions:
                for number, (cell, content) in enumerate(_cells(function)):
                    self.cells.append((cell, content))
                    self.add(f"{label}'s {function.__code__.co_freevars[number]}", content)
            if isinstance(value, types.MethodType):
                self.add(f"{label}'s object", value.__self__)
            return
        self.leaves[label] = type(value)
        if len(held) > _LONGEST:
            return
        self.containers.append((label, value, held))
        for name, inner in _items(held):
            self.add(f"{label}.{name}", inner)


def _held(value):
    """VALUE's contents, where it is a container or an object of a class of somebody's own; None for others."""
    if isinstance(value, (dict, list, tuple, set, frozenset, collections.deque)):
        return value
    if isinstance(value, torch.nn.Module):
        return vars(value)
    module = type(value).__module__ or ""
    root = module.partition(".")[0]
    if root == "torch" and not module.startswith("torch.distributions") or (root in sys.stdlib_module_names and root not in _FOLLOWED):
        return None
    return getattr(value, "__dict__", None) if not callable(value) or not _functions_only(value) else None


def _functions_only(value):
    return isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial))


def _items(held):
    if isinstance(held, dict):
        return [(name if isinstance(name, str) else repr(name)[:40], inner) for name, inner in held.items()]
    return [] if isinstance(held, (set, frozenset)) else list(enumerate(held))


def _copy(held):
    return (list(held), list(held.values())) if isinstance(held, dict) else (None, set(held) if isinstance(held, (set, frozenset)) else list(held))


def _as_it_was(held, copy):
    names, values = copy
    if len(held) != len(values):
        return False
    if isinstance(held, dict):
        return all(map(operator.is_, held.values(), values)) and list(held) == names
    return held == values if isinstance(held, (set, frozenset)) else all(map(operator.is_, held, values))


def hidden_in(value):
    """Whether VALUE, a function, an iterator or a set, keeps a tensor where nobody can put another one in its place."""
    waiting, seen = [value], set()
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, (torch.Tensor, collections.abc.Iterator)):
            return True
        if isinstance(each, (type, torch.nn.Module, types.ModuleType)):
            continue
        if isinstance(each, functools.partial):
            waiting += [each.func, *each.args, *each.keywords.values()]
        elif isinstance(each, types.MethodType):
            waiting += [each.__self__, each.__func__]
        elif isinstance(each, types.FunctionType):
            waiting += [content for _, content in _cells(each)] + list(each.__defaults__ or ())
        else:
            held = _held(each)
            waiting += held.values() if isinstance(held, dict) else held or ()
    return False


def _written_by_hooks(module):
    """{(id of a part, name)} of the attributes that PyTorch's own hooks write before each forward: old weight and spectral norms."""
    return {(id(part), hook.name) for part in module.modules() for hook in part._forward_pre_hooks.values()
            if type(hook).__module__.startswith("torch.nn.utils.") and hasattr(hook, "name")}


def _hook_roots(walk, module):
    for path, part in module.named_modules():
        for kind in _HOOKS:
            for number, hook in enumerate(getattr(part, kind).values()):
                walk.add(f"{path}.{kind}.{number}".lstrip("."), hook)


class Reads:
    """What MODULE's forward reads, as it is now. KNOWN, {(path, name)}: attributes that are read anew in each call."""

    def __init__(self, module, known=()):
        self._module, self._known = module, frozenset(known)
        self._record()
        self._bad = None

    def _record(self):
        module, codes, walk = self._module, {}, _Walk(self._module)
        attributes, free = [], _written_by_hooks(module)
        parts = list(module.named_modules())
        for path, part in parts:
            if type(part) not in codes:
                codes[type(part)] = Code(type(part))
            for name in codes[type(part)].attributes(part):
                if (path, name) not in self._known and (id(part), name) not in free:
                    attributes.append((vars(part), name))
                    walk.add(f"{path}.{name}".lstrip("."), vars(part)[name])
        for space, name in {(id(space), name): (space, name) for code in codes.values() for space, name in code.globals}.values():
            attributes.append((space, name))
            walk.add(f"{space.get('__name__', '')}.{name}", space[name])
        _hook_roots(walk, module)
        walk.run()
        self._dicts, self._keys = [held for held, _ in attributes], [name for _, name in attributes]
        self._values = list(map(dict.get, self._dicts, self._keys))
        self._parts = [part for _, part in parts]
        self._all, self._counts = [vars(part) for part in self._parts], [len(vars(part)) for part in self._parts]
        self._types = list(map(type, self._parts))
        self._kinds, self._forwards = list(codes), list(map(_FORWARD, codes))
        # Side by side: they are compared in one go.
        held = [held for _, _, held in walk.containers]
        self._mappings = [each for each in held if isinstance(each, dict)]
        self._keywords, self._held = list(_joined(self._mappings)), list(_joined(map(dict.values, self._mappings)))
        self._sequences = [each for each in held if isinstance(each, (list, tuple, collections.deque))]
        self._lengths, self._items = list(map(len, self._sequences)), list(_joined(self._sequences))
        self._sets = [(each, set(each)) for each in held if isinstance(each, (set, frozenset))]
        self._cells = walk.cells
        self.leaves = walk.leaves
        self.leaves.update({f"{path or 'the module'}'s class": type(part) for path, part in parts})
        self.leaves.update({f"{kind.__name__}.forward": forward for kind, forward in zip(self._kinds, self._forwards)})
        self.modes = [(path, part) for path, part in parts
                      if part is module or codes[type(part)].reads_all or not codes[type(part)].names.isdisjoint(("training", "train"))]
        self.asks_for_gradients = any(not code.names.isdisjoint(("is_grad_enabled", "is_inference_mode_enabled")) for code in codes.values())

    def _unchanged(self):
        return (all(map(operator.is_, map(dict.get, self._dicts, self._keys), self._values))
                and list(map(len, self._all)) == self._counts and list(map(type, self._parts)) == self._types
                and list(map(_FORWARD, self._kinds)) == self._forwards
                and list(_joined(self._mappings)) == self._keywords and all(map(operator.is_, _joined(map(dict.values, self._mappings)), self._held))
                and list(map(len, self._sequences)) == self._lengths and all(map(operator.is_, _joined(self._sequences), self._items))
                and all(each == before for each, before in self._sets) and all(cell.cell_contents is value for cell, value in self._cells))

    def miss(self):
        """What is another one now, in words; None where all is as it was."""
        if self._unchanged():
            return None
        if self._bad is not None and self._bad[0]._unchanged():
            return self._bad[1]
        now = Reads(self._module, self._known)
        for label in [*self.leaves, *now.leaves]:
            expected, found = self.leaves.get(label), now.leaves.get(label)
            if not _alike(found, expected):
                self._bad = now, f"{label} is {_words(found)}, the kernels are for {_words(expected)}"
                return self._bad[1]
        # Other objects of the same contents.
        self.__dict__.update(now.__dict__)
        return None


def _alike(found, expected):
    if found is expected:
        return True
    # As words 2 and 2.0 are two, and a NaN is itself.
    return is_plain(found) and is_plain(expected) and repr(found) == repr(expected)


def _words(value):
    if isinstance(value, torch.Tensor):
        return "another tensor"
    text = repr(value)
    return (text if len(text) < 200 else text[:200] + "...").replace("\n", " ")


class Before:
    """The attributes of MODULE's parts, what hangs on them and on hooks, and the states of Python's random numbers, before something runs."""

    def __init__(self, module):
        free = _written_by_hooks(module)
        self._attributes = [(path, vars(part), {name: value for name, value in vars(part).items() if name not in _OWN and (id(part), name) not in free},
                             {name for key, name in free if key == id(part)}) for path, part in module.named_modules()]
        walk = _Walk(module)
        for path, _, attributes, _ in self._attributes:
            for name, value in attributes.items():
                if not is_plain(value):
                    walk.add(f"{path}.{name}".lstrip("."), value)
        _hook_roots(walk, module)
        self._containers = [(label, held, _copy(held)) for label, _, held in walk.run().containers]
        self._registered = [(path, held, dict(held)) for path, part in module.named_modules() for held in (part._parameters, part._buffers, part._modules)]
        self._unsaved = [(part._non_persistent_buffers_set, set(part._non_persistent_buffers_set)) for part in module.modules()]
        self._random = _random_states()

    def plain(self):
        """[(path, name, before, after)] of attributes that are plain and have another value now."""
        return [(path, name, attributes.get(name), value) for path, held, attributes, _ in self._attributes for name, value in held.items()
                if name not in _OWN and type(value) in _ATOMS and (name not in attributes or type(attributes[name]) in _ATOMS)
                and (name not in attributes or not _alike(value, attributes[name]))]

    def written(self):
        """What else is another one now, in words; None where nothing is."""
        plain = {(path, name) for path, name, _, _ in self.plain()}
        for path, held, attributes, free in self._attributes:
            for name in {*held, *attributes} - _OWN - free:
                if (path, name) not in plain and held.get(name) is not attributes.get(name) and not _alike(held.get(name), attributes.get(name)):
                    return f"it sets {path}.{name}".replace(" .", " ")
        label = next((label for label, held, copy in self._containers if not _as_it_was(held, copy)), None)
        if label is not None:
            return f"it changes {label}"
        for path, held, was in self._registered:
            if new := [name for name in {**was, **held} if held.get(name) is not was.get(name)]:
                return f"it sets {path}.{new[0]}".replace(" .", " ")
        return None if _random_states() == self._random else "it draws from Python's or NumPy's random numbers"

    def restore(self):
        """Has everything as it was, but plain attributes."""
        for _, held, attributes, free in self._attributes:
            for name in [name for name in held if name not in _OWN and name not in attributes and name not in free and type(held[name]) not in _ATOMS]:
                del held[name]
            held.update({name: value for name, value in attributes.items() if type(value) not in _ATOMS or type(held.get(name)) not in _ATOMS})
        for _, held, copy in self._containers:
            if not _as_it_was(held, copy):
                _put_back(held, copy)
        for _, held, was in self._registered:
            if not _as_it_was(held, _copy(was)):
                _put_back(held, _copy(was))
        for held, names in self._unsaved:
            held &= names
        _set_random_states(self._random)

    def restore_all(self):
        """Has everything as it was."""
        self.restore()
        for _, held, attributes, _ in self._attributes:
            for name in [name for name in held if name not in _OWN and name not in attributes and type(held[name]) in _ATOMS]:
                del held[name]
            held.update(attributes)


def _put_back(held, copy):
    names, values = copy
    if isinstance(held, dict):
        held.clear()
        held.update(zip(names, values))
    elif isinstance(held, (list, collections.deque, set)):
        held.clear()
        (held.update if isinstance(held, set) else held.extend)(values)


def _random_states():
    import random
    numpy = sys.modules.get("numpy")
    state = numpy.random.get_state() if numpy is not None else None
    return random.getstate(), state and (state[0], state[1].tobytes(), *state[2:])


def _set_random_states(states):
    import random
    random.setstate(states[0])
    if states[1] is not None:
        import numpy
        kind, keys, *rest = states[1]
        numpy.random.set_state((kind, numpy.frombuffer(keys, dtype=numpy.uint32), *rest))
