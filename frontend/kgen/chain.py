# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A split graph as few calls: kernels that follow one another are one chain of the runtime, with one block of memory for what
only they see. What a call costs in Python then hardly depends on how many kernels there are."""
import array
import collections
import ctypes
import functools
import operator
import threading
import weakref

import torch

from kgen import offload
from kgen.ordering import has_effects, scheduled
from kgen.runtime import ALIGNMENT, RuntimeFailed, library
from kgen.watch import steps, watch

_BLOCK = 256


class _Place(ctypes.Structure):
    _fields_ = [("base", ctypes.c_uint64), ("offset", ctypes.c_uint64)]


def _interface():
    if _interface.loaded is None:
        found = library()
        found.kgen_chain_create.restype = ctypes.c_void_p
        found.kgen_chain_destroy.argtypes = [ctypes.c_void_p]
        places = ctypes.POINTER(_Place)
        found.kgen_chain_add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, places, places, _Place, ctypes.c_char_p, ctypes.c_size_t]
        found.kgen_chain_add_prepared.argtypes = [ctypes.c_void_p, ctypes.c_void_p, places, places, _Place, _Place, ctypes.c_char_p,
                                                  ctypes.c_size_t]
        found.kgen_chain_prepare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        found.kgen_chain_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        _interface.loaded = found
    return _interface.loaded


_interface.loaded = None


class _Memory:
    """Offsets in one block for values that live from one step to another; what is dead is used again."""

    def __init__(self):
        self.bytes = 0
        self._free = []  # (offset, size), in order

    def take(self, size):
        size = max(_BLOCK, (size + _BLOCK - 1) // _BLOCK * _BLOCK)
        fits = [hole for hole in self._free if hole[1] >= size]
        if fits:
            hole = min(fits, key=lambda each: each[1])
            self._free.remove(hole)
            if hole[1] > size:
                self.give(hole[0] + size, hole[1] - size)
            return hole[0], size
        offset, self.bytes = self.bytes, self.bytes + size
        return offset, size

    def give(self, offset, size):
        merged = []
        for hole in sorted([*self._free, (offset, size)]):
            if merged and merged[-1][0] + merged[-1][1] == hole[0]:
                merged[-1] = (merged[-1][0], merged[-1][1] + hole[1])
            else:
                merged.append(hole)
        self._free = merged


def _bytes(shape, dtype):
    count = dtype.itemsize
    for extent in shape:
        count *= extent
    return count


_AWAY = ("weights that are offloaded changed, and a CUDA graph cannot bring them to the card: call the module, or kgen.refresh(), before the capture")


class _Prepared:
    """What kernels of a chain keep of weights: BYTES of memory, and the versions of the weights that it was computed from, which are
    those at POSITIONS among what the chain reads. A weight is known by the tensor object, its memory (wherever offload.py has it), PyTorch's count of its
    changes, and what watch.py sees beside that count, so whatever changes one shows at the next call. ALWAYS: nothing is kept from
    one call to the next. `lock` is held from ready() until what reads the memory is queued."""

    def __init__(self, bytes, positions, device, always=False):
        self.bytes, self.positions, self.lock = bytes, positions, threading.RLock()
        self.count, self._always = 0, always
        self._device, self._block, self._known, self._event, self._streams = device, None, None, None, set()

    def block(self):
        with self.lock:  # PyTorch lets other threads run while it makes one
            if self._block is None:
                self._block = torch.empty(self.bytes, dtype=torch.uint8, device=self._device)
            return self._block

    def forget(self):
        """What is kept is prepared again before it is read."""
        self._known = None

    def _holds(self, tensors):
        """Whether what is kept is what TENSORS give."""
        if self._known is None or self._known[0] != steps() or len(tensors) != len(self._known[1]):
            return False
        for (reference, place, version, seen, touched), tensor in zip(self._known[1], tensors):
            if (reference() is not tensor or place != seen.place(tensor) or version != _version(tensor) or touched != seen.touched
                    or seen.open(tensor)):
                return False
        return True

    def ready(self, tensors, stream, prepare):
        """Has PREPARE called where what is kept is not what TENSORS, those at the positions, give; queued on STREAM. Raises
        RuntimeFailed where that would bring offloaded weights into a CUDA graph."""
        capturing = offload.machine.is_captured(self._device)
        if self._holds(tensors):
            if stream is not None and stream not in self._streams and not capturing:
                torch.cuda.current_stream(self._device).wait_event(self._event)
                self._streams.add(stream)
            return
        if capturing and any(offload.machine.is_away(tensor, self._device) for tensor in tensors):
            raise RuntimeFailed(_AWAY)
        self._known = None
        self.count += 1
        if capturing:  # into the graph, whose replays then prepare: nothing is computed now
            return prepare()
        if self._streams - {stream}:
            torch.cuda.synchronize(self._device)  # others may read what is written now
        # What is noted was true before the weights are read: a change meanwhile shows.
        known = (steps(), [(weakref.ref(tensor), seen.place(tensor), _version(tensor), seen, seen.touched)
                           for tensor in tensors for seen in (watch(tensor),)])
        prepare()
        if not self._always and all(version is not None for _, _, version, _, _ in known[1]):
            self._known = known
        if stream is not None:
            self._event = torch.cuda.Event()
            self._event.record()
            self._streams = {stream}


def _version(tensor):
    """How often TENSOR was changed in place; None where nobody counts."""
    return None if tensor.is_inference() else tensor._version


class _Chain:
    """STEPS, [(bundle, values that it reads, values that it writes)], as one call. Values are numbers; KEPT are those that others
    read. CONTIGUOUS are values from elsewhere that are known to lie as the bundles read them: the others are made row-major.
    ALWAYS as _Prepared has it. NEW_VALUES, {value: value}, are results with the arguments whose new values they are, which nothing else reads."""

    def __init__(self, steps, kept, contiguous, device, always=False, new_values=None):
        self._always = always
        self._bundles = [bundle for bundle, _, _ in steps]
        self._prepared, self._late = None, []
        made = {value: (bundle, index) for bundle, _, writes in steps for index, value in enumerate(writes)}
        self.reads = sorted({value for _, reads, _ in steps for value in reads if value not in made})
        self.writes = [value for value in made if value in kept]
        self._strided = [position for position, value in enumerate(self.reads) if value not in contiguous]
        self._outputs = [made[value][0].outputs[made[value][1]] for value in self.writes]
        # What a bundle writes in place of what it reads, by the positions of both.
        sources = {value: reads[bundle.updates[index]] for bundle, reads, writes in steps for index, value in enumerate(writes)
                   if bundle.updates[index] >= 0}
        self._updates = {position: self.reads.index(sources[value]) for position, value in enumerate(self.writes)
                         if value in sources and (new_values or {}).get(value) == sources[value]}
        self._device = device
        bases = {value: index for index, value in enumerate([*self.reads, *self.writes])}
        self._plan(steps, bases)
        self._message = ctypes.create_string_buffer(512)

    def _plan(self, steps, bases):
        found, block, memory, held = _interface(), len(bases), _Memory(), {}
        kept, weights, needed = 0, set(), set()
        last = {value: number for number, (_, reads, writes) in enumerate(steps) for value in (*writes, *reads)}
        self._handle = ctypes.c_void_p(found.kgen_chain_create())
        for number, (bundle, reads, writes) in enumerate(steps):
            for value, (shape, dtype) in zip(writes, bundle.outputs):
                if value not in bases:
                    held[value] = memory.take(_bytes(shape, dtype))
            sources = [reads[index] for index in bundle.prepares_from]
            # Of what this chain computes nobody knows whether it changed.
            keeps = bundle.prepared_bytes and all(value in self.reads for value in sources)
            workspace = memory.take(bundle.workspace_bytes - (bundle.prepared_bytes if keeps else 0))

            def places(values):
                each = [_Place(bases[value], 0) if value in bases else _Place(block, held[value][0]) for value in values]
                return (_Place * max(1, len(each)))(*each)
            message = ctypes.create_string_buffer(512)
            arguments = [self._handle, bundle.handle, places(reads), places(writes), _Place(block, workspace[0])]
            if keeps:
                failed = found.kgen_chain_add_prepared(*arguments, _Place(block + 1, kept), message, len(message))
                kept += bundle.prepared_bytes
                weights.update(sources)
                needed.update(reads[index] for index in bundle.run_reads)
            else:
                needed.update(reads)
                failed = found.kgen_chain_add(*arguments, message, len(message))
            if failed:
                raise RuntimeFailed(message.value.decode(errors="replace"))
            memory.give(*workspace)
            for value in [value for value in held if last[value] == number]:
                memory.give(*held.pop(value))
        self._block_bytes = memory.bytes
        if kept:
            self._prepared = _Prepared(kept, [self.reads.index(value) for value in sorted(weights)], self._device, self._always)
            # Addresses that a run need not have.
            self._late = [self.reads.index(value) for value in sorted(weights - needed)]

    def __del__(self):
        if getattr(self, "_handle", None) and _interface.loaded is not None:
            _interface.loaded.kgen_chain_destroy(self._handle)

    @property
    def prepared(self):
        """How often this chain prepared what it keeps of weights; None where it keeps nothing."""
        return None if self._prepared is None else self._prepared.count

    @property
    def only_prepared(self):
        """The values that this chain reads where it prepares, and in no run."""
        return {self.reads[position] for position in self._late}

    @property
    def needed(self):
        """The values that a run reads."""
        return set(self.reads) - self.only_prepared

    def refresh(self, values):
        """Prepares from the weights in VALUES, whatever is known of them, where all of them are there; else before the next run."""
        if self._prepared is None:
            return
        with self._prepared.lock:
            self._prepared.forget()
            if all(values[self.reads[position]] is not None for position in self._prepared.positions):
                self._on_device(values, lambda *given: self._launch(*given, only_prepare=True))

    def run(self, values, in_place=False):
        """Reads VALUES and writes there; IN_PLACE: what is a new value into the memory of the old one, where that is read as it lies."""
        self._on_device(values, functools.partial(self._launch, in_place=in_place))

    def _on_device(self, values, launch):
        """LAUNCH with VALUES and the addresses of what a run reads, as it is to lie and aligned; 0 for the rest and what is not there."""
        tensors = [values[value] for value in self.reads]
        for position in self._late:
            tensors[position] = None
        for position in self._strided:
            if tensors[position] is not None and not tensors[position].is_contiguous():
                tensors[position] = tensors[position].contiguous()
        addresses = [0 if tensor is None else tensor.data_ptr() for tensor in tensors]
        for position, address in enumerate(addresses):
            if address % ALIGNMENT:
                tensors[position] = tensors[position].clone(memory_format=torch.preserve_format)
                addresses[position] = tensors[position].data_ptr()
        if self._device.type == "cuda" and torch.cuda.current_device() != self._device.index:
            with torch.cuda.device(self._device):
                launch(values, addresses)
        else:
            launch(values, addresses)

    def _prepare(self, values, bases, stream):
        """Queues what prepares, with the addresses of what only that reads: offloaded weights are on the card as long as it lasts."""
        with offload.lock:  # none of them is moved meanwhile
            there = []
            for position in self._late:
                tensor = values[self.reads[position]]
                if offload.machine.is_away(tensor, self._device):
                    tensor = offload.machine.load(tensor, self._device)
                if position in self._strided:
                    tensor = tensor.contiguous()
                if tensor.data_ptr() % ALIGNMENT:
                    tensor = tensor.clone(memory_format=torch.preserve_format)
                there.append(tensor)
                bases[position] = tensor.data_ptr()
            self._call(_interface.loaded.kgen_chain_prepare, bases, stream)

    def _launch(self, values, addresses, only_prepare=False, in_place=False):
        device = self._device
        for number, (value, (shape, dtype)) in enumerate(zip(self.writes, self._outputs)):
            source = self._updates.get(number) if in_place else None
            old = None if source is None else values[self.reads[source]]
            if old is not None and old.data_ptr() == addresses[source]:
                values[value] = old
            else:
                values[value] = torch.empty(shape, dtype=dtype, device=device)
            addresses.append(values[value].data_ptr())
        block = torch.empty(self._block_bytes, dtype=torch.uint8, device=device)
        addresses.append(block.data_ptr())
        if self._prepared is not None:
            addresses.append(self._prepared.block().data_ptr())
        bases = array.array("Q", addresses)
        stream = torch._C._cuda_getCurrentRawStream(device.index) if device.type == "cuda" else None
        if self._prepared is None:
            return self._call(_interface.loaded.kgen_chain_run, bases, stream)
        weights = [values[self.reads[position]] for position in self._prepared.positions]
        with self._prepared.lock:
            self._prepared.ready(weights, stream, lambda: self._prepare(values, bases, stream))
            if not only_prepare:
                self._call(_interface.loaded.kgen_chain_run, bases, stream)

    def _call(self, function, bases, stream):
        if function(self._handle, bases.buffer_info()[0], stream, self._message, len(self._message)):
            raise RuntimeFailed(self._message.value.decode(errors="replace"))


class _Elsewhere:
    """A part that stays PyTorch's."""

    def __init__(self, part, reads, writes, single, layouts):
        self._part, self._reads, self._writes, self._single = part, reads, writes, single
        self._orders = [(position, layouts.inputs[value]) for position, value in enumerate(reads) if value in layouts.inputs]

    @property
    def needed(self):
        """The values that it reads."""
        return set(self._reads)

    def run(self, values, in_place=False):
        given = [values[value] for value in self._reads]
        for position, order in self._orders:
            given[position] = given[position].permute(order)
        results = self._part(*given)
        if self._single:
            values[self._writes[0]] = results
        elif self._writes:
            for value, result in zip(self._writes, results):
                values[value] = result


class Program:
    """MODULE, a GraphModule of parts, for plain tensors with the strides of EXAMPLES, which LAYOUTS were made for. BUNDLE_OF(part) is
    the part's bundle, for DEVICE, or None for one of PyTorch's. ALWAYS as _Prepared has it. PLACES, {result: argument}, are the arguments' new values.
    None of it shows to PyTorch's dispatcher. Raises NotImplementedError."""

    def __init__(self, module, bundle_of, examples, device, layouts, always=False, places=None):
        self._always, self._layouts = always, layouts
        if device.type == "cuda" and device.index is None:
            device = torch.device("cuda", torch.cuda.current_device())
        numbers, singles, parts, results = {}, {}, [], None
        for node in module.graph.nodes:
            if node.op == "placeholder":
                numbers[node] = len(numbers)
        self._inputs = len(numbers)
        count = len(numbers)
        for node in module.graph.nodes:
            if node.op == "call_module":
                part = getattr(module, node.target)
                getters = [user for user in node.users if user.target is operator.getitem]
                singles[node] = len(getters) != len(node.users) or not _returns_several(part, bundle_of(part))
                total = 1 if singles[node] else _results(part, bundle_of(part))
                writes = list(range(count, count + total))
                count += total
                if writes:
                    numbers[node] = writes[0]
                for getter in [] if singles[node] else getters:
                    numbers[getter] = writes[getter.args[1]]
                parts.append((part, [self._read(argument, numbers) for argument in node.args], writes, singles[node]))
            elif node.op == "output":
                results = node.args[0]
            elif node.op != "placeholder" and node.target is not operator.getitem:
                raise NotImplementedError(f"{node.op} {node.target} between parts")
        parts = [parts[index] for index in scheduled([
            (bundle_of(part) is not None, reads, writes, bundle_of(part) is None and any(map(has_effects, part.graph.nodes)))
            for part, reads, writes, _ in parts])]
        self._count = count
        self._results = [numbers[result] if isinstance(result, torch.fx.Node) else _Constant(result) for result in results]
        # What only one part reads may be written in place by it.
        read_by = collections.Counter(value for _, reads, _, _ in parts for value in set(reads))
        self._new_values = {self._results[result]: place for result, place in (places or {}).items()
                            if isinstance(self._results[result], int) and read_by[place] == 1 and place not in self._results}
        row_major = set(layouts.inputs)  # once permuted, which moves nothing
        for number, example in enumerate(examples):
            if isinstance(example, torch.Tensor) and example.is_contiguous():
                row_major.add(number)
            if not isinstance(example, torch.Tensor) or example.device != device:
                if any(number in reads for part, reads, _, _ in parts if bundle_of(part) is not None):
                    raise NotImplementedError("a kernel reads what is on another device")
        self._items = self._group(parts, bundle_of, row_major, device)

    @staticmethod
    def _read(argument, numbers):
        if not isinstance(argument, torch.fx.Node):
            raise NotImplementedError("a part takes a constant")
        return numbers[argument]

    def _group(self, parts, bundle_of, row_major, device):
        """Chains as long as possible, with PyTorch's parts between them."""
        groups = []
        for part in parts:
            kernels = bundle_of(part[0]) is not None
            if not kernels or not groups or not groups[-1][0]:
                groups.append((kernels, []))
            groups[-1][1].append(part)
        returned = {result for result in self._results if isinstance(result, int)}
        items, contiguous = [], row_major
        for index, (kernels, members) in enumerate(groups):
            if not kernels:
                part, reads, writes, single = members[0]
                items.append(_Elsewhere(part, reads, writes, single, self._layouts))
                continue
            later = {value for _, others in groups[index + 1:] for _, reads, _, _ in others for value in reads}
            steps = [(bundle_of(part), _ordered(reads, bundle_of(part)), writes) for part, reads, writes, _ in members]
            items.append(_Chain(steps, returned | later, contiguous, device, self._always, self._new_values))
            contiguous.update(items[-1].writes)
        return items

    @property
    def prepared(self):
        """How often weights were prepared, over all chains; None where none keeps anything of them."""
        counts = [item.prepared for item in self._items if isinstance(item, _Chain) and item.prepared is not None]
        return sum(counts) if counts else None

    @property
    def only_prepared(self):
        """The positions of arguments that are read where something is prepared, by no kernel of a run and no part of PyTorch's, and are no result."""
        found, needed = set(), {result for result in self._results if isinstance(result, int)}
        for item in self._items:
            found |= item.only_prepared if isinstance(item, _Chain) else set()
            needed |= item.needed
        return {value for value in found - needed if value < self._inputs}

    def refresh(self, arguments):
        """Prepares anew; ARGUMENTS have None for what is no parameter or buffer."""
        values = [*arguments, *[None] * (self._count - self._inputs)]
        for item in self._items:
            if isinstance(item, _Chain):
                item.refresh(values)

    def run(self, arguments, in_place=False):
        """The results for ARGUMENTS; IN_PLACE: those that are new values of arguments may be written into these."""
        values = [*arguments, *[None] * (self._count - self._inputs)]
        for item in self._items:
            item.run(values, in_place)
        return [values[result] if type(result) is int else result.value for result in self._results]


class _Constant:
    def __init__(self, value):
        self.value = value


def _ordered(reads, bundle):
    """READS as the bundle's inputs have them."""
    return reads if bundle.positions is None else [reads[position] for position in bundle.positions]


def _results(part, bundle):
    if bundle is not None:
        return len(bundle.outputs)
    end = next(node for node in part.graph.nodes if node.op == "output")
    return len(end.args[0])


def _returns_several(part, bundle):
    if bundle is not None:
        return not part.single
    end = next(node for node in part.graph.nodes if node.op == "output")
    return isinstance(end.args[0], (tuple, list))
