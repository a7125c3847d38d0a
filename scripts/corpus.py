# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of corpus/ and compares verdicts; see corpus.sh. The last line is `N of N as expected`.

A case is a folder with case.json, kernel.cu and, mostly, plan.json. Members of case.json:
  why          one line
  row          the row of the table in docs/trust.md
  problem      corpus/problems/NAME.mlir, the graph that the kernel claims to compute
  host, cuda   the verdict (or a list of them) that the case must get there; null or left out: cannot be expressed there
  time_limit, compile_limit   seconds for a run and for the compiler
  sanitize     a PASS goes through compute-sanitizer
  alone        nothing else runs on the device beside it
  anywhere     it holds no kernel of its own: what else runs in it runs on device host, whatever device is asked for
  against      a case whose kernel is the baseline of a comparison; with it
  speed        the only speed verdicts allowed, speed_not those forbidden, compare_options further arguments
  never        words that no file written about the case may hold
  log_at_most, detail_at_most   bytes
A case with a reply.txt or a reply.py is a model's answer instead: a search asks for it, and the branch must get the
verdict after `asked` questions (default 2: the second is the repair turn).
A case with a case.py is a program: it gets the binaries' folder, an empty folder, the repository's root and the device,
and exits with 0 when all was as it must be. Both kinds have the member anywhere.
Candidates go to evaluators that serve one after the other; --times N begins anew N times, with other evaluators, seeds
and inputs. A process of kgen that a signal ends is a crash; there must be none.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import corpus_servers

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"


processes = {"ended": 0, "crashed": 0}
counting = threading.Lock()


def listed(value):
    return value if isinstance(value, list) else [value]


def prepare(case, folder):
    """A copy of the candidate, with the graph beside it."""
    folder.mkdir(parents=True)
    for name in ("kernel.cu", "plan.json"):
        shutil.copy(case["folder"] / name, folder / name)
    shutil.copy(CORPUS / "problems" / (case["problem"] + ".mlir"), folder / "graph.mlir")


def run(arguments, seconds):
    """The exit code and what was printed; a death by a signal is written down."""
    try:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired:
        return -1, "no end within %d s" % seconds
    with counting:
        processes["ended"] += 1
        processes["crashed"] += done.returncode < 0
    return done.returncode, done.stdout.decode(errors="replace")


def evaluate(case, args, folder):
    """What is wrong with the outcome, and the outcome in words."""
    prepare(case, folder)
    job = {"folder": str(folder), "graph": str(folder / "graph.mlir")}
    job.update({name: case[name] for name in ("time_limit", "compile_limit", "sanitize") if name in case})
    answer, output = args.evaluators.measure(job)
    if "measurement" not in answer:
        return "no verdict", answer.get("error", output)
    measurement = json.loads((folder / "measurement.json").read_text())
    verdict, detail = measurement["verdict"], measurement["detail"]
    words = verdict + (": " + detail if detail else "")
    expected = listed(case[args.place])
    if verdict not in expected:
        return "expected " + " or ".join(expected), words
    if "detail_at_most" in case and len(detail) > case["detail_at_most"]:
        return "the detail has %d bytes" % len(detail), words[:200]
    for path in folder.iterdir():
        if path.name in ("kernel.cu", "graph.mlir", "plan.json"):
            continue
        text = path.read_text(errors="replace") + output
        for word in case.get("never", []):
            if word in text:
                return "%s holds '%s'" % (path.name, word), words
        if path.name == "compile.log" and path.stat().st_size > case.get("log_at_most", 1 << 17):
            return "compile.log has %d bytes" % path.stat().st_size, words
    return ("", words) if "against" not in case else compare(case, args, folder, words)


def compare(case, args, folder, words):
    """Times the candidate beside another case's kernel."""
    other = folder.parent / (folder.name + "-baseline")
    prepare(load(CORPUS / case["against"]), other)
    code, output = run([args.bin + "/kgen-eval", str(folder), "--device", args.device, "--compare", str(other)] +
                       case.get("compare_options", []), 150)
    if code != 0:
        return "no comparison", output[-400:]
    speed = output.split(":")[0].split()[-1]
    if speed in case.get("speed_not", []) or speed not in case.get("speed", [speed]):
        return "speed verdict " + speed, output.strip()
    return "", words + ", " + speed


def program(case, args, folder):
    folder.mkdir(parents=True)
    code, output = run([sys.executable, str(case["folder"] / "case.py"), args.bin, str(folder), str(ROOT), "host"], 240)
    return "" if code == 0 else "exit code %d" % code, output.strip()[-600:]


def reply(case, args, folder):
    folder.mkdir(parents=True)
    graph, log, out = folder / "graph.mlir", folder / "questions", folder / "run"
    shutil.copy(CORPUS / "problems" / (case["problem"] + ".mlir"), graph)
    text = next(case["folder"].glob("reply.*"))
    model = "exec:" + json.dumps([sys.executable, str(ROOT / "scripts" / "corpus_answer.py"), str(text), str(log)])
    code, output = run([args.bin + "/kgen-search", "--problem", str(graph), "--device", "host", "--rounds", "1", "--seeds",
                        "1", "--ideas", "1", "--variants", "1", "--library", "none", "--llm", model, "--out", str(out)], 120)
    if code != 0:
        return "the search ended with exit code %d" % code, output[-400:]
    code, output = run([args.bin + "/kgen-search", "report", str(out), "--format", "json"], 60)
    verdicts = json.loads(output)["verdicts"]
    verdicts["PASS"] = verdicts.get("PASS", 0) - 1  # round 0
    got = " ".join(name for name, count in sorted(verdicts.items()) if count)
    asked = log.read_text().count("materialize")
    words = "%s after %d questions" % (got, asked)
    if got not in listed(case[args.place]):
        return "expected " + " or ".join(listed(case[args.place])), words
    return ("" if asked == case.get("asked", 2) else "asked %d times" % asked), words


def load(folder):
    case = {"host": None, "cuda": None, **json.loads((folder / "case.json").read_text())}
    case["folder"] = folder
    case["name"] = folder.parent.name + "/" + folder.name
    return case


def judge(case, args, top):
    begin = time.time()
    here = case["folder"]
    kind = program if (here / "case.py").exists() else reply if any(here.glob("reply.*")) else evaluate
    try:
        fault, words = kind(case, args, top / case["name"])
        if fault and kind is evaluate:
            words += "; inputs' seed " + args.evaluators.reveal()
    except (OSError, ValueError, KeyError) as error:
        fault, words = "no verdict", str(error)
    seconds = time.time() - begin
    verdict = "no verdict" if fault == "no verdict" else "held" if kind is program else words.split(":")[0].split(",")[0].split(" ")[0]
    if fault or args.times == 1:
        print("%-4s %3s %-32s %4.1f s  %s" % ("ok" if not fault else "BAD", case["row"], case["name"], seconds,
                                             (fault + "; got " if fault else "") + words.replace("\n", " ")[:220]), flush=True)
    return {"fault": fault, "verdict": verdict, "seconds": round(seconds, 2)}


class Queue:
    """Cases for threads that know a problem's answers already; what takes long comes first."""

    def __init__(self, cases):
        self.cases = sorted(cases, key=lambda c: (not slow(c), c.get("problem", ""), c["name"]))
        self.lock = threading.Lock()

    def next(self, problem):
        with self.lock:
            known = [c for c in self.cases if c.get("problem") == problem]
            first = self.cases[0] if self.cases and slow(self.cases[0]) else None
            chosen = first or (known or self.cases or [None])[0]
            if chosen:
                self.cases.remove(chosen)
            return chosen


def slow(case):
    return any(name in case for name in ("time_limit", "compile_limit", "sanitize")) or (case["folder"] / "case.py").exists()


def one_pass(cases, args, top):
    """By name, what came of every case."""
    outcomes = {}

    def work(queue):
        problem = None
        while case := queue.next(problem):
            outcomes[case["name"]] = judge(case, args, top)
            problem = case.get("problem")

    def crew(queue, size):
        threads = [threading.Thread(target=work, args=(queue,)) for _ in range(size)]
        for thread in threads:
            thread.start()
        return threads

    busy = [c for c in cases if not alone(c) and not (args.place == "cuda" and without_device(c))]
    rest = [c for c in cases if not alone(c) and c not in busy]
    others = crew(Queue(rest), max(1, len(os.sched_getaffinity(0)) - args.jobs) if rest else 0)
    for thread in crew(Queue(busy), args.jobs):
        thread.join()
    # What is about times has the device to itself.
    for case in cases:
        if alone(case):
            outcomes[case["name"]] = judge(case, args, top)
    for thread in others:
        thread.join()
    return outcomes


def alone(case):
    return "against" in case or case.get("alone", False)


def without_device(case):
    """Ends before a card is asked for anything."""
    return case.get("anywhere", False) or case["name"].startswith("compile/")


def table(cases, outcomes):
    """A line for each class: its rows, its cases, and what verdicts they got."""
    print("%-8s %9s %9s  %s" % ("class", "rows", "cases", "verdicts"))
    for kind in sorted({c["name"].split("/")[0] for c in cases}):
        own = [c for c in cases if c["name"].startswith(kind + "/")]
        rows = {c["row"] for c in own}
        bad = {c["row"] for c in own if outcomes[c["name"]]["fault"]}
        verdicts = {}
        for c in own:
            word = outcomes[c["name"]]["verdict"]
            verdicts[word] = verdicts.get(word, 0) + 1
        print("%-8s %2d of %2d  %2d of %2d   %s" %
              (kind, len(rows - bad), len(rows), sum(not outcomes[c["name"]]["fault"] for c in own), len(own),
               ", ".join("%d %s" % (n, word) for word, n in sorted(verdicts.items(), key=lambda e: -e[1]))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="host")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0, help="begin no further pass after so long")
    parser.add_argument("--keep", help="folder to keep what was written in")
    parser.add_argument("--json", help="file for the outcome of every case of every pass")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    args.place = "host" if args.device == "host" else "cuda"
    every = [load(path.parent) for path in sorted(CORPUS.glob("*/*/case.json"))]
    cases = [c for c in every if c[args.place] is not None]
    if args.cases:
        unknown = [word for word in args.cases if not any(word in c["name"] for c in cases)]
        if unknown:
            sys.exit("corpus.py: no case for device %s is called %s" % (args.device, unknown[0]))
        cases = [c for c in cases if any(word in c["name"] for word in args.cases)]
    else:
        left = [c["name"] for c in every if c[args.place] is None]
        print("%d cases, %d more cannot be expressed on device %s: %s" %
              (len(cases), len(left), args.device, ", ".join(left) or "none"))
    args.jobs = args.jobs or (2 if args.place == "host" else min(7, len(os.sched_getaffinity(0))))
    right = total = evaluators = crashes = 0
    passes, first = [], time.time()
    os.environ.setdefault("KGEN_THREADS", str(max(1, len(os.sched_getaffinity(0)) // args.jobs)))
    for turn in range(args.times):
        start = time.time()
        if args.seconds and turn and start - first > args.seconds:
            print("%d of %d passes in %.0f s" % (turn, args.times, start - first))
            break
        top = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="kgen-corpus-")) / str(turn)
        args.evaluators = corpus_servers.Evaluators(args.bin + "/kgen-eval", args.device)
        outcomes = one_pass(cases, args, top)
        args.evaluators.close()
        evaluators += args.evaluators.started
        crashes += args.evaluators.crashes
        good = sum(not o["fault"] for o in outcomes.values())
        if not args.keep:
            shutil.rmtree(top.parent, ignore_errors=True)
        if turn == args.times - 1:
            table(cases, outcomes)
        hostile = [c for c in cases if not c["name"].startswith("honest/")]
        honest = [c for c in cases if c["name"].startswith("honest/")]
        rows = {c["row"] for c in hostile}
        bad = {c["row"] for c in hostile if outcomes[c["name"]]["fault"]}
        print("pass %d in %.1f s: %d of %d rows of hostile cases, %d of %d honest kernels" %
              (turn + 1, time.time() - start, len(rows - bad), len(rows),
               sum(not outcomes[c["name"]]["fault"] for c in honest), len(honest)))
        if args.times > 1:
            print("%d of %d as expected" % (good, len(cases)), flush=True)
        passes.append({"seconds": round(time.time() - start, 1), "outcomes": outcomes})
        right += good
        total += len(cases)
        if args.json:
            pathlib.Path(args.json).write_text(json.dumps({"device": args.device, "passes": passes}, indent=0) + "\n")
    print("crashes: %d in %d evaluators and %d other processes of kgen" %
          (crashes + processes["crashed"], evaluators, processes["ended"]))
    print("%d of %d as expected" % (right, total))
    return 0 if right == total and crashes + processes["crashed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
