# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a card's graph that PyTorch keeps on the CPU.

A model that says torch.tensor(8.0) makes a tensor on the CPU, and PyTorch lets such numbers take part in a card's arithmetic. Export lifts them as constants. Kernels
read the card's memory only, so constants move there once; what must stay on the CPU stays PyTorch's, with whatever reads it.
"""
import torch

from kgen.subgraph import refusal


def _place(node):
    """The type of the device that holds NODE's value; None where that is no tensor."""
    value = node.meta.get("val")
    return value.device.type if isinstance(value, torch.Tensor) else None


def staying(graph, refused=refusal):
    """The nodes of GRAPH whose values stay on the CPU, where others are on a card.

    REFUSED(node): why kgen cannot compute a node, or None. A value stays when it is a result, when PyTorch makes it there, when a placeholder holds
    it that move_constants() did not mark, and when it meets one that stays, on either side.
    """
    on_cpu = [node for node in graph.nodes if _place(node) == "cpu"]
    if not any(_place(node) not in (None, "cpu") for node in graph.nodes):
        return set()

    def given(node):
        if any(user.op == "output" for user in node.users):
            return True
        if node.op == "placeholder":
            return not node.meta.get("constant")
        # With a constant among its operands the result follows it; a factory, or a copy to the CPU, does not.
        return refused(node) is not None and not any(_place(source) == "cpu" for source in node.all_input_nodes)

    stays = {node for node in on_cpu if given(node)}
    waiting = list(stays)
    while waiting:
        node = waiting.pop()
        for other in (*node.all_input_nodes, *node.users):
            if _place(other) == "cpu" and other not in stays:
                stays.add(other)
                waiting.append(other)
    return stays


def elsewhere(node, stays):
    """Why kgen leaves NODE to PyTorch, given what STAYS on the CPU; None where nothing of it is there."""
    if node in stays:
        return "is computed on the CPU"
    if any(source in stays for source in node.all_input_nodes):
        return "reads a tensor of the CPU"
    return None


def move_constants(exported, device):
    """Marks the constants of EXPORTED. {place of a placeholder: its value on DEVICE} of those that need not stay on the CPU."""
    kinds = torch.export.graph_signature.InputKind
    graph = exported.graph_module.graph
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    held = {place: exported.constants[item.target] for place, item in enumerate(exported.graph_signature.input_specs)
            if item.kind == kinds.CONSTANT_TENSOR and item.target in exported.constants}
    for place in held:
        placeholders[place].meta["constant"] = True
    stays = staying(graph)
    return {place: value.to(device) for place, value in held.items() if placeholders[place] not in stays}
