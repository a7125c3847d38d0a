"""fake_card.py SECONDS KGEN_EVAL ...: an evaluator with a card that is none: a launcher that launches nothing.

It finds every candidate right after SECONDS (three times that where it has to compare with the best so far) and takes its time from a hash of its kernel, so that a search's loop can be watched
without a card. FAKE_CARD_WRONG=cuda:N: that one's answers are wrong; FAKE_CARD_MODEL: what it says it is."""
import hashlib
import json
import os
import subprocess
import sys
import time

seconds, program, arguments = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
device = arguments[arguments.index("--device") + 1]
version = json.loads(subprocess.run([program, "--kgen-cards"], capture_output=True, text=True).stdout)["version"]
print(json.dumps({"ready": True, "device": device, "model": os.environ.get("FAKE_CARD_MODEL", "NVIDIA H200"), "arch": "sm_90a", "compiler": "none", "machine": "fake",
                  "version": version, "shared_bytes_per_block": 232448, "multiprocessors": 132}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    answer = {"id": job["id"]}
    if "reveal" in job:
        answer["seed"] = "seed 0"
    elif "baselines" in job:
        answer.update(baselines={}, notes={})
    else:
        digest = hashlib.sha256(job["texts"]["cuda"].encode()).digest()
        us = 100 + int.from_bytes(digest[:2], "big") / 100
        time.sleep(seconds * (3 if job.get("incumbent") and us < job["incumbent_us"] else 1))
        measurement = {"version": 1, "verdict": "PASS", "detail": "", "device": f"{device} NVIDIA H200", "time_us": us, "samples": [us], "precision": job["precision"],
                       "baselines": {}, "floor_us": 0, "errors": [], "tolerance": {"max": 0, "l2": 0}, "compile": {"seconds": 0, "kernels": []},
                       "diagnosis": "", "conditions": {when: {"clock_mhz": 0, "power_w": 0, "temperature_c": 0} for when in ("before", "after")}, "phases": {}, "warnings": [], "rules": job["rules"], "inputs": ""}
        if os.environ.get("FAKE_CARD_WRONG") == device:
            measurement.update(verdict="WRONG", detail="out0[0] is 0, expected 1")
        answer["measurement"] = measurement
    print(json.dumps(answer), flush=True)
