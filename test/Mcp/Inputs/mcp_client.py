# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of kgen-mcp, with the standard library alone."""
import json
import os
import subprocess
import threading

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "kgen-tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Client:
    """Starts a server. MODERN requests carry their _meta; else call initialize() first."""

    def __init__(self, arguments=(), modern=True, env=None, program="kgen-mcp"):
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **(env or {})})
        self.modern = modern
        self.sent = b""  # all bytes that the server sent
        self.errors = b""
        self.last = 0
        self.answers, self.notifications = {}, []
        self.news = threading.Condition()
        self.readers = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._read_errors, daemon=True)]
        for reader in self.readers:
            reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)  # standard output is the protocol's alone
            assert message["jsonrpc"] == "2.0", line
            with self.news:
                self.sent += line
                if "method" in message:
                    assert "id" not in message, line  # a server asks nothing of a client
                    self.notifications.append(message)
                else:
                    self.answers[message.get("id")] = message
                self.news.notify_all()
        with self.news:
            self.answers[None] = self.answers.get(None) or {"ended": True}
            self.news.notify_all()

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def start(self, method, params=None, token=None):
        """Sends a request and returns its id."""
        self.last += 1
        params = dict(params or {})
        if self.modern:
            params["_meta"] = dict(META)
        if token is not None:
            params.setdefault("_meta", {})["progressToken"] = token
        self.write((json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}) + "\n").encode())
        return self.last

    def wait(self, number, seconds=120):
        with self.news:
            if not self.news.wait_for(lambda: number in self.answers, seconds):
                raise TimeoutError(f"no answer to {number}")
            return self.answers[number]

    def request(self, method, params=None, token=None, seconds=120):
        return self.wait(self.start(method, params, token), seconds)

    def notify(self, method, params):
        self.write((json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n").encode())

    def initialize(self, version):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "kgen-tests", "version": "1"}})
        self.notify("notifications/initialized", {})
        return answer["result"]

    def tool(self, name, token=None, seconds=120, /, **arguments):
        """The structured content of a call that must go well."""
        answer = self.request("tools/call", {"name": name, "arguments": arguments}, token, seconds)
        assert "result" in answer, answer
        result = answer["result"]
        assert not result["isError"], result["content"][0]["text"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"], answer
        return result["structuredContent"]

    def fails(self, name, /, **arguments):
        """The sentence of a call that must fail."""
        answer = self.request("tools/call", {"name": name, "arguments": arguments})
        assert answer["result"]["isError"], answer
        return answer["result"]["content"][0]["text"]

    def progress(self, token):
        return [n["params"] for n in self.notifications if n["method"] == "notifications/progress" and n["params"]["progressToken"] == token]

    def close(self, seconds=30):
        """Closes the server's input and returns its exit code."""
        self.process.stdin.close()
        code = self.process.wait(seconds)
        for reader in self.readers:
            reader.join(seconds)
        return code


def check_schema(schema, value, place="$"):
    """VALUE is of SCHEMA, as far as kgen's schemas go."""
    kind = schema["type"]
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
    assert isinstance(value, types[kind]) and (kind == "boolean" or not isinstance(value, bool)), f"{place} is no {kind}: {value!r:.80}"
    if kind == "object":
        for name in schema.get("required", ()):
            assert name in value, f"{place} lacks {name}"
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema["additionalProperties"])
            assert inner, f"{place} has {name}"
            check_schema(inner, member, f"{place}.{name}")
    elif kind == "array":
        for index, member in enumerate(value):
            check_schema(schema["items"], member, f"{place}[{index}]")
    elif "enum" in schema:
        assert value in schema["enum"], f"{place} is {value}"
