"""network_kill.py PROBLEM RUN [DEVICE [EVENTS]]: searches a network into RUN, kills the search in the middle, and goes on with it.

EVENTS (default measurement=3) is after how many records of which kind it is killed. Prints what the resumed search printed, and
whether anything was measured twice."""
import collections
import glob
import json
import os
import signal
import subprocess
import sys
import time

problem, run = sys.argv[1:3]
device = sys.argv[3] if len(sys.argv) > 3 else "host"
event, fewest = (sys.argv[4] if len(sys.argv) > 4 else "measurement=3").split("=")


def measured(event="measurement"):
    found = []
    for journal in glob.glob(run + "/tasks/*/journal.jsonl") + glob.glob(run + "/network/journal.jsonl"):
        with open(journal, "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    record = json.loads(line)
                    if record["event"] == event:
                        found.append(os.path.dirname(journal) + ":" + record.get("id", ""))
    return found


search = subprocess.Popen(["kgen-search", "--problem", problem, "--device", device, "--size", "full", "--rounds", "1",
                           "--seeds", "1", "--ideas", "1", "--variants", "1", "--library", "none", "--out", run],
                          stdout=subprocess.DEVNULL)
deadline = time.time() + 120
while len(measured(event)) < int(fewest) and search.poll() is None and time.time() < deadline:
    time.sleep(0.02)
print("killed" if search.poll() is None else "ended too early", "with", len(measured()), "measured")
search.send_signal(signal.SIGKILL)
search.wait()
before = set(measured())
print(subprocess.run(["kgen-search", "resume", run], stdout=subprocess.PIPE, text=True).stdout)
counts = collections.Counter(measured())
print("measured twice:", sum(count > 1 for count in counts.values()))
print("lost:", len(before - set(counts)))
