# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""more_time.py RUN MINUTES: goes on with RUN for MINUTES more than it has taken, which on a busy machine is more than it was given."""
import re
import subprocess
import sys

run, minutes = sys.argv[1:]
resume = ["kgen-search", "resume", run, "--max-minutes"]
refusal = subprocess.run([*resume, "0.01"], capture_output=True, text=True).stderr
taken = float(re.search(r"has taken (\S+) of its 0.01 minutes", refusal).group(1))
sys.exit(subprocess.run([*resume, f"{1.05 * taken + float(minutes):.2f}"]).returncode)
