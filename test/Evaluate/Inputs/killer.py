"""killer.py SIGNAL COUNT KIND,... COMMAND...: runs COMMAND and sends SIGNAL, for each KIND, to the first COUNT of its
descendants whose command line matches that regular expression. Prints the command's exit code and what is left."""
import os
import re
import signal
import subprocess
import sys
import time

number, count, kinds, command = getattr(signal, sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4:]


parents = {}


def descendants(root):
    # Only what is new is read: all of /proc takes longer than some processes live.
    listed = set(map(int, filter(str.isdigit, os.listdir("/proc"))))
    for gone in parents.keys() - listed:
        del parents[gone]
    for pid in listed - parents.keys():
        try:
            with open(f"/proc/{pid}/stat") as file:
                parents[pid] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


process = subprocess.Popen(command)
try:
    # A process that lives for some milliseconds is seen on a busy machine, too.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except OSError:
    pass
hit, seen = {kind: set() for kind in kinds}, set()
while process.poll() is None:
    for pid in descendants(process.pid):
        seen.add(pid)
        for kind in kinds:
            if len(hit[kind]) < count and re.search(kind, words(pid)):
                hit[kind].add(pid)
                os.kill(pid, number)
    time.sleep(0.0002)
time.sleep(0.1)
left = [pid for pid in seen if words(pid)]
print(f"exit {process.returncode}, {sys.argv[1]} to {sum(map(len, hit.values()))}, left running: {len(left)}", flush=True)
