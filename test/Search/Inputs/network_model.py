# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""network_model.py FOLDER: a model on stdin and stdout that knows of networks only: first a script that no network has, then one that
begins a task. What it is asked is kept in FOLDER."""
import json
import os
import sys

question = sys.stdin.read()
folder = sys.argv[1]
open(os.path.join(folder, f"{len(os.listdir(folder)):03}.md"), "w", encoding="utf-8").write(question)
last = question.split("# Question")[-1]
if "This is the whole network" not in question:
    answer = {"ideas": []}
elif 'stage "ideas"' in last:
    words = "Begin a task at each relu." if "REJECT" in question else "Tile the products."
    answer = {"ideas": [{"key": "cut", "category": "memory", "idea": words}]}
else:
    script = 'transform.kgen.split_tasks "aten.relu" in %f' if "relu" in last else '%d = transform.kgen.select "aten.linear" in %f'
    answer = {"materializations": [{"settings": "s", "directives": script, "cuda": "", "plan": ""}]}
print(json.dumps(answer))
