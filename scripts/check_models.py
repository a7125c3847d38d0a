# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile of transformers models on a card, beside eager PyTorch and torch.compile.

Usage: check_models.py [--out FOLDER] [--small | --more | --public] [--types fp32,bf16] [--workers N] [--limit SECONDS] [--each SECONDS] [--no-inductor] [--device host] [NAME...]
Published sizes of fourteen models (frontend/tests/published.py), or with --small those of the tests, or with --more a tiny one of each class of
frontend/tests/more_models.py (and of any class of the tests that NAME says), or with --public those of frontend/tests/public_models.py, whose
packages are on the PYTHONPATH; random weights, nothing is downloaded. N models at a
time share the card (default 6); those not begun after --limit SECONDS (default 300) are left out and said so, and so is, on a card, one that
takes more than --each SECONDS (default 200). FOLDER gets models.json and models.md.
KGEN_BIN and KGEN_RUNTIME name kgen's tools and its runtime. On device host nothing is captured or timed.

Right is: in fp32 at most 1e-4 of PyTorch's norm from eager PyTorch without TF32; where it is more, PyTorch in float64 decides, its casts to
float32 left out, and twice eager's own distance from that is granted: a deep recurrence multiplies every rounding. In bf16 at most twice as far as
eager bf16 from eager fp32. The same after every parameter was changed, and for a replayed CUDA graph. Host us is what a call costs before it
returns, kernels still under way: the median of 30; graph us the fastest of 20 replays, while other models may use the card.
"""
import argparse
import fcntl
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontend"))
TYPES = ("fp32", "bf16")


def moved_to(device, values):
    import torch
    return torch.utils._pytree.tree_map(lambda value: value.to(device) if isinstance(value, torch.Tensor) else value, values)


def norm(found, expected):
    if found.shape != expected.shape:
        return float("inf")
    return ((found.double() - expected.double()).norm() / expected.double().norm().clamp_min(1e-30)).item()


def worst(found, expected):
    return max(norm(*pair) for pair in zip(found, expected, strict=True))


def tensors(answer):
    """The floating-point tensors of an answer: those of its fields that are tensors, or all that it holds."""
    import torch
    values = answer.values() if isinstance(answer, dict) else torch.utils._pytree.tree_leaves(answer)
    return [value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point()]


def exact(module, arguments, keywords):
    """What tensors() finds in the answer of MODULE computed in float64, as float32 models round here and there whatever their weights are;
    [] where PyTorch cannot."""
    import torch

    from kgen.compiler import in_float64, quiet
    from kgen.structure import Traced, flatten
    from kgen.subgraph import settled
    from kgen.torch_forms import exportable
    if module not in exact.programs:
        traced = Traced(module)
        with quiet(), exportable():
            exact.programs[module] = settled(torch.export.export(traced, arguments, keywords, strict=False)), traced.form
    exported, form = exact.programs[module]
    signature, given = exported.graph_signature, iter(flatten(arguments, keywords)[0])
    state = {Traced.PREFIX + name: value for name, value in [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]}
    kinds = torch.export.graph_signature.InputKind
    values = [next(given) if item.kind == kinds.USER_INPUT else state[item.target] if item.target in state else exported.constants[item.target]
              for item in signature.input_specs]
    results = in_float64(exported.graph_module, values)
    if results is None:
        return []
    answers = [result for result, item in zip(results, signature.output_specs) if item.kind.name == "USER_OUTPUT"]
    return tensors(form.build(answers))


#: {module: (its program, the form of its answer)}: weights are read at each call.
exact.programs = {}


def one(name, kind, sizes, out, inductor, device):
    """Checks and times one model; writes what is known to the file OUT as soon as it is."""
    warnings.simplefilter("ignore")
    import torch

    import kgen
    from tests import models, more_models, public_models, published
    torch.backends.cudnn.allow_tf32 = False
    on_card = device == "cuda"
    row = {"model": name, "type": kind, "right": False}

    def say(**facts):
        row.update(facts)
        pathlib.Path(out).write_text(json.dumps(row))

    arguments = ()
    if sizes == "public":
        module, arguments, keywords = public_models.build_public(name)
        what, module = type(module).__name__, module.to(device)
        arguments, keywords = moved_to(device, (arguments, keywords))
    elif sizes == "published":
        what, module, keywords = published.build_published(name, device)
    else:
        module, keywords = models.build_whole(name) if name in models.MODELS else more_models.build_more(name)
        what, module, keywords = type(module).__name__, module.to(device), {key: value.to(device) for key, value in keywords.items()}
    say(what=what, parameters=sum(parameter.numel() for parameter in module.parameters()))
    truth = []
    with torch.no_grad():
        if kind == "bf16":
            truth = [value.float() for value in tensors(module(*arguments, **keywords))]
            module = module.bfloat16()
            arguments, keywords = torch.utils._pytree.tree_map(
                lambda value: value.bfloat16() if isinstance(value, torch.Tensor) and value.is_floating_point() else value, (arguments, keywords))
    begin = time.perf_counter()
    compiled = kgen.compile(module, arguments, keywords)
    with torch.no_grad():
        compiled(*arguments, **keywords)  # what is compiled in pieces is compiled now
    coverage = kgen.report(compiled)
    say(seconds=time.perf_counter() - begin, share=coverage.share, launches=coverage.kernels,
        kept=[f"{each[0]}: {each[3]}" for each in coverage.rows if each[2] != "kgen" and each[1]][:8], notes=coverage.notes[:8])

    def errors(found):
        """How far FOUND is from eager; where that is much in fp32, from float64, and the bound becomes what eager's own distance grants."""
        found, expected = tensors(found), tensors(module(*arguments, **keywords))
        error = worst(found, expected)
        if kind == "fp32" and error > 1e-4 and (truth := exact(module, arguments, keywords)):
            own = worst(expected, truth)
            say(bound=max(row["bound"], 2 * own), eager=max(row.get("eager", 0), own))
            return worst(found, truth)
        return error

    def right(first, *again):
        # Two answers in bf16 are each as far from the truth as they may be.
        bound = row["bound"] * (1.5 if kind == "bf16" else 1)
        return row[first] <= row["bound"] and all(row[each] <= bound for each in again) and not compiled.misses

    with torch.no_grad():
        if kind == "bf16":
            say(bound=2 * worst(tensors(module(*arguments, **keywords)), truth), error=worst(tensors(compiled(*arguments, **keywords)), truth))
        else:
            say(bound=1e-4)
            say(error=errors(compiled(*arguments, **keywords)))
        before = tensors(module(*arguments, **keywords))[0].clone()
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.002)
        say(changed=errors(compiled(*arguments, **keywords)), moved=norm(tensors(module(*arguments, **keywords))[0], before))
        if not on_card:
            return say(right=right("error", "changed"), misses=compiled.misses)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = compiled(*arguments, **keywords)
        for value in tensors(captured):
            value.zero_()
        graph.replay()
        torch.cuda.synchronize()
        say(captured=errors(captured))
        say(right=right("error", "changed", "captured"), misses=compiled.misses)
        say(kgen_us=host_us(lambda: compiled(*arguments, **keywords)), eager_us=host_us(lambda: module(*arguments, **keywords)), graph_us=graph_us(graph))
        if inductor:
            begin = time.perf_counter()
            other = torch.compile(module)
            other(*arguments, **keywords)
            say(inductor_seconds=time.perf_counter() - begin, inductor_us=host_us(lambda: other(*arguments, **keywords)))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                other(*arguments, **keywords)
            say(inductor_graph_us=graph_us(graph))


def alone(measure):
    """MEASURE() while no other model of this run measures."""
    def locked(*arguments):
        with open(os.path.join(tempfile.gettempdir(), "kgen-check-models.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return measure(*arguments)
    return locked


@alone
def host_us(call, count=30):
    import torch
    times = []
    for _ in range(count + 3):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return 1e6 * statistics.median(times[3:])


@alone
def graph_us(graph, count=20):
    import torch
    times = []
    for _ in range(count):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return min(times)


def table(rows):
    def number(row, key, form):
        return format(row[key], form) if isinstance(row.get(key), (int, float)) else "-"
    lines = ["| model | type | right | error | bound | weights changed | CUDA graph | by kgen | launches | kgen.compile, s | host us: eager | torch.compile "
             "| kgen | graph us: torch.compile | kgen |", "|" + "---|" * 15]
    for row in rows:
        cells = [f"{row['model']} ({row.get('what', '?')})", row["type"], "yes" if row["right"] else row.get("failed", "NO")]
        cells += [number(row, key, ".1e") for key in ("error", "bound", "changed", "captured")]
        cells += [f"{100 * row['share']:.0f} %" if "share" in row else "-", number(row, "launches", "d"), number(row, "seconds", ".1f")]
        cells += [number(row, key, ".0f") for key in ("eager_us", "inductor_us", "kgen_us", "inductor_graph_us", "graph_us")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", default=os.environ.get("OUT", "."), type=pathlib.Path)
    parser.add_argument("--small", dest="sizes", action="store_const", const="small", default="published")
    parser.add_argument("--more", dest="sizes", action="store_const", const="more")
    parser.add_argument("--public", dest="sizes", action="store_const", const="public")
    parser.add_argument("--device", default="cuda", choices=("cuda", "host"))
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--workers", default=6, type=int)
    parser.add_argument("--limit", default=300, type=float)
    parser.add_argument("--each", default=200, type=float)
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return one(arguments.names[0], arguments.types, arguments.sizes, arguments.one, not arguments.no_inductor,
                   "cpu" if arguments.device == "host" else arguments.device)
    from tests.more_models import MORE
    from tests.published import PUBLISHED
    # Those that take longest begin first.
    from tests.public_models import there
    missing = {}
    if arguments.sizes == "public" and not arguments.names:
        arguments.names, missing = there()
    for name, why in missing.items():
        print(f"left out: {name}: {why}")
    names = arguments.names or list(MORE) if arguments.sizes == "more" else arguments.names or sorted(PUBLISHED, key=lambda name: name not in ("mamba", "mixtral", "llama", "qwen3", "whisper"))
    waiting = [(name, kind) for name in names for kind in arguments.types.split(",")]
    arguments.out.mkdir(parents=True, exist_ok=True)
    begin, running, rows = time.monotonic(), [], []

    def collect(case, file, log):
        row = {"model": case[0], "type": case[1], "right": False}
        if file.exists() and file.read_text():
            row = json.loads(file.read_text())
        if log:
            row["failed"] = log
        rows.append(row)
        print(f"{time.monotonic() - begin:4.0f} s  {case[0]} {case[1]}: {'right' if row['right'] else 'NOT RIGHT'}"
              + (f"; {log}" if log else ""), flush=True)
        rows.sort(key=lambda each: (each["model"], each["type"]))
        (arguments.out / "models.json").write_text(json.dumps(rows, indent=1) + "\n")
        (arguments.out / "models.md").write_text(table(rows))

    with tempfile.TemporaryDirectory(prefix="kgen-models-") as folder:
        while waiting or running:
            late = time.monotonic() - begin > arguments.limit
            while waiting and (late or len(running) < arguments.workers):
                case = waiting.pop(0)
                file = pathlib.Path(folder) / "-".join(case)
                if late:
                    collect(case, file, "not begun in time")
                    continue
                log = open(f"{file}.log", "w")
                command = [sys.executable, __file__, case[0], "--types", case[1], "--one", str(file)]
                command += [f"--{arguments.sizes}"] * (arguments.sizes != "published") + ["--no-inductor"] * arguments.no_inductor
                command += ["--device", arguments.device]
                running.append((case, file, log.name, subprocess.Popen(command, stdout=log, stderr=log), time.monotonic()))
            time.sleep(0.2)
            for entry in list(running):
                case, file, log, process, started = entry
                over = time.monotonic() - begin > arguments.limit + 60 or (arguments.device == "cuda" and time.monotonic() - started > arguments.each)
                if process.poll() is None and not over:
                    continue
                running.remove(entry)
                if process.poll() is None:
                    process.kill()
                    process.wait()
                    collect(case, file, "out of time")
                else:
                    said = pathlib.Path(log).read_text(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
                    collect(case, file, said[-1][:300] if process.returncode else None)
    print(table(rows) + f"{sum(row['right'] for row in rows)} of {len(rows)} right in {time.monotonic() - begin:.0f} s")
    return sum(not row["right"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
