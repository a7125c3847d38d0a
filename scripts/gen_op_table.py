"""Prints frontend/kgen/ops.json from the dialect's TableGen records.

Usage: scripts/gen_op_table.py [--check]   (from the repository's root; needs llvm-tblgen 22)
"""
import json
import pathlib
import subprocess
import sys

LLVM = "/usr/lib/llvm-22"
TABLE = pathlib.Path("frontend/kgen/ops.json")


def kind_of(records, name):
    """one, optional or many for an operand; None for an attribute."""
    supers = records[name]["!superclasses"]
    if "Attr" in supers:
        return None
    return "optional" if "Optional" in supers else "many" if "Variadic" in supers else "one"


def main():
    dump = subprocess.run([f"{LLVM}/bin/llvm-tblgen", "--dump-json", "-I", "include", "-I", f"{LLVM}/include",
                           "include/kgen/Dialect/Aten/AtenOps.td"], capture_output=True, text=True, check=True)
    records = json.loads(dump.stdout)
    table = {}
    for name in records["!instanceof"]["Op"]:
        op = records[name]
        if op["opDialect"]["def"] != "Aten_Dialect":
            continue
        arguments = [(label, kind_of(records, kind["def"])) for kind, label in op["arguments"]["args"]]
        table[op["opName"]] = {
            "operands": [{"name": n, "kind": k} for n, k in arguments if k],
            "attributes": [n for n, k in arguments if not k],
            "segments": any(t["def"] == "AttrSizedOperandSegments" for t in op["traits"]),
            "results": len(op["results"]["args"]),
        }
    text = "{\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(table[k])}" for k in sorted(table)) + "\n}\n"
    if "--check" in sys.argv[1:]:
        if not TABLE.exists() or TABLE.read_text() != text:
            sys.exit("frontend/kgen/ops.json is out of date: run scripts/gen_op_table.py")
        return
    TABLE.write_text(text)


if __name__ == "__main__":
    main()
