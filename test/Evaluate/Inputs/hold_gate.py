"""PyTorch's side of a card's gate: others wait, nobody inherits a lock, and what it waits does not count for an alarm."""
import os
import signal
import subprocess
import sys
import time
import types

sys.path.insert(0, sys.argv[1])
import card_gate

OTHER = "import sys; sys.path.insert(0, sys.argv[1]); import card_gate; g = card_gate.Gate.named()\n"
gate = card_gate.Gate.named()


def other(text):
    return subprocess.Popen([sys.executable, "-c", OTHER + text, sys.argv[1]], stdout=subprocess.PIPE, text=True)


# Who works beside others does not keep them out, who is alone does; one within another changes nothing.
with gate.work():
    with other("with g.work(): print('in')") as beside:
        assert beside.stdout.read() == "in\n"
with gate.alone(), gate.work():
    waits = other("print('asks', flush=True)\nwith g.work(): print('in')")
    assert waits.stdout.readline() == "asks\n"
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    forked = os.fork()
    if forked == 0:
        time.sleep(60)
        os._exit(0)
    time.sleep(0.3)
    assert waits.poll() is None
assert waits.communicate()[0] == "in\n"
with other("with g.alone(): print('in')") as alone:
    assert alone.stdout.read() == "in\n"
child.kill()
os.kill(forked, signal.SIGKILL)


class Rang(BaseException):
    pass


def ring(signum, frame):
    raise Rang()


signal.signal(signal.SIGALRM, ring)
holder = other("import time\nwith g.alone(): print('in', flush=True); time.sleep(0.6)")
assert holder.stdout.readline() == "in\n"
signal.setitimer(signal.ITIMER_REAL, 0.3)
with gate.work():
    pass
try:
    time.sleep(10)
    raise AssertionError("the alarm is lost")
except Rang:
    pass

# A function behind the gate, and a class without it.
depths = []
owner = types.SimpleNamespace(benchmark_gpu=lambda x: depths.append(gate.depth) or x)
sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: False))
card_gate.guard(owner, "benchmark_gpu", gate.work)
card_gate.guard(owner, "benchmark_many_gpu", gate.work)
assert owner.benchmark_gpu(3) == 3 and depths == [1] and gate.depth == 0
del os.environ["KGEN_GATE"]
with card_gate.Gate.named().alone():
    pass
print("took turns")
