# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch and kgen: op graphs of models as kgen's MLIR text, and kgen's kernels in the place of a module's ops.

    compiled = kgen.compile(module, example_inputs)     the same signature, the same parameters
    print(kgen.report(compiled))                        what is kgen's, what is PyTorch's and why
    torch.compile(module, backend="kgen")

problem_file   reads a file in the benchmark's form, without data
distributions  watches how its tensors are drawn
op_table       which ATen ops the dialect has, and how they are written
verify         has kgen-opt check what was imported
text           types, numbers and tensors as MLIR writes them
exporting      torch.export's graph, decomposed to ops that the dialect has
rewrites       ops that the dialect spells in another way
composites     ops that are several of the dialect's
selections     the same: order statistics, pairs, uneven windows, shifts
graph_writer   the graph as the project's MLIR text
importer       a file, a module or an exported program in, that text out
subgraph       pieces of an exported graph as MLIR text, and which nodes kgen can take
ordering       what is kgen's together, as far as PyTorch's ops allow it
segments       cuts an exported graph into kernels' work and PyTorch's
compiler       makes and checks the kernels of each segment
applied        kgen apply: what searches found, by what it computes
chain          kernels that follow one another as one call
module         kgen.compile: the original behind guards, parameters by reference
pieces         modules that no export takes whole
offload        weights that only preparation reads, in the machine's memory
watch          changes of weights that PyTorch does not count
reads          what a forward reads and writes beside its arguments
guards         what has to hold for a call to be the one that kernels were made for
structure      calls in one spelling, answers of any class
backend        torch.compile(backend="kgen")
export         kgen export; export_host and export_package write its parts
bench          kgen bench: problems beside PyTorch
runtime        libkgen_runtime.so: bundles on PyTorch's memory and stream
tools          where kgen's programs and libraries are
"""

_PUBLIC = {"compile": "module", "report": "module", "refresh": "module", "onload": "module", "CompileFailed": "module", "RuntimeFailed": "runtime"}
__all__ = list(_PUBLIC)


def __getattr__(name):
    if name == "__version__":
        import pathlib
        return (pathlib.Path(__file__).parent / "VERSION").read_text().strip()
    # PyTorch takes seconds to load, and `kgen import --help` needs none of it.
    if name not in _PUBLIC:
        raise AttributeError(f"module 'kgen' has no attribute {name!r}")
    import importlib
    return getattr(importlib.import_module("kgen." + _PUBLIC[name]), name)
