# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends mutated requests to kgen-mcp: it must answer each that has an id, go on, and end well.

    mutate.py ROOT [--count N] [--seed S]

ROOT has a run "mine". Requests that would work for seconds are left out, so that what is measured is the protocol: searches, evaluations
and new runs ask for problems and runs that are not there.
"""
import argparse
import copy
import json
import random
import sys
import time

from mcp_client import META, Client

parser = argparse.ArgumentParser()
parser.add_argument("root")
parser.add_argument("--count", type=int, default=10000)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
rng = random.Random(options.seed)

CALLS = [
    ("read_branch", {"run": "mine", "branch": "best", "files": ["kernel.cu", "plan.json"]}),
    ("search_state", {"run": "mine", "wait_seconds": 0}),
    ("cancel_search", {"run": "mine"}),
    ("list_runs", {}),
    ("list_branches", {"run": "mine", "from": 0, "count": 5}),
    ("describe_problem", {"problem": "row_softmax.mlir", "size": "small", "card": "NVIDIA H200"}),
    ("list_ideas", {"family": "row", "device": "host"}),
    ("evaluate", {"run": "nobody", "cuda": "__global__ void k() {}", "parent": "round-00/b00"}),
    ("propose", {"run": "nobody", "directives": "transform.x", "idea": "memory: less"}),
    ("open_run", {"problem": "nothing", "name": "nobody", "max_minutes": 1, "background": True}),
    ("start_search", {"problem": "nothing", "rounds": 1, "ideas": 1, "policy": "branch", "stop_at_floor": 0.5}),
    ("start_search", {"run": "nobody"}),
    ("read_report", {"run": "nobody", "format": "json"}),
    ("import_problem", {"file": "../x.py"}),
]
METHODS = ["server/discover", "tools/list", "tools/call", "ping", "initialize", "subscriptions/listen", "resources/list", "notifications/cancelled"]
ODD = [None, True, False, 0, -1, 1e308, 2**63, 2**64, 1.5, "", "x" * 5000, "\u202e", "\x00", "../..", "%s%n", [], {}, [[]], {"a": {}}, "best", "é"]


def valid(number):
    name, arguments = rng.choice(CALLS)
    if rng.random() < 0.15:
        return {"jsonrpc": "2.0", "id": number, "method": rng.choice(METHODS), "params": {"_meta": copy.deepcopy(META), "notifications": {}}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"_meta": copy.deepcopy(META), "name": name, "arguments": copy.deepcopy(arguments)}}


def places(value):
    """(container, key) of everything inside VALUE."""
    found = []
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            found += places(value[key])
    return found


def mutate_tree(message):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        container, key = rng.choice(places(message))
        what = rng.random()
        if what < 0.5:
            container[key] = copy.deepcopy(rng.choice(ODD))
        elif what < 0.7:
            del container[key]
        elif isinstance(container, dict):
            container[rng.choice(["x", "name", "run", "_meta", "id", "method", "cursor", "progressToken"])] = copy.deepcopy(rng.choice(ODD))
        else:
            container.append(copy.deepcopy(rng.choice(ODD)))
        if not places(message):
            break
    return message


def mutate_bytes(text):
    data = bytearray(text)
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.randrange(len(data))
        what = rng.random()
        if what < 0.4:
            data[at] = rng.randrange(256)
        elif what < 0.6:
            del data[at:at + rng.randrange(1, 20)]
        elif what < 0.8:
            data[at:at] = rng.choice([b'"', b"{", b"[" * 100, b"\\u0000", b"\xff", b"\xed\xa0\x80", b"1e999", b",", b"\r"])
        else:
            data[at:at] = data[:rng.randrange(len(data))]
        if not data:
            data = bytearray(b"x")
    return bytes(data).replace(b"\n", b" ")


client = Client(["--root", f"{options.root}/root", "--runs", f"{options.root}/runs", "--device", "host"])
begin, probes = time.time(), 0
for number in range(1, options.count + 1):
    message = valid(number)
    if rng.random() < 0.7:
        message = mutate_tree(message)
    data = json.dumps(message).encode()
    if rng.random() < 0.4:
        data = mutate_bytes(data)
    client.write(data + b"\n")
    if number % 25 == 0:
        # It is there, and has not too many calls in progress.
        probes += 1
        probe = {"jsonrpc": "2.0", "id": f"probe-{number}", "method": "server/discover", "params": {"_meta": META}}
        client.write(json.dumps(probe).encode() + b"\n")
        assert "result" in client.wait(f"probe-{number}", 30)
seconds = time.time() - begin
closing = time.time()
code = client.close(30)
assert code == 0, (code, client.errors[-2000:])
assert time.time() - closing < 20, "it took its time to end"
kinds = {}
for answer in client.answers.values():
    kind = "result" if "result" in answer else answer.get("error", {}).get("code", "none")
    if kind == "result" and answer["result"].get("isError"):
        kind = "tool error"
    kinds[kind] = kinds.get(kind, 0) + 1
bugs = [a for a in client.answers.values() if "a bug in kgen-mcp" in a.get("error", {}).get("message", "")]
assert not bugs, bugs[:3]
print(f"{options.count} mutated requests, {probes} probes answered, exit code {code}")
print(f"{seconds:.1f} s; last answers by id: {kinds}", file=sys.stderr)
