# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/trust.md and docs/fuzzing.md promise, on a machine with cards, in one call or several of a given time; see card_proof.sh.

Parts that are about time (same, slowed) come first and have the machine to themselves, each a card of its own. Then the other parts share
the cards, and those of device host all cores, at a lower priority; busy runs beside others on one card, once the corpus is over. A part's share of the time is its weight's, and what one leaves is
for the next; it begins nothing after its time, and is killed soon after. OUT gets a JSON for each part and details.tar.gz: every log, and
each failing case whole (graph, candidate, measurement, seed of its inputs: `kgen-eval FOLDER --graph GRAPH --seed S` shows it again).
--sum adds up what several calls left and prints the table.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
GRACE = 40  # after its time a part may finish what it began
TIMED_LIMIT = 170  # of one comparison
BUSY_LIMIT = 150
VERDICTS = r"^(FAST|SAME|SLOW|AMBIGUOUS|INVALID) +(\d+)"

# (name, where, weight, how often, what)
PARTS = [
    ("same", "quiet", 1, 500, "a kernel against itself"),
    ("slowed", "quiet", 1, 500, "against itself slowed by 3 %"),
    ("corpus", "card", 4, 10, "passes of the corpus on the card"),
    ("honest-card", "card", 3, 2000, "honest kernels on the card"),
    ("fuzz-card", "card", 3, 300, "random graphs on the card"),
    ("recovery", "card", 3, 1000, "recoveries"),
    ("busy", "beside", 1, 20, "what keeps or reads leftovers, beside all of this"),
    ("honest-host", "host", 1, 10000, "honest kernels on device host"),
    ("fuzz-host", "host", 1, 2000, "random graphs on device host"),
]


class Proof:
    def __init__(self, arguments):
        self.arguments, self.out = arguments, arguments.out
        self.work = arguments.out / "work"
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.end = time.monotonic() + arguments.seconds
        self.good, self.lock = True, threading.Lock()
        self.cores = len(os.sched_getaffinity(0))
        self.environment = dict(os.environ, KGEN_BIN=arguments.bin, KGEN_PYTHON=sys.executable, KGEN_LIBRARY="none",
                                PATH=os.pathsep.join([arguments.bin, os.environ["PATH"]]))

    def left(self):
        return self.end - time.monotonic()

    def command(self, name, count, device, seconds):
        """The command line of part NAME, which does COUNT things or stops after SECONDS."""
        python, own = sys.executable, self.arguments.bin + "/kgen-eval"
        place, failed, result = name.rpartition("-")[2], self.work / "failed" / name, self.work / f"{name}.tool.json"
        # Import, answers and compilers take most of a random graph's time, and none of the card's. The corpus starts a process of the
        # card's for each run: seven at a time take 104 s for a pass, four 75 (docs/results/h200-proof.md).
        most, share = {"fuzz-card": (14, 2), "corpus": (4, 4)}.get(name, (7, 4))
        jobs = min(most, max(2, self.cores // (share if "host" in self.arguments.parts else 2))) if device != "host" else \
            max(1, self.cores - 2 * len(self.arguments.devices))
        common = ["--device", device, "--jobs", jobs, "--seconds", seconds, "--json", result]
        if name in ("same", "slowed"):
            folder = self.work / f"candidate-{name}"
            shutil.copytree(ROOT / "corpus/honest/square", folder)
            return [own, folder, "--graph", ROOT / "corpus/problems/square.mlir", "--device", device, "--compare", folder, "--pairs",
                    count, *(["--slow-down", 3] if name == "slowed" else [])]
        if name == "recovery":
            return [own, "bench-recovery", "--device", device, "--count", count, "--hangs", max(1, count // 10), "--jobs", 4,
                    "--max-seconds", seconds, "--out", result]
        if name in ("corpus", "busy"):
            cases = ["leftovers", "reads-"] if name == "busy" else self.arguments.cases
            return [python, SCRIPTS / "corpus.py", "--bin", self.arguments.bin, "--times", count, *common, *cases]
        if name.startswith("honest"):
            return [python, SCRIPTS / "honest.py", "--bin", self.arguments.bin, "--count", count, "--failures", failed, *common]
        # Another round, other graphs.
        return [SCRIPTS / "fuzz_graphs.sh", count, f"proof-{place}", "--first", (self.arguments.round - 1) * 10000, "--reduce-seconds",
                15, "--out", failed, *common]

    def run(self, part, device, limit):
        """Runs one part and writes its JSON."""
        name, where, _, count, _ = part
        count = max(1, round(count * self.arguments.scale))
        limit = min(limit, self.left())
        log = self.work / f"{name}.log"
        if limit < 10:
            return self.tell(part, device, count, None, 0, "not begun: no time left")
        seconds = int(max(5, limit - GRACE))
        words = [str(word) for word in self.command(name, count, device, seconds)]
        if where == "host" and self.arguments.devices:
            words = ["nice", "-n", "10", *words]
        begin = time.monotonic()
        with open(log, "w") as file:
            file.write(" ".join(words) + "\n")
            file.flush()
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, cwd=ROOT,
                                     env=self.environment, start_new_session=True)
            try:
                code = child.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                code = None
        self.tell(part, device, count, code, time.monotonic() - begin, "killed at its limit" if code is None else "")

    def tell(self, part, device, asked, code, seconds, remark):
        name = part[0]
        counts, failures = read_result(name, self.work)
        with self.lock:
            self.good &= code == 0
            (self.out / f"{name}.json").write_text(json.dumps(
                {"part": name, "device": device, "cores": self.cores, "round": self.arguments.round, "asked": asked, "seconds":
                 round(seconds, 1), "code": code, "remark": remark, "counts": counts, "failures": failures[:200]}, indent=1) + "\n")
            print(f"-- {name} on {device}, {seconds:.0f} s: {words_of(counts)} {remark}", flush=True)


def read_result(name, work):
    """(counts by what was counted, failures) of what part NAME left in WORK."""
    log = (work / f"{name}.log").read_text(errors="replace") if (work / f"{name}.log").exists() else ""
    try:
        found = json.loads((work / f"{name}.tool.json").read_text())
    except (OSError, ValueError):
        found = {}
    counts, failures = collections.Counter(), []
    if name in ("same", "slowed"):
        counts.update({verdict: int(number) for verdict, number in re.findall(VERDICTS, log, re.MULTILINE)})
        failures = [line for line in log.splitlines() if "ratio" in line]
    elif name == "recovery":
        times = sorted(found.get("seconds", []))
        counts["recoveries"] = len(times)
        failures = [f"p50 {times[len(times) // 2]:.3g} s, p99 {times[len(times) * 99 // 100]:.3g} s"] if times else []
        failures += [line for line in log.splitlines() if "FAIL" in line or "lost" in line]
    elif name in ("corpus", "busy"):
        for outcomes in found.get("passes", []):
            counts["passes"] += 1
            counts["cases"] += len(outcomes["outcomes"])
            counts["not as expected"] += sum(bool(outcome["fault"]) for outcome in outcomes["outcomes"].values())
        failures = [line for line in log.splitlines() if line.startswith("BAD")]
    elif name.startswith("honest"):
        for verdicts in found.get("verdicts", {}).values():
            counts.update(verdicts)
        failures = found.get("failures", [])
    elif found:
        counts.update({key: found[key] for key in ("graphs", "kernels PASS", "UNSUPPORTED", "wrong", "crashes", "hangs", "errors",
                                                   "refused", "undetermined", "not exported")})
        failures = found["findings"]
    if not counts and log:
        failures = failures + [log[-600:]]
    return counts, failures


def words_of(counts):
    return ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing"


def run_all(proof, parts):
    """The quiet parts, and then all others."""
    devices = proof.arguments.devices
    corpus_over = threading.Event()
    if "corpus" not in [part[0] for part in parts]:
        corpus_over.set()

    def lane(queue, device, whole, lock):
        while True:
            with lock:
                if not queue:
                    return
                part = queue.pop(0)
                rest = part[2] + sum(other[2] for other in queue)
            share = TIMED_LIMIT if part[1] == "quiet" else proof.left() * min(1, part[2] * whole / rest)
            proof.run(part, device, share)
            if part[0] == "corpus":
                corpus_over.set()

    def beside(part):
        # Some of the corpus' cases are about time.
        corpus_over.wait(max(0, proof.left()))
        proof.run(part, devices[0], BUSY_LIMIT)

    for places in (("quiet",), ("card", "host")):
        threads = []
        for place in places:
            queue = [part for part in parts if part[1] == place and (devices or place == "host")]
            own = ["host"] if place == "host" else devices
            lock = threading.Lock()
            threads += [threading.Thread(target=lane, args=(queue, device, len(own), lock)) for device in own]
        if "card" in places and devices:
            threads += [threading.Thread(target=beside, args=(part,)) for part in parts if part[1] == "beside"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def keep_details(proof):
    with tarfile.open(proof.out / "details.tar.gz", "w:gz") as archive:
        for path in sorted(proof.work.glob("*.log")) + sorted(proof.work.glob("*.tool.json")):
            archive.add(path, arcname=path.name)
        failed = proof.work / "failed"
        for folder in sorted(failed.glob("*/*"))[:400] if failed.exists() else []:
            archive.add(folder, arcname=str(folder.relative_to(proof.work)))
    shutil.rmtree(proof.work, ignore_errors=True)


def add_up(folders):
    """A line for each part over all calls in FOLDERS; whether all of it is as it should be."""
    print("| part | asked for | what came of it | calls |\n|---|---|---|---|")
    good = True
    for name, _, _, asked, what in PARTS:
        calls, counts, failures = [], collections.Counter(), []
        for folder in folders:
            path = pathlib.Path(folder) / f"{name}.json"
            if path.exists():
                call = json.loads(path.read_text())
                counts.update(call["counts"])
                failures += [(folder, failure) for failure in call["failures"]]
                calls.append(f"{call['seconds']:.0f} s on {call['device']}, {call['cores']} cores"
                             + (f" ({call['remark']})" if call["remark"] else ""))
        if not calls:
            continue
        print(f"| {what} | {asked} | {words_of(counts)} | {'; '.join(calls)} |")
        bad = {key: count for key, count in counts.items() if count and key not in (
            "PASS", "recoveries", "passes", "cases", "graphs", "kernels PASS", "UNSUPPORTED", "undetermined", "not exported", "SAME", "AMBIGUOUS")
            and (name, key) != ("slowed", "SLOW")}
        good &= not bad and bool(counts)
        for folder, failure in failures:
            print(f"    {folder}: {failure if isinstance(failure, str) else json.dumps(failure)}"[:300], file=sys.stderr)
    return good


def main():
    names = [part[0] for part in PARTS]
    parser = argparse.ArgumentParser(prog="card_proof.sh")
    parser.add_argument("--bin", help="folder of kgen's binaries")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs/proof")
    parser.add_argument("--parts", default=",".join(names), help="which, with commas between (all): " + ", ".join(names))
    parser.add_argument("--round", type=int, default=1, help="of several calls: each makes other graphs (1)")
    parser.add_argument("--cards", default="", help="how many (default: as CUDA_VISIBLE_DEVICES or nvidia-smi says); 0: device host alone")
    parser.add_argument("--devices", default="", help="instead: devices for the parts of cards, with commas between")
    parser.add_argument("--seconds", type=float, default=540, help="for everything (540)")
    parser.add_argument("--scale", type=float, default=1, help="of every count: 0.01 tries the script itself")
    parser.add_argument("--sum", nargs="+", metavar="OUT", help="add up what calls left in these folders; run nothing")
    parser.add_argument("cases", nargs="*", help="parts of the names of the corpus' cases (all)")
    arguments = parser.parse_args()
    if arguments.sum:
        return 0 if add_up(arguments.sum) else 1
    unknown = sorted(set(arguments.parts.split(",")) - set(names))
    if unknown or not arguments.bin:
        parser.error(f"there is no part {unknown[0]}: {', '.join(names)}" if unknown else "--bin FOLDER is needed")
    arguments.bin, arguments.out = os.path.abspath(arguments.bin), arguments.out.resolve()
    if arguments.cards == "":
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout if shutil.which("nvidia-smi") else ""
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        arguments.cards = listed.count("GPU ") if visible is None else min(listed.count("GPU "), len([one for one in visible.split(",") if one]))
    arguments.devices = arguments.devices.split(",") if arguments.devices else [f"cuda:{i}" for i in range(int(arguments.cards))]
    start = time.monotonic()
    proof = Proof(arguments)
    print(f"{proof.cores} cores, {', '.join(arguments.devices) or 'no card'}, {arguments.seconds:.0f} s", flush=True)
    chosen = [part for part in PARTS if part[0] in arguments.parts.split(",")]
    run_all(proof, chosen)
    keep_details(proof)
    print(f"{time.monotonic() - start:.0f} s\n")
    as_expected = add_up([arguments.out])
    return 0 if as_expected and proof.good else 1


if __name__ == "__main__":
    sys.exit(main())
