# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An agent's day with kgen-mcp on device host, in folder ROOT, whose runs stay for who replays them.

    session.py ROOT
"""
import glob
import json
import os
import re
import shutil
import sys
import time

from mcp_client import Client, check_schema

here, root = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
shutil.rmtree(root, ignore_errors=True)
os.makedirs(root)
shutil.copy(f"{here}/row_softmax.mlir", root)
open(f"{root}/outside.mlir", "w").close()
os.makedirs(f"{root}/root")
shutil.move(f"{root}/row_softmax.mlir", f"{root}/root")
os.symlink(f"{root}/outside.mlir", f"{root}/root/link.mlir")
kernel = open(f"{here}/row_by_hand.cu").read()
keys = {"ANTHROPIC_API_KEY": "sk-secret-4711", "KGEN_SECRET_FOR_TESTS": "a-secret-0815"}
client = Client(["--root", f"{root}/root", "--runs", f"{root}/runs", "--device", "host"], env=keys)

# Discover and list.
discovered = client.request("server/discover")["result"]
assert discovered["supportedVersions"] == ["2026-07-28"] and discovered["resultType"] == "complete", discovered
listed = client.request("tools/list")["result"]
tools = {tool["name"]: tool for tool in listed["tools"]}
assert listed["ttlMs"] >= 0 and listed["cacheScope"] == "public"


def call(name, token=None, /, **arguments):
    result = client.tool(name, token, **arguments)
    check_schema(tools[name]["inputSchema"], arguments)
    check_schema(tools[name]["outputSchema"], result)
    return result


names = [problem["name"] for problem in call("list_problems")["problems"]]
assert "softmax" in names, names
print(len(tools), "tools,", len(names), "problems")

# Facts, the floor and ideas; a problem file of one's own.
facts = call("describe_problem", problem="conv_relu_maxpool")
assert facts["floor"]["us"] > 10 and "bound" in facts["floor"]["diagnosis"], facts["floor"]
assert [op["family"] for op in facts["ops"]] == ["conv", "pointwise", "pool"], facts["ops"]
facts = call("describe_problem", problem="row_softmax.mlir", graph=True)
assert facts["inputs"] == [{"dtype": "f32", "shape": [16, 256]}] and "aten.softmax" in facts["graph"], facts
ideas = [idea["key"] for idea in call("list_ideas", problem="row_softmax.mlir")["ideas"]]
assert "families" in ideas and "few-threads" in ideas, ideas
assert "threads_per_row" in call("read_guide")["text"]
print("ideas:", *ideas[:3])

# A run, and what is tried in it.
state = call("open_run", "open", problem="row_softmax.mlir", name="mine")
assert state["state"] == "ended" and state["verdicts"] == {"PASS": 1} and state["done"] == 1, state
told = [p["progress"] for p in client.progress("open")]
assert told == sorted(set(told)) and told, told
outcome = call("evaluate", run="mine", idea="few-threads")
assert outcome["branches"] and all(b["verdict"] == "PASS" for b in outcome["branches"]), outcome
directives = call("read_branch", run="mine", branch=outcome["branches"][0]["branch"], files=["directives.mlir"])["files"]["directives.mlir"]
waiting = call("propose", run="mine", parent="best", idea="compute: other constants", directives=re.sub(r"rows_per_block (%\w+) \d+", r"rows_per_block \1 32", directives))
assert waiting["waiting"] == 1, waiting
for number, (name, given) in enumerate([
    ("wrong", {"cuda": kernel.replace("expf(in[i] - most) / sum", "expf(in[i] - most) / sum * 1.25f")}),
    ("include", {"cuda": kernel.replace("extern", '#include "/etc/passwd"\nextern')}),
    ("script", {"directives": directives.replace("threads_per_row", "bogus_key")}),
], 2):
    assert call("propose", run="mine", **given)["waiting"] == number
outcome = call("evaluate", run="mine", cuda=kernel, parent="round-01/b00")
tuned, wrong, bad, script, good = outcome["branches"]
assert (tuned["idea"], tuned["verdict"]) == ("other constants", "PASS"), tuned
assert wrong["verdict"] == "WRONG" and "] is " in wrong["detail"], wrong
assert bad["verdict"] == "REJECT" and "/etc/passwd" not in bad["detail"].replace("#include", ""), bad
assert script["verdict"] == "REJECT" and script["detail"], script
assert (good["idea"], good["parent"], good["verdict"]) == ("a warp for each row", "round-01/b00", "PASS"), good
print("tried:", *(b["verdict"] for b in call("list_branches", run="mine")["branches"]))

# What is refused, in a sentence each.
for sentence, name, arguments in [
    ("is no registered name", "describe_problem", {"problem": "../outside"}),
    ("lies outside", "describe_problem", {"problem": "../outside.mlir"}),
    ("lies outside", "import_problem", {"file": f"{here}/session.py"}),
    ("lies outside", "open_run", {"problem": "link.mlir"}),
    ("run is \"../x\", expected a run's name", "read_report", {"run": "../x"}),
    ("there is no run 'x'", "read_report", {"run": "x"}),
    ("there is a run 'mine' already", "open_run", {"problem": "row_softmax.mlir", "name": "mine"}),
    ("unknown problem 'softmix'", "open_run", {"problem": "softmix"}),
    ("cannot read words", "evaluate", {"run": "mine", "idea": "paint it blue"}),
    ("nothing to evaluate", "evaluate", {"run": "mine"}),
    ("directives or cuda, not both", "propose", {"run": "mine", "directives": "transform.x", "cuda": kernel}),
    ("no measured branch", "propose", {"run": "mine", "parent": "round-07/b00", "cuda": kernel}),
    ("holds no __global__", "propose", {"run": "mine", "cuda": "int main() { return 0; }"}),
    ("has no launch plan", "propose", {"run": "mine", "cuda": "__global__ void k() {}"}),
    ("rounds is 2000, expected a whole number from 0 to 1000", "start_search", {"problem": "softmax", "rounds": 2000}),
    ("lacks \"run\"", "evaluate", {}),
    ("expected only", "evaluate", {"run": "mine", "command": "rm"}),
    ("expected no arguments", "read_guide", {"topic": "wgmma"}),
    ("family is 'gem', expected one of gemm,", "list_ideas", {"family": "gem"}),
    ("by the server's --llm", "evaluate", {"run": "mine", "idea": "paint it blue"}),
    ("there is no run 'nobody'", "start_search", {"run": "nobody", "rounds": 2}),
    ("nothing waits in its inbox: propose to it", "start_search", {"run": "mine"}),
]:
    found = client.fails(name, **arguments)
    assert sentence in found and "\n" not in found, (sentence, found)

# A search in the background, watched; another one, cancelled and gone on with.
call("start_search", problem="row_softmax.mlir", name="searched", rounds=1, ideas=2, variants=2)
state = call("search_state", "watch", run="searched", wait_seconds=60)
assert state["state"] == "ended" and state["best"]["verdict"] == "PASS" and state["done"] >= 4, state
told = [p["progress"] for p in client.progress("watch")]
assert told == sorted(set(told)) and told[-1] <= state["done"], told
call("start_search", problem="row_softmax.mlir", name="cancelled", rounds=20, ideas=5, variants=3)
assert "is at work" in client.fails("evaluate", run="cancelled", cuda=kernel)
call("propose", run="cancelled", cuda=kernel)
deadline = time.time() + 60
while call("search_state", run="cancelled", wait_seconds=0.1)["done"] < 1 and time.time() < deadline:
    pass
state = call("cancel_search", run="cancelled")
assert state["state"] == "stopped" and state["reason"] == "interrupted" and state["done"] >= 1, state
assert "start_search goes on with it" in client.fails("evaluate", run="cancelled", cuda=kernel)
call("start_search", run="cancelled")
time.sleep(0.5)
state = call("cancel_search", run="cancelled")
print("searched:", call("search_state", run="searched")["state"], "cancelled:", state["state"])

# A call that is cancelled is not answered, and leaves a run that can be gone on with.
number = client.start("tools/call", {"name": "open_run", "arguments": {"problem": "row_softmax.mlir", "name": "dropped"}})
deadline = time.time() + 20
while not any(r["run"] == "dropped" for r in call("list_runs")["runs"]) and time.time() < deadline:
    pass  # it is cancelled as soon as it is there: its first kernel takes longer than that, however fast the machine
client.notify("notifications/cancelled", {"requestId": number, "reason": "the user changed their mind"})

# The best kernel, the report, and that it replays.
best = call("read_branch", run="mine")
assert "__global__" in best["files"]["kernel.cu"] and json.loads(best["files"]["plan.json"])["launches"], best
assert f"best:     {root}/runs/mine/{best['branch']['branch']}" in call("read_report", run="mine")["text"]
assert json.loads(call("read_report", run="mine", format="json")["text"])["best"]["branch"] == best["branch"]["branch"]
for name in ("mine", "searched", "cancelled"):
    replayed = call("replay_run", run=name)["text"]
    assert "branches derived again" in replayed and "the same to the byte" in replayed, replayed
deadline = time.time() + 20
while client.fails("search_state", run="nobody") and time.time() < deadline:
    dropped = [r for r in call("list_runs")["runs"] if r["run"] == "dropped"]
    if not dropped or client.tool("search_state", run="dropped")["state"] != "running":
        break
    time.sleep(0.1)
assert number not in client.answers
assert client.close() == 0, client.errors

# A client that goes away in the middle of a search leaves a run that is whole.
leaving = Client(["--root", f"{root}/root", "--runs", f"{root}/runs", "--device", "host"])
leaving.tool("start_search", problem="row_softmax.mlir", name="left", rounds=20, ideas=5, variants=3)
while leaving.tool("search_state", run="left", wait_seconds=0.1)["done"] < 1:
    pass
begin = time.time()
assert leaving.close() == 0 and time.time() - begin < 15, leaving.errors

# Nothing that the oracle knows, no seed and no key is in any byte that was sent.
sent = client.sent.decode()
secrets = list(keys.values())
for journal in glob.glob(f"{root}/runs/*/journal.jsonl"):
    text = open(journal).read()
    secrets += re.findall(r"\] is [-+.\w]+, expected ([-+.\w]+)", text)
    secrets += [record["seed"] for record in map(json.loads, text.splitlines()) if record.get("seed")]
assert len(secrets) > len(keys) + 2, secrets
for secret in secrets:
    assert len(secret) > 3 and secret not in sent and secret not in client.errors.decode(), secret
print("kept to itself:", len(secrets) > 4)
