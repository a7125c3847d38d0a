"""Runs the cases of corpus/ and compares verdicts; see corpus.sh. The last line is `N of N as expected`.

A case is a folder with case.json, kernel.cu and, mostly, plan.json. Members of case.json:
  why          one line
  row          the row of the table in docs/trust.md
  problem      corpus/problems/NAME.mlir, the graph that the kernel claims to compute
  host, cuda   the verdict (or a list of them) that the case must get there; null: cannot be expressed there
  options      further arguments of kgen-eval
  against      a case whose kernel is the baseline of a comparison; with it
  speed        the only speed verdicts allowed, speed_not those forbidden, compare_options further arguments
  never        words that no file written about the case may hold
  log_at_most, detail_at_most   bytes
A case with a reply.txt or a reply.py is a model's answer instead: a search on device host asks for it, and the branch must
get the verdict after `asked` questions (default 2: the second is the repair turn).
A case with a case.py is a program: it gets the binaries' folder, an empty folder and the repository's root, and exits
with 0 when all was as it must be.
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
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"


def listed(value):
    return value if isinstance(value, list) else [value]


def prepare(case, folder):
    """A copy of the candidate, with the graph beside it."""
    folder.mkdir(parents=True)
    for name in ("kernel.cu", "plan.json"):
        shutil.copy(case["folder"] / name, folder / name)
    shutil.copy(CORPUS / "problems" / (case["problem"] + ".mlir"), folder / "graph.mlir")


def run(arguments, seconds):
    try:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return -1, "no end within %d s" % seconds


def evaluate(case, args, folder):
    """What is wrong with the outcome, and the outcome in words."""
    prepare(case, folder)
    command = [args.bin + "/kgen-eval", str(folder), "--device", args.device]
    code, output = run(command + case.get("options", []), 150)
    if code not in (0, 1):
        return "no verdict (exit code %d)" % code, output[-400:]
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
    if "against" not in case:
        return "", words
    other = folder.parent / (folder.name + "-baseline")
    twin = load(CORPUS / case["against"])
    prepare(twin, other)
    code, output = run(command + ["--compare", str(other)] + case.get("compare_options", []), 150)
    if code != 0:
        return "no comparison", output[-400:]
    speed = output.split(":")[0].split()[-1]
    if speed in case.get("speed_not", []) or speed not in case.get("speed", [speed]):
        return "speed verdict " + speed, output.strip()
    return "", words + ", " + speed


def program(case, args, folder):
    folder.mkdir(parents=True)
    code, output = run([sys.executable, str(case["folder"] / "case.py"), args.bin, str(folder), str(ROOT)], 240)
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
    case = json.loads((folder / "case.json").read_text())
    case["folder"] = folder
    case["name"] = folder.parent.name + "/" + folder.name
    return case


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="host")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--keep", help="folder to keep what was written in")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    args.place = "host" if args.device == "host" else "cuda"
    cases = [load(path.parent) for path in sorted(CORPUS.glob("*/*/case.json"))]
    cases = [c for c in cases if c[args.place] is not None]
    if args.cases:
        unknown = [word for word in args.cases if not any(word in c["name"] for c in cases)]
        if unknown:
            sys.exit("corpus.py: no case for device %s is called %s" % (args.device, unknown[0]))
        cases = [c for c in cases if any(word in c["name"] for word in args.cases)]
    jobs = args.jobs or (2 if args.place == "host" else min(8, os.cpu_count() or 1))
    right = total = 0
    for turn in range(args.times):
        start = time.time()
        top = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="kgen-corpus-")) / str(turn)
        outcomes = {}

        def judge(case):
            begin = time.time()
            try:
                here = case["folder"]
                kind = program if (here / "case.py").exists() else reply if any(here.glob("reply.*")) else evaluate
                fault, words = kind(case, args, top / case["name"])
            except (OSError, ValueError, KeyError) as error:
                fault, words = "no verdict", str(error)
            if fault or args.times == 1:
                print("%-4s %3s %-32s %4.1f s  %s" %
                      ("ok" if not fault else "BAD", case["row"], case["name"], time.time() - begin,
                       (fault + "; got " if fault else "") + words.replace("\n", " ")[:220]), flush=True)
            return fault, words

        # What compares times runs alone, at the end.
        crowd, alone = [c for c in cases if "against" not in c], [c for c in cases if "against" in c]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for case, outcome in zip(crowd, pool.map(judge, crowd)):
                outcomes[case["name"]] = outcome
        for case in alone:
            outcomes[case["name"]] = judge(case)
        good = sum(not fault for fault, _ in outcomes.values())
        if not args.keep:
            shutil.rmtree(top.parent, ignore_errors=True)
        rows = {c["row"] for c in cases if not c["name"].startswith("honest/")}
        bad = {c["row"] for c in cases if outcomes[c["name"]][0] and not c["name"].startswith("honest/")}
        honest = [c for c in cases if c["name"].startswith("honest/")]
        print("pass %d in %.0f s: %d of %d rows of hostile cases, %d of %d honest kernels" %
              (turn + 1, time.time() - start, len(rows - bad), len(rows),
               sum(not outcomes[c["name"]][0] for c in honest), len(honest)))
        right += good
        total += len(cases)
    print("%d of %d as expected" % (right, total))
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
