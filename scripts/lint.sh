#!/usr/bin/env bash
# The rules of the house that a machine can check: the walls between rooms, file sizes, formatting.
set -u
cd "$(dirname "$0")/.."
status=0
complain() { echo "lint: $*" >&2; status=1; }

# The driver half never includes mlir/. Of the kernel families it sees the ideas.
mlirHalf='#include [<"](mlir/|kgen/(Dialect|Conversion|Kernels(?!/(Ideas/|Families\.def))|Target|Pipelines)/)'
driver=(Support Schedule Graph Propose Toolchain Candidate Device Judge Evaluate Trajectory Library Search Report)
for room in "${driver[@]}"; do
  for dir in "include/kgen/$room" "lib/$room"; do
    [ -d "$dir" ] || continue
    while IFS= read -r hit; do
      complain "$hit includes mlir/, but $room is in the driver half"
    done < <(grep -rlP "$mlirHalf" "$dir")
  done
done

# So is what a kernel family says of its ideas.
while IFS= read -r hit; do
  complain "$hit includes mlir/, but a family's ideas are read by the search"
done < <(grep -lP "$mlirHalf" \
  include/kgen/Kernels/Ideas/*.h lib/Kernels/Catalogue.cpp lib/Kernels/*/*Ideas.*)

# A room gets crowded near 1,000 lines.
while IFS= read -r f; do
  lines=$(wc -l <"$f")
  [ "$lines" -le 1000 ] || complain "$f has $lines lines, split it"
done < <(git ls-files '*.cpp' '*.h' '*.td' '*.py' '*.cuh')

# tools/ holds main() only.
while IFS= read -r f; do
  [ "$(wc -l <"$f")" -le 40 ] || complain "$f is longer than 40 lines, move code to a library"
done < <(git ls-files 'tools/*.cpp')

format=/usr/lib/llvm-22/bin/clang-format
if [ -x "$format" ]; then
  git ls-files 'include/*.h' 'lib/*.cpp' 'lib/*.h' 'tools/*.cpp' 'unittests/*.cpp' | grep -v '^lib/Device/host/' |
    xargs -r "$format" --dry-run --Werror 2>&1 | grep -m 20 'error:' && complain "run: clang-format-22 -i on the files above"
fi
exit $status
