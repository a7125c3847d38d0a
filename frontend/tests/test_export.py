# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen export: files that need no kgen. What a card says of them is in docs/results."""
import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from kgen.errors import ImportRefused
from kgen.export import FORMATS, export
from tests.support import ROOT

PLAN = {"version": 1, "problem": "twice", "arch": "sm_90a", "precision": "strict-fp32",
        "inputs": [{"name": "x", "dtype": "f32", "shape": [64], "init": "uniform(0, 1)"}],
        "outputs": [{"name": "out0", "dtype": "f32", "shape": [64]}], "workspace": [{"name": "ws0", "bytes": 300}],
        "launches": [{"kernel": "twice_main", "grid": [1, 1, 1], "block": [64, 1, 1], "shared_bytes": 0,
                      "args": [{"buffer": "in0"}, {"buffer": "ws0"}, {"buffer": "out0", "offset": 0}, {"f32": 2.0}]}]}
CUDA = """extern "C" __global__ void twice_main(const float *x, float *ws, float *out, float factor) {
  out[threadIdx.x] = x[threadIdx.x] * factor;
}
"""
MODEL = """import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return x * 2

def get_inputs():
    return [torch.rand(64)]

def get_init_inputs():
    return []
"""


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for branch in ("round-00/b00", "round-01/b00"):
            (self.folder / branch).mkdir(parents=True)
            (self.folder / branch / "plan.json").write_text(json.dumps(PLAN))
            (self.folder / branch / "kernel.cu").write_text(CUDA)
        (self.folder / "round-01/b00/measurement.json").write_text(json.dumps(
            {"verdict": "PASS", "device": "cuda:0 NVIDIA H200", "tolerance": {"l2": 1e-6, "max": 1e-5},
             "errors": [{"input": "normal#0", "l2": 1e-8, "max": 1e-7}]}))
        (self.folder / "best").symlink_to("round-01/b00")
        (self.folder / "model.py").write_text(MODEL)

    def written(self, form):
        return {path.name: path.read_text() for path in export(self.folder, form, self.folder / "out", self.folder / "model.py")}

    def test_verification_says_what_was_and_was_not_checked(self):
        for form in FORMATS:
            if form == "py" and not os.environ.get("KGEN_NVRTC"):
                continue
            text = self.written(form)["VERIFICATION.md"]
            self.assertIn("PASS on cuda:0 NVIDIA H200", text)
            self.assertIn("Not checked: other shapes", text)

    def test_python_file_compiles_and_needs_a_card(self):
        if not os.environ.get("KGEN_NVRTC"):
            self.skipTest("no NVRTC")
        texts = self.written("py")
        ast.parse(texts["twice.py"])
        done = subprocess.run([sys.executable, "-W", "ignore", self.folder / "out/twice.py"], capture_output=True, text=True)
        self.assertIn("twice: kernels for sm_90a", done.stdout)
        self.assertNotIn("Traceback", done.stderr)

    def test_launcher_holds_the_reference_and_builds(self):
        texts = self.written("launcher")
        self.assertEqual(set(texts), {"twice.cu", "twice_reference.cu", "VERIFICATION.md"})
        self.assertIn("#define twice_main reference_twice_main", texts["twice_reference.cu"])
        command = texts["twice.cu"].splitlines()[0].removeprefix("// ")
        if not shutil.which("nvcc"):
            self.skipTest("no nvcc")
        done = subprocess.run(command.split(), cwd=self.folder / "out", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out/twice").exists())

    def test_benchmark_form(self):
        text = self.written("kernelbench")["twice_kernelbench.py"]
        ast.parse(text)
        for needed in ("__global__", "load_inline", "class ModelNew", "arch=compute_90a,code=sm_90a"):
            self.assertIn(needed, text)
        added = text.removeprefix(MODEL)
        self.assertNotIn("try:", added)
        self.assertNotIn("pass", added)

    def test_bad_use(self):
        with self.assertRaisesRegex(ImportRefused, "found no plan.json"):
            export(self.folder / "out", "py", self.folder)
        with self.assertRaisesRegex(ImportRefused, "--format is zip, expected one of py, launcher, kernelbench"):
            export(self.folder, "zip", self.folder)
        with self.assertRaisesRegex(ImportRefused, "needs --problem"):
            export(self.folder, "kernelbench", self.folder)

    def test_published_runs(self):
        """Tensor maps, clusters and shared memory of the published kernels come out as well."""
        for plan in sorted((ROOT / "docs/results/h200").glob("*/plan.json")):
            files = export(plan.parent, "launcher", self.folder / plan.parent.name)
            text = next(path for path in files if path.suffix == ".cu").read_text()
            self.assertIn("void launch(void *const *in", text)


if __name__ == "__main__":
    unittest.main()
