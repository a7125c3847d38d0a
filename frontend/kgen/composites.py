# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's composite ops as several ops of the dialect: losses, and norms and pools in the forms that PyTorch decomposes to."""
import operator

import torch

from kgen.exporting import NeedsDecomposition
from kgen.text import shaped


class Composites:
    """Methods of the graph writer, `_rewrite_NAME` for each op; every one gives the op's Value or list of them."""

    # Losses, which are element-wise ops and a mean or a sum

    def _reduced(self, value, reduction, node):
        """`none`, `mean` or `sum`, as ATen counts them."""
        if reduction == 0:
            return value
        return self._emit("mean" if reduction == 1 else "sum", {"self": value}, node, [node.meta["val"]])

    def _difference(self, arguments, node):
        a, b = arguments["self"], arguments["target"]
        shape = torch.broadcast_shapes(a.tensor.shape, b.tensor.shape)
        like = shaped(shape, torch.promote_types(a.tensor.dtype, b.tensor.dtype))
        return self._piece("sub.Tensor", like, node, {"self": a, "other": b, "alpha": 1})

    def _rewrite_mse_loss(self, arguments, node):
        difference = self._difference(arguments, node)
        return self._reduced(self._piece("square", difference.tensor, node, {"self": difference}), arguments["reduction"], node)

    def _rewrite_l1_loss(self, arguments, node):
        difference = self._difference(arguments, node)
        return self._reduced(self._piece("abs", difference.tensor, node, {"self": difference}), arguments["reduction"], node)

    def _rewrite_smooth_l1_loss(self, arguments, node):
        """With d = |x - y| and c = min(d, beta): c (d - c / 2) / beta, which is d^2 / (2 beta) below beta, d - beta / 2 above."""
        beta = arguments["beta"]
        if beta == 0:
            return self._rewrite_l1_loss(arguments, node)
        difference = self._difference(arguments, node)
        like = difference.tensor
        distance = self._piece("abs", like, node, {"self": difference})
        near = self._piece("clamp", like, node, {"self": distance, "max": beta})
        rest = self._piece("sub.Tensor", like, node, {"self": distance, "other": near, "alpha": 0.5})
        loss = self._piece("mul.Tensor", like, node, {"self": near, "other": rest})
        if beta != 1:
            loss = self._piece("div.Scalar", like, node, {"self": loss, "other": beta})
        return self._reduced(loss, arguments["reduction"], node)

    def _rewrite_kl_div(self, arguments, node):
        """target (log target - x); the smallest float keeps 0 log 0 at 0."""
        x, target = arguments["self"], arguments["target"]
        if x.tensor.shape != target.tensor.shape or target.tensor.dtype != torch.float32:
            self._refuse("aten.kl_div of tensors that broadcast, or are not float32, is not in the dialect")
        like = target.tensor
        if arguments["log_target"]:
            weight, logarithm = self._piece("exp", like, node, {"self": target}), target
        else:
            weight = target
            positive = self._piece("clamp", like, node, {"self": target, "min": torch.finfo(torch.float32).tiny})
            logarithm = self._piece("log", like, node, {"self": positive})
        rest = self._piece("sub.Tensor", like, node, {"self": logarithm, "other": x, "alpha": 1})
        return self._reduced(self._piece("mul.Tensor", like, node, {"self": weight, "other": rest}), arguments["reduction"], node)

    # Norms. What they give for the backward pass is left out: None, which is refused where it is used.

    def _rewrite_native_layer_norm(self, arguments, node):
        return [self._emit("layer_norm", arguments, node, [node.meta["val"][0]]), None, None]

    def _rewrite_native_group_norm(self, arguments, node):
        whole = {"input": arguments["input"], "weight": arguments["weight"], "bias": arguments["bias"],
                 "num_groups": arguments["group"], "eps": arguments["eps"]}
        return [self._emit("group_norm", whole, node, [node.meta["val"][0]]), None, None]

    def _rewrite__native_batch_norm_legit_no_training(self, arguments, node):
        return [self._emit("batch_norm", {**arguments, "training": False}, node, [node.meta["val"][0]]), None, None]

    def _rewrite_batch_norm(self, arguments, node):
        """Without running statistics, as a module that tracks none has it, the batch gives them."""
        if not arguments["training"]:
            return self._emit("batch_norm", arguments, node, [node.meta["val"]])
        if arguments["running_mean"] is not None:
            self._refuse("aten.batch_norm with training = True is for training, which is not in the dialect")
        value, like = arguments["input"], node.meta["val"]
        dims = [0] + list(range(2, like.dim()))
        channels = shaped((like.shape[1],), like.dtype)
        mean = self._piece("mean.dim", channels, node, {"self": value, "dim": dims})
        variance = self._piece("var.correction", channels, node, {"self": value, "dim": dims, "correction": 0})
        return self._emit("batch_norm", {**arguments, "training": False, "running_mean": mean, "running_var": variance}, node,
                          [like])

    def _rewrite_rms_norm(self, arguments, node):
        """x / sqrt(mean of x squared + eps), computed in float, as ATen does it."""
        value, result = arguments["input"], node.meta["val"]
        kind = torch.promote_types(result.dtype, torch.float32)
        dims = list(range(-len(arguments["normalized_shape"]), 0))
        wide = self._cast(value, kind, node)
        like = shaped(result.shape, kind)
        folded = list(result.shape)
        for dim in dims:
            folded[dim] = 1
        one = shaped(folded, kind)
        eps = arguments["eps"]
        squares = self._piece("pow.Tensor_Scalar", like, node, {"self": wide, "exponent": 2})
        mean = self._piece("mean.dim", one, node, {"self": squares, "dim": dims, "keepdim": True})
        shifted = self._piece("add.Scalar", one, node, {"self": mean, "alpha": 1, "other": torch.finfo(
            result.dtype).eps if eps is None else eps})
        scale = self._piece("rsqrt", one, node, {"self": shifted})
        normed = self._piece("mul.Tensor", like, node, {"self": wide, "other": scale})
        normed = self._cast(normed, result.dtype, node)
        if arguments["weight"] is None:
            return normed
        return self._emit("mul.Tensor", {"self": normed, "other": arguments["weight"]}, node, [result])

    def _rewrite_var_mean_correction(self, arguments, node):
        variance, mean = node.meta["val"]
        return [self._emit("var.correction", arguments, node, [variance]),
                self._emit("mean.dim", {**arguments, "dtype": None}, node, [mean], node.name + "_mean")]

    def _rewrite_std_correction(self, arguments, node):
        result = node.meta["val"]
        variance = self._piece("var.correction", shaped(result.shape, result.dtype), node, arguments)
        return self._emit("sqrt", {"self": variance}, node, [result])

    def _rewrite_rrelu(self, arguments, node):
        if arguments["training"]:
            self._refuse("aten.rrelu in training mode draws random numbers, and cannot be imported")
        slope = (arguments["lower"] + arguments["upper"]) / 2
        return self._emit("leaky_relu", {"self": arguments["self"], "negative_slope": slope}, node, [node.meta["val"]])

    # Recurrent networks, step by step. What does not depend on the step before is one product over all steps.

    def _rewrite_lstm_input(self, arguments, node):
        def step(gates, state, like):
            opened = [self._piece("tanh" if i == 2 else "sigmoid", like, node, {"self": gate}) for i, gate in enumerate(gates)]
            kept = self._piece("mul.Tensor", like, node, {"self": opened[1], "other": state[1]})
            added = self._piece("mul.Tensor", like, node, {"self": opened[0], "other": opened[2]})
            cell = self._piece("add.Tensor", like, node, {"self": kept, "other": added, "alpha": 1})
            bent = self._piece("tanh", like, node, {"self": cell})
            return [self._piece("mul.Tensor", like, node, {"self": opened[3], "other": bent}), cell]

        return self._recurrent(arguments, node, arguments["hx"], 4, lambda own, other, state, like: step(
            [self._piece("add.Tensor", like, node, {"self": a, "other": b, "alpha": 1}) for a, b in zip(own, other)], state, like))

    def _rewrite_gru_input(self, arguments, node):
        def step(own, other, state, like):
            def both(index, a):
                return self._piece("add.Tensor", like, node, {"self": own[index], "other": a, "alpha": 1})

            reset, update = (self._piece("sigmoid", like, node, {"self": both(index, other[index])}) for index in (0, 1))
            old = self._piece("mul.Tensor", like, node, {"self": reset, "other": other[2]})
            new = self._piece("tanh", like, node, {"self": both(2, old)})
            apart = self._piece("sub.Tensor", like, node, {"self": state[0], "other": new, "alpha": 1})
            kept = self._piece("mul.Tensor", like, node, {"self": update, "other": apart})
            return [self._piece("add.Tensor", like, node, {"self": new, "other": kept, "alpha": 1})]

        return self._recurrent(arguments, node, [arguments["hx"]], 3, step)

    def _rewrite_rnn_tanh_input(self, arguments, node):
        name = "relu" if "relu" in node.target._overloadpacket.__name__ else "tanh"
        return self._recurrent(arguments, node, [arguments["hx"]], 1, lambda own, other, state, like: [self._piece(
            name, like, node, {"self": self._piece("add.Tensor", like, node, {"self": own[0], "other": other[0], "alpha": 1})})])

    _rewrite_rnn_relu_input = _rewrite_rnn_tanh_input

    def _recurrent(self, arguments, node, states, count, step):
        """All layers and directions; COUNT gates of STEP(gates of the input, gates of the state, states, a state's type)."""
        if arguments["train"] and arguments["dropout"]:
            self._refuse("a recurrent network with dropout in training mode cannot be imported")
        # An LSTM's state may be a projection of what its gates make: one weight more.
        projected = states[0].tensor.shape[-1] != states[-1].tensor.shape[-1]
        value, directions = arguments["input"], 2 if arguments["bidirectional"] else 1
        if arguments["batch_first"]:
            value = self._swapped(value, node)
        weights = iter(arguments["params"])
        last = [[] for _ in states]
        for layer in range(arguments["num_layers"]):
            sides = []
            for direction in range(directions):
                parameters = [next(weights), next(weights), *([next(weights), next(weights)] if arguments["has_biases"] else [None, None]),
                              next(weights) if projected else None]
                state = [self._select(held, 0, layer * directions + direction, node) for held in states]
                rows, state = self._direction(value, parameters, state, direction == 1, count, step, node)
                sides.append(rows)
                for kept, held in zip(last, state):
                    kept.append(held)
            value = sides[0] if directions == 1 else self._piece("cat", shaped(
                (*value.tensor.shape[:2], 2 * states[0].tensor.shape[-1]), value.tensor.dtype), node, {"tensors": sides, "dim": 2})
        if arguments["batch_first"]:
            value = self._swapped(value, node)
        return [value] + [self._stacked(kept, node) for kept in last]

    def _direction(self, value, parameters, state, backwards, count, step, node):
        """One layer in one direction: the state after each step, stacked in time's order, and the last state."""
        like, short = (shaped(held.tensor.shape, value.tensor.dtype) for held in (state[-1], state[0]))
        wide, hidden = count * like.shape[-1], like.shape[-1]
        *biases, projection = parameters[2:]
        whole = self._piece("linear", shaped((*value.tensor.shape[:2], wide), like.dtype), node,
                            {"input": value, "weight": parameters[0], "bias": biases[0]})
        steps = range(value.tensor.shape[0])
        rows = []
        for time in reversed(steps) if backwards else steps:
            own = self._gates(self._select(whole, 0, time, node), count, hidden, node)
            product = self._piece("linear", shaped((*like.shape[:-1], wide), like.dtype), node,
                                  {"input": state[0], "weight": parameters[1], "bias": biases[1]})
            state = step(own, self._gates(product, count, hidden, node), state, like)
            if projection is not None:
                state[0] = self._piece("linear", short, node, {"input": state[0], "weight": projection, "bias": None})
            rows.append(state[0])
        return self._stacked(rows[::-1] if backwards else rows, node), state

    def _gates(self, value, count, hidden, node):
        like = shaped((*value.tensor.shape[:-1], hidden), value.tensor.dtype)
        return [self._piece("narrow", like, node, {"self": value, "dim": -1, "start": index * hidden, "length": hidden})
                for index in range(count)]

    def _select(self, value, dim, index, node):
        shape = value.tensor.shape[:dim] + value.tensor.shape[dim + 1:]
        return self._piece("select.int", shaped(shape, value.tensor.dtype), node, {"self": value, "dim": dim, "index": index})

    def _swapped(self, value, node):
        like = shaped(value.tensor.shape, value.tensor.dtype).transpose(0, 1)
        return self._piece("transpose.int", like, node, {"self": value, "dim0": 0, "dim1": 1})

    def _stacked(self, rows, node):
        like = rows[0].tensor
        rows = [self._piece("unsqueeze", shaped((1, *like.shape), like.dtype), node, {"self": row, "dim": 0}) for row in rows]
        return self._piece("cat", shaped((len(rows), *like.shape), like.dtype), node, {"tensors": rows, "dim": 0})

    # Pools

    def _without_places(self, node):
        """Pools say where the largest element is only in another form."""
        if any(user.target is operator.getitem and user.args[1] == 1 and user.users for user in node.users):
            raise NeedsDecomposition(node.target)

    def _rewrite_max_pool2d_with_indices(self, arguments, node):
        self._without_places(node)
        name = node.target._overloadpacket.__name__.replace("_with_indices", "")
        return [self._emit(name, arguments, node, [node.meta["val"][0]]), None]

    _rewrite_max_pool1d_with_indices = _rewrite_max_pool3d_with_indices = _rewrite_max_pool2d_with_indices

    def _rewrite_adaptive_max_pool2d(self, arguments, node):
        self._without_places(node)
        name = node.target._overloadpacket.__name__
        spatial, value, result = int(name[-2]), arguments["self"], node.meta["val"][0]
        extents, wanted = value.tensor.shape[-spatial:], result.shape[-spatial:]
        if any(extent % count for extent, count in zip(extents, wanted)):
            return [self._uneven_max(value, wanted, node), None]
        kernel = [extent // count for extent, count in zip(extents, wanted)]
        window = {"self": value, "kernel_size": kernel, "stride": kernel, "padding": 0, "dilation": 1, "ceil_mode": False}
        return [self._emit(f"max_pool{spatial}d", window, node, [result]), None]

    _rewrite_adaptive_max_pool1d = _rewrite_adaptive_max_pool3d = _rewrite_adaptive_max_pool2d
