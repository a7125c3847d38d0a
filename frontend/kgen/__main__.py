"""The command line: `python3 -m kgen import FILE.py -o graph.mlir`."""
import argparse
import sys
import warnings

from kgen.errors import ImportRefused


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="kgen", description="PyTorch in: turns modules with fixed shapes into kgen op graphs.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    imp = commands.add_parser(
        "import", help="import a file that defines class Model, get_init_inputs() and get_inputs()",
        description="Imports a PyTorch file in the KernelBench form (class Model, get_init_inputs(), get_inputs()) "
        "as an op graph. Nothing is allocated: parameters and inputs live on the meta device.",
        epilog="example: python3 -m kgen import problems/softmax.py -o softmax.mlir")
    imp.add_argument("file", metavar="FILE.py")
    imp.add_argument("-o", "--output", metavar="graph.mlir", help="where the graph goes (default: standard output)")
    imp.add_argument("--name", help="the function's name (default: from the file's name)")
    imp.add_argument("--kgen-opt", metavar="PATH", help="the kgen-opt that verifies and prints the graph "
                     "(default: $KGEN_OPT, PATH, or the build folder beside this package)")
    args = parser.parse_args(argv)
    warnings.filterwarnings("ignore", category=FutureWarning)  # PyTorch's own, about its pytree
    try:
        from kgen.importer import import_file
        from kgen.verify import canonicalize, write_whole
        text = canonicalize(import_file(args.file, args.name), args.kgen_opt)
        if args.output:
            write_whole(args.output, text)
        else:
            sys.stdout.write(text)
    except ImportRefused as refused:
        print(f"kgen: {refused}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        print("kgen: PyTorch is not installed; install it with: pip install torch==2.13.0", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
