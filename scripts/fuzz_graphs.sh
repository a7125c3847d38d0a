#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random op graphs through all of kgen: importer, oracle against PyTorch in fp64, round 0, ideas of the builtin catalogue.
#
#   scripts/fuzz_graphs.sh [N] [SEED]                     N graphs (200) on device host; the same seed makes the same graphs
#   scripts/fuzz_graphs.sh 300 7 --device cuda:0          the same on a card
#   scripts/fuzz_graphs.sh --help                         what else can be asked
#
# What fails is made small and lies in runs/fuzz/gN/reduced.py. Exit code 1 when anything failed. See docs/fuzzing.md.
# With kgen's binaries in $KGEN_BIN nothing is installed or built; $KGEN_PYTHON (default python3) has to know PyTorch then.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=$venv/bin/python3
if [ -n "${KGEN_BIN:-}" ]; then
  KGEN_BIN=$(cd "$KGEN_BIN" && pwd) || die "KGEN_BIN names no folder"
  python=${KGEN_PYTHON:-python3}
else
  ensure_packages
  ensure_torch
  ensure_build dev kgen-opt kgen-translate kgen-eval kgen-oracle
fi
export KGEN_LIBRARY=none PYTHONPATH="$root/frontend" PYTHONWARNINGS=ignore
exec "$python" -m fuzz "$@"
