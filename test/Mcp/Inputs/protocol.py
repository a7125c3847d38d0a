# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol's conformance cases for a server of tools over stdio, by hand; each line names the rule that it holds.

The suite itself (github.com/modelcontextprotocol/conformance) reaches servers by HTTP only and asks for tools of its own fixture; these are
its checks of scenarios server-stateless, server-initialize, ping, tools-list, tools-call-error, tools-call-with-progress and caching that
are about no HTTP header.
"""
import json
import sys
import time

from mcp_client import META, Client, check_schema

root = sys.argv[1]
ARGUMENTS = ["--root", root, "--runs", f"{root}/runs", "--device", "host"]
count = 0


def holds(rule, condition, found=None):
    global count
    assert condition, f"{rule}: {found}"
    count += 1
    print("holds:", rule)


def raw(client, line):
    """The next answer to LINE, which is sent as it is."""
    with client.news:
        client.answers.pop(None, None)
    client.write(line.encode() + b"\n")
    return client.wait(None, 10)


def ask(client, method, params, number):
    client.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
    return client.wait(number, 30)


modern = Client(ARGUMENTS)
PREFIX = "io.modelcontextprotocol/"
without = lambda *names: {"_meta": {k: v for k, v in META.items() if k not in [PREFIX + n for n in names]}}

# server-stateless: what each request's _meta has to hold
for number, (what, params) in enumerate([("missing-meta", {}), ("missing-protocol-version", without("protocolVersion")),
                                         ("missing-client-capabilities", without("clientCapabilities"))], 101):
    answer = ask(modern, "server/discover", params, number)
    holds(f"request-meta-invalid-{what}", answer["error"]["code"] == -32602 and answer["id"] == number, answer)
answer = ask(modern, "server/discover", without("clientInfo"), 105)
holds("request-meta-client-info-optional", "result" in answer, answer)
discovered = ask(modern, "server/discover", {"_meta": META}, 201)["result"]
holds("server-implements-discover", discovered["supportedVersions"] and "capabilities" in discovered, discovered)
holds("server-identifies-in-result-meta", {"name", "version"} <= set(discovered["_meta"][PREFIX + "serverInfo"]), discovered)
for number, method in enumerate(["prompts/list", "resources/list", "resources/templates/list", "completion/complete"], 203):
    answer = ask(modern, method, {"_meta": META}, number)
    holds(f"discover-capabilities-match-handlers {method}", answer["error"]["code"] == -32601 and method.split("/")[0] not in discovered["capabilities"], answer)
listed = ask(modern, "tools/list", {"_meta": META}, 202)["result"]
holds("discover-capabilities-match-handlers tools", "tools" in discovered["capabilities"] and listed["tools"], listed)
for number, version in enumerate(["v999.0.0", "1900-01-01", "2025-11-25"], 301):
    answer = ask(modern, "server/discover", {"_meta": {**META, PREFIX + "protocolVersion": version}}, number)
    holds("server-unsupported-version-error", answer["error"]["code"] == -32022 and answer["error"]["data"] ==
          {"supported": discovered["supportedVersions"], "requested": version}, answer)
for number, method in enumerate(["unknown/method", "ping", "initialize", "logging/setLevel", "resources/subscribe"], 401):
    answer = ask(modern, method, {"_meta": META}, number)
    holds(f"removed-or-unknown-method {method}", answer["error"]["code"] == -32601 and answer["id"] == number, answer)
holds("result-type on every result", all(r["resultType"] == "complete" for r in (discovered, listed)))

# caching
for name, result in (("server/discover", discovered), ("tools/list", listed)):
    holds(f"caching-hints {name}", isinstance(result["ttlMs"], int) and result["ttlMs"] >= 0 and result["cacheScope"] in ("public", "private"), result)
again = ask(modern, "tools/list", {"_meta": META}, 210)["result"]
holds("tools-list deterministic order", again["tools"] == listed["tools"])

# tools-list
names = [tool["name"] for tool in listed["tools"]]
holds("tools-list names unique and of letters", len(set(names)) == len(names) and all(n.replace("_", "").isalnum() and len(n) <= 128 for n in names), names)
for tool in listed["tools"]:
    holds(f"tools-list {tool['name']} has its fields", tool["description"] and tool["title"] and tool["inputSchema"]["type"] == "object"
          and tool["outputSchema"]["type"] == "object", tool)
answer = ask(modern, "tools/list", {"_meta": META, "cursor": "nowhere"}, 211)
holds("pagination invalid-cursor", answer["error"]["code"] == -32602, answer)

# tools-call-simple-text, structured content, tools-call-error
call = lambda name, arguments, number, **meta: ask(modern, "tools/call", {"_meta": {**META, **meta}, "name": name, "arguments": arguments}, number)
result = call("list_runs", {}, 501)["result"]
holds("tools-call-simple-text", result["content"][0]["type"] == "text" and result["isError"] is False and result["resultType"] == "complete", result)
schema = next(tool["outputSchema"] for tool in listed["tools"] if tool["name"] == "list_runs")
check_schema(schema, result["structuredContent"])
holds("structured-content conforms, and is text too", json.loads(result["content"][0]["text"]) == result["structuredContent"])
result = call("read_report", {"run": "nobody"}, 502)["result"]
holds("tools-call-error", result["isError"] is True and result["content"][0]["text"], result)
result = call("read_report", {"run": 5}, 503)["result"]
holds("input-validation is a tool error", result["isError"] is True and "expected" in result["content"][0]["text"], result)
answer = call("no_such_tool", {}, 504)
holds("unknown-tool is a protocol error", answer["error"]["code"] == -32602, answer)
answer = ask(modern, "tools/call", {"_meta": META}, 505)
holds("malformed tools/call is a protocol error", answer["error"]["code"] == -32602, answer)

# tools-call-with-progress
call("list_problems", {}, 601, progressToken="p1")
told = [p["progress"] for p in modern.progress("p1")]
holds("tools-call-with-progress", told and told == sorted(set(told)), told)
holds("progress only where it was asked for", {n["params"]["progressToken"] for n in modern.notifications} == {"p1"})
answer = call("list_runs", {}, 602, progressToken=[1])
holds("progress-token is a string or an integer", answer["error"]["code"] == -32602, answer)

# JSON-RPC
for line, code in [("{", -32700), ("not json", -32700), ("[]", -32600), ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), ('"x"', -32600),
                   ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                   ("[" * 200000, -32600), ('{"a":' * 70000, -32600)]:
    answer = raw(modern, line)
    holds(f"json-rpc {line[:30]}", answer["error"]["code"] == code and "id" not in answer, answer)
raw_long = '{"jsonrpc": "2.0", "id": 1, "method": "' + "x" * (9 << 20) + '"}'
answer = raw(modern, raw_long)
holds("a message longer than the limit is refused", answer["error"]["code"] == -32600, answer)
before = len(modern.answers), len(modern.notifications)
for message in ({"jsonrpc": "2.0", "method": "notifications/unknown"}, {"jsonrpc": "2.0", "id": 9000, "result": {}},
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 424242}}, {"jsonrpc": "2.0", "method": "tools/list"}):
    modern.write(json.dumps(message).encode() + b"\r\n")
ask(modern, "server/discover", {"_meta": META}, 9001)
holds("notifications, responses and stale cancellations are not answered", (len(modern.answers), len(modern.notifications)) == (before[0] + 1, before[1]))

# subscriptions/listen: there is nothing to subscribe to, which is said
modern.write(json.dumps({"jsonrpc": "2.0", "id": "s1", "method": "subscriptions/listen", "params": {"_meta": META, "notifications": {"toolsListChanged": True}}}).encode() + b"\n")
modern.write(json.dumps({"jsonrpc": "2.0", "id": "s2", "method": "subscriptions/listen", "params": {"_meta": META, "notifications": {}}}).encode() + b"\n")
ask(modern, "server/discover", {"_meta": META}, 9002)
acks = [n["params"] for n in modern.notifications if n["method"] == "notifications/subscriptions/acknowledged"]
holds("subscriptions are acknowledged with what is honoured", [(a["_meta"][PREFIX + "subscriptionId"], a["notifications"]) for a in acks] == [("s1", {}), ("s2", {})], acks)
modern.notify("notifications/cancelled", {"requestId": "s1"})

# Shutdown: the end of standard input
begin = time.time()
holds("exit code 0 at the end of input", modern.close() == 0)
holds("it ends promptly", time.time() - begin < 10)
holds("a subscription that is open ends gracefully", modern.answers["s2"]["result"]["_meta"][PREFIX + "subscriptionId"] == "s2" and "s1" not in modern.answers)

# The handshake of older clients: server-initialize, ping
for version, agreed in [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"), ("1.0", "2025-11-25")]:
    old = Client(ARGUMENTS, modern=False)
    answer = old.request("tools/list")
    holds("before initialize a request without a version is refused", "error" in answer, answer)
    holds("ping before initialize", old.request("ping")["result"] == {})
    result = old.initialize(version)
    holds(f"server-initialize {version}", result["protocolVersion"] == agreed and result["serverInfo"]["name"] and "tools" in result["capabilities"], result)
    holds("ping", old.request("ping")["result"] == {})
    holds("tools-list without fields of later versions", not {"resultType", "ttlMs", "cacheScope"} & set(old.request("tools/list")["result"]))
    result = old.request("tools/call", {"name": "list_runs"}, token=7)["result"]
    holds("tools-call with structured content", result["structuredContent"] == {"runs": []} and "resultType" not in result, result)
    holds("server/discover is of the later version alone", "error" in old.request("server/discover"))
    old.modern = True
    holds("both eras on one channel", old.request("tools/list")["result"]["resultType"] == "complete")
    old.process.stdin.close()
    holds("exit code 0", old.process.wait(20) == 0)
answer = None
old = Client(ARGUMENTS, modern=False)
answer = old.request("initialize", {})
holds("initialize without a version", answer["error"]["code"] == -32602, answer)
old.process.terminate()
holds("SIGTERM ends it", old.process.wait(20) == 0)
print(count, "rules hold")
