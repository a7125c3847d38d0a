# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that the dialect spells in another way: casts, fills, indices, views, convolutions, attention."""
import re

import torch

from kgen.strides import holder, reach
from kgen.text import order_of, shaped


class Rewrites:
    """Methods of the graph writer, `_rewrite_NAME` for each op; every one gives the op's Value or list of them."""

    def _piece(self, name, tensor, node, arguments):
        """One op of a rewritten one, whose result has TENSOR's shape and type."""
        return self._emit(name, arguments, node, [tensor], f"{node.name}_{name.partition('.')[0]}")

    def _number(self, value, dtype, node):
        """A Python number as a rank-0 tensor."""
        return self._piece("full", shaped((), dtype), node, {"size": [], "fill_value": value, "dtype": dtype})

    def _tensor_of(self, value, dtype, node):
        """VALUE, a tensor or a Python number, as a tensor of DTYPE."""
        return self._number(value, dtype, node) if isinstance(value, (int, float)) else self._cast(value, dtype, node)

    # Bounds

    def _rewrite_clamp_min(self, arguments, node):
        return self._emit("clamp", {"self": arguments["self"], "min": arguments["min"]}, node, [node.meta["val"]])

    def _rewrite_clamp_max(self, arguments, node):
        return self._emit("clamp", {"self": arguments["self"], "max": arguments["max"]}, node, [node.meta["val"]])

    def _rewrite_clamp_Tensor(self, arguments, node):
        value, result = arguments["self"], node.meta["val"]
        for key, name in (("min", "maximum"), ("max", "minimum")):
            if arguments.get(key) is not None:
                shape = torch.broadcast_shapes(value.tensor.shape, arguments[key].tensor.shape)
                value = self._piece(name, shaped(shape, result.dtype), node, {"self": value, "other": arguments[key]})
        return value

    _rewrite_clamp_min_Tensor = _rewrite_clamp_max_Tensor = _rewrite_clamp_Tensor

    def _rewrite_relu6(self, arguments, node):
        return self._emit("hardtanh", {"self": arguments["self"], "min_val": 0, "max_val": 6}, node, [node.meta["val"]])

    # Truth values: the dialect has arithmetic for numbers only

    def _truth(self, name, arguments, node, otherwise):
        """NAME on truth values instead of OTHERWISE."""
        result = node.meta["val"]
        if result.dtype != torch.bool:
            if otherwise.endswith(".Tensor") and isinstance(arguments["other"], (int, float)):
                otherwise = otherwise.replace(".Tensor", ".Scalar")
            return self._emit(otherwise, arguments, node, [result])
        operands = {"self": arguments["self"], "other": self._tensor_of(arguments["other"], torch.bool, node)}
        return self._emit(name, operands, node, [result])

    def _rewrite_mul_Tensor(self, arguments, node):
        return self._truth("logical_and", arguments, node, "mul.Tensor")

    def _rewrite_add_Tensor(self, arguments, node):
        return self._truth("logical_or", arguments, node, "add.Tensor")

    def _rewrite_maximum(self, arguments, node):
        return self._truth("logical_or", arguments, node, "maximum")

    def _rewrite_minimum(self, arguments, node):
        return self._truth("logical_and", arguments, node, "minimum")

    def _rewrite_any(self, arguments, node):
        dims = arguments.get("dim")
        dims = [] if dims is None else dims if isinstance(dims, list) else [dims]
        name = "any.dims" if node.target._overloadpacket.__name__ == "any" else "all.dims"
        folded = {"self": arguments["self"], "dim": dims, "keepdim": arguments.get("keepdim", False)}
        return self._emit(name, folded, node, [node.meta["val"]])

    _rewrite_any_dim = _rewrite_any_dims = _rewrite_all = _rewrite_all_dim = _rewrite_all_dims = _rewrite_any

    def _rewrite_sum(self, arguments, node):
        """Integers add up in i64; another integer type that was asked for is cast to afterwards."""
        result, name = node.meta["val"], self._name_of(node)
        if result.dtype.is_floating_point or (
                result.dtype == torch.int64 and not arguments["self"].tensor.dtype.is_floating_point):
            return self._emit(name, arguments, node, [result])
        if arguments["self"].tensor.dtype.is_floating_point:
            arguments = {**arguments, "self": self._cast(arguments["self"], result.dtype, node)}
        wide = self._piece(name, shaped(result.shape, torch.int64), node, {**arguments, "dtype": None})
        return self._cast(wide, result.dtype, node)

    _rewrite_sum_dim_IntList = _rewrite_prod = _rewrite_prod_dim_int = _rewrite_cumsum = _rewrite_cumprod = _rewrite_sum

    @staticmethod
    def _name_of(node):
        overload = node.target._overloadname
        packet = node.target._overloadpacket.__name__.rstrip("_")
        return packet if overload in ("default", "") else f"{packet}.{overload}"

    def _rewrite_rsub_Tensor(self, arguments, node):
        swapped = {"self": arguments["other"], "other": arguments["self"], "alpha": arguments["alpha"]}
        return self._emit("sub.Tensor", swapped, node, [node.meta["val"]])

    # Two of PyTorch's primitives

    def _rewrite_signbit(self, arguments, node):
        """But for a negative zero, which counts as positive."""
        value = next(iter(arguments.values()))
        return self._piece("lt.Scalar", shaped(value.tensor.shape, torch.bool), node, {"self": value, "other": 0})

    def _rewrite_hypot(self, arguments, node):
        like = node.meta["val"]
        squares = [self._piece("square", shaped(value.tensor.shape, like.dtype), node, {"self": self._cast(value, like.dtype, node)})
                   for value in arguments.values()]
        total = self._piece("add.Tensor", shaped(like.shape, like.dtype), node,
                            {"self": squares[0], "other": squares[1], "alpha": 1})
        return self._emit("sqrt", {"self": total}, node, [like])

    # Division

    def _rewrite_div_Tensor_mode(self, arguments, node):
        result, other = node.meta["val"], arguments["other"]
        mode = arguments["rounding_mode"]
        if mode is None:
            name = "div.Scalar" if isinstance(other, (int, float)) else "div.Tensor"
            return self._emit(name, {"self": arguments["self"], "other": other}, node, [result])
        operands = {"self": arguments["self"], "other": self._tensor_of(other, result.dtype, node), "rounding_mode": mode}
        return self._emit("div.Tensor_mode", operands, node, [result])

    _rewrite_div_Scalar_mode = _rewrite_div_Tensor_mode

    def _rewrite_floor_divide(self, arguments, node):
        return self._rewrite_div_Tensor_mode({**arguments, "rounding_mode": "floor"}, node)

    _rewrite_floor_divide_Scalar = _rewrite_floor_divide

    def _rewrite_remainder_Scalar_Tensor(self, arguments, node):
        result = node.meta["val"]
        operands = {"self": self._number(arguments["self"], result.dtype, node), "other": arguments["other"]}
        return self._emit("remainder.Tensor", operands, node, [result])

    # Choices and casts

    def _rewrite_where_self(self, arguments, node):
        result = node.meta["val"]
        operands = {"condition": self._cast(arguments["condition"], torch.bool, node),
                    "self": self._tensor_of(arguments["self"], result.dtype, node),
                    "other": self._tensor_of(arguments["other"], result.dtype, node)}
        return self._emit("where.self", operands, node, [result])

    def _rewrite_where(self, arguments, node):
        """PyTorch's primitive; ATen's op of this name finds positions, which depend on data."""
        if "pred" not in arguments:
            self._refuse("aten.where of a mask alone has a shape that depends on data, which is not in a graph of fixed shapes")
        choice = {"condition": arguments["pred"], "self": arguments["a"], "other": arguments["b"]}
        return self._rewrite_where_self(choice, node)

    _rewrite_where_ScalarSelf = _rewrite_where_ScalarOther = _rewrite_where_Scalar = _rewrite_where_self

    def _rewrite_masked_fill_Tensor(self, arguments, node):
        choice = {"condition": arguments["mask"], "self": arguments["value"], "other": arguments["self"]}
        return self._rewrite_where_self(choice, node)

    def _rewrite_masked_scatter(self, arguments, node):
        """The n-th true element of the mask takes the n-th of the source."""
        result, source = node.meta["val"], arguments["source"]
        mask = self._expanded(arguments["mask"], result.shape, node)
        count = result.numel()
        flat = self._reshaped(mask, (count,), node)
        number = self._piece("cumsum", shaped((count,), torch.int64), node, {"self": flat, "dim": 0})
        place = self._piece("sub.Scalar", shaped((count,), torch.int64), node, {"self": number, "other": 1, "alpha": 1})
        row = self._reshaped(source, (source.tensor.numel(),), node)
        picked = self._piece("index_select", shaped((count,), source.tensor.dtype), node,
                             {"self": row, "dim": 0, "index": place})
        chosen = {"condition": mask, "self": self._reshaped(picked, result.shape, node), "other": arguments["self"]}
        return self._rewrite_where_self(chosen, node)

    def _rewrite_to_dtype(self, arguments, node):
        value = arguments.get("self") or arguments["a"]
        return self._cast(value, node.meta["val"].dtype, node)

    _rewrite_to_dtype_layout = _rewrite_to_device = _rewrite_to_other = _rewrite__to_copy = _rewrite_to_dtype
    _rewrite_to_prim_Device = _rewrite_to_prim_dtype = _rewrite_convert_element_type = _rewrite_type_as = _rewrite_to_dtype

    # Tensors out of nothing

    def _rewrite_full(self, arguments, node):
        result = node.meta["val"]
        value = {"ones": 1, "new_ones": 1, "ones_like": 1}.get(self._name_of(node), arguments.get("fill_value", arguments.get(
            "s", arguments.get("value", 0))))
        filled = {"size": list(result.shape), "fill_value": value, "dtype": result.dtype}
        return self._emit("full", filled, node, [result])

    # What `empty` holds nobody may read.
    _rewrite_ones = _rewrite_zeros = _rewrite_empty = _rewrite_empty_memory_format = _rewrite_empty_strided = _rewrite_full
    _rewrite_scalar_tensor = _rewrite_new_full = _rewrite_new_ones = _rewrite_new_zeros = _rewrite_new_empty = _rewrite_full
    _rewrite_new_empty_strided = _rewrite_full
    # Of the tensor that they are like they take the shape alone: a kernel that makes it need not have run.
    _rewrite_ones_like = _rewrite_zeros_like = _rewrite_empty_like = _rewrite_fill_Scalar = _rewrite_zero = _rewrite_full

    def _rewrite_full_like(self, arguments, node):
        result = node.meta["val"]
        filled = {"self": arguments["self"], "fill_value": arguments.get("fill_value", 0), "dtype": result.dtype}
        return self._emit("full_like", filled, node, [result])

    def _rewrite_fill_Tensor(self, arguments, node):
        result = node.meta["val"]
        return self._expanded(self._cast(arguments["value"], result.dtype, node), result.shape, node)

    def _rewrite_copy(self, arguments, node):
        result = node.meta["val"]
        return self._expanded(self._cast(arguments["src"], result.dtype, node), result.shape, node)

    def _rewrite_arange_start_step(self, arguments, node):
        result = node.meta["val"]
        steps = {"start": arguments.get("start", 0), "end": arguments["end"], "step": arguments.get("step", 1),
                 "dtype": result.dtype}
        return self._emit("arange.start_step", steps, node, [result])

    _rewrite_arange = _rewrite_arange_start = _rewrite_arange_start_step

    def _rewrite_iota(self, arguments, node):
        start, step = arguments["start"], arguments["step"]
        steps = {"start": start, "end": start + step * arguments["length"], "step": step, "dtype": node.meta["val"].dtype}
        return self._emit("arange.start_step", steps, node, [node.meta["val"]])

    def _rewrite_eye(self, arguments, node):
        """Where the row's number is the column's."""
        result = node.meta["val"]
        rows, columns = (self._piece("arange.start_step", shaped((extent,), torch.int64), node,
                                     {"start": 0, "end": extent, "step": 1, "dtype": torch.int64}) for extent in result.shape)
        same = self._piece("eq.Tensor", shaped(result.shape, torch.bool), node,
                           {"self": self._reshaped(rows, (result.shape[0], 1), node), "other": columns})
        return self._cast(same, result.dtype, node)

    _rewrite_eye_m = _rewrite_eye

    # Indices

    def _positions(self, arguments, node):
        """The dimensions that are indexed, and the integer tensors that do it."""
        pairs = [(dim, index) for dim, index in enumerate(arguments["indices"]) if index is not None]
        if any(index.tensor.dtype == torch.bool for _, index in pairs):
            self._refuse("indexing with a mask makes a shape that depends on data, which is not in a graph of fixed shapes")
        indices = [index if index.tensor.dtype in (torch.int64, torch.int32) else self._cast(index, torch.int64, node)
                   for _, index in pairs]
        return [dim for dim, _ in pairs], indices

    def _rewrite_index_Tensor(self, arguments, node):
        if self._picks_of_rows(arguments, node):
            return self._picked(arguments["self"], arguments["indices"][1], node)
        dims, indices = self._positions(arguments, node)
        operands = [arguments["self"]] + indices
        text = f"{', '.join(item.name for item in operands)} dims {dims}"
        return self._write("index.Tensor", text, operands, [node.meta["val"]], node.name)

    @staticmethod
    def _picks_of_rows(arguments, node):
        """Whether NODE is `log_softmax(x, 1)[arange(len(x)), target]`, one element of each row, or of a softmax."""
        source, positions = node.args[0], node.args[1]
        if arguments["self"].tensor.dim() != 2 or len(positions) != 2 or "softmax" not in str(source.target):
            return False
        rows = arguments["self"].tensor.shape[0]
        counted = getattr(getattr(positions[0], "target", None), "_overloadpacket", None) is torch.ops.aten.arange
        return counted and list(positions[0].args) in ([rows], [0, rows], [0, rows, 1]) and arguments["indices"][1].tensor.dtype == torch.int64 and (
            arguments["indices"][1].tensor.shape == (rows,))

    def _picked(self, value, place, node):
        """What `gather` takes at PLACE, from the end where it is negative."""
        (rows, extent), result = value.tensor.shape, node.meta["val"]
        negative = self._piece("lt.Scalar", shaped((rows,), torch.bool), node, {"self": place, "other": 0})
        behind = self._piece("add.Scalar", place.tensor, node, {"self": place, "other": extent, "alpha": 1})
        place = self._piece("where.self", place.tensor, node, {"condition": negative, "self": behind, "other": place})
        place = self._piece("unsqueeze", shaped((rows, 1), torch.int64), node, {"self": place, "dim": 1})
        taken = self._piece("gather", shaped((rows, 1), result.dtype), node, {"self": value, "dim": 1, "index": place, "sparse_grad": False})
        return self._emit("squeeze.dim", {"self": taken, "dim": 1}, node, [result])

    def _rewrite_index_put(self, arguments, node):
        value, values, masks = arguments["self"], arguments["values"], [i for i in arguments["indices"] if i is not None]
        if len(masks) == 1 and masks[0].tensor.dtype == torch.bool:
            return self._put_under_mask(value, masks[0], values, arguments, node)
        dims, indices = self._positions(arguments, node)
        values = self._cast(values, value.tensor.dtype, node)
        operands = [value] + indices
        text = f"{', '.join(item.name for item in operands)} values {values.name} dims {dims}"
        if arguments["accumulate"]:
            text += " accumulate true"
        return self._write("index_put", text, operands + [values], [node.meta["val"]], node.name)

    def _put_under_mask(self, value, mask, values, arguments, node):
        """`x[mask] = c` is a choice; with several values it is a scatter under the mask."""
        rank, lead = value.tensor.dim(), mask.tensor.dim()
        if arguments["indices"][0] is None or arguments["accumulate"]:
            self._refuse("indexing with a mask behind other dimensions is not in the dialect")
        wide = self._reshaped(mask, tuple(mask.tensor.shape) + (1,) * (rank - lead), node)
        if values.tensor.dim() > rank - lead:
            whole = self._expanded(wide, value.tensor.shape, node)
            return self._rewrite_masked_scatter({"self": value, "mask": whole, "source": values}, node)
        return self._rewrite_where_self({"condition": wide, "self": values, "other": value}, node)

    def _rewrite_embedding(self, arguments, node):
        index = arguments["indices"]
        if index.tensor.dtype not in (torch.int64, torch.int32):
            index = self._cast(index, torch.int64, node)
        return self._emit("embedding", {**arguments, "indices": index}, node, [node.meta["val"]])

    def _rewrite_scatter_reduce(self, arguments, node):
        """The older form: `add` or `multiply`."""
        source = arguments.get("src")
        if source is None:
            source = self._piece("full_like", shaped(arguments["index"].tensor.shape, arguments["self"].tensor.dtype), node,
                                 {"self": arguments["index"], "fill_value": arguments["value"],
                                  "dtype": arguments["self"].tensor.dtype})
        reduce = {"add": "sum", "multiply": "prod"}[arguments["reduce"]]
        whole = {**arguments, "src": source, "reduce": reduce, "include_self": True}
        return self._emit("scatter_reduce.two", whole, node, [node.meta["val"]])

    _rewrite_scatter_value_reduce = _rewrite_scatter_reduce

    def _rewrite_select_scatter(self, arguments, node):
        value, dim = arguments["self"], arguments["dim"] % arguments["self"].tensor.dim()
        index = arguments["index"] % value.tensor.shape[dim]
        source = arguments["src"]
        row = self._piece("unsqueeze", shaped(source.tensor.unsqueeze(dim).shape, source.tensor.dtype), node, {"self": source, "dim": dim})
        whole = {"self": value, "src": row, "dim": dim, "start": index, "end": index + 1, "step": 1}
        return self._emit("slice_scatter", whole, node, [node.meta["val"]])

    # Views

    def _view(self, value, tensor, node):
        if value.tensor.shape == tensor.shape:
            return value
        return self._emit("view", {"self": value, "size": list(tensor.shape)}, node, [tensor])

    def _reshaped(self, value, shape, node):
        if tuple(value.tensor.shape) == tuple(shape):
            return value
        return self._piece("reshape", shaped(shape, value.tensor.dtype), node, {"self": value, "shape": list(shape)})

    def _expanded(self, value, shape, node):
        if tuple(value.tensor.shape) == tuple(shape):
            return value
        return self._piece("expand", shaped(shape, value.tensor.dtype), node, {"self": value, "size": list(shape)})

    def _rewrite_squeeze(self, arguments, node):
        return self._view(arguments["self"], node.meta["val"], node)

    _rewrite_squeeze_dims = _rewrite_unflatten_int = _rewrite_view_as = _rewrite_squeeze

    def _rewrite_t(self, arguments, node):
        if arguments["self"].tensor.dim() < 2:
            return arguments["self"]
        return self._emit("transpose.int", {"self": arguments["self"], "dim0": 0, "dim1": 1}, node, [node.meta["val"]])

    def _rewrite_mT(self, arguments, node):
        return self._emit("transpose.int", {"self": arguments["self"], "dim0": -2, "dim1": -1}, node, [node.meta["val"]])

    def _rewrite_expand_as(self, arguments, node):
        size = list(arguments["other"].tensor.shape)
        return self._emit("expand", {"self": arguments["self"], "size": size}, node, [node.meta["val"]])

    def _rewrite_broadcast_tensors(self, arguments, node):
        results = []
        for value, tensor in zip(arguments["tensors"], node.meta["val"]):
            same = value.tensor.shape == tensor.shape
            results.append(value if same else self._emit(
                "expand", {"self": value, "size": list(tensor.shape)}, node, [tensor], "broadcast"))
        return results

    def _rewrite_unbind_int(self, arguments, node):
        value, dim = arguments["self"], arguments["dim"] % arguments["self"].tensor.dim()
        return [self._emit("select.int", {"self": value, "dim": dim, "index": index}, node, [tensor], f"{node.name}_piece")
                for index, tensor in enumerate(node.meta["val"])]

    def _rewrite_split_Tensor(self, arguments, node):
        return self._pieces(arguments["self"], arguments["dim"], node)

    _rewrite_chunk = _rewrite_split_with_sizes = _rewrite_tensor_split_sections = _rewrite_split_Tensor
    _rewrite_tensor_split_indices = _rewrite_unsafe_split_Tensor = _rewrite_unsafe_chunk = _rewrite_split_Tensor
    _rewrite_unsafe_split_with_sizes = _rewrite_split_sizes = _rewrite_split_Tensor

    def _pieces(self, value, dim, node):
        """Neighbouring slices along DIM, as long as torch made them."""
        pieces, start = [], 0
        for tensor in node.meta["val"]:
            length = tensor.shape[dim]
            bounds = {"self": value, "dim": dim, "start": start, "length": length}
            pieces.append(self._emit("narrow", bounds, node, [tensor], f"{node.name}_piece"))
            start += length
        return pieces

    def _rewrite_stack(self, arguments, node):
        dim = arguments["dim"] % node.meta["val"].dim()
        rows = []
        for value in arguments["tensors"]:
            value = self._cast(value, node.meta["val"].dtype, node)
            tensor = shaped(value.tensor.unsqueeze(dim).shape, value.tensor.dtype)
            rows.append(self._emit("unsqueeze", {"self": value, "dim": dim}, node, [tensor], node.name + "_row"))
        return self._emit("cat", {"tensors": rows, "dim": dim}, node, [node.meta["val"]])

    def _rewrite_cat(self, arguments, node):
        """A rank-1 tensor without elements, which ATen lets stand beside any other, adds nothing."""
        result = node.meta["val"]
        parts = [value for value in arguments["tensors"] if value.tensor.numel() > 0]
        if len(parts) == 1 and parts[0].tensor.dtype == result.dtype:
            return parts[0]
        parts = [self._cast(value, result.dtype, node) for value in parts or arguments["tensors"]]
        return self._emit("cat", {"tensors": parts, "dim": arguments["dim"]}, node, [result])

    def _rewrite_roll(self, arguments, node):
        value, result = arguments["self"], node.meta["val"]
        shifts = arguments["shifts"] if isinstance(arguments["shifts"], list) else [arguments["shifts"]]
        if arguments["dims"]:
            return self._emit("roll", {"self": value, "shifts": shifts, "dims": arguments["dims"]}, node, [result])
        flat = self._reshaped(value, (result.numel(),), node)
        rolled = self._piece("roll", shaped((result.numel(),), result.dtype), node, {"self": flat, "shifts": shifts, "dims": [0]})
        return self._reshaped(rolled, result.shape, node)

    def _rewrite_pad(self, arguments, node):
        if arguments["mode"] != "constant":
            self._decompose()
        pad = {"self": arguments["self"], "pad": arguments["pad"], "value": arguments["value"] or 0}
        return self._emit("constant_pad_nd", pad, node, [node.meta["val"]])

    def _rewrite_as_strided(self, arguments, node):
        """Counted over the elements in row-major order, which is how the dialect has every tensor."""
        # The nodes' own tensors: contiguous() is no op of the dialect, and its operand may have other strides.
        first, last = reach(node)
        whole = holder(node.args[0], first, last)
        if whole not in self._values:
            self._refuse("aten.as_strided of a tensor whose memory has gaps or is shared, or beyond it, is not in the dialect")
        source, value = whole.meta["val"], self._values[whole]
        if order := order_of(source):
            turned = source.permute(order)
            value = self._piece("permute", shaped(turned.shape, turned.dtype), node, {"self": value, "dims": order})
        offset = 0 if last < first else first - source.storage_offset()
        return self._emit("as_strided", {**arguments, "self": value, "storage_offset": offset}, node, [node.meta["val"]])

    # Products

    def _rewrite_addmm(self, arguments, node):
        result = node.meta["val"]
        product = self._emit("mm", {"self": arguments["mat1"], "mat2": arguments["mat2"]}, node, [result],
                             node.name + "_product")
        if arguments["alpha"] != 1:
            product = self._piece("mul.Scalar", result, node, {"self": product, "other": arguments["alpha"]})
        addend = arguments["self"]
        if arguments["beta"] == 0:
            return product
        return self._emit("add.Tensor", {"self": product, "other": addend, "alpha": arguments["beta"]}, node, [result])

    def _rewrite_mv(self, arguments, node):
        operands = {"self": arguments["self"], "other": arguments["vec"]}
        return self._emit("matmul", operands, node, [node.meta["val"]])

    def _rewrite_dot(self, arguments, node):
        operands = {"self": arguments["self"], "other": arguments["tensor"]}
        return self._emit("matmul", operands, node, [node.meta["val"]])

    def _rewrite_linear(self, arguments, node):
        result, weight, bias = node.meta["val"], arguments["weight"], arguments["bias"]
        if weight.tensor.dim() != 1:
            return self._emit("linear", arguments, node, [result])
        product = self._emit("matmul", {"self": arguments["input"], "other": weight}, node, [result])
        if bias is None:
            return product
        return self._piece("add.Tensor", result, node, {"self": product, "other": bias, "alpha": 1})

    def _rewrite_einsum(self, arguments, node):
        """Equations that are one product stay one: `...mk,kn->...mn` is matmul, `bmk,bkn->bmn` is bmm."""
        equation = arguments["equation"].replace(" ", "")
        match = re.fullmatch(r"([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)", equation)
        if match:
            left, right, out = match.groups()
            distinct = all(len(set(text)) == len(text) for text in (left, right, out))
            tensors = dict(zip(("self", "other"), arguments["tensors"]))
            if distinct and len(right) == 2 and len(left) >= 1 and left[-1] == right[0] and (
                    out == left[:-1] + right[1] and right[1] not in left):
                return self._emit("matmul", tensors, node, [node.meta["val"]])
            if distinct and len(left) == len(right) == 3 and left[0] == right[0] == out[0] and left[2] == right[1] and (
                    out[1:] == left[1] + right[2]):
                bmm = {"self": tensors["self"], "mat2": tensors["other"]}
                return self._emit("bmm", bmm, node, [node.meta["val"]])
        return self._decompose()

    def _rewrite_grouped_mm_fallback(self, arguments, node):
        """The transformers package's own name for the products of a mixture of experts."""
        rows = {"self": arguments["input"], "mat2": arguments["weight"], "offs": arguments["offs"]}
        return self._emit("_grouped_mm", rows, node, [node.meta["val"]])

    # Convolutions

    def _convolution(self, name, arguments, node):
        """A convolution of one image is that of a batch of one."""
        value, result = arguments["input"], node.meta["val"]
        if value.tensor.dim() == arguments["weight"].tensor.dim():
            return self._emit(name, arguments, node, [result])
        batch = self._reshaped(value, (1,) + tuple(value.tensor.shape), node)
        wide = self._piece(name, shaped((1,) + tuple(result.shape), result.dtype), node, {**arguments, "input": batch})
        return self._reshaped(wide, result.shape, node)

    def _rewrite_conv1d(self, arguments, node):
        return self._convolution(self._name_of(node), arguments, node)

    _rewrite_conv2d = _rewrite_conv3d = _rewrite_conv_transpose1d = _rewrite_conv1d
    _rewrite_conv_transpose2d_input = _rewrite_conv_transpose3d_input = _rewrite_conv1d

    def _rewrite_convolution(self, arguments, node):
        """Core ATen's one form for all of them."""
        spatial = arguments["weight"].tensor.dim() - 2
        sizes = {key: list(arguments[key]) * (spatial // len(arguments[key]))
                 for key in ("stride", "padding", "dilation", "output_padding")}
        if not 1 <= spatial <= 3:
            self._refuse(f"aten.convolution of {spatial} dimensions is not in the dialect")
        if arguments["transposed"]:
            name = {1: "conv_transpose1d", 2: "conv_transpose2d.input", 3: "conv_transpose3d.input"}[spatial]
        else:
            name = f"conv{spatial}d"
        return self._convolution(name, {**arguments, **sizes}, node)

    def _rewrite_conv1d_padding(self, arguments, node):
        """Padding "valid" is 0; "same" keeps the extents: where it is not as much on either side, it is put there before."""
        name = node.target._overloadpacket.__name__
        spatial = int(name[4])
        padding = [0] * spatial
        if arguments["padding"] == "same":
            kernel = arguments["weight"].tensor.shape[2:]
            dilation = list(arguments["dilation"])
            total = [step * (extent - 1) for step, extent in zip(dilation * (spatial // len(dilation)), kernel)]
            padding = [extra // 2 for extra in total]
            if any(extra % 2 for extra in total):
                value = arguments["input"]
                around = [number for extra in reversed(total) for number in (0, extra % 2)]
                shape = list(value.tensor.shape)
                for i, extra in enumerate(total):
                    shape[i - spatial] += extra % 2
                padded = self._piece("constant_pad_nd", shaped(shape, value.tensor.dtype), node, {"self": value, "pad": around})
                arguments = {**arguments, "input": padded}
        return self._convolution(name, {**arguments, "padding": padding}, node)

    _rewrite_conv2d_padding = _rewrite_conv3d_padding = _rewrite_conv1d_padding

    # Attention

    def _rewrite_scaled_dot_product_attention(self, arguments, node):
        """Fewer heads of keys than of queries, and leading dimensions that broadcast, are repeated."""
        query, mask = arguments["query"], arguments["attn_mask"]
        sides = [arguments["key"], arguments["value"]]
        if arguments["enable_gqa"]:
            sides = [self._repeated_heads(value, query.tensor.shape[-3], node) for value in sides]
        lead = torch.broadcast_shapes(*(value.tensor.shape[:-2] for value in [query] + sides))
        query, key, value = (self._expanded(item, tuple(lead) + tuple(item.tensor.shape[-2:]), node)
                             for item in [query] + sides)
        if mask is not None and mask.tensor.dtype != torch.bool:
            mask = self._cast(mask, query.tensor.dtype, node)
        whole = {**arguments, "query": query, "key": key, "value": value, "attn_mask": mask, "enable_gqa": False}
        return self._emit("scaled_dot_product_attention", whole, node, [node.meta["val"]])

    def _repeated_heads(self, value, heads, node):
        *lead, own, length, depth = value.tensor.shape
        if own == heads:
            return value
        inserted = self._reshaped(value, (*lead, own, 1, length, depth), node)
        wide = self._expanded(inserted, (*lead, own, heads // own, length, depth), node)
        return self._reshaped(wide, (*lead, heads, length, depth), node)

    # Distances

    def _rewrite__cdist_forward(self, arguments, node):
        x, y, result = arguments["x1"], arguments["x2"], node.meta["val"]
        inner = x.tensor.shape[-1]
        rows = self._reshaped(x, (*x.tensor.shape[:-1], 1, inner), node)
        columns = self._reshaped(y, (*y.tensor.shape[:-2], 1, *y.tensor.shape[-2:]), node)
        wide = shaped((*result.shape, inner), result.dtype)
        apart = self._piece("sub.Tensor", wide, node, {"self": rows, "other": columns, "alpha": 1})
        return self._emit("linalg_vector_norm", {"self": apart, "ord": arguments["p"], "dim": [-1]}, node, [result])

    def _rewrite_histc(self, arguments, node):
        """Each bin counts what falls into it; the last one has its upper bound too."""
        value, result, bins = arguments["self"], node.meta["val"], arguments["bins"]
        low, high = float(arguments["min"]), float(arguments["max"])
        if low == high:
            self._refuse("aten.histc without bounds depends on data, which is not in a graph of fixed shapes")
        count = value.tensor.numel()
        numbers = self._cast(self._reshaped(value, (count, 1), node), torch.float32 if not value.tensor.dtype == torch.float64
                             else torch.float64, node)
        like = shaped((count, 1), numbers.tensor.dtype)
        shifted = self._piece("sub.Scalar", like, node, {"self": numbers, "other": low, "alpha": 1})
        scaled = self._piece("mul.Scalar", like, node, {"self": shifted, "other": bins / (high - low)})
        place = self._piece("floor", like, node, {"self": scaled})
        last = self._piece("eq.Scalar", shaped((count, 1), torch.bool), node, {"self": numbers, "other": high})
        place = self._piece("where.self", like, node, {"condition": last, "other": place, "self": self._number(
            bins - 1, like.dtype, node)})
        numbered = self._piece("arange.start_step", shaped((bins,), like.dtype), node,
                               {"start": 0, "end": bins, "step": 1, "dtype": like.dtype})
        hit = self._piece("eq.Tensor", shaped((count, bins), torch.bool), node, {"self": place, "other": numbered})
        counted = self._piece("sum.dim_IntList", shaped((bins,), torch.int64), node, {"self": hit, "dim": [0]})
        return self._cast(counted, result.dtype, node)

    def _rewrite_bucketize_Tensor(self, arguments, node):
        """The number of boundaries below a value, or not above it."""
        value, bounds, result = arguments["self"], arguments["boundaries"], node.meta["val"]
        shape = tuple(value.tensor.shape) + (bounds.tensor.shape[0],)
        column = self._reshaped(value, tuple(value.tensor.shape) + (1,), node)
        name = "ge.Tensor" if arguments["right"] else "gt.Tensor"
        below = self._piece(name, shaped(shape, torch.bool), node, {"self": column, "other": bounds})
        count = self._piece("sum.dim_IntList", shaped(value.tensor.shape, torch.int64), node, {"self": below, "dim": [-1]})
        return self._cast(count, result.dtype, node)

