# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own functions that ask in Python what is in a tensor, or do another thing while they are traced, in forms that export takes and
that give what they give otherwise."""
import contextlib
import functools
import importlib
import inspect
import math
import sys

import torch
from torch.nn import functional
from torch.nn.modules import transformer


@contextlib.contextmanager
def exportable():
    """While modules are exported."""
    with _replaced([*_FORMS, *_selective_scans()]):
        yield


@contextlib.contextmanager
def _replaced(forms):
    """With each FORM of FORMS, [(where it stands, NAME, FORM)], in its place."""
    held = [(place, name, getattr(place, name)) for place, name, _ in forms]
    for place, name, form in forms:
        setattr(place, name, form)
    try:
        yield
    finally:
        for place, name, original in held:
            setattr(place, name, original)


def _gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Without the look for negative variances, which answers nothing."""
    if isinstance(var, (int, float)):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = torch.full_like(input, var)
    elif var.shape != input.shape and input.shape[:-1] == var.shape:
        var = var.unsqueeze(-1)
    var = var.clamp(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """It is a hint only: whoever has a mask uses it."""
    return bool(is_causal)


_ENCODER = transformer.TransformerEncoder.forward
_ENCODER_SIGNATURE = inspect.signature(_ENCODER)


def _encoder_forward(self, *arguments, **keywords):
    """What it gives at inference, where nested tensors leave out what is padded: zeros there, if the padding is at the end. Traced
    it computes something."""
    given = _ENCODER_SIGNATURE.bind(self, *arguments, **keywords).arguments
    source, padding = given["src"], given.get("src_key_padding_mask")
    nested = (padding is not None and given.get("mask") is None and source.dim() == 3 and getattr(self, "use_nested_tensor", False)
              and getattr(self, "mask_check", True) and torch.backends.mha.get_fastpath_enabled() and not self.layers[0].training)
    if not nested:
        return _ENCODER(self, *arguments, **keywords)
    norm, self.norm = self.norm, None
    try:
        result = _ENCODER(self, *arguments, **keywords)
    finally:
        self.norm = norm
    padded = padding if padding.dtype == torch.bool else padding != 0
    at_the_end = ((padded.long().cumsum(1) > 0) == padded).all()
    result = torch.where((padded & at_the_end).unsqueeze(-1), 0.0, result)
    return result if norm is None else norm(result)


def _associative_scan(combine_fn, xs, dim, combine_mode=None):
    """torch's associative_scan, for a COMBINE_FN of element-wise ops, as ops: what is at i is combined with what is 1, 2, 4, ... before it, in
    log2(N) steps for N elements along DIM."""
    leaves, spec = torch.utils._pytree.tree_flatten(xs)
    rank, count, distance = leaves[0].dim(), leaves[0].shape[dim], 1
    place = torch.arange(count, device=leaves[0].device).reshape([count if each == dim else 1 for each in range(rank)])
    while distance < count:
        # What the first elements are combined with is no element; they stay as they are.
        before = [functional.pad(value.narrow(dim, 0, count - distance), [0, 0] * (rank - 1 - dim) + [distance, 0]) for value in leaves]
        combined = combine_fn(*(torch.utils._pytree.tree_unflatten(each, spec) for each in (before, leaves)))
        behind = place >= distance
        leaves = [torch.where(behind, new, old) for new, old in zip(torch.utils._pytree.tree_leaves(combined), leaves, strict=True)]
        distance *= 2
    return torch.utils._pytree.tree_unflatten(leaves, spec)


def _selective_scans():
    """Forms for those modules of the transformers package that are loaded and have a selective scan (Mamba and its like). It walks from token to
    token where it is exported, and is an associative scan where Dynamo compiles; here it is one as well: 24 layers of 128 tokens are 3,400 ops
    instead of 26,000."""
    return [(module, "mamba_selective_scan", _as_associative(module, scan)) for name, module in list(sys.modules.items())
            if name.startswith("transformers.models.") and (scan := vars(module).get("mamba_selective_scan"))]


def _as_associative(module, scan):
    """SCAN of MODULE as it is where Dynamo compiles."""
    forms = [(importlib.import_module("torch._higher_order_ops.associative_scan"), "associative_scan", _associative_scan),
             (module, "is_torchdynamo_compiling", lambda: True), (module, "is_torchdynamo_exporting", lambda: False)]

    @functools.wraps(scan)
    def form(*arguments, **keywords):
        with _replaced([each for each in forms if hasattr(*each[:2])]):
            return scan(*arguments, **{**keywords, "use_associative_scan": True})
    return form


_FORMS = [
    (functional, "gaussian_nll_loss", _gaussian_nll_loss),
    (transformer, "_detect_is_causal_mask", _detect_is_causal_mask),
    (transformer.TransformerEncoder, "forward", _encoder_forward),
]
