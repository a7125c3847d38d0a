#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Searches networks on one card, one after the other, and writes what came out. One that fails does not stop the others; the same line
# again goes on where it stopped.
#   scripts/networks_gpu.sh [--minutes M] [--device D] [--out FOLDER] FILE...
# FILE is a PyTorch file (class Model, get_inputs) or an op graph (.mlir). M is each search's time (default 5). FOLDER (default
# runs/networks) receives a run folder and a log for each, and networks.json and networks.md with a row for each.
# Uses the tools of $KGEN_BIN, or of a build here; files of PyTorch need it importable by $KGEN_PYTHON (default python3).
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
minutes=5 out=runs/networks device=cuda:0 files=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes | --out | --device)
      [ $# -gt 1 ] || { echo "networks_gpu.sh: $1 needs a value" >&2; exit 2; }
      case $1 in
        --minutes) minutes=$2 ;;
        --out) out=$2 ;;
        --device) device=$2 ;;
      esac
      shift 2 ;;
    --help) sed -n '5,11s/^# //p' "$0"; exit 0 ;;
    -*) echo "networks_gpu.sh: unknown option $1" >&2; exit 2 ;;
    *) files+=("$1"); shift ;;
  esac
done
[ ${#files[@]} -gt 0 ] || { echo "networks_gpu.sh: name a network's file; see --help" >&2; exit 2; }
bin=${KGEN_BIN:-$here/build/bin}
[ -x "$bin/kgen-search" ] || { echo "networks_gpu.sh: no kgen-search in $bin; set KGEN_BIN" >&2; exit 2; }
mkdir -p "$out" || exit 1
failed=0
for file in "${files[@]}"; do
  name=$(basename "$file") name=${name%.*}
  run=$out/$name
  # A search ends by itself; this is for one that does not.
  seconds=$(awk -v m="$minutes" 'BEGIN { printf "%d", m * 90 + 300 }')
  if [ -e "$run/network/run.json" ]; then
    timeout -k 10 "$seconds" "$bin/kgen-search" resume "$run" >>"$out/$name.log" 2>&1
  else
    timeout -k 10 "$seconds" "$bin/kgen-search" --problem "$file" --network always --device "$device" --max-minutes "$minutes" \
      --out "$run" >"$out/$name.log" 2>&1
  fi
  code=$?
  echo "$name: exit $code: $(grep -E '^network round|^kgen-search:' "$out/$name.log" | tail -1)"
  [ $code = 0 ] || failed=1
done
"${KGEN_PYTHON:-python3}" - "$out" <<'PY'
import glob
import json
import os
import sys

out = sys.argv[1]
rows = []
for report in sorted(glob.glob(out + "/*/report.json")):
    found = json.load(open(report))
    if "steps" not in found:
        continue
    verdicts = [one["verdict"] for one in found["rounds"]]
    baselines = found["baselines"]
    rows.append({"network": found["problem"], "precision": found["precision"], "device": found["device"],
                 "verdict": "PASS" if found["best"] else (verdicts[-1] if verdicts else "none"), "kgen_us": found["best_us"],
                 "kgen_fresh_us": found.get("fresh_us"), "kgen_graph_us": found.get("graph_us") or None,
                 "counted": found.get("counted"), "prepare_launches": found.get("prepare_launches"),
                 "round0_us": found["generic_us"], "eager_us": baselines.get("eager"), "compile_us": baselines.get("compile"),
                 "max_autotune_us": baselines.get("max-autotune"), "tasks": found["steps"], "different": len(found["tasks"]),
                 "launches": found["launches"], "peak_mb": (found["arena_bytes"] + found.get("prepared_bytes", 0)) / 1e6, "search_s": found["seconds"]})
with open(out + "/networks.json", "w") as file:
    json.dump(rows, file, indent=1)
with open(out + "/networks.md", "w") as file:
    keys = ["network", "verdict", "kgen_us", "kgen_fresh_us", "kgen_graph_us", "round0_us", "eager_us", "compile_us", "tasks", "different", "launches", "peak_mb", "search_s"]
    file.write("| " + " | ".join(keys) + " |\n|" + "---|" * len(keys) + "\n")
    for row in rows:
        file.write("| " + " | ".join(f"{row[k]:.4g}" if isinstance(row[k], float) else str(row[k] or "-") for k in keys) + " |\n")
print(f"{len(rows)} networks in {out}/networks.md and networks.json")
PY
exit $failed
