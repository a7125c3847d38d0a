# other-version.sh COMMAND...: an evaluator of another version.
"$@" | sed -u 's/"version":"../"version":"0/'
