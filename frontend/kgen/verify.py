# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hands imported text to kgen-opt, which checks every type that torch computed against the dialect's own rules."""
import os
import shutil
import subprocess

from kgen.errors import ImportRefused
from kgen.tools import beside


def find_kgen_opt(given=None):
    """The kgen-opt to use, or None: --kgen-opt, $KGEN_OPT, PATH, or what lies beside this package."""
    for candidate in (given, os.environ.get("KGEN_OPT"), shutil.which("kgen-opt"), beside("kgen-opt", "bin")):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    if given:
        raise ImportRefused("not an executable", given)
    return None


def verify(text, place, kgen_opt=None):
    """Raises ImportRefused at PLACE if kgen-opt does not accept TEXT; without a kgen-opt TEXT passes."""
    tool = find_kgen_opt(kgen_opt)
    if not tool:
        return
    done = subprocess.run([tool, "-", "-o", os.devnull], input=text, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines() or [""]
        reason = lines[0].partition("error:")[2].strip() or lines[0]
        raise ImportRefused(f"the imported graph is not valid: {reason}", place)
