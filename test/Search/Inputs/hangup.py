"""hangup.py [--ignored] COMMAND...: runs COMMAND with a temporary folder of its own, sends SIGHUP when it has printed
its first branch, and says how it ended and what it left in that folder. COMMAND begins with the signal's default
action, whatever this process was started with (nohup has it ignored); with --ignored it begins as under nohup."""
import os
import signal
import subprocess
import sys
import tempfile

arguments = sys.argv[1:]
ignored = arguments[0] == "--ignored"
if ignored:
    arguments.pop(0)
# A disposition of SIG_DFL or SIG_IGN is inherited through exec.
signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)

with tempfile.TemporaryDirectory() as folder:
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": folder})
    for line in process.stdout:
        print(line, end="")
        if line.startswith("round-00"):
            process.send_signal(signal.SIGHUP)
    code = process.wait()
    print(f"exit {code}, left behind: {os.listdir(folder)}")
