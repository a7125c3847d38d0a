#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mutated answers of models and mutated HTTP exchanges against the code that reads them, built with AddressSanitizer and UBSan.
#
#   scripts/fuzz.sh [N]    N of each, 10000 when not given
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

count=${1:-10000}
ensure_packages
ensure_build asan unittests/KGenProposeTests
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 KGEN_FUZZ=$count \
  timeout 3600 "$root/build-asan/unittests/KGenProposeTests" --gtest_filter='Fuzz.*'
