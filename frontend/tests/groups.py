# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests in groups of some length, so that they can run side by side: python -m tests.groups NAME"""
import pathlib
import sys
import unittest

GROUPS = {
    "import": "fuzz import numeric ops oracle problems".split(),
    "compile": "compile first bad_use chain decompositions partition reads selections".split(),
    "use": "apply bench export offload".split(),
    "models": ["models"],
}


def main(name):
    here = pathlib.Path(__file__).parent
    listed = sorted(file for group in GROUPS.values() for file in group)
    present = sorted(path.stem.removeprefix("test_") for path in here.glob("test_*.py"))
    if listed != present:
        sys.exit(f"groups: every test file is in one group, but these are not: {sorted(set(listed) ^ set(present))}")
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"tests.test_{file}" for file in GROUPS[name]])
    return not unittest.TextTestRunner().run(suite).wasSuccessful()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
