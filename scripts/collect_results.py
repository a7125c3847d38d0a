"""Turns finished run folders into docs/results: tables, the best kernels, and replayable archives.

Usage: collect_results.py OUT_DIR NAME "COMMAND" "MACHINE" RUN...
Writes OUT_DIR/NAME.md, OUT_DIR/NAME.json, OUT_DIR/NAME/PROBLEM/ (the best branch, text only) and
OUT_DIR/NAME/PROBLEM.run.tar.xz (the whole run without PTX, for `kgen-search replay`).
"""
import json
import pathlib
import shutil
import statistics
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


def trajectory(report):
    lines = [f"| round | branch | idea | µs | % of eager | % of torch.compile | % of floor | passed |", "|---|---|---|---|---|---|---|---|"]
    for row in report["rounds"]:
        if not row.get("time_us"):
            lines.append(f"| {row['round']} | | nothing passed | | | | | {row['passed']} of {row['tried']} |")
            continue
        idea = row["idea"] + (f" ({row['settings']})" if row["settings"] else "")
        lines.append(f"| {row['round']} | {row['branch']} | {idea} | {us(row['time_us'])} | {row.get('of_eager', 0):.0f} % | "
                     f"{row.get('of_compile', 0):.0f} % | {row.get('of_floor', 0):.0f} % | {row['passed']} of {row['tried']} |")
    return "\n".join(lines)


def pack(run, archive):
    """The run without PTX, which replay does not derive."""
    with tarfile.open(archive, "w:xz", preset=6) as tar:
        tar.add(run, arcname=run.name, filter=lambda info: None if info.name.endswith((".ptx", "/lock")) else info)


def main():
    out, name, command, machine, *runs = sys.argv[1:]
    out = pathlib.Path(out)
    (out / name).mkdir(parents=True, exist_ok=True)
    rows, sections, table = [], [], []
    for run in map(pathlib.Path, runs):
        report, best, torch = load(run)
        problem, time = report["problem"], best["time_us"]
        samples = best["samples"]
        table.append({"problem": problem, "precision": best["precision"], "verdict": best["verdict"], "kgen_us": time,
                      "kgen_us_low": min(samples), "kgen_us_high": max(samples), "eager_us": torch.get("eager"),
                      "compile_us": torch.get("compile"), "max_autotune_us": torch.get("max_autotune"),
                      "eager_tf32_us": torch.get("eager_tf32"), "eager_strict_fp32_us": torch.get("eager_strict_fp32"),
                      "generic_us": report["generic_us"], "floor_us": best["floor_us"], "branches": report["branches"],
                      "seconds": report["seconds"]})
        spread = f"{min(samples):.1f} to {max(samples):.1f}, {len(samples)} samples, median deviation " \
                 f"{statistics.median(abs(s - time) for s in samples):.2f}"
        rows.append(f"| `{problem}` | {best['precision']} | {best['verdict']} | **{us(time)}** | {us(torch.get('eager'))} | {us(torch.get('compile'))} | "
                    f"{us(torch.get('max_autotune'))} | {us(best['floor_us'])} | {percent(torch.get('eager'), time)} | "
                    f"{percent(torch.get('compile'), time)} | {percent(torch.get('max_autotune'), time)} | {percent(best['floor_us'], time)} |")
        extra = "; ".join(f"{k.replace('_', ' ')} {us(torch[k])} µs" for k in ("eager_tf32", "eager_strict_fp32") if torch.get(k))
        sections.append(f"## {problem}\n\n{report['branches']} branches in {report['seconds']:.0f} s ({', '.join(f'{v} {k}' for k, v in report['verdicts'].items())}). "
                        f"Best: `{report['best']['branch']}`, {us(time)} µs ({spread}).{' Beside it: ' + extra + '.' if extra else ''}\n\n"
                        f"What bounds it: {best['diagnosis']}.\n\n{trajectory(report)}\n\n"
                        f"Kernel, directives and measurement: [{name}/{problem}/]({name}/{problem}/). The whole run, replayable: `{name}/{problem}.run.tar.xz`.\n")
        folder = out / name / problem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file in KEEP:
            if (run / report["best"]["branch"] / file).exists():
                shutil.copyfile(run / report["best"]["branch"] / file, folder / file)
        pack(run, out / name / f"{problem}.run.tar.xz")
    head = (f"# Searches on one {machine}\n\nCommand, one problem after the other, no model involved:\n\n    {command}\n\n"
            "Times are medians in µs with a cold L2 cache (CUDA events); PyTorch was timed on the same card in the same run with its own defaults "
            "(cuDNN TF32 on, matmul TF32 off) unless a column says otherwise. A percentage is the other time over ours: above 100 % we are faster. The precision class names what rounding the answer may have; "
            "the verdict holds against the fp64 oracle under the tolerance measured for that class.\n\n"
            "| problem | class | verdict | kgen | eager | torch.compile | max-autotune | floor | % of eager | % of compile | % of max-autotune | % of floor |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|\n")
    notes = out / f"{name}.notes.md"
    middle = "\n" + notes.read_text() + "\n" if notes.exists() else "\n"
    (out / f"{name}.md").write_text(head + "\n".join(rows) + "\n" + middle + "\n".join(sections))
    (out / f"{name}.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
