# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the best kernel of finished searches beside PyTorch, interleaved, on one card.

Usage: bench_gpu.py --eval KGEN_EVAL --forms FOLDER --out FILE.json [--blocks 10] [--samples 6] [--problem-seconds 180] [--cache FILE] RUN...

Each RUN is a run folder of kgen-search; FOLDER holds the problems' PyTorch forms, NAME.py. For each problem one process of kgen-eval
holds the verified kernel, this one holds PyTorch. A block takes SAMPLES runs of every contestant in turn; every other block takes
them in reverse order, so that drift of the card's clocks meets everyone alike. Each run starts with a cold L2 cache. Times are CUDA
events in microseconds, all samples are kept, and the interval beside a ratio is the 95 % bootstrap interval of the
median of the blocks' log ratios.

FILE.json may be there already: rows of other problems are kept, so a run that was cut short goes on with the missing ones. --cache keeps
what torch.compile made (kernels and choices of max-autotune) from one machine to the next of the same kind: the 40 s in which max-autotune tries
fp32 products are then paid once. It changes no contestant: times are always taken anew.

Contestants: eager, compile and max_autotune with PyTorch's own defaults (cuDNN TF32 on, matmul TF32 off), and library: the fastest of the settings
that a PyTorch user can pick within the problem's precision class; its name is recorded. What takes more than 3 ms gets half of SAMPLES in a block.

With KGEN_GATE another program on the card takes turns with each timed run (docs/evaluation.md), and max-autotune compiles while kgen-eval verifies.
"""
import argparse
import contextlib
import importlib.util
import json
import math
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

import card_gate
import torch
from networks_gpu import buffer_bytes

FLUSH_BYTES = 256 << 20  # a wide margin over any card's L2 cache
SLOW_US, SLOWEST_US = 3e3, 10e3  # of what takes longer fewer runs say as much
LARGE_BYTES = 8 << 30  # of inputs and outputs: PyTorch waits until kgen-eval has let go of its right answers in double precision
gate = card_gate.Gate.named()


def load_form(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def defaults():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.preferred_blas_library("cublas")
    yield


@contextlib.contextmanager
def library_settings(tf32, benchmark, blas):
    with defaults():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cudnn.benchmark = benchmark
        torch.backends.cuda.preferred_blas_library(blas)
        try:
            yield
        finally:
            with defaults():
                pass


class Contestant:
    """One way to run the problem in PyTorch: a function and the settings around it."""

    def __init__(self, name, function, settings=defaults):
        self.name, self.function, self.settings = name, function, settings

    def sample(self, flush, count, warm=0, place=None):
        times = []
        with (place or gate.alone)(), torch.no_grad(), self.settings():
            for i in range(warm + count):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                flush.zero_()
                begin.record()
                self.function()
                end.record()
                torch.cuda.synchronize()
                if i >= warm:
                    times.append(begin.elapsed_time(end) * 1e3)
        return times


class Kernel:
    """kgen's kernel in a process of its own, which verified it before it says that it is ready."""

    name = "kgen"

    def __init__(self, program, run, branch):
        self.process = subprocess.Popen([program, str(run / branch), "--graph", str(run / "graph.mlir"), "--device", "cuda:0", "--blocks"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.measurement = None

    def wait(self):
        """The verdict; PyTorch may be compiling meanwhile."""
        self.measurement = self.measurement or self.answer()
        return self.measurement

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("kgen-eval ended without an answer")
        value = json.loads(line)
        if "error" in value:
            raise RuntimeError(value["error"])
        return value

    def sample(self, flush, count, warm=0):
        self.process.stdin.write(f"{warm + count}\n")
        self.process.stdin.flush()
        return self.answer()["samples"][warm:]

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def make_model(form):
    """The model and its inputs on the card, drawn there: a processor takes seconds for a gigabyte."""
    def draw():
        torch.manual_seed(0)
        init = form.get_init_inputs() if hasattr(form, "get_init_inputs") else []
        named = isinstance(init, (list, tuple)) and len(init) == 2 and isinstance(init[0], list) and isinstance(init[1], dict)
        model = (form.Model(*init[0], **init[1]) if named else form.Model(*init)).cuda().eval()
        return model, [v.cuda() if isinstance(v, torch.Tensor) else v for v in form.get_inputs()]

    try:
        with torch.device("cuda"):
            drawn = draw()
    except Exception:  # a form that mixes in what it makes elsewhere, or too little room for what it makes on the way
        torch.cuda.empty_cache()
        drawn = draw()
    torch.cuda.synchronize()
    return drawn


def make_contestants(form, source, precision, libraries=True):
    """Eager, compile, max-autotune, and with LIBRARIES the candidates for "library"; each may fail on its own."""
    with gate.work():
        model, inputs = make_model(form)

    def bind(f, values=inputs):
        return lambda: f(*values)

    main = [Contestant("eager", bind(model)),
            Contestant("compile", bind(torch.compile(model))),
            Contestant("max_autotune", bind(torch.compile(model, mode="max-autotune-no-cudagraphs")))]
    if not libraries:
        return main, []
    # A strict-fp32 contract admits no TF32 in the library either.
    tf32 = precision != "strict-fp32"
    library = []
    for blas in ("cublas", "cublaslt"):
        for benchmark in (False, True):
            library.append(Contestant(f"{blas}, cudnn.benchmark {benchmark}, tf32 {tf32}", bind(model),
                                      lambda b=blas, c=benchmark: library_settings(tf32, c, b)))
    if any(isinstance(v, torch.Tensor) and v.dim() == 4 for v in inputs) and any(p.dim() == 4 for p in model.parameters()):
        import copy
        with gate.work():
            last = copy.deepcopy(model).to(memory_format=torch.channels_last)
            values = [v.to(memory_format=torch.channels_last) if isinstance(v, torch.Tensor) and v.dim() == 4 else v for v in inputs]
            torch.cuda.synchronize()
        library.append(Contestant(f"channels_last inputs, cudnn.benchmark True, tf32 {tf32}", bind(last, values),
                                  lambda: library_settings(tf32, True, "cublas")))
    if "scaled_dot_product_attention" in source:
        from torch.nn.attention import SDPBackend, sdpa_kernel
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            library.append(Contestant(f"SDPA {backend.name.lower()}", bind(model), lambda b=backend: sdpa_kernel(b)))
    return main, library


def interval(blocks_a, blocks_b, draws=2000):
    """Median of log(b / a) over blocks as a ratio, with its 95 % bootstrap interval."""
    logs = [math.log(statistics.median(b) / statistics.median(a)) for a, b in zip(blocks_a, blocks_b)]
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(logs, k=len(logs))) for _ in range(draws))
    return [math.exp(statistics.median(logs)), math.exp(medians[int(0.025 * draws)]), math.exp(medians[int(0.975 * draws)])]


def clocks():
    query = "clocks.sm,clocks.mem,power.draw,temperature.gpu"
    run = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return dict(zip(("sm_mhz", "mem_mhz", "watts", "celsius"), (v.strip() for v in run.stdout.split("\n")[0].split(",")))) if run.returncode == 0 else {}


def machine():
    """What stands over a table: the card, and the versions of what ran beside us."""
    query = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.split("\n")[0]
    name, _, driver = query.partition(", ")
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    return f"{name} ({multiprocessors} SMs, driver {driver}, CUDA {torch.version.cuda}, PyTorch {torch.__version__.split('+')[0]})"


class TooLong(BaseException):
    """No Exception: what forgives a contestant's failure must not swallow it."""


def ring(signum, frame):
    raise TooLong("the problem's time is up")


def bench(run, arguments, form=None, before=None):
    """The row of RUN. BEFORE() is called when kgen-eval has begun to verify, before PyTorch takes memory of the card."""
    report = json.loads((run / "report.json").read_text())
    best = json.loads((run / report["best"]["branch"] / "measurement.json").read_text())
    path = form or pathlib.Path(arguments.forms) / f"{report['problem']}.py"
    kernel = Kernel(arguments.eval, run, report["best"]["branch"])
    try:
        if before:
            before()
        flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
        if buffer_bytes(json.loads((run / report["best"]["branch"] / "plan.json").read_text())) > LARGE_BYTES:
            kernel.wait()
        return race(kernel, run, report, best, path, flush, arguments)
    finally:
        kernel.close()


def race(kernel, run, report, best, path, flush, arguments):
    problem, start = report["problem"], time.monotonic()
    main, library = make_contestants(load_form(path), path.read_text(), best["precision"])
    field, notes = [], {}

    def warm(contestant, seconds=0):
        left = signal.alarm(seconds) if seconds else 0
        begin = time.monotonic()
        try:
            if contestant.name != "eager":  # compiling takes long, and keeps nobody from the card
                with torch.no_grad(), contestant.settings():
                    contestant.function()
                    torch.cuda.synchronize()
            # kgen-eval's right answers may be made beside it: nobody waits for them.
            contestant.us = contestant.sample(flush, 1, warm=1, place=gate.work)[0]
            if contestant.us < SLOWEST_US:
                contestant.us = contestant.sample(flush, 1, warm=3, place=gate.work)[0]
            return True
        except Exception as error:  # a mode that fails is reported, the others still count
            notes[contestant.name] = str(error).strip().split("\n")[0][:200]
            return False
        except TooLong:
            if not seconds or time.monotonic() - begin < seconds - 1:
                raise
            notes[contestant.name] = f"no end within {seconds} s"
            return False
        finally:
            torch.cuda.empty_cache()  # kgen-eval verifies beside it, and answers of gigabytes in double precision want room
            if seconds:
                signal.alarm(max(1, int(left - (time.monotonic() - begin))) if left else 0)

    # max-autotune measures while it compiles, so without a gate it waits until the card is free.
    limits = {"max_autotune": arguments.autotune_seconds}
    early = [c for c in main if gate.file or c.name not in limits]
    field += [c for c in early if warm(c, limits.get(c.name, 0))]
    verdict = kernel.wait()
    field = [kernel] + field + [c for c in main if c not in early and warm(c, limits[c.name])]
    row = {"problem": problem, "precision": best["precision"], "verdict": verdict["verdict"], "branch": report["best"]["branch"],
           "rules": verdict.get("rules"), "floor_us": best["floor_us"], "clocks_before": None, "notes": notes}
    if verdict["verdict"] != "PASS":
        row["notes"]["kgen"] = verdict.get("detail", "")
        return row
    quick = []
    eager = next((c.us for c in field if c.name == "eager"), 0)
    count, warmups = (3, 1) if eager > SLOWEST_US else (7, 4)
    for contestant in library:
        try:
            quick.append((statistics.median(contestant.sample(flush, count, warm=warmups)), contestant))
        except Exception as error:
            row["notes"][contestant.name] = str(error).strip().split("\n")[0][:200]
    if quick:
        chosen = min(quick, key=lambda pair: pair[0])[1]
        row["library"] = chosen.name
        field.append(Contestant("library", chosen.function, chosen.settings))
    row["clocks_before"] = clocks()
    prepared = time.monotonic()
    blocks = {c.name: [] for c in field}
    kernel.us = best["time_us"]
    counts = {c.name: max(2, arguments.samples // 2) if getattr(c, "us", eager) > SLOW_US else arguments.samples for c in field}
    for block in range(arguments.blocks):
        for contestant in field if block % 2 == 0 else reversed(field):
            # The first run after a change of process meets a card that was elsewhere.
            blocks[contestant.name].append(contestant.sample(flush, counts[contestant.name], warm=2))
    row["clocks_after"] = clocks()
    row["machine"] = machine()
    row["seconds"] = {"prepare": prepared - start, "time": time.monotonic() - prepared}
    for name, lists in blocks.items():
        samples = sorted(s for one in lists for s in one)
        row[f"{name}_us"] = statistics.median(samples)
        row[f"{name}_us_p05"], row[f"{name}_us_p95"] = samples[int(0.05 * len(samples))], samples[int(0.95 * len(samples))]
        if name != "kgen":
            row[f"{name}_ratio"] = interval(blocks["kgen"], lists)
    row["samples"] = {name: lists for name, lists in blocks.items()}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--eval", "--forms", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--problem-seconds", type=int, default=180)
    parser.add_argument("--autotune-seconds", type=int, default=0, help="leave max-autotune out where it takes longer (default: no limit of its own)")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    rows = {row["problem"]: row for row in json.loads(out.read_text())} if out.exists() else {}
    if arguments.cache and arguments.cache.exists():
        torch.compiler.load_cache_artifacts(arguments.cache.read_bytes())
    signal.signal(signal.SIGALRM, ring)
    if gate.file:
        card_gate.guard_compiler(gate.alone)
    failed = 0
    for run in arguments.runs:
        begin = time.monotonic()
        try:
            signal.alarm(arguments.problem_seconds)
            row = bench(run, arguments)
        except (Exception, TooLong) as error:  # one problem must not cost the others
            row, failed = {"problem": run.name, "verdict": "none", "notes": {"error": str(error)[:300]}}, failed + 1
        finally:
            signal.alarm(0)
        rows[row["problem"]] = row
        out.write_text(json.dumps(list(rows.values()), indent=1) + "\n")
        print(row["problem"], row["verdict"], *(f"{k[:-3]} {row[k]:.1f}" for k in row if k.endswith("_us") and row[k]), row.get("library", ""),
              row["notes"] or "", f"({time.monotonic() - begin:.0f} s)", flush=True)
        torch.cuda.empty_cache()
        torch._dynamo.reset()
    if arguments.cache:
        saved = torch.compiler.save_cache_artifacts()
        if saved:
            arguments.cache.write_bytes(saved[0])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
