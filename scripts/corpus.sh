#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the corpus of hostile and honest candidates (docs/trust.md) and says whether each got the verdict that it must.
#   scripts/corpus.sh                       everything, on device host
#   scripts/corpus.sh --device cuda:0       everything that a card can express
#   scripts/corpus.sh --times 10 near-read  two options and a part of a case's name
# KGEN_BIN names the folder of kgen's binaries (default: build/bin, else build-release/bin).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${KGEN_BIN:-}" ]; then
  for folder in "$root/build/bin" "$root/build-release/bin"; do
    [ -x "$folder/kgen-eval" ] && KGEN_BIN=$folder && break
  done
fi
[ -x "${KGEN_BIN:-}/kgen-eval" ] || { echo "corpus.sh: no kgen-eval; build it, or name its folder in KGEN_BIN" >&2; exit 1; }
exec python3 "$root/scripts/corpus.py" --bin "$KGEN_BIN" "$@"
