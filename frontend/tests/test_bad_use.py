# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that the kernels were not made for: the original's answer or one sentence, never a wrong one."""
import collections
import copy
import dataclasses
import io
import json
import pathlib
import shutil
import tempfile
import unittest
import warnings
import zipfile

import torch
from torch import nn

import kgen
from kgen.errors import ImportRefused
from kgen.importer import import_file
from kgen.runtime import Bundle, RuntimeFailed


def quietly(call, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **keywords)


class Layer(nn.Module):
    """One kernel, which most tests share."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 8)

    def forward(self, x, scale=1.0, *, shift=None):
        y = torch.relu(self.project(x)) * scale
        return y if shift is None else y + shift


class Plain:
    """A class that PyTorch does not know, with state of its own."""

    def __init__(self, keys, count):
        self.keys, self.count, self.history = keys, count, []


@dataclasses.dataclass
class Answer:
    value: torch.Tensor
    inner: Plain
    note: str = "none"


Pair = collections.namedtuple("Pair", "first second")


class BadUse(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.x = torch.randn(2, 8)

    def compiled(self, module, *arguments, **keywords):
        options = keywords.pop("options", {})
        module.eval()
        return quietly(kgen.compile, module, arguments or (self.x,), keywords, **options)

    def runs(self, compiled, original, *arguments, **keywords):
        """The original's answer by kgen's kernels."""
        return self._same(compiled, original, None, arguments, keywords)

    def misses(self, word, compiled, original, *arguments, **keywords):
        """The original's answer by the original, and a warning with WORD in it."""
        return self._same(compiled, original, word, arguments, keywords)

    def _same(self, compiled, original, word, arguments, keywords):
        compiled._said.clear()
        before = sum(compiled.misses.values())
        with torch.no_grad(), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found, expected = compiled(*arguments, **keywords), original(*arguments, **keywords)
        said = [str(warning.message) for warning in said if "kgen" in str(warning.message)]
        if word is None:
            self.assertEqual((said, sum(compiled.misses.values())), ([], before))
        else:
            self.assertEqual(len(said), 1, said)
            self.assertIn(word, said[0])
        self.assertIs(type(found), type(expected))
        if isinstance(expected, torch.Tensor):
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
        return found, expected

    def refuses_alike(self, compiled, original, *arguments, **keywords):
        """The original's own error."""
        with self.assertRaises(Exception) as expected:
            original(*arguments, **keywords)
        with self.assertRaises(type(expected.exception)) as found:
            quietly(compiled, *arguments, **keywords)
        self.assertEqual(str(found.exception), str(expected.exception))

    # Arguments

    def test_shapes_types_strides_and_structure(self):
        module = Layer()
        compiled = self.compiled(module)
        self.misses("(3, 8)", compiled, module, torch.randn(3, 8))
        self.misses("strides (1, 2)", compiled, module, torch.randn(8, 2).t())
        self.misses("structure", compiled, module, self.x, 2.0)
        self.misses("structure", compiled, module, self.x, shift=self.x)
        self.misses("Buffered", compiled, module, type("Buffered", (torch.Tensor,), {})(self.x))
        self.refuses_alike(compiled, module, torch.randn(2, 7))
        self.refuses_alike(compiled, module, self.x.double())
        self.refuses_alike(compiled, module, self.x.to("meta"))
        self.refuses_alike(compiled, module)
        self.refuses_alike(compiled, module, self.x, x=self.x)
        self.refuses_alike(compiled, module, self.x, 1.0, self.x)
        self.refuses_alike(compiled, module, self.x, unknown=1)
        self.refuses_alike(compiled, module, None)

    def test_spellings_of_one_call(self):
        module = Layer()
        compiled = self.compiled(module)
        self.runs(compiled, module, self.x)
        self.runs(compiled, module, x=self.x)
        self.runs(compiled, module, self.x, 1.0)
        self.runs(compiled, module, scale=1.0, x=self.x, shift=None)
        # A number that is equal, of another type, is another call.
        self.misses("structure", compiled, module, self.x, True)

    def test_numbers_are_part_of_the_call(self):
        module = Layer()
        compiled = self.compiled(module, self.x, 2.0)
        self.runs(compiled, module, self.x, scale=2.0)
        self.misses("input 1 is 3.0", compiled, module, self.x, 3.0)
        self.misses("input 1 is 2,", compiled, module, self.x, 2)
        self.misses("input 1 is nan", compiled, module, self.x, float("nan"))

    def test_second_shape(self):
        module = Layer().eval()
        wide = torch.randn(5, 8)
        compiled = quietly(kgen.compile, module, [(self.x,), (wide, 2.0)])
        self.runs(compiled, module, self.x)
        self.runs(compiled, module, wide, 2.0)
        self.misses("(5, 8)", compiled, module, wide)

    def test_inputs_that_are_not_contiguous(self):
        module = Layer()
        strided = torch.randn(8, 2).t()
        compiled = self.compiled(module, strided)
        self.runs(compiled, module, strided)
        self.runs(compiled, module, torch.randn(8, 2).t())
        self.misses("strides", compiled, module, self.x)
        compiled = self.compiled(module)
        whole = torch.randn(17)
        self.runs(compiled, module, whole[1:].view(2, 8))  # at an address that kernels cannot read by packs

    # Answers

    def test_answers_of_any_class(self):
        class Many(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.settings = Layer(), Plain(None, 3)

            def forward(self, x):
                y = self.layer(x)
                inner = Plain([y, {"twice": y * 2}], x.shape[0])
                inner.itself = inner
                return {"pair": Pair(y, (x, None, 7)), "answer": Answer(y + 1, inner), "again": [inner, self.settings], "y": y}

        module = Many()
        compiled = self.compiled(module)
        first, expected = self.runs(compiled, module, self.x)
        second, _ = self.runs(compiled, module, self.x)
        self.assertEqual(list(first), list(expected))
        inner = first["answer"].inner
        self.assertIs(inner.itself, inner)
        self.assertIs(first["again"][0], inner)
        self.assertIs(first["again"][1], module.settings)
        self.assertIsNot(inner, second["answer"].inner)
        self.assertIsNot(inner.history, second["answer"].inner.history)
        self.assertEqual((inner.count, first["answer"].note, first["pair"].second[1:]), (2, "none", (None, 7)))
        self.assertIs(first["pair"].second[0], self.x)
        self.assertIs(first["y"], inner.keys[0])
        for found, wanted in [(inner.keys[1]["twice"], expected["y"] * 2), (first["answer"].value, expected["y"] + 1)]:
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)

    # Parameters, buffers, submodules

    def test_changed_parameters(self):
        module = Layer()
        compiled = self.compiled(module)
        module.project.weight.data = torch.randn(8, 8)
        self.runs(compiled, module, self.x)
        module.project.weight = nn.Parameter(torch.randn(8, 8))
        self.runs(compiled, module, self.x)
        module.project.weight.requires_grad_(False)
        self.runs(compiled, module, self.x)
        module.project.weight.data = torch.randn(8, 8).t()
        self.misses("project.weight is torch.float32 (8, 8) with strides (1, 8)", compiled, module, self.x)
        module.project.weight = nn.Parameter(torch.randn(4, 8))
        module.project.bias = nn.Parameter(torch.randn(4))
        self.misses("project.", compiled, module, self.x)
        module.double()
        self.misses("float64", compiled, module, self.x.double())

    def test_replaced_submodules(self):
        class Adapted(nn.Module):
            """What adapters look like: the old weight still has its name."""

            def __init__(self, base):
                super().__init__()
                self.base, self.weight, self.bias, self.low = base, base.weight, base.bias, nn.Linear(8, 8)

            def forward(self, x):
                return self.base(x) + self.low(x)

        module = Layer()
        compiled = self.compiled(module)
        self.runs(compiled, module, self.x)
        base = module.project
        module.project = Adapted(base)
        self.misses("has other submodules", compiled, module, self.x)
        module.project = base
        self.runs(compiled, module, self.x)
        nn.utils.parametrize.register_parametrization(module.project, "weight", nn.Identity())
        self.misses("the module changed", compiled, module, self.x)

    def test_tied_weights(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
                self.second.weight = self.first.weight

            def forward(self, x):
                return self.second(self.first(x))

        module = Tied()
        compiled = self.compiled(module)
        with torch.no_grad():
            module.second.weight.mul_(2)
        self.runs(compiled, module, self.x)
        module.second.weight = nn.Parameter(torch.randn(8, 8))
        self.misses("no longer the same tensor", compiled, module, self.x)

    def test_what_is_written_in_place(self):
        class Counts(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("sum", torch.zeros(2, 8), persistent=False)

            def forward(self, x, held):
                self.sum += x
                held.mul_(2)
                return self.sum + held

        module = Counts()
        compiled = self.compiled(module, self.x.clone(), torch.ones(2, 8))
        twin, held, other = copy.deepcopy(module), torch.randn(2, 8), None
        other = held.clone()
        for _ in range(2):
            with torch.no_grad():
                torch.testing.assert_close(compiled(self.x, held), twin(self.x, other))
            torch.testing.assert_close((held, module.sum), (other, twin.sum))
        self.assertFalse(compiled.misses)
        # One tensor in both places: the kernels would read what is written too early or too late.
        same = torch.randn(2, 8)
        equal = same.clone()
        with torch.no_grad():
            torch.testing.assert_close(quietly(compiled, same, same), twin(equal, equal))
        self.assertIn("shares memory", str(kgen.report(compiled)))

    def test_settings_of_the_module(self):
        """What forward reads of the module is part of what the kernels were made for."""
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.scale, self.note = nn.LayerNorm(8), 2.0, "none"

            def forward(self, x):
                return self.scaled(self.norm(x))

            def scaled(self, x):
                return x * self.scale

        module = Scaled()
        compiled = self.compiled(module)
        module.note = "read by nobody"
        self.runs(compiled, module, self.x)
        module.scale = 3.0
        self.misses("scale is 3.0, the kernels are for 2.0", compiled, module, self.x)
        module.scale = 2.0
        self.runs(compiled, module, self.x)
        module.norm.eps = 0.5
        self.misses("norm.eps is 0.5", compiled, module, self.x)

    def test_another_forward(self):
        """Whoever puts another forward into a module gets it."""
        module = nn.Sequential(Layer(), nn.ReLU())
        compiled = self.compiled(module)
        module[1].forward = lambda x: x * 2
        self.misses("1.forward is ", compiled, module, self.x)
        del module[1].forward
        self.runs(compiled, module, self.x)
        module.forward = lambda x: x + 1
        self.misses("forward is ", compiled, module, self.x)

    def test_types_that_do_not_go_together(self):
        with self.assertRaisesRegex(kgen.CompileFailed, "^Linear does not take this example: [^\n]*$|^torch.export cannot take Linear: [^\n]*$"):
            self.compiled(nn.Linear(8, 2).half(), self.x)
        with self.assertRaisesRegex(ValueError, "precision is 'fp8', expected \"strict-fp32\""):
            self.compiled(Layer(), options={"precision": "fp8"})

    def test_modules_of_export(self):
        """What export made takes positions; what kgen made cannot be exported."""
        module = Layer().eval()
        exported = torch.export.export(module, (self.x,)).module()
        self.runs(quietly(kgen.compile, exported, (self.x,)), module, self.x)
        with self.assertRaisesRegex(TypeError, "a compiled module cannot be exported: export the original"):
            torch.export.export(self.compiled(module), (self.x,))

    def test_what_forward_changes(self):
        class First(nn.Module):
            """Its first call in evaluation divides a weight, as RWKV's does."""

            def __init__(self):
                super().__init__()
                self.layer, self.divided = nn.Linear(8, 8), False

            def forward(self, x):
                if not self.divided:
                    with torch.no_grad():
                        self.layer.weight.div_(4)
                    self.divided = True
                return self.layer(x)

        module = First()
        compiled, twin = self.compiled(module), copy.deepcopy(module)
        self.assertFalse(module.divided)
        with torch.no_grad():
            torch.testing.assert_close(compiled(self.x), twin(self.x), rtol=1e-4, atol=1e-5)
        self.assertFalse(compiled.misses)
        torch.testing.assert_close(module.layer.weight, twin.layer.weight)
        self.misses("forward changes First.divided, which is True now", compiled, module, self.x)
        torch.testing.assert_close(module.layer.weight, twin.layer.weight)
        self.runs(self.compiled(module), twin, self.x)

    def test_forward_hooks(self):
        module = Layer()
        compiled = self.compiled(module)
        for register in (module.project.register_forward_hook, module.register_forward_pre_hook,
                         torch.nn.modules.module.register_module_forward_hook):
            seen = []
            handle = register(lambda *arguments: seen.append(1))
            self.misses("has other forward hooks", compiled, module, self.x)
            self.assertGreaterEqual(len(seen), 2)
            handle.remove()
            self.runs(compiled, module, self.x)
        # One that was there is in the graph.
        handle = module.project.register_forward_hook(lambda part, given, answer: answer * 2)
        compiled = self.compiled(module)
        self.runs(compiled, module, self.x)
        handle.remove()
        self.misses("project has other forward hooks", compiled, module, self.x)

    def test_moved_after_compiling(self):
        module = Layer()
        compiled = self.compiled(module)
        compiled.double()
        self.misses("float64", compiled, module, self.x.double())
        self.refuses_alike(compiled, module, self.x.half())
        compiled.float()
        self.runs(compiled, module, self.x)
        self.refuses_alike(compiled, module, self.x.half())
        compiled.to("meta")
        found, _ = self.misses("on meta", compiled, module, self.x.to("meta"))
        self.assertEqual(found.device.type, "meta")

    def test_one_tensor_for_two_inputs(self):
        class Two(nn.Module):
            def forward(self, x, y):
                return torch.softmax(x, -1) - y

        module, both = Two(), torch.randn(4, 8)
        compiled = self.compiled(module, self.x, self.x + 1)
        self.runs(compiled, module, self.x, self.x)
        self.runs(compiled, module, both[:2], both[1:3])  # memory in common, and one of them not at a multiple of 16 bytes
        self.runs(self.compiled(module, self.x, self.x), module, self.x, self.x + 1)

    # What is around a call

    def test_modes(self):
        module = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
        compiled = self.compiled(module)
        module[1].train()
        for _ in range(2):
            quietly(compiled, self.x)
        self.assertIn("1 changed between training and evaluation", str(kgen.report(compiled)))
        compiled.eval()
        self.runs(compiled, module, self.x)

    def test_autocast_gradients_and_transforms(self):
        module = Layer()
        compiled = self.compiled(module)
        with torch.autocast("cpu", torch.bfloat16):
            found, _ = self.misses("autocast is on", compiled, module, self.x)
        self.assertEqual(found.dtype, torch.bfloat16)
        quietly(compiled, self.x).sum().backward()
        self.assertIsNotNone(module.project.weight.grad)
        self.assertIn("gradients are on", str(kgen.report(compiled)))
        with torch.no_grad():
            rows = torch.randn(3, 2, 8)
            torch.testing.assert_close(quietly(torch.vmap(compiled), rows), torch.vmap(module)(rows))
            traced = quietly(torch.jit.trace, compiled, (self.x,), check_trace=False)
            torch.testing.assert_close(traced(self.x + 1), module(self.x + 1))
            torch.testing.assert_close(quietly(torch.compile(compiled, backend="eager"), self.x), module(self.x))
            with torch.inference_mode():
                self.runs(compiled, module, self.x)
                self.runs(compiled, module, torch.randn(2, 8))
                self.runs(self.compiled(module), module, self.x)

    def test_compiled_under_autocast(self):
        module = Layer()
        with torch.autocast("cpu", torch.bfloat16):
            compiled = self.compiled(module)
        self.runs(compiled, module, self.x)

    def test_copies(self):
        compiled = self.compiled(Layer())
        with self.assertRaisesRegex(TypeError, "copy the original and compile the copy"):
            copy.deepcopy(compiled)
        with self.assertRaisesRegex(TypeError, "save its state_dict"):
            torch.save(compiled, io.BytesIO())
        # What that sentence says to do.
        file = io.BytesIO()
        torch.save(compiled.state_dict(), file)
        file.seek(0)
        other = Layer()
        other.load_state_dict(torch.load(file))
        self.runs(self.compiled(other), compiled._original, self.x)

    def test_sorting_along_another_dimension(self):
        class Sorts(nn.Module):
            def forward(self, x):
                return torch.sort(x, 0).values - torch.gather(x, 0, torch.argsort(x, 0, descending=True))

        module = Sorts()
        self.runs(self.compiled(module), module, self.x)

    def test_what_export_cannot_take(self):
        with self.assertRaisesRegex(TypeError, "Layer.forward does not take these example inputs"):
            self.compiled(Layer(), self.x, 1.0, self.x)
        with self.assertRaisesRegex(kgen.CompileFailed, "torch.export cannot take Layer: [^\n]*$"):
            self.compiled(Layer(), torch.randn(2, 7))


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(3)
        cls.module, cls.x = Layer().eval(), torch.randn(2, 8)
        cls.bundle = cls.bundle_of(cls.compile())

    @classmethod
    def compile(cls):
        return quietly(kgen.compile, cls.module, (cls.x,))

    @staticmethod
    def bundle_of(compiled):
        return next(part.bundle for part in compiled._entries[0].graph.module.children() if hasattr(part, "bundle"))

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_tensors_on_the_cpu_for_a_card(self):
        folder = pathlib.Path(shutil.copytree(self.bundle.folder, self.folder / "bundle"))
        text = json.loads((folder / "bundle.json").read_text())
        (folder / "bundle.json").write_text(json.dumps({**text, "device": "cuda", "arch": "sm_90a"}))
        tensors = [torch.zeros(shape, dtype=dtype) for shape, dtype in self.bundle.inputs]
        with self.assertRaisesRegex(RuntimeFailed, "input 0 of .* on cpu, expected .* on cuda"):
            Bundle(folder).run(tensors)

    def test_a_damaged_cache_is_made_again(self):
        image = self.bundle.folder / "kernel.so"
        whole = image.read_bytes()
        # A new file: the one that is loaded stays what it is.
        image.unlink()
        image.write_bytes(whole[:len(whole) // 2])
        compiled = self.compile()
        self.assertEqual(kgen.report(compiled).share, 1)
        self.assertEqual(len(image.read_bytes()), len(whole))
        with torch.no_grad():
            torch.testing.assert_close(compiled(self.x), self.module(self.x), rtol=1e-4, atol=1e-5)

    def archive(self, change):
        """A .pt2 of the module, with CHANGE made to (name, bytes) of each of its files."""
        good, bad = self.folder / "good.pt2", self.folder / "bad.pt2"
        torch.export.save(torch.export.export(self.module, (self.x,)), good)
        with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
            for item in source.infolist():
                target.writestr(item.filename, change(item.filename, source.read(item.filename)))
        return bad

    def refused(self, path):
        with self.assertRaises(ImportRefused) as refused:
            quietly(import_file, path)
        words = str(refused.exception)
        self.assertIn("reading the archive failed: ", words)
        self.assertNotIn("\n", words)
        return words

    def test_archives(self):
        def versioned(name, content):
            return content.replace(b'"major": ', b'"major": 9') if name.endswith(".json") and b'"major"' in content else content
        self.assertRegex(self.refused(self.archive(versioned)), "it is of version 9[0-9]+, this PyTorch reads version [0-9]+$")
        path = self.archive(lambda name, content: content)
        self.assertIn("func.func @bad", quietly(import_file, path))
        path.write_bytes(path.read_bytes()[:-500])
        self.refused(path)
        path.write_text("no archive")
        self.refused(path)


if __name__ == "__main__":
    unittest.main()
