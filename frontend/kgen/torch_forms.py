# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own functions that ask in Python what is in a tensor, or do another thing while they are traced, in forms that export takes and
that give what they give otherwise."""
import contextlib
import inspect
import math

import torch
from torch.nn import functional
from torch.nn.modules import transformer


@contextlib.contextmanager
def exportable():
    """While modules are exported."""
    held = [(place, name, getattr(place, name)) for place, name, _ in _FORMS]
    for place, name, form in _FORMS:
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


_FORMS = [
    (functional, "gaussian_nll_loss", _gaussian_nll_loss),
    (transformer, "_detect_is_causal_mask", _detect_is_causal_mask),
    (transformer.TransformerEncoder, "forward", _encoder_forward),
]
