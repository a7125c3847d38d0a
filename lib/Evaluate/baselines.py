# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a problem's PyTorch form: eager, torch.compile, max-autotune without CUDA graphs.

Usage: baselines.py FILE.py [CARD]. FILE has class Model, get_inputs() and, perhaps, get_init_inputs().
Prints one JSON line: {"times": {mode: median microseconds}, "notes": {mode: why it is absent}, "peaks": {mode: bytes}, ...}.
CUDA events around each run, 256 MB overwritten before it, median of 50 runs after 10; the peak is what PyTorch had allocated at most in a
run, weights and inputs included. KGEN_BASELINES, as "eager,compile", names the modes that are timed: compiling takes most of the time.
Only when named there: eager_graph, compile_graph and max_autotune_graph, which are the mode before captured once as one CUDA graph and
replayed. "none" times nothing. What takes long is run less often. With KGEN_GATE, and scripts/card_gate.py importable, another program on the card takes turns
with what is timed here (docs/evaluation.md), and a line is printed after each mode, so that one that comes to no end loses the others nothing. With KGEN_BASELINES_WAIT=FILE all modes are compiled first, and timed when FILE is there, so that nobody uses the processors meanwhile.
KGEN_BASELINES_TF32=1 allows TF32 in products, where PyTorch's default has it for convolutions alone.
"""
import contextlib
import importlib.util
import json
import os
import statistics
import sys
import time

SECONDS = 1.5  # for the runs of a mode, but for five


def load(path):
    spec = importlib.util.spec_from_file_location("problem", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class NoGate:
    """Where nobody else is on the card."""
    work = alone = staticmethod(contextlib.nullcontext)


@contextlib.contextmanager
def timing(gate, compiler):
    """Something is timed: alone on the card, without what guards the compiler's own runs."""
    with gate.alone():
        if compiler:
            compiler.off = True
        try:
            yield
        finally:
            if compiler:
                compiler.off = False


def main():
    path, card = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wanted = [name for name in os.environ.get("KGEN_BASELINES", "").split(",") if name]
    if wanted == ["none"]:
        print(json.dumps({"error": "switched off by KGEN_BASELINES"}))
        return 3
    try:
        import torch
    except ImportError:
        print(json.dumps({"error": "torch is not installed for this Python"}))
        return 3
    if not torch.cuda.is_available():
        print(json.dumps({"error": "torch sees no CUDA device"}))
        return 3
    torch.cuda.set_device(card)
    gate, compiler = NoGate, None
    if os.environ.get("KGEN_GATE"):
        with contextlib.suppress(ImportError):
            import card_gate
            gate, compiler = card_gate.Gate.named(f"cuda:{card}"), card_gate.guard
            card_gate.guard_compiler(gate.work, runs=True)
    # PyTorch's own defaults, unless TF32 is allowed for products, too.
    torch.backends.cuda.matmul.allow_tf32 = os.environ.get("KGEN_BASELINES_TF32") == "1"
    torch.backends.cudnn.allow_tf32 = True
    problem = load(path)

    def move(value):
        return value.cuda() if isinstance(value, torch.Tensor) else value

    init = problem.get_init_inputs() if hasattr(problem, "get_init_inputs") else []
    if not (isinstance(init, (list, tuple)) and len(init) == 2 and isinstance(init[0], list) and isinstance(init[1], dict)):
        init = [init, {}]

    def build():
        torch.manual_seed(0)
        return problem.Model(*init[0], **init[1]).cuda().eval(), [move(v) for v in problem.get_inputs()]

    with gate.work():
        try:
            with torch.device("cuda"):  # weights of gigabytes are drawn there in no time
                model, inputs = build()
        except Exception:  # a model that mixes its own devices
            model, inputs = build()
        # A wide margin over any card's L2 cache.
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def measure(function, runs=50, warm=10):
        begin = time.perf_counter()
        function(*inputs)
        torch.cuda.synchronize()
        once = time.perf_counter() - begin
        runs, warm = (max(5, min(count, int(SECONDS * count / runs / once))) for count in (runs, warm))
        for _ in range(warm - 1):
            function(*inputs)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        times = []
        for _ in range(runs):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush.zero_()
            begin.record()
            function(*inputs)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return statistics.median(times)

    times, notes, peaks = {}, {}, {}

    def attempt(name, make):
        """Times what MAKE gives, and that as one CUDA graph where it is asked for."""
        modes = [mode for mode in (name, name + "_graph") if mode in wanted]
        if wanted and name not in wanted:
            notes[name] = "left out by KGEN_BASELINES"
        if wanted and not modes:
            return
        try:
            if not wait:  # what is compiled is kept
                torch._dynamo.reset()
            function = make()
            # Compiling holds nobody up: what it runs for that takes its turn by itself.
            with gate.work() if function is model else contextlib.nullcontext():
                function(*inputs)
                torch.cuda.synchronize()
        except Exception as error:
            notes.update({mode: str(error).strip().split("\n")[0][:200] for mode in modes or [name]})
            return
        if wait:
            ready.append((name, modes, function))
        else:
            take(name, modes, function)

    def take(name, modes, function):
        mode = name
        try:
            with timing(gate, compiler):
                if name in modes or not wanted:
                    times[name] = measure(function)
                    peaks[name] = torch.cuda.max_memory_allocated() - flush.numel()
                mode = name + "_graph"
                if mode in modes:
                    times[mode] = measure(capture(function))
        except Exception as error:  # a mode that fails is reported, the others still count
            notes[mode] = str(error).strip().split("\n")[0][:200]
        if compiler:
            say()

    def say():
        print(json.dumps({"times": times, "notes": notes, "peaks": peaks,
                          "versions": "torch %s, %s" % (torch.__version__, torch.cuda.get_device_name(card))}), flush=True)

    def capture(function):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                function(*inputs)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept.append(function(*inputs))
        return lambda *_: graph.replay()

    wait, ready = os.environ.get("KGEN_BASELINES_WAIT"), []
    kept = []  # what a graph writes to
    floats = {p.dtype for p in list(model.parameters()) + [v for v in inputs if isinstance(v, torch.Tensor)]}
    with torch.no_grad():
        attempt("eager", lambda: model)
        attempt("compile", lambda: torch.compile(model))
        attempt("max_autotune", lambda: torch.compile(model, mode="max-autotune-no-cudagraphs"))
        if torch.float32 in floats and not wait:
            torch.backends.cuda.matmul.allow_tf32 = True
            attempt("eager_tf32", lambda: model)
            torch.backends.cuda.matmul.allow_tf32 = False
            torch.backends.cudnn.allow_tf32 = False
            attempt("eager_strict_fp32", lambda: model)
            torch.backends.cudnn.allow_tf32 = True
        while ready and not os.path.exists(wait):
            time.sleep(0.05)
        for one in ready:
            take(*one)
    say()
    return 0


if __name__ == "__main__":
    sys.exit(main())
