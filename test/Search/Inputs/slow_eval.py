# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""slow_eval.py SECONDS KGEN_EVAL ...: a launcher of an evaluator here that takes SECONDS longer for each candidate.

A search has more ideas than time then, however fast the machine is."""
import json
import subprocess
import sys
import time

seconds, command = float(sys.argv[1]), sys.argv[2:]
evaluator = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
sys.stdout.write(evaluator.stdout.readline())
sys.stdout.flush()
for line in sys.stdin:
    evaluator.stdin.write(line)
    evaluator.stdin.flush()
    answer = evaluator.stdout.readline()
    if "texts" in json.loads(line):
        time.sleep(seconds)
    sys.stdout.write(answer)
    sys.stdout.flush()
evaluator.stdin.close()
sys.exit(evaluator.wait())
