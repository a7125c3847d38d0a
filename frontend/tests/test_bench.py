# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen bench: two small problems on device host, what a stopped run keeps, and what the figures mean."""
import contextlib
import io
import json
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

from kgen import bench
from kgen.__main__ import main
from kgen.errors import ImportRefused
from tests.support import model_source


class Figures(unittest.TestCase):
    def test_shares_are_of_all_and_the_mean_of_the_correct(self):
        def row(us, correct=True, **baselines):
            return {"kgen": {"us": us, "correct": correct}, **{name: {"us": time} for name, time in baselines.items()}}
        rows = {"a": row(1.0, eager=8.0, compile=4.0), "b": row(2.0, eager=2.0), "c": row(4.0, eager=6.0), "d": row(1.0, False, eager=9.0),
                "e": {"kgen": {"failed": "more than 3 s"}, "eager": {"us": 1.0}}}
        self.assertEqual(bench.speedup(rows["a"]), 4)
        self.assertIsNone(bench.speedup(rows["d"]))
        total = bench.summary(rows)
        self.assertEqual((total["problems"], total["correct"], total["fast_1"], total["fast_2"]), (5, 0.6, 0.4, 0.2))
        self.assertAlmostEqual(total["geomean"], (4 * 1 * 1.5) ** (1 / 3))
        self.assertIn("| e | more than 3 s | - | - | 1.0 | - | - | - |", bench.table(rows))
        self.assertIn("5 problems: correct 60.0 %, fast_1 40.0 %, fast_2 20.0 %", bench.table(rows))
        self.assertIsNone(bench.summary({})["geomean"])


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "problems").mkdir()
        self.out = self.folder / "out.json"

    def problem(self, name, forward):
        (self.folder / "problems" / f"{name}.py").write_text(model_source(forward, "[torch.randn(4, 8)]"))

    def run_bench(self, *more):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = main(["bench", str(self.folder / "problems"), "-o", str(self.out), "--device", "host", "--seconds", "0.05", *more])
        self.assertEqual(code, 0)
        return said.getvalue()

    def test_two_problems_and_going_on(self):
        self.problem("relu", "return torch.relu(x)")
        self.problem("missing", "return x + self.missing")
        (self.folder / "problems/helper.py").write_text("no_problem = 1")
        said = self.run_bench("--baselines", "eager")
        self.assertIn("relu: correct, ", said)
        self.assertIn("missing: CompileFailed: torch.export cannot take Model: ", said)
        self.assertIn("2 problems: correct 50.0 %, fast_1 ", said)
        kept = json.loads(self.out.read_text())
        self.assertEqual(kept["rows"]["relu"]["kgen"]["share"], 1)
        self.assertEqual((self.folder / "out.md").read_text(), said[said.index("| problem"):])
        # A second run has nothing to do but what is new: another baseline, a problem that changed.
        with mock.patch.object(bench, "_run", side_effect=AssertionError("measured twice")):
            self.run_bench("--baselines", "eager")
        asked = []
        with mock.patch.object(bench, "_run", side_effect=lambda job, limit: asked.append((job["what"], limit)) or {"failed": "x"}):
            self.run_bench("--baselines", "eager,compile", "--limit", "7")
            self.assertEqual(asked, [("compile", 7), ("compile", 7)])
            self.problem("relu", "return torch.relu(x) + 1")
            self.run_bench("--baselines", "eager")
            self.assertEqual(asked[2:], [("kgen", 300), ("eager", 300)])

    def test_limits_and_crashes(self):
        self.problem("slow", "import time; time.sleep(60)")
        self.assertIn("slow: more than 0.5 s", self.run_bench("--baselines", "", "--limit", "0.5"))
        self.problem("slow", "import os; os._exit(3)")
        self.assertIn("slow: its process ended with 3", self.run_bench("--baselines", ""))

    def test_bad_use(self):
        for arguments, words in [([self.folder / "none.py"], "expected a file or a folder"), ([self.folder / "problems"], "with .py files")]:
            with self.assertRaisesRegex(ImportRefused, words):
                bench.bench(arguments, self.out)
        with self.assertRaisesRegex(ImportRefused, "no baseline is called fast"):
            bench.bench([], self.out, baselines=["fast"])
        self.out.write_text("[]")
        with self.assertRaisesRegex(ImportRefused, "a file that kgen bench wrote"):
            bench.bench([], self.out)


if __name__ == "__main__":
    unittest.main()
