# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the result files of one test run and prints the line that ends it; lint, and a program that crashed, have one of one test.

Usage: count_tests.py RESULTS_DIR   (GoogleTest and lit JSON files)
"""
import json
import pathlib
import sys


def count(path):
    """(passed, failed, skipped) of one result file."""
    data = json.loads(path.read_text())
    if "testsuites" in data:  # GoogleTest
        bad = data["failures"] + data.get("errors", 0)
        skipped = sum(t.get("result") == "SKIPPED" for s in data["testsuites"] for t in s["testsuite"])
        return data["tests"] - bad - skipped, bad, skipped
    codes = [t["code"] for t in data["tests"]]  # lit
    good = sum(c in ("PASS", "XFAIL", "FLAKYPASS") for c in codes)
    skipped = sum(c in ("UNSUPPORTED", "SKIPPED", "EXCLUDED") for c in codes)
    return good, len(codes) - good - skipped, skipped


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.json"))
    passed, failed, skipped = (sum(c) for c in zip(*map(count, files)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
