# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, numbers and tensors as MLIR's text has them."""
import torch

ELEMENTS = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
            torch.int64: "i64", torch.int32: "i32", torch.bool: "i1"}


def shaped(shape, dtype):
    """A tensor of SHAPE and DTYPE without data, which stands for a result."""
    return torch.empty(tuple(shape), dtype=dtype, device="meta")


def order_of(value):
    """The dimensions of VALUE, slowest first, where it is dense and not row-major: VALUE.permute(order) is row-major. None for every other
    value."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.is_contiguous():
        return None
    order = sorted(range(value.dim()), key=lambda dimension: -value.stride(dimension))
    return order if value.permute(order).is_contiguous() else None


def tensor_type(tensor, shape=None):
    """`tensor<4x8xf32>`; raises KeyError for an element type that the dialect has not."""
    extents = [str(extent) for extent in (tensor.shape if shape is None else shape)]
    return f"tensor<{'x'.join(extents + [ELEMENTS[tensor.dtype]])}>"


def float_text(value):
    """A double as MLIR reads it: always with a point; infinities and NaN by their bits."""
    value = float(value)
    if value != value:
        return "0x7FF8000000000000"
    if value in (float("inf"), float("-inf")):
        return "0x7FF0000000000000" if value > 0 else "0xFFF0000000000000"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e") if "e" in text else text + ".0"


def dense_text(tensor):
    """The elements of TENSOR inside `dense<...>`: nested lists, one number if they are all alike, bits if they are many."""
    flat = tensor.detach().contiguous().flatten()
    if flat.numel() and bool((flat == flat[0]).all()):
        return _element_text(flat[0])
    if flat.numel() > 64 and tensor.dtype != torch.bool:
        return f'"0x{bytes(flat.view(torch.uint8).tolist()).hex().upper()}"'

    def nested(part):
        return _element_text(part) if part.dim() == 0 else f"[{', '.join(nested(row) for row in part)}]"
    return nested(tensor)


def _element_text(element):
    if element.dtype == torch.bool:
        return "true" if element else "false"
    if not element.dtype.is_floating_point:
        return str(int(element))
    if bool(element.isfinite()):
        return float_text(element)
    # By its bits in its own width.
    bits = element.reshape(1).view(torch.uint8).tolist()[::-1]
    return "0x" + bytes(bits).hex().upper()
