#!/bin/sh
# A host compiler that is killed in the first $(cat $0.kills) of its compiles.
case "$*" in
*kernel.host.cpp*)
  left=$(cat "$0.kills")
  if [ "$left" -gt 0 ]; then
    echo $((left - 1)) > "$0.kills"
    kill -KILL $$
  fi
  ;;
esac
exec g++ "$@"
