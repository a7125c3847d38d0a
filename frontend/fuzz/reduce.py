# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing graph small: fewer results, fewer calls, smaller extents, as long as it fails alike."""
import re
import time
from dataclasses import replace

from fuzz.graph import DTYPES, NAME_OF, WIDE, Graph, Leaf, answers, draw, evaluate


def is_valid(graph):
    """Whether PyTorch computes it at all, in its own types and in fp64."""
    try:
        tensors = draw(graph, 0)
        answers(graph, tensors, wide=False)
        answers(graph, tensors)
        return True
    except Exception:  # PyTorch refuses in many ways
        return False


def _without_results(graph):
    """Half of the results, then all but one."""
    count = len(graph.returned)
    if count > 1:
        yield replace(graph, returned=graph.returned[:count // 2])
        yield replace(graph, returned=graph.returned[count // 2:])
        for i in range(count):
            yield replace(graph, returned=graph.returned[:i] + graph.returned[i + 1:])


def _earlier_results(graph):
    """An operand of the last call in place of its result."""
    leaves = {leaf.name for leaf in graph.leaves}
    for call in reversed(graph.calls):
        if set(call.outs).intersection(graph.returned):
            kept = tuple(name for name in graph.returned if name not in call.outs)
            for operand in call.operands():
                if operand not in leaves:
                    yield replace(graph, returned=kept + (operand,))


def _calls_to_leaves(graph):
    """A call's results as new arguments."""
    values = draw(graph, 0)
    for call in graph.calls:
        values.update(zip(call.outs, evaluate(call, values, DTYPES)))
    for call in graph.calls[:-1]:
        if set(call.outs).intersection(graph.returned):
            continue
        made, names = [], {}
        for out in call.outs:
            name = "x" + out[1:]
            dtype = NAME_OF[values[out].dtype]
            init = ("normal", 0, 1) if values[out].is_floating_point() else ("integer", 0, 1)
            if values[out].is_floating_point() and values[out].numel() and values[out].min() > 0:
                init = ("uniform", 0.5, 1.5)
            made.append(Leaf(name, tuple(values[out].shape), dtype, init))
            names[out] = name
        calls = []
        for other in graph.calls:
            if other is call:
                continue
            for old, new in names.items():
                other = other.renamed(old, new)
            calls.append(other)
        yield replace(graph, leaves=graph.leaves + tuple(made), calls=tuple(calls))


def _smaller_extents(graph):
    """One extent's value by a smaller one, wherever it stands: in shapes and in the calls' texts."""
    present = sorted({extent for leaf in graph.leaves for extent in leaf.shape}, reverse=True)
    for old in present:
        for new in dict.fromkeys((1, 2, 3, old // 2, old - 1)):
            if not 0 < new < old:
                continue
            leaves = tuple(replace(leaf, shape=tuple(new if e == old else e for e in leaf.shape)) for leaf in graph.leaves)
            yield replace(graph, leaves=leaves)
            calls = tuple(replace(call, text=re.sub(rf"(?<![\w.]){old}(?![\w.])", str(new), call.text)) for call in graph.calls)
            if calls != graph.calls:
                yield replace(graph, leaves=leaves, calls=calls)
    for i, leaf in enumerate(graph.leaves):
        for d, extent in enumerate(leaf.shape):
            if extent > 1:
                smaller = replace(leaf, shape=leaf.shape[:d] + (1,) + leaf.shape[d + 1:])
                yield replace(graph, leaves=graph.leaves[:i] + (smaller,) + graph.leaves[i + 1:])


def _plainer(graph):
    if graph.precision:
        yield replace(graph, precision="")
    for i, leaf in enumerate(graph.leaves):
        if leaf.weight and not leaf.state:
            plain = replace(leaf, weight=False, name="x" + leaf.name[1:])
            calls = tuple(call.renamed(leaf.name, plain.name) for call in graph.calls)
            yield replace(graph, leaves=graph.leaves[:i] + (plain,) + graph.leaves[i + 1:], calls=calls)
    for i, leaf in enumerate(graph.leaves):
        if leaf.dtype in WIDE and leaf.dtype in ("f16", "bf16", "f64"):
            yield replace(graph, leaves=tuple(replace(other, dtype="f32") if other.dtype == leaf.dtype else other
                                              for other in graph.leaves))
            break


def reduce_graph(graph, fails, seconds=60.0):
    """The smallest graph found in SECONDS for which FAILS(graph) still holds; FAILS runs on valid graphs only."""
    until = time.monotonic() + seconds
    steps = (_without_results, _earlier_results, _calls_to_leaves, _smaller_extents, _plainer)
    changed = True
    while changed and time.monotonic() < until:
        changed = False
        for step in steps:
            again = True
            while again and time.monotonic() < until:
                again = False
                for smaller in step(graph):
                    if time.monotonic() > until:
                        break
                    smaller = smaller.live()
                    if smaller.calls and smaller != graph and is_valid(smaller) and fails(smaller):
                        graph, again, changed = smaller, True, True
                        break
    return graph


def size(graph: Graph):
    """What reducing makes less: calls, then results, then elements."""
    elements = 0
    for leaf in graph.leaves:
        count = 1
        for extent in leaf.shape:
            count *= extent
        elements += count
    return len(graph.calls), len(graph.returned), elements
