# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run's journal holds while the search still writes it."""
import json
import os


def records(run):
    found = []
    try:
        with open(os.path.join(run, "journal.jsonl"), "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    found.append(json.loads(line))
    except FileNotFoundError:
        pass
    return found


def measured(run):
    return sum(record["event"] == "measurement" for record in records(run))
