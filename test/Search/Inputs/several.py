"""several.py RUN [--kill-search] [OPTION...]: a search into RUN on three evaluators, whose second one is killed every 1.2 s.

With --kill-search the search is killed, too, once six kernels were measured, and resumed on two evaluators. Other options go to the search.
Says what became of the branches."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

from journal import measured, records

run, options = sys.argv[1], sys.argv[2:]
kill_search = "--kill-search" in options
options = [option for option in options if option != "--kill-search"]


def evaluators(pid):
    """The evaluators of the search PID, oldest first."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as line:
                fields = stat.read().rsplit(")", 1)[1].split()
                if name.isdigit() and int(fields[1]) == pid and "--serve" in line.read():
                    found.append((int(fields[19]), int(name)))
        except (OSError, IndexError):
            pass
    return [pid for _, pid in sorted(found)]


kills = 0


def search(command, until):
    """Runs COMMAND with a killer beside it; kills COMMAND itself once UNTIL are measured."""
    global kills
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not evaluators(process.pid) and process.poll() is None:
        time.sleep(0.05)
    last = time.time()
    while process.poll() is None:
        time.sleep(0.03)
        if until and measured(run) >= until:
            process.send_signal(signal.SIGKILL)
            process.wait()
            print("the search was killed with", measured(run), "measured", flush=True)
            return
        if time.time() - last > 1.2 and measured(run) > 0:
            running = evaluators(process.pid)
            if len(running) > 1:
                try:
                    os.kill(running[1], signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
            last = time.time()
    return process.returncode


code = search(["kgen-search", "--problem", "softmax", "--device", "host,host*2", "--rounds", "1", "--ideas", "4", "--variants", "2", "--out", run] + options,
              6 if kill_search else 0)
if kill_search:
    code = search(["kgen-search", "resume", run, "--device", "host*2"], 0)
    print("resume exits", code)
print("evaluators killed:", kills)
branches, done, who, best, again = set(), {}, set(), "", set()
for record in records(run):
    if record["event"] == "branch":
        branches.add(record["id"])
    if record["event"] == "best":
        best = record["id"]
    if record["event"] == "measurement":
        done[record["id"]] = json.loads(record["text"])
        if record.get("standing") == "timed again":
            again.add(record["id"])
faults = [m for m in done.values() if "could not be measured" in m.get("detail", "") or "ended" in m.get("detail", "")]
print(f"not measured: {len(branches - set(done))}, without a fault of theirs: {len(faults)}")
who = sorted({m["device"].partition("(")[2].rstrip(")").partition(",")[0] for m in done.values()} - {""})
print("by", ", ".join(who))
print("best timed again or generic:", "yes" if best in again or best == "round-00/b00" else "no: " + best)
sys.exit(code or len(faults) or len(branches - set(done)))
