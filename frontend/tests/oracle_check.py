# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the project's oracle against torch on the CPU, in double precision at the small size."""
import array
import os
import re
import shutil
import subprocess
import tempfile

import torch

from kgen.importer import import_file, import_module
from kgen.problem_file import ProblemFile
from tests.support import ROOT, kgen_opt

# Both sides compute in double precision; sums of some thousand products differ by their order only.
TOLERANCE = 1e-11

_ARGUMENT = re.compile(r"%arg\d+: tensor<([^>]*)> (\{[^}]*\})")
_INTEGERS = {"i64": torch.int64, "i32": torch.int32, "i1": torch.bool}


class NotComparable(Exception):
    """The file's forward holds a size of its own, so that torch cannot run it at the small one."""


def _draw(shape, element, init, generator):
    kind, first, second = re.fullmatch(r"(\w+)\(([^,]+), ([^)]+)\)", init).groups()
    first, second = float(first), float(second)
    if kind == "normal":
        value = torch.randn(shape, dtype=torch.float64, generator=generator) * second + first
    elif kind == "integer":
        value = torch.randint(int(first), int(second) + 1, shape, generator=generator).double()
    else:
        value = torch.rand(shape, dtype=torch.float64, generator=generator) * (second - first) + first
    return value.to(_INTEGERS.get(element, torch.float64))


def _arguments(graph, seed):
    """(name, is parameter, random tensor) of each argument of the graph's function."""
    generator = torch.Generator().manual_seed(seed)
    header = next(line for line in graph.splitlines() if "func.func" in line)
    result = []
    for type_text, attributes in _ARGUMENT.findall(header):
        *extents, element = type_text.split("x")
        init = re.search(r'kgen.init = "([^"]*)"', attributes).group(1)
        name = re.search(r'kgen.name = "([^"]*)"', attributes).group(1)
        value = _draw([int(extent) for extent in extents], element, init, generator)
        result.append((name, "kgen.parameter" in attributes, value))
    return result


def _torch_answers(path, arguments):
    """What the file's own Model computes in double precision from these inputs and weights."""
    file = ProblemFile(path)
    problem = file.build_small() or file.build()
    tensors = iter([value for _, is_parameter, value in arguments if not is_parameter])
    inputs = [next(tensors) if isinstance(value, torch.Tensor) else value for value in problem.inputs]
    weights = {name: value for name, is_parameter, value in arguments if is_parameter}
    try:
        with torch.no_grad():
            answers = torch.func.functional_call(problem.model, weights, tuple(inputs))
    except RuntimeError as error:
        raise NotComparable(str(error)) from error
    return list(answers) if isinstance(answers, (list, tuple)) else [answers]


def oracle_answers(graph, arguments, count):
    """What kgen-oracle computes for GRAPH from the tensors ARGUMENTS: COUNT flat tensors of f64."""
    tool = shutil.which("kgen-oracle") or str(ROOT / "build/bin/kgen-oracle")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mlir")
        with open(path, "w") as file:
            file.write(graph)
        for index, value in enumerate(arguments):
            # Not by way of numpy, which torch does without.
            with open(os.path.join(folder, f"in{index}.bin"), "wb") as file:
                array.array("d", value.double().flatten().tolist()).tofile(file)
        done = subprocess.run([tool, path, "--inputs", folder, "--outputs", folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [torch.from_file(os.path.join(folder, f"out{index}.bin"), dtype=torch.float64,
                                size=os.path.getsize(os.path.join(folder, f"out{index}.bin")) // 8).clone()
                for index in range(count)]


def compare(path, seed=0):
    """The largest difference of any result element, relative to the largest element of that result.

    Raises AssertionError when shapes differ, NotComparable when torch cannot run it.
    """
    graph = kgen_opt(import_file(path), "--kgen-resize=size=small")
    arguments = _arguments(graph, seed)
    expected = _torch_answers(path, arguments)
    found = oracle_answers(graph, [value for _, _, value in arguments], len(expected))
    return largest_difference(expected, found)


def compare_module(module, inputs, name="model", double=True):
    """The same for a module with its own weights and INPUTS, which PyTorch computes with in DOUBLE precision or its own."""
    graph = import_module(module, inputs, name)
    wide = [value.double() if double and value.is_floating_point() else value for value in inputs]
    module = module.double() if double else module
    with torch.no_grad():
        answers = module(*wide)
    answers = list(answers) if isinstance(answers, (list, tuple)) else [answers]
    held = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}
    values = iter(wide)
    arguments = [next(values) if kind == "input" else held.get(name, graph.exported.constants.get(name))
                 for name, kind in graph.arguments]
    text = kgen_opt(graph.text)
    return largest_difference(answers, oracle_answers(text, [value.detach() for value in arguments], len(answers)))


def largest_difference(expected, found):
    """The largest difference of any element, relative to the largest of its tensor; infinities and NaN stand alike."""
    worst = 0.0
    for index, (want, have) in enumerate(zip(expected, found)):
        want = want.double().flatten()
        assert want.shape == have.shape, f"result {index}: expected {tuple(want.shape)} elements but found {tuple(have.shape)}"
        odd = ~want.isfinite()
        assert torch.equal(odd, ~have.isfinite()) and torch.equal(want[odd].nan_to_num(nan=7), have[odd].nan_to_num(nan=7)), (
            f"result {index}: infinities or NaN stand elsewhere")
        want, have = want[~odd], have[~odd]
        if want.numel():
            difference = ((want - have).abs().max() / want.abs().max().clamp(min=1e-30)).item()
            assert difference < 1e-3, f"result {index} differs by {difference:.2g} of its largest element"
            worst = max(worst, difference)
    return worst
