# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of a graph in which what kgen computes stands together, as far as what PyTorch computes in between allows it."""
import heapq
import itertools

import torch


def scheduled(parts):
    """An order of PARTS, [(whether kgen computes it, values that it reads, values that it writes, whether it keeps its place among those
    that say so)], with the fewest runs of kgen's parts; their own order where that has as few. Each run is one piece between PyTorch's ops, and no
    partition into pieces without a cycle has fewer: whatever can be taken without a change of sides is taken, from either side first."""
    def runs(order):
        return sum(kernels for kernels, _ in itertools.groupby(parts[index][0] for index in order))

    own = range(len(parts))
    if runs(own) < 2:
        return list(own)
    writer = {value: index for index, (_, _, writes, _) in enumerate(parts) for value in writes}
    before = [{writer[value] for value in reads if value in writer} for _, reads, _, _ in parts]
    fixed = [index for index, part in enumerate(parts) if part[3]]
    for earlier, later in zip(fixed, fixed[1:]):
        before[later].add(earlier)
    users = [[] for _ in parts]
    for index, each in enumerate(before):
        for source in each:
            users[source].append(index)
    return min(list(own), *(_greedy(parts, before, users, side) for side in (True, False)), key=runs)


def _greedy(parts, before, users, side):
    needs, ready, order = [len(each) for each in before], {True: [], False: []}, []

    def add(index):
        heapq.heappush(ready[bool(parts[index][0])], index)
    for index, count in enumerate(needs):
        if not count:
            add(index)
    while ready[True] or ready[False]:
        while ready[side]:
            order.append(heapq.heappop(ready[side]))
            for user in users[order[-1]]:
                needs[user] -= 1
                if not needs[user]:
                    add(user)
        side = not side
    return order


def has_effects(node):
    """Whether NODE, PyTorch's, may not change places with another such: it draws random numbers, or does more than give a value."""
    return node.op == "call_function" and (node.is_impure() or torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()))
