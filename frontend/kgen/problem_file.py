# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files in the benchmark's form: class Model, get_init_inputs(), get_inputs().

Two more functions are optional: get_small_init_inputs() and get_small_inputs() give
the problem's small size; a global `kgen_precision` names its precision class.
"""
import contextlib
import importlib.util
import io
import pathlib
import re
import traceback

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from kgen.distributions import Recorder, TensorLiterals
from kgen.errors import ImportRefused


class Problem:
    """One size of a file's model: the module, its inputs, and how both are drawn (None where they have data)."""

    def __init__(self, model, inputs, recorder):
        self.model = model
        self.inputs = inputs
        self.recorder = recorder

    def tensors(self):
        """The tensors among the inputs, nested ones included, in the order of the exported graph's."""
        return [value for value in torch.utils._pytree.tree_leaves(self.inputs) if isinstance(value, torch.Tensor)]


class ProblemFile:
    """A loaded file. Nothing in it has data: its tensors are built on the meta device."""

    def __init__(self, path, name=None):
        self.path = pathlib.Path(path)
        self._name = name or self.path.stem
        if not self.path.is_file():
            raise ImportRefused("no such file", self.path)
        spec = importlib.util.spec_from_file_location("kgen_problem", self.path)
        if spec is None or self.path.suffix != ".py":
            raise ImportRefused("expected a Python file (.py)", self.path)
        self._module = importlib.util.module_from_spec(spec)
        with self._refusing("reading it"):
            spec.loader.exec_module(self._module)
        for name in ("Model", "get_init_inputs", "get_inputs"):
            if not hasattr(self._module, name):
                raise ImportRefused(f"expected the benchmark's form but found no {name}", self.path)

    @property
    def name(self):
        """The function's and problem's name, made an identifier."""
        name = re.sub(r"\W", "_", self._name)
        return name if re.match(r"[A-Za-z_]", name) else "p" + name

    @property
    def precision(self):
        return getattr(self._module, "kgen_precision", None)

    def build(self):
        """The problem at its published size."""
        return self._build(self._module.get_init_inputs, self._module.get_inputs)

    def build_small(self):
        """The problem at the small size that the file names, None if it names none."""
        inputs = getattr(self._module, "get_small_inputs", None)
        if inputs is None:
            return None
        return self._build(getattr(self._module, "get_small_init_inputs", self._module.get_init_inputs), inputs)

    def _build(self, init_inputs, inputs):
        recorder = Recorder()
        with self._refusing("building Model"), recorder, TensorLiterals(recorder):
            with torch.device("meta"):
                values = inputs()
                arguments = init_inputs()
            try:
                with torch.device("meta"):
                    model = self._construct(arguments)
            except (RuntimeError, NotImplementedError) as error:
                # A constructor that reads a number out of a tensor needs one with data.
                if "meta tensor" not in str(error):
                    raise
                model = self._construct(init_inputs())
        if not isinstance(model, torch.nn.Module):
            raise ImportRefused("expected Model to be a torch.nn.Module", self.path)
        stand_in = _StandIns(recorder)
        stand_in.replace_in(model)
        return Problem(model.eval(), torch.utils._pytree.tree_map(stand_in.of, list(values)), recorder)

    def _construct(self, arguments):
        # Some files give keyword arguments as one dictionary in the list's second place.
        if len(arguments) == 2 and isinstance(arguments[0], (list, tuple)) and isinstance(arguments[1], dict):
            return self._module.Model(*arguments[0], **arguments[1])
        return self._module.Model(*arguments)

    @contextlib.contextmanager
    def _refusing(self, doing):
        """What the file prints is not our output, and what it raises becomes one sentence with its line."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        except ImportRefused:
            raise
        except Exception as error:  # the file may raise anything
            raise ImportRefused(f"{doing} failed: {summary(error)}", self.place_of(error)) from error

    def place_of(self, error):
        """FILE:LINE of the last frame inside the file, else FILE."""
        if isinstance(error, SyntaxError) and error.lineno:
            return f"{self.path}:{error.lineno}"
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
                 if frame.filename == str(self.path)]
        return f"{self.path}:{lines[-1]}" if lines else str(self.path)


class _StandIns:
    """Fake CPU tensors in place of a model's, one for each, with their distributions.

    They have no data either, but forward may combine them with constants that it
    makes on the CPU.
    """

    def __init__(self, recorder):
        self._recorder = recorder
        self._mode = FakeTensorMode(allow_non_fake_inputs=True)
        self._made = {}

    def of(self, value):
        if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor):
            return value
        if id(value) not in self._made:
            with self._mode:
                fake = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cpu")
            if isinstance(value, torch.nn.Parameter):
                fake = torch.nn.Parameter(fake, requires_grad=False)
            self._recorder.set(fake, self._recorder.of(value))
            # The tensor stays alive, or its id could be given out again.
            self._made[id(value)] = (fake, value)
        return self._made[id(value)][0]

    def replace_in(self, model):
        """Every parameter, buffer and plain tensor attribute of MODEL's modules."""
        for module in model.modules():
            for table in (module._parameters, module._buffers, module.__dict__):
                for name, value in list(table.items()):
                    if isinstance(value, torch.Tensor):
                        table[name] = self.of(value)


def asks_for_data(error):
    """Whether torch.export failed with ERROR because Python asks what is in a tensor."""
    return "data-dependent" in str(error) or type(error).__name__ in (
        "GuardOnDataDependentSymNode", "DataDependentOutputException", "PendingUnbackedSymbolNotFound")


def summary(error):
    """The first sentence of an exception, which may be pages long."""
    if asks_for_data(error):
        return "forward asks in Python what is in a tensor, and a graph has one way through it"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__
