# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.export's graph of a module, brought to ops that the dialect has.

What the dialect lacks is decomposed by PyTorch's own tables; linear, convolutions, attention, norms and whatever else it
has stay whole. What decomposes into nothing it has is left for the writer to refuse, by name and line.
"""
import contextlib
import io
import logging

import torch
from torch._decomp import core_aten_decompositions, decomposition_table

from kgen.decompositions import OWN
from kgen.op_table import CHECKS, IDENTITIES, LATER, LAYOUTS, SYNONYMS

# Decompositions that decompose in turn: none needs more rounds.
_MOST_ROUNDS = 8
# Their tables keep indices and random numbers that no kernel makes, or go the other way round.
_KEEP = set(LATER) | IDENTITIES | CHECKS


def without_effects(exported):
    """EXPORTED without the tokens that keep checks of numbers (`_linalg_check_errors`) in their order: the graph's order does."""
    if not any(item.kind.name == "TOKEN" for item in exported.graph_signature.input_specs):
        return exported
    from torch.export._remove_effect_tokens_pass import _remove_effect_tokens
    return _remove_effect_tokens(exported) or exported


class NeedsDecomposition(Exception):
    """The writer met an op in a form that it cannot write: TARGET is to be decomposed, or all writing in place removed."""

    def __init__(self, target=None):
        super().__init__(str(target))
        self.target = target


@contextlib.contextmanager
def quiet():
    """torch prints the graph so far when export fails; the user gets one sentence."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(level)


def op_name(target):
    """`add.Tensor`, `relu`: the dialect's way to name an ATen overload."""
    packet, overload = target._overloadpacket.__name__, target._overloadname
    return packet if overload in ("default", "") else f"{packet}.{overload}"


def _is_written(target, rewrites):
    """Whether a graph writer with the methods of REWRITES has a form for TARGET."""
    name = op_name(target)
    packet = name.partition(".")[0]
    if packet in _KEEP:
        return True
    if packet.endswith("_") and not packet.endswith("__"):
        name = packet[:-1] + name[len(packet):]
    name = SYNONYMS.get(name, name)
    return name in LAYOUTS or hasattr(rewrites, "_rewrite_" + name.replace(".", "_"))


def decompose(exported, rewrites, more=()):
    """EXPORTED without the ops that a writer with the methods of REWRITES lacks, as far as PyTorch can decompose them.

    MORE are ops to be decomposed although they could be written. An op that writes in place is replaced by the one that
    does not.
    """
    more = set(more)
    for _ in range(_MOST_ROUNDS):
        present = {node.target for node in exported.graph.nodes
                   if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)}
        wanted = {target for target in present if target in more or not _is_written(target, rewrites)}
        table = _table(wanted)
        wrapped = any(_is_wrapper(node) for node in exported.graph.nodes)
        if not table and None not in more and not wrapped:
            return exported
        with quiet():
            exported = exported.run_decompositions(table)
        more.discard(None)
        if wrapped and any(_is_wrapper(node) for node in exported.graph.nodes):
            return exported  # the writer refuses it by name
    return exported


def _is_wrapper(node):
    """Autocast, a transform (vmap): what it wraps is in the graph once it is traced again."""
    return node.op == "call_function" and (getattr(node.target, "__name__", "") in ("wrap_with_autocast", "lazy_load_decompositions"))


def chosen_by_data(graph):
    """Whether GRAPH holds graphs of its own (torch.cond, a loop), which depends on data."""
    return any(node.op == "get_attr" and isinstance(node.graph.owning_module and getattr(node.graph.owning_module, str(node.target), None), torch.fx.GraphModule)
               for node in graph.nodes)


def _table(wanted):
    """The decompositions of the ops WANTED: kgen's own, else PyTorch's."""
    core = core_aten_decompositions()
    table = {}
    for target in wanted:
        if target in OWN:
            table[target] = OWN[target]
        elif target in core:
            table[target] = core[target]
        elif target in decomposition_table:
            table[target] = decomposition_table[target]
        elif target.namespace == "aten" and target._can_decompose():
            table[target] = target.decompose
    return table
