# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns archived run folders into a page of docs/results: round, idea, time, % of PyTorch eager in the same run.

Usage: publish_trajectories.py NAME ARCHIVE.run.tar.xz...   (KGEN_BIN: the folder of kgen-search, else the path)
Writes docs/results/NAME.md, which begins with docs/results/NAME.notes.md, docs/results/NAME/PROBLEM.run.tar.xz, and the best branch's files to
docs/results/NAME/PROBLEM/. Every run is replayed first, with one worker and with two: what does not replay to the byte is not published.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from archives import unpack

KEEP = ("idea.md", "directives.mlir", "kernel.cu", "plan.json", "measurement.json")


def us(value):
    return f"{value:.1f}" if value < 10000 else f"{value / 1000:.2f} ms"


def ask(tool, *arguments):
    done = subprocess.run([tool, *arguments], text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"nothing is published: kgen-search {arguments[0]} failed")
    return done.stdout


def section(tool, run, results, name):
    replayed = {ask(tool, "replay", str(run), "--jobs", jobs) for jobs in ("1", "2")}
    if len(replayed) != 1:
        sys.exit(f"{run.name}: replay depends on the number of workers")
    branches = [json.loads(line) for line in ask(tool, "export", str(run), "--format", "jsonl").splitlines()]
    report = json.loads(ask(tool, "report", str(run), "--format", "json"))
    problem, best = report["problem"], report["best"]["branch"]
    baselines = json.loads((run / "baselines.json").read_text())["times_us"]
    eager = baselines["eager"]
    lines, fastest = [], None
    for branch in branches:
        time = branch["time_us"] if branch["verdict"] == "PASS" else 0
        if time and (fastest is None or time < fastest):
            fastest = time
        idea = branch["idea"]["text"] + (f" ({branch['settings']})" if branch["settings"] else "")
        what = branch["verdict"] if time else f"{branch['verdict']}: {branch['detail']}"
        lines.append(f"| {branch['round']} | {idea} | {branch['idea']['category']} | {what} | {us(time) if time else ''} | "
                     f"{f'{100 * eager / time:.0f} %' if time else ''} | {us(fastest) if fastest else ''} |")
    row = next(branch for branch in branches if branch["branch"] == best)
    times = ", ".join(f"{mode} {us(time)}" for mode, time in baselines.items())
    target = results / name / problem
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file in KEEP:
        if (run / best / file).exists():
            shutil.copy(run / best / file, target / file)
    return f"""## {problem}

{len(branches)} branches in {report['seconds']:.0f} s on {row['device_model']}, precision class {row['precision']}. Best: `{best}`, {us(row['time_us'])} µs, **{100 * eager / row['time_us']:.0f} % of PyTorch eager**.
PyTorch in the same run, in µs: {times}.

What bounds the best: {row['diagnosis'] or 'nothing was said'}.

| round | idea | category | verdict | µs | % of eager | best so far, µs |
|---|---|---|---|---|---|---|
""" + "\n".join(lines) + f"""

Best kernel: [{name}/{problem}/]({name}/{problem}/). The whole run with every question and answer: `{name}/{problem}.run.tar.xz`.
"""


def main():
    name, *archives = sys.argv[1:]
    results = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
    tool = os.path.join(os.environ["KGEN_BIN"], "kgen-search") if "KGEN_BIN" in os.environ else shutil.which("kgen-search")
    text = (results / f"{name}.notes.md").read_text().rstrip() + "\n"
    for archive in archives:
        with tempfile.TemporaryDirectory() as folder:
            unpack(archive, folder)
            run = next(pathlib.Path(folder).rglob("run.json")).parent
            text += "\n" + section(tool, run, results, name)
            target = results / name / f"{run.name}.run.tar.xz"
            with tarfile.open(target, "w:xz", preset=9) as tar:
                tar.add(run, arcname=run.name, filter=lambda info: None if info.name.endswith((".ptx", "/lock")) else info)
            print(f"{target.name}: {target.stat().st_size} bytes")
    (results / f"{name}.md").write_text(text)


if __name__ == "__main__":
    main()
