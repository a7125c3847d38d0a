#!/usr/bin/env bash
# Searches all ten problems on one card without a model, then times the best kernels beside PyTorch, interleaved: scripts/search_gpu.sh --bench.
#   scripts/bench_gpu.sh [--minutes M] [--seed S] [--out FOLDER] [--results NAME] [PROBLEM[=MINUTES]...]
# Options are those of search_gpu.sh; see its --help. With --results NAME, docs/results/NAME.md and NAME.json are made of the run.
exec "$(dirname "$0")/search_gpu.sh" --bench "$@"
