# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project's oracle computes what torch computes, for each registered problem at its small size."""
import unittest

from tests.oracle_check import TOLERANCE, compare
from tests.support import ROOT


class OracleAgainstTorch(unittest.TestCase):
    def check(self, path):
        self.assertLess(compare(path), TOLERANCE)

    def test_samples(self):
        for path in sorted((ROOT / "frontend/tests/samples").glob("*.py")):
            if not path.stem.startswith("refused"):
                with self.subTest(path.stem):
                    self.check(path)

    def test_every_registered_problem(self):
        paths = sorted((ROOT / "frontend/problems").glob("*.py"))
        self.assertEqual(len(paths), 10)
        for path in paths:
            with self.subTest(path.stem):
                self.check(path)


if __name__ == "__main__":
    unittest.main()
