# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a problem's PyTorch form: eager, torch.compile, max-autotune without CUDA graphs.

Usage: baselines.py FILE.py [CARD]. FILE has class Model, get_inputs() and, perhaps, get_init_inputs().
Prints one JSON line: {"times": {mode: median microseconds}, "notes": {mode: why it is absent}, ...}.
CUDA events around each run, 256 MB overwritten before it, median of 50 runs after 10. KGEN_BASELINES, as "eager,compile", names the
modes that are timed: compiling takes most of the time.
"""
import importlib.util
import json
import os
import statistics
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("problem", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    path, card = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    try:
        import torch
    except ImportError:
        print(json.dumps({"error": "torch is not installed for this Python"}))
        return 3
    if not torch.cuda.is_available():
        print(json.dumps({"error": "torch sees no CUDA device"}))
        return 3
    torch.cuda.set_device(card)
    # PyTorch's own defaults.
    torch.backends.cuda.matmul.allow_tf32 = False
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

    try:
        with torch.device("cuda"):  # weights of gigabytes are drawn there in no time
            model, inputs = build()
    except Exception:  # a model that mixes its own devices
        model, inputs = build()
    # A wide margin over any card's L2 cache.
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def measure(function, runs=50, warm=10):
        for _ in range(warm):
            function(*inputs)
        torch.cuda.synchronize()
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

    times, notes = {}, {}
    wanted = [name for name in os.environ.get("KGEN_BASELINES", "").split(",") if name]

    def attempt(name, make):
        if wanted and name not in wanted:
            notes[name] = "left out by KGEN_BASELINES"
            return
        try:
            torch._dynamo.reset()
            times[name] = measure(make())
        except Exception as error:  # a mode that fails is reported, the others still count
            notes[name] = str(error).strip().split("\n")[0][:200]

    floats = {p.dtype for p in list(model.parameters()) + [v for v in inputs if isinstance(v, torch.Tensor)]}
    with torch.no_grad():
        attempt("eager", lambda: model)
        attempt("compile", lambda: torch.compile(model))
        attempt("max_autotune", lambda: torch.compile(model, mode="max-autotune-no-cudagraphs"))
        if torch.float32 in floats:
            torch.backends.cuda.matmul.allow_tf32 = True
            attempt("eager_tf32", lambda: model)
            torch.backends.cuda.matmul.allow_tf32 = False
            torch.backends.cudnn.allow_tf32 = False
            attempt("eager_strict_fp32", lambda: model)
            torch.backends.cudnn.allow_tf32 = True
    print(json.dumps({"times": times, "notes": notes,
                      "versions": "torch %s, %s" % (torch.__version__, torch.cuda.get_device_name(card))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
