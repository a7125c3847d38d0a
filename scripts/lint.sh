#!/usr/bin/env bash
# The rules that a machine can check: the layers of lib/ and the sizes, one type for each name, formatting.
set -u
cd "$(dirname "$0")/.."
status=0
complain() { echo "lint: $*" >&2; status=1; }

python3 scripts/check_layers.py || complain "the layers of lib/README.md do not hold"
python3 scripts/check_odr.py || complain "two types have one name"

format=/usr/lib/llvm-22/bin/clang-format
if [ -x "$format" ]; then
  git ls-files 'include/*.h' 'lib/*.cpp' 'lib/*.h' 'tools/*.cpp' 'unittests/*.cpp' 'unittests/*.h' 'bench/*.cpp' | grep -v '^lib/Device/host/' |
    xargs -r "$format" --dry-run --Werror 2>&1 | grep -m 20 'error:' && complain "run: clang-format-22 -i on the files above"
fi
exit $status
