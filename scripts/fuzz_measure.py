# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the candidates that `scripts/fuzz_graphs.sh --prepare` wrote; needs no PyTorch.

Usage: fuzz_measure.py [--device cuda:0] [--jobs N] FOLDER

FOLDER/gN holds graph.mlir and a folder for each candidate. Every verdict other than PASS and UNSUPPORTED is printed; the exit
code is 1 when there is one. The tools are those on the PATH, else those of build/bin.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
EVAL_SECONDS = 180


class Server:
    """One `kgen-eval --serve`, started anew when it dies or hangs."""

    def __init__(self, device):
        self._device, self._process = device, None

    def measure(self, folder, graph):
        """(verdict, detail) of the candidate in FOLDER."""
        if self._process is None:
            tool = shutil.which("kgen-eval") or str(ROOT / "build/bin/kgen-eval")
            self._process = subprocess.Popen([tool, "--serve", "--device", self._device], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self._answer()
        job = {"folder": str(folder), "graph": str(graph), "time": False, "time_limit": 10}
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            reply = self._answer()
        except BrokenPipeError:
            reply = {"error": "kgen-eval died"}
        if "measurement" in reply:
            return reply["measurement"]["verdict"], reply["measurement"].get("detail", "")
        return "ERROR", reply["error"]

    def _answer(self):
        descriptor, text, until = self._process.stdout.fileno(), b"", time.monotonic() + EVAL_SECONDS
        while not text.endswith(b"\n"):
            ready = select.select([descriptor], [], [], max(until - time.monotonic(), 0))[0]
            part = os.read(descriptor, 1 << 16) if ready else b""
            if not part:
                self._process.kill()
                self._process.wait()
                self._process = None
                return {"error": "kgen-eval died" if ready else f"kgen-eval runs longer than {EVAL_SECONDS} s"}
            text += part
        return json.loads(text)


_local = threading.local()


def measure_graph(folder, device):
    """[(candidate's name, verdict, detail)] of the graph in FOLDER."""
    if not hasattr(_local, "server"):
        _local.server = Server(device)
    graph = folder / "graph.mlir"
    return [(place.parent.name, *_local.server.measure(place.parent, graph)) for place in sorted(folder.glob("*/plan.json"))]


def main():
    parser = argparse.ArgumentParser(description="Measures prepared fuzz candidates.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--jobs", type=int, default=4)
    arguments = parser.parse_args()
    folders = sorted(arguments.folder.glob("g*/"), key=lambda path: int(path.name[1:]))
    verdicts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for folder, found in zip(folders, pool.map(lambda path: measure_graph(path, arguments.device), folders)):
            for name, verdict, detail in found:
                verdicts[verdict] += 1
                if verdict not in ("PASS", "UNSUPPORTED"):
                    print(f"{folder.name} {name}: {verdict}: {detail}", flush=True)
    print(f"{len(folders)} graphs: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    return 0 if set(verdicts) <= {"PASS", "UNSUPPORTED"} and verdicts else 1


if __name__ == "__main__":
    sys.exit(main())
