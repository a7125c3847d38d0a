#!/usr/bin/env python3
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds all published results against the floors of today: nothing may beat one.

Usage: check_floors.py [--write]

The floors of the registered problems are those of `kgen-search problems` (lib/Support/Chip.cpp), which KGEN_BIN or the path has. Checked:
  - no time of docs/results/*.json is less than the row's floor, and the floor of a registered problem is today's;
  - no measurement of the best branches and of the archives' runs is less than today's floor of its problem;
  - no `% of copy` of the tables is more than the memory's peak allows.
An archive records the floor of its day. --write puts today's floors and the shares that follow into h200.json, h200.md and h200-llm.md.
Exit 1 with one line for each fault.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
PEAK_OF_COPY = 4.8 / 4.165  # an H200's memory over the copy that the tables were measured against
WHOLE = re.compile(r"\d+ % of the floor's speed")


def today():
    tool = os.path.join(os.environ["KGEN_BIN"], "kgen-search") if "KGEN_BIN" in os.environ else "kgen-search"
    said = subprocess.run([tool, "problems"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(us) for name, us in re.findall(r"^(\S+) .*; floor ([\d.]+) us on an H200$", said, re.M)}


def measurements():
    """(where, problem, measurement) of every branch that passed, in the archives and beside them."""
    for path in sorted(RESULTS.glob("*/*/measurement.json")):
        yield str(path.relative_to(RESULTS)), path.parent.name, json.loads(path.read_text())
    for archive in sorted(RESULTS.glob("*/*.run.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith("/measurement.json"):
                    yield f"{archive.relative_to(RESULTS)}:{member.name}", archive.name.split(".")[0], json.load(tar.extractfile(member))


def check(floors):
    faults, seen = [], 0
    for path in sorted(RESULTS.glob("*.json")):
        rows = json.loads(path.read_text())
        for row in rows if isinstance(rows, list) else []:
            if not row.get("kgen_us") or not row.get("floor_us"):
                continue
            seen += 1
            if row["kgen_us"] < row["floor_us"]:
                faults.append(f"{path.name}: {row['problem']}: {row['kgen_us']:.1f} us beats the floor of {row['floor_us']:.1f} us")
            if row["problem"] in floors and abs(row["floor_us"] - floors[row["problem"]]) > 0.06:
                faults.append(f"{path.name}: {row['problem']}: the floor is {floors[row['problem']]:.1f} us today, found {row['floor_us']:.1f}")
    for where, problem, measurement in measurements():
        if measurement.get("verdict") == "PASS" and measurement.get("time_us") and problem in floors:
            seen += 1
            if measurement["time_us"] < floors[problem]:
                faults.append(f"{where}: {measurement['time_us']:.1f} us beats the floor of {floors[problem]:.1f} us")
    for path in sorted(RESULTS.glob("*.md")):
        lines = path.read_text().splitlines()
        for above, line in zip([""] + lines, lines):
            heading = above if not line.startswith("|") else heading if above.startswith("|") else line
            if not line.startswith("|") or not re.search(r"\| % of copy \|$", heading):
                continue
            share = re.search(r"\| (\d+) % \|$", line)
            seen += bool(share)
            if share and int(share[1]) > 100 * PEAK_OF_COPY:
                faults.append(f"{path.name}: {share[1]} % of a copy is more than the memory's peak: {line[:60]}")
    return faults, seen


def share(floor, time):
    return f"{100 * floor / time:.0f} %"


def write_markdown(path, floors):
    """Today's floors in the first table of PATH, in each problem's trajectory and in what is said of its best kernel."""
    out, problem, best, columns = [], None, None, []
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            problem, best = line[3:].strip(), None
        if found := re.search(r"Best: `[^`]+`, ([\d.]+) µs", line):
            best = float(found[1])
        if problem in floors and best:
            line = WHOLE.sub(share(floors[problem], best) + " of the floor's speed", line)
        if not line.startswith("|"):
            columns = []
        elif not columns:
            columns = [cell.strip() for cell in line.strip("|").split("|")]
        elif "% of floor" in columns and not line.startswith("|---"):
            cells = line.strip("|").split("|")
            name = cells[0].strip(" `") if columns[0] == "problem" else problem
            time = cells[columns.index("kgen" if columns[0] == "problem" else "µs")].strip(" *")
            if name in floors and re.fullmatch(r"[\d.]+( ms)?", time):
                time = float(time.split(" ")[0]) * (1000 if time.endswith("ms") else 1)
                cells[columns.index("% of floor")] = f" {share(floors[name], time)} "
                if "floor" in columns:
                    cells[columns.index("floor")] = f" {floors[name]:.1f} "
                line = "|" + "|".join(cells) + "|"
        out.append(line)
    path.write_text("\n".join(out) + "\n")


def main():
    floors = today()
    if not floors:
        sys.exit("kgen-search problems names no floor")
    if "--write" in sys.argv[1:]:
        table = RESULTS / "h200.json"
        rows = json.loads(table.read_text())
        for row in rows:
            row["floor_us"] = floors.get(row["problem"], row["floor_us"])
            row["diagnosis"] = WHOLE.sub(share(row["floor_us"], row["search_us"]) + " of the floor's speed", row["diagnosis"])
        table.write_text(json.dumps(rows, indent=1) + "\n")
        for name in ("h200.md", "h200-llm.md"):
            write_markdown(RESULTS / name, floors)
    faults, seen = check(floors)
    print("\n".join(faults + [f"{seen} published times, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
