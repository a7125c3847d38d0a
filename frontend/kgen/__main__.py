# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `kgen`: import and export in Python; search, eval and doctor are kgen's own tools."""
import argparse
import os
import sys
import tempfile
import warnings

import kgen
from kgen.errors import ImportRefused
from kgen.tools import ToolFailed, find_tool


def _write(path, text):
    """Replaces PATH by TEXT in one step, so that a failure leaves nothing half-written. Devices and pipes stay what they are."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "w") as file:
            file.write(text)
        return
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".kgen-")
    except OSError as error:
        raise ImportRefused(f"cannot write: {error.strerror}", path) from error
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        # mkstemp makes private files; give this one what open() would have.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise ImportRefused(f"cannot write: {error.strerror}", path) from error


def _import(arguments):
    # PyTorch warns about its own insides (a missing NumPy, deprecated helpers); ours is one sentence.
    warnings.simplefilter("ignore")
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportRefused(f"importing a model needs PyTorch ({error}): pip install torch") from error
    from kgen.importer import import_file
    from kgen.verify import verify

    text = import_file(arguments.file, arguments.name)
    verify(text, arguments.file, arguments.kgen_opt)
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        _write(arguments.output, text)


def _export(arguments):
    from kgen.export import export

    for path in export(arguments.run_folder, arguments.format, arguments.output, arguments.problem):
        print(path)


def _apply(arguments):
    from kgen.applied import apply

    for run in arguments.run_folders:
        print(apply(run))


def _bench(arguments):
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportRefused(f"measuring a model needs PyTorch ({error}): pip install torch") from error
    from kgen.bench import bench, table

    search = arguments.search
    if search not in ("none", "cached"):
        try:
            search = float(search)
        except ValueError:
            raise ImportRefused(f"--search is {search}, expected none, cached or a number of minutes") from None
    rows = bench(arguments.problems, arguments.output, device=arguments.device, search=search, precision=arguments.precision,
                 baselines=[name for name in arguments.baselines.split(",") if name], seconds=arguments.seconds, limit=arguments.limit)
    print(table(rows), end="")


#: Commands that are programs of their own, with what stands before the user's arguments.
_TOOLS = {"search": ("kgen-search", []), "doctor": ("kgen-search", ["doctor"]), "eval": ("kgen-eval", []),
          "opt": ("kgen-opt", []), "mcp": ("kgen-mcp", [])}


def _hand_over(command, arguments):
    """Becomes the tool of COMMAND."""
    tool, first = _TOOLS[command]
    path = find_tool(tool)
    os.execv(path, [path, *first, *arguments])


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if argv and argv[0] in _TOOLS:
        try:
            _hand_over(argv[0], argv[1:])
        except ToolFailed as error:
            print(f"kgen: {error}", file=sys.stderr)
            return 1
    parser = argparse.ArgumentParser(prog="kgen", description="kgen for PyTorch: models in, kernels out.", epilog="in Python: "
                                     "kgen.compile(module, example_inputs), and torch.compile(module, backend=\"kgen\")")
    parser.add_argument("--version", action="version", version=f"kgen {kgen.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    importer = commands.add_parser(
        "import", help="write a model's op graph as MLIR text",
        description="Exports the Model of a file in the benchmark's form (class Model, get_init_inputs, get_inputs) and "
        "writes its op graph. No weights or inputs are materialised. An op that the dialect lacks is refused by name.")
    importer.add_argument("file", metavar="FILE.py")
    importer.add_argument("-o", dest="output", default="-", metavar="GRAPH.mlir", help="output file (default: stdout)")
    importer.add_argument("--name", help="the function's and problem's name (default: from the file's name)")
    importer.add_argument("--kgen-opt", metavar="TOOL", help="the kgen-opt that checks the graph (default: $KGEN_OPT, "
                          "PATH, or the build beside this package; without one the graph is not checked)")
    importer.set_defaults(run=_import)
    exporter = commands.add_parser(
        "export", help="write what a search found as files that need no kgen",
        description="Writes the best kernel of a run folder: py is one file that needs only PyTorch and the driver; launcher a "
        ".cu that nvcc builds, which checks and times itself; kernelbench the benchmark's ModelNew; wheel a pip wheel; hf the layout of "
        "Hugging Face kernels. VERIFICATION.md beside it says what was checked and what was not.")
    exporter.add_argument("run_folder", metavar="RUN", help="a run folder, or one candidate's")
    exporter.add_argument("--format", choices=("py", "launcher", "kernelbench", "wheel", "hf"), default="py")
    exporter.add_argument("-o", dest="output", default=".", metavar="PATH", help="a folder, or a .py file (default: here)")
    exporter.add_argument("--problem", metavar="FILE.py", help="the problem's PyTorch form, for kernelbench")
    exporter.set_defaults(run=_export)
    applier = commands.add_parser(
        "apply", help="let compiled modules use what a search found",
        description="Keeps the best verified kernel of each run folder, by what it computes. kgen.compile(..., search=\"cached\") and "
        "torch.compile(..., backend=\"kgen\") use it on this machine wherever a module, or a part of one, is that graph.")
    applier.add_argument("run_folders", metavar="RUN", nargs="+")
    applier.set_defaults(run=_apply)
    bencher = commands.add_parser(
        "bench", help="hold compiled modules against PyTorch, problem by problem",
        description="Compiles each problem with kgen.compile, compares it with the original on fresh inputs and times it beside PyTorch, each "
        "in a process of its own. A problem is a .py file in the benchmark's form, a folder of them, or a model class of the transformers "
        "package (its own defaults, random weights). What OUT has already is not measured again; OUT with .md is the table.")
    bencher.add_argument("problems", metavar="FOLDER|FILE.py|MODEL", nargs="+")
    bencher.add_argument("-o", dest="output", default="kgen-bench.json", metavar="OUT.json")
    bencher.add_argument("--device", default="auto", help="auto, host, cuda or cuda:N (default: auto)")
    bencher.add_argument("--baselines", default="eager,compile,max-autotune", metavar="LIST", help="of eager, compile, max-autotune (default: all)")
    bencher.add_argument("--search", default="cached", help="none, cached or minutes of search (default: cached)")
    bencher.add_argument("--precision", help="the class, as kgen.compile takes it (default: what PyTorch's settings allow)")
    bencher.add_argument("--seconds", type=float, default=1.0, help="of timing for each measurement (default: 1)")
    bencher.add_argument("--limit", type=float, default=300.0, help="seconds for each measurement in all, compiling included (default: 300)")
    bencher.set_defaults(run=_bench)
    for name, (tool, first) in _TOOLS.items():
        commands.add_parser(name, help=f"{' '.join([tool, *first])}; `kgen {name} --help` for more")
    arguments = parser.parse_args(argv)
    try:
        arguments.run(arguments)
    except (ImportRefused, ToolFailed) as error:
        print(f"kgen: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
