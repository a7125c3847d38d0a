# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile on device host: equal to PyTorch, by reference to its parameters, and never wrong on other calls."""
import json
import pathlib
import shutil
import tempfile
import threading
import unittest
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import kgen
from kgen.backend import kgen_backend
from kgen.runtime import Bundle, RuntimeFailed


class Block(nn.Module):
    """Attention, a norm, a buffer that counts calls, and an op that kgen has not."""

    def __init__(self):
        super().__init__()
        self.project, self.norm = nn.Linear(16, 32), nn.LayerNorm(32)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, scale=1.0):
        self.calls.add_(1)
        y = self.norm(torch.relu(self.project(x)))
        q = y.view(2, 4, 2, 16).transpose(1, 2)
        return {"attended": F.scaled_dot_product_attention(q, q, q), "determinant": torch.linalg.det(y[:, :4, :4] * scale)}


def quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


class CompileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(7)
        cls.x = torch.randn(2, 4, 16)
        cls.module = Block().eval()
        cls.compiled = quietly(lambda: kgen.compile(cls.module, (cls.x,)))

    def same(self, *arguments):
        with torch.no_grad():
            expected, found = self.module(*arguments), self.compiled(*arguments)
        self.assertEqual(list(expected), list(found))
        for name in expected:
            torch.testing.assert_close(found[name], expected[name], rtol=1e-4, atol=1e-5)

    def test_strides_in_the_memory_of_another_part(self):
        """as_strided counts in the memory that its operand is a view of, which another kernel's result is not."""
        class Strided(nn.Module):
            def forward(self, x, y):
                part = nn.functional.group_norm(x, 1).select(0, -1)
                turned = torch.softmax(y, 0).permute(1, 0)
                return part.as_strided([2, 2], [3, 1], 7), turned[1:].as_strided([3, 2], [1, 3], 2), part.as_strided([0], [1], 0)

        module, inputs = Strided(), (torch.randn(3, 2, 3), torch.randn(4, 3))
        with torch.no_grad():
            compiled = kgen.compile(module, inputs)
            for found, expected in zip(compiled(*inputs), module(*inputs)):
                torch.testing.assert_close(found, expected)
        self.assertFalse(compiled.misses)

    def test_equal(self):
        self.same(self.x)
        self.same(torch.randn(2, 4, 16))

    def test_coverage_names_what_stays(self):
        coverage = kgen.report(self.compiled)
        kept = [row for row in coverage.rows if row[2] == "PyTorch"]
        self.assertEqual([row[0].strip("_") for row in kept], ["linalg_det"])
        self.assertIn("test_compile.py:", kept[0][4])
        self.assertGreater(coverage.share, 0.8)
        self.assertGreater(coverage.kernels, 3)

    def test_weights_by_reference(self):
        with torch.no_grad():
            self.module.project.weight.mul_(-0.5)
        self.same(self.x)
        self.compiled.load_state_dict({name: value + 0.25 for name, value in self.module.state_dict().items()})
        self.same(self.x)
        self.assertEqual([name for name, _ in self.compiled.named_parameters()],
                         [name for name, _ in self.module.named_parameters()])

    def test_buffers_are_updated(self):
        before = self.module.calls.item()
        with torch.no_grad():
            self.compiled(self.x)
        self.assertEqual(self.module.calls.item(), before + 1)

    def test_misses_run_the_original(self):
        for arguments, word in [((torch.randn(2, 4, 16, dtype=torch.float64),), "float64"),
                                ((torch.randn(16, 4, 2).permute(2, 1, 0),), "strides"),
                                ((self.x, 2.0), "structure")]:
            compiled = self.compiled
            compiled._said.clear()
            with torch.no_grad(), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    expected = self.module(*arguments)
                except RuntimeError as error:
                    with self.assertRaisesRegex(RuntimeError, "dtype"):
                        compiled(*arguments)
                    self.assertIn("dtype", str(error))
                else:
                    found = compiled(*arguments)
                    torch.testing.assert_close(found["attended"], expected["attended"])
            self.assertTrue(any(word in str(warning.message) for warning in said), [str(w.message) for w in said])
        self.assertTrue(kgen.report(compiled).misses)

    def test_gradients_run_the_original(self):
        loss = quietly(lambda: self.compiled(self.x))["attended"].sum()
        loss.backward()
        self.assertIsNotNone(self.module.project.weight.grad)

    def test_threads(self):
        with torch.no_grad():
            expected, results = self.compiled(self.x)["attended"], [None] * 4

            def work(index):
                with torch.no_grad():
                    results[index] = self.compiled(self.x)["attended"]
            threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for result in results:
            self.assertTrue(torch.equal(result, expected))

    def test_bad_use(self):
        with self.assertRaisesRegex(TypeError, "expected a torch.nn.Module, found function"):
            kgen.compile(lambda x: x, (self.x,))
        with self.assertRaisesRegex(ValueError, "search is 'fast'"):
            kgen.compile(self.module, (self.x,), search="fast")

        class Untraceable(nn.Module):
            def forward(self, x):
                return x * 2 if x.sum() > 0 else x
        module = Untraceable()
        compiled = quietly(lambda: kgen.compile(module, (self.x,)))
        with torch.no_grad():
            for x in (self.x.abs(), -self.x.abs()):
                torch.testing.assert_close(quietly(lambda: compiled(x)), module(x))

        class Untypable(nn.Module):
            def forward(self, x):
                return x + self.missing
        with self.assertRaisesRegex(kgen.CompileFailed, "torch.export cannot take Untypable: .*missing"):
            quietly(lambda: kgen.compile(Untypable(), (self.x,)))


class Pads(nn.Module):
    """As much as a buffer says: no graph as a whole, and sizes that Dynamo does not know."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 3)
        self.register_buffer("stride", torch.tensor(3))

    def forward(self, x):
        length = x.shape[-1]
        extra = (length / self.stride).ceil().to(torch.int64) * self.stride - length
        if length <= max(2, extra):
            x = F.pad(x, (0, 2))
        return self.conv(F.pad(x, (2, extra), mode="reflect"))


class BackendTest(unittest.TestCase):
    def test_modules_that_depend_on_data_are_compiled_in_pieces(self):
        module, x = Pads().eval(), torch.randn(1, 2, 10)
        compiled = quietly(lambda: kgen.compile(module, (x,)))
        with torch.no_grad():
            for scale in (1, 2):
                module.conv.weight.mul_(scale)
                torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)
            self.assertFalse(compiled.misses)
            coverage = kgen.report(compiled)
            self.assertIn("in pieces", str(coverage))
            # What tracing asserts of sizes is no op of the module's.
            self.assertNotIn("built-in function", str(coverage))
            self.assertIn("item: aten.item is not in the dialect", str(coverage))
            self.assertGreater(coverage.kernels, 0)
            # What the data says is asked anew.
            module.stride.fill_(4)
            torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)
            kgen.refresh(compiled)
            torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)
            wide = torch.randn(1, 2, 11)
            torch.testing.assert_close(quietly(lambda: compiled(wide)), module(wide))
        self.assertIn("(1, 2, 11)", str(kgen.report(compiled)))
        quietly(lambda: compiled(x)).sum().backward()
        self.assertIsNotNone(module.conv.weight.grad)

    def test_sizes_that_depend_on_data(self):
        module, x = Pads().eval(), torch.randn(1, 2, 10)
        with torch.no_grad():
            compiled = torch.compile(module, backend=kgen_backend)
            torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)

    def test_modules_that_forward_makes_are_compiled_once(self):
        """What kgen counts of modules is nothing that Dynamo guards on, for its own backend or another."""
        class Slices(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

            def forward(self, x):
                for layer in self.layers[:2]:  # a new ModuleList in each call, as in transformers' decoders
                    x = torch.relu(layer(x))
                return x

        def counted(graph, example):
            graphs.append(graph)
            return graph.forward

        graphs, module = [], Slices().eval()
        compiled = torch.compile(module, backend=counted)
        with torch.no_grad():
            for _ in range(4):
                compiled(torch.randn(2, 4))
        self.assertEqual(len(graphs), 1)

    def test_equal_and_falls_back(self):
        module = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16)).eval()
        compiled = torch.compile(module, backend=kgen_backend)
        with torch.no_grad():
            for shape in ((4, 8), (5, 8), (6, 8)):
                x = torch.randn(shape)
                torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)
            module[0].weight.mul_(2)
            torch.testing.assert_close(quietly(lambda: compiled(x)), module(x), rtol=1e-4, atol=1e-5)


class Step(nn.Module):
    """One step of attention with a cache, which is written in place."""

    def __init__(self, length=16):
        super().__init__()
        self.project = nn.Linear(16, 48)
        self.register_buffer("keys", torch.zeros(1, 2, length, 8))
        self.register_buffer("values", torch.zeros(1, 2, length, 8))

    def forward(self, x, position):
        q, k, v = (part.view(1, 1, 2, 8).transpose(1, 2) for part in self.project(x).chunk(3, -1))
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        mask = torch.arange(self.keys.shape[2]) <= position
        return F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask[None, None, None])


class InPlaceTest(unittest.TestCase):
    """A step writes its position of each cache, and copies none."""

    def setUp(self):
        torch.manual_seed(11)
        self.module, self.other = Step().eval(), Step().eval()
        self.other.load_state_dict(self.module.state_dict())

    def steps(self, compiled, positions=(0, 3, 3, 15)):
        with torch.no_grad():
            for position in positions:
                x, at = torch.randn(1, 16), torch.tensor([position])
                torch.testing.assert_close(compiled(x, at), self.other(x, at), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(self.module.keys, self.other.keys, rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(self.module.values, self.other.values, rtol=1e-4, atol=1e-5)

    def copies(self, call):
        """How many tensors CALL copies into others."""
        class Watch(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, arguments=(), keywords=None):
                seen.append(function.__name__)
                return function(*arguments, **(keywords or {}))
        seen = []
        with Watch():
            call()
        return seen.count("copy_")

    def test_caches_are_written_where_they_lie(self):
        for kernels in ("generic", "first"):
            compiled = quietly(lambda: kgen.compile(self.module, (torch.randn(1, 16), torch.tensor([2])), kernels=kernels))
            self.assertFalse(self.module.keys.any() and kernels == "generic", "compiling wrote into a buffer")
            place, version = self.module.keys.data_ptr(), self.module.keys._version
            self.assertEqual(self.copies(lambda: self.steps(compiled)), 0)
            self.assertEqual(self.module.keys.data_ptr(), place)
            self.assertEqual(self.module.keys._version, version + 4)  # whoever holds it sees that it changed
            self.assertFalse(compiled.misses)

    def test_what_lies_otherwise_is_copied(self):
        # Four bytes off what kernels read: they get a copy, which is copied back.
        for module in (self.module, self.other):
            for name in ("keys", "values"):
                setattr(module, name, torch.zeros(1 * 2 * 16 * 8 + 1)[1:].view(1, 2, 16, 8))
        compiled = quietly(lambda: kgen.compile(self.module, (torch.randn(1, 16), torch.tensor([2]))))
        self.assertEqual(self.copies(lambda: self.steps(compiled)), 8)
        self.assertFalse(compiled.misses)

    def test_backend(self):
        compiled = torch.compile(self.module, backend=kgen_backend)
        quietly(lambda: self.steps(compiled))

    def test_old_values_that_somebody_reads_are_kept(self):
        class Both(Step):
            def forward(self, x, position):
                before = self.keys.sum()
                return before, super().forward(x, position)
        self.module, self.other = Both().eval(), Both().eval()
        self.other.load_state_dict(self.module.state_dict())
        self.steps(quietly(lambda: kgen.compile(self.module, (torch.randn(1, 16), torch.tensor([2])))))

    def test_bundle_begins_with_a_copy(self):
        compiled = quietly(lambda: kgen.compile(self.module, (torch.randn(1, 16), torch.tensor([2]))))
        bundle, = [each for each in compiled._entries[0].graph._bundles() if max(each.updates) >= 0]
        self.assertEqual(len([number for number in bundle.updates if number >= 0]), 2)
        given = [torch.randint(0, 16, shape) if dtype == torch.int64 else torch.randn(shape, dtype=dtype) for shape, dtype in bundle.inputs]
        held = [value.clone() for value in given]
        for number, result in zip(bundle.updates, bundle.run(given)):
            if number >= 0:
                self.assertEqual(int((result != given[number]).any(-1).sum()), 2)  # a row of each head
        for value, was in zip(given, held):
            self.assertTrue(torch.equal(value, was))


class BundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        module = nn.Sequential(nn.Linear(8, 8)).eval()
        compiled = quietly(lambda: kgen.compile(module, (torch.randn(2, 8),)))
        cls.folder = next(part.bundle.folder for part in compiled._entries[0].graph.module.children()
                          if hasattr(part, "bundle"))

    def copied(self):
        folder = pathlib.Path(tempfile.mkdtemp()) / "bundle"
        self.addCleanup(shutil.rmtree, folder.parent)
        return pathlib.Path(shutil.copytree(self.folder, folder))

    def refused(self, folder, words):
        with self.assertRaisesRegex(RuntimeFailed, words):
            Bundle(folder)

    def test_damaged(self):
        folder = self.copied()
        image = folder / "kernel.so"
        image.write_bytes(image.read_bytes()[:1000])
        self.refused(folder, "kernel.so has 1000 bytes, expected [0-9]+: the bundle is damaged")
        folder = self.copied()
        text = (folder / "bundle.json").read_text()
        (folder / "bundle.json").write_text(text[:len(text) // 2])
        self.refused(folder, "bundle.json is not a bundle: parse error")
        (folder / "bundle.json").unlink()
        self.refused(folder, "bundle.json cannot be read")

    def test_another_version(self):
        folder = self.copied()
        description = json.loads((folder / "bundle.json").read_text())
        (folder / "bundle.json").write_text(json.dumps({**description, "version": 99}))
        self.refused(folder, "it is of version 99, this runtime reads versions 1 to 3")

    def test_wrong_tensors(self):
        bundle = Bundle(self.folder)
        shapes = [torch.zeros(shape, dtype=dtype) for shape, dtype in bundle.inputs]
        with self.assertRaisesRegex(RuntimeFailed, r"input 0 of .* is a torch.float32 tensor of shape \(3,\)"):
            bundle.run([torch.zeros(3), *shapes[1:]])
        with self.assertRaisesRegex(RuntimeFailed, "take 3 tensors, found 1"):
            bundle.run(shapes[:1])


class Squares(nn.Module):
    """A projection, a residual sum and its squares in float32, as in T5's and Llama's norms."""

    def __init__(self):
        super().__init__()
        self.projection = nn.Linear(1024, 256, bias=False)

    def forward(self, hidden, residual):
        total = residual + self.projection(hidden)
        return total.float().pow(2), total


class Viewed(nn.Module):
    """An op that kgen has not, behind a view that is right only on the strides of PyTorch's own product."""

    def forward(self, x):
        doubled = x.transpose(1, 2) * 2
        return doubled + 1, torch.special.bessel_j0(doubled.transpose(1, 2).view(2, 32, 16))


class MixedPartsTest(unittest.TestCase):
    def test_rounding_between_types(self):
        torch.manual_seed(0)
        module = Squares().eval().bfloat16()
        values = torch.randn(256, 1024).bfloat16(), torch.randn(256, 256).bfloat16() * 4
        with torch.no_grad():
            compiled = quietly(lambda: kgen.compile(module, values))
            self.assertEqual(kgen.report(compiled).share, 1.0, str(kgen.report(compiled)))
            for found, expected in zip(compiled(*values), module(*values)):
                torch.testing.assert_close(found.float(), expected.float(), rtol=5e-2, atol=5e-2)

    def test_view_of_row_major(self):
        torch.manual_seed(0)
        module, x = Viewed().eval(), torch.randn(2, 4, 8, 16)
        with torch.no_grad():
            compiled = quietly(lambda: kgen.compile(module, (x,)))
            self.assertEqual({row[2] for row in kgen.report(compiled).rows}, {"kgen", "PyTorch"})
            for found, expected in zip(compiled(x), module(x)):
                torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


class Image(nn.Module):
    """A convolution, and its result as PyTorch's own op leaves it."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x)))
        return y, y.mean((2, 3)), torch.special.i1(x)


class Transposed(nn.Module):
    """A weight and results that are transposed in memory, and the input itself."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(7, 5).t())

    def forward(self, x):
        return (x @ self.weight).t(), x.t() + 1, x


class LayoutTest(unittest.TestCase):
    """Memory that is a permutation of row-major order: results are equal and lie as PyTorch's do, and nothing is copied first."""

    def check(self, module, x):
        with torch.no_grad():
            compiled = quietly(lambda: kgen.compile(module, (x,)))
            dynamo = torch.compile(module, backend=kgen_backend)
            for call in (compiled, lambda x: quietly(lambda: dynamo(x))):
                for expected, found in zip(module(x), call(x), strict=True):
                    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
                    self.assertEqual(found.stride(), expected.stride())
            self.assertEqual(compiled.misses, {})
            for parameter in module.parameters():
                parameter.mul_(1.5).add_(0.1)
            for expected, found in zip(module(x), compiled(x), strict=True):
                torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        return kgen.report(compiled)

    def test_channels_last(self):
        module, x = Image().eval(), torch.randn(2, 3, 12, 10)
        plain = quietly(lambda: kgen.compile(module, (x,)))
        last = {"memory_format": torch.channels_last}
        report = self.check(module.to(**last), x.to(**last))
        self.assertEqual(report.nodes, kgen.report(plain).nodes)  # permutations are not counted
        self.assertEqual([row[0] for row in report.rows if row[2] != "kgen"], ["bessel_i1"])

    def test_transposed(self):
        self.check(Transposed().eval(), torch.randn(5, 4).t())

    def test_row_major_when_it_was_not(self):
        module, x = Image().eval(), torch.randn(2, 3, 12, 10).to(memory_format=torch.channels_last)
        compiled = quietly(lambda: kgen.compile(module, (x,)))
        with torch.no_grad():
            for expected, found in zip(module(x), quietly(lambda: compiled(x.contiguous())), strict=True):
                torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        self.assertEqual(len(compiled.misses), 1)


if __name__ == "__main__":
    unittest.main()
