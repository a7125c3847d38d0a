#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Everything that needs a card and many cores to be shown: 10,000 evaluations of honest kernels on device host and 2,000 on a card,
# 2,000 op graphs on device host and 300 on a card, ten passes of the corpus, 500 comparisons of a kernel with itself and with itself
# slowed by 3 %, and 1,000 recoveries. One call does what its time suffices for; several calls add up.
#   scripts/card_proof.sh --bin FOLDER [--out FOLDER] [--seconds 540] [--parts same,slowed,corpus] [--round 2] [--scale 0.01]
#   scripts/card_proof.sh --sum OUT1 OUT2 OUT3
# FOLDER holds kgen's binaries. python3 has to know PyTorch; g++ compiles for device host. No build tools are needed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
exec "${KGEN_PYTHON:-python3}" "$root/scripts/card_proof.py" "$@"
