# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports every file of benchmark folders: `python3 check_benchmark.py [--oracle] FOLDER...`.

Each file must import, verify in kgen-opt and shrink to a small size, or be refused
by name for one of the reasons in kgen.op_table.LATER. A recurrent network of hundreds of
steps is unrolled, and has no small size: its steps stay; it is counted as imported, and said.
With --oracle the shrunk graph's answer is held against torch's too. Prints what was refused
and a count; exits 1 if anything else happened.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from kgen.errors import ImportRefused  # noqa: E402
from kgen.importer import import_file  # noqa: E402
from kgen.op_table import LATER, WITHOUT_LOWERING  # noqa: E402
from tests.oracle_check import TOLERANCE, NotComparable, compare  # noqa: E402
from tests.support import kgen_opt  # noqa: E402

#: Ops of a graph that is still to have a small size.
MOST_OPS = 10000


def check(path, oracle):
    """'imported', 'long' or 'refused'; raises AssertionError when the file is neither."""
    try:
        text = import_file(path)
    except ImportRefused as error:
        reasons = set(LATER.values()) | set(WITHOUT_LOWERING.values())
        assert any(reason in str(error) for reason in reasons), f"refused without a reason: {error}"
        print(f"refused  {error}")
        return "refused"
    kgen_opt(text)
    ops = text.count(" = aten.")
    if ops > MOST_OPS:
        print(f"imported {path}, {ops} ops of an unrolled network: without a small size")
        return "long"
    kgen_opt(text, "--kgen-resize=size=small")
    if oracle:
        try:
            error = compare(path)
        except NotComparable as reason:
            print(f"imported {path}, not compared: {reason}")
            return "imported"
        assert error < TOLERANCE, f"the oracle differs from torch by {error:.2g}"
    return "imported"


def main(folders, oracle):
    counts = {"imported": 0, "long": 0, "refused": 0, "failed": 0}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.py")):
            try:
                counts[check(path, oracle)] += 1
            except Exception as error:  # one broken file must not hide the others
                counts["failed"] += 1
                print(f"FAILED   {path}: {error}")
    long = counts.pop("long")
    counts["imported"] += long
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; {long} imported without a small size")
    return 1 if counts["failed"] or not counts["imported"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", action="store_true", help="hold kgen-oracle's answers against torch's")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    arguments = parser.parse_args()
    sys.exit(main(arguments.folders, arguments.oracle))
