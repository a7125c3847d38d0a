# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile: a PyTorch module whose work is done by kgen's kernels, with the same signature and parameters."""
import contextlib
import copy
import operator
import threading
import time
import warnings

import torch

from kgen.applied import applied_any
from kgen.chain import Program
from kgen.distributions import initial_distribution, observed
from kgen.errors import ImportRefused
from kgen.exporting import quiet as export_quietly
from kgen.layouts import Layouts
from kgen.maker import Maker
from kgen.runtime import Bundle, RuntimeFailed, register
from kgen.segments import split
from kgen.subgraph import anonymous_text
from kgen.tools import ToolFailed

#: The classes of precision that a graph may have; None for what its types say.
PRECISIONS = (None, "strict-fp32", "tf32", "bf16", "fp16")
#: How far a segment's results may be from PyTorch's own in the same type: relative to the largest element.
_TOLERANCES = {torch.float64: 1e-11, torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}
#: Class tf32 rounds the operands of products to 11 bits.
_TF32_TOLERANCE = 2e-3
#: A graph of more nodes is made in segments only: the float64 answer that the whole is held against would take long.
MOST_WHOLE = 6000
#: How far the whole answer may be from float64 beside what PyTorch's own is, by norm.
_WHOLE_SLACK = {torch.float64: 1e-13, torch.float32: 2e-6, torch.float16: 5e-4, torch.bfloat16: 4e-3}


def default_precision(dtypes):
    """The class that PyTorch's own settings allow: tf32 only where they do; None leaves it to the graph's types."""
    if torch.float32 not in dtypes:
        return None
    allowed = torch.backends.cuda.matmul.allow_tf32 or torch.get_float32_matmul_precision() != "highest"
    return "tf32" if allowed else "strict-fp32"


class _Kernels(torch.nn.Module):
    """One segment, computed by a bundle."""

    def __init__(self, bundle, single, text, reference):
        super().__init__()
        self._number, self.single = register(bundle), single
        self.bundle, self.text, self.reference = bundle, text, reference

    def forward(self, *tensors):
        if self.bundle.positions is not None:
            tensors = [tensors[position] for position in self.bundle.positions]
        results = torch.ops.kgen.run(self._number, list(tensors))
        return results[0] if self.single else tuple(results)


def _tolerance(dtype, precision):
    if dtype == torch.float32 and precision == "tf32":
        return _TF32_TOLERANCE
    return _TOLERANCES.get(dtype, 0.0)


def difference(found, expected, precision, exact=None):
    """Why FOUND is not EXPECTED within the class's tolerance; None where it is. The error is relative to the largest
    finite element of EXPECTED; integers and booleans must agree. With EXACT, the same in float64, eight times PyTorch's
    own error is granted too: where a sum cancels, neither answer has digits."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"a {found.dtype} tensor of shape {tuple(found.shape)}, expected {expected.dtype} of {tuple(expected.shape)}"
    if found.numel() == 0:
        return None
    if not found.dtype.is_floating_point:
        wrong = int((found != expected).sum())
        return f"{wrong} of {found.numel()} elements differ" if wrong else None
    finite = torch.isfinite(expected)
    same = (found == expected) | (torch.isnan(found) & torch.isnan(expected))
    if not bool((same | finite).all()):
        return "NaN or infinity in other places"
    if not bool(finite.any()):
        return None
    a, b = found[finite].double(), expected[finite].double()
    bound = _tolerance(expected.dtype, precision) * float(b.abs().max())
    if exact is not None:
        bound = max(bound, 8 * float((b - exact[finite].double()).abs().max()))
        b = exact[finite].double()
    error = float((a - b).abs().max())
    return None if error <= bound else f"an error of {error:.2g}, the bound is {bound:.2g}"


def in_float64(part, arguments, faults=None):
    """PART's results computed in float64; None where it has an op that cannot, and FAULTS, a list, receives why. Casts between
    floating-point types and what export asserts of types are left out: no result is rounded on the way."""
    def widened(value):
        if isinstance(value, torch.dtype):
            return torch.float64 if value.is_floating_point else value
        return value.double() if isinstance(value, torch.Tensor) and value.dtype.is_floating_point else value
    aten = torch.ops.aten
    part = copy.deepcopy(part)
    for node in list(part.graph.nodes):
        if node.target is aten._assert_tensor_metadata.default:
            part.graph.erase_node(node)
        elif node.op == "get_attr":
            owner, _, name = node.target.rpartition(".")
            constant = getattr(part.get_submodule(owner), name)
            if isinstance(constant, torch.Tensor):
                constant.data = widened(constant.data)
        elif node.target is not aten.view.dtype:  # the same bytes as another type, which have no wider form
            if node.target is aten._grouped_mm.default:  # PyTorch has no kernel for it in float64
                node.target = grouped_product
            node.args = torch.fx.node.map_aggregate(node.args, widened)
            node.kwargs = torch.fx.node.map_aggregate(node.kwargs, widened)
    _for_row_major(part)  # attention in float64 takes another of PyTorch's kernels, which may leave other strides
    try:
        results = part(*[widened(value) for value in arguments])
    except (RuntimeError, TypeError, NotImplementedError) as error:
        if faults is not None:
            faults.append(" ".join(str(error).split())[:200])
        return None
    return [results] if isinstance(results, torch.Tensor) else list(results)


def grouped_product(rows, matrices, offs, **_):
    """aten._grouped_mm of ROWS, (rows, inner), by MATRICES, (groups, inner, columns), in any type. Group i ends before row OFFS[i]."""
    found, begin = rows.new_zeros(rows.shape[0], matrices.shape[2]), 0
    for matrix, end in zip(matrices, offs.tolist()):
        found[begin:end] = rows[begin:end] @ matrix
        begin = end
    return found


def _for_row_major(part):
    """PART, which PyTorch runs, for tensors in other strides than PyTorch's own ops left when it was exported: what it views may
    have to be copied."""
    aten = torch.ops.aten
    for node in part.graph.nodes:
        if node.target is aten.view.default:
            node.target = aten.reshape.default
    part.recompile()
    return part


def _stable(part):
    """PART with ties in the order of their positions. PyTorch's `sort` and `topk` leave it open, and on the CPU it is another one
    than the kernels'; either is right, but indices can only be compared under one."""
    aten = torch.ops.aten
    if not any(node.target in (aten.sort.default, aten.topk.default) for node in part.graph.nodes):
        return part
    part = copy.deepcopy(part)
    for node in part.graph.nodes:
        if node.target is aten.sort.default:
            given = dict(zip(("self", "dim", "descending"), node.args))
            node.target, node.args, node.kwargs = aten.sort.stable, (), {**given, **node.kwargs, "stable": True}
        elif node.target is aten.topk.default:
            node.target = _stable_topk
    part.recompile()
    return part


def _stable_topk(values, k, dim=-1, largest=True, sorted=True):
    found = torch.sort(values, dim=dim, descending=largest, stable=True)
    return tuple(each.narrow(dim, 0, k).contiguous() for each in found)


class Coverage:
    """What of a module kgen computes. `rows`: [(segment, nodes, "kgen" | "PyTorch", why, place, seconds in PyTorch)]."""

    def __init__(self, in_pieces=False):
        self.rows = []
        self.kernels = 0
        self._in_pieces = in_pieces
        self.misses = {}
        self.notes = []
        #: How often weights were prepared, and the bytes of those that are offloaded; None where nothing is, or nobody asked for it.
        self.prepared, self.offloaded = None, None

    @property
    def nodes(self):
        return sum(row[1] for row in self.rows)

    @property
    def share(self):
        """Of the ops, the part that kgen computes. 1 where there are none, but in pieces: nobody counts what Dynamo leaves to Python."""
        if not self.nodes:
            return 0.0 if self._in_pieces else 1.0
        return sum(row[1] for row in self.rows if row[2] == "kgen") / self.nodes

    @property
    def time_share(self):
        """Of PyTorch's own time for the example, the part that kgen replaced."""
        total = sum(row[5] for row in self.rows)
        return sum(row[5] for row in self.rows if row[2] == "kgen") / total if total else self.share

    def left(self, why):
        """Nothing of it is kgen's, and WHY."""
        for row in self.rows:
            row[2], row[3] = "PyTorch", row[3] or why
        self.kernels = 0

    def __str__(self):
        lines = [f"kgen computes {sum(r[1] for r in self.rows if r[2] == 'kgen')} of {self.nodes} ops "
                 f"({100 * self.share:.0f} %; {100 * self.time_share:.0f} % of PyTorch's time) in {self.kernels} launches"]
        for segment, nodes, who, why, place, _ in self.rows:
            if who != "kgen" and nodes:
                lines.append(f"  PyTorch: {segment}: {why}" + (f" ({place})" if place else ""))
        lines += [f"  {note}" for note in self.notes]
        if self.prepared is not None:
            lines.append(f"  weights were prepared {self.prepared} times")
        if self.offloaded is not None:
            lines.append(f"  {self.offloaded / 1e6:.3g} MB of weights are offloaded to the machine's memory")
        lines += [f"  the original ran {count} times: {why}" for why, count in self.misses.items()]
        return "\n".join(lines)


class CompiledGraph:
    """An exported program with its segments' kernels. Call run() with values for its placeholders. PLACES: for each result the placeholder whose new
    value it is, None for an answer."""

    def __init__(self, exported, device, *, precision=None, search="none", kernels=None, check=True, prepare="changed", values=None, weights=(), places=()):
        self.coverage = Coverage()
        self._places = {number: place for number, place in enumerate(places) if place is not None}
        dtypes = {node.meta["val"].dtype for node in exported.graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)}
        self.precision = precision or default_precision(dtypes)
        maker = Maker(device, search, self.precision, kernels)
        examples = values or [node.meta.get("val") for node in exported.graph.nodes if node.op == "placeholder"]
        self.layouts = Layouts()
        self._weights = frozenset(weights)
        # What a search of one kernel or generic kernels get says nothing of weights.
        self._marks_weights = maker.kernels == "first" and not maker.searches
        self.module, segments = self._split(exported, maker, examples, values)
        if not self._whole(exported, maker, values, check, len(segments)):
            self._make(segments, maker)
            for name, segment in segments.items():
                if segment.refused:
                    op, why, place = segment.refused[0]
                    self.coverage.rows.append([op, segment.ops, "PyTorch", why, place, 0.0])
                else:
                    self.coverage.rows.append([name, segment.ops, "kgen", "", None, 0.0])
            if check and values is not None:
                self._check(segments, values, maker)
        self.coverage.notes += maker.notes
        self._faster = lambda: self._fast(examples, device, prepare == "always")
        self._program = self._faster()
        bundles = self._bundles()
        # Without an example's values the first call has some.
        self._late = (segments, maker) if check and values is None and any(bundle.kind == "first" for bundle in bundles) else None
        self._lock = threading.Lock()
        self.coverage.kernels = sum(bundle.launches for bundle in bundles)
        if kept := sum(bundle.prepare_launches for bundle in bundles):
            size = sum(bundle.prepared_bytes for bundle in bundles) / 1e6
            when = "in each call" if prepare == "always" else "when these change"
            self.coverage.notes.append(f"{kept} launches prepare what only depends on weights, {size:.3g} MB, {when}; the others "
                                       "are those of a call")
        if count := sum(bundle.kind == "first" for bundle in bundles):
            self.coverage.notes.append(f"{count} of {len(bundles)} segments have the first ideas of kgen's catalogue, which nobody timed")
        if self.precision:
            self.coverage.notes.append(f"precision class {self.precision}")
        for how in sorted({bundle.scaled for bundle in bundles if bundle.scaled}):
            count = sum(bundle.scaled == how for bundle in bundles)
            self.coverage.notes.append(f"{count} of {len(bundles)} segments multiply float32 as {how} (docs/precision.md)")

    def _bundles(self):
        return [part.bundle for part in self.module.children() if isinstance(part, _Kernels)]

    @staticmethod
    def _undivided(exported):
        """(EXPORTED in one segment, its name, {the name: the Segment}); None where PyTorch has to compute a part."""
        module, segments = split(exported, whole=True)
        if len(segments) != 1 or any(segment.refused for segment in segments.values()):
            return None
        return module, next(iter(segments)), segments

    def _split(self, exported, maker, examples, values):
        """The graph in segments, for values as they lie; in one, row-major, where somebody searched for the whole and applied what was
        found, or a search of the whole for VALUES finds something now."""
        if (maker.searches or maker.search != "none" and applied_any()) and (one := self._undivided(exported)):
            module, name, segments = one
            searches = maker.searches and values is not None and len(exported.graph.nodes) <= MOST_WHOLE
            try:
                if maker.found(self._text(module, name)[0]) or searches and len(split(exported)[1]) > 1 and maker.searched(
                        self._text(module, name, values)[0], "a search of the whole failed, each kernel is searched for"):
                    return module, segments
            except ImportRefused:
                pass
        self.layouts = Layouts.of(exported, examples)
        return split(exported)

    def _whole(self, exported, maker, values, check, count):
        """Whether all of EXPORTED, which has COUNT segments, became one network of the catalogue's first ideas: fewer launches, and what only
        depends on weights is prepared. Only where kgen takes every op, and the answer for VALUES is as near to float64 as PyTorch's."""
        if not maker.takes_first_ideas() or values is None or count < 2 or len(exported.graph.nodes) > MOST_WHOLE:
            return False
        one = self._undivided(exported)
        if one is None:
            return False
        module, name, segments = one
        try:
            text, single = self._text(module, name)
            part = _Kernels(maker.whole(text), single, text, getattr(module, name))
        except (ImportRefused, ToolFailed, RuntimeFailed) as error:
            self.coverage.notes.append(f"the graph is made in segments: {error}")
            return False
        seconds = 0.0
        if check:
            why, seconds = self._whole_fault(module, name, part, values)
            if why:
                self.coverage.notes.append(f"the graph is made in segments: as one network it gave other results: {why}")
                return False
        setattr(module, name, part)
        self.module = module
        self.coverage.rows.append([name, segments[name].ops, "kgen", "", None, seconds])
        return True

    def _whole_fault(self, module, name, part, values):
        """(why PART, the kernels of MODULE's only part NAME, are not right for VALUES, or None; seconds that PyTorch takes). Errors of layers
        add up, so the measure is float64: no result may be four times as far from it as PyTorch's, by norm."""
        call = next(node for node in module.graph.nodes if node.op == "call_module" and node.target == name)
        given = dict(zip((node for node in module.graph.nodes if node.op == "placeholder"), self.layouts.enter(values)))
        arguments = [given[node] for node in call.args]
        reference = _stable(part.reference)
        begin = time.perf_counter()
        expected = reference(*arguments)
        if self._on_card(arguments):
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        faults = []
        exact = in_float64(reference, arguments, faults)
        if exact is None:
            return f"PyTorch cannot compute it in float64: {faults[0]}", seconds
        try:
            found = part(*arguments)
        except RuntimeFailed as error:
            return str(error), seconds
        found, expected = ([found], [expected]) if isinstance(expected, torch.Tensor) else (list(found), list(expected))
        return self._worst(found, expected, exact) or next(filter(None, map(self._too_far, found, expected, exact)), None), seconds

    def _too_far(self, found, expected, exact):
        if not found.dtype.is_floating_point or not found.numel():
            return None
        finite = torch.isfinite(expected) & torch.isfinite(exact)
        exact = exact[finite].double()
        slack = _TF32_TOLERANCE if self.precision == "tf32" and found.dtype == torch.float32 else _WHOLE_SLACK.get(found.dtype, 0.0)
        error, own = (float((each[finite].double() - exact).norm()) for each in (found, expected))
        bound = 4 * own + slack * float(exact.norm())
        return None if error <= bound else f"an error of {error:.2g} by norm, the bound is {bound:.2g}"

    @staticmethod
    def _on_card(arguments):
        return any(isinstance(value, torch.Tensor) and value.is_cuda for value in arguments)

    def _inputs(self, module, name):
        """{placeholder of part NAME, by the name that anonymous_text() gives: the whole graph's placeholder, by position, that it is}."""
        call = next(node for node in module.graph.nodes if node.op == "call_module" and node.target == name)
        outer = [node for node in module.graph.nodes if node.op == "placeholder"]
        return {f"x{number}": outer.index(node) for number, node in enumerate(call.args, 1) if node in outer}

    def _draws(self, inputs, values):
        """{placeholder: the Distribution of what a search draws for it}, as for a problem whose tensors are VALUES."""
        return {name: initial_distribution(values[place], observed(values[place]), place in self._weights)
                for name, place in inputs.items() if isinstance(values[place], torch.Tensor)}

    def _new_values(self, module, name, inputs):
        """{result of part NAME: the placeholder, by the name that INPUTS has for it, whose new value it is}."""
        call = next(node for node in module.graph.nodes if node.op == "call_module" and node.target == name)
        names = {place: own for own, place in inputs.items()}
        found = {}
        for number, result in enumerate(next(node for node in module.graph.nodes if node.op == "output").args[0]):
            place = self._places.get(number)
            if place not in names or not isinstance(result, torch.fx.Node):
                continue
            own = result.args[1] if result.target is operator.getitem and result.args[0] is call else 0 if result is call else None
            if own is not None:
                found[own] = names[place]
        return found

    def _text(self, module, name, values=None):
        """(the text of part NAME, whether it gives a tensor by itself). With VALUES of all placeholders it says what is a weight and how tensors
        are drawn, as a network's search asks for."""
        graph = getattr(module, name).graph
        end = next(node for node in graph.nodes if node.op == "output")
        single = isinstance(end.args[0], torch.fx.Node)
        if single:
            graph = copy.deepcopy(graph)
            end = next(node for node in graph.nodes if node.op == "output")
            end.args = ((end.args[0],),)
        inputs = self._inputs(module, name)
        weights = [own for own, place in inputs.items() if place in self._weights] if self._marks_weights or values is not None else ()
        draws = None if values is None else self._draws(inputs, values)
        return anonymous_text(graph, self.precision, weights, self._new_values(module, name, inputs), draws), single

    def _make(self, segments, maker):
        """Puts kernels in the place of every segment that can have some; says in the others why not."""
        texts, single = {}, {}
        for name, segment in segments.items():
            if segment.refused:
                continue
            try:
                texts[name], single[name] = self._text(self.module, name)
            except ImportRefused as refused:
                segment.refused.append((name, str(refused), None))
        made = maker.bundles(set(texts.values()))
        for name, text in texts.items():
            bundle = made[text]
            if not isinstance(bundle, Bundle):
                segments[name].refused.append((name, str(bundle), None))
                continue
            setattr(self.module, name, _Kernels(bundle, single[name], text, getattr(self.module, name)))
        for name, segment in segments.items():
            if segment.refused:
                _for_row_major(getattr(self.module, name))

    def _check(self, segments, values, maker):
        """Runs PyTorch's own ops once, segment by segment, and every kernel on what its segment really gets."""
        rows = {name: row for (name, _), row in zip(segments.items(), self.coverage.rows)}
        owner = self

        class Checker(torch.fx.Interpreter):
            def call_module(self, target, arguments, keywords):
                part = self.fetch_attr(target)
                reference = _stable(part.reference) if isinstance(part, _Kernels) else part
                begin = time.perf_counter()
                expected = reference(*arguments)
                if owner._on_card(arguments):
                    torch.cuda.synchronize()
                rows[target][5] = time.perf_counter() - begin
                if isinstance(part, _Kernels):
                    owner._compare(target, part, arguments, expected, rows[target], maker)
                return expected

        Checker(self.module).run(*self.layouts.enter(values))

    def _compare(self, name, part, arguments, expected, row, maker):
        """Keeps part NAME's kernels where they give EXPECTED, else has generic ones in their place, else PyTorch."""
        why = self._fault(part, arguments, expected)
        if why and part.bundle.kind == "first":
            try:
                generic = _Kernels(maker.generic(part.text), part.single, part.text, part.reference)
                fault = self._fault(generic, arguments, expected)
            except (ToolFailed, RuntimeFailed) as error:
                fault = str(error)
            if not fault:
                setattr(self.module, name, generic)
                self.coverage.notes.append(f"{name} has generic kernels: the catalogue's first idea gave other results: {why}")
                return
        if why:
            setattr(self.module, name, _for_row_major(part.reference))
            row[0], row[2], row[3] = name, "PyTorch", "its kernels gave other results: " + why

    def _fault(self, part, arguments, expected):
        """Why PART's kernels do not give EXPECTED; None where they do."""
        try:
            found = part(*arguments)
            found, expected = ([found], [expected]) if isinstance(expected, torch.Tensor) else (found, expected)
            why = self._worst(found, expected)
            if why:
                exact = in_float64(_stable(part.reference), arguments)
                why = why if exact is None else self._worst(found, expected, exact)
            return why
        except RuntimeFailed as error:
            return str(error)

    def _worst(self, found, expected, exact=None):
        exact = exact or [None] * len(expected)
        return next(filter(None, (difference(*triple[:2], self.precision, triple[2])
                                  for triple in zip(found, expected, exact))), None)

    def _fast(self, examples, device, always):
        """The parts as a Program; None where one cannot be made, and every part is an operator of its own."""
        try:
            return Program(self.module, lambda part: getattr(part, "bundle", None), examples, device, self.layouts, always, self._places)
        except (NotImplementedError, RuntimeFailed):
            return None

    @property
    def prepared(self):
        """How often what only depends on weights was prepared; None where nothing is."""
        return None if self._program is None else self._program.prepared

    @property
    def only_prepared(self):
        """The placeholders' positions that are read where something is prepared, and in no run."""
        return set() if self._program is None else self._program.only_prepared

    def refresh(self, values):
        """Prepares what only depends on weights anew; VALUES have None for what is no parameter or buffer."""
        if self._program is not None:
            self._program.refresh(values)

    def _check_late(self, values):
        """Compares each kernel in the first call, where nobody gave an example's values."""
        with self._lock:
            if self._late is None or (self._on_card(values) and torch.cuda.is_current_stream_capturing()):
                return
            segments, maker = self._late
            before = self._bundles()
            with torch.random.fork_rng():
                self._check(segments, values, maker)
            if self._bundles() != before:
                self._program = self._faster()
                self.coverage.kernels = sum(bundle.launches for bundle in self._bundles())
            self._late = None

    def run(self, *values):
        """The results, for plain tensors like the example's."""
        return self._run(values, in_place=False)

    def run_in_place(self, *values):
        """The results, for plain tensors like the example's. Each whose place `places` said is written there: that is its memory."""
        results = self._run(values, in_place=True)
        for number, place in self._places.items():
            if results[number].data_ptr() != values[place].data_ptr() or results[number].stride() != values[place].stride():
                values[place].copy_(results[number])
            elif not values[place].is_inference():
                torch.autograd.graph.increment_version(values[place])  # kernels do not count
        return results

    def _run(self, values, in_place):
        # Whoever watches PyTorch's operators is to see operators.
        if (self._program is None or torch._C._len_torch_dispatch_stack()
                or torch._C._functorch.peek_interpreter_stack() is not None):
            return self.layouts.leave(self.module(*self.layouts.enter(values)))
        if self._late is not None:
            self._check_late(values)
        return self.layouts.leave(self._program.run(values, in_place))


@contextlib.contextmanager
def quiet():
    """Without PyTorch's warnings about its own insides, and without the graph that export prints when it fails."""
    with warnings.catch_warnings(), export_quietly():
        warnings.simplefilter("ignore")
        yield
