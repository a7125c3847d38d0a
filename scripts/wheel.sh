#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the Python wheel: kgen's tools, its runtime, the problems and the frontend, for `pip install` into any environment with PyTorch.
#   scripts/wheel.sh [OUT]    (default: build-release/) from the release preset, static tools: for any x86-64 Linux with glibc >= 2.36
# KGEN_PRESET=dev takes the development build instead: quick to make, and only for a machine with the same LLVM. Prints the wheel's path.
set -eu
. "$(dirname "$0")/common.sh"
preset=${KGEN_PRESET:-release}
tools=(kgen-search kgen-mcp kgen-eval kgen-oracle kgen-opt kgen-translate)
ensure_packages >&2
ensure_python setuptools==84.2.1 >&2
ensure_build "$preset" "${tools[@]}" kgen_runtime >&2
# A wheel for a test is not compressed: that would take longer than all else.
case $preset in dev) build=$root/build compression=stored ;; *) build=$root/build-$preset compression=deflated ;; esac
out=$(mkdir -p "${1:-$build}" && cd "${1:-$build}" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -r "$root/frontend/pyproject.toml" "$root/frontend/README.md" "$root/frontend/kgen" "$stage/"
mkdir -p "$stage/kgen/bin" "$stage/kgen/lib" "$stage/kgen/share/kgen/frontend"
for t in "${tools[@]}"; do cp "$build/bin/$t" "$stage/kgen/bin/"; done
"$llvm/bin/llvm-strip" "$stage"/kgen/bin/*
cp "$build/lib/libkgen_runtime.so" "$stage/kgen/lib/"
# kgen-search looks for problems and their PyTorch forms beside its folder, as in the archive of scripts/package.sh.
cp -r "$root/problems" "$root/prices" "$stage/kgen/share/kgen/"
cp -r "$root/frontend/problems" "$stage/kgen/share/kgen/frontend/"
[ ! -f "$root/LICENSE" ] || cp "$root/LICENSE" "$stage/"
find "$stage" -name __pycache__ -prune -exec rm -rf {} +
(cd "$stage" && "$venv/bin/python3" - "$out" "$compression" <<'PY'
import sys
import setuptools
from setuptools.command.bdist_wheel import bdist_wheel


class Platform(bdist_wheel):
    """Programs inside, but nothing that depends on the version of Python."""

    def get_tag(self):
        return "py3", "none", "manylinux_2_36_x86_64"


class Binary(setuptools.Distribution):
    def has_ext_modules(self):
        return True


sys.argv = ["setup.py", "-q", "bdist_wheel", "-d", sys.argv[1], "--compression", sys.argv[2]]
setuptools.setup(distclass=Binary, cmdclass={"bdist_wheel": Platform})
PY
) >&2
ls "$out"/kgen-*.whl
