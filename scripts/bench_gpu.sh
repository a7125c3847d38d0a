#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Searches all ten problems on one card without a model, then times the best kernels beside PyTorch, interleaved: scripts/search_gpu.sh --bench.
#   scripts/bench_gpu.sh [--minutes M] [--seed S] [--out FOLDER] [--results NAME] [PROBLEM[=MINUTES]...]
# Options are those of search_gpu.sh; see its --help. With --results NAME, docs/results/NAME.md and NAME.json are made of the run.
exec "$(dirname "$0")/search_gpu.sh" --bench "$@"
