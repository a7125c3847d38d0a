#!/usr/bin/env bash
# Searches all ten problems on one card without a model, then times the best kernels beside PyTorch, interleaved.
#   scripts/bench_gpu.sh [--minutes M] [--seed S] [--out FOLDER] [PROBLEM...]
# M is the search's time for each problem (default 10). FOLDER (default runs/bench) receives one run folder a problem and bench.json;
# scripts/collect_results.py makes docs/results of them. Uses the tools of $KGEN_BIN, or of a release build here.
# PyTorch with CUDA must be importable by $KGEN_PYTHON (default python3).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
minutes=10 seed=1 out=runs/bench problems=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --help) sed -n '2,6s/^# //p' "$0"; exit 0 ;;
    -*) echo "bench_gpu.sh: unknown option $1" >&2; exit 2 ;;
    *) problems+=("$1"); shift ;;
  esac
done
[ ${#problems[@]} -gt 0 ] || problems=(matmul_fp32 matmul_fp32_strict matmul_fp16 conv2d conv_relu_maxpool softmax layer_norm
  attention_fp16_d64 attention_fp16_d128 attention_fp16_d128_causal)
bin=${KGEN_BIN:-}
if [ -z "$bin" ]; then
  . "$here/scripts/common.sh"
  ensure_packages
  ensure_build release kgen-search kgen-eval kgen-oracle kgen-opt
  bin=$here/build-release/bin
fi
python=${KGEN_PYTHON:-python3}
mkdir -p "$out"
runs=()
for p in "${problems[@]}"; do
  if [ ! -f "$out/$p/report.json" ]; then
    "$bin/kgen-search" --problem "$p" --device cuda:0 --llm builtin --seed "$seed" --jobs "$(nproc)" --library none \
      --max-minutes "$minutes" --out "$out/$p" >"$out/$p.log" 2>&1 || { tail -3 "$out/$p.log" >&2; continue; }
  fi
  runs+=("$out/$p")
done
exec "$python" "$here/scripts/bench_gpu.py" --eval "$bin/kgen-eval" --forms "$here/frontend/problems" --out "$out/bench.json" "${runs[@]}"
