# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registered problems are what their PyTorch forms import to."""
import unittest

from kgen.importer import import_file
from tests.support import ROOT, kgen_opt


class RegisteredProblems(unittest.TestCase):
    def test_each_has_both_forms(self):
        graphs = {path.stem for path in (ROOT / "problems").glob("*.mlir")}
        sources = {path.stem for path in (ROOT / "frontend/problems").glob("*.py")}
        self.assertEqual(graphs, sources)
        self.assertEqual(len(graphs), 10)

    def test_importing_gives_the_registered_graph(self):
        for path in sorted((ROOT / "frontend/problems").glob("*.py")):
            with self.subTest(path.stem):
                registered = (ROOT / "problems" / f"{path.stem}.mlir").read_text()
                self.assertEqual(kgen_opt(import_file(path)), kgen_opt(registered))

    def test_each_has_a_small_size(self):
        for path in sorted((ROOT / "problems").glob("*.mlir")):
            with self.subTest(path.stem):
                small = kgen_opt(path.read_text(), "--kgen-resize=size=small")
                self.assertNotIn("kgen.small", small)
                self.assertNotEqual(small, kgen_opt(path.read_text()))


if __name__ == "__main__":
    unittest.main()
