"""Two processes want one run."""
import fcntl
import pathlib
import subprocess
import sys

binaries, folder, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
device = sys.argv[4]
search, run = binaries + "/kgen-search", folder / "run"


def call(*arguments):
    done = subprocess.run([search, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def start():
    code, output = call("--problem", str(root / "corpus/problems/rowsum.mlir"), "--device", device, "--rounds", "1", "--seeds", "1",
                        "--ideas", "2", "--variants", "1", "--library", "none", "--out", str(run))
    if code != 0:
        sys.exit("the search failed: " + output[-300:])


def expect(condition, words):
    if not condition:
        sys.exit(words)


start()
with open(run / "lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write("1\n")
    lock.flush()
    before = (run / "journal.jsonl").read_bytes()
    code, output = call("resume", str(run))
    expect(code != 0 and "in use" in output, "the second process was let in: " + output[-300:])
    expect((run / "journal.jsonl").read_bytes() == before, "the second process wrote")
print(output.strip()[-100:])
