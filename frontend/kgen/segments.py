# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts an exported graph into what kgen computes, kernel by kernel, and what stays PyTorch's."""
import functools
import operator

import torch
from torch.fx.passes.split_module import split_module

from kgen.devices import elsewhere, staying
from kgen.layouts import is_added
from kgen.op_table import VIEWS
from kgen.ordering import has_effects, scheduled
from kgen.subgraph import place_of, refusal

#: Ops that a kernel is built around; a segment has at most one, with what follows it element by element.
ANCHORS = frozenset("""linear matmul mm bmm addmm baddbmm mv dot einsum conv1d conv2d conv3d convolution conv_transpose1d
    conv_transpose2d conv_transpose3d scaled_dot_product_attention layer_norm rms_norm group_norm instance_norm batch_norm
    softmax log_softmax logsumexp cumsum cumprod max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d embedding index_select gather sum mean amax amin argmax
    argmin var std sort topk""".split())
#: A kernel's text is compiled as one; longer ones would not use the compiler's time better.
MOST_NODES = 40
#: Ops that show memory in another way, in all their spellings.
VIEW_PACKETS = {name.partition(".")[0] for name in VIEWS} | {"t", "alias", "detach"}


def packet_of(node):
    """"linear" for a call of aten.linear.default; "" for what is no ATen call."""
    target = node.target
    return target._overloadpacket.__name__ if isinstance(target, torch._ops.OpOverload) else ""


def _is_of_sizes(node):
    """Whether NODE computes with sizes, or asserts something of them."""
    return node.op == "call_function" and (packet_of(node) == "_assert_scalar" or (
        not isinstance(node.target, torch._ops.OpOverload) and node.target is not operator.getitem and not isinstance(node.meta.get("val"), torch.Tensor)))


class Segment:
    """One piece of the graph. `refused`: [(op, why, place)], empty when kgen can compute it."""

    def __init__(self, number):
        self.number = number
        self.nodes = []
        self.refused = []

    @property
    def ops(self):
        """How many of the module's own ops it has: what tracing adds to check sizes is none."""
        return sum(not is_added(node) and not _is_of_sizes(node) for node in self.nodes)


def _in_order(graph):
    """[(node, why kgen cannot compute it)] of GRAPH, so that PyTorch's ops cut what is kgen's as seldom as may be. What is taken out of a
    result stands behind what gives it."""
    parts, part_of = [], {}  # (why, nodes)
    reason = functools.cache(refusal)
    stays = staying(graph, reason)
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op == "call_function" and node.target is operator.getitem and node.args[0] in part_of:
            part = part_of[node.args[0]]
        else:
            part = (reason(node) or elsewhere(node, stays), [])
            parts.append(part)
        part[1].append(node)
        part_of[node] = part
    order = scheduled([(why is None, nodes[0].all_input_nodes, nodes, why is not None and has_effects(nodes[0])) for why, nodes in parts])
    return [(node, parts[index][0]) for index in order for node in parts[index][1]]


def segments_of(graph):
    """GRAPH's nodes in segments, each in an order of the graph; segments depend on earlier ones only."""
    segments, where = [], {}
    current, anchored = None, False

    def begin():
        segments.append(Segment(len(segments)))
        return segments[-1]

    for node, why in _in_order(graph):
        if node.op == "call_function" and node.target is operator.getitem and node.args[0] in where:
            segment = segments[where[node.args[0]]]
        else:
            if why is not None:
                segment = begin()
                segment.refused.append((packet_of(node) or str(node.target), why, place_of(node)))
                current = None
            else:
                is_anchor = packet_of(node) in ANCHORS
                if current is None or (is_anchor and anchored) or len(current.nodes) >= MOST_NODES:
                    current, anchored = begin(), False
                anchored |= is_anchor
                segment = current
        segment.nodes.append(node)
        where[node] = segment.number
    # A view costs nothing where it is read, and a copy where it is written.
    for node in reversed(graph.nodes):
        users = [where[user] for user in node.users if user in where]
        if node in where and packet_of(node) in VIEW_PACKETS and users and len(users) == len(node.users):
            first = min(users)
            if first > where[node] and not segments[where[node]].refused:
                segments[where[node]].nodes.remove(node)
                where[node] = first
                segments[first].nodes.append(node)
    return segments, where


def split(module, whole=False):
    """MODULE (a GraphModule of ATen calls) as one whose submodules are segments: (split module, {submodule name:
    Segment}). Segments without nodes are gone. WHOLE: where kgen can take every op, one segment of them all."""
    segments, where = segments_of(module.graph)
    if whole and not any(segment.refused for segment in segments):
        segments = [Segment(0)]
        where = dict.fromkeys(where, 0)
        segments[0].nodes = [node for node in module.graph.nodes if node in where]
    parts = split_module(module, None, lambda node: where[node])
    names = {f"submod_{segment.number}": segment for segment in segments if segment.nodes}
    _sort(parts, names)
    for name in names:
        _write_values(getattr(parts, name), parts, name)
    return parts, names


def _sort(parts, names):
    """Has the calls of PARTS in the order of NAMES: split_module has one of its own, in which draws of random numbers changed places."""
    calls = {node.target: node for node in parts.graph.nodes if node.op == "call_module"}
    end = next(node for node in parts.graph.nodes if node.op == "output")
    for name in names:
        for node in (calls[name], *(user for user in calls[name].users if user.target is operator.getitem)):
            end.prepend(node)
    parts.graph.lint()
    parts.recompile()


def _write_values(part, parts, name):
    """Gives PART's placeholders the tensors' types of what is passed to them."""
    call = next(node for node in parts.graph.nodes if node.op == "call_module" and node.target == name)
    inside = [node for node in part.graph.nodes if node.op == "placeholder"]
    for given, node in zip(call.args, inside):
        if "val" not in node.meta and isinstance(given, torch.fx.Node) and "val" in given.meta:
            node.meta["val"] = given.meta["val"]
