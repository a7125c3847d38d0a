"""Lets the environment of another Python import this one's packages, after its own."""
import pathlib
import subprocess
import sys
import sysconfig

site = subprocess.check_output([sys.argv[1], "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True).strip()
pathlib.Path(site, "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
