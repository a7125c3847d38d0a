"""Candidates per minute: a finished search against PyTorch extensions of the same kernels, on the same machine.

Usage: bench_throughput.py --forms FOLDER --out FILE.json [--kernels 14] [--jobs 14] RUN

Takes the first KERNELS passing branches of RUN whose plans need nothing but pointers, numbers, grids and shared memory; builds each as a
torch.utils.cpp_extension (nvcc, PyTorch's headers, one process each, JOBS at a time), then loads, compares it with PyTorch
on one input and times it 30 times, as the usual harness does. The search's figure is its branches over its wall time, with
verification, timing, the oracle and PyTorch's own baselines included.
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

BUILD = """
import sys, torch.utils.cpp_extension as x
x.load(name=sys.argv[1], sources=[sys.argv[2]], build_directory=sys.argv[3], is_python_module=True,
       extra_cuda_cflags=["-O3", "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a"], extra_ldflags=["-lcuda"])
"""
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "f64": "float64"}


def wrapper(plan, text, name):
    """kernel.cu with a host function run(buffers) in the way an extension is written."""
    order = [f"in{i}" for i in range(len(plan["inputs"]))] + [f"out{i}" for i in range(len(plan["outputs"]))] + \
            [f"ws{i}" for i in range(len(plan.get("workspace", [])))]
    lines = [text, "#include <torch/extension.h>", "void run(std::vector<torch::Tensor> buffers) {"]
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
    return "\n".join(lines + ["}", f'PYBIND11_MODULE({name}, m) {{ m.def("run", &run); }}', ""])


def plain(plan):
    return all("tensor_map" not in a for l in plan["launches"] for a in l["args"]) and \
        all(l.get("cluster", [1, 1, 1]) == [1, 1, 1] and not l.get("cooperative") for l in plan["launches"])


def build(folder, name, source):
    path = folder / name
    path.mkdir()
    (path / f"{name}.cu").write_text(source)
    environment = dict(os.environ, MAX_JOBS="1", TORCH_CUDA_ARCH_LIST="9.0a")
    run = subprocess.run([sys.executable, "-c", BUILD, name, str(path / f"{name}.cu"), str(path)], capture_output=True, text=True, env=environment)
    return run.returncode == 0, run.stderr[-300:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--forms", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--kernels", type=int, default=14)
    parser.add_argument("--jobs", type=int, default=14)
    parser.add_argument("run", type=pathlib.Path)
    arguments = parser.parse_args()
    report = json.loads((arguments.run / "report.json").read_text())
    chosen, seen = [], set()
    for measurement in sorted(arguments.run.glob("round-*/b*/measurement.json")):
        branch = measurement.parent
        if json.loads(measurement.read_text())["verdict"] != "PASS" or not (branch / "kernel.cu").exists():
            continue
        plan, text = json.loads((branch / "plan.json").read_text()), (branch / "kernel.cu").read_text()
        if plain(plan) and text not in seen and len(chosen) < arguments.kernels:
            seen.add(text)
            chosen.append((branch, plan, text))
    if not chosen:
        sys.exit("bench_throughput.py: no passing branch of this run can be built as a plain extension")
    import torch
    spec = importlib.util.spec_from_file_location("form", pathlib.Path(arguments.forms) / f"{report['problem']}.py")
    form = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(form)
    with tempfile.TemporaryDirectory() as at, torch.no_grad():
        folder, start = pathlib.Path(at), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            names = [f"k{i}" for i in range(len(chosen))]
            built = list(pool.map(lambda p: build(folder, p[0], wrapper(p[1][1], p[1][2], p[0])), zip(names, chosen)))
        build_seconds = time.monotonic() - start
        model = form.Model(*form.get_init_inputs()).cuda().eval()
        inputs = [v.cuda() for v in form.get_inputs()] + [p for p in model.parameters()]
        expected = model(*inputs[:len(inputs) - len(list(model.parameters()))])
        right = 0
        for name, (ok, log), (branch, plan, _) in zip(names, built, chosen):
            if not ok:
                print(f"{branch}: {log.strip()}", file=sys.stderr)
                continue
            module_spec = importlib.util.spec_from_file_location(name, next((folder / name).glob("*.so")))
            module = importlib.util.module_from_spec(module_spec)
            module_spec.loader.exec_module(module)
            outputs = [torch.empty(o["shape"], dtype=getattr(torch, DTYPES[o["dtype"]]), device="cuda") for o in plan["outputs"]]
            spaces = [torch.empty(w["bytes"], dtype=torch.int8, device="cuda") for w in plan.get("workspace", [])]
            buffers = [v.contiguous() for v in inputs] + outputs + spaces
            module.run(buffers)
            torch.cuda.synchronize()
            right += bool(torch.allclose(outputs[0].float(), expected.float(), rtol=1e-2, atol=1e-2))
            times = []
            for _ in range(30):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                module.run(buffers)
                end.record()
                torch.cuda.synchronize()
                times.append(begin.elapsed_time(end))
            statistics.median(times)
        total = time.monotonic() - start
    mine = report["branches"] / report["seconds"] * 60
    theirs = len(chosen) / total * 60
    result = {"problem": report["problem"], "kgen_branches": report["branches"], "kgen_seconds": report["seconds"], "kgen_per_minute": mine,
              "extensions": len(chosen), "extensions_built": sum(ok for ok, _ in built), "extensions_right": right, "jobs": arguments.jobs,
              "extension_build_seconds": build_seconds, "extension_seconds": total, "extensions_per_minute": theirs, "ratio": mine / theirs}
    pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
