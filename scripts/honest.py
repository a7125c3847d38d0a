# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates honest kernels over and over on fresh secret inputs; see honest.sh. The last line is `N of N PASS`.

Which kernels are honest: the corpus' cases under corpus/honest whose verdict must be PASS, and the candidates that the
numeric tests (test/Kernels/*/numeric-*) make and expect to PASS. A test's own RUN lines prepare its candidates; nothing of LLVM's
test tools is needed for that. Every failure is printed with its detail; --keep leaves the candidates. --failures keeps each failing
case whole: the candidate, its graph, measurement.json, and its inputs' seed for `kgen-eval FOLDER --graph FOLDER/graph.mlir --seed S`.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import corpus_servers

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_TURN = 4  # evaluations of one kernel in a row
GROWTH = 16  # how many times as many each further turn has


def corpus_cases(place, top):
    """Folders with the graph beside the candidate."""
    for file in sorted((ROOT / "corpus" / "honest").glob("*/case.json")):
        case = json.loads(file.read_text())
        if case.get(place) != "PASS" or "problem" not in case or not (file.parent / "kernel.cu").exists():
            continue
        folder = top / ("corpus-" + file.parent.name)
        folder.mkdir()
        for name in ("kernel.cu", "plan.json"):
            shutil.copy(file.parent / name, folder / name)
        graph = folder / "graph.mlir"
        shutil.copy(ROOT / "corpus" / "problems" / (case["problem"] + ".mlir"), graph)
        limits = {name: case[name] for name in ("time_limit", "compile_limit") if name in case}
        yield "corpus/" + file.parent.name, {"folder": str(folder), "graph": str(graph), **limits}


def split_file(path, folder):
    """The parts of a test that `//--- NAME` begins, each in a file of FOLDER; a line keeps its number, as split-file has it."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = re.split(r"^//--- (\S+)\n", path.read_text(), flags=re.M)
    lines = parts[0].count("\n")
    for name, text in zip(parts[1::2], parts[2::2]):
        lines += 1
        (folder / name).write_text("\n" * lines + text)
        lines += text.count("\n")


def prepare_test(path, top, environment):
    """The candidates that a numeric test evaluates: its RUN lines are obeyed but for the evaluations themselves, which begin their lines."""
    here = top / path.stem
    here.mkdir()
    script, jobs, cwd = ["set -e"], [], str(here)
    for line in re.findall(r"^(?:// )?RUN: (.*)$", path.read_text(), re.M):
        if "split-file %s %t" in line:
            split_file(path, here)
            script.append("cd " + cwd)
            continue
        for word, meant in (("%python", sys.executable), ("%S", str(path.parent)), ("%s", str(path)), ("%t", cwd)):
            line = line.replace(word, meant)
        found = re.match(r"kgen-eval (\S+) --graph (\S+) --device host", line)
        if found:
            jobs.append({"folder": os.path.join(cwd, found[1]), "graph": os.path.join(cwd, found[2])})
        elif not line.startswith("not ") and "FileCheck" not in line and "wrong" not in line:
            script.append(line)
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=top, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("honest.py: %s: %s" % (path, done.stderr[-500:]))
    for job in jobs:
        folder = pathlib.Path(job["folder"])
        yield path.stem + ("" if folder.name == "c" else "/" + folder.name), job


def numeric_tests(tools, top, jobs, names=()):
    """The candidates of the numeric tests, made in the folder TOP by JOBS threads: name -> {"folder", "graph"}."""
    kernels, environment = {}, dict(os.environ, PATH=os.pathsep.join([tools, os.environ["PATH"]]))
    paths = sorted((ROOT / "test" / "Kernels").glob("*/numeric-*"))
    if names:
        paths = [p for p in paths if any(word.split("/")[0] in p.stem for word in names)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda p: list(prepare_test(p, top, environment)), paths):
            kernels.update(found)
    return kernels


def collect(args, top):
    kernels = dict(corpus_cases("host" if args.device == "host" else "cuda", top))
    kernels.update(numeric_tests(args.bin, top, args.jobs, args.names))
    if args.names:
        kernels = {name: job for name, job in kernels.items() if any(word in name for word in args.names)}
    return kernels


def keep_failure(to, folder, graph, answer, seed):
    """All that shows the case again, in the folder TO."""
    shutil.copytree(folder, to, dirs_exist_ok=True)
    shutil.copy(graph, to / "graph.mlir")
    (to / "measurement.json").write_text(json.dumps(answer, indent=1) + "\n")
    (to / "seed").write_text(seed + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="host", help="host or cuda:N; several cards, with commas between them, share the work")
    parser.add_argument("--count", type=int, default=1000, help="evaluations in all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0, help="begin no further evaluation after so long, or after Ctrl-C; what was done is counted")
    parser.add_argument("--keep", help="folder to keep the candidates in")
    parser.add_argument("--json", help="file for the verdicts by kernel")
    parser.add_argument("--failures", type=pathlib.Path, help="folder for the cases that fail")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    top = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="kgen-honest-")).resolve()
    top.mkdir(parents=True, exist_ok=True)
    start = time.time()
    kernels = collect(args, top)
    if not kernels:
        sys.exit("honest.py: there is no such kernel")
    print("%d honest kernels, %d evaluations on device %s" % (len(kernels), args.count, args.device), flush=True)

    os.environ.setdefault("KGEN_THREADS", str(max(1, len(os.sched_getaffinity(0)) // args.jobs)))
    groups = [corpus_servers.Evaluators(args.bin + "/kgen-eval", device) for device in args.device.split(",")]
    verdicts = {name: collections.Counter() for name in kernels}
    details, lock = [], threading.Lock()
    # In turns, so that no thread is left with the slowest kernel; each thread has a folder of its own for it. Every kernel has
    # its first turn before any has its second: what --seconds cuts off are further turns and not the last kernels. Later turns are
    # longer: an evaluator that meets another graph compiles its right answers anew.
    each = [args.count // len(kernels) + (i < args.count % len(kernels)) for i in range(len(kernels))]
    queue, begun, turn = collections.deque(), 0, FIRST_TURN
    while begun < max(each):
        queue.extend((name, job, min(each[i] - begun, turn)) for i, (name, job) in enumerate(kernels.items()) if begun < each[i])
        begun, turn = begun + turn, GROWTH * turn

    # Ctrl-C and SIGTERM end it like --seconds, when what is under way is through.
    ended = threading.Event()

    def end(number, frame):
        signal.signal(number, signal.SIG_DFL)  # a second one ends at once
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)

    def late():
        return ended.is_set() or args.seconds and time.time() - start > args.seconds

    def work(number):
        evaluators = groups[number % len(groups)]
        while True:
            with lock:
                if not queue or late():
                    return
                name, job, count = queue.popleft()
            folder = pathlib.Path(job["folder"] + ".%d" % number)
            if not folder.exists():
                shutil.copytree(job["folder"], folder)
            for _ in range(count):
                if late():
                    return
                answer, output = evaluators.measure({**job, "folder": str(folder), "redraw": True, "time": False})
                measured = answer.get("measurement", {"verdict": "NONE", "detail": answer.get("error", output)})
                with lock:
                    verdicts[name][measured["verdict"]] += 1
                    if measured["verdict"] != "PASS":
                        details.append({"name": name, "verdict": measured["verdict"], "detail": measured["detail"]})
                        print("%s: %s: %s" % (name, measured["verdict"], measured["detail"]), flush=True)
                if measured["verdict"] != "PASS" and args.failures:
                    keep_failure(args.failures / ("%s-%d" % (name.replace("/", "-"), len(details))), folder, job["graph"], answer,
                                 evaluators.reveal())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(args.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for evaluators in groups:
        evaluators.close()
    if not args.keep:
        shutil.rmtree(top, ignore_errors=True)
    if args.json:
        out = {"device": args.device, "seconds": round(time.time() - start, 1), "asked": args.count,
               "done": sum(sum(v.values()) for v in verdicts.values()), "verdicts": verdicts, "failures": details}
        pathlib.Path(args.json).write_text(json.dumps(out, indent=0) + "\n")
    total = sum(sum(v.values()) for v in verdicts.values())
    passed = sum(v["PASS"] for v in verdicts.values())
    crashes = sum(evaluators.crashes for evaluators in groups)
    print("%.0f s; crashes: %d in %d evaluators" % (time.time() - start, crashes, sum(e.started for e in groups)))
    print("%d of %d PASS" % (passed, total) + (", %d asked for" % args.count if total != args.count else ""))
    return 0 if passed == total == args.count and crashes == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
