# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a search of networks on a card will meet, without a card: their tasks, and the kernels that the catalogue holds for each.

Usage: network_coverage.py [--out FOLDER] [--target T] [--precision CLASS] [--share S] [--import-limit SECONDS] FILE...

FILE is a PyTorch file (class Model, get_inputs) or an op graph (.mlir). Each is imported, cut as a search on a card like T (default sm_90a) begins, and
gets its first kernels (`kgen-search first`), which NVRTC compiles where it is installed. FOLDER (default runs/coverage) receives the graphs, the
candidates, coverage.json, and coverage.md: a row for each network, then of each network the tasks that take at least S (default 0.03) of what the
prior expects, the largest first. A task that stays on the generic path counts with some times its floor. Weights that are held twice show in the
bytes that are prepared. Uses the tools of $KGEN_BIN, or of a build here; files of PyTorch need it importable by $KGEN_PYTHON (default python3).
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent.parent
DTYPES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i8": 1, "i1": 1}
GENERIC_PRODUCT, GENERIC = 20, 2.5  # times the floor: what generic kernels take for what is bound by arithmetic, and for the rest
LAUNCH = 2.0  # microseconds between launches of one CUDA graph


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--out", default="runs/coverage", type=pathlib.Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--precision", default="")
    parser.add_argument("--share", type=float, default=0.03)
    parser.add_argument("--import-limit", type=float, default=300)
    parser.add_argument("files", nargs="+", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    options.tools = pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin"))
    for file in options.files:
        if not file.exists():
            parser.error(f"there is no {file}")
    return options


def timed(command, limit, **more):
    """(seconds, its exit code or None where it came to no end, what it said last)."""
    begin = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=limit, check=False, **more)
    except subprocess.TimeoutExpired:
        return time.monotonic() - begin, None, f"no end within {limit:.0f} s"
    words = (done.stderr.strip() or done.stdout.strip()).splitlines() or [""]
    return time.monotonic() - begin, done.returncode, words[-1][:300]


def expected_us(task):
    """What one run of TASK may take: the prior's microseconds, of generic kernels a multiple of the floor."""
    generic = GENERIC_PRODUCT if task["flops"] > 10 * task["bytes"] else GENERIC
    return max(task["prior_us"] or generic * task["floor_us"], task["floor_us"], LAUNCH * task["launches"])


def bytes_of(buffers):
    """What BUFFERS take; an output that is an input written in place takes nothing."""
    return sum(DTYPES[one["dtype"]] * math.prod(one["shape"]) for one in buffers if "updates" not in one)


def look(options, file):
    """The row of FILE's network."""
    name, graph = file.stem, options.out / f"{file.stem}.mlir"
    row = {"network": name, "fault": ""}
    if file.suffix == ".mlir":
        graph = file
    else:
        environment = dict(os.environ, KGEN_OPT=str(options.tools / "kgen-opt"),
                           PYTHONPATH=os.pathsep.join(filter(None, [str(here / "frontend"), os.environ.get("PYTHONPATH")])))
        row["import_s"], code, said = timed([os.environ.get("KGEN_PYTHON", sys.executable), "-m", "kgen", "import", file, "-o", graph],
                                            options.import_limit, env=environment)
        if code != 0:
            return row | {"fault": f"import: {said}"}
    row["ops"] = sum(" = aten." in line for line in open(graph))
    row["cut_s"], code, said = timed([options.tools / "kgen-opt", "--kgen-partition", graph, "-o", os.devnull], options.import_limit)
    if code != 0:
        return row | {"fault": f"partition: {said}"}
    first = options.out / name
    row["first_s"], code, said = timed([options.tools / "kgen-search", "first", "--problem", graph, "--target", options.target, "--out", first,
                                        *(["--precision", options.precision] if options.precision else [])], 4 * options.import_limit)
    if code != 0:
        return row | {"fault": f"first kernels: {said}"}
    plan = json.loads((first / "plan.json").read_text())
    spaces = plan.get("workspace", [])
    row["precision"] = plan.get("precision")
    row["launches"] = len(plan["launches"]) - plan.get("prepare", 0)
    row["prepare_launches"] = plan.get("prepare", 0)
    row["weights_mb"] = bytes_of(one for one in plan["inputs"] if one.get("parameter")) / 1e6
    row["prepared_mb"] = sum(one["bytes"] for one in spaces if one.get("prepared")) / 1e6
    row["arena_mb"] = max((one["offset"] + one["bytes"] for one in spaces if "offset" in one), default=0) / 1e6
    row["peak_mb"] = (bytes_of(plan["inputs"]) + bytes_of(plan["outputs"])) / 1e6 + row["prepared_mb"] + row["arena_mb"]
    if not (first / "tasks.json").exists():
        return row | {"tasks": []}
    tasks = json.loads((first / "tasks.json").read_text())
    for task in tasks:
        task["runs"] = task["count"] - task["prepares"]
        task["us"] = task["runs"] * expected_us(task)
    row["tasks"] = sorted(tasks, key=lambda task: -task["us"])
    row["steps"] = sum(task["runs"] for task in tasks)
    row["floor_us"] = sum(task["runs"] * task["floor_us"] for task in tasks)
    row["expected_us"] = sum(task["us"] for task in tasks)
    row["without_family_us"] = sum(task["us"] for task in tasks if task["idea"] == "generic")
    return row


def page(options, rows):
    lines = ["| network | class | ops | steps | different | launches | prepared | import, s | cut, s | first kernels, s | floor, us | expected, us | of it without a family | "
             "weights, MB | prepared, MB | arena, MB | peak, MB |", "|---|---|" + "---:|" * 15]

    def show(value, form=".0f"):
        return format(value, form) if isinstance(value, (int, float)) else value or "-"

    for row in rows:
        if row["fault"]:
            lines.append(f"| {row['network']} | {row['fault']} |")
            continue
        share = row["without_family_us"] / row["expected_us"] if row.get("expected_us") else 0
        lines.append("| " + " | ".join([row["network"], show(row["precision"]), *(show(row.get(key)) for key in ("ops", "steps")), str(len(row["tasks"])),
                                        *(show(row.get(key)) for key in ("launches", "prepare_launches")), *(show(row.get(key), ".1f") for key in ("import_s", "cut_s", "first_s")),
                                        *(show(row.get(key)) for key in ("floor_us", "expected_us")), f"{share:.0%}",
                                        *(show(row.get(key)) for key in ("weights_mb", "prepared_mb", "arena_mb", "peak_mb"))]) + " |")
    for row in rows:
        heavy = [task for task in row.get("tasks", []) if task["us"] >= options.share * row["expected_us"] > 0]
        if not heavy:
            continue
        lines += ["", f"## {row['network']}", "", "| task | runs | ops | GFLOP | MB | floor, us | expected, us | share | launches | first | settings | ideas | refused before |",
                  "|---|" + "---:|" * 8 + "---|---|---:|---|"]
        for task in heavy:
            refused = "; ".join(sorted({f"{one['idea']}: {one['why'].splitlines()[-1][:80]}" for one in task["refused"]}))
            cells = [task["name"], str(task["runs"]), str(task["ops"]), f"{task['flops'] / 1e9:.3g}", f"{task['bytes'] / 1e6:.3g}", f"{task['floor_us']:.3g}",
                     f"{task['us'] / task['runs']:.3g}", f"{task['us'] / row['expected_us']:.0%}", str(task["launches"]), task["idea"], task["settings"], str(len(task["ideas"])), refused]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    known = options.out / "coverage.json"
    rows = []
    for file in options.files:
        row = look(options, file)
        rows.append(row)
        print(f"{row['network']}: {row['fault'] or str(len(row['tasks'])) + ' tasks'}", flush=True)
        known.write_text(json.dumps(rows, indent=1) + "\n")
        (options.out / "coverage.md").write_text(page(options, rows))
    return 1 if any(row["fault"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
