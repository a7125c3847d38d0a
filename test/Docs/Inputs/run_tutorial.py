"""run_tutorial.py TUTORIAL.md SOURCE_ROOT FOLDER: runs the commands of the tutorial's code blocks, one after the other,
in FOLDER, as a reader would from the root of the checkout, and ends at the first that does not do what the text says.

What differs from a reader's terminal: searches have small limits; $EDITOR is a program that changes an index; /tmp is
FOLDER/tmp; nothing is installed or built, and what needs a card or PyTorch is left out where there is none."""
import importlib.util
import os
import re
import subprocess
import sys

# A search of a few branches shows the same as one of four minutes.
LIMITS = "--rounds 1 --seeds 1 --ideas 2 --variants 1 --max-minutes 2"

PRELUDE = """
set -e
kgen-search() {
  case "$1" in
    --*) command kgen-search "$@" %s ;;
    *) command kgen-search "$@" ;;
  esac
}
""" % LIMITS

EDITOR = """#!/usr/bin/env python3
# Where the kernel stores a value last, one element further.
import re, sys
text = open(sys.argv[1]).read()
stores = list(re.finditer(r"^( +)(\\w+)\\[([^\\]=]+)\\] = ", text, re.M))
last = stores[-1]
open(sys.argv[1], "w").write(text[:last.start(3)] + "(" + last.group(3) + ") ^ 1" + text[last.end(3):])
"""

SCRIPT = """#!/bin/sh
# What scripts/search.sh does once everything is installed and built.
exec kgen-search "$@" %s
""" % LIMITS


def blocks(text):
    """The code blocks that hold commands: indented by four, after a blank line."""
    for block in re.findall(r"(?:(?<=\n\n)|(?<=\A))((?:    [^\n]*\n|\n(?=    ))+)", text):
        lines = [line[4:] for line in block.rstrip("\n").split("\n")]
        # Lines of the live table are no commands.
        if not lines[0].startswith(("round-", "idea: ")):
            yield "\n".join(lines)


def statements(block):
    """BLOCK's commands one by one; a here-document and a continued line stay whole."""
    lines = block.split("\n")
    at = 0
    while at < len(lines):
        begin = at
        while lines[at].endswith("\\"):
            at += 1
        document = re.search(r"<<'(\w+)'", lines[at])
        if document:
            while lines[at] != document.group(1):
                at += 1
        at += 1
        yield "\n".join(lines[begin:at])


def main():
    tutorial, root, folder = sys.argv[1:]
    os.makedirs(folder + "/scripts", exist_ok=True)
    os.makedirs(folder + "/tmp", exist_ok=True)
    for name in ("problems", "frontend", "docs"):
        if not os.path.exists(f"{folder}/{name}"):
            os.symlink(f"{root}/{name}", f"{folder}/{name}")
    for name, text in (("scripts/search.sh", SCRIPT), ("tmp/editor", EDITOR)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)
    torch = importlib.util.find_spec("torch") is not None
    environment = {**os.environ, "EDITOR": os.path.abspath(folder) + "/tmp/editor"}
    ran = 0
    for block in blocks(open(tutorial).read()):
        for statement in statements(block):
            if not statement.strip() or statement.startswith("export PATH"):
                continue
            if ".py" in statement and not torch:
                continue
            shown = statement.split("\n")[0]
            # The text says what a broken kernel gets: WRONG, and exit code 1.
            expected = 1 if statement.startswith("kgen-eval /tmp/broken") else 0
            script = PRELUDE + statement.replace("/tmp/", os.path.abspath(folder) + "/tmp/")
            done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != expected:
                sys.exit(f"{done.stdout}\n{shown}\nends with {done.returncode}, expected {expected}")
            if expected == 1 and "WRONG" not in done.stdout:
                sys.exit(f"{done.stdout}\n{shown}\nsays no WRONG")
            print("ok", shown)
            ran += 1
    # A tutorial whose blocks are no longer found is no tutorial that runs.
    if ran < 15:
        sys.exit(f"only {ran} commands were found")


main()
