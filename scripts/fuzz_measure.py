# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the candidates that `scripts/fuzz_graphs.sh --prepare` wrote; needs no PyTorch.

Usage: fuzz_measure.py [--device cuda:0[,cuda:1...]] [--jobs N] [--seconds S] [--json F] FOLDER

FOLDER/gN holds graph.mlir and a folder for each candidate. Every verdict other than PASS and UNSUPPORTED is printed; the exit
code is 1 when there is one. After --seconds no further graph is begun. The tools are those of $KGEN_BIN, else on the PATH, else
those of build/bin.
"""
import argparse
import collections
import concurrent.futures
import itertools
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
            tool = shutil.which("kgen-eval", path=os.environ.get("KGEN_BIN")) or str(ROOT / "build/bin/kgen-eval")
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
_numbers = itertools.count()


def measure_graph(folder, devices, until):
    """[(candidate's name, verdict, detail)] of the graph in FOLDER; None when the time was over before."""
    if until and time.monotonic() > until:
        return None
    if not hasattr(_local, "server"):
        _local.server = Server(devices[next(_numbers) % len(devices)])
    graph = folder / "graph.mlir"
    return [(place.parent.name, *_local.server.measure(place.parent, graph)) for place in sorted(folder.glob("*/plan.json"))]


def main():
    parser = argparse.ArgumentParser(description="Measures prepared fuzz candidates.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    start = time.monotonic()
    until = start + arguments.seconds if arguments.seconds else 0
    os.environ.setdefault("KGEN_THREADS", str(max(1, len(os.sched_getaffinity(0)) // arguments.jobs)))
    folders = sorted(arguments.folder.resolve().glob("g*/"), key=lambda path: int(path.name[1:]))
    verdicts, findings, done = collections.Counter(), [], 0
    devices = arguments.device.split(",")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for folder, found in zip(folders, pool.map(lambda path: measure_graph(path, devices, until), folders)):
            done += found is not None
            for name, verdict, detail in found or []:
                verdicts[verdict] += 1
                if verdict not in ("PASS", "UNSUPPORTED"):
                    findings.append({"graph": folder.name, "candidate": name, "verdict": verdict, "detail": detail})
                    print(f"{folder.name} {name}: {verdict}: {detail}", flush=True)
    seconds = round(time.monotonic() - start)
    print(f"{done} of {len(folders)} graphs: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) +
          f", {seconds} s")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(
            {"asked": len(folders), "graphs": done, "device": arguments.device, "seconds": seconds, "verdicts": verdicts,
             "findings": findings}, indent=1) + "\n")
    return 0 if set(verdicts) <= {"PASS", "UNSUPPORTED"} and verdicts else 1


if __name__ == "__main__":
    sys.exit(main())
