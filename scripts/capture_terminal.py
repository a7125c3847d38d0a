#!/usr/bin/env python3
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""capture_terminal.py [--bin FOLDER] [--out FILE.md]: what kgen-search shows in a terminal, as text.

Runs searches on device host in tmux, at 80 and at 160 columns, with the builtin catalogue and with models that keep one
waiting, and writes what the screen showed to docs/terminal.md. Look at it after a change of lib/Report or of the
command line. Needs tmux and a build; takes two minutes, no card, no key, no network."""
import argparse
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class SlowModel(http.server.BaseHTTPRequestHandler):
    """A provider that is busy at first, and then thinks for a long time."""
    asked = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        SlowModel.asked += 1
        if SlowModel.asked == 1:
            self.send_response(429)
            self.send_header("Retry-After", "9")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        time.sleep(600)

    def log_message(self, *arguments):
        pass


class Terminal:
    """A command in a tmux of its own."""

    def __init__(self, folder, columns, lines, command, environment):
        self.socket = f"{folder}/tmux-{time.monotonic_ns()}"
        variables = [f"{name}={value}" for name, value in environment.items()]
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", folder,
                 "env " + " ".join(variables) + " " + command + "; sleep 600")

    def run(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], check=True, capture_output=True, text=True).stdout

    def screen(self, colours=False):
        text = self.run("capture-pane", "-p", *(["-e"] if colours else []))
        return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))

    def wait_for(self, pattern, seconds=120):
        """The screen as soon as PATTERN is on it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if re.search(pattern, screen):
                return screen
            time.sleep(0.2)
        sys.exit(f"capture_terminal.py: no {pattern!r} within {seconds} s on:\n{self.screen()}")

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    parser.add_argument("--out", default=str(ROOT / "docs/terminal.md"))
    arguments = parser.parse_args()
    if not shutil.which("tmux"):
        sys.exit("capture_terminal.py: no tmux on PATH")
    folder = tempfile.mkdtemp(prefix="kgen-terminal-")
    environment = {"PATH": f"{arguments.bin}:{os.environ['PATH']}", "KGEN_LIBRARY": "none",
                   "XDG_STATE_HOME": f"{folder}/state", "HOME": os.environ.get("HOME", folder)}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    search = "kgen-search --problem conv_relu_maxpool --device host --rounds 1 --ideas 4 --variants 2 --out runs/"
    model = ("kgen-search --problem softmax --device host --rounds 1 --max-minutes 30 --allow-unconfined-compile "
             f"--llm chat:tortoise-2@http://127.0.0.1:{server.server_port} --out runs/model")
    person = "kgen-search --problem softmax --device host --rounds 1 --allow-unconfined-compile --llm dir:inbox --out runs/dir"
    sections = []
    terminals = []

    def capture(title, words, columns, lines, command, pattern, settle=0.0, seconds=180):
        terminal = Terminal(folder, columns, lines, command, environment)
        terminals.append(terminal)
        terminal.wait_for(pattern, seconds)
        time.sleep(settle)
        shown = command.replace(f":{server.server_port}", ":8080")
        sections.append((title, words, columns, shown, terminal.screen()))
        return terminal

    try:
        for columns in (80, 160):
            terminal = capture(f"A search at {columns} columns", "Some branches are measured, others are to come.", columns,
                               32, search + f"at-{columns}", r"round-01/b0[4-9].*(PASS|REJECT)", settle=0.5)
            if "\033[" not in terminal.screen(colours=True):
                sys.exit("capture_terminal.py: a terminal has colours, and none were seen")
            terminal.wait_for("by idea:", 240)
            sections.append((f"Its end at {columns} columns", "The same terminal, when the search is over.", columns, "",
                             terminal.screen()))
            terminal.close()
        terminal = capture("A model that is busy", "The provider answered 429 and asked for a pause.", 80, 16, model,
                           r"429, try 2 in", settle=2.2)
        terminal.wait_for(r"try 2\n?$", 60)
        time.sleep(4)
        sections.append(("A model that thinks", "The second try, some seconds later.", 80, "", terminal.screen()))
        terminal.close()
        capture("A person as the model", "The question lies in a file, and so will the answer.", 80, 16, person,
                r"waiting .*reply", settle=3).close()
        capture("The commands", "Help keeps to the terminal's width.", 80, 40, "kgen-search --help", "own --help").close()
    finally:
        for terminal in terminals:
            terminal.close()
        shutil.rmtree(folder, ignore_errors=True)
    with open(arguments.out, "w") as file:
        file.write("# What kgen-search shows in a terminal\n\nWritten by `scripts/capture_terminal.py` from screens of tmux on device "
                   "host; colours are left out (`NO_COLOR`, `TERM=dumb` and a pipe have none).\nTimes are those of one run on a "
                   "small machine.\n")
        for title, words, columns, command, screen in sections:
            file.write(f"\n## {title}\n\n{words}\n\n")
            if command:
                file.write(f"    {command}\n\n")
            file.write("```text\n" + screen + "\n```\n")
    print(arguments.out)


main()
