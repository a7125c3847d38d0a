# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many problem files at a glance: each as kgen's first idea without a model, beside PyTorch eager, one after the other on one card.

Usage: bench_breadth.py --bin FOLDER [--out FILE.json] [--seconds N] [--lower=OPTION...] [--nvcc PATH] [--kernels FOLDER] PROBLEM.py...

No search and no full verification: a problem is imported, `kgen-opt --llm-lower=device=cuda` (or the --lower options) carries out the builtin
proposer's first idea, nvcc compiles it, and the result of its launches is compared with PyTorch's on the file's own inputs, as a norm. Times are medians of
up to 20 runs with a cold L2 cache. kgen-search is what finds and verifies a kernel; this says where a search would begin, for a hundred files
in a few minutes. Kernels whose plans hold tensor maps are left out.

With --kernels, each problem's kernel.cu, plan.json and k.cubin are written to FOLDER/NAME first and the card is not needed until all are there;
a folder that is there already is taken as it is. NAME@WORD is a further way to lower NAME.py, made by hand.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

CLUSTER, COOPERATIVE, SHARED_BYTES = 4, 2, 8  # CUlaunchAttributeID, CUfunction_attribute
DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "i8": "int8", "i1": "bool"}


def lower(problem, folder, options):
    """Writes kernel.cu, plan.json and k.cubin of PROBLEM to FOLDER; a sentence when that fails."""
    if (folder / "k.cubin").exists():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    tool = lambda name: os.path.join(options.bin, name)
    frontend = str(pathlib.Path(__file__).resolve().parent.parent / "frontend")
    steps = [
        [sys.executable, "-m", "kgen", "import", problem, "-o", folder / "graph.mlir", "--kgen-opt", tool("kgen-opt")],
        [tool("kgen-opt"), folder / "graph.mlir", *options.lower, "-o", folder / "lowered.mlir"],
        [tool("kgen-translate"), "--kgen-to-cuda", folder / "lowered.mlir", "-o", folder / "kernel.cu"],
        [tool("kgen-translate"), "--kgen-to-plan", folder / "lowered.mlir", "-o", folder / "plan.json"],
        [options.nvcc, "-O3", "-std=c++17", "-cubin", "-arch=sm_90a", folder / "kernel.cu", "-o", folder / "k.cubin"],
    ]
    for step in steps:
        done = subprocess.run([str(word) for word in step], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=frontend))
        if done.returncode:
            return f"{pathlib.Path(step[0]).name}: {(done.stderr.strip().splitlines() or ['failed'])[0]}"
    return None


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Launch(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared")] + \
               [("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]


class Card:
    """Loads cubins and launches plans on PyTorch's buffers."""

    def __init__(self, torch):
        self.torch = torch
        torch.zeros(1, device="cuda")  # makes the context
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.flush = torch.empty(64 << 20, device="cuda")
        source = torch.randn(128 << 20, device="cuda")
        copy = torch.empty_like(source)
        self.bandwidth = 2 * source.nbytes / self.time(lambda: copy.copy_(source))  # bytes in a microsecond

    def call(self, name, *arguments):
        if code := getattr(self.cuda, name)(*arguments):
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode()}")

    def time(self, run, most=20, budget=0.35):
        """Median microseconds of up to MOST runs, each with a cold L2 cache."""
        run()
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        samples, begin = [], time.monotonic()
        while len(samples) < 3 or (len(samples) < most and time.monotonic() - begin < budget):
            self.flush.fill_(len(samples))
            start.record()
            run()
            end.record()
            end.synchronize()
            samples.append(start.elapsed_time(end) * 1e3)
        return statistics.median(samples)

    def prepare(self, plan, cubin, buffers):
        """One function for each launch of PLAN."""
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        launches = []
        for launch in plan["launches"]:
            function = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
            if launch["shared_bytes"] > 48 << 10:
                self.call("cuFuncSetAttribute", function, SHARED_BYTES, ctypes.c_int(launch["shared_bytes"]))
            values = []
            for argument in launch["args"]:
                kind = next(iter(argument))
                if kind == "buffer":
                    values.append(ctypes.c_void_p(buffers[argument[kind]].data_ptr() + argument.get("offset", 0)))
                elif kind in ("i32", "i64", "f32"):
                    values.append({"i32": ctypes.c_int, "i64": ctypes.c_longlong, "f32": ctypes.c_float}[kind](argument[kind]))
                else:
                    raise RuntimeError(f"has a {kind} argument, which this script does not pass")
            pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
            attributes, count = (Attribute * 2)(), 0
            if "cluster" in launch:
                attributes[count].id = CLUSTER
                attributes[count].value[0:3] = launch["cluster"]
                count += 1
            if launch.get("cooperative"):
                attributes[count].id = COOPERATIVE
                attributes[count].value[0] = 1
                count += 1
            config = Launch(*launch["grid"], *launch["block"], launch["shared_bytes"],
                            self.torch.cuda.current_stream().cuda_stream,
                            ctypes.cast(attributes, ctypes.c_void_p) if count else None, count)

            def run(config=config, function=function, pointers=pointers, keep=(values, attributes)):
                self.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)

            launches.append((launch["kernel"], run))
        return launches


def load(torch, path):
    """Model, inputs and results of a problem file, on the card."""
    torch.manual_seed(0)
    torch.set_default_device("cuda")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    model = names["Model"](*names["get_init_inputs"]()).eval()
    inputs = [x.cuda() if torch.is_tensor(x) else x for x in names["get_inputs"]()]
    torch.set_default_device("cpu")
    results = model(*inputs)
    return model, inputs, [r for r in (results if isinstance(results, (tuple, list)) else [results]) if torch.is_tensor(r)]


def error(torch, found, wanted):
    """The norm of the difference over the norm; the number of different elements of integers."""
    found, wanted = found.flatten(), wanted.flatten()
    if not found.is_floating_point():
        return f"{int((found != wanted).sum())} differ"
    difference = norm = 0.0
    for a, b in zip(found.split(1 << 28), wanted.split(1 << 28)):
        difference += (a.float() - b.float()).square().sum().item()
        norm += b.float().square().sum().item()
    return f"{(difference / max(norm, 1e-30)) ** 0.5:.1e}"


def measure(torch, card, folder, model, inputs, results, eager):
    plan = json.loads((folder / "plan.json").read_text())
    named = dict(model.named_parameters()) | dict(model.named_buffers())
    tensors = iter([x for x in inputs if torch.is_tensor(x)])
    buffers = {}
    for i, entry in enumerate(plan["inputs"]):
        tensor = named[entry["name"]] if entry["name"] in named else next(tensors)
        if list(tensor.shape) != entry["shape"]:
            raise RuntimeError(f"input {entry['name']} has shape {list(tensor.shape)}, the plan {entry['shape']}")
        buffers[f"in{i}"] = tensor.detach().contiguous()
    for i, entry in enumerate(plan["outputs"]):
        buffers[f"out{i}"] = torch.empty(entry["shape"], dtype=getattr(torch, DTYPES[entry["dtype"]]), device="cuda")
    for entry in plan["workspace"]:
        buffers[entry["name"]] = torch.full([entry["bytes"]], 255, dtype=torch.uint8, device="cuda")
    launches = card.prepare(plan, (folder / "k.cubin").read_bytes(), buffers)

    def run():
        for _, launch in launches:
            launch()

    run()
    torch.cuda.synchronize()
    errors = [error(torch, buffers[f"out{i}"], result) for i, result in enumerate(results)]
    kgen = card.time(run)
    moved = sum(t.nbytes for name, t in buffers.items() if not name.startswith("ws"))
    return {"problem": folder.name, "kgen_us": kgen, "eager_us": eager, "percent_of_eager": 100 * eager / kgen,
            "percent_of_copy": 100 * moved / kgen / card.bandwidth, "errors": errors,
            "launches_us": {name: card.time(launch, 8, 0.1) for name, launch in launches} if len(launches) > 1 else {}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further measurement after so many")
    parser.add_argument("--lower", action="append", help="options of kgen-opt (default: --llm-lower=device=cuda)")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--kernels", type=pathlib.Path)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("problems", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.lower = options.lower or ["--llm-lower=device=cuda"]
    kernels = options.kernels or pathlib.Path(tempfile.mkdtemp(prefix="kgen-breadth-"))
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = dict(zip(options.problems, pool.map(lambda p: lower(p, kernels / p.stem, options), options.problems)))
    rows = []
    if not options.compile_only:
        import torch
        torch.set_grad_enabled(False)
        card = Card(torch)
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, copy {card.bandwidth / 1e3:.0f} GB/s", flush=True)
    for problem, failure in failures.items():
        if failure or options.compile_only:
            print(f"{problem.stem}: {failure or 'compiled'}")
            continue
        if time.monotonic() - begin > options.seconds:
            print(f"{problem.stem}: no time left")
            continue
        torch.cuda.empty_cache()
        model, inputs, results = load(torch, problem)
        eager = card.time(lambda: model(*inputs))
        for folder in [kernels / problem.stem, *sorted(kernels.glob(f"{problem.stem}@*"))]:
            try:
                row = measure(torch, card, folder, model, inputs, results, eager)
            except (RuntimeError, StopIteration) as reason:
                print(f"{folder.name}: {reason}", flush=True)
                continue
            rows.append(row)
            print(f"{row['problem']}: kgen {row['kgen_us']:.1f} us, eager {eager:.1f} us, {row['percent_of_eager']:.0f} % of eager, "
                  f"{row['percent_of_copy']:.0f} % of a copy, error {', '.join(row['errors'])}"
                  + "".join(f"; {name} {us:.0f}" for name, us in row["launches_us"].items()), flush=True)
        del model, inputs, results
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps({"copy_gb_s": card.bandwidth / 1e3 if rows else None, "rows": rows}, indent=1) + "\n")
    return 0 if options.compile_only or rows else 1


if __name__ == "__main__":
    sys.exit(main())
