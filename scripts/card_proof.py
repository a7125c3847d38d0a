# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/trust.md and docs/fuzzing.md promise, on a machine with cards, in one call and a given time; see card_proof.sh.

Parts stand in lanes: what is in one lane runs one after the other on cores of its own, lanes run side by side. Comparisons and
recoveries are about time and have a card to themselves; the other cards share the corpus, honest kernels and op graphs; the rest
of the cores evaluates on device host. Each part has a limit, ends by itself before it where it can (--seconds), and is killed
after it. OUT gets eight files at most: a JSON for each kind of part, by card, summary.json, and details.tar.gz with every log and the
graphs that failed. A table is printed last.
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
# After its --seconds a part may finish what it began.
GRACE = 45


class Proof:
    def __init__(self, arguments, top):
        self.arguments, self.top, self.work = arguments, top, top / "parts"
        self.work.mkdir()
        self.end = time.monotonic() + arguments.seconds
        self.lines, self.lock = {}, threading.Lock()
        self.environment = dict(os.environ, KGEN_BIN=arguments.bin, KGEN_PYTHON=sys.executable, KGEN_LIBRARY="none",
                                PATH=os.pathsep.join([arguments.bin, os.environ["PATH"]]))

    def scaled(self, count):
        return max(1, round(count * self.arguments.scale))

    def run(self, name, command, cores, limit, ends_itself=True):
        """Runs one part and keeps its log. COMMAND holds {seconds} where it is told how long it may begin new work."""
        left = self.end - time.monotonic()
        limit = min(limit, left)
        if limit < (GRACE if ends_itself else 5):
            return self.tell(name, "not begun: no time left", False)
        seconds = max(5, limit - GRACE) if ends_itself else limit
        command = [str(word).replace("{seconds}", str(int(seconds))) for word in command]
        if cores and shutil.which("taskset"):
            command = ["taskset", "-c", ",".join(map(str, cores)), *command]
        begin = time.monotonic()
        with open(self.work / f"{name}.log", "w") as log:
            log.write(" ".join(command) + "\n")
            log.flush()
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT,
                                     env=self.environment, start_new_session=True)
            try:
                code = child.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                code = None
        self.tell(name, "", code == 0, code, time.monotonic() - begin)

    def tell(self, name, words, good, code=None, seconds=0.0):
        log = self.work / f"{name}.log"
        if not words:
            words = result_of(name, log.read_text(errors="replace"))
            words += "" if code is not None else " (killed at its limit)"
        with self.lock:
            self.lines[name] = {"good": good, "seconds": round(seconds, 1), "code": code, "result": words}
            print(f"-- {name}: {words} ({seconds:.0f} s)", flush=True)


def result_of(name, log):
    """The line of a part's LOG that says how it went."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if name.startswith("comparison"):
        shares = dict(re.findall(r"^(FAST|SAME|SLOW|AMBIGUOUS|INVALID) +(\d+)", log, re.MULTILINE))
        head = next((line for line in lines if "comparisons of" in line), "")
        if shares:
            return head + ": " + ", ".join(f"{count} {verdict}" for verdict, count in shares.items())
    return lines[-1][:200] if len(lines) > 1 else "nothing was printed"


def comparison(proof, name, card, cores, more):
    """A kernel beside itself, from files of its own."""
    folder = proof.top / name
    shutil.copytree(ROOT / "corpus/honest/square", folder)
    proof.run(name, [proof.arguments.bin + "/kgen-eval", folder, "--graph", ROOT / "corpus/problems/square.mlir", "--device", card,
                     "--compare", folder, "--pairs", proof.scaled(500), *more], cores, 100, ends_itself=False)
    log = (proof.work / f"{name}.log").read_text(errors="replace")
    found = re.search(r"ratio ([\d.]+) \(([\d.]+) to ([\d.]+)\)", log)
    (proof.work / f"{name}.json").write_text(json.dumps(
        {"verdicts": {k: int(v) for k, v in re.findall(r"^(FAST|SAME|SLOW|AMBIGUOUS|INVALID) +(\d+)", log, re.MULTILINE)},
         "ratio": [float(part) for part in found.groups()] if found else None}) + "\n")


def timed_lane(proof, card, cores):
    comparison(proof, "comparison-same", card, cores, [])
    comparison(proof, "comparison-slowed", card, cores, ["--slow-down", "3"])
    count = proof.scaled(1000)
    proof.run("recovery", [proof.arguments.bin + "/kgen-eval", "bench-recovery", "--device", card, "--count", count, "--hangs",
                           max(1, count // 10), "--jobs", 4, "--max-seconds", "{seconds}", "--out", proof.work / "recovery.json"],
              cores, 330)


def card_lane(proof, number, cards, card, cores):
    """This card's share of what all CARDS do: NUMBER counts the lanes."""
    python, jobs = sys.executable, max(2, min(7, len(cores)))

    def share(count):
        count = proof.scaled(count)
        return count // cards + (number < count % cards)

    name = card.replace(":", "")
    times = share(10)
    proof.run(f"corpus-{name}", [python, SCRIPTS / "corpus.py", "--bin", proof.arguments.bin, "--device", card, "--times",
                                 max(1, times), "--jobs", jobs, "--seconds", "{seconds}", "--json",
                                 proof.work / f"corpus-{name}.json", *proof.arguments.cases], cores, 260)
    proof.run(f"honest-{name}", [python, SCRIPTS / "honest.py", "--bin", proof.arguments.bin, "--device", card, "--count",
                                 share(2000), "--jobs", jobs, "--seconds", "{seconds}", "--json",
                                 proof.work / f"honest-{name}.json"], cores, 150)
    count = share(300)
    proof.run(f"fuzz-{name}", [SCRIPTS / "fuzz_graphs.sh", count, "7", "--first", number * 100, "--device", card, "--jobs", jobs,
                               "--reduce-seconds", 20, "--seconds", "{seconds}", "--out", proof.top / f"fuzz-{name}", "--json",
                               proof.work / f"fuzz-{name}.json"], cores, 150)


def host_lane(proof, cores):
    python, jobs = sys.executable, max(1, len(cores))
    count = proof.scaled(10000)
    proof.run("honest-host", [python, SCRIPTS / "honest.py", "--bin", proof.arguments.bin, "--device", "host", "--count", count,
                              "--jobs", jobs, "--seconds", "{seconds}", "--json", proof.work / "honest-host.json"], cores,
              proof.arguments.seconds * 0.6)
    proof.run("fuzz-host", [SCRIPTS / "fuzz_graphs.sh", proof.scaled(2000), "1", "--jobs", jobs, "--reduce-seconds", 20, "--seconds",
                            "{seconds}", "--out", proof.top / "fuzz-host", "--json", proof.work / "fuzz-host.json"], cores,
              proof.arguments.seconds)


def lanes(proof, cards):
    """Functions without arguments, each for a thread; together they use every core once."""
    cores = sorted(os.sched_getaffinity(0))
    if not cards:
        return [lambda: host_lane(proof, cores)]
    timed = cores[:8] if len(cores) >= 32 else cores[:4] if len(cores) >= 16 else cores[:2]
    rest = cores[len(timed):]
    others = cards[1:] or cards
    each = max(1, min(8, len(rest) // (len(others) + 1)))
    result = []
    if len(cards) > 1:
        result.append(lambda: timed_lane(proof, cards[0], timed))
    for i, card in enumerate(others):
        own = rest[i * each:(i + 1) * each]

        def lane(i=i, card=card, own=own):
            card_lane(proof, i, len(others), card, own)
            if len(cards) == 1:
                timed_lane(proof, card, timed)
        result.append(lane)
    result.append(lambda: host_lane(proof, rest[len(others) * each:] or rest))
    return result


def collect(proof, out):
    """Counts by kind and place; what the parts wrote goes to OUT in few files."""
    totals, merged = collections.defaultdict(collections.Counter), collections.defaultdict(dict)
    for path in sorted(proof.work.glob("*.json")):
        kind, _, place = path.stem.partition("-")
        try:
            found = json.loads(path.read_text())
        except ValueError:
            continue
        where = "host" if place == "host" else "cards"
        key = f"{kind} on {'device host' if where == 'host' else 'the cards'}"
        merged["time" if kind in ("comparison", "recovery") else f"{kind}-{where}"][path.stem] = found
        if kind == "honest":
            for verdicts in found["verdicts"].values():
                totals[key].update(verdicts)
        elif kind == "fuzz":
            totals[key].update({name: found[name] for name in ("graphs", "imported", "oracle agrees", "kernels PASS", "UNSUPPORTED",
                                                               "wrong", "crashes", "hangs", "errors", "refused")})
        elif kind == "corpus":
            for outcomes in found["passes"]:
                bad = sum(bool(outcome["fault"]) for outcome in outcomes["outcomes"].values())
                totals[key].update({"passes": 1, "cases": len(outcomes["outcomes"]), "not as expected": bad})
    for name, parts in merged.items():
        (out / f"{name}.json").write_text(json.dumps(parts) + "\n")
    (out / "summary.json").write_text(json.dumps({"parts": proof.lines, "totals": totals}, indent=1) + "\n")
    with tarfile.open(out / "details.tar.gz", "w:gz") as archive:
        for path in sorted(proof.work.glob("*.log")):
            archive.add(path, arcname=path.name)
        for folder in sorted(proof.top.glob("fuzz-*/g*"))[:200]:
            archive.add(folder, arcname=f"{folder.parent.name}/{folder.name}")
    return totals


def print_table(proof, totals):
    print("\n| part | good | seconds | result |\n|---|---|---|---|")
    for name, line in sorted(proof.lines.items()):
        print(f"| {name} | {'yes' if line['good'] else 'NO'} | {line['seconds']:.0f} | {line['result']} |")
    print("\n| in all | |\n|---|---|")
    for key, counts in sorted(totals.items()):
        print(f"| {key} | {', '.join(f'{count} {name}' for name, count in counts.items())} |")


def main():
    parser = argparse.ArgumentParser(prog="card_proof.sh")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs/proof")
    parser.add_argument("--cards", default="", help="how many (default: as nvidia-smi says); 0: device host alone")
    parser.add_argument("--seconds", type=float, default=460, help="for everything (460)")
    parser.add_argument("--scale", type=float, default=1, help="of every count: 0.01 tries the script itself")
    parser.add_argument("cases", nargs="*", help="parts of the names of the corpus' cases (all)")
    arguments = parser.parse_args()
    arguments.bin, arguments.out = os.path.abspath(arguments.bin), arguments.out.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.cards == "":
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout if shutil.which("nvidia-smi") else ""
        arguments.cards = listed.count("GPU ")
    cards = [f"cuda:{i}" for i in range(int(arguments.cards))]
    top = arguments.out / "work"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    start = time.monotonic()
    print(f"{len(os.sched_getaffinity(0))} cores, {len(cards)} cards, {arguments.seconds:.0f} s", flush=True)
    proof = Proof(arguments, top)
    threads = [threading.Thread(target=lane) for lane in lanes(proof, cards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    totals = collect(proof, arguments.out)
    shutil.rmtree(top, ignore_errors=True)
    print_table(proof, totals)
    print(f"{time.monotonic() - start:.0f} s")
    return 0 if all(line["good"] for line in proof.lines.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
