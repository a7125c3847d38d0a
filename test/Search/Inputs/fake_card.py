"""fake_card.py SECONDS[,COMPARING,SANITIZING] KGEN_EVAL ...: an evaluator with a card that is none: a launcher that launches nothing.

It finds every candidate right after SECONDS and takes its time from a hash of its kernel, so that a search's loop can be watched without a card. A comparison in turns takes COMPARING seconds, the
sanitizer SANITIZING, by default as long as a measurement each. FAKE_CARD_WRONG=cuda:N: that one's answers are wrong; FAKE_CARD_MODEL: what it says it is."""
import hashlib
import json
import os
import subprocess
import sys
import time

seconds, program, arguments = [float(word) for word in sys.argv[1].split(",")], sys.argv[2], sys.argv[3:]
measuring, comparing, sanitizing = seconds if len(seconds) == 3 else seconds * 3
device = arguments[arguments.index("--device") + 1]
version = json.loads(subprocess.run([program, "--kgen-cards"], capture_output=True, text=True).stdout)["version"]
print(json.dumps({"ready": True, "device": device, "model": os.environ.get("FAKE_CARD_MODEL", "NVIDIA H200"), "arch": "sm_90a", "compiler": "none", "machine": "fake",
                  "version": version, "shared_bytes_per_block": 232448, "multiprocessors": 132}), flush=True)


def time_of(cuda):
    return 100 + int.from_bytes(hashlib.sha256(cuda.encode()).digest()[:2], "big") / 100


for line in sys.stdin:
    job = json.loads(line)
    answer = {"id": job["id"]}
    if "reveal" in job:
        answer["seed"] = "seed 0"
    elif "baselines" in job:
        answer.update(baselines={}, notes={})
    else:
        us = time_of(job["texts"]["cuda"])
        # As promote() and lookAgain() in EvalTool.cpp do it.
        only = job.get("only")
        wins = not only and "incumbent" in job and (not job["incumbent"] or us < job["incumbent_us"])
        compares = only == "compare" or (wins and job["incumbent"] and us >= job["incumbent_us"] / 4)
        sanitizes = only == "sanitize" or (wins and job.get("sanitize_best", True))
        time.sleep((0 if only else measuring) + (comparing if compares else 0) + (sanitizing if sanitizes else 0))
        measurement = {"version": 1, "verdict": "PASS", "detail": "", "device": f"{device} NVIDIA H200", "time_us": us, "samples": [us], "precision": job["precision"],
                       "baselines": {}, "floor_us": 0, "errors": [], "tolerance": {"max": 0, "l2": 0}, "compile": {"seconds": 0, "kernels": []},
                       "diagnosis": "", "conditions": {when: {"clock_mhz": 0, "power_w": 0, "temperature_c": 0} for when in ("before", "after")}, "phases": {}, "warnings": [], "rules": job["rules"], "inputs": ""}
        if compares:
            ratio = time_of(job["incumbent_texts"]["cuda"]) / us
            measurement["speed"] = {"against": job["incumbent_id"], "verdict": "FAST" if ratio > 1 else "SLOW", "ratio": ratio, "interval": [ratio, ratio], "blocks": 15,
                                    "candidate_us": us, "against_us": us * ratio, "against_alone_us": us * ratio}
        if os.environ.get("FAKE_CARD_WRONG") == device:
            measurement.update(verdict="WRONG", detail="out0[0] is 0, expected 1")
        answer["measurement"] = measurement
    print(json.dumps(answer), flush=True)
