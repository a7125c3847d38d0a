"""Files may not get longer than a few KiB."""
import pathlib
import resource
import shutil
import subprocess
import sys

binaries, folder, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
graph = root / "corpus/problems/rowsum.mlir"
candidate = folder / "candidate"
candidate.mkdir()
for name in ("kernel.cu", "plan.json"):
    shutil.copy(root / "corpus/honest/warp-reduction" / name, candidate / name)
shutil.copy(graph, candidate / "graph.mlir")
commands = [["kgen-eval", str(candidate), "--device", "host"]]
for kibibytes in (0, 1, 12):
    commands = commands[:1] + [["kgen-search", "--problem", str(graph), "--device", "host", "--rounds", "1", "--seeds", "1", "--ideas",
                                "1", "--variants", "1", "--library", "none", "--out", str(folder / ("run%d" % kibibytes))]]
    for command in commands:
        limit = (kibibytes << 10, kibibytes << 10)
        # Python itself ignores the signal; a shell does not.
        done = subprocess.run([binaries + "/" + command[0], *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              restore_signals=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        words = done.stdout.strip().splitlines()
        if done.returncode <= 0 or done.returncode >= 128:
            sys.exit("%s under ulimit -f %d ended with %d: %s" % (command[0], kibibytes, done.returncode, done.stdout[-300:]))
        if not words or command[0] not in words[-1] or "unexpectedly" in words[-1]:
            sys.exit("%s under ulimit -f %d has no sentence: %s" % (command[0], kibibytes, done.stdout[-300:]))
print(words[-1])
