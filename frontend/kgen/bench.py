# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kgen bench FOLDER|FILE.py|MODEL...`: kgen.compile beside PyTorch, problem by problem, each in a process of its own."""
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from kgen.errors import ImportRefused

BASELINES = ("eager", "compile", "max-autotune")
_INPUTS = 3


# What runs in a child

class _Problem:
    """A module in evaluation mode on a device, and fresh inputs for it: positional ones and keywords."""

    def __init__(self, name, device):
        import torch

        self._device = torch.device(device)
        torch.manual_seed(0)
        with self._device:
            if os.path.isfile(name):
                space = {"__name__": "problem", "__file__": name}
                exec(compile(pathlib.Path(name).read_text(), name, "exec"), space)
                self._draw = lambda: (tuple(space["get_inputs"]()), {})
                self.module = space["Model"](*space.get("get_init_inputs", list)())
            else:
                self.module, self._draw = _named(name)
        self.module = self.module.to(self._device).eval()

    def inputs(self, seed):
        import torch
        from torch.utils import _pytree as pytree

        torch.manual_seed(seed)
        with self._device:
            drawn = self._draw()
        return pytree.tree_map_only(torch.Tensor, lambda value: value.to(self._device), drawn)


def _named(name):
    """A class of the transformers package with its own defaults and random weights."""
    import torch
    import transformers

    kind = getattr(transformers, name, None)
    if kind is None or getattr(kind, "config_class", None) is None:
        raise ImportRefused("expected a folder, a .py file or the name of a model of the transformers package", name)
    config = kind.config_class()
    size = getattr(config, "image_size", 224)
    size = size if isinstance(size, int) else size[0]
    shapes = {"pixel_values": (1, getattr(config, "num_channels", 3), size, size), "input_values": (1, 16000),
              "input_features": (1, getattr(config, "num_mel_bins", 80), 2 * getattr(config, "max_source_positions", 1500))}
    main = kind.main_input_name

    def draw():
        ids = torch.randint(0, getattr(config, "vocab_size", 2) or 2, (1, 128))
        inputs = {main: torch.randn(shapes[main]) if main in shapes else ids}
        if getattr(config, "is_encoder_decoder", False):
            inputs["decoder_input_ids"] = ids[:, :32]
        return (), inputs
    return kind(config), draw


def _microseconds(call, device, seconds):
    """The median of calls for about SECONDS, at least 5; on a card by events and with a cold L2 cache."""
    import torch

    times, begin = [], time.perf_counter()
    cold = torch.empty(256 << 20, dtype=torch.uint8, device=device) if device.startswith("cuda") else None
    while len(times) < 5 or (time.perf_counter() - begin < seconds and len(times) < 1000):
        if cold is None:
            start = time.perf_counter()
            call()
            times.append(1e6 * (time.perf_counter() - start))
            continue
        cold.zero_()
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        call()
        last.record()
        torch.cuda.synchronize()
        times.append(1e3 * first.elapsed_time(last))
    return statistics.median(times)


def _wrong(compiled, problem, precision):
    """Why COMPILED does not give the original's answers on fresh inputs, in words; None where it does."""
    import copy

    import torch
    from torch.utils import _pytree as pytree

    from kgen.compiler import difference

    def flat(answer):
        return [value for value in pytree.tree_leaves(answer) if isinstance(value, torch.Tensor)]

    def wide(value):
        return value.double() if value.is_floating_point() else value
    for seed in range(1, _INPUTS + 1):
        arguments, keywords = problem.inputs(seed)
        found, expected = flat(compiled(*arguments, **keywords)), flat(problem.module(*arguments, **keywords))
        if any(difference(*pair, precision) for pair in zip(found, expected, strict=True)):
            try:
                exact = flat(copy.deepcopy(problem.module).double()(
                    *pytree.tree_map_only(torch.Tensor, wide, arguments), **pytree.tree_map_only(torch.Tensor, wide, keywords)))
            except (RuntimeError, TypeError, NotImplementedError):
                exact = [None] * len(expected)
            for one, other, truth in zip(found, expected, exact, strict=True):
                why = difference(one, other, precision, truth)
                if why:
                    return f"inputs {seed}: {why}"
    return None


def _measure(job):
    """{"us": ...} and, of kgen, whether it is correct and what it computes."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    problem = _Problem(job["problem"], job["device"])
    arguments, keywords = problem.inputs(0)
    row, call = {}, problem.module
    with torch.no_grad():
        if job["what"] == "kgen":
            import kgen
            begin = time.perf_counter()
            call = kgen.compile(problem.module, arguments, keywords, search=job["search"], precision=job["precision"])
            call(*arguments, **keywords)  # makes the kernels of what is compiled in pieces
            coverage = kgen.report(call)
            row = {"seconds": time.perf_counter() - begin, "share": coverage.share, "launches": coverage.kernels,
                   "kept": [f"{each[0]}: {each[3]}" for each in coverage.rows if each[2] != "kgen"][:8]}
            row["why"] = _wrong(call, problem, call._entries[0].graph.precision)
            if call.misses:
                row["why"] = "the original ran: " + next(iter(call.misses))
            elif coverage.share == 0:
                row["why"] = "nothing of it is kgen's"
            row["correct"] = row["why"] is None
        elif job["what"] != "eager":
            call = torch.compile(problem.module, mode=None if job["what"] == "compile" else job["what"])
        for _ in range(3):
            call(*arguments, **keywords)
        row["us"] = _microseconds(lambda: call(*arguments, **keywords), job["device"], job["seconds"])
    return row


def _child():
    job = json.loads(sys.argv[1])
    try:
        row = _measure(job)
    except Exception as error:  # a problem's own code raises anything
        lines = [line for line in str(error).splitlines() if line.strip()]
        row = {"failed": f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]}
    pathlib.Path(job["out"]).write_text(json.dumps(row))


# What starts them

def problems(names):
    """{name: path or model's name} of files, folders of files, and models, in order. Raises ImportRefused."""
    found = {}
    for name in names:
        path = pathlib.Path(name)
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []
        if (path.is_dir() or path.suffix == ".py") and not [file for file in files if file.is_file()]:
            raise ImportRefused("expected a file or a folder with .py files", name)
        for file in files:
            # A folder may hold other Python files than problems.
            if path.is_dir() and "class Model" not in file.read_text(errors="replace"):
                continue
            found[str(file.relative_to(path).with_suffix("")) if path.is_dir() else file.stem] = str(file.resolve())
        if not files:
            found[name] = name
    return found


def _run(job, limit):
    """A child's row, {"failed": why} where there is none within LIMIT seconds."""
    with tempfile.TemporaryDirectory(prefix="kgen-bench-") as folder:
        job = {**job, "out": str(pathlib.Path(folder) / "row.json")}
        command = [sys.executable, "-c", "from kgen.bench import _child; _child()", json.dumps(job)]
        path = os.pathsep.join([str(pathlib.Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit,
                                  env={**os.environ, "PYTHONPATH": path})
        except subprocess.TimeoutExpired:
            return {"failed": f"more than {limit:g} s"}
        if not os.path.isfile(job["out"]):
            last = (done.stdout.strip().splitlines() or [""])[-1]
            return {"failed": f"its process ended with {done.returncode}: {last}"[:300]}
        return json.loads(pathlib.Path(job["out"]).read_text())


def _fingerprint(problem, device, options):
    text = pathlib.Path(problem).read_text() if os.path.isfile(problem) else problem
    return hashlib.sha256(json.dumps([text, device, options]).encode()).hexdigest()[:16]


def fastest(row):
    """The time of the fastest baseline that has one, in us; None."""
    times = [row[name]["us"] for name in BASELINES if "us" in row.get(name, {})]
    return min(times) if times else None


def speedup(row):
    """How many times as fast as the fastest baseline; None where kgen is not correct or nothing was measured."""
    base = fastest(row)
    return base / row["kgen"]["us"] if base and row["kgen"].get("correct") else None


def summary(rows):
    """{"problems", "correct", "fast_1", "fast_2", "geomean"}: of all problems, those that are correct, and correct and more than 1 or 2
    times as fast as the fastest baseline, as shares; the geometric mean over the correct ones, None without any."""
    rows = list(rows.values())
    ratios = [ratio for ratio in map(speedup, rows) if ratio]
    count = max(1, len(rows))
    return {"problems": len(rows), "correct": sum(bool(row["kgen"].get("correct")) for row in rows) / count,
            "fast_1": sum(ratio > 1 for ratio in ratios) / count, "fast_2": sum(ratio > 2 for ratio in ratios) / count,
            "geomean": math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None}


def table(rows):
    def time_of(row, name):
        cell = row.get(name)
        return "-" if cell is None else f"{cell['us']:.1f}" if "us" in cell else cell["failed"]
    lines = ["| problem | correct | by kgen | kgen, us | " + " | ".join(f"{name}, us" for name in BASELINES) + " | times as fast |",
             "|" + "---|" * (5 + len(BASELINES))]
    for name, row in rows.items():
        ours, ratio = row["kgen"], speedup(row)
        right = "yes" if ours.get("correct") else ours.get("failed") or ours.get("why") or "no"
        share = f"{100 * ours['share']:.0f} %" if "share" in ours else "-"
        lines.append("| " + " | ".join([name, right, share, f"{ours['us']:.1f}" if "us" in ours else "-",
                                        *(time_of(row, each) for each in BASELINES), f"{ratio:.2f}" if ratio else "-"]) + " |")
    total = summary(rows)
    mean = f"{total['geomean']:.3f}" if total["geomean"] else "-"
    lines += ["", f"{total['problems']} problems: correct {100 * total['correct']:.1f} %, fast_1 {100 * total['fast_1']:.1f} %, fast_2 "
              f"{100 * total['fast_2']:.1f} %; geometric mean over the correct ones {mean} times the fastest baseline"]
    return "\n".join(lines) + "\n"


def bench(names, out, *, device="auto", baselines=("eager",), search="cached", precision=None, seconds=1.0, limit=300.0, say=print):
    """Measures the problems of NAMES that the file OUT does not have yet under the same options; its rows by problem. OUT is whole
    after every measurement, with a table beside it, so that a run that was stopped goes on."""
    import torch

    unknown = sorted(set(baselines) - set(BASELINES))
    if unknown:
        raise ImportRefused(f"no baseline is called {unknown[0]}, expected some of {', '.join(BASELINES)}")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    device = "cpu" if device == "host" else device
    if device == "cpu":
        say("on device host: right or wrong is what it says; its times say nothing of a card")
    chosen, out, rows = problems(names), pathlib.Path(out), {}
    if out.is_file():
        try:
            rows = json.loads(out.read_text())["rows"]
        except (ValueError, KeyError, TypeError) as error:
            raise ImportRefused("expected a file that kgen bench wrote", out) from error
    options = {"search": search, "precision": precision, "torch": torch.__version__}

    def save():
        # In one step: what was measured survives a kill.
        content = {"device": device, "options": options, "summary": summary(rows), "rows": rows}
        for path, text in ((out, json.dumps(content, indent=1) + "\n"), (out.with_suffix(".md"), table(rows))):
            new = path.with_name(path.name + ".new")
            new.write_text(text)
            new.replace(path)
    for name, problem in chosen.items():
        mark = _fingerprint(problem, device, options)
        if rows.get(name, {}).get("mark") != mark:
            rows[name] = {"mark": mark}
        row = rows[name]
        for what in ("kgen", *[each for each in BASELINES if each in baselines]):
            if what in row:
                continue
            row[what] = _run({"problem": problem, "what": what, "device": device, "search": search, "precision": precision,
                              "seconds": seconds}, limit)
            if "kgen" in row:
                save()
        ratio = speedup(row)
        ours = row["kgen"]
        say(f"{name}: " + ("correct" if ours.get("correct") else ours.get("failed") or ours.get("why"))
            + (f", {ratio:.2f} times as fast as the fastest baseline" if ratio else ""))
    return rows
