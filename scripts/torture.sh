#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kills searches with SIGKILL at random points, fails every write of a run in three ways, fills a disk, flips bytes; after
# each, resuming must give the bytes of an undisturbed run. Ends with one line of counts.
#   scripts/torture.sh [KILLS]    kills of a search with fake compiler and device (default 200); 10 more of a real one
set -eu
. "$(dirname "$0")/common.sh"
kills=${1:-200}
case $kills in *[!0-9]* | "") die "KILLS is '$kills', expected a whole number" ;; esac
ensure_packages
ensure_build dev KGenSearchTests kgen-search
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

log=$scratch/log
KGEN_TORTURE_KILLS=$kills "$root/build/unittests/KGenSearchTests" --gtest_filter='Torture.*' | tee "$log"
tests=$(grep -c '^\[       OK \]' "$log")

# The real thing on device host: its times differ from run to run, so what counts is that nothing is lost, that at
# most the branch in flight is measured again, and that the run replays to the byte.
PATH=$root/build/bin:$PATH python3 "$root/test/Search/Inputs/torture.py" "$scratch/run" 10 | tee "$log"
grep -q '^lost 0, measured again 0, replays: yes$' "$log" || die "the real search lost something"
echo "torture: $tests of 4 tests passed, $kills kills with fakes, 10 kills of kgen-search, every trajectory whole"
