# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen-eval --serve for the corpus: one evaluator in each thread, which keeps the oracle's answers from case to case.

A hostile candidate must not harm the evaluator that judges the next one, so an evaluator that ends before it is told to
is counted as a crash, and started once more.
"""
import json
import subprocess
import tempfile
import threading


class Evaluators:
    """Thread safe: every thread talks to an evaluator of its own."""

    def __init__(self, program, device):
        self.command = [program, "--serve", "--device", device]
        self.mine = threading.local()
        self.lock = threading.Lock()
        self.all = []
        self.started = self.crashes = 0

    def _start(self):
        self.mine.said = tempfile.TemporaryFile()
        # In a session of its own: Ctrl-C is for the caller.
        child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.mine.said,
                                 start_new_session=True)
        with self.lock:
            self.all.append(child)
            self.started += 1
        ready = json.loads(child.stdout.readline() or b"{}")
        if not ready.get("ready"):
            raise OSError(ready.get("error") or self._words())
        self.mine.child = child

    def _words(self):
        self.mine.said.seek(0)
        return self.mine.said.read().decode(errors="replace")

    def measure(self, job):
        """The answer's object and all that the evaluator printed. OSError when there is no evaluator."""
        if getattr(self.mine, "child", None) is None:
            self._start()
        child = self.mine.child
        try:
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            with self.lock:
                self.crashes += 1
            self.mine.child = None
            raise OSError("kgen-eval ended with status %s: %s" % (child.wait(), self._words()[-300:]))
        return json.loads(line), line.decode(errors="replace") + self._words()

    def reveal(self):
        """The seed of this thread's last inputs. What was told serves no other candidate, so its evaluator ends."""
        child, self.mine.child = getattr(self.mine, "child", None), None
        if child is None:
            return "unknown"
        child.stdin.write(b'{"reveal": true}\n')
        child.stdin.close()
        answer = json.loads(child.stdout.readline() or b"{}")
        child.wait()
        return answer.get("seed", "unknown").removeprefix("seed ")

    def close(self):
        for child in self.all:
            if not child.stdin.closed:
                child.stdin.close()
        for child in self.all:
            if child.wait() != 0:
                self.crashes += child.returncode < 0
            child.stdout.close()
