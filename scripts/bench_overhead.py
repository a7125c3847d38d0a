# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a search takes for itself: the processor time of kgen-search's own process, which cuts, lowers, decides and writes, beside the wall clock.

Usage: bench_overhead.py [--limit 5] [--] OPTION...

OPTIONs are kgen-search's, as for a search (`--problem FILE --network always --max-minutes 1`); its output goes to stderr. Compilers, evaluators, right answers and
PyTorch are processes of their own and do not count. Prints one line: seconds, seconds of its own, share in percent. Exits with 1 when the share is above LIMIT percent, or
with the search's own status when that is not 0. Uses kgen-search of $KGEN_BIN, or of a build here.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def own_seconds(process):
    """User and system time of PROCESS without its children, proc(5); None once it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=5, help="percent")
    options, rest = parser.parse_known_args()
    tool = pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin")) / "kgen-search"
    begin, own = time.monotonic(), 0.0
    search = subprocess.Popen([tool, *(word for word in rest if word != "--")], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    while search.poll() is None:
        own = own_seconds(search.pid) or own
        time.sleep(0.02)
    wall = time.monotonic() - begin
    share = 100 * own / wall
    print(f"{wall:.1f} s, {own:.2f} s of its own, {share:.1f} %")
    return search.returncode or int(share > options.limit)


if __name__ == "__main__":
    sys.exit(main())
