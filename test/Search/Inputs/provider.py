"""provider.py COMMAND...: a Chat Completions server on loopback; {url} in COMMAND becomes its address.

It first answers 429, then with prose, then as asked: two ideas, of which one is a script that works and
one is a script with a mistake."""
import http.server
import json
import subprocess
import sys
import threading

IDEAS = {"ideas": [{"key": "row", "category": "parallel", "idea": "Let one thread reduce a whole row."},
                   {"key": "typo", "category": "memory", "idea": "A script that is not right."}]}
GOOD = '%d = transform.kgen.select "aten.softmax.int" in %f as generic\n'
BAD = '%d = transform.kgen.select "aten.softmax.int" in %f as warp_drive\n'
number = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global number
        number += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][1]["content"]
        if number == 1:
            self.send_response(429)
            self.send_header("retry-after-ms", "10")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if number == 2:
            content = "Of course! Let me think about tiles."
        elif 'stage "ideas"' in question:
            content = json.dumps(IDEAS)
        else:
            script = GOOD if "whole row" in question.split("# Question")[1] else BAD
            content = json.dumps({"materializations": [{"settings": "s", "directives": script, "cuda": "", "plan": ""}]})
        answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
code = subprocess.run([argument.replace("{url}", url) for argument in sys.argv[1:]]).returncode
sys.exit(code)
