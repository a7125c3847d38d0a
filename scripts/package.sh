#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the release preset and packs one relocatable archive that runs on any x86-64 Linux with
# glibc >= 2.36: static tools, problems, and the Python frontend. libcuda, NVRTC and ptxas are found
# where it runs. Prints the archive's path.
set -eu
. "$(dirname "$0")/common.sh"
ensure_packages >&2
tools=(kgen-search kgen-mcp kgen-eval kgen-oracle kgen-opt kgen-translate)
ensure_build release "${tools[@]}" kgen_runtime >&2
name=kgen-linux-x86_64
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/$name/bin" "$stage/$name/lib" "$stage/$name/share/kgen"
cp "$root/build-release/lib/libkgen_runtime.so" "$stage/$name/lib/"
for t in "${tools[@]}"; do cp "$root/build-release/bin/$t" "$stage/$name/bin/"; done
for d in problems frontend prices; do cp -r "$root/$d" "$stage/$name/share/kgen/"; done
cp "$root/LICENSE" "$stage/$name/"
find "$stage" -name __pycache__ -prune -exec rm -rf {} +
tar -C "$stage" -c "$name" | xz -T2 -3 >"$root/build-release/$name.tar.xz"
echo "$root/build-release/$name.tar.xz"
