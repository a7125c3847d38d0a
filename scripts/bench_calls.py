# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call of a compiled module costs in Python, on any machine: kernels are prepared and not run.

Usage: bench_calls.py [NAME...]      models of frontend/tests/models.py; default: gpt2 llama resnet
A line says launches and parameters, and the medians of 200 calls in us: guards; all of a call but its launches; for comparison the same
with one PyTorch operator for each part, kernels included.
"""
import pathlib
import statistics
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontend"))
warnings.simplefilter("ignore")


def median_us(call, count=200):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


class Idle:
    """The runtime, launching nothing."""

    def __init__(self, library):
        self._library = library

    def __getattr__(self, name):
        return (lambda *_: 0) if name == "kgen_chain_run" else getattr(self._library, name)


def main(names):
    import torch

    import kgen
    from kgen import chain
    from tests import models

    for name in names or ["gpt2", "llama", "resnet"]:
        module, keywords = models.build_whole(name)
        compiled = kgen.compile(module, (), keywords)
        entry = compiled._entries[0]
        leaves, spec = list(keywords.values()), (0, *keywords)
        with torch.no_grad():
            guards = median_us(lambda: entry.miss(leaves, spec))
            library = chain._interface()
            chain._interface.loaded = Idle(library)
            whole = median_us(lambda: compiled(**keywords))
            chain._interface.loaded = library
            entry.graph._program = None
            operators = median_us(lambda: compiled(**keywords), 20)
        print(f"{name}: {kgen.report(compiled).kernels} launches, {len(list(module.parameters()))} parameters; guards {guards:.0f} us, "
              f"a call without its launches {whole:.0f} us; one operator for each part, with its kernels, {operators:.0f} us", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
