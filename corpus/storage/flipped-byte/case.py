"""One bit of a snapshot flips."""
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
victim = run / "round-00/b00/kernel.cu"
bytes_ = bytearray(victim.read_bytes())
bytes_[len(bytes_) // 2] ^= 1
mode = victim.stat().st_mode
victim.chmod(0o644)
victim.write_bytes(bytes(bytes_))
code, output = call("replay", str(run))
expect(code != 0 and "kernel.cu" in output, "the flipped byte was not named: " + output[-300:])
print(output.strip()[-160:])
