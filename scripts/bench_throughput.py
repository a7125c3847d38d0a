# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates per minute: a search by kgen against PyTorch extensions of the same kernels, one after the other on one card.

Usage: bench_throughput.py --search KGEN_SEARCH --forms FOLDER --out FILE.json
           [--problem conv_relu_maxpool] [--minutes 0.5] [--builds 16] [--jobs CORES] [--run FOLDER] [--page FILE.md]

First kgen searches PROBLEM without a model for MINUTES, with an empty compile cache and JOBS compiles at a time. Every kernel that it compiled,
verified (secret inputs, repeats, red zones; docs/trust.md) and timed counts once: branches with the same text, or whose directives were
refused, do not. Two rates: over the whole search, and after round 0, when the reference answers are there.

Then the same kernels are built the way a PyTorch user builds them: torch.utils.cpp_extension.load_inline, a process for each, JOBS
at a time on the cores that kgen had before; loaded, compared with PyTorch on one input, and timed 30 times. That is less
than kgen does for a candidate. Only kernels whose plans need nothing but pointers, numbers, grids and shared memory are built so.
BUILDS should be a multiple of JOBS, so that the last wave fills the machine.

--run takes a finished run of this machine in place of a new search. --page writes the result for people.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# What one process of the usual harness does before it can run a candidate.
BUILD = """
import sys, time
start = time.monotonic()
import torch.utils.cpp_extension as x
imported = time.monotonic()
x.load_inline(name=sys.argv[1], cpp_sources="void run(std::vector<torch::Tensor> buffers);", cuda_sources=open(sys.argv[2]).read(),
              functions=["run"], build_directory=sys.argv[3], extra_cuda_cflags=["-O3", "-std=c++17"] +
              [f"-U__CUDA_NO_{n}__" for n in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS", "BFLOAT16_CONVERSIONS")])
print(imported - start, time.monotonic() - imported)
"""
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "f64": "float64"}


def wrapper(plan, text):
    """kernel.cu with a host function run(buffers), as an extension is written."""
    order = [f"in{i}" for i in range(len(plan["inputs"]))] + [f"out{i}" for i in range(len(plan["outputs"]))] + \
            [f"ws{i}" for i in range(len(plan.get("workspace", [])))]
    lines = [text, "void run(std::vector<torch::Tensor> buffers) {"]
    for n, launch in enumerate(plan["launches"]):
        values = []
        for m, argument in enumerate(launch["args"]):
            v = f"v{n}_{m}"
            if "buffer" in argument:
                lines.append(f"  char *{v} = static_cast<char *>(buffers[{order.index(argument['buffer'])}].data_ptr()) + {argument.get('offset', 0)};")
            else:
                kind, number = next(iter(argument.items()))
                lines.append(f"  {dict(i32='int', i64='long long', f32='float')[kind]} {v} = {number};")
            values.append(f"&{v}")
        grid, block, shared = launch["grid"], launch["block"], launch.get("shared_bytes", 0)
        lines += [f"  void *a{n}[] = {{{', '.join(values)}}};",
                  f"  cudaFuncSetAttribute((const void *){launch['kernel']}, cudaFuncAttributeMaxDynamicSharedMemorySize, {shared});",
                  f"  cudaLaunchKernel((const void *){launch['kernel']}, dim3({grid[0]}, {grid[1]}, {grid[2]}), dim3({block[0]}, {block[1]}, {block[2]}), a{n}, {shared}, 0);"]
    return "\n".join(lines + ["}", ""])


def is_plain(plan):
    return all("tensor_map" not in a for l in plan["launches"] for a in l["args"]) and \
        all(l.get("cluster", [1, 1, 1]) == [1, 1, 1] and not l.get("cooperative") for l in plan["launches"])


def read_search(run):
    """When the run began, and (seconds since then, branch) of each kernel that was compiled, verified and timed."""
    start, kernels = None, []
    for line in (run / "journal.jsonl").read_text().splitlines():
        event = json.loads(line)
        start = event["time"] if start is None else start
        if event["event"] != "measurement" or event.get("duplicate_of"):
            continue
        if json.loads(event["text"])["verdict"] == "PASS":
            kernels.append((event["time"] - start, run / event["id"]))
    if len(kernels) < 3:
        sys.exit(f"bench_throughput.py: {run} measured {len(kernels)} kernels, too few for a rate")
    return kernels


def search(arguments, folder):
    run = folder / "run"
    environment = dict(os.environ, KGEN_CACHE_DIR=str(folder / "cache"), KGEN_PYTHON="none")
    subprocess.run([arguments.search, "--problem", arguments.problem, "--device", "cuda:0", "--llm", "builtin", "--library", "none", "--jobs", str(len(os.sched_getaffinity(0))),
                    "--rounds", "50", "--max-minutes", str(arguments.minutes), "--out", str(run)], env=environment, check=True, stdout=sys.stderr)
    return run


def build(folder, name, source, jobs):
    path = folder / name
    path.mkdir()
    (path / "source.cu").write_text(source)
    # An extension has two sources; its ninja gets the cores that the other builds leave.
    cores = max(1, len(os.sched_getaffinity(0)) // jobs)
    environment = dict(os.environ, MAX_JOBS=str(cores), TORCH_CUDA_ARCH_LIST="9.0a")
    begin = time.monotonic()
    run = subprocess.run([sys.executable, "-c", BUILD, name, str(path / "source.cu"), str(path)], capture_output=True, text=True, env=environment)
    seconds = time.monotonic() - begin
    print(f"{name}: {'built' if run.returncode == 0 else 'failed'} after {seconds:.1f} s; import of torch and build: {run.stdout.strip()}", file=sys.stderr, flush=True)
    return {"ok": run.returncode == 0, "seconds": seconds, "log": (run.stdout + run.stderr)[-2000:]}


def measure_extension(folder, name, plan, inputs, expected):
    """Load, compare, time: what is left when an extension is built. True when it is right."""
    import torch
    spec = importlib.util.spec_from_file_location(name, next((folder / name).glob("*.so")))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    outputs = [torch.empty(o["shape"], dtype=getattr(torch, DTYPES[o["dtype"]]), device="cuda") for o in plan["outputs"]]
    spaces = [torch.empty(w["bytes"], dtype=torch.int8, device="cuda") for w in plan.get("workspace", [])]
    buffers = [v.contiguous() for v in inputs] + outputs + spaces
    module.run(buffers)
    torch.cuda.synchronize()
    right = bool(torch.allclose(outputs[0].float(), expected.float(), rtol=1e-2, atol=1e-2))
    times = []
    for _ in range(30):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        module.run(buffers)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return right, statistics.median(times)


def build_extensions(arguments, kernels, folder):
    import torch
    chosen = []
    for _, branch in kernels:
        plan, text = json.loads((branch / "plan.json").read_text()), (branch / "kernel.cu").read_text()
        if is_plain(plan) and len(chosen) < arguments.builds:
            chosen.append((branch, plan, text))
    if not chosen:
        sys.exit("bench_throughput.py: no kernel of this run can be built as a plain extension")
    # Fewer kernels than builds: again, so that the machine is full. Every build has a folder of its own; nothing is cached.
    jobs = [(f"k{i}", *chosen[i % len(chosen)]) for i in range(arguments.builds)]
    form_path = pathlib.Path(arguments.forms) / f"{arguments.problem}.py"
    spec = importlib.util.spec_from_file_location("form", form_path)
    form = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(form)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        built = list(pool.map(lambda job: build(folder, job[0], wrapper(job[2], job[3]), arguments.jobs), jobs))
    build_seconds = time.monotonic() - start
    with torch.no_grad():
        model = form.Model(*form.get_init_inputs()).cuda().eval()
        given = [v.cuda() for v in form.get_inputs()]
        expected = model(*given)
        torch.cuda.synchronize()
        start = time.monotonic()
        rows = []
        for (name, branch, plan, _), result in zip(jobs, built):
            row = {"branch": f"{branch.parent.name}/{branch.name}", "build_seconds": result["seconds"], "right": False}
            if result["ok"]:
                row["right"], row["time_us"] = measure_extension(folder, name, plan, given + list(model.parameters()), expected)
            else:
                print(f"bench_throughput.py: {row['branch']}: {result['log'].strip()}", file=sys.stderr)
            rows.append(row)
    return rows, build_seconds, time.monotonic() - start


def clocks():
    query = "name,clocks.sm,clocks.mem,power.draw,temperature.gpu"
    run = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True)
    return run.stdout.strip()


def page(result, command):
    """The result as docs/results has it."""
    k, e, r = result["kgen"], result["extensions"], result["ratio"]
    after = k["after_round_0"]
    alone = 60 / e["build_median"]
    return f"""# Candidates per minute, against PyTorch extensions

    {command}

{result["device"]} (name, SM clock, memory clock, power, temperature; after the run: {result["device_after"]}), {result["cores"]} cores; problem `{result["problem"]}` at its published size.

| | kernels | seconds | a minute |
|---|---|---|---|
| kgen, after round 0 | {after["kernels"]} | {after["seconds"]:.1f} | **{after["per_minute"]:.0f}** |
| kgen, whole search with its reference answers | {k["kernels"]} | {k["seconds"]:.1f} | {k["per_minute"]:.0f} |
| extensions, {e["at_once"]} at once | {e["builds"]} | {e["build_seconds"]:.1f} | {e["per_minute"]:.1f} |
| extensions, one after the other | | {e["build_median"]:.1f} each | {alone:.1f} |

After round 0 kgen tries **{r["after_round_0"]:.1f} times** as many candidates as a harness that builds {e["at_once"]} extensions at once on the same cores, and
{after["per_minute"] / alone:.0f} times as many as one that builds them one by one in the time that a build took beside {e["at_once"] - 1} others ({r["whole"]:.1f} and {k["per_minute"] / alone:.0f} times with round 0).

- A kernel counts for kgen when it was compiled (empty cache), verified on secret inputs, run twenty times over for equal bits, and timed until its median settled; also when
  it was compared in turns with the best one before it. From one kernel to the next it took {after["gap_median"]:.2f} s (median; 5 to 95 %: {after["gap_p05"]:.2f} to {after["gap_p95"]:.2f} s). Branches with the same text or
  refused directives do not count. compute-sanitizer is {result["sanitizer"]}. Isolation: {k["isolation"]}.
- An extension is the same kernel.cu with a host function, built by `torch.utils.cpp_extension.load_inline` in a process of its own, then loaded, compared with PyTorch on one input
  and timed 30 times: less than kgen does. {e["right"]} of {e["builds"]} were right. A build took {e["build_median"]:.1f} s (median of {e["builds"]}, {min(b["build_seconds"] for b in e["rows"]):.1f} to {max(b["build_seconds"] for b in e["rows"]):.1f}), 3 s of it the import of torch; loading, comparing and
  timing all of them took {e["measure_seconds"]:.1f} s and is left out of their rate, since it can overlap with builds.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--search", default="kgen-search")
    parser.add_argument("--forms", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--problem", default="conv_relu_maxpool")
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--builds", type=int)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.builds = arguments.builds or arguments.jobs
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        before = clocks()
        run = arguments.run or search(arguments, folder)
        kernels = read_search(run)
        whole = kernels[-1][0]
        after_first = [at - kernels[0][0] for at, _ in kernels[1:]]
        gaps = sorted(b - a for a, b in zip([0] + after_first, after_first))
        rows, build_seconds, measure_seconds = build_extensions(arguments, kernels, folder)
        config = json.loads((run / "run.json").read_text())
    steady = len(after_first) / after_first[-1] * 60
    # Builds use all cores, runs one card: they can overlap, so only the builds are counted when they are what limits.
    theirs = len(rows) / max(build_seconds, measure_seconds) * 60
    result = {"problem": arguments.problem, "device": before, "device_after": clocks(), "cores": len(os.sched_getaffinity(0)),
              "sanitizer": "left out" if os.environ.get("KGEN_SANITIZER") == "off" else "a part of each new best",
              "kgen": {"kernels": len(kernels), "seconds": whole, "per_minute": len(kernels) / whole * 60,
                       "after_round_0": {"kernels": len(after_first), "seconds": after_first[-1], "per_minute": steady,
                                         "gap_median": statistics.median(gaps), "gap_p05": gaps[int(0.05 * len(gaps))], "gap_p95": gaps[int(0.95 * len(gaps))]},
                       "isolation": config.get("isolation")},
              "extensions": {"builds": len(rows), "at_once": arguments.jobs, "right": sum(r["right"] for r in rows), "build_seconds": build_seconds,
                             "measure_seconds": measure_seconds, "build_median": statistics.median(r["build_seconds"] for r in rows),
                             "per_minute": theirs, "rows": rows}}
    result["ratio"] = {"after_round_0": steady / theirs, "whole": result["kgen"]["per_minute"] / theirs}
    pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
    if arguments.page:
        arguments.page.write_text(page(result, "python3 " + " ".join(sys.argv)))
    print(f"kgen: {len(kernels)} kernels in {whole:.1f} s, {steady:.0f} a minute after round 0; extensions: {len(rows)} in {build_seconds:.1f} s "
          f"({arguments.jobs} at once), {theirs:.1f} a minute, {sum(r['right'] for r in rows)} right; "
          f"{result['ratio']['after_round_0']:.1f} times as many, {result['ratio']['whole']:.1f} with round 0")


if __name__ == "__main__":
    main()
