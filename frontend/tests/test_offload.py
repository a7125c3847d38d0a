# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile(..., offload=True) without a card: tagged pieces of memory stand for the machine's, all others for the card's."""
import copy
import gc
import unittest
import weakref
from unittest import mock

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

import kgen
from kgen import offload
from kgen.chain import Program, _Chain, _Elsewhere
from kgen.guards import Tensors
from kgen.runtime import RuntimeFailed
from tests import test_apply
from tests.test_compile import quietly


class Tagged(offload.Machine):
    """Memory that store() gave is the machine's. `left`: what was moved away from, `loads`: how many tensors came to the card."""

    def __init__(self):
        self.stored, self.left, self.loads, self.settled, self.capturing = [], [], 0, 0, False

    def serves(self, device):
        return True

    def is_away(self, tensor, device):
        self.stored = [each for each in self.stored if not each.expired()]
        return any(each.cdata == tensor.untyped_storage()._cdata for each in self.stored)

    def is_there(self, tensor, device):
        return not self.is_away(tensor, device)

    def store(self, tensor):
        made = tensor.detach().clone()
        self.left.append(StorageWeakRef(tensor.untyped_storage()))
        self.stored.append(StorageWeakRef(made.untyped_storage()))
        return made

    def load(self, tensor, device):
        self.loads += 1
        return tensor.detach().clone()

    def settle(self, device):
        self.settled += 1

    def is_captured(self, device):
        return self.capturing


class Case(unittest.TestCase):
    def setUp(self):
        self.machine = Tagged()
        patch = mock.patch.object(offload, "machine", self.machine)
        patch.start()
        self.addCleanup(patch.stop)
        super().setUp()

    def is_away(self, tensor):
        return self.machine.is_away(tensor, None)


class OffloadedPrepared(Case, test_apply.Prepared):
    """All that holds of prepared weights holds of offloaded ones: the tests of the base class; and kernels get addresses of the card only."""

    options = {"offload": True}

    def setUp(self):
        super().setUp()
        self.weights = [self.module.v, self.module.g]
        counting, self.given = self.chain._call, []

        def looking(function, bases, stream):
            given = [bases[position] for position in self.chain._late]
            away = {weight.data_ptr() for weight in self.module.parameters() if self.is_away(weight)}
            if "prepare" in function.__name__:
                self.assertTrue(all(given))
            self.assertFalse(away.intersection(bases), "a kernel was given the address of an offloaded weight")
            self.given.append(given)
            return counting(function, bases, stream)
        self.chain._call = looking

    def away(self):
        return [self.is_away(weight) for weight in self.weights]

    def test_goes_once_prepared(self):
        self.assertEqual(self.away(), [False, False])
        self.check(1)
        self.assertEqual(self.away(), [True, True])
        self.assertEqual([left.expired() for left in self.machine.left], [True, True])
        self.assertEqual(self.machine.settled, 1)
        self.assertIs(self.module.v, self.weights[0])
        self.check(1)
        self.assertEqual(self.given[-1], [0, 0])
        self.assertEqual(self.machine.loads, 0)
        self.assertEqual(kgen.report(self.compiled).offloaded, 4 * (48 + 6))
        self.assertIn("0.000216 MB of weights are offloaded", str(kgen.report(self.compiled)))

    def test_goes_behind_the_check(self):
        other = test_apply.Normed().eval()
        compiled = quietly(lambda: kgen.compile(other, (self.x,), search="cached", offload=True))
        self.assertTrue(self.is_away(other.v) and self.is_away(other.g))
        with torch.no_grad():
            torch.testing.assert_close(compiled(self.x), other(self.x), rtol=1e-4, atol=1e-5)
        self.assertEqual(kgen.report(compiled).prepared, 1)

    def test_changes_where_they_lie(self):
        self.check(1)
        with torch.no_grad():
            self.module.v.mul_(2)
        self.check(2)
        self.assertEqual((self.away(), self.machine.loads), ([True, True], 2))
        self.assertTrue(all(self.given[-2]), "a call that prepared has their addresses")
        state = {name: value.clone() for name, value in self.compiled.state_dict().items()}
        self.compiled.load_state_dict({name: value + 1 for name, value in state.items()})
        self.check(3)
        for name, value in self.compiled.state_dict().items():
            self.assertTrue(torch.equal(value, state[name] + 1))
        self.assertEqual(self.away(), [True, True])
        self.module.load_state_dict({name: value * 2 for name, value in state.items()}, assign=True)
        self.check(4)
        self.assertTrue(self.is_away(self.module.v) and self.is_away(self.module.g))

    def test_refresh_and_onload(self):
        self.check(1)
        self.module.v.detach().numpy()[:] = 3
        kgen.refresh(self.compiled)
        self.assertEqual(self.away(), [True, True])
        self.check(2)
        kgen.onload(self.compiled)
        self.assertEqual(self.away(), [False, False])
        self.check(2)
        self.assertEqual(self.away(), [True, True])
        with self.assertRaisesRegex(TypeError, "expected what kgen.compile returned, found Normed"):
            kgen.onload(self.module)

    def test_original_finds_them_on_the_card(self):
        self.check(1)
        seen, right = [], type(self.module).forward

        def watching(module, x):
            seen.append(self.away())
            return right(module, x)
        expected = self.module(torch.ones(5, 8))
        with mock.patch.object(torch.nn.Module, "__call__", lambda module, x: watching(module, x) if module is self.module else module.forward(x)), torch.no_grad():
            self.assertTrue(torch.equal(quietly(lambda: self.compiled(torch.ones(5, 8))), expected))
        self.assertEqual((seen, self.away()), ([[False, False]], [False, False]))
        self.compiled.misses.clear()
        self.check(1)  # moving is no change
        self.assertEqual(self.away(), [True, True])

    def test_backward_finds_what_autograd_kept(self):
        self.check(1)
        answer = quietly(lambda: self.compiled(self.x))
        self.assertTrue(answer.requires_grad)
        self.compiled.misses.clear()
        self.check(1)
        self.assertEqual(self.away(), [False, False])
        answer.sum().backward()
        with torch.no_grad():
            for weight in self.weights:
                weight.sub_(weight.grad)
        self.check(2)
        self.assertEqual(self.away(), [False, False], "an optimizer wants them beside their gradients")
        self.module.zero_grad()
        kgen.refresh(self.compiled)
        self.assertEqual(self.away(), [True, True])

    def test_shared_memory_stays(self):
        held = self.module.v.detach()
        self.check(1)
        self.assertEqual(self.away(), [False, True])
        held.add_(1)
        self.check(2)
        del held
        kgen.refresh(self.compiled)
        self.assertEqual(self.away(), [True, True])

    def test_what_another_shape_reads_stays(self):
        self.check(1)
        self.assertEqual(self.away(), [True, True])
        with torch.no_grad():
            quietly(lambda: self.compiled.add((torch.randn(5, 8),), {}))  # by generic kernels, which prepare nothing
            self.check(1)
            x = torch.randn(5, 8)
            torch.testing.assert_close(self.compiled(x), self.module(x), rtol=1e-4, atol=1e-5)
        self.assertEqual((self.away(), self.compiled.misses), ([False, False], {}))
        # Elsewhere they are not what the kernels were made for.
        self.assertEqual([entry.state._tensors.offloadable for entry in self.compiled._entries], [frozenset(), frozenset()])

    def test_what_another_compiled_module_reads_stays(self):
        self.check(1)
        other = quietly(lambda: kgen.compile(self.module, (torch.randn(5, 8),)))
        self.assertEqual(self.away(), [False, False])
        self.check(1)
        self.assertEqual(self.away(), [False, False])
        del other
        gc.collect()
        kgen.refresh(self.compiled)
        self.assertEqual(self.away(), [True, True])

    def test_moved_by_others(self):
        self.check(1)
        self.compiled._apply(lambda tensor: self.machine.load(tensor, None))  # as cuda()
        self.assertEqual(self.away(), [False, False])
        self.check(2)
        self.assertEqual(self.away(), [True, True])
        with torch.no_grad():  # as of a module that is on the CPU as a whole
            x = self.machine.store(torch.ones(5, 8))
            quietly(lambda: self.compiled(x))
        self.assertEqual(self.away(), [True, True])

    def test_captures(self):
        self.check(1)
        self.machine.capturing = True
        self.check(1)
        self.assertEqual(self.away(), [True, True])
        with torch.no_grad():
            self.module.v.mul_(2)
            with self.assertRaisesRegex(RuntimeFailed, "offloaded changed, and a CUDA graph cannot bring them to the card: call the module"):
                self.compiled(self.x)
            with self.assertRaisesRegex(RuntimeFailed, "call kgen.onload\\(\\) before the capture"):
                quietly(lambda: self.compiled(torch.ones(5, 8)))
        self.compiled.misses.clear()
        self.machine.capturing = False
        self.check(2)
        kgen.onload(self.compiled)
        self.machine.capturing = True
        with torch.no_grad():
            quietly(lambda: self.compiled(torch.ones(5, 8)))
        self.compiled.misses.clear()
        self.machine.capturing = False
        self.check(2)
        kgen.refresh(self.compiled)
        self.assertEqual(self.away(), [False, False], "a CUDA graph may read them")

    def test_operators_where_somebody_watches(self):
        class Watch(TorchDispatchMode):
            def __torch_dispatch__(mode, function, types, arguments=(), keywords=None):
                seen.append((str(function), self.away()))
                return function(*arguments, **(keywords or {}))
        self.check(1)
        seen = []
        with torch.no_grad(), Watch():
            found = self.compiled(self.x)
        torch.testing.assert_close(found, self.module(self.x), rtol=1e-4, atol=1e-5)
        self.assertEqual(seen, [("kgen.run.default", [False, False])])

    def test_traces(self):
        self.check(1)
        with self.assertRaisesRegex(TypeError, "offloads weights cannot be traced"), torch.no_grad():
            quietly(lambda: torch.jit.trace(self.compiled, (self.x,)))
        with torch.no_grad():  # Dynamo leaves the call to Python
            found = quietly(lambda: torch.compile(lambda x: self.compiled(x) + 1, backend="eager")(self.x))
        torch.testing.assert_close(found, self.module(self.x) + 1, rtol=1e-4, atol=1e-5)

    def test_inference_mode(self):
        with torch.inference_mode():
            self.compiled(self.x)
            self.assertEqual(self.away(), [True, True])
            quietly(lambda: self.compiled(torch.ones(5, 8)))
        self.assertEqual([weight.is_inference() for weight in self.weights], [False, False])
        self.compiled.misses.clear()
        self.check(1)

    def test_deleted(self):
        self.check(1)
        self.compiled = self.chain = None
        self.assertEqual(self.away(), [False, False])

    def test_deleted_with_the_original(self):
        self.check(1)
        gc.collect()  # what export leaves behind still has the module: its weights would come back
        gone, loads = weakref.ref(self.module), self.machine.loads
        self.module = self.chain = self.compiled = None
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual((self.away(), self.machine.loads), ([True, True], loads))

    def test_copies_of_the_original(self):
        self.check(1)
        made = copy.deepcopy(self.module)
        self.assertTrue(torch.equal(made.v, self.module.v))

    def test_bad_use(self):
        with self.assertRaisesRegex(ValueError, "offload needs prepare=\"changed\""):
            kgen.compile(self.module, (self.x,), offload=True, prepare="always")


class Decisions(Case):
    def test_guards(self):
        weight, other = torch.ones(2, 3), torch.ones(3)
        tensors = Tensors([weight, other], ["weight", "other"])
        tensors.facts = [(*facts[:-1], torch.device("cuda:0")) for facts in tensors.facts]  # as they would be on a card
        tensors._fast, tensors.offloadable = None, frozenset([0])
        self.assertIn("other is torch.float32 (3,)", tensors.miss([weight, other]))
        tensors.facts[1] = (*tensors.facts[1][:-1], torch.device("cpu"))
        self.assertIsNone(tensors.miss([weight, other]))
        tensors._fast = None
        self.assertIn("weight is torch.float16", tensors.miss([weight.half(), other]))

    def test_what_other_parts_of_a_program_read(self):
        """Values 0 to 4 are arguments. Chains prepare from 0 to 3: 1 is read by a run of another chain, 2 by PyTorch's part, 3 is a result."""
        def chain(reads, late):
            made = _Chain.__new__(_Chain)
            made.reads, made._late = reads, [reads.index(value) for value in late]
            return made
        part = _Elsewhere(None, [2, 4], [6], True, mock.Mock(inputs={}))
        program = Program.__new__(Program)
        program._inputs, program._results = 5, [3, 6]
        program._items = [chain([0, 1, 2, 3, 4, 5], (0, 1, 2, 3, 5)), part, chain([0, 1], (0,))]
        self.assertEqual(program.only_prepared, {0})

    def test_nothing_of_a_module_on_the_cpu(self):
        module, x = nn.Linear(4, 4).eval(), torch.randn(2, 4)
        with mock.patch.object(offload, "machine", offload.Machine()):
            compiled = quietly(lambda: kgen.compile(module, (x,), offload=True))
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), module(x))
            self.assertEqual(kgen.report(compiled).offloaded, 0)

    def test_first_kernels(self):
        """Of a whole network: what a run reads stays, also where preparation reads it as well, and where it is an answer."""
        class Folded(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight, self.both, self.bias = (nn.Parameter(torch.randn(*shape)) for shape in ((16, 16), (16, 16), (16,)))

            def forward(self, x):
                x = nn.functional.linear(nn.functional.linear(x, torch.softmax(self.weight, -1)), self.both, self.bias)
                return nn.functional.layer_norm(nn.functional.linear(x, torch.softmax(self.both, -1)), (16,))

        torch.manual_seed(5)
        module, x = Folded().eval(), torch.randn(4, 16)
        compiled = quietly(lambda: kgen.compile(module, [(x,), (x[:2].clone(),)], kernels="first", offload=True))
        for rows in (4, 2, 4):
            with torch.no_grad():
                torch.testing.assert_close(compiled(x[:rows].clone()), module(x[:rows]), rtol=1e-4, atol=1e-5)
        self.assertEqual(compiled.misses, {})
        self.assertTrue(all(one.prepared for one in kgen.report(compiled)), "this network prepares")
        self.assertEqual([self.is_away(weight) for weight in module.parameters()], [True, False, False])


if __name__ == "__main__":
    unittest.main()
