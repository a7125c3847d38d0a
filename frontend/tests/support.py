# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the tests: importing source text, and kgen-opt."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap

from kgen.importer import import_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def kgen_opt(text, *options):
    """TEXT through kgen-opt; raises AssertionError with its message when it fails."""
    tool = shutil.which("kgen-opt") or str(ROOT / "build/bin/kgen-opt")
    done = subprocess.run([tool, *options, "-"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_source(folder, source, name="sample.py"):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(textwrap.dedent(source))
    return path


def import_source(source):
    """The MLIR text of a file with SOURCE."""
    with tempfile.TemporaryDirectory() as folder:
        return import_file(write_source(folder, source))


def model_source(forward, inputs, init="", parameters="x"):
    """A file in the benchmark's form around the body of forward."""
    def indented(text):
        return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * 8)
    return (f"{HEADER}\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n{indented(init)}\n"
            f"    def forward(self, {parameters}):\n{indented(forward)}\n\n"
            f"def get_init_inputs():\n    return []\n\ndef get_inputs():\n    return {inputs}\n")
