"""locked.py RUN: holds the lock of RUN and tries to resume it."""
import fcntl
import os
import subprocess
import sys

with open(os.path.join(sys.argv[1], "lock"), "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    sys.exit(subprocess.run(["kgen-search", "resume", sys.argv[1]]).returncode != 1)
