# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches networks on cards and writes a row for each: see networks_gpu.sh, which is how it is called."""
import argparse
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

here = pathlib.Path(__file__).resolve().parent.parent
# A search ends by itself within its minutes; this is for the start, for one that went wrong, and for the end of one.
START, SPARE = 60, 120
PYTORCH = float(os.environ.get("KGEN_PYTORCH_SECONDS", 600))  # for all modes of one network
NO_END = "came to no end"
DTYPES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i8": 1, "i1": 1}
KEYS = ["network", "batch", "precision", "verdict", "kgen_us", "kgen_fresh_us", "kgen_graph_us", "eager_us", "compile_us", "max_autotune_us",
        "graph_us", "launches", "peak_mb", "torch_peak_mb", "search_s"]


def parse():
    parser = argparse.ArgumentParser(prog="networks_gpu.sh", usage="%(prog)s [--minutes M] [--devices D,D] [--within S] [--modes MODES] [--compile-beside] [--precision CLASS] [--graphs FOLDER] [--out FOLDER] FILE...")
    parser.add_argument("--compile-beside", action="store_true")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--devices", "--device", default="cuda:0")
    parser.add_argument("--within", type=float, default=math.inf)
    parser.add_argument("--modes", default="eager,eager_graph,compile,compile_graph")
    parser.add_argument("--precision", default="")
    parser.add_argument("--graphs", type=pathlib.Path)
    parser.add_argument("--out", default="runs/networks", type=pathlib.Path)
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.tools = pathlib.Path(os.environ.get("KGEN_BIN", here / "build/bin"))
    if not os.access(options.tools / "kgen-search", os.X_OK):
        parser.error(f"no kgen-search in {options.tools}; set KGEN_BIN")
    for file in options.files:
        if not os.path.exists(file):
            parser.error(f"there is no {file}")
    return options


def run(command, log, seconds, environment):
    """Runs COMMAND into LOG. After SECONDS it is asked to end, which a search does after the candidate in flight; later it is killed."""
    with open(log, "ab") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
        for patience, how in ((seconds, signal.SIGINT), (60, signal.SIGKILL)):
            try:
                return process.wait(patience)
            except subprocess.TimeoutExpired:
                process.send_signal(how)
        return process.wait()


class PyTorch:
    """PyTorch's times of one network in its modes, once for each network and mode: a process that is begun at once. With --compile-beside the
    search goes on meanwhile, PyTorch's compiler and kgen's timing take turns on the card (KGEN_GATE, docs/evaluation.md), and
    PyTorch is timed when the search is over: eager calls want a processor to themselves."""

    def __init__(self, options, file, name, device, environment):
        self.kept, self.log, self.process = options.out / f"{name}.pytorch.json", options.out / f"{name}.pytorch.log", None
        self.known = read_json(self.kept, {"times": {}, "notes": {}, "peaks": {}})
        self.wanted = [mode for mode in options.modes.split(",") if mode != "none" and mode not in self.known["times"] and mode not in self.known["notes"]]
        if not self.wanted or not file.endswith(".py") or not device.startswith("cuda"):
            return
        self.environment = dict(environment, KGEN_BASELINES_TF32="0" if options.precision == "strict-fp32" else "1")
        self.command = [os.environ.get("KGEN_PYTHON", sys.executable), str(here / "lib/Evaluate/baselines.py"), file, device.partition(":")[2] or "0"]
        self.searched = options.out / f"{name}.searched"
        self.searched.unlink(missing_ok=True)
        self.begin(self.wanted, beside=options.compile_beside)

    def begin(self, modes, beside):
        environment = dict(self.environment, KGEN_BASELINES=",".join(modes),
                           PYTHONPATH=os.pathsep.join(filter(None, [str(here / "scripts"), os.environ.get("PYTHONPATH")])))  # card_gate
        if beside:
            environment["KGEN_BASELINES_WAIT"] = str(self.searched)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
                                            preexec_fn=(lambda: os.nice(10)) if beside else None)

    def finish(self, end):
        """Waits until END at most, and keeps the modes that are through by then; a mode that failed is not tried again. Where a compile comes to no
        end the modes that compile nothing are timed after it."""
        if not self.process:
            return
        self.searched.touch()
        self.wait(min(PYTORCH, end - time.monotonic()), self.wanted)
        eager = [mode for mode in self.wanted if mode.startswith("eager") and self.known["notes"].get(mode) == NO_END]
        if eager and eager != self.wanted:
            self.begin(eager, beside=False)
            self.wait(min(PYTORCH, end - time.monotonic()), eager)

    def wait(self, seconds, modes):
        """Waits for the process, which times MODES, and keeps what it says."""
        error = ""
        try:
            self.process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            error = NO_END
            self.process.kill()
            self.process.wait()
        said = self.log.read_text(errors="replace").splitlines()
        answer = next((json.loads(line) for line in reversed(said) if line.startswith("{") and line.endswith("}")), {})
        error = answer.get("error") or error or (said[-1][:300] if said else "said nothing")
        for key in ("times", "peaks"):
            self.known[key].update(answer.get(key, {}))
        for mode in modes:
            # What an outer limit cut is tried again when the same line goes on.
            cut = seconds < PYTORCH and error == NO_END and mode not in answer.get("notes", {})
            if mode in self.known["times"]:
                self.known["notes"].pop(mode, None)
            elif not cut:
                self.known["notes"][mode] = answer.get("notes", {}).get(mode, error)
        self.known["versions"] = answer.get("versions", self.known.get("versions", ""))
        self.kept.write_text(json.dumps(self.known, indent=1))
        self.process = None


def search(options, file, device, end, share):
    """Searches the network of FILE, or goes on with it. Whether its run is complete."""
    name = pathlib.Path(file).stem
    cores = max(2, len(os.sched_getaffinity(0)) // share)
    environment = dict(os.environ, KGEN_BASELINES="none", KGEN_THREADS=str(cores))
    if options.compile_beside or not options.minutes:
        environment["KGEN_GATE"] = str(options.out / "gates")
    if not options.minutes:
        environment["TORCHINDUCTOR_COMPILE_THREADS"] = str(cores)
        return time_pytorch(options, file, device, end, environment)
    pytorch = PyTorch(options, file, name, device, environment)
    if not options.compile_beside:
        pytorch.finish(end)
    try:
        return search_beside(options, file, device, end, cores, environment)
    finally:
        pytorch.finish(end)


def time_pytorch(options, file, device, end, environment):
    """Times PyTorch's modes alone. Whether each of them has a time, or is known to have none."""
    begin, pytorch = time.monotonic(), PyTorch(options, file, pathlib.Path(file).stem, device, environment)
    pytorch.finish(end)
    times, notes = (pytorch.known[key] for key in ("times", "notes"))
    print(f"{pathlib.Path(file).stem} on {device}: {time.monotonic() - begin:.0f} s: " +
          ", ".join([f"{mode} {us:.1f} us" for mode, us in times.items()] + [f"{mode} {why}" for mode, why in notes.items()]), flush=True)
    return all(mode in times or mode in notes for mode in options.modes.split(","))


def search_beside(options, file, device, end, cores, environment):
    name = pathlib.Path(file).stem
    folder, log = options.out / name, options.out / f"{name}.log"
    minutes = min(options.minutes, (end - time.monotonic() - START - 5) / 60)
    if minutes < 0.5:
        print(f"{name}: no time left", flush=True)
        return False
    if (folder / "network/run.json").exists():
        spent = report(options, folder).get("seconds", 0)
        if spent >= 60 * options.minutes - 5:
            return True
        command = ["resume", str(folder), "--device", device, "--max-minutes", f"{min(options.minutes, spent / 60 + minutes):.3f}"]
    else:
        graph = options.graphs / f"{name}.mlir" if options.graphs else None
        command = ["--problem", str(graph) if graph and graph.exists() else file, "--network", "always", "--device", device, "--max-minutes", f"{minutes:.3f}", "--jobs", str(cores), "--out", str(folder),
                   *(["--precision", options.precision] if options.precision else [])]
    code = run([str(options.tools / "kgen-search"), *command], log, min(60 * minutes + START + SPARE, end - time.monotonic()), environment)
    words = [line for line in log.read_text(errors="replace").splitlines() if line.startswith(("network round", "kgen-search:"))]
    print(f"{name} on {device}: exit {code}: {words[-1] if words else ''}", flush=True)
    return code == 0


def report(options, folder):
    """report.json of the run in FOLDER, which is made anew: a search that was killed left none."""
    subprocess.run([str(options.tools / "kgen-search"), "report", str(folder), "--format", "json", "--out", str(folder / "report.json")],
                   capture_output=True, check=False)
    return read_json(folder / "report.json", {})


def read_json(path, otherwise):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return otherwise


def buffer_bytes(plan):
    """What a network's weights, inputs and outputs take; an output that is an input written in place takes nothing."""
    return sum(DTYPES[buffer["dtype"]] * math.prod(buffer["shape"]) for side in ("inputs", "outputs") for buffer in plan.get(side, [])
               if "updates" not in buffer)


def prepared_only_bytes(plan):
    """The bytes of weights that only preparation reads: whoever prepares for good could let go of them."""
    first = sum(step["launches"] for step in plan.get("steps", [])[:plan.get("prepare", 0)])
    run = set(re.findall(r'"in(\d+)', json.dumps(plan.get("launches", [])[first:])))
    run |= {str(one["updates"]) for one in plan.get("outputs", []) if "updates" in one}
    return buffer_bytes({"inputs": [one for i, one in enumerate(plan.get("inputs", [])) if one.get("parameter") and str(i) not in run]})


def row_of(options, name):
    found = report(options, options.out / name) if (options.out / name / "network/run.json").exists() else {}
    pytorch = read_json(options.out / f"{name}.pytorch.json", {"times": {}, "peaks": {}, "notes": {}})
    times, peaks = pytorch["times"], pytorch["peaks"]
    plan = read_json(options.out / name / "best/plan.json", {})
    inputs = [one for one in plan.get("inputs", []) if not one.get("parameter")]
    rounds = found.get("rounds", [])
    best = found.get("best_us") or None
    graphs = [us for mode, us in times.items() if mode.endswith("_graph")]
    peak = [peaks[mode] for mode in ("eager", "compile") if mode in peaks]
    return {"network": name, "batch": inputs[0]["shape"][0] if inputs and inputs[0]["shape"] else None, "precision": found.get("precision"),
            "verdict": "PASS" if found.get("best") else rounds[-1]["verdict"] if rounds else "none",
            "kgen_us": best, "kgen_fresh_us": found.get("fresh_us") or None, "kgen_graph_us": found.get("graph_us") or None,
            "eager_us": times.get("eager"), "compile_us": times.get("compile"), "max_autotune_us": times.get("max_autotune"),
            "graph_us": min(graphs, default=None), "launches": found.get("launches"),
            "peak_mb": (found["arena_bytes"] + found.get("prepared_bytes", 0) + buffer_bytes(plan)) / 1e6 if plan else None,
            "torch_peak_mb": min(peak) / 1e6 if peak else None, "search_s": found.get("seconds"),
            # What the table leaves out. Weights that only preparation reads are in peak_mb; kgen.compile(offload=True) peaks at the difference.
            "prepared_only_mb": prepared_only_bytes(plan) / 1e6 if plan else None,
            "device": found.get("device"), "counted": found.get("counted"), "prepare_launches": found.get("prepare_launches"),
            "round0_us": found.get("generic_us"), "tasks": found.get("steps"), "different": len(found.get("tasks", [])),
            "task_sum_us": None if any(task.get("measured", "alone") != "alone" for task in found.get("tasks", []))
            else sum(task["count"] * task["best_us"] for task in found.get("tasks", [])) or None,
            "ended": found.get("stop_reason"), "sanitizer": found.get("sanitizer"), "warnings": found.get("warnings"), "pytorch": times, "pytorch_notes": pytorch["notes"],
            "pytorch_versions": pytorch.get("versions"), "fault": None if found else last_words(options.out / f"{name}.log")}


def last_words(log):
    """What a search said that left no run."""
    said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return said[-1][:300] if said else None


def mean_of(rows, ours):
    """The geometric mean of the fastest PyTorch over kgen, where both are there, with the number of rows and the lowest."""
    ratios = []
    for row in rows:
        theirs = [us for us in row["pytorch"].values() if us]
        mine = [row[key] for key in ours if row[key]]
        if theirs and mine and row["verdict"] == "PASS":
            ratios.append(min(theirs) / min(mine))
    if not ratios:
        return None
    return {"geomean": math.exp(sum(map(math.log, ratios)) / len(ratios)), "networks": len(ratios), "lowest": min(ratios)}


def write(options, quiet=False):
    names = sorted(path.parent.parent.name for path in options.out.glob("*/network/run.json"))
    others = {path.name[:-len(end)] for end in (".pytorch.json", ".log") for path in options.out.glob(f"*{end}") if not path.name.endswith(".pytorch.log")}
    names += sorted(others - set(names))
    rows = [row_of(options, name) for name in names]
    means = {"launches": mean_of(rows, ["kgen_us"]), "launches_or_graph": mean_of(rows, ["kgen_us", "kgen_graph_us"])}
    (options.out / "networks.json").write_text(json.dumps({"rows": rows, "fastest_pytorch_over_kgen": means}, indent=1) + "\n")

    def show(value):
        return f"{value:.4g}" if isinstance(value, float) else "-" if value in (None, "") else str(value)

    lines = ["| " + " | ".join(KEYS) + " | fastest PyTorch / kgen |", "|" + "---|" * (len(KEYS) + 1)]
    for row in rows:
        one = mean_of([row], ["kgen_us", "kgen_graph_us"])
        lines.append("| " + " | ".join(show(row[key]) for key in KEYS) + f" | {show(one['geomean'] if one else None)} |")
    lines.append("")
    for key, words in (("launches", "as plain launches"), ("launches_or_graph", "as plain launches or one CUDA graph")):
        mean = means[key]
        lines.append(f"Geometric mean of (fastest PyTorch, CUDA graphs included) / kgen {words}: " +
                     (f"{mean['geomean']:.3f} over {mean['networks']} networks, lowest {mean['lowest']:.3f}" if mean else "none"))
    (options.out / "networks.md").write_text("\n".join(lines) + "\n")
    if quiet:
        return
    print("\n".join(lines[-2:]))
    print(f"{len(rows)} networks in {options.out}/networks.md and networks.json")


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    devices = options.devices.split(",")
    end = time.monotonic() + options.within
    waiting, lock, failed = list(options.files), threading.Lock(), []

    def serve(device):
        while True:
            with lock:
                if not waiting:
                    return
                file = waiting.pop(0)
            try:
                if not search(options, file, device, end, len(devices)):
                    failed.append(file)
            except OSError as error:
                print(f"{file}: {error}", flush=True)
                failed.append(file)
            with lock:
                write(options, quiet=True)  # whoever ends this script loses nothing

    threads = [threading.Thread(target=serve, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    write(options)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
