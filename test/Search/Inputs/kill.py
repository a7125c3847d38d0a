"""kill.py RUN: starts a search into RUN, kills it with SIGKILL twice in the middle, and lets it end.

Prints how many branches were measured more than once: their records of files appear twice in the journal."""
import collections
import json
import os
import signal
import subprocess
import sys
import time

run = sys.argv[1]
journal = os.path.join(run, "journal.jsonl")


def events(name):
    found = []
    try:
        with open(journal, "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    record = json.loads(line)
                    if record["event"] == name:
                        found.append(record["id"])
    except FileNotFoundError:
        pass
    return found


def kill_after(command, measured):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.time() + 120
    while len(events("measurement")) < measured and process.poll() is None and time.time() < deadline:
        time.sleep(0.02)
    killed = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    print("killed" if killed else "ended too early", "with", len(events("measurement")), "measured")
    return killed


search = ["kgen-search", "--problem", "softmax", "--device", "host", "--rounds", "2", "--seeds", "1", "--ideas", "3",
          "--variants", "1", "--out", run]
ok = kill_after(search, 1) and kill_after(["kgen-search", "resume", run], 3)
before = set(events("measurement"))
# A torn last record, as a crash in the middle of a write leaves it.
with open(journal, "ab") as file:
    file.write(b'{"event":"measurement","id":"round-0')
done = subprocess.run(["kgen-search", "resume", run], stdout=subprocess.DEVNULL)
counts = collections.Counter(events("measurement"))
print("resume exits", done.returncode)
print("measured twice:", sum(count > 1 for count in counts.values()))
print("lost:", len(before - set(counts)))
sys.exit(0 if ok else 1)
