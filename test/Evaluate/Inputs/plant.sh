# plant.sh DIR INPUTS LINE: a candidate folder whose kernel.cu starts with LINE (@ separates lines).
mkdir -p "$1"
cp "$2/rowsum.json" "$1/plan.json"
{ printf '%s\n' "$3" | tr '@' '\n'; cat "$2/rowsum.cu"; } > "$1/kernel.cu"
