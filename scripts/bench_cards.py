#!/usr/bin/env python3
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What more cards buy: the same search on 1, 2 and 4 cards of one machine, and on 4 while one card's evaluator is killed every 10 s.

Usage: bench_cards.py --search KGEN_SEARCH --out FILE.json [--page FILE.md] [--cards 1,2,4] [--problem conv_relu_maxpool] [--branches 200]
           [--kill-every 10] [--launcher CMD] [--runs FOLDER]

Every search has the same problem, seed and number of branches, no model, no library, and an empty compile cache. A kernel counts once, when it was compiled, verified
and timed; that the best of a round are timed again on the reference does not count. The rate is from the end of round 0, when the reference answers are
there, to the last measurement. Sanitizer and the rest are as the environment says (KGEN_SANITIZER=off leaves it out).

--launcher measures evaluators that it starts, each of them cuda:0 to the search: with test/Search/Inputs/fake_card.py what the loop itself costs."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--search", default="kgen-search")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--cards", default="1,2,4")
    parser.add_argument("--problem", default="conv_relu_maxpool")
    parser.add_argument("--branches", type=int, default=200)
    parser.add_argument("--kill-every", type=float, default=10)
    parser.add_argument("--launcher")
    parser.add_argument("--runs", type=pathlib.Path)
    return parser.parse_args()


def evaluator_of(search, card):
    """The process that evaluates on CARD for the search SEARCH, or None."""
    for name in os.listdir("/proc"):
        try:
            if not name.isdigit():
                continue
            with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as line:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == search and line.read().endswith(f"--serve\0--device\0{card}\0"):
                    return int(name)
        except OSError:
            pass
    return None


def search(arguments, cards, run, kill_every=0):
    """Searches on CARDS cards into RUN; what it says goes to RUN.log. How often an evaluator was killed."""
    devices = f"cuda:0*{cards}" if arguments.launcher else ",".join(f"cuda:{i}" for i in range(cards))
    # Wide rounds: between two of them cards wait for ideas, the first compile and the second timing of the best.
    command = [arguments.search, "--problem", arguments.problem, "--device", devices, "--llm", "builtin", "--library", "none", "--rounds", "2", "--seeds", "8",
               "--ideas", "60", "--variants", "6", "--tune", "0", "--branches", str(arguments.branches), "--seed", "1", "--out", str(run)]
    if arguments.launcher:
        command += ["--launcher", arguments.launcher]
    kills = 0
    with tempfile.TemporaryDirectory() as cache, open(f"{run}.log", "w") as log:
        environment = dict(os.environ, KGEN_CACHE_DIR=cache, KGEN_PYTHON="none")
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        last = time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            if kill_every and time.monotonic() - last > kill_every:
                last = time.monotonic()
                victim = evaluator_of(process.pid, "cuda:1")
                if victim:
                    os.kill(victim, signal.SIGKILL)
                    kills += 1
        if process.returncode:
            sys.exit(f"bench_cards.py: the search on {cards} cards failed; {run}.log says: " + open(f"{run}.log").read()[-2000:])
    return kills


def read(run):
    """What the journal of RUN says."""
    start, first, last, branches, done, by, best, again, seconds = None, None, None, set(), {}, {}, "", 0, 0
    for line in (run / "journal.jsonl").read_text().splitlines():
        event = json.loads(line)
        start = event["time"] if start is None else start
        if event["event"] == "branch":
            branches.add(event["id"])
        if event["event"] == "best":
            best = event["id"]
        if event["event"] != "measurement":
            continue
        measurement = json.loads(event["text"])
        seconds += event.get("device_seconds", 0)
        known = event["id"] in done
        done[event["id"]] = measurement
        if event.get("duplicate_of") or not measurement.get("samples"):
            continue
        if known:
            again += 1
            continue
        if first is None:
            first = event["time"]
            continue
        last = event["time"]
        by[measurement["device"]] = by.get(measurement["device"], 0) + 1
    winner = done[best]
    kernels = sum(by.values())
    return {"round_0_seconds": first - start, "kernels": kernels, "seconds": last - first, "per_minute": 60 * kernels / (last - first), "by": by, "timed_again": again,
            "device_seconds": seconds, "best": best, "best_us": winner["time_us"], "spread": winner.get("spread", 0), "lost": len(branches - set(done)),
            "faults": sum("could not be measured" in m.get("detail", "") for m in done.values()),
            "verdicts": {v: sum(m["verdict"] == v for m in done.values()) for v in sorted({m["verdict"] for m in done.values()})}}


def machine():
    if not shutil.which("nvidia-smi"):
        return []
    query = "index,name,clocks.sm,clocks.mem,power.draw,temperature.gpu,driver_version"
    run = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True)
    return run.stdout.strip().splitlines() if run.returncode == 0 else []


def page(result):
    rows = "\n".join(f"| {row['cards']}{', cuda:1 killed ' + str(row['kills']) + ' times' if row['kills'] else ''} | {row['kernels']} | {row['seconds']:.1f} | **{row['per_minute']:.0f}** | "
                     f"{row['ratio']:.2f} | {row['best_us']:.2f} us ± {100 * row['spread']:.2f} % | {row['lost'] + row['faults']} |" for row in result["rows"])
    return f"""# What more cards buy

    {result["command"]}

{result["cores"]} cores; problem `{result["problem"]}` at its published size, {result["branches"]} branches, no model, the same seed; sanitizer {result["sanitizer"]}. A kernel counts once, when it was
compiled (empty cache), verified and timed; the rate is from the end of round 0 to the last measurement.

| cards | kernels | seconds | a minute | times one card | best | lost |
|---|---|---|---|---|---|---|
{rows}

Cards (index, name, SM clock, memory clock, power, temperature, driver), before and after:

    {(chr(10) + "    ").join(result["before"] + result["after"])}
"""


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as at:
        folder = arguments.runs or pathlib.Path(at)
        folder.mkdir(parents=True, exist_ok=True)
        counts = [int(n) for n in arguments.cards.split(",")]
        before, rows = machine(), []
        plan = [(n, 0) for n in counts] + ([(max(counts), arguments.kill_every)] if max(counts) > 1 and arguments.kill_every and not arguments.launcher else [])
        for cards, kill_every in plan:
            run = folder / f"cards-{cards}{'-killed' if kill_every else ''}"
            kills = search(arguments, cards, run, kill_every)
            row = {"cards": cards, "kills": kills, **read(run)}
            row["ratio"] = row["per_minute"] / rows[0]["per_minute"] if rows else 1.0
            rows.append(row)
            print(f"{cards} cards{f', one killed {kills} times' if kills else ''}: {row['kernels']} kernels in {row['seconds']:.1f} s, {row['per_minute']:.0f} a minute, {row['ratio']:.2f} times "
                  f"one card; best {row['best_us']:.2f} us ({row['best']}, spread {100 * row['spread']:.2f} %), {row['timed_again']} timed again; lost {row['lost']}, without a fault of theirs "
                  f"{row['faults']}; round 0 took {row['round_0_seconds']:.1f} s; {row['by']}", flush=True)
        result = {"command": "python3 " + " ".join(sys.argv), "problem": arguments.problem, "branches": arguments.branches, "cores": len(os.sched_getaffinity(0)),
                  "sanitizer": "off" if os.environ.get("KGEN_SANITIZER") == "off" else "a part of each new best", "before": before, "after": machine(), "rows": rows}
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    if arguments.page:
        arguments.page.write_text(page(result))


if __name__ == "__main__":
    main()
