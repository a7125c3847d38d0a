# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles for a card, without one, the kernels of corpus/ that a card must get as far as running, and those of the numeric tests.

Usage: corpus_nvrtc.py [--bin FOLDER] [--arch ARCH] [NAME...]

A kernel whose verdict on a card is something else than REJECT has to compile there; one that device host alone takes would
get REJECT instead, and so would one whose warpgroup products ptxas serializes. Cases whose compile time is what they are about
are left out. NAMEs are parts of names (default: all). The last line is `N of N compile`.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import honest

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"


def must_compile(folder):
    case = json.loads((folder / "case.json").read_text())
    expected = case.get("cuda")
    expected = expected if isinstance(expected, list) else [expected]
    return (folder / "kernel.cu").exists() and (folder / "plan.json").exists() and \
        not {None, "REJECT", "UNSUPPORTED"}.intersection(expected)


def compile_case(tool, arch, folder):
    """What the compiler has against the kernel in FOLDER; empty when it takes it."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([tool, str(folder), "--bundle", out, "--device", arch, "--compile-limit", "300"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout.strip()[:300] or f"exit code {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    tools = str(pathlib.Path(arguments.bin).resolve())
    with tempfile.TemporaryDirectory(prefix="kgen-nvrtc-") as top, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        kernels = {str(path.parent.relative_to(CORPUS)): path.parent for path in sorted(CORPUS.glob("*/*/case.json")) if must_compile(path.parent)}
        kernels.update((name, job["folder"]) for name, job in honest.numeric_tests(tools, pathlib.Path(top), arguments.jobs, arguments.names).items())
        kernels = {name: folder for name, folder in kernels.items() if not arguments.names or any(word in name for word in arguments.names)}
        faults = list(pool.map(lambda folder: compile_case(tools + "/kgen-eval", arguments.arch, folder), kernels.values()))
    for name, fault in zip(kernels, faults):
        if fault:
            print(f"BAD {name}: {fault}")
    print(f"{faults.count('')} of {len(kernels)} compile")
    return 0 if kernels and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
