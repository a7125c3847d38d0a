#!/bin/sh
# Stands for kgen-eval in a folder with links to kgen's tools: a worker that ends with status 7 for every candidate but the
# first, as a candidate may bring its process to; with a file `broken` beside it, for everything after that.
here=$(dirname "$0")
case "$*" in
*--kgen-candidate-worker*scratch-plan*)
  count=$(cat "$here/count" 2>/dev/null || echo 0)
  echo $((count + 1)) > "$here/count"
  [ "$count" = 0 ] || exit 7 ;;
*--kgen-candidate-worker*)
  [ ! -e "$here/broken" ] || exit 7 ;;
esac
exec kgen-eval "$@"
