# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network through kgen-mcp: searched task by task in the background, read, proposed to.

    network.py ROOT
"""
import sys

from mcp_client import Client

root = sys.argv[1]
client = Client(["--root", root, "--runs", f"{root}/runs", "--device", "host"])
client.tool("start_search", problem="two_kernels.mlir", name="net", network="always", rounds=0)
state = client.tool("search_state", "watch", run="net", wait_seconds=100)
said = [told.get("message", "") for told in client.progress("watch")]
assert any(task in line for line in said for task in ("00-softmax", "01-softmax")), said  # which task it is at
assert state["state"] == "ended" and state["best"]["verdict"] == "PASS", state
listed = [run for run in client.tool("list_runs")["runs"] if run["run"] == "net"][0]
tasks = listed["tasks"]
assert len(tasks) == 2 and all(task.startswith("net/tasks/0") for task in tasks), listed
for task in tasks:
    best = client.tool("read_branch", run=task)
    assert "__global__" in best["files"]["kernel.cu"] and client.tool("search_state", run=task)["done"] >= 1, best
best = client.tool("read_branch", run="net")["files"]
assert set(best) == {"plan.json", "tasks.json"} and "00-softmax" in best["tasks.json"], best.keys()
ideas = [idea["key"] for idea in client.tool("list_ideas", run=tasks[0])["ideas"]]
assert "few-threads" in ideas and "tensor-cores" not in ideas, ideas
assert "ask for one of its tasks" in client.fails("list_ideas", run="net")
assert "nothing waits in its inbox" in client.fails("start_search", run="net")
assert "start_search with 'net' goes on" in client.fails("start_search", run=tasks[0])
print("tasks:", *tasks)
print(client.tool("read_report", run="net")["text"])
print(client.tool("replay_run", run="net")["text"])
assert "is a network: propose to one of its tasks" in client.fails("propose", run="net", idea="families")
assert "is a task of a network" in client.fails("evaluate", run=tasks[0], idea="families")
assert client.tool("propose", run=tasks[0], idea="few-threads")["waiting"] == 1
for run in ("net/tasks", "net/tasks/..", "net/tasks/../../x", "net/other"):
    assert client.fails("read_report", run=run), run
assert client.close() == 0, client.errors
