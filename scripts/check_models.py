# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile of the transformers models of frontend/tests/models.py on a card: one line for each.

Usage: check_models.py [NAME...]     KGEN_BIN and KGEN_RUNTIME name kgen's tools and its runtime
A line says the error relative to PyTorch's norm, the same after every parameter was changed, and of a replayed CUDA graph; the share of
ops that kgen computes, launches, seconds of kgen.compile, and the mean of 20 calls in a row in us: PyTorch eager, the module, its graph.
"""
import pathlib
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontend"))
warnings.simplefilter("ignore")


def main(names):
    import torch

    import kgen
    from tests import models

    def error(found, expected):
        return ((found.double() - expected.double()).norm() / expected.double().norm()).item()

    def mean_us(call, count=20):
        for _ in range(3):
            call()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            call()
        end.record()
        torch.cuda.synchronize()
        return 1e3 * begin.elapsed_time(end) / count

    failed = 0
    for name in names or sorted(models.MODELS):
        module, inputs = models.build(name)
        module, inputs = module.cuda(), tuple(tensor.cuda() for tensor in inputs)
        begin = time.perf_counter()
        compiled = kgen.compile(module, inputs)
        seconds = time.perf_counter() - begin
        with torch.no_grad():
            errors = [error(compiled(*inputs), module(*inputs))]
            for parameter in module.parameters():
                parameter.mul_(1.01)
            expected = module(*inputs)
            errors.append(error(compiled(*inputs), expected))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured = compiled(*inputs)
            captured.zero_()
            graph.replay()
            errors.append(error(captured, expected))
            times = [mean_us(call) for call in (lambda: module(*inputs), lambda: compiled(*inputs), graph.replay)]
        coverage = kgen.report(compiled)
        right = max(errors) < 1e-3 and coverage.share == 1
        failed += not right
        print(f"{name}: {'ok' if right else 'WRONG'}; errors " + " ".join(f"{e:.1e}" for e in errors)
              + f"; {100 * coverage.share:.0f} % in {coverage.kernels} launches; {seconds:.1f} s; us "
              + " ".join(f"{t:.0f}" for t in times), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
