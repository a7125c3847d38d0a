"""A provider that has every kind of trouble, and one that stays down."""
import http.server
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import threading

binaries, folder, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
device = sys.argv[4]
SCRIPT = '%d = transform.kgen.select "aten.sum.dim_IntList" in %f as generic\n'
questions = 0
down = False


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global questions
        questions += 1
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        trouble = "503" if down else {1: "429", 2: "503", 3: "reset", 4: "html"}.get(questions, "")
        if trouble == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        if trouble in ("429", "503"):
            self.send_response(int(trouble))
            self.send_header("retry-after-ms", "1")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if trouble == "html":
            text = "<html><body>Bad gateway</body></html>"
        else:
            ideas = 'stage \\"ideas\\"' in body
            content = ({"ideas": [{"key": "one", "category": "parallel", "idea": "Let one thread reduce a whole row."}]}
                       if ideas else
                       {"materializations": [{"settings": "s", "directives": SCRIPT, "cuda": "", "plan": ""}]})
            message = {"role": "assistant", "content": json.dumps(content)}
            text = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


def expect(condition, words):
    if not condition:
        print(words)
        sys.exit(1)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d/v1/chat/completions" % server.server_port


def call(*arguments):
    done = subprocess.run([binaries + "/kgen-search", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, NO_PROXY="127.0.0.1"))
    return done.returncode, done.stdout


def search(out):
    return call("--problem", str(root / "corpus/problems/rowsum.mlir"), "--device", device, "--rounds", "1", "--seeds", "1", "--ideas",
                "1", "--variants", "1", "--library", "none", "--llm", "chat:m", "--llm-url", url, "--out", str(out))


code, output = search(folder / "run")
expect(code == 0, "the search did not get over the trouble: " + output[-300:])
expect(questions == 6, "%d questions, expected 4 with trouble and 2 with answers" % questions)
down, questions = True, 0
code, output = search(folder / "down")
expect(code != 0 and 2 <= questions <= 7, "exit code %d after %d questions: %s" % (code, questions, output[-300:]))
down, questions = False, 100
code, output = call("resume", str(folder / "down"))
expect(code == 0, "resume failed: " + output[-300:])
print("4 troubles overcome; paused after a server that stays down, and resumed")
