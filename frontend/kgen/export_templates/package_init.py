"""@TITLE@.

`run(*inputs)`: row-major tensors on one card, in the order of `kernels.PLAN["inputs"]`. PyTorch sees one operator, with a fake
implementation, so that torch.compile and CUDA graphs take it. VERIFICATION.md says what was checked and what was not.
"""
from . import layers
from ._ops import run

__all__ = ["layers", "run"]
