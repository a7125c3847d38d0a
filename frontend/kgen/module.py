# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that kgen.compile returns: guards, the original behind them, and parameters by reference."""
import copy
import functools
import sys
import warnings
import weakref

import torch
from torch._dynamo.convert_frame import compile_lock

from kgen.compiler import PRECISIONS, CompiledGraph, in_float64, quiet
from kgen.devices import move_constants
from kgen.exporting import chosen_by_data, op_name
from kgen.guards import Inputs, State, is_traced, outside, overlap
from kgen.maker import KERNELS
from kgen.offload import Offload
from kgen.op_table import LATER, RANDOM
from kgen.pieces import Pieces
from kgen.problem_file import asks_for_data
from kgen.reads import Before
from kgen.structure import Form, Signature, Traced, distinct, flatten
from kgen.subgraph import settled
from kgen.torch_forms import exportable


class CompileFailed(RuntimeError):
    """A module that cannot be exported, in one sentence."""


class _NotWhole(CompileFailed):
    """One that torch.export cannot take: DEPENDS where its Python asks what is in a tensor."""

    def __init__(self, words, depends):
        super().__init__(words)
        self.depends = depends


#: How far the whole answer may be from the original's, by norm: what is further is another answer, not another rounding.
_ANOTHER_ANSWER = {torch.float64: 1e-3, torch.float32: 1e-2}
_ANOTHER_ANSWER_OF_HALVES = 0.25
#: So many reasons for which the original ran are told apart: a number among the arguments may give a new one in each call.
_MOST_REASONS = 32


class _Roundings:
    """Whether answers of ENTRY are as far from the original's as they are because the network makes much of each rounding. PROGRAM is what torch.export
    made of the module, for VALUES; CALL is the module and its arguments. Each is run once, when it is asked for."""

    def __init__(self, entry, program, values, call):
        self._entry, self._program, self._values, self._call = entry, program, values, call

    def _answers(self, run):
        layouts = self._entry.graph.layouts
        return self._entry.answers(layouts.leave(run(layouts.enter(self._values))))

    @functools.cached_property
    def _own(self):
        return self._answers(lambda values: self._program(*values))

    @functools.cached_property
    def _exact(self):
        return self._answers(functools.partial(in_float64, self._program))

    @functools.cached_property
    def _original(self):
        """The answers of a copy of the module in float64, its own casts left as they are."""
        def widened(value):
            return value.double() if isinstance(value, torch.Tensor) and value.dtype.is_floating_point else value
        module, arguments, keywords = copy.deepcopy(self._call)
        arguments, keywords = torch.utils._pytree.tree_map(widened, (arguments, keywords))
        module = module.double()
        return Form(module(*arguments, **keywords), module).tensors

    def explain(self, number, found, expected, bound):
        """Whether FOUND, answer NUMBER in float64, may be so far from EXPECTED: PROGRAM by PyTorch's own ops is as far from itself in float64, and
        within BOUND of EXPECTED. Where it is not, as it may round elsewhere (torch_forms.py), program and module are the same in float64."""
        try:
            own, exact = self._own[number].double(), self._exact[number].double()
            size = float(expected.norm())
            if float((found - exact).norm()) > max(bound * size, 8 * float((own - exact).norm())):
                return False
            if float((own - expected).norm()) <= bound * size:
                return True
            return float((self._original[number].double() - exact).norm()) <= _ANOTHER_ANSWER[torch.float32] * float(exact.norm())
        except Exception:  # what PyTorch's ops do not take as it lies, or in float64
            return False


class _Entry:
    """The kernels for one set of example inputs."""

    def __init__(self, original, arguments, keywords, options):
        traced = Traced(original)
        self._dtype = torch.get_default_dtype()
        arguments, keywords = distinct(arguments, keywords, original)
        with torch.no_grad(), quiet(), torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            try:
                with exportable():
                    exported = torch.export.export(traced, arguments, keywords, strict=False)
                # In a form that writes nothing in place.
                exported = settled(exported)
            except Exception as error:  # export raises many kinds
                words = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
                raise _NotWhole(f"torch.export cannot take {type(original).__name__}: {words}", asks_for_data(error)) from error
        if traced.written is not None:
            raise _NotWhole(f"forward of {type(original).__name__} does more than answer: {traced.written}", True)
        if chosen_by_data(exported.graph):
            raise _NotWhole(f"{type(original).__name__} chooses by what is in a tensor (torch.cond or a loop of its kind)", True)
        self.form = traced.form
        self._changed = [(original.get_submodule(path), *change) for path, *change in traced.changed]
        leaves, spec = flatten(arguments, keywords)
        self.inputs = Inputs(leaves, spec)
        self._read(exported, original)
        values = self.values(leaves)
        devices = {value.device for value in values if isinstance(value, torch.Tensor)}
        self.device = next((device for device in devices if device.type == "cuda"), torch.device("cpu"))
        moved = move_constants(exported, self.device)
        # What stays where it is is read by reference.
        self._sources = [("constant", moved[place]) if place in moved and moved[place] is not values[place] else source
                         for place, source in enumerate(self._sources)]
        values = self.values(leaves)
        weights = [place for place, (kind, _) in enumerate(self._sources) if kind != "input" and place not in self._written]
        with torch.no_grad():
            # The check runs the graph, which writes nothing: what it gives for a buffer is left alone.
            try:
                self.graph = CompiledGraph(exported.graph_module, self.device, values=values, weights=weights,
                                           places=[place for place, _ in self._results], **options)
            except RuntimeError as error:  # PyTorch's own ops do not take the example: types that do not go together, ...
                words = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
                raise CompileFailed(f"{type(original).__name__} does not take this example: {words}") from error
        self.another = None
        if options["check"] and not _draws(exported.graph):
            with torch.no_grad(), quiet(), torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
                self.another = self._other_answer(original, arguments, keywords, values, exported.graph_module)
        if self.another is not None:
            self.graph.coverage.left(self.another)

    def _other_answer(self, original, arguments, keywords, values, program):
        """How the whole answer differs from ORIGINAL's; None where it does not, or where ORIGINAL cannot be asked without changing something.

        Each segment was compared with PyTorch's ops, but not PROGRAM, what torch.export made of the module, with the module.
        """
        state = [value for place, value in enumerate(values) if place in self._written and isinstance(value, torch.Tensor)]
        held = [(value, value.clone()) for value in state]
        before = Before(original)
        try:
            arguments, keywords = copy.deepcopy((arguments, keywords))
            expected = [value.clone() for value in Form(original(*arguments, **keywords), original).tensors]
        except Exception:  # what cannot be copied or called by itself is not asked
            return None
        finally:
            for value, was in held:
                value.copy_(was)
            before.restore_all()
        found = self.answers(self.graph.run(*values))
        if len(found) != len(expected):
            return None
        roundings = _Roundings(self, program, values, (original, arguments, keywords))
        for number, (one, other) in enumerate(zip(found, expected)):
            if not (one.dtype.is_floating_point and one.shape == other.shape and one.numel()):
                continue
            if other.layout != torch.strided:
                continue
            finite = torch.isfinite(other)
            if not bool(torch.equal(torch.isfinite(one), finite)):
                return "torch.export's graph has infinities or NaN where the original has none, or the other way round"
            a, b = torch.where(finite, one, 0).double(), torch.where(finite, other, 0).double()
            error, bound = float((a - b).norm()), _ANOTHER_ANSWER.get(one.dtype, _ANOTHER_ANSWER_OF_HALVES)
            if error > bound * float(b.norm()) and float((a - b).abs().max()) > 1e-6 and not roundings.explain(number, a, b, bound):
                return f"torch.export's graph gives another answer than the original for the example (off by {error / max(float(b.norm()), 1e-30):.2g} of its norm)"
        return None

    def answers(self, results):
        """Those of a run's RESULTS that are answers, not what buffers become."""
        return [result for (place, _), result in zip(self._results, results) if place is None and result is not None]

    def _read(self, exported, original):
        """Where the graph's placeholders come from and what becomes of its results."""
        kinds, outputs = torch.export.graph_signature.InputKind, torch.export.graph_signature.OutputKind
        signature, names, self._sources = exported.graph_signature, [], []
        position, places = 0, {}
        for place, item in enumerate(signature.input_specs):
            if item.kind == kinds.USER_INPUT:
                self._sources.append(("input", position))
                places[item.arg.name] = place
                position += 1
            elif item.kind in (kinds.PARAMETER, kinds.BUFFER):
                self._sources.append(("state", len(names)))
                names.append(item.target.removeprefix(Traced.PREFIX))
                places[item.target] = place
            else:
                value = exported.constants.get(item.target)
                name = _attribute(original, item.target, value)
                self._sources.append(("constant", value) if name is None else ("state", len(names)))
                names += [] if name is None else [name]
        try:
            self.state = State(original, names)
        except KeyError as missing:
            raise CompileFailed(f"{type(original).__name__} has no parameter or buffer {missing}") from missing
        # Each result is an answer (None), a number that export knows, or what a placeholder holds afterwards.
        self._results = []
        for item in signature.output_specs:
            written = item.kind in (outputs.BUFFER_MUTATION, outputs.USER_INPUT_MUTATION, outputs.PARAMETER_MUTATION)
            if not written and item.kind != outputs.USER_OUTPUT:
                raise CompileFailed(f"{type(original).__name__} gives a {item.kind.name.lower()}, which no kernel can")
            self._results.append((places[item.target] if written else None, getattr(item.arg, "value", None)))
        self._written = {place for place, _ in self._results if place is not None}
        # Answers that are what the module was given, or has.
        origins = {source if source[0] == "input" else ("state", names[source[1]]): place for place, source in enumerate(self._sources)
                   if source[0] != "constant"}
        self._same = [(number, origins[origin]) for number, origin in self.form.same.items() if origin in origins]

    def values(self, leaves):
        """What the graph's placeholders get: parameters and buffers as the module has them now."""
        state = self.state.values()
        return [leaves[what] if kind == "input" else state[what] if kind == "state" else what for kind, what in self._sources]

    def miss(self, leaves, spec):
        """(why this call is not what the kernels were made for, None); (None, the placeholders' values) when it is."""
        why = self.inputs.miss(leaves, spec) or self.another
        if why is not None:
            return why, None
        if torch.get_default_dtype() is not self._dtype:
            return f"the default type is {torch.get_default_dtype()}, the kernels are for {self._dtype}", None
        if self.state.reads.asks_for_gradients and torch.is_grad_enabled():
            return "gradients are on, and forward asks whether they are", None
        for part, name, before, _ in self._changed:
            if getattr(part, name, None) != before:
                return (f"forward changes {type(part).__name__}.{name}, which is {getattr(part, name, None)!r} now, and the kernels are for {before!r}: "
                        "call the module once before kgen.compile"), None
        try:
            state = self.state.values()
        except KeyError as gone:
            return f"the module changed: {gone} is gone", None
        why = self.state.miss(state)
        if why is not None:
            return why, None
        values = [leaves[what] if kind == "input" else state[what] if kind == "state" else what for kind, what in self._sources]
        if self._written and overlap(values, self._written):
            return "what it writes to shares memory with another input", None
        return None, values

    def weights(self):
        """([the places of parameters and buffers that only preparation reads, each a dictionary and a name], [those that runs read, and tensors that are
        neither parameters nor buffers])."""
        lone, needed = [], []
        kept = self._written | {place for _, place in self._same}
        for place, (kind, what) in enumerate(self._sources):
            if kind == "constant":
                needed.append(what)
            elif kind == "state":
                held, name, registered = self.state.place(what)
                only = registered and place in self.graph.only_prepared and place not in kept
                (lone if only else needed).append((held, name))
        return lone, needed

    def let_offload(self, places):
        """From now on what is in PLACES, {(id of a dictionary, name)}, may also lie in the machine's memory."""
        numbers = [what for kind, what in self._sources if kind == "state"]
        self.state.offload(number for number in numbers for held, name, _ in (self.state.place(number),) if (id(held), name) in places)

    def refresh(self):
        """Prepares anew what only depends on weights, where the module is still what the kernels were made for."""
        try:
            state = self.state.values()
        except KeyError:
            return
        if self.state.miss(state) is None:
            self.graph.refresh([state[what] if kind == "state" else what if kind == "constant" else None for kind, what in self._sources])

    def run(self, values, call):
        answers = []
        for (place, constant), result in zip(self._results, self.graph.run_in_place(*values)):
            if place is None:
                answers.append(constant if result is None else result)
        for part, name, _, after in self._changed:
            setattr(part, name, after)
        for number, place in self._same:
            answers[number] = values[place]
        return self.form.build(answers)


def _attribute(original, target, value):
    """The name of the attribute of ORIGINAL's that VALUE, the constant TARGET of its program, is; None."""
    path, _, name = target.removeprefix(Traced.PREFIX).rpartition(".")
    try:
        owner = original.get_submodule(path)
    except AttributeError:
        return None
    return f"{path}.{name}".lstrip(".") if isinstance(value, torch.Tensor) and vars(owner).get(name) is value else None


def _draws(graph):
    """Whether something in GRAPH is drawn at random: two answers differ then."""
    return any(isinstance(node.target, torch._ops.OpOverload) and LATER.get(op_name(node.target).partition(".")[0]) == RANDOM for node in graph.nodes)


class CompiledModule(torch.nn.Module):
    """A module with ORIGINAL's signature, parameters and buffers, computed by kgen's kernels where they fit.

    A call that they were not made for (another shape, type, stride or device, changed parameter shapes, another
    structure of arguments, training mode, autocast, a trace) runs the original: counted in report(), and said once. So does a
    call that autograd would record, unless gradients="ignore". OFFLOAD: see offload.py.
    """

    def __init__(self, original, gradients, options, offload=False):
        super().__init__()
        object.__setattr__(self, "_entries", [])
        # What another one moved is read here.
        for other in list(_live):
            if other._offload is not None and not _state(original).keys().isdisjoint(_state(other._original)):
                other._offload.bring_back()
        self._offload = Offload(original, functools.partial(_others, weakref.ref(self))) if offload else None
        self._original = original
        self._gradients, self._options = gradients, options
        # What export made has positions only.
        self._signature = Signature(original.forward, not isinstance(original, torch.fx.GraphModule))
        self._said = set()
        self.misses = {}
        _live.add(self)

    def __del__(self):
        # Whoever still has the original finds its weights on the card.
        held, offload = self.__dict__, self.__dict__.get("_offload")
        if offload is None or sys.is_finalizing():
            return
        _live.discard(self)
        held["_entries"].clear()
        held.pop("_signature", None)
        held["_modules"].clear()
        offload.end()

    def add(self, arguments, keywords):
        """Kernels for one more set of example inputs."""
        call = self._signature.canonical(tuple(arguments), dict(keywords))
        if call is None:
            raise TypeError(f"{type(self._original).__name__}.forward does not take these example inputs")
        # One at a time: export sets flags that are every thread's. The original is run, and leaves no trace in random numbers.
        with compile_lock, torch.random.fork_rng(_cards(self._original, call)):
            return self._add(call)

    def _add(self, call):
        if self._offload is None:
            return self._make(call)
        with self._offload.back(call, records=False):
            self._make(call)
        self._offload.update(self._entries)
        # The check has prepared; without one the first call does.
        if any(entry.graph.prepared for entry in self._entries):
            self._offload.put_away()
        return self

    def _make(self, call):
        try:
            self._entries.append(_Entry(self._original, *call, self._options))
        except _NotWhole as error:
            if not error.depends and not self._runs(*call):
                raise CompileFailed(str(error)) from error
            self._entries.append(Pieces(self._original, *call, self._options, str(error)))
        return self

    def _runs(self, arguments, keywords):
        """Whether the original takes them: what export cannot take, Dynamo may. What it changes is as it was afterwards."""
        before = Before(self._original)
        held = [(buffer, buffer.detach().clone()) for buffer in self._original.buffers()]
        try:
            arguments, keywords = copy.deepcopy((arguments, keywords))
            with torch.no_grad(), quiet():
                self._original(*arguments, **keywords)
        except Exception:  # as many kinds
            return False
        finally:
            before.restore_all()
            with torch.no_grad():
                for buffer, value in held:
                    if buffer.shape == value.shape:
                        buffer.copy_(value)
        return True

    def forward(self, *arguments, **keywords):
        if torch.compiler.is_exporting() and is_traced():
            raise TypeError("a compiled module cannot be exported: export the original")
        why = outside()
        call = self._signature.canonical(arguments, keywords) if why is None else None
        if call is not None:
            leaves, spec = flatten(*call)
            for entry in self._entries:
                missed, values = entry.miss(leaves, spec)
                if missed is not None:
                    why = why or missed
                elif torch.is_grad_enabled() and self._gradients == "original" and any(
                        isinstance(value, torch.Tensor) and value.requires_grad for value in values):
                    why = "gradients are on; kgen's kernels have none (torch.no_grad(), or gradients=\"ignore\")"
                    break
                else:
                    with torch.no_grad():
                        return entry.run(values, call) if self._offload is None else self._offload.run(entry, values, call)
        if not is_traced():
            self._count(why or "forward does not take these arguments")
        if self._offload is None:
            return self._original(*arguments, **keywords)
        if is_traced() or torch._C._get_tracing_state() is not None:
            raise TypeError("a compiled module that offloads weights cannot be traced: kgen.onload() it and trace the original")
        with self._offload.back((arguments, keywords)):
            return self._original(*arguments, **keywords)

    def _count(self, why):
        if why not in self.misses and len(self.misses) >= _MOST_REASONS:
            why = "other reasons"
        self.misses[why] = self.misses.get(why, 0) + 1
        if why not in self._said:
            self._said.add(why)
            warnings.warn(f"kgen runs the original {type(self._original).__name__}: {why}", stacklevel=4)

    def __deepcopy__(self, memo):
        raise TypeError("a compiled module cannot be copied: copy the original and compile the copy")

    def __reduce_ex__(self, protocol):
        raise TypeError("a compiled module cannot be pickled: save its state_dict, or the original")

    # The original's state is this module's: the same names, the same tensors. What is set is set there.

    def __setattr__(self, name, value):
        if name in _OWN_NAMES or "_original" not in self.__dict__.get("_modules", ()) or not _has(self._original, name):
            return super().__setattr__(name, value)
        setattr(self._original, name, value)

    def __delattr__(self, name):
        delattr(self if name in self.__dict__ else self._original, name)

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        # As a part of another module, whose names are those of state_dict().
        for name in [name for name in state_dict if name.startswith(prefix)]:
            state_dict[f"{prefix}_original.{name[len(prefix):]}"] = state_dict.pop(name)
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def state_dict(self, *arguments, **keywords):
        return self._original.state_dict(*arguments, **keywords)

    def load_state_dict(self, *arguments, **keywords):
        return self._original.load_state_dict(*arguments, **keywords)

    def named_parameters(self, *arguments, **keywords):
        return self._original.named_parameters(*arguments, **keywords)

    def named_buffers(self, *arguments, **keywords):
        return self._original.named_buffers(*arguments, **keywords)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_original"), name)


class _OffloadingModule(CompiledModule):
    """One that moves weights, which Dynamo is not to look into: around it, it leaves the call to Python."""

    @torch.compiler.disable
    def forward(self, *arguments, **keywords):
        return super().forward(*arguments, **keywords)


#: What a CompiledModule sets of itself.
_OWN_NAMES = frozenset(vars(torch.nn.Module())) | {"_original", "_gradients", "_offload", "_options", "_signature", "_said", "misses"}


#: All that live: one module's weights may be another's.
_live = weakref.WeakSet()


def _state(module):
    """{id: tensor} of MODULE's parameters and buffers."""
    return {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}


def _others(compiled):
    """The parameters and buffers of all compiled modules but COMPILED, a weak reference."""
    return [tensor for other in list(_live) if other is not compiled() for tensor in _state(other._original).values()]


def _has(module, name):
    return name in vars(module) or any(name in held for held in (module._parameters, module._buffers, module._modules)) or hasattr(type(module), name)


def _cards(module, call):
    """The cards whose random numbers a call may draw."""
    tensors = [*module.parameters(), *module.buffers(), *(leaf for leaf in flatten(*call)[0] if isinstance(leaf, torch.Tensor))]
    return sorted({tensor.device.index or 0 for tensor in tensors if tensor.is_cuda})


def compile(module, example_inputs, example_keywords=None, *, precision=None, search="none", kernels=None, gradients="original",
            check=True, prepare="changed", offload=False):
    """MODULE computed by kgen's kernels; the same signature, the same parameters.

    EXAMPLE_INPUTS: a tuple of positional arguments, or a list of such tuples, one for each shape that calls will have;
    EXAMPLE_KEYWORDS the keyword arguments (a list beside a list). PRECISION: "strict-fp32", "tf32", "bf16" or "fp16"; by
    default a float32 module has tf32 products only where PyTorch's own settings allow them. SEARCH: "none" takes kgen's
    first kernels, "cached" those that an earlier search found, a number searches for that many minutes: the graph as a whole, else each kernel.
    KERNELS: what computes a segment that nobody searched for: "first", what kgen's catalogue holds for the best idea for this card, without timing
    any; "generic", kernels that take any graph, many times as slow. By default $KGEN_KERNELS, else "first" on a card and "generic" on the CPU.
    CHECK: every kernel is compared once with PyTorch's own ops on the example's activations, and left out where it
    differs. PREPARE: what an applied network makes of weights alone is computed again when one "changed" (what cannot be seen: refresh()), or
    "always", in each call. OFFLOAD: on a card, once something is prepared, parameters and buffers that only this reads are moved to the machine's memory (their
    `device` is the CPU): a call that prepares has copies on the card as long as that lasts, a call of the original has them moved back first (see onload()).
    Raises CompileFailed when the module cannot be exported, and does not take the example itself.
    """
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module, found {type(module).__name__}")
    scripted = next((part for part in module.modules() if isinstance(part, torch.jit.ScriptModule)), None)
    if scripted is not None:
        raise CompileFailed(f"{getattr(scripted, 'original_name', type(scripted).__name__)} is TorchScript, whose Python is gone: compile the module that it was made from")
    if search not in ("none", "cached") and not (isinstance(search, (int, float)) and search > 0):
        raise ValueError(f"search is {search!r}, expected \"none\", \"cached\" or a number of minutes")
    if kernels not in (None, *KERNELS):
        raise ValueError(f"kernels is {kernels!r}, expected \"first\" or \"generic\"")
    if gradients not in ("original", "ignore"):
        raise ValueError(f"gradients is {gradients!r}, expected \"original\" or \"ignore\"")
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}, expected \"strict-fp32\", \"tf32\", \"bf16\" or \"fp16\"")
    if prepare not in ("changed", "always"):
        raise ValueError(f"prepare is {prepare!r}, expected \"changed\" or \"always\"")
    if offload and prepare == "always":
        raise ValueError("offload needs prepare=\"changed\": with \"always\" each call reads what would be offloaded")
    examples = example_inputs if isinstance(example_inputs, list) else [example_inputs]
    keywords = example_keywords if isinstance(example_keywords, list) else [example_keywords or {}] * len(examples)
    compiled = (_OffloadingModule if offload else CompiledModule)(module, gradients, {"precision": precision, "search": search, "kernels": kernels, "check": check, "prepare": prepare}, bool(offload))
    for arguments, named in zip(examples, keywords, strict=True):
        if not isinstance(arguments, tuple):
            arguments = (arguments,)
        compiled.add(arguments, named)
    return compiled


def report(compiled):
    """What of COMPILED is kgen's, what is PyTorch's and why, and how often the original ran: one Coverage for each set
    of example inputs."""
    if not isinstance(compiled, CompiledModule):
        raise TypeError(f"expected what kgen.compile returned, found {type(compiled).__name__}")
    reports = [entry.graph.coverage for entry in compiled._entries]
    for entry, one in zip(compiled._entries, reports):
        one.misses, one.prepared = compiled.misses, entry.graph.prepared
        one.offloaded = None if compiled._offload is None else compiled._offload.bytes
    return reports[0] if len(reports) == 1 else reports


def refresh(compiled):
    """Prepares again, now and in the same memory, what COMPILED keeps that only depends on weights. For weights that were written past
    PyTorch (NumPy, DLPack, an extension, a collective), and for CUDA graphs, whose replays read what was prepared."""
    if not isinstance(compiled, CompiledModule):
        raise TypeError(f"expected what kgen.compile returned, found {type(compiled).__name__}")
    for entry in compiled._entries:
        entry.refresh()
    if compiled._offload is not None:
        compiled._offload.update(compiled._entries)
        compiled._offload.forget_recorded()
        compiled._offload.put_away()


def onload(compiled):
    """Moves weights of COMPILED that offload=True moved back to the card, where they are until the next call that kernels take. For calls of the original, copies
    of it, and traces."""
    if not isinstance(compiled, CompiledModule):
        raise TypeError(f"expected what kgen.compile returned, found {type(compiled).__name__}")
    if compiled._offload is not None:
        compiled._offload.bring_back()
