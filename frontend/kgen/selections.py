# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen ops that pick or pair elements, as several ops of the dialect: order statistics, pairs of rows, uneven windows, shifts."""
import torch

from kgen.text import shaped

#: Pairs stand in the text as constants.
_MOST_ROWS = 512


class Selections:
    """Methods of the graph writer, `_rewrite_NAME` for each op; every one gives the op's Value or list of them."""

    def _chosen(self, condition, yes, no, like, node):
        return self._piece("where.self", like, node, {"condition": condition, "self": yes, "other": no})

    def _is_nan(self, value, node):
        return self._piece("isnan", shaped(value.tensor.shape, torch.bool), node, {"self": value})

    # Order statistics

    def _kth(self, value, dim, index, keepdim, node):
        """[the element that is number INDEX in order along DIM, its position]."""
        shape = value.tensor.shape
        dim %= max(1, len(shape))
        kinds = [shaped(shape, value.tensor.dtype), shaped(shape, torch.int64)]
        found = self._emit("sort", {"self": value, "dim": dim, "descending": False}, node, kinds, f"{node.name}_sorted")
        length = {"dim": dim, "start": index, "length": 1}
        kept = shape[:dim] + (1,) + shape[dim + 1:]
        parts = [self._piece("narrow", shaped(kept, part.tensor.dtype), node, {"self": part, **length}) for part in found]
        return parts if keepdim else [self._piece("squeeze.dim", shaped(shape[:dim] + shape[dim + 1:], part.tensor.dtype), node,
                                                  {"self": part, "dim": dim}) for part in parts]

    def _rewrite_kthvalue(self, arguments, node):
        value = arguments["self"]
        if not value.tensor.dim():
            self._refuse("aten.kthvalue of a number is not in the dialect")
        return self._kth(value, arguments["dim"], arguments["k"] - 1, arguments["keepdim"], node)

    def _rewrite_median_dim(self, arguments, node):
        """The lower one of two; NaN, and where it is, when there is one."""
        value, dim = arguments["self"], arguments["dim"]
        if not value.tensor.dim():
            self._refuse("aten.median of a number along a dimension is not in the dialect")
        found = self._kth(value, dim, (value.tensor.shape[dim] - 1) // 2, arguments["keepdim"], node)
        if not value.tensor.dtype.is_floating_point:
            return found
        where = self._is_nan(value, node)
        like = shaped(found[0].tensor.shape, torch.bool)
        spoilt = self._piece("any.dims", like, node, {"self": where, "dim": [dim], "keepdim": arguments["keepdim"]})
        number = self._cast(where, torch.float32, node)
        first = self._piece("argmax", found[1].tensor, node, {"self": number, "dim": dim, "keepdim": arguments["keepdim"]})
        nan = self._number(float("nan"), value.tensor.dtype, node)
        return [self._chosen(spoilt, nan, found[0], found[0].tensor, node), self._chosen(spoilt, first, found[1], found[1].tensor, node)]

    def _rewrite_median(self, arguments, node):
        value = arguments["self"]
        flat = self._piece("reshape", shaped((value.tensor.numel(),), value.tensor.dtype), node, {"self": value, "shape": [-1]})
        return self._rewrite_median_dim({"self": flat, "dim": 0, "keepdim": False}, node)[0]

    def _rewrite_searchsorted_Tensor(self, arguments, node):
        """How many elements of a row in order stand before a value."""
        row, value = arguments["sorted_sequence"], arguments["self"]
        if arguments["sorter"] is not None:
            self._refuse("aten.searchsorted with an order is not in the dialect")
        shape = value.tensor.shape + row.tensor.shape[-1:]
        if row.tensor.dim() != 1:
            row = self._reshaped(row, (*row.tensor.shape[:-1], 1, row.tensor.shape[-1]), node)
        apart = self._piece("unsqueeze", shaped((*value.tensor.shape, 1), value.tensor.dtype), node, {"self": value, "dim": -1})
        name = "le.Tensor" if arguments["right"] or arguments["side"] == "right" else "lt.Tensor"
        before = self._piece(name, shaped(shape, torch.bool), node, {"self": row, "other": apart})
        count = self._cast(before, torch.int64, node)
        found = self._piece("sum.dim_IntList", shaped(value.tensor.shape, torch.int64), node, {"self": count, "dim": [-1], "keepdim": False})
        return self._cast(found, node.meta["val"].dtype, node)

    # Extremes that pass NaN over

    def _rewrite_fmax(self, arguments, node):
        like, name = node.meta["val"], "maximum" if "fmax" in node.target._overloadpacket.__name__ else "minimum"
        a, b = (self._cast(arguments[key], like.dtype, node) for key in ("self", "other"))
        extreme = self._piece(name, like, node, {"self": a, "other": b})
        if not like.dtype.is_floating_point:
            return extreme
        return self._chosen(self._is_nan(a, node), b, self._chosen(self._is_nan(b, node), a, extreme, like, node), like, node)

    _rewrite_fmin = _rewrite_fmax

    # Pairs

    def _rewrite__pdist_forward(self, arguments, node):
        value = arguments["self"]
        rows = value.tensor.shape[0]
        if not 2 <= rows <= _MOST_ROWS:
            self._refuse(f"aten.pdist of {rows} rows is not in the dialect, only 2 to {_MOST_ROWS}")
        like = shaped((rows * (rows - 1) // 2, value.tensor.shape[1]), value.tensor.dtype)
        a, b = (self._piece("index_select", like, node, {"self": value, "dim": 0, "index": self._constant(index, f"{node.name}_pairs")})
                for index in torch.triu_indices(rows, rows, 1))
        apart = self._piece("sub.Tensor", like, node, {"self": a, "other": b, "alpha": 1})
        return self._piece("linalg_vector_norm", node.meta["val"], node, {"self": apart, "ord": arguments["p"], "dim": [-1], "keepdim": False})

    def _rewrite__trilinear(self, arguments, node):
        """A bilinear form's one: x W y for each matrix of W, as one product and a sum."""
        form = [arguments[key] for key in ("expand1", "expand2", "expand3", "sumdim")]
        if form != [[1, 3], [0], [1, 2], [2, 3]]:
            self._refuse("aten._trilinear in another form than a bilinear layer's is not in the dialect")
        x, weight, y = (arguments[key] for key in ("i1", "i2", "i3"))
        (batch, first), (outputs, _, second), kind = x.tensor.shape, weight.tensor.shape, x.tensor.dtype
        turned = self._piece("permute", shaped((first, outputs, second), kind), node, {"self": weight, "dims": [1, 0, 2]})
        flat = self._piece("reshape", shaped((first, outputs * second), kind), node, {"self": turned, "shape": [first, outputs * second]})
        product = self._piece("mm", shaped((batch, outputs * second), kind), node, {"self": x, "mat2": flat})
        like = shaped((batch, outputs, second), kind)
        rows = self._piece("reshape", like, node, {"self": product, "shape": list(like.shape)})
        wide = self._piece("unsqueeze", shaped((batch, 1, second), kind), node, {"self": y, "dim": 1})
        terms = self._piece("mul.Tensor", like, node, {"self": rows, "other": wide})
        return self._piece("sum.dim_IntList", node.meta["val"], node, {"self": terms, "dim": [-1], "keepdim": False})

    # Uneven windows

    def _uneven_max(self, value, wanted, node):
        """The largest of each of WANTED windows along the last dimensions; window i of n is from floor(i L / n) to ceil((i + 1) L / n)."""
        for offset, count in enumerate(wanted):
            dim = value.tensor.dim() - len(wanted) + offset
            extent, shape, pieces = value.tensor.shape[dim], list(value.tensor.shape), []
            for index in range(count):
                start, end = index * extent // count, -(-(index + 1) * extent // count)
                part = shaped((*shape[:dim], end - start, *shape[dim + 1:]), value.tensor.dtype)
                window = self._piece("narrow", part, node, {"self": value, "dim": dim, "start": start, "length": end - start})
                one = shaped((*shape[:dim], 1, *shape[dim + 1:]), value.tensor.dtype)
                pieces.append(self._piece("amax", one, node, {"self": window, "dim": [dim], "keepdim": True}))
            whole = shaped((*shape[:dim], count, *shape[dim + 1:]), value.tensor.dtype)
            value = pieces[0] if count == 1 else self._piece("cat", whole, node, {"tensors": pieces, "dim": dim})
        return value

    # Shifts of integers: products and quotients by a power of two

    def _rewrite_bitwise_left_shift_Tensor_Scalar(self, arguments, node):
        return self._shifted(arguments, node, "mul.Scalar", {})

    def _rewrite_bitwise_right_shift_Tensor_Scalar(self, arguments, node):
        return self._shifted(arguments, node, "div.Tensor_mode", {"rounding_mode": "floor"})

    _rewrite___lshift___Scalar = _rewrite_bitwise_left_shift_Tensor_Scalar
    _rewrite___rshift___Scalar = _rewrite_bitwise_right_shift_Tensor_Scalar

    def _shifted(self, arguments, node, name, more):
        value, count = arguments["self"], arguments["other"]
        bits = 8 * value.tensor.dtype.itemsize
        if value.tensor.dtype.is_floating_point or not isinstance(count, int) or not 0 <= count < bits - 1:
            self._refuse(f"a shift of {value.tensor.dtype} by {count} is not in the dialect")
        return self._piece(name, node.meta["val"], node, {"self": value, "other": 1 << count, **more})
