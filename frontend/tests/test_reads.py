# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that change after kgen.compile, and forwards that do more than answer: PyTorch's answer, by kgen's kernels or by the original."""
import copy
import enum
import functools
import random
import threading
import types
import unittest
import unittest.mock
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import kgen
from kgen.backend import compiled_graph, kgen_backend

SCALE = 2.0


class Color(enum.Enum):
    RED = 1


class Read(nn.Module):
    """One kernel's work, and whatever a test hangs on it."""

    def __init__(self, **attributes):
        super().__init__()
        self.project = nn.Linear(8, 8)
        for name, value in attributes.items():
            setattr(self, name, value)

    def forward(self, x):
        return self.project(x)


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.x = torch.randn(2, 8)

    def compiled(self, module, *arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kgen.compile(module.eval(), arguments or (self.x,), **options)

    def same(self, compiled, module, *arguments, original=None):
        """MODULE's answer; by the original if ORIGINAL is true, by kgen if it is false."""
        arguments = arguments or (self.x,)
        before = sum(compiled.misses.values())
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, expected = compiled(*arguments), module(*arguments)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        if original is not None:
            self.assertEqual(sum(compiled.misses.values()) > before, original, compiled.misses)
        return found


class ChangedTest(Case):
    """What a module reads beside its arguments is part of what the kernels were made for."""

    def test_tensors_among_the_attributes(self):
        class Masked(Read):
            def forward(self, x):
                return self.project(x) * self.mask + self.list[0] * self.number

        module = Masked(mask=torch.randn(8), list=[torch.randn(8)], number=torch.tensor(2.0))
        compiled = self.compiled(module)
        module.mask.mul_(2)
        module.number.fill_(5)
        self.same(compiled, module, original=False)
        module.mask = torch.randn(8)
        self.same(compiled, module, original=False)
        module.list[0].mul_(2)
        self.same(compiled, module, original=False)
        kept, module.list[0] = module.list[0], torch.randn(8)
        self.same(compiled, module, original=True)
        self.assertIn("list.0 is another tensor", str(kgen.report(compiled)))
        module.list = [kept]  # another list of the same tensors
        self.same(compiled, module, original=False)
        module.mask = torch.randn(1)
        self.same(compiled, module, original=True)
        module.mask = 3.0
        self.same(compiled, module, original=True)

    def test_configurations(self):
        class Configured(Read):
            def forward(self, x):
                y = self.project(x) * self.config.scale * self.settings["scale"]
                return (y + self.config.inner.shift) * SCALE

        module = Configured(config=types.SimpleNamespace(scale=2.0, inner=types.SimpleNamespace(shift=1.0)), settings={"scale": 1.0, "more": [1]})
        compiled = self.compiled(module)
        self.same(compiled, module, original=False)
        module.config.inner.shift = 3.0
        self.same(compiled, module, original=True)
        self.assertIn("config.inner.shift is 3.0, the kernels are for 1.0", str(kgen.report(compiled)))
        module.config = types.SimpleNamespace(scale=2.0, inner=types.SimpleNamespace(shift=1.0))
        self.same(compiled, module, original=False)
        module.settings["scale"] = 4.0
        self.same(compiled, module, original=True)
        module.settings["scale"] = 1.0
        self.same(compiled, module, original=False)
        with unittest.mock.patch(f"{__name__}.SCALE", 7.0):
            self.same(compiled, module, original=True)

    def test_functions_and_classes(self):
        class Activated(Read):
            def forward(self, x):
                return self.finish(self.activation(self.project(x)))

            def finish(self, y):
                return y + 1 if self.training else y

        class Thrice(nn.Linear):
            def forward(self, x):
                return super().forward(x) * 3

        module = nn.Sequential(Activated(activation=F.relu))
        part, compiled = module[0], self.compiled(module)
        part.activation = torch.tanh
        self.same(compiled, module, original=True)
        part.activation = F.relu
        self.same(compiled, module, original=False)
        part.finish = torch.sigmoid  # in the place of a method
        self.same(compiled, module, original=True)
        del part.finish
        part.train()  # what a method reads that forward calls
        self.same(compiled, module, original=True)
        part.eval()
        self.same(compiled, module, original=False)
        part.project.__class__ = Thrice
        self.same(compiled, module, original=True)
        part.project.__class__ = nn.Linear
        with unittest.mock.patch.object(Activated, "forward", lambda self, x: x * 4):
            self.same(compiled, module, original=True)
        self.same(compiled, module, original=False)

    def test_numbers_of_another_type(self):
        class Scaled(nn.Module):
            scale = None

            def forward(self, x):
                return x * self.scale

        module, x = Scaled(), torch.arange(6)
        module.scale = 2
        compiled = self.compiled(module, x)
        module.scale = 2.0
        self.same(compiled, module, x, original=True)

    def test_parameters_and_parts_that_come_and_go(self):
        class Optional(Read):
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x if self.mask is None else x * self.mask

        module = Optional(layers=nn.ModuleList([nn.Linear(8, 8, bias=False), nn.Linear(8, 8)]))
        module.register_buffer("mask", None)
        compiled = self.compiled(module)
        self.same(compiled, module, original=False)
        module.mask = torch.full((8,), 3.0)
        self.same(compiled, module, original=True)
        module.mask = None
        self.same(compiled, module, original=False)
        module.layers[0].bias = nn.Parameter(torch.ones(8))
        self.same(compiled, module, original=True)
        self.assertIn("layers.0.bias came or went", str(kgen.report(compiled)))
        module.layers[0].bias = None
        last = module.layers._modules.pop("1")  # as no hook of PyTorch's sees it
        self.same(compiled, module, original=True)
        module.layers._modules["1"] = nn.Linear(8, 8)
        self.same(compiled, module, original=True)
        module.layers._modules["1"] = last
        self.same(compiled, module, original=False)

    def test_modules_that_are_not_registered(self):
        class Hidden(Read):
            def forward(self, x):
                return self.layers[0](x)

        module = Hidden(layers=[nn.Linear(8, 8)])
        compiled = self.compiled(module)
        with torch.no_grad():
            module.layers[0].weight.mul_(2)
        self.same(compiled, module, original=False)
        module.layers[0].weight = nn.Parameter(torch.randn(8, 8))
        self.same(compiled, module, original=True)

    def test_lists_of_parameters(self):
        """PyTorch's recurrent layers keep one: a replaced parameter is what the kernels read."""
        class Recurrent(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell = nn.GRU(8, 8)

            def forward(self, x):
                return self.cell(x)[0]

        module = Recurrent()
        compiled = self.compiled(module)
        module.cell.weight_ih_l0 = nn.Parameter(torch.randn(24, 8))
        self.same(compiled, module, original=False)

    def test_hooks_that_read(self):
        module, scale = Read(), {"scale": 2.0}
        module.project.register_forward_hook(lambda part, given, answer: answer * scale["scale"])
        compiled = self.compiled(module)
        self.same(compiled, module, original=False)
        scale["scale"] = 5.0
        self.same(compiled, module, original=True)

    def test_modes_of_the_process(self):
        class Asks(Read):
            def forward(self, x):
                return x * (2 if torch.is_grad_enabled() else 3) + torch.ones(8)

        module = Asks()
        compiled = self.compiled(module)
        self.same(compiled, module, original=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.testing.assert_close(compiled(self.x), module(self.x))
        torch.set_default_dtype(torch.float64)
        try:
            self.same(compiled, module, original=True)
        finally:
            torch.set_default_dtype(torch.float32)


class EffectsTest(Case):
    """What forward does beside its answer is done in each call, and was not done by kgen.compile."""

    def runs_like(self, module, calls=3):
        compiled, twin = self.compiled(module), copy.deepcopy(module)
        for _ in range(calls):
            x = torch.randn(2, 8)
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.testing.assert_close(compiled(x), twin(x), rtol=1e-4, atol=1e-5)
        self.assertFalse(compiled.misses)
        return compiled, twin

    def test_lists_that_grow(self):
        class Remembers(Read):
            def forward(self, x):
                self.history.append(self.project(x))
                return self.history[-1] * len(self.history)

        module = Remembers(history=[])
        compiled, twin = self.runs_like(module)
        torch.testing.assert_close(module.history, twin.history, rtol=1e-4, atol=1e-5)
        self.assertIn("it changes history", str(kgen.report(compiled)))

    def test_attributes_that_hold_tensors(self):
        class Caches(Read):
            def forward(self, x):
                self.last = self.project(x)
                self.cache = self.last if self.cache is None else self.cache + self.last
                return self.cache * 2

        module = Caches(cache=None)
        _, twin = self.runs_like(module)
        torch.testing.assert_close((module.cache, module.last), (twin.cache, twin.last), rtol=1e-4, atol=1e-5)

    def test_buffers_that_are_replaced_or_made(self):
        class Makes(Read):
            def __init__(self):
                super().__init__()
                self.register_buffer("made", None, persistent=False)
                self.register_buffer("scale", torch.ones(8))

            def forward(self, x):
                if self.made is None:
                    self.made = torch.arange(8.0)
                self.scale = self.scale * 2
                return self.project(x) * self.made * self.scale

        module = Makes()
        compiled, twin = self.runs_like(module)
        torch.testing.assert_close((module.made, module.scale), (twin.made, twin.scale))

    def test_compiling_leaves_the_module_as_it_was(self):
        class Counts(Read):
            def __init__(self):
                super().__init__(list=[], last=None, calls=0)
                self.register_buffer("sum", torch.zeros(8))

            def forward(self, x):
                self.list.append(x)
                self.last, self.calls, self.sum = x, self.calls + 1, self.sum + x[0]
                return self.sum + (1 if x.sum() > 0 else 2)  # in pieces

        module = Counts()
        self.compiled(module)
        self.assertEqual((module.list, module.last, module.calls), ([], None, 0))
        torch.testing.assert_close(module.sum, torch.zeros(8))

    def test_hooks_that_keep(self):
        module, kept = Read(), []
        module.project.register_forward_hook(lambda part, given, answer: kept.append(answer))
        compiled = self.compiled(module)
        self.assertEqual(kept, [])
        self.same(compiled, module)
        torch.testing.assert_close(kept[0], kept[1], rtol=1e-4, atol=1e-5)

    def test_random_numbers(self):
        class Draws(Read):
            def forward(self, x):
                return F.dropout(self.project(x), 0.5, self.training) * random.random()

        state = torch.get_rng_state(), random.getstate()
        module = Draws()
        state = torch.get_rng_state(), random.getstate()
        compiled = self.compiled(module)
        torch.testing.assert_close(state[0], torch.get_rng_state())
        self.assertEqual(state[1], random.getstate())
        answers = []
        for call in (compiled, module):
            random.seed(1)
            with torch.no_grad():
                answers.append([call(self.x) for _ in range(2)])
        torch.testing.assert_close(*answers, rtol=1e-4, atol=1e-5)
        self.assertIn("random numbers", str(kgen.report(compiled)))

    def test_hooks_on_modules_in_pieces(self):
        class Chooses(Read):
            def forward(self, x):
                y = self.project(x)
                return y * 2 if y.sum() > 0 else y - 1

        module = Chooses()
        compiled = self.compiled(module)
        self.assertEqual(kgen.report(compiled).share, 0)  # nothing is made before the first call
        self.same(compiled, module, original=False)
        self.assertEqual(kgen.report(compiled).share, 1)
        handle = module.project.register_forward_hook(lambda part, given, answer: answer * 3)
        self.same(compiled, module, original=True)
        handle.remove()
        self.same(compiled, module, original=False)

    def test_modules_compiled_in_several_threads(self):
        """Export sets flags and patches functions for all threads."""
        modules, made = [nn.Sequential(nn.Linear(8, 8 + index), nn.ReLU()).eval() for index in range(4)], {}

        def make(module):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made[module] = kgen.compile(module, (self.x,))
        threads = [threading.Thread(target=make, args=(module,)) for module in modules]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for module in modules:
            self.same(made[module], module, original=False)


class AnswersTest(Case):
    def test_answers_that_hide_tensors(self):
        class Hides(Read):
            def __init__(self, form):
                super().__init__()
                self.form = form

            def forward(self, x):
                return self.form(x + 1)

        for form, opened in ((lambda y: {y}, list), (lambda y: (y * i for i in (1, 2)), list), (lambda y: (lambda: y), lambda hidden: hidden()),
                             (lambda y: functools.partial(torch.mul, y), lambda hidden: hidden(2)), (lambda y: {"y": y, "color": Color.RED}, lambda answer: (answer["y"], answer["color"].value))):
            module = Hides(form)
            compiled = self.compiled(module)
            for x in (self.x, self.x * 2):
                with torch.no_grad():
                    torch.testing.assert_close(opened(compiled(x)), opened(module(x)))

    def test_networks_that_magnify_roundings(self):
        class Chaotic(nn.Module):
            def __init__(self):
                super().__init__()
                self.project = nn.Linear(512, 64)

            def forward(self, x):
                x = torch.sigmoid(self.project(x))
                for _ in range(18):
                    x = 3.9999 * x * (1 - x)
                return x

        module, x = Chaotic(), torch.randn(16, 512)
        compiled = self.compiled(module, x)
        with torch.no_grad():
            found, expected, exact = compiled(x), module(x), copy.deepcopy(module).double()(x.double())
        self.assertGreater((found - expected).norm(), 0.01 * expected.norm())
        self.assertLess((found - exact).norm(), 3 * (expected - exact).norm())
        self.assertEqual(kgen.report(compiled).share, 1)
        # Exported in a form that rounds elsewhere, it is still that network.
        real = torch.export.export

        def otherwise(traced, *arguments, **keywords):
            with unittest.mock.patch.object(torch, "sigmoid", lambda x: 1 / (1 + torch.exp(-x))):
                return real(traced, *arguments, **keywords)
        with unittest.mock.patch.object(torch.export, "export", otherwise):
            self.assertEqual(kgen.report(self.compiled(module, x)).share, 1)

    def test_what_was_given_comes_back(self):
        class Returns(Read):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(3))

            def forward(self, x):
                x.add_(1)
                self.count.add_(1)
                return x, self.count, self.project.weight, x * 2

        module = Returns()
        compiled, x = self.compiled(module, self.x.clone()), self.x.clone()
        with torch.no_grad():
            found = compiled(x)
        self.assertIs(found[0], x)
        self.assertIs(found[1], module.count)
        self.assertIs(found[2], module.project.weight)
        torch.testing.assert_close((x, module.count, found[3]), (self.x + 1, torch.ones(3), (self.x + 1) * 2))

    def test_one_tensor_twice_in_the_example(self):
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(2, 8))

            def forward(self, pair, scale):
                return (pair[0] * 2 - pair[1]) * scale

        module = Two()
        compiled = self.compiled(module, [self.x, self.x], module.weight)
        self.same(compiled, module, [self.x, self.x + 1], torch.randn(2, 8), original=False)
        self.same(compiled, module, [self.x, self.x], module.weight, original=False)

    def test_numbers_that_change_in_each_call(self):
        class Scaled(nn.Module):
            def forward(self, x, scale):
                return x * scale

        module = Scaled()
        compiled = self.compiled(module, self.x, 0)
        for number in range(1, 100):
            self.same(compiled, module, self.x, number, original=True)
        self.assertLess(len(compiled.misses), 50)
        self.assertEqual(sum(compiled.misses.values()), 99)


class BackendTest(Case):
    """Graphs of Dynamo's that write to what they get, or hold tensors."""

    def runs(self, function, *arguments):
        """FUNCTION's answers by kgen's kernels, and what it does to its arguments."""
        made = []

        def backend(module, inputs):
            made.append(compiled_graph(module, inputs, search="none"))
            return made[-1][0].run
        torch._dynamo.reset()
        fast, twin = torch.compile(function, backend=backend), copy.deepcopy(function)
        with torch.no_grad():
            for _ in range(2):
                mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
                torch.testing.assert_close((fast(*mine), mine), (twin(*theirs), theirs), rtol=1e-4, atol=1e-5)
        if isinstance(function, nn.Module):
            torch.testing.assert_close(function.state_dict(), twin.state_dict())
        self.assertEqual([graph.coverage.share for graph, _ in made], [1])

    def test_writes(self):
        class Counts(Read):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(8))

            def forward(self, x):
                self.count.add_(x[0])
                return self.project(x) + self.count

        def slices(x, y):
            x[:, 1:] = y[:, 1:]
            return y.relu_() + x
        self.runs(Counts(), self.x)
        self.runs(nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)).train(), self.x)
        self.runs(slices, self.x, self.x * 2)

    def test_holds(self):
        self.runs(lambda x: (x + torch.tensor([1.0] * 8), x * torch.tensor(3.0)), self.x)

    def test_dropout_that_drops_nothing(self):
        def dropped(x):
            x = x * 3
            y = F.dropout(x, 0.5, False)
            x.add_(1)
            return y * 2
        self.runs(dropped, self.x)
        module = types.new_class("Dropped", (nn.Module,), exec_body=lambda space: space.update(forward=lambda self, x: dropped(x)))()
        self.same(self.compiled(module), module, original=False)

    def test_memory_in_common(self):
        def doubled(x, y):
            x.mul_(2)
            return x + y
        fast, rows = torch.compile(doubled, backend=kgen_backend, dynamic=False), torch.randn(3, 8)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for take in (lambda rows: (rows[:2], rows[1:].clone()), lambda rows: (rows[:2], rows[1:])):
                mine, theirs = rows.clone(), rows.clone()
                torch.testing.assert_close((fast(*take(mine)), mine), (doubled(*take(theirs)), theirs))


class WrapperTest(Case):
    def test_what_is_set_is_the_originals(self):
        class Scaled(Read):
            def forward(self, x):
                return self.project(x) * self.scale

        module = Scaled(scale=2.0)
        compiled = self.compiled(module)
        compiled.scale = 3.0
        self.assertEqual(module.scale, 3.0)
        self.same(compiled, module, original=True)
        compiled.project = nn.Linear(8, 8)
        self.assertIs(compiled.project, module.project)
        self.same(compiled, module, original=True)

    def test_as_a_part_of_another_module(self):
        plain = nn.Sequential(Read(), nn.Linear(8, 8))
        parent = nn.Sequential(self.compiled(Read()), nn.Linear(8, 8))
        self.assertEqual(list(parent.state_dict()), list(plain.state_dict()))
        parent.load_state_dict(plain.state_dict())
        with torch.no_grad():
            torch.testing.assert_close(parent(self.x), plain(self.x), rtol=1e-4, atol=1e-5)
        with self.assertRaisesRegex(RuntimeError, "Missing key.*0.*project.bias"):
            parent.load_state_dict({name: value for name, value in plain.state_dict().items() if name != "0.project.bias"})

    def test_torchscript(self):
        for script in (torch.jit.script, functools.partial(torch.jit.trace, example_inputs=(self.x,))):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scripted = script(Read().eval())
            with self.assertRaisesRegex(kgen.CompileFailed, "^Read is TorchScript, .*: compile the module that it was made from$"):
                kgen.compile(scripted, (self.x,))

    def test_options_of_the_backend(self):
        module = Read().eval()
        with torch.no_grad():
            fast = torch.compile(module, backend=kgen_backend, options={"precision": "tf32"})
            torch.testing.assert_close(fast(self.x), module(self.x), rtol=1e-2, atol=1e-2)
            for options, words in (({"options": {"depth": 1}}, "option 'depth' is unknown"), ({"mode": "max-autotune"}, "mode is 'max-autotune'"),
                                   ({"options": {"precision": "fp8"}}, "precision is 'fp8'")):
                torch._dynamo.reset()
                with self.assertRaisesRegex(Exception, words):
                    torch.compile(module, backend=kgen_backend, **options)(self.x)


if __name__ == "__main__":
    unittest.main()
