#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The rules that a machine can check: the layers of lib/ and the sizes, one type for each name, formatting.
set -u
cd "$(dirname "$0")/.."
status=0
complain() { echo "lint: $*" >&2; status=1; }

python3 scripts/check_layers.py || complain "the layers of lib/README.md do not hold"
python3 scripts/check_odr.py || complain "two types have one name"

# What is compiled into candidates or given away as a template carries no licence of kgen's.
while IFS= read -r f; do
  complain "$f lacks the licence's two lines, see any other file's head"
done < <(git ls-files '*.h' '*.cpp' '*.td' '*.def' '*.py' '*.sh' 'cmake/modules/*.cmake' .ci/run |
  grep -vE '^(lib/Device/host|corpus|problems|docs|frontend/problems|test|prompts)/|/(export_templates|Inputs)/' |
  xargs grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception')

format=/usr/lib/llvm-22/bin/clang-format
if [ -x "$format" ]; then
  git ls-files 'include/*.h' 'lib/*.cpp' 'lib/*.h' 'tools/*.cpp' 'unittests/*.cpp' 'unittests/*.h' 'bench/*.cpp' | grep -v '^lib/Device/host/' |
    xargs -r "$format" --dry-run --Werror 2>&1 | grep -m 20 'error:' && complain "run: clang-format-22 -i on the files above"
fi
exit $status
