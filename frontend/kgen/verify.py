"""Hands imported text to kgen-opt, which verifies it and prints it in the dialect's own form."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from kgen.errors import ImportRefused


def find_kgen_opt(given=None):
    """The kgen-opt to use, or None: --kgen-opt, $KGEN_OPT, PATH, the build folder or bin/ beside this package."""
    here = pathlib.Path(__file__).resolve()
    beside = [here.parents[2] / "build/bin/kgen-opt", here.parents[4] / "bin/kgen-opt"]
    for candidate in (given, os.environ.get("KGEN_OPT"), shutil.which("kgen-opt"), *beside):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    if given:
        raise ImportRefused(f"{given}: not an executable")
    return None


def canonicalize(text, kgen_opt=None):
    """TEXT as kgen-opt prints it; without a kgen-opt, TEXT itself, which is valid MLIR too."""
    tool = find_kgen_opt(kgen_opt)
    if not tool:
        return text
    done = subprocess.run([tool, "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines() or [""]
        raise ImportRefused(f"kgen-opt does not accept the imported graph: {lines[0]}")
    return done.stdout


def write_whole(path, text):
    """Writes PATH or leaves it as it was."""
    path = pathlib.Path(path)
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent or ".", delete=False, suffix=".tmp") as temporary:
            temporary.write(text)
        os.chmod(temporary.name, 0o644)
        os.replace(temporary.name, path)
    except OSError as error:
        raise ImportRefused(f"{path}: {error.strerror}") from None
