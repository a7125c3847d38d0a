"""slurm.py RUN: a search into RUN over three nodes of a Slurm that is started here, one of them killed in the middle.

Everything of the cluster lies in a temporary folder: its key, its sockets, its logs. It ends with this script."""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from journal import measured, records

run = sys.argv[1]
os.environ["PATH"] += ":/usr/sbin"
KEY = "sk-do-not-let-this-travel"
# What daemons leave behind becomes our child, so that it can be ended.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
root = tempfile.mkdtemp(prefix="kgen-slurm-")
os.chmod(root, 0o755)
environment = dict(os.environ, SLURM_CONF=f"{root}/slurm.conf", OPENAI_API_KEY=KEY, MY_TOKEN=KEY, SLURM_JWT=KEY)
plain = {name: value for name, value in environment.items() if KEY not in value}
daemons = {}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_cluster():
    host = socket.gethostname().split(".")[0]
    for folder in ("state", "munge"):
        os.mkdir(f"{root}/{folder}", 0o755)
    with open(os.open(f"{root}/munge/key", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
        file.write(os.urandom(1024))
    lines = f"""ClusterName=kgen
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool-%n
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd-%n.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd-%n.log
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
SelectType=select/cons_res
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=2
MessageTimeout=2
TCPTimeout=1
KillWait=1
MailProg=/bin/true
PropagateResourceLimits=NONE
""".splitlines()
    lines += [f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1 State=UNKNOWN" for i in (1, 2, 3)]
    lines += ["PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
    with open(f"{root}/slurm.conf", "w") as file:
        file.write("\n".join(lines) + "\n")
    commands = {"munged": ["munged", "--foreground", "--force", f"--key-file={root}/munge/key", f"--socket={root}/munge/socket",
                           f"--pid-file={root}/munge/pid", f"--log-file={root}/munge/log", f"--seed-file={root}/munge/seed"],
                "slurmctld": ["slurmctld", "-D"]}
    commands.update({f"n{i}": ["slurmd", "-D", "-N", f"n{i}"] for i in (1, 2, 3)})
    for name, command in commands.items():
        with open(f"{root}/{name}.out", "w") as out:
            daemons[name] = subprocess.Popen(command, env=plain, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if name == "munged":
            wait(lambda: os.path.exists(f"{root}/munge/socket"), 10, "munged")
    wait(lambda: ask("sinfo", "-h", "-o", "%t %D") == "idle 3", 30, "three idle nodes")
    print("three nodes are idle", flush=True)


def ask(*command):
    return subprocess.run(command, env=plain, capture_output=True, text=True, timeout=20).stdout.strip()


def wait(condition, seconds, what):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            sys.exit(f"slurm.py: no {what} after {seconds} s; squeue: {ask('squeue')}; sinfo: {ask('sinfo', '-N')}")
        time.sleep(0.05)


def processes():
    """Of the cluster: (pid, parent, environment)."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit():
                with open(f"/proc/{name}/environ", "rb") as file:
                    found = file.read()
                if f"SLURM_CONF={root}/".encode() in found:
                    with open(f"/proc/{name}/stat") as file:
                        yield int(name), int(file.read().rsplit(")", 1)[1].split()[1]), found
        except OSError:
            pass


def is_step(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().startswith("slurmstepd")
    except OSError:
        return False


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_node(node):
    """As when its power goes: the daemon, the steps and what they run, at once."""
    daemons[node].kill()
    victims = set()
    for pid, parent, found in processes():
        if f"SLURMD_NODENAME={node}\0".encode() in found:
            victims.add(pid)
            if is_step(parent):
                victims.add(parent)
    for pid in victims:
        end(pid)
    daemons[node].wait()


def devices():
    return [json.loads(record["text"])["device"] for record in records(run) if record["event"] == "measurement"]


seen = {}


def look_for_keys():
    for pid, _, found in processes():
        if b"SLURMD_NODENAME=" in found:
            seen[pid] = KEY.encode() in found


def words_of(log, *parts):
    with open(log) as file:
        return next((line.strip() for line in file if all(part in line for part in parts)), "nothing of it")


def all_evaluators_ready():
    return sum(b"SLURMD_NODENAME=" in found and not is_step(pid) for pid, _, found in processes()) >= 3


try:
    start_cluster()
    log = f"{root}/search.log"
    with open(log, "w") as out:
        search = subprocess.Popen(["kgen-search", "--problem", "softmax", "--device", "host*3", "--launcher", "slurm", "--rounds", "1",
                                   "--ideas", "5", "--variants", "2", "--out", run], env=environment, stdout=out, stderr=out)
    wait(lambda: search.poll() is not None or any("n2)" in d for d in devices()), 60, "candidate measured by node n2")
    look_for_keys()
    kill_node("n2")
    print("node n2 is killed with", measured(run), "measured", flush=True)
    at = measured(run)
    wait(lambda: search.poll() is not None or (measured(run) >= at + 2 and "started again" in words_of(log, "started again")), 60, "further candidate")
    print("the search says:", words_of(log, "started again"), flush=True)
    search.send_signal(signal.SIGTERM)
    search.wait()
    print("the search is interrupted with", measured(run), "measured", flush=True)
    wait(lambda: ask("squeue", "-h", "-t", "pending,running") == "", 15, "empty queue")
    print("no job is left", flush=True)
    log = f"{root}/resume.log"
    with open(log, "w") as out:
        code = subprocess.run(["kgen-search", "resume", run], env=environment, stdout=out, stderr=out).returncode
    print("resume says:", words_of(log, "is waited for"), flush=True)
    print("resume exits", code, flush=True)
    if code:
        print(open(log).read())
    branches = {record["id"] for record in records(run) if record["event"] == "branch"}
    done = {record["id"]: json.loads(record["text"]) for record in records(run) if record["event"] == "measurement"}
    faults = [m for m in done.values() if "could not be measured" in m.get("detail", "")]
    print(f"not measured: {len(branches - set(done))}, without a fault of theirs: {len(faults)}")
    print("nodes:", " ".join(sorted({device.rpartition(", ")[2].rstrip(")") for device in devices() if ", n" in device})))
    print("keys seen by evaluators:", sum(seen.values()), "of", len(seen))
    wait(lambda: ask("squeue", "-h", "-t", "pending,running") == "", 15, "empty queue")
    print("no job is left")
finally:
    for pid, _, _ in list(processes()):
        if pid != os.getpid():
            end(pid)
    for daemon in daemons.values():
        daemon.kill()
        daemon.wait()
    shutil.rmtree(root, ignore_errors=True)
