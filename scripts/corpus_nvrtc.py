# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles for a card, without one, the kernels of corpus/ that a card must get as far as running.

Usage: corpus_nvrtc.py [--bin FOLDER] [--arch ARCH]

A kernel whose verdict on a card is something else than REJECT has to compile there; one that device host alone takes would
get REJECT instead. Cases whose compile time is what they are about are left out. The last line is `N of N compile`.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"


def must_compile(folder):
    case = json.loads((folder / "case.json").read_text())
    expected = case.get("cuda")
    expected = expected if isinstance(expected, list) else [expected]
    return (folder / "kernel.cu").exists() and (folder / "plan.json").exists() and \
        not {None, "REJECT", "UNSUPPORTED"}.intersection(expected)


def compile_case(tool, arch, folder):
    """What the compiler has against the case's kernel; empty when it takes it."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([tool, str(folder), "--bundle", out, "--device", arch], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout.strip()[:300] or f"exit code {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--arch", default="sm_90a")
    arguments = parser.parse_args()
    folders = [path.parent for path in sorted(CORPUS.glob("*/*/case.json")) if must_compile(path.parent)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda folder: compile_case(arguments.bin + "/kgen-eval", arguments.arch, folder), folders))
    for folder, fault in zip(folders, faults):
        if fault:
            print(f"BAD {folder.relative_to(CORPUS)}: {fault}")
    print(f"{faults.count('')} of {len(folders)} compile")
    return 0 if folders and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
