# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aten.as_strided, which counts in the memory that its operand is a view of."""
import torch

from kgen.text import order_of

aten = torch.ops.aten


def reach(node):
    """(the first element of NODE, an as_strided, in its operand's memory, the last one); the last is in front of the first where there is none."""
    source, size, stride, offset = (*node.args, None)[:4]
    first = source.meta["val"].storage_offset() if offset is None else offset
    return (first, first - 1) if 0 in size else (first, first + sum((extent - 1) * step for extent, step in zip(size, stride)))


def holder(node, first, last):
    """What NODE is a view of, or NODE itself: the nearest that has the elements FIRST to LAST of their memory, in some order, and no others between
    its own. None where there is none in the graph."""
    memory = node.meta["val"].untyped_storage()._cdata
    while True:
        tensor = node.meta["val"]
        begin = tensor.storage_offset()
        if (tensor.is_contiguous() or order_of(tensor)) and (last < first or begin <= first and last < begin + tensor.numel()):
            return node
        node = next(iter(node.args), None)
        before = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
        if not isinstance(before, torch.Tensor) or before.untyped_storage()._cdata != memory:
            return None


def strided_from_copies(exported):
    """EXPORTED with each as_strided counting in a copy of what holds its elements, from the copy's start. The parts of a compiled graph have memory of
    their own; a copy is no op of theirs."""
    graph = exported.graph_module.graph
    for node in [node for node in graph.nodes if node.target is aten.as_strided.default]:
        first, last = reach(node)
        source = holder(node.args[0], first, last)
        if source is None:
            continue
        tensor = source.meta["val"]
        begin, order = (first if last < first else tensor.storage_offset()), order_of(tensor)
        with graph.inserting_before(node):
            for target, arguments, keywords in ([(aten.permute.default, (order,), {})] if order else []) + [
                    (aten.clone.default, (), {"memory_format": torch.contiguous_format})]:
                tensor = target(tensor, *arguments, **keywords)
                source = graph.call_function(target, (source, *arguments), keywords)
                source.meta = {**node.meta, "val": tensor}
        node.args = (source, *node.args[1:3], first - begin)
    return exported
