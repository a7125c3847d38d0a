# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns finished run folders into docs/results: tables, the best kernels, and replayable archives.

Usage: collect_results.py OUT_DIR NAME "COMMAND" BENCH.json RUN...
Writes OUT_DIR/NAME.md, OUT_DIR/NAME.json, OUT_DIR/NAME/PROBLEM/ (the best branch, text only) and
OUT_DIR/NAME/PROBLEM.run.tar.xz (the whole run without PTX, for `kgen-search replay`). What OUT_DIR/NAME.notes.md says stands behind the table; nothing else is written by hand.
"""
import json
import pathlib
import re
import shutil
import sys
import tarfile

KEEP = ("idea.md", "directives.mlir", "annotated.mlir", "kernel.cu", "plan.json", "measurement.json")


def us(value):
    return "" if not value else f"{value:.1f}" if value < 10000 else f"{value / 1000:.2f} ms"


def percent(reference, value):
    return f"{100 * reference / value:.0f} %" if reference and value else ""


def load(run):
    """What one run says: its report, its best measurement, and PyTorch's times."""
    report = json.loads((run / "report.json").read_text())
    best = json.loads((run / report["best"]["branch"] / "measurement.json").read_text())
    baselines = json.loads((run / "baselines.json").read_text())["times_us"] if (run / "baselines.json").exists() else {}
    return report, best, baselines


def trajectory(report, timed):
    lines = [f"| round | branch | idea | µs | % of eager | % of torch.compile | % of floor | passed |", "|---|---|---|---|---|---|---|---|"]
    for row in report["rounds"]:
        if not row.get("time_us"):
            lines.append(f"| {row['round']} | | nothing passed | | | | | {row['passed']} of {row['tried']} |")
            continue
        idea = row["idea"] + (f" ({row['settings']})" if row["settings"] else "")
        time = row["time_us"]
        lines.append(f"| {row['round']} | {row['branch']} | {idea} | {us(time)} | {percent(timed.get('eager_us'), time)} | "
                     f"{percent(timed.get('compile_us'), time)} | {row.get('of_floor', 0):.0f} % | {row['passed']} of {row['tried']} |")
    return "\n".join(lines)


def pack(run, archive):
    """The run without PTX, which replay does not derive."""
    with tarfile.open(archive, "w:xz", preset=6) as tar:
        tar.add(run, arcname=run.name, filter=lambda info: None if info.name.endswith((".ptx", "/lock")) else info)


def ratio(row, name):
    """The other's time over ours with its interval: "1180 % (1178 to 1183)"."""
    value = row.get(f"{name}_ratio")
    if not value:
        return ""
    middle, low, high = (100 * v for v in value)
    return f"{middle:.0f} % ({low:.0f} to {high:.0f})" if high - low >= 1 else f"{middle:.1f} % ({low:.1f} to {high:.1f})"


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__.strip())
    out, name, command, bench, *runs = sys.argv[1:]
    out = pathlib.Path(out)
    (out / name).mkdir(parents=True, exist_ok=True)
    timed = {row["problem"]: row for row in json.loads(pathlib.Path(bench).read_text())}
    machine = next((row["machine"] for row in timed.values() if row.get("machine")), None)
    machine = machine or next(json.loads((pathlib.Path(run) / "report.json").read_text())["device"] for run in runs)
    rows, sections, table = [], [], []
    for run in map(pathlib.Path, runs):
        report, best, _ = load(run)
        problem = report["problem"]
        row = timed.get(problem, {"verdict": best["verdict"], "notes": {"benchmark": "not timed beside PyTorch"}})
        us_of = {k: row.get(f"{k}_us") for k in ("kgen", "eager", "compile", "max_autotune", "library")}
        entry = {"problem": problem, "precision": best["precision"], "verdict": row["verdict"], "kgen_us": us_of["kgen"] or best["time_us"]}
        entry |= {f"{k}_us": us_of[k] for k in ("eager", "compile", "max_autotune", "library")}
        entry |= {"floor_us": best["floor_us"], "library": row.get("library"), "rules": row.get("rules") or best.get("rules"),
                  "kgen_us_p05": row.get("kgen_us_p05"), "kgen_us_p95": row.get("kgen_us_p95"), "search_us": best["time_us"],
                  "generic_us": report["generic_us"], "branches": report["branches"], "seconds": report["seconds"],
                  "clocks_before": row.get("clocks_before"), "clocks_after": row.get("clocks_after"), "notes": row.get("notes") or {}}
        for k in ("eager", "compile", "max_autotune", "library"):
            entry |= {f"{k}_us_p05": row.get(f"{k}_us_p05"), f"{k}_us_p95": row.get(f"{k}_us_p95"), f"{k}_ratio": row.get(f"{k}_ratio")}
        entry |= {"diagnosis": best["diagnosis"]}
        table.append(entry)
        spread = f"{row['kgen_us_p05']:.1f} to {row['kgen_us_p95']:.1f}" if row.get("kgen_us_p05") else ""
        rows.append(f"| `{problem}` | {best['precision']} | {row['verdict']} | **{us(entry['kgen_us'])}** | {spread} | {us(us_of['eager'])} | {us(us_of['compile'])} | "
                    f"{us(us_of['max_autotune'])} | {us(us_of['library'])} | {us(best['floor_us'])} | {ratio(row, 'eager')} | {ratio(row, 'compile')} | "
                    f"{ratio(row, 'max_autotune')} | {ratio(row, 'library')} | {percent(best['floor_us'], entry['kgen_us'])} |")
        said = f" Library: {row['library']}." if row.get("library") else ""
        prior = (report.get("prior") or {}).get("rank_correlation")
        said += f" Rank correlation of the prior with measured time: {prior:.2f}." if isinstance(prior, (int, float)) else ""
        notes = "".join(f" {k}: {v}." for k, v in entry["notes"].items())
        judgement, *facts = re.split(r"\. (?=Machine code of |Profiled )", best["diagnosis"])
        facts = "".join(f"- {fact}.\n" for fact in facts)
        sections.append(f"## {problem}\n\n{report['branches']} branches in {report['seconds']:.0f} s ({', '.join(f'{v} {k}' for k, v in report['verdicts'].items())}). "
                        f"Best: `{report['best']['branch']}`, {us(best['time_us'])} µs in the search.{said}{notes}\n\n"
                        f"What bounds it: {judgement}.\n\n{facts}\n{trajectory(report, row)}\n\n"
                        f"Kernel, directives and measurement: [{name}/{problem}/]({name}/{problem}/). The whole run, replayable: `{name}/{problem}.run.tar.xz`.\n")
        folder = out / name / problem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file in KEEP:
            if (run / report["best"]["branch"] / file).exists():
                shutil.copyfile(run / report["best"]["branch"] / file, folder / file)
        pack(run, out / name / f"{problem}.run.tar.xz")
    head = (f"# Searches on one {machine}\n\nCommand, one problem after the other, no model involved:\n\n    {command}\n\n"
            "Times are medians in µs with a cold L2 cache (CUDA events). After the searches the best kernels were verified again on fresh secret inputs and timed beside PyTorch in turns (scripts/bench_gpu.py; every other "
            "block in reverse order); `5 to 95 %` are quantiles of all samples. PyTorch runs with its own defaults (cuDNN TF32 on, matmul TF32 off); `library` is the fastest setting that a PyTorch user can pick "
            "within the problem's precision class. A percentage is the other time over ours with its 95 % bootstrap interval: above 100 % we are faster. The verdict holds against the fp64 oracle under the tolerance measured for the class.\n\n"
            "| problem | class | verdict | kgen | 5 to 95 % | eager | torch.compile | max-autotune | library | floor | % of eager | % of compile | % of max-autotune | % of library | % of floor |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
    notes = out / f"{name}.notes.md"
    middle = "\n" + notes.read_text() + "\n" if notes.exists() else "\n"
    (out / f"{name}.md").write_text(head + "\n".join(rows) + "\n" + middle + "\n".join(sections))
    (out / f"{name}.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
