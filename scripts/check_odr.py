#!/usr/bin/env python3
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No two types of one qualified name: the one-definition rule over all files that are linked together.

    scripts/check_odr.py [ROOT]

Two classes of one name in two files link without a word, and the linker then keeps one destructor for both. The compiler sees one file at a
time and says nothing, so this reads them all: every class, struct, union and enum that lib/, include/, tools/, bench/ and unittests/
define at namespace scope, with its namespaces. Exempt are anonymous namespaces, types inside functions, and lib/Device/host, which is
compiled into candidates and never into kgen. Files that are never linked together (tests of two libraries, two tools) are compared with
the libraries, not with each other. A specialization counts with its arguments.

Exit 1 with one line for each clash; 2 for a file whose braces it cannot follow.
"""
import os
import re
import sys

TOKEN = re.compile(
    r'(?P<skip>\s+|//[^\n]*|/\*.*?\*/)'
    r'|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])(?:u8|[uUL])?\'(?:\\.|[^\'\\\n])+\')'
    r"|(?P<number>\.?[0-9](?:'?[0-9a-zA-Z_.]|(?<=[eEpP])[+-])*)"
    r'|(?P<word>[A-Za-z_]\w*)'
    r'|(?P<mark2>::|\[\[|\]\]|.)', re.S)
KEYS = {"class", "struct", "union", "enum"}
PREFIXES = {"typedef", "static", "inline", "constexpr", "const", "extern", "friend", "export", "volatile"}


def without_directives(text):
    """TEXT with preprocessor lines blank, so that line numbers stay. Of #if ... #else the first branch counts."""
    out, skipping, depth, inside_raw = [], [], 0, None
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        directive = None if inside_raw else re.match(r"\s*#\s*(\w+)", line)
        if not directive:
            out.append("" if any(skipping) else line)
            # A raw string may hold lines that look like directives.
            for m in re.finditer(r'R"([^()\\\s]{0,16})\(|\)([^()\\\s"]{0,16})"', line):
                if inside_raw is None and m[1] is not None:
                    inside_raw = m[1]
                elif inside_raw is not None and m[2] == inside_raw:
                    inside_raw = None
            i += 1
            continue
        word = directive[1]
        if word in ("if", "ifdef", "ifndef"):
            skipping.append(False)
        elif word in ("else", "elif") and skipping:
            skipping[-1] = True
        elif word == "endif" and skipping:
            skipping.pop()
        while lines[i].endswith("\\") and i + 1 < len(lines):
            out.append("")
            i += 1
        out.append("")
        i += 1
    return "\n".join(out)


def tokens(text):
    line = 1
    for m in TOKEN.finditer(text):
        if m.lastgroup != "skip":
            yield m[0] if m["word"] or m["mark2"] else "0", line
        line += m[0].count("\n")


def skip_balanced(words, i, opening, closing):
    """The index after the bracket that closes the one at I."""
    depth = 0
    while i < len(words):
        depth += (words[i] == opening) - (words[i] == closing)
        i += 1
        if depth == 0:
            break
    return i


def scope_of(words):
    """What a `{` after WORDS opens: ("namespace", names), ("type", name) or ("other", None)."""
    i = 0
    while i < len(words):
        if words[i] == "template" and i + 1 < len(words) and words[i + 1] == "<":
            i = skip_balanced(words, i + 1, "<", ">")
        elif words[i] == "[[":
            while i < len(words) and words[i] != "]]":
                i += 1
            i += 1
        elif words[i] in ("alignas", "__attribute__", "requires") and i + 1 < len(words) and words[i + 1] == "(":
            i = skip_balanced(words, i + 1, "(", ")")
        elif words[i] in PREFIXES or words[i] == "0":  # "0": the text of extern "C"
            i += 1
        else:
            break
    if i == len(words):
        return ("namespace", []) if "extern" in words else ("other", None)
    if words[i] == "namespace":
        names = [w for w in words[i + 1:] if w not in ("::", "inline")]
        return "namespace", names or ["(anonymous)"]
    if words[i] not in KEYS:
        return "other", None
    i += 1
    name = []
    while i < len(words):
        if words[i] == "[[":
            while i < len(words) and words[i] != "]]":
                i += 1
            i += 1
        elif words[i] in ("alignas", "__attribute__") and i + 1 < len(words):
            i = skip_balanced(words, i + 1, "(", ")")
        elif words[i] in ("class", "struct") and not name:
            i += 1
        elif words[i] == "<" and name:
            end = skip_balanced(words, i, "<", ">")
            name.append("".join(words[i:end]))
            i = end
        elif words[i] == "::" or (re.match(r"[A-Za-z_]", words[i]) and (not name or name[-1] == "::")):
            name.append(words[i])
            i += 1
        else:
            break
    rest = words[i:]
    if not rest or rest[0] in ("final", ":"):
        return "type", "".join(name)
    return "other", None


def definitions(path):
    """(qualified name, line) of each type that PATH defines at namespace scope or in such a type."""
    text = without_directives(open(path, encoding="utf-8").read())
    stack, words, found, parens = [], [], [], 0
    for token, line in tokens(text):
        if token == "{":
            kind, name = ("other", None) if parens else scope_of(words)
            hidden = any(k == "other" or n == "(anonymous)" for k, names, _ in stack for n in names or [None])
            if kind == "type" and not hidden and name:
                outer = [n for _, names, _ in stack for n in names]
                found.append(("::".join(outer + [name]), line))
            names = name if kind == "namespace" else [name or "(unnamed)"] if kind == "type" else None
            stack.append((kind, names, parens))
            words, parens = [], 0
        elif token == "}":
            if not stack:
                raise ValueError(f"{path}:{line}: a closing brace too many")
            parens = stack.pop()[2]
            words = []
        elif token == ";" and not parens:
            words = []
        else:
            parens = max(0, parens + (token == "(") - (token == ")"))
            # An access specifier ends like a label.
            words = [] if token == ":" and words in (["public"], ["private"], ["protected"]) else words + [token]
    if stack:
        raise ValueError(f"{path}: {len(stack)} braces stay open")
    return found


def group_of(path):
    """What PATH is linked into beside the libraries: None for the libraries themselves."""
    parts = path.split("/")
    return None if parts[0] in ("lib", "include") else "/".join(parts[:2])


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    places, faults, files = {}, [], 0
    for top in ("include", "lib", "tools", "bench", "unittests"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".h", ".cpp")) or path.startswith("lib/Device/host/"):
                    continue
                files += 1
                try:
                    for qualified, line in definitions(os.path.join(root, path)):
                        places.setdefault(qualified, {}).setdefault(path, line)
                except ValueError as fault:
                    faults.append(str(fault))
    clashes = 0
    for qualified, at in sorted(places.items()):
        groups = [group_of(path) for path in at]
        if len(at) < 2 or (None not in groups and len(set(groups)) == len(groups)):
            continue
        clashes += 1
        where = ", ".join(f"{path}:{line}" for path, line in sorted(at.items()))
        print(f"one-definition rule: {qualified} is defined in {where}", file=sys.stderr)
    for fault in faults:
        print(f"one-definition rule: {fault}", file=sys.stderr)
    if len(sys.argv) < 2 or clashes or faults:
        print(f"one-definition rule: {files} files, {len(places)} types, {clashes} clashes")
    sys.exit(2 if faults else 1 if clashes else 0)


if __name__ == "__main__":
    main()
