# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that PyTorch's tables do not decompose, decompose wrongly, or into types that the dialect has not, in ops that it has.

Each function takes what the op takes. Tables of positions are computed by ops: they depend on shapes alone, so that they are made once.
"""
import itertools
import math

import torch
from torch._decomp import decomposition_table

aten = torch.ops.aten

#: {overload: function}: before PyTorch's own tables.
OWN = {}


def _of(*overloads):
    def register(function):
        OWN.update(dict.fromkeys(overloads, function))
        return function
    return register


def _lowest(dtype):
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


# Pools that say where the largest element is


def _pooled(value, windows):
    """(the largest, where it is in the flat image) of each window; WINDOWS: [(position [outputs, size], which of them count)] for
    each of VALUE's last dimensions."""
    spatial = len(windows)
    lead, extents = value.shape[:-spatial], value.shape[-spatial:]
    counts, sizes = [at.shape[0] for at, _ in windows], [at.shape[1] for at, _ in windows]
    for offset, (at, _) in enumerate(windows):
        value = value.index_select(len(lead) + offset, at.clamp(0, extents[offset] - 1).reshape(-1))
    apart = [extent for pair in zip(counts, sizes) for extent in pair]
    order = [*range(0, 2 * spatial, 2), *range(1, 2 * spatial, 2)]
    value = value.reshape(*lead, *apart).permute(*range(len(lead)), *(len(lead) + each for each in order))
    value = value.reshape(*lead, *counts, math.prod(sizes))
    inside, flat = None, None
    for offset, (at, counted) in enumerate(windows):
        shape = [1] * 2 * spatial
        shape[offset], shape[spatial + offset] = at.shape
        at, counted = at.reshape(shape), counted.reshape(shape)
        flat = at if flat is None else flat * extents[offset] + at
        inside = counted if inside is None else inside & counted
    shape = (*counts, math.prod(sizes))
    inside, flat = (each.expand(*counts, *sizes).reshape(shape) for each in (inside, flat))
    value = torch.where(inside, value, _lowest(value.dtype))
    largest = value.amax(-1)
    # The first that is the largest, and no element beyond the border even where all are as low.
    hit = inside & ((value == largest.unsqueeze(-1)) | (value != value))
    place = hit.to(torch.int32).argmax(-1, keepdim=True)
    return largest, torch.gather(flat.expand(value.shape), -1, place).squeeze(-1)


def _per_dimension(value, spatial, default=None):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    value = value or list(default)
    return value * spatial if len(value) == 1 else value


@_of(aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default, aten.max_pool1d_with_indices.default)
def _max_pool(value, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, *, spatial=None):
    spatial = spatial or (len(kernel_size) if isinstance(kernel_size, (list, tuple)) else 1)
    kernel = _per_dimension(kernel_size, spatial)
    stride, padding, dilation = _per_dimension(stride, spatial, kernel), _per_dimension(padding, spatial), _per_dimension(dilation, spatial)
    windows = []
    for extent, size, step, pad, apart in zip(value.shape[-spatial:], kernel, stride, padding, dilation):
        room = extent + 2 * pad - apart * (size - 1) - 1
        count = (-(-room // step) if ceil_mode else room // step) + 1
        if ceil_mode and (count - 1) * step >= extent + pad:
            count -= 1  # a window has to begin within the image or what is before it
        at = torch.arange(count, device=value.device).unsqueeze(1) * step - pad + torch.arange(size, device=value.device) * apart
        windows.append((at, (at >= 0) & (at < extent)))
    return _pooled(value, windows)


@_of(aten.adaptive_max_pool1d.default, aten.adaptive_max_pool2d.default, aten.adaptive_max_pool3d.default)
def _adaptive_max_pool(value, output_size):
    output_size = output_size if isinstance(output_size, (list, tuple)) else [output_size]
    windows = []
    for extent, count in zip(value.shape[-len(output_size):], output_size):
        index = torch.arange(count, device=value.device)
        start = torch.div(index * extent, count, rounding_mode="floor").unsqueeze(1)
        end = torch.div((index + 1) * extent + count - 1, count, rounding_mode="floor").unsqueeze(1)
        most = max(-(-(each + 1) * extent // count) - each * extent // count for each in range(count))
        at = start + torch.arange(most, device=value.device)
        windows.append((at, at < end))
    return _pooled(value, windows)


# Losses


@_of(aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)
def _nll_loss(value, target, weight, reduction, ignore_index):
    """PyTorch's, with what is divided by as a sum of floats, which one kernel takes beside that of the losses."""
    dim = 1 if value.dim() > 1 else 0

    def counted():  # anew for each use: none waits for a kernel that makes it for all
        return target != ignore_index

    def place():
        return torch.where(counted(), target, 0)

    if weight is None:
        share = torch.where(counted(), 1.0, 0.0)
    else:
        value = value * weight.reshape([extent if each == dim else 1 for each, extent in enumerate(value.shape)])
        share = torch.where(counted(), weight[place()], 0.0)
    loss = torch.where(counted(), -value.gather(dim, place().unsqueeze(dim)).squeeze(dim), 0.0)
    if reduction == 0 and value.dim() > 1:
        return loss, value.new_full((), 0.0)
    total = share.sum().to(value.dtype)
    if reduction == 0:
        return loss, total
    loss = loss.sum()
    return loss / total if reduction == 1 else loss, total


@_of(aten.cosine_similarity.default)
def _cosine_similarity(one, other, dim=1, eps=1e-8):
    """The product by the lengths: three sums over the same rows, where PyTorch's own table divides every element first."""
    if one.shape != other.shape:
        one, other = torch.broadcast_tensors(one, other)
    lengths = [torch.linalg.vector_norm(each, 2, dim).clamp(min=eps) for each in (one, other)]
    return (one * other).sum(dim) / lengths[0] / lengths[1]


# Tables

@_of(aten._embedding_bag.default, aten._embedding_bag_forward_only.default)
def _embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False,
                   padding_idx=-1):
    bags = offsets.shape[0] - bool(include_last_offset)
    count = indices.shape[0]
    bag = (torch.arange(count, device=weight.device).unsqueeze(1) >= offsets[:bags].to(torch.int64)).to(torch.int64).sum(1) - 1
    rows = weight.index_select(0, indices)
    counted = torch.ones(count, 1, dtype=weight.dtype, device=weight.device)
    if padding_idx >= 0:
        padded = (indices == padding_idx).unsqueeze(1)
        counted = torch.where(padded, 0.0, counted)
        rows = torch.where(padded, -math.inf if mode == 2 else 0.0, rows)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    empty = torch.zeros(bags, weight.shape[1], dtype=weight.dtype, device=weight.device)
    if mode == 2:
        result = empty.scatter_reduce(0, bag.unsqueeze(1).expand(rows.shape), rows, "amax", include_self=False)
        if padding_idx >= 0:
            result = torch.where(result == -math.inf, 0.0, result)
    else:
        result = empty.index_add(0, bag, rows)
        if mode == 1:
            total = torch.zeros(bags, 1, dtype=weight.dtype, device=weight.device).index_add(0, bag, counted)
            result = result / total.clamp(min=1)
    return result, bag, bag, bag


@_of(aten.put.default)
def _put(value, index, source, accumulate=False):
    return value.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate).reshape(value.shape)


@_of(aten.diagonal_scatter.default)
def _diagonal_scatter(value, source, offset=0, dim1=0, dim2=1):
    turned = value.movedim((dim1, dim2), (-2, -1))
    rows = torch.arange(turned.shape[-2], device=value.device)
    on = torch.arange(turned.shape[-1], device=value.device) - rows.unsqueeze(1) == offset
    at = (rows - max(0, -offset)).clamp(0, source.shape[-1] - 1)
    return torch.where(on, source.index_select(-1, at).unsqueeze(-1), turned).movedim((-2, -1), (dim1, dim2))


# Images

def _unnormalised(grid, extent, align_corners):
    return (grid + 1) * ((extent - 1) / 2) if align_corners else ((grid + 1) * extent - 1) / 2


def _within(at, extent, padding, align_corners):
    """Positions as PADDING, 0 for zeros, 1 for the border, 2 for reflections, has them."""
    if padding == 2:
        low, span = (0.0, extent - 1.0) if align_corners else (-0.5, float(extent))
        if span:
            away = (at - low).abs()
            turns, rest = torch.floor(away / span), torch.fmod(away, span)
            at = torch.where(turns - 2 * torch.floor(turns / 2) == 0, rest, span - rest) + low
        else:
            at = at * 0
    return at.clamp(0, extent - 1) if padding else at


def _taps(at, extent, mode, padding, align_corners):
    """[(position along a dimension, its share or None)] for the positions AT of a grid; MODE is 0 linear, 1 nearest, 2 cubic."""
    at = _unnormalised(at, extent, align_corners)
    if mode == 2:
        low = torch.floor(at)
        t = at - low
        outer, inner = (lambda d: ((-0.75 * d + 3.75) * d - 6) * d + 3), (lambda d: (1.25 * d - 2.25) * d * d + 1)
        shares = [outer(t + 1), inner(t), inner(1 - t), outer(2 - t)]
        return [(_within(low + offset - 1, extent, padding, align_corners), share) for offset, share in enumerate(shares)]
    at = _within(at, extent, padding, align_corners)
    if mode == 1:
        return [(torch.round(at), None)]
    low = torch.floor(at)
    return [(low, 1 - (at - low)), (low + 1, at - low)]


def _grid_sample(value, grid, mode, padding, align_corners):
    spatial, extents = value.dim() - 2, value.shape[2:]
    batch, outputs = value.shape[0], grid.shape[1:-1]
    # The grid's last number is for the image's first dimension.
    taps = [_taps(grid[..., spatial - 1 - dim], extents[dim], mode, padding, align_corners) for dim in range(spatial)]
    flat, result = value.reshape(batch, value.shape[1], -1), None
    for corner in itertools.product(*taps):
        index, weight, inside = None, None, None
        for extent, (place, share) in zip(extents, corner):
            here = (place >= 0) & (place < extent)
            place = torch.where(here, place, 0.0).to(torch.int64)
            index = place if index is None else index * extent + place
            inside = here if inside is None else inside & here
            weight = share if weight is None else weight * share
        taken = torch.gather(flat, 2, index.reshape(batch, 1, -1).expand(-1, flat.shape[1], -1)).reshape(batch, -1, *outputs)
        weight = inside.to(value.dtype) if weight is None else torch.where(inside, weight, 0.0)
        part = taken * weight.unsqueeze(1)
        result = part if result is None else result + part
    return result


@_of(aten.grid_sampler_3d.default)
def _grid_sampler_3d(value, grid, interpolation_mode, padding_mode, align_corners):
    return _grid_sample(value, grid, interpolation_mode, padding_mode, align_corners)


@_of(aten.grid_sampler_2d.default)
def _grid_sampler_2d(value, grid, interpolation_mode, padding_mode, align_corners):
    """PyTorch's table counts reflections in int8."""
    if padding_mode == 2:
        return _grid_sample(value, grid, interpolation_mode, padding_mode, align_corners)
    return decomposition_table[aten.grid_sampler_2d.default](value, grid, interpolation_mode, padding_mode, align_corners)


def _shares(count, extent, scale, reach, filtered, like):
    """[count, extent]: what each element of a dimension gives to each result, as ATen's antialiasing has it."""
    scale = 1 / scale if scale else extent / count
    support, inverse = (reach * scale, 1 / scale) if scale >= 1 else (reach, 1.0)
    centre = (torch.arange(count, device=like.device, dtype=like.dtype) + 0.5).unsqueeze(1) * scale
    at = torch.arange(extent, device=like.device, dtype=like.dtype)
    low, high = torch.floor(centre - support + 0.5).clamp(min=0), torch.floor(centre + support + 0.5).clamp(max=extent)
    share = torch.where((at >= low) & (at < high), filtered(((at - centre + 0.5) * inverse).abs()), 0.0)
    return share / share.sum(1, keepdim=True)


def _linear_share(at):
    return (1 - at).clamp(min=0)


def _cubic_share(at):
    near = (1.5 * at - 2.5) * at * at + 1
    far = ((-0.5 * at + 2.5) * at - 4) * at + 2
    return torch.where(at < 1, near, torch.where(at < 2, far, 0.0))


def _antialiased(reach, filtered):
    def resized(value, output_size, align_corners, scales_h=None, scales_w=None):
        height, width = value.shape[-2:]
        if align_corners:
            scales = [(count - 1) / (extent - 1) if count > 1 and extent > 1 else None for count, extent in zip(output_size, (height, width))]
        else:
            scales = [scales_h, scales_w]
        rows, columns = (_shares(count, extent, scale, reach, filtered, value) for count, extent, scale in zip(output_size, (height, width), scales))
        return torch.matmul(rows, torch.matmul(value, columns.t()))
    return resized


OWN[aten._upsample_bilinear2d_aa.default] = _antialiased(1.0, _linear_share)
OWN[aten._upsample_bicubic2d_aa.default] = _antialiased(2.0, _cubic_share)


# Scans: in each round an element joins with the one as far before it as all rounds have come

def _scanned(parts, fills, dim, join):
    dim %= max(parts[0].dim(), 1)
    if not parts[0].dim():
        return parts
    extent, distance = parts[0].shape[dim], 1
    while distance < extent:
        before = []
        for part, fill in zip(parts, fills):
            shape = [*part.shape[:dim], distance, *part.shape[dim + 1:]]
            before.append(torch.cat((torch.full(shape, fill, dtype=part.dtype, device=part.device), part.narrow(dim, 0, extent - distance)), dim))
        parts, distance = join(parts, before), 2 * distance
    return parts


def _running(value, dim, larger):
    """The extremes so far, and the last place of each; NaN stays."""
    fill = (_lowest(value.dtype) if larger else math.inf if value.dtype.is_floating_point else torch.iinfo(value.dtype).max)
    shape = [1] * value.dim()
    if value.dim():
        shape[dim] = -1
    index = torch.arange(value.shape[dim] if value.dim() else 1, device=value.device).reshape(shape).expand(value.shape)

    def join(now, before):
        earlier = before[0] > now[0] if larger else before[0] < now[0]
        if value.dtype.is_floating_point:
            earlier = (earlier | (before[0] != before[0])) & (now[0] == now[0])
        return [torch.where(earlier, b, n) for n, b in zip(now, before)]
    return tuple(_scanned([value, index + 0], [fill, 0], dim, join))


@_of(aten.cummax.default)
def _cummax(value, dim):
    return _running(value, dim, True)


@_of(aten.cummin.default)
def _cummin(value, dim):
    return _running(value, dim, False)


@_of(aten.logcumsumexp.default)
def _logcumsumexp(value, dim):
    def join(now, before):
        most, least = torch.maximum(now[0], before[0]), torch.minimum(now[0], before[0])
        # Two infinities of one sign are that infinity.
        return [torch.where(most == least, most + math.log(2), most + torch.log1p(torch.exp(least - most)))]
    return _scanned([value], [-math.inf], dim, join)[0]


# Products and losses

@_of(aten.addbmm.default)
def _addbmm(value, left, right, beta=1, alpha=1):
    product = torch.bmm(left, right).sum(0) * alpha
    return product if beta == 0 else value * beta + product


@_of(aten.multilabel_margin_loss.default)
def _multilabel_margin(value, target, reduction=1):
    """PyTorch's table counts targets behind the first -1."""
    row, names = (each if each.dim() == 2 else each.unsqueeze(0) for each in (value, target))
    classes = row.shape[1]
    named = (names < 0).to(torch.int64).cumsum(1) == 0
    names = torch.where(named, names, 0)
    hit = (names.unsqueeze(2) == torch.arange(classes, device=value.device)) & named.unsqueeze(2)
    is_target = hit.any(1)
    apart = (1 - torch.gather(row, 1, names).unsqueeze(2) + row.unsqueeze(1)).clamp(min=0)
    loss = torch.where(named.unsqueeze(2) & ~is_target.unsqueeze(1), apart, 0.0).sum((1, 2)) / classes
    if reduction == 0:
        loss = loss if value.dim() == 2 else loss.reshape(())
    else:
        loss = loss.mean() if reduction == 1 else loss.sum()
    return loss
