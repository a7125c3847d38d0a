"""torture.py RUN KILLS: searches into RUN on device host, is killed at random moments, and goes on each time.

Prints what was lost (measured before a kill, gone after it) and what was measured twice."""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

run, kills = sys.argv[1], int(sys.argv[2])
search = ["kgen-search", "--problem", "softmax", "--device", "host", "--rounds", "2", "--seeds", "2", "--ideas", "3",
          "--variants", "1", "--out", run]


def measured():
    try:
        with open(os.path.join(run, "journal.jsonl"), "rb") as file:
            lines = [line for line in file if line.endswith(b"\n")]
    except FileNotFoundError:
        return []
    return [record["id"] for record in map(json.loads, lines) if record["event"] == "measurement"]


lost, killed, runs, again = 0, 0, 0, 0
while True:
    runs += 1
    shutil.rmtree(run, ignore_errors=True)
    while True:
        started = os.path.exists(os.path.join(run, "run.json"))
        process = subprocess.Popen(["kgen-search", "resume", run] if started else search, stdout=subprocess.DEVNULL)
        try:
            process.wait(random.uniform(0.05, 2.5) if killed < kills else None)
        except subprocess.TimeoutExpired:
            pass
        if process.poll() is not None:
            if process.returncode != 0:
                sys.exit(f"kgen-search ended with {process.returncode}")
            break
        before = set(measured())
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
        lost += len(before - set(measured()))
    again += sum(count > 1 for count in collections.Counter(measured()).values())
    replays = subprocess.run(["kgen-search", "replay", run], stdout=subprocess.DEVNULL).returncode == 0
    if killed >= kills or not replays:
        break
print(f"{killed} kills of kgen-search in {runs} runs")
print(f"lost {lost}, measured again {again}, replays: {'yes' if replays else 'no'}")
