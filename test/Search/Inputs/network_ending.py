# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""network_ending.py RUN: whether a network's search ended with its tasks' best kernels put together.

Prints why it ended, and each task whose fastest kernel by the journals is not the one in the last network; then in how many batches the
rounds of tasks were given away, and the most rounds in one."""
import collections
import json
import sys

run = sys.argv[1]


def records(folder):
    with open(folder + "/journal.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


network = records(run + "/network")
print("ended:", [record["reason"] for record in network if record["event"] == "stop"][-1])
last = [record["id"] for record in network if record["event"] == "measurement"][-1]
chosen = json.load(open(f"{run}/network/{last}/tasks.json"))
others = 0
for task, branch in chosen.items():
    if branch == "first":  # nobody measured it alone
        continue
    times = {}
    for record in records(f"{run}/tasks/{task}"):
        if record["event"] == "measurement":
            measured = json.loads(record["text"])
            if measured["verdict"] == "PASS":
                times.setdefault(record["id"], measured["time_us"])
    best = min(times.values())
    if times[branch] != best:
        others += 1
        print(f"{task} is taken from {branch} ({times[branch]} us), there is one of {best} us")
print("tasks with another kernel than their best:", others)
measured = [record["id"] for record in network if record["event"] == "measurement"]
print("measured after everything else:", measured[-1] == last, "and more than round 0:", len(measured) > 1)
batches = collections.Counter(record["batch"] for record in network if record["event"] == "turn")
print("turns:", sum(batches.values()), "the most at once:", max(batches.values(), default=0))
