#!/usr/bin/env python3
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of lib/: who may include whom, in which namespace, in which size.

    scripts/check_layers.py [ROOT]

The table is the one of lib/README.md, from the bottom up: a library's row names every library whose headers it includes. Checked:
  - an #include (or a .td's include) of another library is named in the row, and the row names nothing that is not included;
  - a row names only rows above it, so the order in the table is an order;
  - a row without MLIR in its `half` neither includes mlir/ nor names a row with it;
  - a namespace that a file opens at the start of a line is one of the library's, or inside it;
  - no file of lib/, include/, frontend/kgen and scripts has more than 700 lines, none of tools/ more than 40, no other more than 1000;
  - no folder of lib/ or include/ has more than 30 files of its own.
A row `X/*` stands for every folder of X that has no row of its own; such folders do not include each other. A kernel family's ideas
(XIdeas.cpp in its folder) belong to Kernels/Ideas.

Exit 1 with one line for each fault.
"""
import os
import re
import sys

MOST_LINES, MOST_LINES_ELSEWHERE, MOST_LINES_OF_A_TOOL, MOST_FILES = 700, 1000, 40, 30
SOURCES = (".cpp", ".h", ".td", ".def", ".py", ".cuh", ".cu", ".inc")
# Text for the compilers of candidates, never part of kgen.
FOREIGN = re.compile(r"lib/Device/host/|.*\.cuh?$")
# A family's ideas stand in its folder, but are read by the search.
IDEAS = re.compile(r"Kernels/(Ideas/|\w+/\w*Ideas\.(h|cpp)$|Catalogue\.cpp$|Families\.def$)")


def read_table(path):
    """[(library, namespace, half, included libraries)] from the table whose heading starts with `| library |`."""
    rows, inside = [], False
    for line in open(path, encoding="utf-8"):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if line.startswith("| library |"):
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not set(cells[0]) <= set("-: "):
            name, namespace, half, includes = cells[:4]
            rows.append((name, re.findall(r"`([\w:]+)`", namespace), half, [i for i in re.split(r",\s*", includes) if i not in ("", "-")]))
    return rows


class Layers:
    def __init__(self, root):
        self.root = root
        self.rows = read_table(os.path.join(root, "lib", "README.md"))
        self.names = [row[0] for row in self.rows]
        self.faults = []
        self.used = {name: set() for name in self.names}

    def complain(self, text):
        self.faults.append(text)

    def library(self, path):
        """The folder of the library that PATH belongs to, and its row: (Kernels/Gemm, Kernels/*)."""
        match = re.match(r"(?:include/kgen|lib)/(.+)$", path)
        if not match or FOREIGN.match(path):
            return None, None
        if "Kernels/Ideas" in self.names and IDEAS.match(match[1]):
            return "Kernels/Ideas", "Kernels/Ideas"
        parts = match[1].split("/")
        if len(parts) == 1:
            name = parts[0].rsplit(".", 1)[0]
            return (name, name) if name in self.names else (None, None)
        for length in range(len(parts) - 1, 0, -1):
            folder = "/".join(parts[:length])
            if folder in self.names:
                return folder, folder
            if length > 1 and "/".join(parts[:length - 1] + ["*"]) in self.names:
                return folder, "/".join(parts[:length - 1] + ["*"])
        return parts[0], None

    def files(self):
        for top in ("include", "lib", "frontend", "scripts", "tools", "unittests", "bench", "test"):
            for folder, folders, names in os.walk(os.path.join(self.root, top)):
                folders[:] = sorted(f for f in folders if not f.startswith((".", "__")))
                for name in sorted(names):
                    yield os.path.relpath(os.path.join(folder, name), self.root)

    def check_table(self):
        if not self.rows:
            self.complain("lib/README.md: no table of libraries")
        lower = {}
        for name, _, half, includes in self.rows:
            for include in includes:
                if include not in lower:
                    self.complain(f"lib/README.md: {name} includes {include}, which has no row above it")
                elif "MLIR" in lower[include] and "MLIR" not in half:
                    self.complain(f"lib/README.md: {name} is free of MLIR, but includes {include}")
            lower[name] = half

    def check_sizes(self, path, lines):
        strict = path.startswith(("lib/", "include/", "frontend/kgen/", "scripts/"))
        most = MOST_LINES if strict else MOST_LINES_ELSEWHERE
        if path.startswith("tools/") and path.endswith(".cpp"):
            most = MOST_LINES_OF_A_TOOL
        if len(lines) > most:
            self.complain(f"{path} has {len(lines)} lines, at most {most} are allowed: split it")

    def check_file(self, path, lines):
        folder, row = self.library(path)
        if folder is None:
            return
        if row is None:
            self.complain(f"{path}: lib/README.md has no row for {folder}")
            return
        _, namespaces, half, includes = self.rows[self.names.index(row)]
        for number, line in enumerate(lines, 1):
            at = f"{path}:{number}"
            opened = re.match(r"namespace (kgen(?:::\w+)*) \{", line)
            if opened and not any(f"{opened[1]}::".startswith(f"{n}::") for n in namespaces):
                # A forward declaration of another library's class is that library's namespace.
                forward = number < len(lines) and re.match(r"(class|struct) \w+;", lines[number])
                if not forward:
                    self.complain(f"{at}: namespace {opened[1]}, but {row} is {' and '.join(namespaces)}")
            match = re.match(r'\s*#?\s*include\s*["<]([^">]+)[">]', line)
            if not match:
                continue
            target = match[1]
            if target.startswith("mlir/"):
                if "MLIR" not in half:
                    self.complain(f"{at} includes {target}, but {row} is free of MLIR")
                continue
            if target.startswith("kgen/"):
                target = "include/" + target
            else:
                target = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if not os.path.exists(os.path.join(self.root, target)):
                    continue  # generated, or not kgen's
            to, to_row = self.library(target)
            if to is None or to == folder:
                continue
            if to_row is None:
                self.complain(f"{at}: lib/README.md has no row for {to}")
            elif to_row not in includes:
                self.complain(f"{at} includes {match[1]}, but {row} may not include {to}: see the table in lib/README.md")
            self.used[row].add(to_row)

    def check(self):
        self.check_table()
        counts = {}
        for path in self.files():
            if path.startswith(("lib/", "include/")):
                folder = os.path.dirname(path)
                counts[folder] = counts.get(folder, 0) + 1
            if not path.endswith(SOURCES):
                continue
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                lines = file.read().split("\n")
            lines = lines[:-1] if lines and not lines[-1] else lines
            self.check_sizes(path, lines)
            self.check_file(path, lines)
        for folder, count in counts.items():
            if count > MOST_FILES:
                self.complain(f"{folder} has {count} files, at most {MOST_FILES} are allowed: give a part of it a folder")
        for name, _, _, includes in self.rows:
            for include in includes:
                if include not in self.used[name]:
                    self.complain(f"lib/README.md: {name} no longer includes {include}, take it out of the row")
        return self.faults


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    faults = Layers(root).check()
    for fault in faults:
        print(f"layers: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
