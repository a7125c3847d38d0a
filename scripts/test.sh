#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds, and runs every test: unit tests (GoogleTest), lit, lint.
# Ends with `N passed, N failed, N skipped` and a non-zero exit code when one failed.
#   scripts/test.sh            everything
#   scripts/test.sh Dialect    only the lit tests below test/Dialect
set -eu
. "$(dirname "$0")/common.sh"
ensure_packages
ensure_torch
ensure_transformers
ensure_python setuptools==84.2.1
ensure_nvrtc
ensure_build "${KGEN_TEST_PRESET:-dev}"
export PATH="$venv/bin:$PATH"
nvrtc=$("$venv/bin/python3" - <<'PY'
import glob
import importlib.util
folders = importlib.util.find_spec("nvidia.cu13").submodule_search_locations
print(next((f for p in folders for f in glob.glob(p + "/lib/libnvrtc.so.*")), ""))
PY
)
[ -n "$nvrtc" ] && export KGEN_NVRTC=${KGEN_NVRTC:-$nvrtc}
results=$root/build/test-results
rm -rf "$results"
mkdir -p "$results"
failed=0
jobs=${KGEN_JOBS:-2}
# One of what needs no lit, with its output kept together.
run_one() {
  local name=$(basename "$1") log status=0
  log=$(mktemp)
  case $1 in
  *.sh) "$1" >"$log" 2>&1 || status=1 ;;
  *) "$1" --gtest_brief=1 --gtest_output="json:$results/$name.json" >"$log" 2>&1 || status=1 ;;
  esac
  cat "$log"
  rm -f "$log"
  # What left no count, as lint and what crashed, is a test by itself.
  [ -e "$results/$name.json" ] ||
    printf '{"tests": [{"name": "%s", "code": "%s"}]}\n' "$name" "$([ $status = 0 ] && echo PASS || echo FAIL)" >"$results/$name.json"
  return $status
}
if [ $# -eq 0 ]; then
  export -f run_one
  export results
  # Side by side, for many wait; the longest first.
  printf '%s\n' "$root/build/unittests/KGenKernelsTests" "$root/scripts/lint.sh" "$root"/build/unittests/*Tests | awk '!seen[$0]++' |
    xargs -P "$jobs" -I{} bash -c 'run_one {}' || failed=1
fi
# The longest begin first: on a clean clone lit knows them from test/.lit_test_times.txt.
"$llvm/bin/lit" -sv -j "$jobs" -o "$results/lit.json" "$root/build/test${1:+/$1}" || failed=1
"$venv/bin/python3" "$root/scripts/count_tests.py" "$results" || failed=1
exit $failed
