"""A journal whose last record a crash has cut in two."""
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
journal = run / "journal.jsonl"
whole = journal.read_bytes()
lines = whole.splitlines(keepends=True)
kept = b"".join(lines[:-2])
journal.write_bytes(kept + lines[-2][: len(lines[-2]) // 2])
code, output = call("resume", str(run))
expect(code == 0, "resume failed: " + output[-300:])
expect(journal.read_bytes().startswith(kept), "records before the torn one have changed")
code, output = call("replay", str(run))
expect(code == 0, "what was resumed does not replay: " + output[-300:])
# A bad record that is not the last is no torn tail.
broken = bytearray(whole)
broken[len(lines[0]) + 20] ^= 1
journal.write_bytes(bytes(broken))
code, output = call("resume", str(run))
expect(code != 0 and "journal" in output, "a broken record in the middle went unnoticed: " + output[-300:])
print("torn tail cut, broken middle named")
