"""kgen's PyTorch frontend: modules with fixed shapes become op graphs (`kgen import FILE.py`)."""

__version__ = "0.1.0"
