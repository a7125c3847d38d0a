#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Searches problems on one card without a model, one after the other. What is finished is left alone, what was interrupted goes on,
# and one that fails does not stop the others: run the same line again until all are done.
#   scripts/search_gpu.sh [--minutes M] [--seed S] [--out FOLDER] [--option "WORDS"] [--bench] [--results NAME] [PROBLEM[=MINUTES]...]
# M is each search's time (default 10); PROBLEM=MINUTES gives one its own. Without problems: the ten published ones. FOLDER (default
# runs/bench) receives a run folder and a log for each problem. --option hands further options to kgen-search. --bench then times the best
# kernels beside PyTorch (FOLDER/bench.json); --results NAME makes docs/results/NAME.md and NAME.json of that.
# Uses the tools of $KGEN_BIN, or of a release build here. PyTorch with CUDA must be importable by $KGEN_PYTHON (default python3).
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
words="${KGEN_SANITIZER:+KGEN_SANITIZER=$KGEN_SANITIZER }$0 $*" # what the page shows to run again
minutes=10 seed=1 out=runs/bench bench= results= problems=() options=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes | --seed | --out | --option | --results)
      [ $# -gt 1 ] || { echo "search_gpu.sh: $1 needs a value" >&2; exit 2; }
      case $1 in
        --minutes) minutes=$2 ;;
        --seed) seed=$2 ;;
        --out) out=$2 ;;
        --option) read -r -a more <<<"$2"; options+=("${more[@]}") ;;
        --results) results=$2 bench=1 ;;
      esac
      shift 2 ;;
    --bench) bench=1; shift ;;
    --help) sed -n '2,9s/^# //p' "$0"; exit 0 ;;
    -*) echo "search_gpu.sh: unknown option $1" >&2; exit 2 ;;
    *) problems+=("$1"); shift ;;
  esac
done
[ ${#problems[@]} -gt 0 ] || problems=(conv_relu_maxpool conv2d matmul_fp32 matmul_fp32_strict matmul_fp16 softmax layer_norm
  attention_fp16_d64 attention_fp16_d128 attention_fp16_d128_causal)
for p in "${problems[@]}"; do
  limit=$minutes
  [ "${p#*=}" = "$p" ] || limit=${p#*=}
  awk -v m="$limit" 'BEGIN { exit !(m ~ /^[0-9]+(\.[0-9]*)?$/ && m > 0) }' ||
    { echo "search_gpu.sh: '$limit' is no number of minutes above 0" >&2; exit 2; }
done
bin=${KGEN_BIN:-}
if [ -z "$bin" ]; then
  . "$here/scripts/common.sh"
  ensure_packages
  ensure_build release kgen-search
  bin=$here/build-release/bin
fi
python=${KGEN_PYTHON:-python3}
# PyTorch is timed once, beside the results, and not before each search too.
[ -z "$bench" ] || export KGEN_PYTHON=none
mkdir -p "$out" || exit 1
failed=0 runs=()
for p in "${problems[@]}"; do
  limit=$minutes
  [ "${p#*=}" = "$p" ] || limit=${p#*=}
  p=${p%%=*}
  run=$out/$p begin=$(date +%s) code=0
  # A search ends by itself; this is for one that does not.
  seconds=$(awk -v m="$limit" 'BEGIN { printf "%d", m * 90 + 120 }')
  if [ -f "$run/report.json" ]; then
    said="was there"
  else
    if [ -f "$run/run.json" ]; then
      timeout -k 10 "$seconds" "$bin/kgen-search" resume "$run" --max-minutes "$limit" >>"$out/$p.log" 2>&1 </dev/null || code=$?
    else
      timeout -k 10 "$seconds" "$bin/kgen-search" --problem "$p" --device "${KGEN_DEVICE:-cuda:0}" --llm builtin --seed "$seed" --jobs "$(nproc)" \
        --library none --max-minutes "$limit" --out "$run" "${options[@]}" >"$out/$p.log" 2>&1 </dev/null || code=$?
    fi
    said="$(($(date +%s) - begin)) s"
  fi
  if [ -f "$run/report.json" ] && [ -e "$run/best/kernel.cu" ]; then
    runs+=("$run")
    echo "$p: $said, $(sed -n 's/^time: *//p' "$out/$p.log" 2>/dev/null | tail -1)"
  else
    failed=1
    echo "$p: FAILED after $said (exit code $code): $(tail -1 "$out/$p.log" 2>/dev/null)"
  fi
done
[ ${#runs[@]} -gt 0 ] || { echo "search_gpu.sh: no search has a kernel" >&2; exit 1; }
if [ -n "$bench" ]; then
  "$python" "$here/scripts/bench_gpu.py" --eval "$bin/kgen-eval" --forms "$here/frontend/problems" --out "$out/bench.json" "${runs[@]}" || failed=1
fi
if [ -n "$results" ]; then
  "$python" "$here/scripts/collect_results.py" "$here/docs/results" "$results" "$words" "$out/bench.json" "${runs[@]}" || failed=1
fi
exit $failed
