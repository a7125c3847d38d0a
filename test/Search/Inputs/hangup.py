"""hangup.py COMMAND...: runs COMMAND with a temporary folder of its own, sends SIGHUP when it has printed its first
branch, and says how it ended and what it left in that folder."""
import os
import signal
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": folder})
    for line in process.stdout:
        print(line, end="")
        if line.startswith("round-00"):
            process.send_signal(signal.SIGHUP)
    code = process.wait()
    print(f"exit {code}, left behind: {os.listdir(folder)}")
