# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid graphs.

PyTorch is the judge of what is valid: a call that it refuses is dropped. So is one whose result, computed in the
graph's own types, is far from the same in fp64: where PyTorch's own rounding decides the answer there is nothing to
compare with. Both are found by computing, on inputs of each kind.

Which ops a graph calls, and with which attributes, is dealt out (fuzz/deal.py); operands and extents are drawn.

One graph of five begins with a call that is aimed at a variant of the kernel families: random extents are no multiples of 64.
"""
import inspect
import random
import warnings

import torch

from fuzz.deal import AIMED_LENGTHS, LENGTHS, Card, Rotation, aimed_before, card, hand
from fuzz.graph import DTYPES, FLOATS, NAME_OF, WIDE, Call, Graph, Leaf, as_list, compute
from fuzz.aims import AIM_WEIGHTS, AIMS
from fuzz.ops import CHOICES, EXACT, WEIGHTS, table

# How far PyTorch's own answer may be from fp64's (relative, in the norm) for a call to stay.
_OWN_ERROR = {"f64": 1e-9, "f32": 1e-4, "f16": 2e-2, "bf16": 6e-2}
_KINDS = ("declared", "integer")
_TRIES = 40
_MOST_ELEMENTS = 6000
_MOST_AIMED = 40000
AIMED_SHARE = 0.2
_EXTENTS = [1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 130, 257]


class Declined(Exception):
    """These operands are none for this call."""


class Value:
    """A leaf's or a call's result: its name in texts, its type, and what it is on each kind of inputs."""

    def __init__(self, name, native, wide, unrounded=True):
        self.name = name
        self.native, self.wide = native, wide
        self._unrounded = unrounded
        self.shape = list(native[0].shape)
        self.dtype = NAME_OF[native[0].dtype]
        self.uses = 0

    @property
    def rank(self):
        return len(self.shape)

    def __str__(self):
        return self.name

    def exact(self):
        """Nothing was rounded on the way here: zeros have their sign, and comparing gives one answer."""
        return self._unrounded and all(torch.equal(a.double().nan_to_num(7), b.double().nan_to_num(7)) for a, b in zip(self.native, self.wide))

    def least(self, magnitude):
        """The smallest element, or the smallest magnitude."""
        parts = [(part.abs() if magnitude else part).min().item() for part in self.wide if part.numel()]
        return min(parts, default=1.0)


class Generator:
    """Makes one graph from a seed. Public methods are what the table's lines ask for."""

    def __init__(self, seed, lines=None, aims=None):
        """AIMS: lines of which the first call is one."""
        self.rng = random.Random(seed)
        self._rotation, self._new_operands = None, False
        self._aims, self._most = aims, _MOST_AIMED if aims else _MOST_ELEMENTS
        self._draws = [torch.Generator().manual_seed(self.rng.randrange(1 << 30)) for _ in _KINDS]
        self._lines = table()[0] if lines is None else lines
        self._values, self._leaves, self._calls = [], [], []
        self.dtype = self.rng.choice(["f16", "f16", "f16", "bf16", "bf16", "f32", "f32"] if aims else ["f32"] * 6 + ["f16", "f16", "bf16", "bf16", "f64"])
        self._zeros = self.maybe(0.08)
        self._count = 0

    # For the table's lines

    def pick(self, items):
        items = list(items)
        if not items:
            raise Declined
        return items[self._rotation.place(len(items))] if self._rotation else self.rng.choice(items)

    def maybe(self, chance):
        part = (self._rotation.place(4) + self.rng.random()) / 4 if self._rotation else self.rng.random()
        return part < chance

    def number(self):
        return self.pick([0, 1, 2, -1, 0.5, -0.25, 3.0, 1e-3, 7])

    def extent(self, small=False):
        if self._zeros and self.maybe(0.15):
            return 0
        return self.pick(_EXTENTS[:14] if small else _EXTENTS)

    def shape(self, most=5, rank=None):
        """A shape of at most _MOST_ELEMENTS elements."""
        rank = self.pick([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5]) if rank is None else rank
        shape = [self.extent(small=rank > 3 and i < rank - 2) for i in range(min(rank, most) if rank > most else rank)]
        while self._size(shape) > _MOST_ELEMENTS:
            largest = max(range(len(shape)), key=shape.__getitem__)
            shape[largest] = self.pick([e for e in _EXTENTS if e < shape[largest]])
        return shape

    @staticmethod
    def _size(shape):
        size = 1
        for extent in shape:
            size *= extent
        return size

    def dim(self, value):
        if not value.rank:
            raise Declined
        return self.pick(range(value.rank))

    def dims(self, value):
        if not value.rank:
            raise Declined
        dims = self.rng.sample(range(value.rank), self.rng.randint(1, value.rank))
        return [dim - value.rank if self.maybe(0.3) else dim for dim in dims]

    def leaf(self, shape, dtype=None, init=None, weight=False, plain=False, state=False):
        """A new argument of the graph."""
        shape, dtype = list(shape), dtype or self.dtype
        if self._size(shape) > 4 * self._most:
            raise Declined
        if init is None:
            init = ("normal", 0, 1) if dtype in FLOATS else ("integer", 0, 1) if dtype == "i1" else ("integer", -5, 9)
            if dtype in FLOATS and self.maybe(0.15):
                init = self.pick([("uniform", 0, 1), ("uniform", -1, 3), ("normal", 1, 0.5)])
        weight = weight or state or (init == ("normal", 0, 1) and self.maybe(0.2))
        letter = "s" if state else "w" if weight else "p" if plain else "x"
        leaf = Leaf(f"{letter}{self._count}", tuple(shape), dtype, init, weight, plain, state)
        self._count += 1
        native = [leaf.draw(generator, kind) for generator, kind in zip(self._draws, _KINDS)]
        wide = [part.double() if part.is_floating_point() else part for part in native]
        self._leaves.append(leaf)
        self._values.append(Value(leaf.name, native, wide))
        return self._values[-1]

    def broadcastable(self, shape):
        """A shape that broadcasts with SHAPE."""
        result = [1 if self.maybe(0.25) else extent for extent in shape]
        if self.maybe(0.4):
            result = result[self.rng.randint(0, len(result)):]
        return result if self.maybe(0.6) else list(shape)

    def broadcast(self, value, exact=False):
        """Another operand for an element-wise op with VALUE: one that is there, or a new leaf."""
        if self.maybe(0.5):
            def fits(other):
                if other.dtype != value.dtype or (exact and not other.exact()):
                    return False
                try:
                    return self._size(torch.broadcast_shapes(other.shape, value.shape)) <= 4 * self._most
                except RuntimeError:
                    return False
            there = [other for other in self._values if fits(other)]
            if there:
                return self._use(self.pick(there[-6:]))
        return self.leaf(self.broadcastable(value.shape), value.dtype)

    def reshaped(self, value):
        """Another shape of as many elements."""
        total = self._size(value.shape)
        if total == 0:
            return self.pick([[0], [0, 3], list(value.shape)])
        shape, rest = [], total
        while rest > 1 and len(shape) < 4:
            factor = self.pick([d for d in range(1, rest + 1) if rest % d == 0] if rest < 3000 else [1, rest])
            shape.append(factor)
            rest //= factor
        shape.append(rest)
        self.rng.shuffle(shape)
        return self.pick([shape, shape, [-1, *shape[1:]], [total], [-1]])

    def narrow(self, value):
        dim = self.dim(value)
        start = self.rng.randint(0, value.shape[dim])
        return f"{value}.narrow({dim}, {start}, {self.rng.randint(0 if self._zeros else min(1, value.shape[dim] - start), value.shape[dim] - start)})"

    def cast(self, value):
        """To another element type; to one that jumps only what is exact."""
        wanted = self.pick([d for d in DTYPES if d != value.dtype])
        if wanted not in FLOATS and value.dtype in FLOATS and not value.exact():
            raise Declined
        return f"{value}.to({wanted})"

    # The graph

    def _use(self, value):
        value.uses += 1
        return value

    def _operand(self, kind):
        """A value for a parameter of the table's line, as its name says."""
        letter, rank = kind[0], int(kind[1:]) if kind[1:] else None

        def fits(value):
            if rank is not None and value.rank != rank:
                return False
            if letter == "i":
                return value.dtype in ("i64", "i32")
            if letter == "b":
                return value.dtype == "i1"
            if letter == "t":
                return True
            if value.dtype not in FLOATS:
                return False
            if letter == "e":
                return value.exact()
            if letter in "pn":
                return value.exact() or value.least(letter == "n") > 0.02
            return True

        there = [value for value in self._values if fits(value)] if not self._new_operands else []
        unused = [value for value in there if not value.uses]
        if unused and self.maybe(0.75):
            return self._use(self.pick(unused[-3:]))
        if there and self.maybe(0.6):
            return self._use(self.pick(there))
        dtype = "i1" if letter == "b" else self.pick(["i64", "i32"]) if letter == "i" else self.dtype
        if letter == "t" and self.maybe(0.15):
            dtype = self.pick(["i64", "i32", "i1"])
        init = ("uniform", 0.5, 2) if letter == "p" and self.maybe(0.7) else None
        return self._use(self.leaf(self.shape(rank=rank), dtype, init))

    def _decline_endless(self, uses):
        """Infinities on ordinary inputs are none for attention: rows whose scores are all minus infinity have an answer of their own in each of
        PyTorch's kernels. USES: of the values there were before the call took its operands."""
        uses = uses + [0] * (len(self._values) - len(uses))
        for value, before in zip(self._values, uses):
            if value.uses > before and value.dtype in FLOATS:
                if any(bool(part.isinf().any()) for part in value.wide):
                    raise Declined

    def _settled(self, text):
        """The results of a call's TEXT on each kind of inputs, and whether it gives a tuple; None when it is none to
        compare."""
        native_parts, wide_parts, many = [], [], False
        for i in range(len(_KINDS)):
            for parts, types, which in ((native_parts, DTYPES, "native"), (wide_parts, WIDE, "wide")):
                values = {value.name: getattr(value, which)[i] for value in self._values}
                result = compute(text, values, types)
                many = isinstance(result, (tuple, list))
                parts.append(as_list(result))
        results = []
        for o in range(len(native_parts[0])):
            native, wide = [part[o] for part in native_parts], [part[o] for part in wide_parts]
            if native[0].numel() > 4 * self._most or native[0].dtype not in NAME_OF or native[0].dim() > 6:
                return None
            if not all(self._close(a, b) for a, b in zip(native, wide)):
                return None
            results.append((native, wide))
        return results, many

    @staticmethod
    def _close(native, wide):
        if not native.is_floating_point():
            return torch.equal(native, wide.to(native.dtype))
        name, native = NAME_OF[native.dtype], native.double()
        finite = wide.isfinite()
        if not torch.equal(finite, native.isfinite()):
            return False
        difference, there = (native - wide)[finite], wide[finite]
        scale = there.norm().item() or 1.0
        largest = torch.finfo(DTYPES[name]).max / 64
        return difference.norm().item() <= _OWN_ERROR[name] * scale and (not there.numel() or there.abs().max() < largest)

    @staticmethod
    def _chooses_zeros(name, operands):
        """Whether this op may give either of two zeros."""
        zeros = any(bool((part.signbit() & (part == 0)).any()) for operand in operands for part in operand.native)
        return zeros and name.startswith(CHOICES)

    def _add_call(self, lines, chosen, rotation=None):
        """Whether line CHOSEN made a call that is none to drop."""
        name = chosen.partition(":")[0]
        before = len(self._leaves), len(self._values), self._count
        uses = [value.uses for value in self._values]
        try:
            line = lines[chosen]
            kinds = list(inspect.signature(line).parameters)[1:]
            kinds = [kind for kind in kinds if kind != "call"]
            operands = [self._operand(kind) for kind in kinds]
            self._rotation = rotation
            text = line(self, *operands)
            self._rotation = None
            if name.startswith("scaled_dot_product"):
                self._decline_endless(uses)
            settled = self._settled(text) if text else None
        except (Declined, RuntimeError, AttributeError, IndexError, ValueError, TypeError, NotImplementedError):
            settled = None
        finally:
            self._rotation = None
        if not settled or not settled[0]:
            del self._leaves[before[0]:], self._values[before[1]:]
            self._count = before[2]
            for value, count in zip(self._values, uses):
                value.uses = count
            return False
        results, many = settled
        by_name = {value.name: value for value in self._values}
        operands = [by_name[operand] for operand in Call(name, (), text).operands()]
        for value, count in zip(self._values, uses + [0] * len(self._values)):  # a line may leave some of what it is given
            value.uses = count + operands.count(value)
        unrounded = name in EXACT and all(operand.exact() for operand in operands) and not self._chooses_zeros(name, operands)
        outs = []
        for native, wide in results:
            outs.append(Value(f"v{self._count}", native, wide, unrounded))
            self._count += 1
        self._values += outs
        self._calls.append(Call(name, tuple(str(out) for out in outs), text, many))
        return True

    def _play(self, lines, key, dealt):
        """A call of the line that was DEALT, if one of some tries gives one: the first on values that are there, then on new ones; at last
        with attributes that are drawn, where those whose turn it is suit nothing."""
        for attempt in range(_TRIES):
            self._new_operands = attempt >= _TRIES // 4
            rotation = Rotation(key, dealt) if attempt < _TRIES // 2 else None
            made = self._add_call(lines, dealt.line, rotation)
            self._new_operands = False
            if made:
                return True
        return False

    def graph(self, name, key="", cards=None, aim=None):
        """The graph: a call of each of CARDS, as they are dealt under KEY, behind one of the AIM. Without any, drawn ones. What nothing uses is
        returned, and sometimes more."""
        if self._aims:
            self._play(self._aims, key, aim or Card(self.rng.choice(list(self._aims)), self.rng.randrange(1000)))
        for dealt in cards or []:
            self._play(self._lines, key, dealt)
        names = list(self._lines)
        while not self._calls:
            self._play(self._lines, key, Card(self.rng.choice(names), self.rng.randrange(1000)))
        made = [out for call in self._calls for out in call.outs]
        values = {value.name: value for value in self._values}
        returned = [out for out in made if not values[out].uses]
        more = [out for out in made if out not in returned]
        if more and self.maybe(0.3):
            returned.append(self.pick(more))
        returned = returned or made[-1:]
        self.rng.shuffle(returned)
        if self.maybe(0.01):
            returned.append(returned[0])
        contraction = any(call.op.startswith(("conv", "linear", "mm", "bmm", "matmul", "scaled", "addmm", "einsum", "mv", "dot", "_grouped"))
                          for call in self._calls)
        precision = "strict-fp32" if self.dtype == "f32" and contraction and self.maybe(0.35) else ""
        return Graph(name, tuple(self._leaves), tuple(self._calls), tuple(returned), precision).live()


def generate(seed, index, aimed=AIMED_SHARE):
    """Graph INDEX of the run with SEED: the same for the same pair, the same table and the same share of graphs that are AIMED. Those and the
    others are dealt cards of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, lines = aimed_before(seed, index, aimed), table()[0]
        if aimed_before(seed, index + 1, aimed) == before:
            cards = hand(seed, index - before, LENGTHS, lines, WEIGHTS)
            return Generator(f"{seed}:{index}").graph(f"g{index}", seed, cards)
        key = f"aimed:{seed}"
        cards = hand(key, before, AIMED_LENGTHS, lines, WEIGHTS)
        return Generator(f"{seed}:{index}", aims=AIMS).graph(f"g{index}", key, cards, card(f"aims:{seed}", before, AIMS, AIM_WEIGHTS))
