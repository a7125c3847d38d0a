# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what `kgen export` and `kgen-eval --bundle` wrote on a card, and compares it with PyTorch.

Usage: check_exports.py make FOLDER [PROBLEM...]    here: unpacks docs/results/h200, writes every format and a bundle for sm_90a
       check_exports.py check FOLDER [PROBLEM...]   on a card with PyTorch and nvcc: one line for each problem
KGEN_BIN is the folder of kgen-eval, KGEN_RUNTIME libkgen_runtime.so. A line says the error relative to PyTorch's norm (bundle by itself, as a
PyTorch operator, replayed from a CUDA graph, as one .py file, as the benchmark's ModelNew, as a package of Hugging Face's and as its layer), the launcher's own words, and the mean of
50 calls in a row, warm, in us: PyTorch eager, the operator, the graph, the .py file.
"""
import importlib.util
import itertools
import json
import pathlib
import shutil
import subprocess
import sys

from archives import unpack

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBLEMS = ("softmax", "layer_norm", "conv_relu_maxpool", "matmul_fp16", "matmul_fp32", "attention_fp16_d128")
sys.path.insert(0, str(ROOT / "frontend"))


def make(folder, problems):
    from kgen.export import FORMATS, export
    from kgen.tools import run_tool
    for name in problems:
        out = folder / name
        unpack(ROOT / f"docs/results/h200/{name}.run.tar.xz", out / "run")
        run = out / "run" / name
        form = ROOT / f"frontend/problems/{name}.py"
        for one in FORMATS:
            export(run, one, out, form)
        run_tool("kgen-eval", run / "best", "--bundle", out / "bundle", "--device", "sm_90a")
        shutil.copy(form, out / "problem.py")
        shutil.rmtree(out / "run")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packaged(out, module, inputs, tensors):
    """The answers of the package in the layout of Hugging Face kernels: of its run(), and of its layer in the place of MODULE's forward. By the package
    `kernels` where it is installed, else as that loads one."""
    variant = out / "build/torch-cuda"
    try:
        from kernels import get_local_kernel
        package = get_local_kernel(out)
    except ImportError:
        name = json.loads((variant / "metadata.json").read_text())["id"]
        spec = importlib.util.spec_from_file_location(name, variant / "__init__.py", submodule_search_locations=[str(variant)])
        package = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    layer, = [each for each in vars(package.layers).values() if isinstance(each, type) and each.__module__ == package.layers.__name__]
    yield package.run(*tensors)
    yield layer.forward(module, *inputs)


def check(folder, problems):
    import torch
    from kgen.runtime import Bundle, register

    def error(found, expected):
        return ((found.double() - expected.double()).norm() / expected.double().norm()).item()

    def mean_us(call, count=50):
        for _ in range(5):
            call()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            call()
        end.record()
        torch.cuda.synchronize()
        return 1e3 * begin.elapsed_time(end) / count

    failed = 0
    for name in problems:
        out = folder / name
        command = (out / f"{name}.cu").read_text().partition("\n")[0].removeprefix("// ")
        subprocess.run(command.split(), cwd=out, check=True)
        said = subprocess.run([out / name], cwd=out, capture_output=True, text=True).stdout.split("\n")
        problem, python, benchmark = (load(out / f) for f in ("problem.py", f"{name}.py", f"{name}_kernelbench.py"))
        with torch.device("cuda"), torch.no_grad():
            module = problem.Model(*problem.get_init_inputs()).eval()
            inputs = problem.get_inputs()
            expected = module(*inputs)
            new = benchmark.ModelNew(*benchmark.get_init_inputs())
        new.load_state_dict(module.state_dict())
        bundle = Bundle(out / "bundle")
        given, state = iter(inputs), module.state_dict()
        plan = json.loads((out / "bundle/bundle.json").read_text())["plan"]
        tensors = [state[i["name"]] if i.get("parameter") else next(given) for i in plan["inputs"]]
        number = register(bundle)
        with torch.no_grad():
            errors = [error(bundle.run(tensors)[0], expected), error(torch.ops.kgen.run(number, tensors)[0], expected)]
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured = torch.ops.kgen.run(number, tensors)[0]
            captured.zero_()
            graph.replay()
            errors += [error(captured, expected), error(python.run(*tensors), expected), error(new(*inputs), expected)]
            errors += [error(value, expected) for value in packaged(out, module, inputs, tensors)]
            times = [mean_us(call) for call in (lambda: module(*inputs), lambda: torch.ops.kgen.run(number, tensors), graph.replay,
                                                lambda: python.run(*tensors))]
        right = max(errors) < 1e-2 and "PASS" in said
        failed += not right
        print(f"{name}: {'ok' if right else 'WRONG'}; errors " + " ".join(f"{e:.1e}" for e in errors)
              + f"; launcher {said[-3]}, {said[-2]}; us " + " ".join(f"{t:.1f}" for t in times), flush=True)
        del module, new, inputs, expected, tensors, captured, graph
        torch.cuda.empty_cache()
    print(f"{len(problems) - failed} of {len(problems)} as expected")
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    where, chosen = pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] or PROBLEMS
    sys.exit(make(where, chosen) if sys.argv[1] == "make" else check(where, chosen))
