# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds from the start of a search to its first tuned kernel that is verified and timed, for tasks of up to 1e12 FLOPs.

Usage: bench_first_kernel.py [--device cuda:0] [--problems FILE|NAME,...] [--repeats 3] [--warm] [--limit 5] [--out FILE.json] [--runs FOLDER]

Each search is a process of its own, begun with an empty compile cache (--warm: with the one that the searches before it left), PyTorch is not
timed, and it is ended once its journal has a PASS after round 0. By default the registered problems, and products of up to 1e12 FLOPs
whose round 0 takes long. A line for each: when the process had its run folder, when round 0 was done, and when the first tuned kernel was, as medians
of REPEATS, in seconds since the start of the process; what the evaluator did for round 0 and for that kernel, by phases. Exits 1 when a median is above LIMIT.
Uses kgen-search of $KGEN_BIN, or of a build here.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent.parent
PATIENCE = 120  # seconds for one search
# m, n, k and type of products: 1.4e11, 5.5e11, 7.4e11 and 9.7e11 FLOPs.
PRODUCTS = [(1024, 8192, 8192, "f32"), (4096, 8192, 8192, "f16"), (7168, 7168, 7168, "bf16"), (16384, 8192, 3616, "f32")]


def product(m, n, k, dtype, folder):
    name = f"matmul_{dtype}_{m}x{n}x{k}"
    a, b, c = f"tensor<{m}x{k}x{dtype}>", f"tensor<{k}x{n}x{dtype}>", f"tensor<{m}x{n}x{dtype}>"
    path = folder / f"{name}.mlir"
    path.write_text(f'module attributes {{kgen.problem = "{name}"}} {{\n  func.func @{name}(%a: {a} {{kgen.init = "normal(0, 1)"}}, '
                    f'%b: {b} {{kgen.init = "normal(0, 1)"}}) -> {c} {{\n    %0 = aten.matmul %a, %b : ({a}, {b}) -> {c}\n    return %0 : {c}\n  }}\n}}\n')
    return str(path)


def records(journal, known):
    """What was added to JOURNAL after KNOWN bytes, and how many bytes there are now."""
    try:
        with open(journal, "rb") as file:
            file.seek(known)
            text = file.read()
    except OSError:
        return [], known
    whole = text[:text.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()], known + len(whole)


def search(options, problem, folder, cache):
    """One search: seconds since its start, and the phases of the two measurements."""
    run = folder / "run"
    environment = dict(os.environ, KGEN_BASELINES="none", KGEN_LIBRARY="none", KGEN_CACHE_DIR=str(cache))
    begin, wall = time.monotonic(), time.time()
    process = subprocess.Popen([str(options.tools / "kgen-search"), "--problem", problem, "--network", "never", "--device", options.device, "--library", "none",
                                "--size", "full", "--max-minutes", "3", "--out", str(run)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    found, known = {}, 0
    while process.poll() is None and "tuned" not in found and time.monotonic() - begin < PATIENCE:
        time.sleep(0.01)
        new, known = records(run / "journal.jsonl", known)
        for record in new:
            found.setdefault("run", record["time"] - wall)
            if record["event"] != "measurement" or "tuned" in found:
                continue
            measured = json.loads(record["text"])
            if record["id"].startswith("round-00/"):
                found["round0"], found["round0_phases"], found["round0_us"] = record["time"] - wall, measured.get("phases", {}), measured.get("time_us")
            elif measured["verdict"] == "PASS":
                found["tuned"], found["tuned_phases"], found["tuned_us"] = record["time"] - wall, measured.get("phases", {}), measured.get("time_us")
    process.send_signal(signal.SIGINT)
    try:
        words = process.communicate(timeout=60)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        words = process.communicate()[0].decode(errors="replace")
    if "tuned" not in found:
        found["words"] = words.strip().splitlines()[-1:] or [""]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--problems", default="")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--runs", type=pathlib.Path, help="keeps the run folders")
    options = parser.parse_args()
    options.tools = pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin"))
    results, late = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.runs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        problems = [one for one in options.problems.split(",") if one]
        if not problems:
            problems = sorted(path.stem for path in (here / "problems").glob("*.mlir")) + [product(*each, folder) for each in PRODUCTS]
        print(f"{'problem':34}{'run':>7}{'round 0':>9}{'tuned':>8}   s since the start; medians of {options.repeats}", flush=True)
        for problem in problems:
            name, tries = pathlib.Path(problem).stem, []
            for number in range(options.repeats):
                place = folder / f"{name}-{number}"
                tries.append(search(options, problem, place, pathlib.Path(scratch) / ("cache" if options.warm else f"cache-{name}-{number}")))
            good = [one for one in tries if "tuned" in one]
            median = {key: statistics.median(one[key] for one in good) for key in ("run", "round0", "tuned")} if len(good) == len(tries) else None
            results.append({"problem": name, "median_s": median, "searches": tries})
            if not median or median["tuned"] > options.limit:
                late.append(name)
            if not median:
                print(f"{name:34} no tuned kernel: {[one['words'] for one in tries if 'words' in one][0]}", flush=True)
                continue
            last = good[-1]
            phases = {key: ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in last[key].items()) for key in ("round0_phases", "tuned_phases")}
            print(f"{name:34}{median['run']:7.2f}{median['round0']:9.2f}{median['tuned']:8.2f}   round 0 {last['round0_us']:.4g} us ({phases['round0_phases']}); "
                  f"tuned {last['tuned_us']:.4g} us ({phases['tuned_phases']})", flush=True)
    print(f"{len(results) - len(late)} of {len(results)} within {options.limit:g} s" + (f"; not {', '.join(late)}" if late else ""))
    if options.out:
        options.out.write_text(json.dumps({"limit_s": options.limit, "warm": options.warm, "results": results}, indent=1) + "\n")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
