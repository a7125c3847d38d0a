# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches problem files for some seconds each, without a model, and times the best kernel of each beside PyTorch, interleaved.

Usage: kernelbench_gpu.py [--seconds S] [--devices D,D] [--within S] [--autotune-seconds S] [--compile-beside] [--out FOLDER] [--page FILE.md] FILE.py...
       kernelbench_gpu.py --page FILE.md FOLDER/kernelbench.json...

--seconds is each search's time (default 25), --devices the cards (default cuda:0): each takes the next file when it is free, one thing at a time.
--within ends it all: no file is begun that would not end by itself. max-autotune is left out where it does not end in --autotune-seconds
(default 40), and that is said. With --compile-beside PyTorch compiles into its cache on disk while the search runs, in a process of its own: a row takes
less of the card; who times something has it alone meanwhile (KGEN_GATE, docs/evaluation.md). What is timed for the table is alone on the card either way. FOLDER (default runs/kernelbench) receives each run folder and log, kernelbench.json with a row for each file, and
samples.json with every sample. What is there already is kept: the same line goes on with the missing ones. The second form only writes the page of
several tables' rows, the later ones first. A level is the name of the folder that a file lies in.
Uses the tools of $KGEN_BIN, or of a build here; PyTorch must be importable. How times are taken, and who competes: bench_gpu.py.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import threading
import time

here = pathlib.Path(__file__).resolve().parent.parent
FIELDS = ["problem", "level", "verdict", "precision", "kgen_us", "eager_us", "compile_us", "max_autotune_us", "library_us", "floor_us", "search_s"]
PYTORCH = ("eager_us", "compile_us", "max_autotune_us", "library_us")
BESIDE = 0.4  # of a card's memory, for what compiles while a search runs there; what needs more is compiled when it is raced
LARGE_BYTES = 4 << 30  # answers in double precision take a dozen times an input's memory
SPARE = 60  # what a search takes beyond its seconds before it is ended, at most


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--devices", default="cuda:0")
    parser.add_argument("--within", type=float, default=math.inf)
    parser.add_argument("--autotune-seconds", type=int, default=40)
    parser.add_argument("--out", default="runs/kernelbench", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--compile-beside", action="store_true")
    parser.add_argument("--lane", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compile", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    for file in options.files:
        if not file.exists():
            parser.error(f"there is no {file}")
    return options


def level_of(file):
    return file.resolve().parent.name


def search(options, file):
    """Searches FILE. (its run folder, or None; seconds; what it said last)."""
    run, log = options.out / level_of(file) / file.stem, options.out / level_of(file) / f"{file.stem}.log"
    run.parent.mkdir(parents=True, exist_ok=True)
    tool = pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin")) / "kgen-search"
    command = [tool, "--problem", file, "--device", "cuda:0", "--llm", "builtin", "--library", "none", "--network", "never",
               "--max-minutes", f"{options.seconds / 60:.4f}", "--out", run]
    begin = time.monotonic()
    with open(log, "w") as text:
        try:
            subprocess.run(command, stdout=text, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=options.seconds + SPARE,
                           env=dict(os.environ, KGEN_BASELINES="none"))
        except subprocess.TimeoutExpired:
            print("kgen-search: ended by the table's script", file=text)
    words = log.read_text(errors="replace").strip().splitlines() or [""]
    return run if (run / "report.json").exists() else None, time.monotonic() - begin, words[-1]


def compile_one(options):
    """Leaves in PyTorch's cache on disk what it compiles for a problem."""
    os.nice(10)  # the search draws its inputs and compiles meanwhile
    sys.path.insert(0, str(here / "scripts"))
    import signal

    import bench_gpu
    import card_gate
    import torch
    signal.signal(signal.SIGALRM, bench_gpu.ring)
    # What it times while it compiles, and what it then runs once, are not to lie beside what the search times.
    card_gate.guard_compiler(bench_gpu.gate.work, runs=True)
    with bench_gpu.gate.work():  # its context, too
        torch.cuda.set_per_process_memory_fraction(BESIDE)
    main, _ = bench_gpu.make_contestants(bench_gpu.load_form(options.files[0]), "", "tf32", libraries=False)
    with torch.no_grad(), bench_gpu.defaults():
        for contestant in main:
            if contestant.name != "eager":
                signal.alarm(options.autotune_seconds)
                try:
                    contestant.function()
                    torch.cuda.synchronize()
                except (Exception, bench_gpu.TooLong) as error:
                    print(f"{options.files[0].stem}, {contestant.name}: {error}"[:300], file=sys.stderr)
                finally:
                    signal.alarm(0)
    return 0


def input_bytes(file):
    """The bytes of FILE's inputs; 0 where the form does not say without drawing them."""
    import bench_gpu
    import torch
    try:
        with torch.device("meta"):
            inputs = bench_gpu.load_form(file).get_inputs()
        return sum(one.numel() * one.element_size() for one in inputs if isinstance(one, torch.Tensor))
    except Exception:
        return 0


def beside(options, file):
    """The process that compiles FILE's PyTorch while the search runs; None without --compile-beside, and where both do not fit a card."""
    if not options.compile_beside or input_bytes(file) > LARGE_BYTES:
        return None
    return subprocess.Popen([sys.executable, __file__, "--compile", "--autotune-seconds", str(options.autotune_seconds), file],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def end(process, patience=10):
    if process:
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def lane(options):
    """One card's process: reads a file's name, answers with its row, until the input ends."""
    import gc
    import tempfile
    gates = tempfile.TemporaryDirectory(prefix="kgen-gate-")
    os.environ["KGEN_GATE"] = gates.name  # this card's: in each lane it is cuda:0
    sys.path.insert(0, str(here / "scripts"))
    import signal

    import bench_gpu
    import card_gate
    import torch
    signal.signal(signal.SIGALRM, bench_gpu.ring)
    card_gate.guard_compiler(bench_gpu.gate.alone)
    answers = os.fdopen(os.dup(1), "w")  # what PyTorch prints is no answer
    os.dup2(2, 1)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        file = pathlib.Path(line.strip())
        begin = time.monotonic()
        compiling = beside(options, file)
        run, seconds, said = search(options, file)
        row = {"problem": file.stem, "level": level_of(file), "verdict": "none", "precision": None, "search_s": seconds}
        if run is None:
            end(compiling, patience=0)
            row["notes"] = {"kgen-search": said[:300]}
        else:
            report = json.loads((run / "report.json").read_text())
            row.update(search_s=report["seconds"], branches=report["branches"], idea=report["best"]["idea"])
            arguments = argparse.Namespace(eval=str(pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin")) / "kgen-eval"),
                                           blocks=6, samples=5, autotune_seconds=options.autotune_seconds)
            try:
                signal.alarm(150)
                row.update(bench_gpu.bench(run, arguments, file, before=lambda: end(compiling)), problem=file.stem)
            except (Exception, bench_gpu.TooLong) as error:
                row["notes"] = {"error": (str(error).strip().splitlines() or [type(error).__name__])[0][:300]}
            finally:
                signal.alarm(0)
                end(compiling, patience=0)
            torch._dynamo.reset()
            gc.collect()
            torch.cuda.empty_cache()  # the next search has the card's memory
        row["seconds_all"] = time.monotonic() - begin
        print(json.dumps(row), file=answers, flush=True)
    return 0


def read_rows(path):
    return {(row["level"], row["problem"]): row for row in json.loads(path.read_text())["rows"]} if path.exists() else {}


def fastest(row):
    """(µs, who) of the fastest PyTorch; None where none was timed."""
    times = [(row[key], key[:-3]) for key in PYTORCH if row.get(key)]
    return min(times) if times else None


def table(rows):
    """The page's lines: a row for each problem, then the geometric means and the losses."""
    lines = ["| level | problem | verdict | precision | kgen | floor | eager | torch.compile | max-autotune | library | fastest PyTorch / kgen | search, s |",
             "|" + "---|" * 12]
    ratios = {}

    def show(value, form=".1f"):
        return format(value, form) if isinstance(value, (int, float)) else "-"

    def order(row):
        number = row["problem"].partition("_")[0]
        return row["level"], int(number) if number.isdigit() else math.inf, row["problem"]

    for row in sorted(rows, key=order):
        best = fastest(row)
        if best and row.get("kgen_us") and row["verdict"] == "PASS":
            ratios[row["level"], row["problem"]] = best[0] / row["kgen_us"]
        ratio = ratios.get((row["level"], row["problem"]))
        cells = [row["level"], row["problem"], row["verdict"], row["precision"] or "-", *(show(row.get(key)) for key in ("kgen_us", "floor_us", *PYTORCH)),
                 f"**{ratio:.2f}**" if ratio and ratio < 0.97 else show(ratio, ".2f"), show(row.get("search_s"), ".0f")]
        lines.append("| " + " | ".join(cells) + " |")

    def mean(values):
        return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan

    lines += [""]
    for level in sorted({row["level"] for row in rows}) + [None]:
        some = [ratio for (at, _), ratio in ratios.items() if level in (at, None)]
        count = sum(level in (row["level"], None) for row in rows)
        lines.append(f"- {level or 'all'}: geometric mean {mean(some):.2f} over {len(some)} of {count}, lowest {min(some, default=math.nan):.2f}, "
                     f"{sum(ratio < 0.97 for ratio in some)} below 0.97, {sum(ratio >= 1 for ratio in some)} ahead")
    return lines


def write(options, rows):
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "samples.json").write_text(json.dumps({"rows": list(rows.values())}) + "\n")
    kept = [{key: row.get(key) for key in FIELDS} | {key: value for key, value in row.items() if key not in FIELDS and key != "samples"} for row in rows.values()]
    (options.out / "kernelbench.json").write_text(json.dumps({"rows": kept}, indent=1) + "\n")
    (options.page or options.out / "kernelbench.md").write_text("\n".join(table(kept)) + "\n")


def main():
    options = parse()
    if options.lane:
        return lane(options)
    if options.compile:
        return compile_one(options)
    if options.files and all(file.suffix == ".json" for file in options.files):
        rows = {}
        for file in options.files:
            rows.update(read_rows(file))
        options.page.write_text("\n".join(table(list(rows.values()))) + "\n")
        return 0
    begin = time.monotonic()
    rows = read_rows(options.out / "samples.json")
    waiting = [file.resolve() for file in options.files if (level_of(file), file.stem) not in rows]
    lock, longest = threading.Lock(), options.seconds + 45

    def serve(device):
        nonlocal longest
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES=device.partition(":")[2] or "0")
        command = [sys.executable, __file__, "--lane", "--seconds", str(options.seconds), "--autotune-seconds", str(options.autotune_seconds),
                   "--out", str(options.out.resolve()), *(["--compile-beside"] if options.compile_beside else [])]
        process = None
        while True:
            with lock:
                if not waiting or time.monotonic() - begin + longest > options.within:
                    break
                file = waiting.pop(0)
            if process is None or process.poll() is not None:  # a lane that broke is begun anew
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(options.out / f"lane-{device.replace(':', '')}.log", "a"), text=True, env=environment)
                process.stdout.readline()
            try:
                process.stdin.write(f"{file}\n")
                process.stdin.flush()
                row = json.loads(process.stdout.readline())
            except (OSError, ValueError):
                row = {"problem": file.stem, "level": level_of(file), "verdict": "none", "precision": None, "notes": {"error": "the card's process ended"}}
                process.kill()
            with lock:
                rows[row["level"], row["problem"]] = row
                write(options, rows)
                best = fastest(row)
                print(f"{time.monotonic() - begin:4.0f} s  {row['level']} {row['problem']}: {row['verdict']}", *(f"{key[:-3]} {row[key]:.1f}" for key in ("kgen_us", "floor_us", *PYTORCH) if row.get(key)),
                      f"ratio {best[0] / row['kgen_us']:.2f}" if best and row.get("kgen_us") else "", row.get("notes") or "", flush=True)
        if process:
            process.stdin.close()
            process.wait()

    options.out.mkdir(parents=True, exist_ok=True)
    threads = [threading.Thread(target=serve, args=(device,)) for device in options.devices.split(",")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(table(list(rows.values()))[-4:]))
    if waiting:
        print(f"{len(waiting)} not begun: no time left")
    return 1 if waiting or any(row["verdict"] != "PASS" for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
