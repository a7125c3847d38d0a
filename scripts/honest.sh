#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Evaluates honest kernels over and over, each time on inputs of a fresh secret seed: none may be called anything but PASS.
#   scripts/honest.sh                         1000 evaluations, of the corpus' honest kernels and of every numeric test
#   scripts/honest.sh --count 10000 --jobs 8  more of them; the last line is `N of N PASS`
#   scripts/honest.sh --count 200 row-half    those with a part of this name
#   scripts/honest.sh --device cuda:0         on a card, the numeric tests of what a card can run
# KGEN_BIN names the folder of kgen's binaries (default: build/bin, else build-release/bin).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${KGEN_BIN:-}" ]; then
  for folder in "$root/build/bin" "$root/build-release/bin"; do
    [ -x "$folder/kgen-eval" ] && KGEN_BIN=$folder && break
  done
fi
[ -x "${KGEN_BIN:-}/kgen-eval" ] || { echo "honest.sh: no kgen-eval; build it, or name its folder in KGEN_BIN" >&2; exit 1; }
exec python3 "$root/scripts/honest.py" --bin "$KGEN_BIN" "$@"
