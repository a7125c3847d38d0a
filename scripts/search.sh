#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds, and searches: scripts/search.sh --problem conv_relu_maxpool
# All arguments go to kgen-search; see `build/bin/kgen-search --help`.
set -eu
. "$(dirname "$0")/common.sh"
ensure_packages
case " $* " in *.py\ *) ensure_torch ;; esac
ensure_build dev kgen-search
[ -x "$venv/bin/python3" ] && export PATH="$venv/bin:$PATH"
exec "$root/build/bin/kgen-search" "$@"
