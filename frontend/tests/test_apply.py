# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What searches found comes into modules: by what it computes, in its precision class, and only where it was verified."""
import contextlib
import io
import json
import os
import pathlib
import shutil
import tempfile
import unittest
import warnings
from unittest import mock

import torch
from torch import nn

import kgen
from kgen import backend
from kgen.__main__ import main
from kgen.applied import apply, canonical, scaled
from kgen.compiler import _Maker
from kgen.errors import ImportRefused

# Weights before the input, other names than a module has, two kernels' work in one graph.
GRAPH = """module attributes {kgen.problem = "found", kgen.precision = "PRECISION"} {
  func.func @found(%b: tensor<6xf32> {kgen.name = "b", kgen.parameter}, %w: tensor<6x8xf32> {kgen.init = "uniform(-1, 1)"},
      %in: tensor<4x8xf32>) -> tensor<4x6xf32> {
    %0 = aten.linear %in, %w, %b : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %1 = aten.softmax.int %0 dim -1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}
"""


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 6)

    def forward(self, x):
        return torch.softmax(self.project(x), -1)


class Apply(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        # What is applied here is nobody else's; bundles may be.
        cache = mock.patch.dict(os.environ, {"KGEN_CACHE_DIR": str(self.folder / "cache"), "KGEN_LIBRARY": "none"})
        cache.start()
        self.addCleanup(cache.stop)
        self.module, self.x = Model().eval(), torch.randn(4, 8)

    def run_folder(self, precision="strict-fp32", verdict="PASS"):
        run = self.folder / f"run-{precision}-{verdict}"
        (run / "best").mkdir(parents=True)
        text = GRAPH.replace("PRECISION", precision)
        _Maker._lower(text, run / "best")
        (run / "best/graph.mlir").rename(run / "graph.mlir")
        (run / "best/measurement.json").write_text(json.dumps({"verdict": verdict, "device": "host", "precision": precision}))
        return run

    def launches(self, **options):
        """How many kernels the module's are, after they were held against PyTorch; a whole applied graph is fewer than its parts."""
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(self.module, (self.x,), **options)
            torch.testing.assert_close(compiled(self.x), self.module(self.x), rtol=1e-3, atol=1e-4)
        self.assertFalse(compiled.misses)
        parts = [part.bundle for part in compiled._entries[0].graph.module.children() if hasattr(part, "bundle")]
        return len(parts), all(part.folder.name.endswith("-applied") for part in parts)

    def test_used_where_it_is_the_graph(self):
        self.assertEqual(self.launches(search="cached"), (2, False))
        self.assertIn("kept for found on device host, precision class strict-fp32: ", apply(self.run_folder()))
        self.assertEqual(self.launches(search="cached"), (1, True))
        self.assertEqual(self.launches(search="none"), (2, False))
        # A kernel of the stricter class serves the wider one.
        self.assertEqual(self.launches(search="cached", precision="tf32"), (1, True))
        self.x = torch.randn(5, 8)
        self.assertEqual(self.launches(search="cached"), (2, False))

    def test_classes(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(main(["apply", str(self.run_folder("tf32"))]), 0)
        self.assertIn("class tf32, where TF32 is allowed", said.getvalue())
        self.assertEqual(self.launches(search="cached"), (2, False))
        before = torch.get_float32_matmul_precision()
        self.addCleanup(torch.set_float32_matmul_precision, before)
        torch.set_float32_matmul_precision("high")
        self.assertEqual(self.launches(search="cached"), (1, True))
        self.assertEqual(self.launches(search="cached", precision="strict-fp32"), (2, False))

    def test_backend(self):
        apply(self.run_folder())
        made = []
        real = backend.CompiledGraph
        with mock.patch.object(backend, "CompiledGraph", lambda *a, **k: made.append(real(*a, **k)) or made[-1]), torch.no_grad():
            compiled = torch.compile(self.module, backend=backend.kgen_backend)
            torch.testing.assert_close(compiled(self.x), self.module(self.x), rtol=1e-3, atol=1e-4)
        self.assertEqual(len([part for part in made[0].module.children() if hasattr(part, "bundle")]), 1)

    def test_bad_use(self):
        with self.assertRaisesRegex(ImportRefused, "its best kernel was not verified .its verdict is WRONG."):
            apply(self.run_folder(verdict="WRONG"))
        run = self.run_folder()
        (run / "graph.mlir").unlink()
        with self.assertRaisesRegex(ImportRefused, "expected the run's graph.mlir"):
            apply(run)
        with self.assertRaisesRegex(ImportRefused, "found no plan.json"):
            apply(self.folder)

    def test_what_no_longer_compiles_is_left_out(self):
        apply(self.run_folder())
        source = next((self.folder / "cache/applied").glob("*/kernel.cu"))
        source.write_text(source.read_text() + "\nbroken")
        self.assertFalse(self.launches(search="cached")[1])

    def test_names_and_the_order_of_arguments_do_not_matter(self):
        words, order = canonical(GRAPH.replace("PRECISION", "strict-fp32"))
        self.assertEqual(order, [2, 1, 0])
        other = GRAPH.replace("PRECISION", "tf32").replace("found", "other").replace("%in", "%x").replace("aten.softmax.int %0 dim -1",
                                                                                                          "aten.softmax.int %0 dim -2")
        self.assertNotEqual(canonical(other)[0], words)
        self.assertEqual(canonical(other.replace("dim -2", "dim -1"))[0], words)

    def test_searching(self):
        """One kernel, searched for some seconds; the next compilation finds it."""
        class Small(nn.Module):
            def forward(self, x):
                return torch.relu(x) * 2

        self.module = Small().eval()
        # A machine with much else to do needs longer for the first kernel.
        found = next((each for each in (self.launches(search=minutes) for minutes in (0.05, 0.5, 2)) if each[1]), None)
        self.assertEqual(found, (1, True))
        with mock.patch.object(_Maker, "_search", side_effect=AssertionError("searched twice")):
            self.assertEqual(self.launches(search=0.05), (1, True))
            self.assertEqual(self.launches(search="cached"), (1, True))

    def test_scaled_products_are_named(self):
        candidate = self.run_folder("tf32") / "best"
        self.assertIsNone(scaled(candidate))
        (candidate / "annotated.mlir").write_text("schedule(#kgen.schedule<family = gemm, mma = wgmma>)")
        self.assertEqual(scaled(candidate), "scaled fp16 in the place of TF32")
        (candidate / "annotated.mlir").write_text("schedule(#kgen.schedule<mma = wgmma, split_precision = fp16x3>)")
        self.assertEqual(scaled(candidate), "sums of two scaled fp16 parts")


if __name__ == "__main__":
    unittest.main()
