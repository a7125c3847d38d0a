# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version, which stands in frontend/kgen/VERSION and nowhere else, and the notes of a release, which are the changelog's section.

Usage: release.py show               the version
       release.py notes [VERSION]    the changelog's section of it
       release.py check VERSION      fails unless it is the version and its section has a date
       release.py cut VERSION        dates the section above, moves the version on; commit, then tag vVERSION, then `release.py open`
       release.py open VERSION       begins the section of the next version, "unreleased"
KGEN_ROOT names another checkout.
"""
import datetime
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("KGEN_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
VERSION, CHANGELOG = ROOT / "frontend/kgen/VERSION", ROOT / "CHANGELOG.md"


def parsed(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"release: {version} is no version, expected X.Y.Z")
    return tuple(map(int, version.split(".")))


def sections():
    """[(version, what follows it in the heading, text)], the newest first."""
    parts = re.split(r"^## (\S+), (.*)\n", CHANGELOG.read_text(), flags=re.M)
    return list(zip(parts[1::3], parts[2::3], parts[3::3]))


def section(version):
    found = next((each for each in sections() if each[0] == version), None)
    if found is None:
        sys.exit(f"release: CHANGELOG.md has no section of {version}")
    return found


def is_dated(heading):
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", heading) is not None


def check(version):
    if version != VERSION.read_text().strip():
        sys.exit(f"release: the version is {VERSION.read_text().strip()}, expected {version}")
    if not is_dated(section(version)[1]):
        sys.exit(f"release: the section of {version} in CHANGELOG.md is \"{section(version)[1]}\", expected a date: run `release.py cut {version}`")


def cut(version):
    """Gives the unreleased section, whatever version it was called, VERSION and today's date."""
    newest = sections()[0]
    if newest[1] != "unreleased":
        sys.exit(f"release: the first section of CHANGELOG.md is {newest[0]}, {newest[1]}; expected one that is unreleased")
    released = [parsed(each[0]) for each in sections()[1:]]
    if released and parsed(version) <= max(released):
        sys.exit(f"release: {version} is no later than {'.'.join(map(str, max(released)))}, which was released")
    text = CHANGELOG.read_text()
    CHANGELOG.write_text(text.replace(f"## {newest[0]}, unreleased\n", f"## {version}, {datetime.date.today()}\n", 1))
    VERSION.write_text(version + "\n")


def begin(version):
    newest = sections()[0]
    if not is_dated(newest[1]):
        sys.exit(f"release: {newest[0]} is still unreleased")
    if parsed(version) <= parsed(newest[0]):
        sys.exit(f"release: {version} is no later than {newest[0]}, which was released")
    text = CHANGELOG.read_text()
    place = text.index("## ")
    CHANGELOG.write_text(f"{text[:place]}## {version}, unreleased\n\n{text[place:]}")
    VERSION.write_text(version + "\n")


def main(arguments):
    command, version = (arguments + [None, None])[:2]
    if command in ("check", "cut", "open") and version:
        parsed(version)
        {"check": check, "cut": cut, "open": begin}[command](version)
    elif command == "show":
        print(VERSION.read_text().strip())
    elif command == "notes":
        print(section(version or VERSION.read_text().strip())[2].strip())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
