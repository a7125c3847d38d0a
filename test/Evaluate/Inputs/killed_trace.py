"""killed_trace.py TRACES KGEN_EVAL FOLDER: an evaluator that is killed as soon as it told its seed leaves its trace in TRACES."""
import json
import os
import pathlib
import subprocess
import sys
import time

traces, program, folder = sys.argv[1:]
child = subprocess.Popen([program, "--serve", "--device", "host"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, KGEN_TIME_TRACE=traces))
child.stdout.readline()
for job in {"id": 1, "folder": folder}, {"id": 2, "reveal": True}:
    child.stdin.write(json.dumps(job) + "\n")
    child.stdin.flush()
    assert json.loads(child.stdout.readline())["id"] == job["id"]


def names():
    files = list(pathlib.Path(traces).glob("kgen-eval-*.json"))
    return {event["name"] for event in json.loads(files[0].read_text())["traceEvents"]} if files else set()


wanted = {"inputs", "repeats", "timing"}
deadline = time.monotonic() + 20
while not wanted <= names() and time.monotonic() < deadline:
    time.sleep(0.05)
child.kill()
child.wait()
assert wanted <= names(), names()
print("killed; the trace has inputs, repeats and timing")
