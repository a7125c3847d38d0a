# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fake_eval.py --serve --device DEVICE: what stands beside kgen-search in place of kgen-eval, with a card that is none.

Every kernel is right; round 0's takes 1000 us, each round's are faster than the round's before, in the order of their branches, and a network takes what its tasks take. The first time that a
network is to be looked at by compute-sanitizer, the kernel of FAKE_EVAL_RACE's task is found out. With FAKE_EVAL_WRONG_CUT networks that are
cut otherwise than their graph has it are wrong. What was asked is written to FAKE_EVAL_LOG."""
import json
import os
import pathlib
import re
import sys
import time

device = sys.argv[sys.argv.index("--device") + 1]
racy = None  # the branch that is found out
print(json.dumps({"ready": True, "device": device, "model": "NVIDIA H200", "arch": "sm_90a", "compiler": "none", "machine": "fake", "version": "fake",
                  "shared_bytes_per_block": 232448, "multiprocessors": 132}), flush=True)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def time_of(folder):
    """The time of the task's kernel or of the network in FOLDER."""
    if not os.path.exists(folder + "/tasks.json"):
        number, branch = (int(digits) for digits in re.search(r"round-(\d+)/b(\d+)$", folder).groups())
        return 1000.0 if number == 0 else 20 + 40 / number + branch / 10
    branches = json.loads(read(folder + "/tasks.json"))
    counts = {task["name"]: task["count"] for task in json.loads(read(folder + "/partition.json"))["tasks"]}
    return sum(count * time_of(f"{folder}/../../../tasks/{name}/{branches[name]}") for name, count in counts.items())


def measure(job):
    global racy
    folder = job["folder"]
    isNetwork = os.path.exists(folder + "/tasks.json")
    time.sleep(0.05)
    us = time_of(folder)
    found = {"version": 1, "verdict": "PASS", "detail": "", "device": device + " NVIDIA H200", "time_us": us, "samples": [us], "precision": job["precision"],
             "baselines": {}, "floor_us": 1, "errors": [], "tolerance": {"max": 0, "l2": 0}, "compile": {"seconds": 0, "kernels": []}, "diagnosis": "",
             "conditions": {when: {"clock_mhz": 0, "power_w": 0, "temperature_c": 0} for when in ("before", "after")},
             "phases": {"inputs": 0.05}, "warnings": [], "rules": job["rules"], "inputs": ""}
    if isNetwork and "FAKE_EVAL_WRONG_CUT" in os.environ and os.path.exists(folder + "/directives.mlir"):
        found.update(verdict="WRONG", detail="its cut is wrong", time_us=0, samples=[])
    elif isNetwork and "incumbent" in job and "FAKE_EVAL_RACE" in os.environ:
        task = os.environ["FAKE_EVAL_RACE"]
        branch = json.loads(read(folder + "/tasks.json"))[task]
        racy = racy or branch
        found["sanitizer"] = "4 tasks by themselves: nothing found"
        if branch == racy:
            found.update(verdict="RACE", detail=f"task {task} is at fault: compute-sanitizer's racecheck: Error: Race reported", sanitizer="")
    return found


# With FAKE_EVAL_CROWDED=FOLDER each evaluator keeps something of the card, a file there; a network has no room beside another's.
kept = pathlib.Path(os.environ["FAKE_EVAL_CROWDED"], str(os.getpid())) if "FAKE_EVAL_CROWDED" in os.environ else None
for line in sys.stdin:
    job = json.loads(line)
    answer = {"id": job["id"]}
    what = next((key for key in ("reveal", "learn", "make_room") if key in job), "") or ("network" if os.path.exists(job["folder"] + "/tasks.json") else "task")
    if what == "reveal":
        answer["seed"] = "seed 0"
    elif what == "learn":
        answer["learnt"] = True
    elif what == "make_room":
        kept.unlink(missing_ok=True)
        answer["room"] = True
    elif what == "network" and kept and any(other != kept for other in kept.parent.iterdir()):
        answer["measurement"] = dict(measure(job), verdict="REJECT", detail="there is no room for it, twice: out of memory", time_us=0, samples=[])
    else:
        answer["measurement"] = measure(job)
        if kept:
            kept.touch()
    with open(os.environ["FAKE_EVAL_LOG"], "a", encoding="utf-8") as log:
        words = [key for key in ("brief", "timing_seconds", "rival_us", "incumbent", "check_seconds") if key in job]
        words += [problem["folder"].split("/")[-1] for problem in job.get("learn", [])]
        log.write(" ".join([what, "/".join(job.get("folder", "").split("/")[-2:]), *words]) + "\n")
    print(json.dumps(answer), flush=True)
