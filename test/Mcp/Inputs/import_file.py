# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports ROOT/mine.py through kgen-mcp, and a file that is no module."""
import sys

from mcp_client import Client

root = sys.argv[1]
with open(f"{root}/broken.py", "w") as file:
    file.write("raise ValueError('not today')\n")
client = Client(["--root", root, "--device", "host"])
facts = client.tool("import_problem", file="mine.py", size="small")
assert "aten.softmax" in facts["graph"], facts
print("imported:", facts["ops"][0]["op"], facts["inputs"][0]["shape"])
print("refused:", client.fails("import_problem", file="broken.py"))
assert client.close() == 0
