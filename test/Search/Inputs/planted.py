"""planted.py FOLDER: plants a key and a file, lets hostile kernels and a hostile model look for them, and searches
every byte that was written, every line that was printed and the environment of every child.

The last line is `planted strings in 0 of N files, 0 of M child environments`."""
import glob
import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time

folder = os.path.abspath(sys.argv[1])
shutil.rmtree(folder, ignore_errors=True)
for name in ("run", "cache", "tmp", "home", "kernels"):
    os.makedirs(os.path.join(folder, name))
key, other, content = ("%040x" % random.SystemRandom().getrandbits(160) for _ in range(3))
planted_file = os.path.join(folder, "home", "id_ed25519")
with open(planted_file, "w") as file:
    file.write(content + "\n")

# What each kernel tries; the body then leaves what it found in the output and on every channel it has.
HEAD = """// kgen-idea: parallel: hostile {name}
// kgen-launch: kernel=hostile grid=64 block=32 args=in0,out0
{before}
extern "C" __global__ void hostile(const float *x, float *y) {{
  float *out = y + blockIdx.x * 4096;
  if (threadIdx.x == 0) {{ {body} }}
}}
"""
LIBC = 'extern "C" { int open(const char *, int, ...); long read(int, void *, unsigned long); ' \
       'long write(int, const void *, unsigned long); char *getenv(const char *); extern char **environ; ' \
       'int system(const char *); }'
LEAK = "char s[4096] = {0}; %s for (int i = 0; i < 4096; ++i) out[i] = s[i]; for (int fd = 1; fd < 4; ++fd) write(fd, s, 4096);"
hostile = {
    "include": ('#include "%s"' % planted_file, ""),
    "joined": ('#inc\\ \nlude "%s"' % planted_file, ""),
    "raw": ("int q = 'R\"(';\n#include \"%s\"\n// )\"" % planted_file, ""),
    "probe": ('#if __has_include("%s")\n#endif' % planted_file, ""),
    "embed": ('const char text[] = {\n#embed "%s"\n};' % planted_file, ""),
    "incbin": ('#define A(x, y) x##y\nA(as, m)(".section .data\\n.inc" "bin \\"%s\\"");' % planted_file, ""),
    "pragma": ('#pragma GCC pch_preprocess "%s"' % planted_file, ""),
    "constructor": (LIBC + "struct S { S() { system(\"cat %s > %s/tmp/stolen\"); } } s;" % (planted_file, folder), ""),
    "open": (LIBC, LEAK % ('int fd = open("%s", 0); if (fd >= 0) read(fd, s, 4096);' % planted_file)),
    "environ": (LIBC, LEAK % "int n = 0; for (char **e = environ; *e; ++e) for (char *c = *e; *c && n < 4095; ++c) s[n++] = *c;"),
    "getenv": (LIBC, LEAK % 'char *e = getenv("KGEN_PLANTED"); for (int i = 0; e && e[i]; ++i) s[i] = e[i];'),
    "proc": (LIBC, LEAK % 'int fd = open("/proc/self/environ", 0); if (fd >= 0) read(fd, s, 4096);'),
    "system": (LIBC, 'system("env; cat %s > %s/tmp/stolen");' % (planted_file, folder)),
}
arguments = []
for name, (before, body) in hostile.items():
    path = os.path.join(folder, "kernels", name + ".cu")
    with open(path, "w") as file:
        file.write(HEAD.format(name=name, before=before, body=body))
    arguments += ["--seed-kernel", path]


class Model(http.server.BaseHTTPRequestHandler):
    """Sends the key back in everything that it says."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        said = self.headers.get("Authorization", "")
        text = json.dumps({"ideas": [{"key": "echo", "category": "memory", "idea": "You sent " + said}]})
        answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                             "note": said}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        Model.asked = said

    def log_message(self, *args):
        pass


Model.asked = ""
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(folder, "home"), "TMPDIR": os.path.join(folder, "tmp"),
               "KGEN_CACHE_DIR": os.path.join(folder, "cache"), "KGEN_PLANTED": key, "AWS_SECRET_ACCESS_KEY": other,
               "KGEN_PASSWORD": other, "GH_TOKEN": other, "DATABASE_URL": "postgres://u:%s@h/d" % other}
environment.update({name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ})
out = os.path.join(folder, "out.txt")
with open(out, "wb") as log:
    search = subprocess.Popen(
        ["kgen-search", "--problem", "softmax", "--device", "host", "--rounds", "1", "--seeds", "1", "--ideas", "1",
         "--variants", "1", "--llm", "chat:m", "--llm-key-env", "KGEN_PLANTED", "--llm-url",
         "http://127.0.0.1:%d/v1/chat/completions" % server.server_port, "--out", os.path.join(folder, "run")] + arguments,
        env=environment, stdout=log, stderr=subprocess.STDOUT)

environments, parents, mapped = {}, {search.pid}, set()
while search.poll() is None:
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            pid = int(stat.split("/")[2])
            with open(stat) as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            if pid == search.pid:
                with open(f"/proc/{pid}/maps") as file:
                    mapped.update(line.split()[-1] for line in file if "libcuda" in line or "libnvrtc" in line)
            if parent not in parents:
                continue
            parents.add(pid)
            # Between fork and exec a child is still a copy of its parent.
            if os.readlink(f"/proc/{pid}/exe") != os.readlink(f"/proc/{search.pid}/exe"):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    environments[pid] = environments.get(pid, b"") + file.read()
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError, OSError):
            pass
    time.sleep(0.002)

planted = [text.encode() for text in (key, other, content)]
leaks, files = [], 0
for root, _, names in os.walk(folder):
    for name in names:
        path = os.path.join(root, name)
        if path == planted_file or os.path.islink(path):
            continue
        files += 1
        with open(path, "rb") as file:
            data = file.read()
        leaks += [path for text in planted if text in data]
with open(out) as file:
    print(file.read())
print("the model got its key:", "yes" if key in Model.asked else "no")
print("orchestrator maps:", " ".join(sorted(mapped)) or "no driver, no NVRTC")
leaky = [pid for pid, text in environments.items() if any(p in text for p in planted)]
for path in leaks:
    print("LEAK", path)
print(f"planted strings in {len(leaks)} of {files} files, {len(leaky)} of {len(environments)} child environments")
sys.exit(1 if leaks or leaky or not environments else 0)
