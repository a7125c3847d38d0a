# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows, as mixtures of experts have them, as one product of all rows for each group."""
import contextlib
import copy

import torch

#: Each group's product has all rows, so that many groups waste more than tensor cores gain over a kernel that takes any graph.
MOST_GROUPS = 64
#: Of the results of all groups, of which each row wants one.
MOST_BYTES = 1 << 30
_NAMES = ("aten._grouped_mm.default", "transformers.grouped_mm_fallback.default")
aten = torch.ops.aten


def _operands(node):
    """(rows, matrices, ends) of a product of groups; None of another node."""
    if node.op != "call_function" or str(node.target) not in _NAMES:
        return None
    given = dict(zip(("rows", "matrices", "ends"), node.args))
    for name, value in node.kwargs.items():
        given[{"offs": "ends", "weight": "matrices", "mat2": "matrices", "input": "rows", "self": "rows"}.get(name, name)] = value
    if any(value is not None for name, value in given.items() if name not in ("rows", "matrices", "ends")) or given.get("ends") is None:
        return None
    rows, matrices = given["rows"].meta["val"], given["matrices"].meta["val"]
    if rows.dim() != 2 or matrices.dim() != 3 or any(type(extent) is not int for extent in (*rows.shape, *matrices.shape)):
        return None
    bytes = matrices.shape[0] * rows.shape[0] * matrices.shape[2] * rows.dtype.itemsize
    return (given["rows"], given["matrices"], given["ends"]) if matrices.shape[0] <= MOST_GROUPS and bytes <= MOST_BYTES else None


def _is_mirrored(node):
    """Whether NODE is a value of three dimensions with the last two exchanged."""
    return (node.op == "call_function" and node.target is aten.transpose.int and sorted(dim % 3 for dim in node.args[1:3]) == [1, 2])


#: Rows of a group on average, from which tensor cores gain more than the rows of other groups waste.
FEWEST_ROWS = 16


def has_large_groups(graph):
    """Whether GRAPH has products of groups, all of which have many rows."""
    found = [operands for operands in map(_operands, graph.nodes) if operands]
    return bool(found) and all(rows.meta["val"].shape[0] >= FEWEST_ROWS * matrices.meta["val"].shape[0] for rows, matrices, _ in found)


def by_group(module):
    """MODULE, a GraphModule of ATen calls, with each product of groups as products of all rows, of which each row keeps that of its
    group: the family of products takes them, and a group's matrix is a part of what lies in memory. MODULE itself where it has none."""
    if not any(_operands(node) for node in module.graph.nodes):
        return module
    module = copy.deepcopy(module)
    for node in list(module.graph.nodes):
        if operands := _operands(node):
            with module.graph.inserting_before(node):
                node.replace_all_uses_with(_separate(node, *operands))
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()
    return module


def _separate(node, rows, matrices, ends):
    """What takes the place of NODE, group i of which ends before row ENDS[i]."""
    def call(target, *arguments, **keywords):
        made = node.graph.call_function(target, arguments, keywords)
        values = torch.utils._pytree.tree_map(lambda each: each.meta["val"] if isinstance(each, torch.fx.Node) else each, arguments)
        with getattr(rows.meta["val"], "fake_mode", None) or contextlib.nullcontext():
            made.meta = {**node.meta, "val": target(*values, **keywords)}
        return made
    count, groups, device = rows.meta["val"].shape[0], matrices.meta["val"].shape[0], rows.meta["val"].device
    results = []
    for group in range(groups):
        if _is_mirrored(matrices):
            product = call(aten.linear.default, rows, call(aten.select.int, matrices.args[0], 0, group))
        else:
            product = call(aten.mm.default, rows, call(aten.select.int, matrices, 0, group))
        results.append(call(aten.unsqueeze.default, product, 0))
    place = call(aten.arange.default, count, dtype=torch.int64, device=device)
    behind = call(aten.ge.Tensor, call(aten.unsqueeze.default, place, 1), call(aten.unsqueeze.default, ends, 0))
    # Rows behind the last group have no result that anybody may read.
    group = call(aten.clamp.default, call(aten.sum.dim_IntList, behind, [1]), None, groups - 1)
    return call(aten.index.Tensor, call(aten.cat.default, results, 0), [group, place])
