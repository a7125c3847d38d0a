# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays the archives under docs/results.

Usage: replay_published.py [--recorded] [--jobs N] [NAME...]   NAME: a part of an archive's path, as h200-llm/conv2d

Without --recorded every branch must be derived to the byte: the archives are of this very code generator (before a release).
With it, branches that an earlier code generator wrote differently need only be as recorded, file for file (each commit, in CI). KGEN_BIN is
the folder of kgen-search, else it is found on the path.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from archives import unpack


def replay(tool, archive, options):
    """Unpacks ARCHIVE and replays what is in it; returns the exit code and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(archive, folder)
        runs = sorted(path.parent for path in pathlib.Path(folder).rglob("run.json"))
        if len(runs) != 1:
            return 1, f"holds {len(runs)} run folders, expected one"
        done = subprocess.run([tool, "replay", runs[0].name, *options], cwd=runs[0].parent, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--jobs", default="2")
    arguments = parser.parse_args()
    results = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
    archives = [path for path in sorted(results.glob("*/*.run.tar.xz"))
                if not arguments.names or any(name in path.as_posix() for name in arguments.names)]
    if not archives:
        print(f"no archive below {results} is named so")
        return 1
    tool = os.path.join(os.environ["KGEN_BIN"], "kgen-search") if "KGEN_BIN" in os.environ else shutil.which("kgen-search")
    if not tool:
        print("kgen-search is not on the path; set KGEN_BIN to its folder")
        return 1
    options = ["--jobs", arguments.jobs] + ["--recorded"] * arguments.recorded
    failed = 0
    for archive in archives:
        code, text = replay(tool, archive, options)
        failed += code != 0
        print(f"{archive.relative_to(results)}: {'ok' if code == 0 else 'FAILED'}: {text}", flush=True)
    print(f"{len(archives) - failed} of {len(archives)} archives replay")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
