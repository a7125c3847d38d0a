# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file in the benchmark's form, or a module with its weights, as kgen's MLIR text."""
import json
import pathlib
import re
import zipfile

import torch

from kgen.errors import ImportRefused
from kgen.exporting import NeedsDecomposition, decompose, quiet, without_effects
from kgen.graph_writer import GraphWriter
from kgen.problem_file import Problem, ProblemFile, summary
from kgen.text import float_text, tensor_type
from kgen.torch_forms import exportable

__all__ = ["ImportedGraph", "float_text", "import_exported", "import_file", "import_module", "tensor_type"]


class ImportedGraph:
    """What became of a module.

    text        the MLIR module
    arguments   (name, kind) of each argument in order: kind is `input`, `parameter`, `buffer` or `constant`
    results     (kind, name) of each result: `output`, or `mutation` with the buffer or input that holds it afterwards
    exported    the torch.export.ExportedProgram that was written
    """

    def __init__(self, text, arguments, results, exported):
        self.text = text
        self.arguments = arguments
        self.results = results
        self.exported = exported


def import_file(path, name=None):
    """The MLIR text of the problem in PATH, called NAME or after the file; raises ImportRefused.

    PATH is a Python file in the benchmark's form, or a .pt2 archive that torch.export.save wrote.
    """
    if str(path).endswith(".pt2"):
        return import_exported(_load(path), name or pathlib.Path(path).stem).text
    file = ProblemFile(path, name)
    problem = file.build()
    exported = _export(file, problem)
    small = file.build_small()
    return _write(file, problem, exported, _small_shapes(file, small)).text


def import_module(module, inputs, name="model"):
    """The ImportedGraph of MODULE, in evaluation mode, on INPUTS, a tuple; raises ImportRefused."""
    source = _ModuleSource(module, name)
    problem = Problem(module.eval(), list(inputs), None)
    return _write(source, problem, _export(source, problem), {})


def import_exported(exported, name="model"):
    """The ImportedGraph of a torch.export.ExportedProgram, as `torch.export.load` gives it."""
    # Keywords come after the positional inputs.
    inputs = [*(exported.example_inputs or ((), {}))[0], *(exported.example_inputs or ((), {}))[1].values()]
    return _write(_ModuleSource(None, name), Problem(None, inputs, None), exported, {})


def _load(path):
    """The exported program in the archive PATH."""
    if not pathlib.Path(path).is_file():
        raise ImportRefused("no such file", path)
    try:
        with quiet():
            return torch.export.load(path)
    except Exception as error:  # a damaged archive or one of another version raises many kinds
        raise ImportRefused(f"reading the archive failed: {_another_version(path) or summary(error)}", path) from error


def _another_version(path):
    """What export says of a version that it does not read goes to its log only."""
    from torch._export.serde.schema import SCHEMA_VERSION
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                content = json.loads(archive.read(name)) if "/models/" in name and name.endswith(".json") else None
                found = content["schema_version"]["major"] if isinstance(content, dict) and "schema_version" in content else None
                if found not in (None, SCHEMA_VERSION[0]):
                    return f"it is of version {found}, this PyTorch reads version {SCHEMA_VERSION[0]}"
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        pass
    return None


class _ModuleSource:
    """Names a module the way a problem's file names its own."""

    precision = None

    def __init__(self, module, name):
        self.name = re.sub(r"\W", "_", name)
        self.path = pathlib.Path(name if module is None else type(module).__name__)

    def place_of(self, error):
        return str(self.path)


def _export(source, problem):
    try:
        with torch.no_grad(), quiet(), exportable():
            return torch.export.export(problem.model, tuple(problem.inputs))
    except Exception as error:  # export raises many kinds
        raise ImportRefused(f"torch.export failed: {summary(error)}", source.place_of(error)) from error


def _write(source, problem, exported, small):
    more = set()
    while True:
        try:
            decomposed = without_effects(decompose(exported, GraphWriter, more))
        except Exception as error:  # as many kinds
            raise ImportRefused(f"torch.export failed: {summary(error)}", source.place_of(error)) from error
        writer = GraphWriter(source, problem, decomposed, small)
        try:
            text = writer.text()
        except NeedsDecomposition as needed:
            if needed.target in more:
                raise ImportRefused(f"{needed.target} cannot be decomposed", source.path) from needed
            more.add(needed.target)
            continue
        return ImportedGraph(text, writer.arguments, writer.results, decomposed)


def _small_shapes(source, small):
    """Shape at the small size, by name; empty when the file names no small size."""
    if small is None:
        return {}
    exported = _export(source, small)
    shapes = {}
    for node in exported.graph.nodes:
        if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor):
            shapes[node.name] = tuple(node.meta["val"].shape)
    return shapes
