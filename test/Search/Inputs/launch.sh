# launch.sh FOLDER COMMAND...: what a launcher does, and a record of all that passes: the environment, what goes in, what comes out.
folder=$1
shift
echo "Welcome to this machine."
env > "$folder/environment.$$"
printf '%s\n' "$@" > "$folder/arguments.$$"
tee "$folder/in.$$" | "$@" | tee "$folder/out.$$"
