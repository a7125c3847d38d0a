# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""corpus_answer.py REPLY LOG: a model for `kgen-search --llm exec:...` in the corpus. It has one idea, and carries it out
with the bytes of the file REPLY, or with what REPLY prints when it is a .py. LOG gets a line for each question."""
import json
import subprocess
import sys

question = sys.stdin.read()
ideas = 'stage "ideas"' in question
with open(sys.argv[2], "a") as log:
    log.write("ideas\n" if ideas else "materialize\n")
if ideas:
    print(json.dumps({"ideas": [{"key": "one", "category": "parallel", "idea": "Let one thread reduce a whole row."}]}))
elif sys.argv[1].endswith(".py"):
    sys.exit(subprocess.run([sys.executable, sys.argv[1]]).returncode)
else:
    with open(sys.argv[1], "rb") as reply:
        sys.stdout.buffer.write(reply.read())
