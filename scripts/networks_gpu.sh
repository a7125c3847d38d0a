#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Searches networks on cards, one on each at a time, and writes what came out beside PyTorch's times. One that fails does not stop the
# others; the same line again goes on where it stopped.
#   scripts/networks_gpu.sh [--minutes M] [--devices D,D] [--within S] [--modes MODES] [--compile-beside] [--precision CLASS]
#                           [--graphs FOLDER] [--out FOLDER] FILE...
# FILE is a PyTorch file (class Model, get_inputs) or an op graph (.mlir). --minutes is each search's time (default 5; 0 searches nothing and times
# PyTorch alone), --devices the cards (default cuda:0; without a search a card may be named several times: so many compile there side by side, and
# run in turns), --within the seconds for all of it together: searches then get what is left of them, and none begins that would not
# end by itself. --modes are PyTorch's modes (default eager,eager_graph,compile,compile_graph; max_autotune and max_autotune_graph
# take minutes more, none times nothing). With --compile-beside PyTorch compiles while the search runs, in turns with what kgen
# times (KGEN_GATE), and is timed after it: a network takes the search's time and some seconds. --precision is the class that kgen keeps (default: each
# graph's own); PyTorch's products may use TF32 but for strict-fp32. --graphs is a folder of graphs that were imported before
# (scripts/network_coverage.py leaves them), NAME.mlir for NAME.py. FOLDER (default runs/networks) receives for each network its run
# folder, its log and PyTorch's times, and networks.json and networks.md with a row for each and the geometric mean, anew after each.
# Uses the tools of $KGEN_BIN, or of a build here; files of PyTorch need it importable by $KGEN_PYTHON (default python3).
[ "${1:-}" != --help ] || { sed -n '5,18s/^# //p' "$0"; exit 0; }
exec "${KGEN_PYTHON:-python3}" "$(cd "$(dirname "$0")" && pwd)/networks_gpu.py" "$@"
