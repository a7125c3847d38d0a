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
        return {path.name: path.read_text() for path in export(self.folder, form, self.folder / "out", self.folder / "model.py")
                if path.suffix != ".whl"}

    def test_verification_says_what_was_and_was_not_checked(self):
        for form in FORMATS:
            if form in ("py", "wheel", "hf") and not os.environ.get("KGEN_NVRTC"):
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

    def test_what_is_written_in_place_begins_as_a_copy(self):
        plan = {**PLAN, "outputs": [{**PLAN["outputs"][0], "updates": 0}]}
        plan["launches"] = [{**PLAN["launches"][0], "args": [{"buffer": "out0"}, {"buffer": "ws0"}, {"buffer": "out0"}, {"f32": 2.0}]}]
        for branch in ("round-00/b00", "round-01/b00"):
            (self.folder / branch / "plan.json").write_text(json.dumps(plan))
        copy = "kgen_host::check(cudaMemcpyAsync(out[0], in[0], 256, cudaMemcpyDeviceToDevice, stream), \"copy\");"
        for form, name in (("launcher", "twice.cu"), ("kernelbench", "twice_kernelbench.py")):
            text = self.written(form)[name]
            self.assertLess(text.index(copy), text.rindex("twice_main"))
            self.assertIn("if (out[0] != in[0])", text)
        if os.environ.get("KGEN_NVRTC"):
            text = self.written("py")["twice.py"]
            self.assertIn('"updates": 0', text)
            self.assertIn('ready[buffer["updates"]].clone() if "updates" in buffer', text)

    # What both packages have to do where there is no card; prints what went wrong.
    USE = """
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode():
    found = module.run(torch.empty(64, device="cuda"))
assert (found.shape, found.dtype, found.device.type) == ((64,), torch.float32, "cuda"), found
assert module.layers.Twice.has_backward is False
import inspect
# What `kernelize` compares with the forward that it replaces.
kinds = [each.kind for each in inspect.signature(module.layers.Twice.forward).parameters.values()]
assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2, kinds
if not torch.cuda.is_available():
    try:
        module.run(torch.zeros(64))
    except RuntimeError as error:
        assert "need a CUDA device" in str(error), error
    else:
        raise AssertionError("ran without a card")
print("used")
"""

    def used(self, load, **environment):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", load + self.USE], capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.stdout, "used\n", done.stderr)

    @unittest.skipUnless(os.environ.get("KGEN_NVRTC"), "no NVRTC")
    def test_wheel(self):
        export(self.folder, "wheel", self.folder / "out")
        wheel, = (self.folder / "out").glob("kgen_twice-1.0.0+*-py3-none-any.whl")
        first = wheel.read_bytes()
        export(self.folder, "wheel", self.folder / "out")
        self.assertEqual(wheel.read_bytes(), first)
        site = self.folder / "site"
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", site,
                        wheel], check=True, capture_output=True)
        self.assertIn("PASS on cuda:0 NVIDIA H200", (site / "kgen_twice/VERIFICATION.md").read_text())
        self.used("import kgen_twice as module", PYTHONPATH=str(site))

    @unittest.skipUnless(os.environ.get("KGEN_NVRTC"), "no NVRTC")
    def test_hugging_face_layout(self):
        export(self.folder, "hf", self.folder / "out")
        variant = self.folder / "out/build/torch-cuda"
        metadata = json.loads((variant / "metadata.json").read_text())
        self.assertEqual((metadata["backend"], metadata["python-depends"]), ({"type": "cuda", "archs": ["9.0a"]}, []))
        self.assertEqual(metadata["name"], "twice")
        self.assertIn(f'NAMESPACE = "{metadata["id"]}"', (variant / "_ops.py").read_text())
        # As the package `kernels` loads it: under a name of its own, from a path; the older folder as well, in one process.
        load = "\n".join(["import importlib.util, sys", "for number, path in enumerate(%r):" % [
            str(variant / "__init__.py"), str(variant / "twice/__init__.py")],
            "    spec = importlib.util.spec_from_file_location(f'any_{number}', path)",
            "    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)", "    spec.loader.exec_module(module)"])
        self.used(load)
        # Only the standard library, PyTorch and the package itself.
        for path in variant.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else [
                    node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                self.assertFalse({name.split(".")[0] for name in names} - {"torch", *sys.stdlib_module_names}, path)

    def test_bad_use(self):
        with self.assertRaisesRegex(ImportRefused, "found no plan.json"):
            export(self.folder / "out", "py", self.folder)
        with self.assertRaisesRegex(ImportRefused, "--format is zip, expected one of py, launcher, kernelbench, wheel, hf"):
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
