# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""other_turn.py JOURNAL: has a network's first turn go to another task, as a journal that is whole tells it."""
import json
import re
import sys
import zlib

path = sys.argv[1]
lines = open(path, encoding="utf-8").read().splitlines()
turns = [index for index, line in enumerate(lines) if '"event":"turn"' in line]
tasks = [json.loads(lines[index])["task"] for index in turns]
other = next(task for task in tasks if task != tasks[0])
link, written = 0, []
for index, line in enumerate(lines):
    body = re.sub(r',"link":"[0-9a-f]{8}"}$', "", line)
    if index == turns[0]:
        body = body.replace(tasks[0], other)
    link = zlib.crc32(body.encode(), link)
    written.append(f'{body},"link":"{link:08x}"}}')
open(path, "w", encoding="utf-8").write("\n".join(written) + "\n")
