# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What searches found comes into modules: by what it computes, in its precision class, and only where it was verified."""
import concurrent.futures
import copy
import contextlib
import io
import json
import os
import pathlib
import re
import runpy
import shutil
import tempfile
import time
import unittest
import warnings
from unittest import mock

import torch
from torch import nn

import kgen
from kgen import backend
from kgen.__main__ import main
from kgen.applied import apply, canonical, scaled
from kgen.errors import ImportRefused
from kgen.importer import import_file
from kgen.maker import Maker
from kgen.tools import ToolFailed

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


COUNTS = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(8, 4))

    def forward(self, x, position):
        self.rows.index_copy_(0, position, torch.tanh(x))
        return self.rows.sum(0)

def get_inputs():
    return [torch.randn(1, 4), torch.tensor([2])]

def get_init_inputs():
    return []
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
        Maker._lower(text, run / "best")
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

    def test_a_module_with_buffers_that_change(self):
        """An imported problem has its answers first, whatever order export gives them in; its caches are written in place."""
        problem = self.folder / "counts.py"
        problem.write_text(COUNTS)
        text = import_file(problem)
        run = self.folder / "run-counts"
        (run / "best").mkdir(parents=True)
        Maker._lower(text, run / "best")
        (run / "best/graph.mlir").rename(run / "graph.mlir")
        plan = json.loads((run / "best/plan.json").read_text())
        self.assertEqual([output.get("updates") is None for output in plan["outputs"]], [True, False])
        (run / "best/measurement.json").write_text(json.dumps({"verdict": "PASS", "device": "host"}))
        apply(run)
        module = runpy.run_path(str(problem))["Model"]().eval()
        other = copy.deepcopy(module)
        given = (torch.randn(1, 4), torch.tensor([2]))
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, given, search="cached", precision=plan["precision"])
            bundle, = [part.bundle for part in compiled._entries[0].graph.module.children() if hasattr(part, "bundle")]
            self.assertEqual(bundle.kind, "applied")
            for position in (2, 5):
                given = (torch.randn(1, 4), torch.tensor([position]))
                torch.testing.assert_close(compiled(*given), other(*given), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(module.rows, other.rows)
        self.assertFalse(compiled.misses)

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
        with mock.patch.object(Maker, "_search", side_effect=AssertionError("searched twice")):
            self.assertEqual(self.launches(search=0.05), (1, True))
            self.assertEqual(self.launches(search="cached"), (1, True))

    def test_a_network_is_searched_as_a_whole(self):
        """Not segment by segment: with its weights as weights, and with tensors like the module's own."""
        with torch.no_grad():
            self.module.project.weight.mul_(100)
        asked, search = [], Maker._search

        def record(maker, text):
            asked.append(text)
            search(maker, text)

        self.assertEqual(self.launches(), (2, False))
        with mock.patch.object(Maker, "_search", record):
            found = next((each for each in (self.launches(search=minutes) for minutes in (0.1, 0.5, 2)) if each[1]), None)
        self.assertEqual(found, (1, True))
        self.assertEqual([text.count("kgen.parameter") for text in asked], [2] * len(asked))
        deviation = float(re.search(r"tensor<6x8xf32> \{[^}]*normal\(\S+ ([0-9.]+)\)", asked[0])[1])
        self.assertAlmostEqual(deviation, float(self.module.project.weight.std()), 2)
        with mock.patch.object(Maker, "_search", side_effect=AssertionError("searched twice")):
            self.assertEqual(self.launches(search=0.1), (1, True))

    def test_where_a_network_is_not_found_each_kernel_is_searched_for(self):
        asked = []

        def fail(maker, text):
            asked.append(text)
            raise ToolFailed("kgen-search: no")

        with mock.patch.object(Maker, "_search", fail):
            self.assertEqual(self.launches(search=0.1), (2, False))
        self.assertEqual(["kgen.parameter" in text for text in asked], [True, False, False])

    def test_scaled_products_are_named(self):
        candidate = self.run_folder("tf32") / "best"
        self.assertIsNone(scaled(candidate))
        (candidate / "annotated.mlir").write_text("schedule(#kgen.schedule<family = gemm, mma = wgmma>)")
        self.assertEqual(scaled(candidate), "scaled fp16 in the place of TF32")
        (candidate / "annotated.mlir").write_text("schedule(#kgen.schedule<mma = wgmma, split_precision = fp16x3>)")
        self.assertEqual(scaled(candidate), "sums of two scaled fp16 parts")


# A weight that is decided by parameters alone, as a network's plan prepares it.
NORMED = """module attributes {kgen.problem = "normed", kgen.precision = "strict-fp32"} {
  func.func @normed(%x: tensor<4x8xf32>, %v: tensor<6x8xf32> {kgen.parameter}, %g: tensor<6x1xf32> {kgen.parameter}) -> tensor<4x6xf32> {
    %w = aten.mul.Tensor %v, %g : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}
"""


def _task(name, arguments, body, result):
    return f"module {{\n  func.func @{name}({arguments}) -> {result} {{\n    %0 = {body}\n    return %0 : {result}\n  }}\n}}\n"


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.v, self.g = nn.Parameter(torch.randn(6, 8)), nn.Parameter(torch.rand(6, 1) + 0.5)

    def forward(self, x):
        return nn.functional.linear(x, self.v * self.g)


class Prepared(unittest.TestCase):
    """What a plan prepares of weights is computed when they change, however that happens, and at no other time."""

    #: Of kgen.compile.
    options = {}

    def setUp(self):
        torch.manual_seed(6)
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        cache = mock.patch.dict(os.environ, {"KGEN_CACHE_DIR": str(self.folder / "cache"), "KGEN_LIBRARY": "none"})
        cache.start()
        self.addCleanup(cache.stop)
        apply(self.run_folder())
        self.module, self.x = Normed().eval(), torch.randn(4, 8)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            # The check of the whole answer prepares, too.
            self.compiled = kgen.compile(self.module, (self.x,), search="cached", check=False, **self.options)
        self.chain = self.compiled._entries[0].graph._program._items[0]
        self.prepares = 0
        real = self.chain._call

        def counting(function, *arguments):
            self.prepares += "prepare" in function.__name__
            return real(function, *arguments)
        self.chain._call = counting

    def run_folder(self):
        """A run whose best is a network of two tasks, put together by hand."""
        best = self.folder / "run/best"
        best.mkdir(parents=True)
        (self.folder / "run/graph.mlir").write_text(NORMED)
        whole, v, g, x, y = self.plan("whole", NORMED), "tensor<6x8xf32>", "tensor<6x1xf32>", "tensor<4x8xf32>", "tensor<4x6xf32>"
        fold = self.plan("fold", _task("fold", f"%v: {v}, %g: {g}", f"aten.mul.Tensor %v, %g : ({v}, {g}) -> {v}", v))
        use = self.plan("use", _task("use", f"%x: {x}, %w: {v}", f"aten.linear %x, %w : ({x}, {v}) -> {y}", y))
        places = ({"in0": "in1", "in1": "in2", "out0": "ws0"}, {"in0": "in0", "in1": "ws0", "out0": "out0"})
        launches, steps = [], []
        for module, (plan, place) in enumerate(zip((fold, use), places)):
            self.assertFalse(plan["workspace"])
            for launch in plan["launches"]:
                for argument in launch["args"]:
                    argument["buffer"] = place[argument["buffer"]]
                launches.append({"module": module, **launch})
            steps.append({"task": f"0{module}", "launches": len(plan["launches"]), "outputs": [{"buffer": place["out0"]}],
                          "inputs": [{"buffer": place[f"in{index}"]} for index in range(len(plan["inputs"]))]})
        for name in ("fold", "use"):
            shutil.copy(self.folder / name / "kernel.cu", best / f"{name}.cu")
        whole.update(version=2, modules=["fold.cu", "use.cu"], workspace=[{"name": "w", "bytes": 4 * 48, "prepared": True}],
                     launches=launches, steps=steps, prepare=1)
        (best / "plan.json").write_text(json.dumps(whole))
        (best / "measurement.json").write_text(json.dumps({"verdict": "PASS", "device": "host", "precision": "strict-fp32"}))
        return self.folder / "run"

    def plan(self, name, text):
        (self.folder / name).mkdir()
        Maker._lower(text, self.folder / name)
        return json.loads((self.folder / name / "plan.json").read_text())

    def check(self, prepares):
        with torch.no_grad():
            torch.testing.assert_close(self.compiled(self.x), self.module(self.x), rtol=1e-4, atol=1e-5)
        self.assertEqual(self.prepares, prepares)
        self.assertFalse(self.compiled.misses)

    def test_what_the_check_prepared_holds(self):
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(self.module, (self.x,), search="cached", **self.options)
            self.assertEqual(kgen.report(compiled).prepared, 1)
            torch.testing.assert_close(compiled(self.x), self.module(self.x), rtol=1e-4, atol=1e-5)
        self.assertEqual(kgen.report(compiled).prepared, 1)

    def test_computed_when_weights_change(self):
        self.assertIn("1 launches prepare what only depends on weights", str(kgen.report(self.compiled)))
        self.assertEqual(kgen.report(self.compiled).kernels, 1)
        self.check(1)
        self.x = torch.randn(4, 8)
        self.check(1)
        with torch.no_grad():
            self.module.g.mul_(2)
        self.check(2)
        self.check(2)
        self.module.load_state_dict({"v": torch.randn(6, 8), "g": torch.rand(6, 1)})
        self.check(3)
        with torch.no_grad():  # as a LoRA adapter is merged
            self.module.v += torch.randn(6, 2) @ torch.randn(2, 8)
        self.check(4)
        self.module.v = nn.Parameter(torch.randn(6, 8))
        self.check(5)
        self.module.v.data = torch.randn(6, 8)
        self.check(6)

    def test_changes_that_pytorch_does_not_count(self):
        self.check(1)
        weight, version = self.module.v, self.module.v._version
        weight.data.add_(1)
        self.check(2)
        weight.data += torch.randn(6, 2) @ torch.randn(2, 8)  # as PEFT merges an adapter
        self.check(3)
        # Whoever holds what `data` gave may write at any time, as may who holds a view of it.
        held = weight.data
        for prepares in (4, 5):
            held.mul_(2)
            self.check(prepares)
        view, held = held.view(-1), None
        self.check(6)
        view[3] = 7
        self.check(7)
        del view
        self.check(7)
        other = torch.randn(6, 8)
        weight.data = other
        self.check(8)
        other.add_(1)
        self.check(9)
        del other
        self.check(9)
        self.assertEqual(weight._version, version)
        self.assertIn("weights were prepared 9 times", str(kgen.report(self.compiled)))

    def test_optimizers(self):
        """A fused one changes no version."""
        prepares = 1
        self.check(prepares)
        for options in ({"fused": True}, {"foreach": True}, {"foreach": False}):
            optimizer = torch.optim.AdamW(self.module.parameters(), lr=0.1, **options)
            self.module(self.x).square().sum().backward()
            optimizer.step()
            prepares += 1
            self.check(prepares)

    def test_refresh(self):
        """Memory that is written past PyTorch."""
        self.check(1)
        self.module.v.detach().numpy()[:] = 3
        with torch.no_grad():
            self.assertFalse(torch.allclose(self.compiled(self.x), self.module(self.x)), "it showed: say so in docs/pytorch.md")
        kgen.refresh(self.compiled)
        self.check(2)
        self.module.v = nn.Parameter(torch.randn(4, 8))  # the kernels are not made for it
        kgen.refresh(self.compiled)
        with self.assertRaisesRegex(TypeError, "expected what kgen.compile returned, found Normed"):
            kgen.refresh(self.module)

    def test_always(self):
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(self.module, (self.x,), search="cached", prepare="always")
            for value in (3, 4):
                self.module.v.detach().numpy()[:] = value
                torch.testing.assert_close(compiled(self.x), self.module(self.x), rtol=1e-4, atol=1e-5)
        self.assertIn("in each call", str(kgen.report(compiled)))
        with self.assertRaisesRegex(ValueError, "prepare is 'never', expected"):
            kgen.compile(self.module, (self.x,), prepare="never")

    def test_threads(self):
        """One of them prepares, the others wait for it; each has its answer."""
        def work(value):
            x = torch.full((4, 8), float(value))
            with torch.no_grad():
                return all(torch.allclose(self.compiled(x), reference(x), rtol=1e-4, atol=1e-5) for _ in range(20))
        with warnings.catch_warnings(), concurrent.futures.ThreadPoolExecutor(8) as pool:
            warnings.simplefilter("ignore")
            for prepares in (1, 2):
                reference = copy.deepcopy(self.module)  # offloaded weights may move at any time (test_offload.py)
                self.assertTrue(all(pool.map(work, range(8))))
                self.assertEqual(self.prepares, prepares)
                with torch.no_grad():
                    self.module.v.mul_(2)
        self.assertFalse(self.compiled.misses)

    def test_threads_have_one_memory(self):
        """Also those whose first calls come at once."""
        places, call, empty = set(), self.chain._call, torch.empty

        def slowly(*arguments, **keywords):
            time.sleep(0.02)
            return empty(*arguments, **keywords)

        def looking(function, bases, stream):
            places.add(bases[-1])
            return call(function, bases, stream)
        self.chain._call = looking

        def work(_):
            with torch.no_grad():
                self.compiled(self.x)
        with mock.patch.object(torch, "empty", slowly), concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        self.assertEqual(len(places), 1)

    def test_data_is_what_it_was(self):
        """The property in the place of Tensor.data: values, versions, tracing, classes with functions of their own."""
        self.check(1)
        tensor = nn.Parameter(torch.ones(2))
        self.assertIs(type(tensor.data), torch.Tensor)
        self.assertFalse(tensor.data.requires_grad)
        self.assertEqual(tensor.data.data_ptr(), tensor.data_ptr())
        tensor.data = torch.zeros(3)
        self.assertEqual(tensor.shape, (3,))
        with self.assertRaises(TypeError):
            tensor.data = 3
        traced = torch.compile(lambda x: x.data + 1, backend="eager", fullgraph=True)
        self.assertTrue(torch.equal(traced(tensor), torch.ones(3)))
        seen = []

        class Watching(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), keywords=None):
                seen.append(function)
                return super().__torch_function__(function, types, arguments, keywords or {})
        self.assertEqual(Watching([1.0]).data.item(), 1)
        self.assertIn(torch.Tensor.data.__get__, seen)

    def test_inference_tensors_have_no_versions(self):
        with torch.inference_mode():
            self.module.v = nn.Parameter(torch.randn(6, 8))
        self.check(1)
        self.check(2)


if __name__ == "__main__":
    unittest.main()
