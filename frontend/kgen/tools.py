# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where kgen's own programs and libraries are: named, beside this package, or on the path."""
import os
import pathlib
import shutil
import subprocess


class ToolFailed(RuntimeError):
    """A tool that is missing or said no, in one sentence."""


def beside(name, folder):
    """NAME in FOLDER of the package itself, of the build beside a checkout, or of an unpacked archive; None."""
    here = pathlib.Path(__file__).resolve()
    places = [here.parent / folder, here.parents[2] / "build" / folder]
    if len(here.parents) > 4:
        places.append(here.parents[4] / folder)
    for place in places:
        if (place / name).is_file():
            return place / name
    return None


def find_tool(name):
    """The path of NAME: $KGEN_BIN/NAME, beside this package, PATH. Raises ToolFailed."""
    named = os.environ.get("KGEN_BIN")
    for candidate in (named and os.path.join(named, name), beside(name, "bin"), shutil.which(name)):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise ToolFailed(f"{name} is not found: build it, or name its folder in KGEN_BIN")


def run_tool(name, *arguments, text=None, timeout=None):
    """What NAME prints for ARGUMENTS, with TEXT on its standard input. Raises ToolFailed with its first error."""
    try:
        done = subprocess.run([find_tool(name), *map(str, arguments)], input=text, capture_output=True, text=True,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"{name} took more than {timeout} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines() or ["?"]
        raise ToolFailed(f"{name}: {lines[0].partition('error: ')[2] or lines[0]}")
    return done.stdout
