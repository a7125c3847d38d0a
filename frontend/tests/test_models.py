# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the transformers package import whole, and mean what PyTorch computes."""
import importlib.util
import unittest

from kgen.importer import import_module
from tests.models import MODELS, build
from tests.oracle_check import compare_module
from tests.support import kgen_opt

# `x.float()` in a model rounds in PyTorch's double precision too, and in the oracle it does not.
ROUNDED = 1e-6
# The oracle compiles for a while: the others are compared by hand (`python3 -m tests.test_models`).
COMPARED = ("llama", "vit", "convnext")


@unittest.skipUnless(importlib.util.find_spec("transformers"), "needs the transformers package")
class Models(unittest.TestCase):
    def test_every_model_imports(self):
        for name in MODELS:
            with self.subTest(name):
                module, inputs = build(name)
                kgen_opt(import_module(module, inputs, name).text)

    def test_some_are_what_torch_computes(self):
        for name in COMPARED:
            with self.subTest(name):
                self.assertLess(compare_module(*build(name), name), ROUNDED)


if __name__ == "__main__":
    for every in MODELS:
        # PyTorch has no products of groups in double precision.
        print(every, compare_module(*build(every), every, double=every != "mixtral"), flush=True)
