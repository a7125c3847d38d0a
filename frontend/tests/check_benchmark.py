"""Imports every file of benchmark folders: `python3 check_benchmark.py FOLDER...`.

Each file must import, verify in kgen-opt and shrink to a small size, or be refused
by name for one of the reasons in kgen.op_table.LATER. Prints what was refused and a
count; exits 1 if anything else happened.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from kgen.errors import ImportRefused  # noqa: E402
from kgen.importer import import_file  # noqa: E402
from kgen.op_table import LATER, WITHOUT_LOWERING  # noqa: E402
from tests.support import kgen_opt  # noqa: E402


def check(path):
    """'imported' or 'refused'; raises AssertionError when the file is neither."""
    try:
        text = import_file(path)
    except ImportRefused as error:
        reasons = set(LATER.values()) | set(WITHOUT_LOWERING.values())
        assert any(reason in str(error) for reason in reasons), f"refused without a reason: {error}"
        print(f"refused  {error}")
        return "refused"
    kgen_opt(text)
    kgen_opt(text, "--kgen-resize=size=small")
    return "imported"


def main(folders):
    counts = {"imported": 0, "refused": 0, "failed": 0}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.py")):
            try:
                counts[check(path)] += 1
            except Exception as error:  # one broken file must not hide the others
                counts["failed"] += 1
                print(f"FAILED   {path}: {error}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] or not counts["imported"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
