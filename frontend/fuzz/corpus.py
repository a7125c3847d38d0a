# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Past failures, run again: python -m fuzz.corpus FOLDER...

Each file, .py in the benchmark's form or .mlir, says in its first lines what is expected:

    # expect: pass                      import, oracle, round 0, families and every idea named come out right
    # expect: refused: WORDS            the importer or kgen-opt refuses it with these words
    # ideas: cuda:wmma host:families    candidates beside round 0 (default: the first idea for each device)
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile
import threading

from fuzz.check import NETWORK, NOT_EXPORTED, Checker, idea_keys, import_graph

_local = threading.local()


def _says(text, word):
    found = re.search(rf"^(?:#|//) {word}: (.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def _stages(path, text):
    """The candidates that a corpus file asks for."""
    named = _says(text, "ideas").split()
    if named:
        return [name if name == NETWORK else f"idea {name}" for name in named if name != "none"]
    with tempfile.TemporaryDirectory() as folder:
        mlir = path
        if path.suffix == ".py":
            mlir = pathlib.Path(folder) / "graph.mlir"
            mlir.write_text(import_graph(path))
        return [f"idea {device}:{keys[0]}" for device in ("host", "cuda") for keys in [idea_keys(mlir, device)] if keys]


def run_case(path, device="host"):
    """Empty when PATH comes out as it says, else what happened."""
    text = path.read_text()
    expected = _says(text, "expect")
    if not hasattr(_local, "checker"):
        _local.checker = Checker(device, ideas=0)
    with tempfile.TemporaryDirectory() as folder:
        notes = []
        findings = _local.checker.check_file(path, folder, note=notes.append) or [note for note in notes if note.startswith(NOT_EXPORTED)]
        if not findings and expected == "pass":
            for stage in _stages(path, text):
                findings += _local.checker.check_file(path, folder, only=stage)
    said = "; ".join(map(str, findings)) or "pass"
    if expected.startswith("refused: "):
        words = expected[len("refused: "):]
        good = len(findings) == 1 and getattr(findings[0], "kind", "refused") in ("refused", "error") and words in said
        return "" if good else f"expected a refusal with '{words}', found {said}"
    return "" if said == expected else f"expected {expected or 'a line that says what to expect'}, found {said}"


def main(argv=None):
    parser = argparse.ArgumentParser(prog="fuzz.corpus")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--device", default="host")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args(argv)
    paths = sorted(path for folder in map(pathlib.Path, arguments.folders)
                   for path in ([folder] if folder.is_file() else folder.iterdir()) if path.suffix in (".py", ".mlir"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda path: run_case(path, arguments.device), paths))
    failed = [(path, words) for path, words in zip(paths, results) if words]
    for path, words in failed:
        print(f"{path}: {words}")
    print(f"{len(paths) - len(failed)} as expected, {len(failed)} not")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
