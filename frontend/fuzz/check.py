# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One graph through the whole of kgen: import, oracle against PyTorch, round 0, ideas, each with a verdict."""
import array
import contextlib
import io
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import threading
import time
import traceback
from dataclasses import dataclass

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from fuzz.graph import DTYPES, FLOATS, Leaf, WideGroups
from fuzz.sensitivity import slack
from kgen.errors import ImportRefused
from kgen.importer import import_file

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Both sides compute in fp64; they differ by the order of sums, which a few calls in a row magnify.
ORACLE_TOLERANCE = 1e-8
TOOL_SECONDS = 180  # beside other work a tool is slow; well below LOST_SECONDS of __main__.py
EVAL_SECONDS = 120


# What a graph's stages are counted as where a comparison was left out, and why: words for the summary follow.
UNDETERMINED = "undetermined: "
NOT_EXPORTED = "not exported: "
# And what a kernel is counted as that passed.
VARIANT = "variant: "

# Ideas whose variants few graphs allow: where there is one it is mostly among those that are tried.
RARE_IDEAS = """attention-tile channel-lanes cluster-tiles deeper-ring first-maximum fold-halves fold-outputs implicit-product keys-in-parts narrow-promotion
    pool-pixels row-on-chip row-over-cluster row-ring scores-in-registers shifted-halves shifted-pixels softmax-over-cluster split-reduction split-rows
    turns-and-overlap warpgroup-attention warpgroup-ring warpgroup-rows warpgroups wmma""".split()

# The stage that lowers a network with another order of its images.
CHANNELS_LAST = "channels-last"
# The stage that cuts a graph into tasks and puts their first kernels together, and how many graphs go through it.
NETWORK, NETWORK_SHARE = "network", 1 / 3
# Words of refusals that are none of a graph's.
NOTHING_TO_TRY = ("has no legal materialisation", "expected a conv2d of at least 16 channels in another order, found none",
                  "expected results that a task computes, found an argument of the graph", "expected different results, found one twice")

# torch.export keeps what it does in globals.
_exporting = threading.Lock()


@dataclass(frozen=True)
class Finding:
    """What went wrong with a graph.

    kind   refused, crash, hang, wrong, error
    stage  import, oracle, or a candidate's name: round-0, idea KEY
    """

    kind: str
    stage: str
    message: str

    def signature(self):
        """Alike for findings that look alike: numbers and names are left out."""
        words = re.sub(r"(?<![A-Za-z])-?\d[\w.+-]*|\bout\d+|-?\b(?:nan|inf)\b|'[^']*'|%\w+|\bg\d+\w*", "#", self.message.splitlines()[0] if self.message else "")
        stage = "idea" if self.stage.startswith("idea") else self.stage
        return f"{self.kind}/{stage}: {words[:100]}"

    def __str__(self):
        return f"{self.kind} at {self.stage}: {self.message}"


class NotExported(Exception):
    """PyTorch computes a graph, but its own exporter fails, or gives a result another shape than PyTorch does: that is no fault of kgen's."""


class Stop(Exception):
    """A stage ended with a finding."""

    def __init__(self, kind, stage, message):
        super().__init__(message)
        self.finding = Finding(kind, stage, message)


def tool(name):
    """A tool of $KGEN_BIN, of the PATH or of the build here."""
    if os.environ.get("KGEN_BIN"):
        return os.path.join(os.environ["KGEN_BIN"], name)
    return shutil.which(name) or str(ROOT / "build/bin" / name)


def run_tool(stage, name, *arguments, stdin=None):
    """The standard output of a tool of kgen's; raises Stop when it does not end well."""
    try:
        done = subprocess.run([tool(name), *arguments], input=stdin, capture_output=True, text=True, timeout=TOOL_SECONDS,
                              errors="replace")
    except subprocess.TimeoutExpired:
        raise Stop("hang", stage, f"{name} runs longer than {TOOL_SECONDS} s") from None
    if done.returncode < 0 or done.returncode >= 128:
        where = next((line.strip() for line in done.stderr.splitlines() if "kgen::" in line or "mlir::" in line), "")
        raise Stop("crash", stage, f"{name} died of signal {-done.returncode} {where[-160:]}")
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines() or [""]
        raise Stop("error", stage, f"{name}: {lines[0].partition('error:')[2].strip() or lines[0]}")
    return done.stdout


class Evaluations:
    """A `kgen-eval --serve` that lives for many candidates, and is started anew when it dies or hangs."""

    def __init__(self, device):
        self._device = device
        self._process = None

    def measure(self, folder, graph, stage, whole=False):
        """The measurement of the candidate in FOLDER; raises Stop. WHOLE: what fails is kept with all that shows it again."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        job = {"folder": str(folder), "graph": str(graph), "time": False, "time_limit": 10, "compile_limit": 60}
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            answer = self._line(EVAL_SECONDS)
        except BrokenPipeError:
            answer = ""
        if answer is None:
            self.close()
            raise Stop("hang", stage, f"kgen-eval runs longer than {EVAL_SECONDS} s")
        if not answer:
            code = self._process.wait()
            self.close()
            raise Stop("crash", stage, f"kgen-eval ended with {code}")
        reply = json.loads(answer)
        if "error" in reply:
            raise Stop("error", stage, f"kgen-eval: {reply['error']}")
        if whole and reply["measurement"]["verdict"] not in ("PASS", "UNSUPPORTED"):
            self._keep(pathlib.Path(folder), answer)
        return reply["measurement"]

    def _keep(self, folder, answer):
        """Leaves beside the candidate what it got, and its inputs' seed, for `kgen-eval FOLDER --seed S`. Told, it serves no other."""
        (folder / "measurement.json").write_text(answer)
        self._process.stdin.write('{"reveal": true}\n')
        self._process.stdin.flush()
        said = self._line(EVAL_SECONDS)
        (folder / "seed").write_text((json.loads(said).get("seed", "") if said else "").removeprefix("seed ") + "\n")
        self.close()

    def _start(self):
        self._process = subprocess.Popen([tool("kgen-eval"), "--serve", "--device", self._device], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                         start_new_session=True)
        ready = self._line(EVAL_SECONDS)
        if not ready or "ready" not in json.loads(ready):
            raise RuntimeError(f"kgen-eval does not start on device {self._device}: {ready}")

    def _line(self, seconds):
        """One line of its output, empty when it ended, None when it is late."""
        until = time.monotonic() + seconds
        text = b""
        descriptor = self._process.stdout.fileno()
        while not text.endswith(b"\n"):
            if not select.select([descriptor], [], [], max(until - time.monotonic(), 0))[0]:
                return None
            part = os.read(descriptor, 1 << 16)
            if not part:
                return ""
            text += part
        return text.decode(errors="replace")

    def close(self):
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = None


def import_graph(path):
    """The MLIR text of the graph in the file PATH; raises Stop, or NotExported."""
    noise = io.StringIO()
    try:
        with _exporting, contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
            text = import_file(path)
            words = _shape_difference(text, path)
        if words:
            raise NotExported(words)
        return text
    except NotExported:
        raise
    except ImportRefused as refusal:
        if _is_exporters_own(refusal):
            raise NotExported(str(refusal)) from None
        kind = "refused" if refusal_place(refusal) else "error"
        raise Stop(kind, "import", str(refusal)) from None
    except Exception as error:  # whatever else it raises is a fault of the importer's
        raise Stop("crash", "import", f"{type(error).__name__}: {error}") from None


def _shape_difference(text, path):
    """What tells of a result whose shape in the graph TEXT is not that of PyTorch's own; empty where all are alike."""
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # a file that the caller trusts
    try:
        with torch.no_grad():
            result = scope["Model"](*scope["get_init_inputs"]()).eval()(*scope["get_inputs"]())
    except (NotImplementedError, RuntimeError):  # a type that PyTorch's CPU does not compute it in
        return ""
    types = re.findall(r"tensor<([^>]*)>", re.findall(r"^ *return .*$", text, re.MULTILINE)[-1])
    declared = [[int(extent) for extent in one.split("x")[:-1]] for one in types]
    computed = [list(one.shape) for one in (result if isinstance(result, (list, tuple)) else [result])]
    for i, (ours, theirs) in enumerate(zip(declared, computed)):
        if ours != theirs:
            return f"torch.export gives result {i} the shape {ours}, PyTorch computes {theirs}"
    return ""


def _is_exporters_own(refusal):
    """Whether REFUSAL tells of an exception that nothing of kgen's had a part in: it only called torch.export.export."""
    if refusal.__cause__ is None:
        return False
    frames = traceback.extract_tb(refusal.__cause__.__traceback__)
    kgens = [frame.name for frame in frames if pathlib.Path(frame.filename).parent == ROOT / "frontend/kgen"]
    return kgens == ["_export"] and f"{os.sep}torch{os.sep}" in frames[-1].filename


def refusal_place(refusal):
    """Whether a refusal says where: FILE or FILE:LINE in front."""
    return ".py" in str(refusal)


def arguments_of(text):
    """The graph's arguments, as MLIR TEXT declares them; their names are PyTorch's."""
    found = []
    for type_text, attributes in re.findall(r"%[\w.$-]+: tensor<([^>]*)>\s*(\{[^}]*\})", text):
        *extents, dtype = type_text.split("x")
        kind, a, b = re.search(r'kgen\.init = "(\w+)\(([^,]+), ([^)]+)\)"', attributes).groups()
        number = int if kind == "integer" else float
        name = re.search(r'kgen\.name = "([^"]*)"', attributes).group(1)
        found.append(Leaf(name, tuple(map(int, extents)), dtype, (kind, number(a), number(b)),
                          weight="kgen.parameter" in attributes, plain=name.startswith("p")))
    return found


def difference(found, expected, more=None):
    """Where and by how much two flat tensors differ, as words; empty when they agree. MORE: what each element may be off by besides."""
    expected = expected.double().flatten()
    if found.shape != expected.shape:
        return f"{found.numel()} elements, expected {expected.numel()}"
    more = torch.zeros_like(expected) if more is None else more.flatten()
    finite = expected.isfinite() & found.isfinite()
    same = (found == expected) | (found.isnan() & expected.isnan()) | more.isinf()
    yardstick = expected[finite & (more == 0)]
    scale = yardstick.abs().max().item() if yardstick.numel() else 0.0
    # What inputs near one leave when they cancel is fp64's own rounding.
    far = ~same & ~(finite & ((found - expected).abs() <= ORACLE_TOLERANCE * (scale + 1e-5) + more))
    if not bool(far.any()):
        return ""
    at = int(far.nonzero()[0])
    return f"element {at} is {found[at].item():.17g}, PyTorch has {expected[at].item():.17g}; {int(far.sum())} of " \
           f"{found.numel()} differ"


def model_answers(path, leaves, tensors):
    """What the file's Model computes in fp64 from TENSORS, a list in the order of LEAVES."""
    source = path.read_text()
    for dtype in FLOATS:
        source = source.replace(f"\n{dtype} = {DTYPES[dtype]}\n", f"\n{dtype} = torch.float64\n")
    scope = {}
    exec(compile(source, str(path), "exec"), scope)  # a file that the caller trusts
    model = scope["Model"](*scope["get_init_inputs"]()).double().eval()
    wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors]
    weights = {leaf.name: tensor for leaf, tensor in zip(leaves, wide) if leaf.weight}
    inputs = [tensor for leaf, tensor in zip(leaves, wide) if not leaf.weight]
    # The other kernels for attention have their own minds about NaN and infinite scores.
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), WideGroups():
        result = torch.func.functional_call(model, weights, tuple(inputs))
    return list(result) if isinstance(result, (list, tuple)) else [result]


def check_oracle(path, mlir, text, seed, folder, note):
    """The oracle against PyTorch's fp64 answers, on inputs of each kind. Where PyTorch's own rounding decides, NOTE is told, and
    less is asked for."""
    leaves, kinds = arguments_of(text), ("declared", "special", "integer")
    jobs, wanted, slacks = "", [], []
    for kind in kinds:
        generator = torch.Generator().manual_seed(seed)
        tensors = [leaf.draw(generator, kind) for leaf in leaves]
        wanted.append(model_answers(path, leaves, tensors))
        slacks.append(slack(lambda: model_answers(path, leaves, tensors), ORACLE_TOLERANCE))
        for i, more in enumerate(slacks[-1]):
            if bool(more.any()):
                note(f"{UNDETERMINED}{kind} inputs, result {i}, {int((more > 0).sum())} of {more.numel()} elements")
        place = folder / f"oracle-{kind}"
        place.mkdir(exist_ok=True)
        for i, tensor in enumerate(tensors):
            with open(place / f"in{i}.bin", "wb") as file:
                array.array("d", tensor.double().flatten().tolist()).tofile(file)
        jobs += f"{place}\t{place}\n"
    said = run_tool("oracle", "kgen-oracle", str(mlir), "--jobs", "-", stdin=jobs)
    for line in said.splitlines():
        if line != "ok":
            raise Stop("error", "oracle", line)
    for kind, expected, allowed in zip(kinds, wanted, slacks):
        for i, (tensor, more) in enumerate(zip(expected, allowed)):
            path = folder / f"oracle-{kind}" / f"out{i}.bin"
            values = array.array("d")
            values.frombytes(path.read_bytes())
            words = difference(torch.tensor(values.tolist(), dtype=torch.float64), tensor, more)
            if words:
                raise Stop("wrong", "oracle", f"{kind} inputs, result {i}: {words}")


def lower(stage, mlir, folder, *options):
    """A candidate in FOLDER: the annotated graph, kernel.cu and plan.json."""
    folder.mkdir(parents=True, exist_ok=True)
    run_tool(stage, "kgen-opt", "--mlir-disable-threading", str(mlir), *options, "-o", str(folder / "lowered.mlir"))
    for flag, name in (("--kgen-to-cuda", "kernel.cu"), ("--kgen-to-plan", "plan.json")):
        run_tool(stage, "kgen-translate", flag, str(folder / "lowered.mlir"), "-o", str(folder / name))


def put_together(mlir, folder, target):
    """A candidate in FOLDER: the first kernels for TARGET of the graph's tasks. A graph that is not cut is looked at by the other stages."""
    said = run_tool(NETWORK, "kgen-search", "first", "--problem", str(mlir), "--target", target, "--out", str(folder))
    if said.startswith("not cut: "):
        raise Stop("error", NETWORK, said.splitlines()[0])


def idea_keys(mlir, device):
    """The keys of the builtin catalogue's ideas for this graph."""
    try:
        run_tool("ideas", "kgen-opt", "--mlir-disable-threading", str(mlir), f"--kgen-materialize-idea=provider=builtin device={device} idea=?", "-o",
                 os.devnull)
    except Stop as stop:
        found = re.search(r"for this graph, found (.*)", stop.finding.message)
        if not found:
            raise
        return [] if found.group(1) == "none" else found.group(1).split(", ")
    return []


def variants(text):
    """The variants of kernel families that the lowered graph TEXT has kernels of, as far as its schedules tell them apart."""
    found = set()
    for schedule in re.findall(r"#kgen\.schedule<([^>]*)>", text):
        keys = dict(part.split(" = ", 1) for part in re.split(r", (?![^\[]*\])", schedule))
        family, mma = keys["family"], keys.get("mma", "none")
        variant = {"none": "simt"}.get(mma, mma)
        if family == "gemm" and keys.get("split_at") == "cluster":
            variant = "cluster"
        elif family == "conv" and mma == "wgmma" and keys.get("pipeline") == "tma":
            variant = "implicit"
        elif family == "conv" and keys.get("im2col") == "halo":
            variant = "halo"
        elif family == "conv" and mma == "none" and "tile" not in keys:
            variant = "depthwise"
        elif family == "row":
            variant = "split" if keys.get("split_rows", "1") != "1" else keys.get("resident", "none")
        found.add(f"{family}/{variant}" if family in ("gemm", "conv", "attention", "row") else family)
    return found


# What the verifier adds where inputs that are timed cannot tell.
SAYS_NOTHING = "computed in the types that the graph declares, output", "another order of the same products and sums takes"


def judge(measurement, stage):
    """Raises Stop unless the verdict is one of a right kernel, or of one that this device cannot run."""
    verdict, detail = measurement["verdict"], measurement.get("detail", "")
    if verdict in ("PASS", "UNSUPPORTED"):
        return verdict
    # The verifier computed the answer in the graph's own types, as PyTorch does, and lost it, too, or another order loses it on what is timed: this says nothing of a kernel.
    if any(words in detail for words in SAYS_NOTHING):
        return "UNSUPPORTED"
    kind = {"TIMEOUT": "hang", "FAULT": "crash"}.get(verdict, "wrong")
    raise Stop(kind, stage, f"{verdict}: {detail}")


class Checker:
    """Takes graphs through all stages; keeps one evaluation process."""

    def __init__(self, device="host", ideas=2, prepare=False, stages=("oracle", "kernels")):
        self._evaluations = Evaluations(device)
        self._device = "host" if device == "host" else "cuda"
        self._ideas = ideas
        self._prepare = prepare
        self._stages = stages

    def close(self):
        self._evaluations.close()

    def check(self, graph, folder, seed=0, only=None, note=lambda stage: None):
        """The findings on GRAPH, with files in FOLDER; ONLY a stage of that name after what it needs."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "model.py"
        path.write_text(graph.source())
        return self.check_file(path, folder, seed, only, note)

    def check_file(self, path, folder, seed=0, only=None, note=lambda stage: None):
        """The same for a file in the benchmark's form or, without a comparison with PyTorch, an op graph."""
        folder = pathlib.Path(folder)
        findings = []
        try:
            if path.suffix == ".mlir":
                mlir = path
            else:
                text = import_graph(path)
                mlir = folder / "graph.mlir"
                mlir.write_text(text)
                note("import")
                if only == "oracle" or (only is None and "oracle" in self._stages):
                    check_oracle(path, mlir, text, seed, folder, note)
                    note("oracle")
        except NotExported as failure:
            note(f"{NOT_EXPORTED}{failure}")
            return []
        except Stop as stop:
            return [stop.finding]
        for stage, options in self._candidates(mlir, folder, seed, only, findings):
            try:
                place = folder / stage.replace(" ", "-").replace(":", "-")
                if stage == NETWORK:
                    put_together(mlir, place, *options)
                else:
                    lower(stage, mlir, place, *options)
                if self._prepare:
                    continue
                verdict = judge(self._evaluations.measure(place, mlir, stage, only is None), stage)
                note(verdict)
                if stage == NETWORK and verdict == "PASS":
                    note(f"{VARIANT}network")
                elif verdict == "PASS":
                    for variant in variants((place / "lowered.mlir").read_text()):
                        note(f"{VARIANT}{variant}")
            except Stop as stop:
                if not any(words in stop.finding.message for words in NOTHING_TO_TRY):
                    findings.append(stop.finding)
        return findings

    def _candidates(self, mlir, folder, seed, only, findings):
        """Stage names and options of kgen-opt (of NETWORK the target): round 0, some graphs' tasks and some ideas, by SEED."""
        if only is None and "kernels" not in self._stages:
            return
        if only in (None, "round-0"):
            yield "round-0", ["--kgen-lower"]
        if only in (None, CHANNELS_LAST) and "aten.conv2d" in mlir.read_text():
            script = folder / "channels-last.script"
            script.write_text("transform.kgen.channels_last %f\n")
            yield CHANNELS_LAST, [f"--kgen-apply-directives=script={script}", "--kgen-lower"]
        rng = random.Random(f"{NETWORK} {seed}")  # a stage more does not change what else is drawn
        if only == NETWORK or (only is None and NETWORK in self._stages and rng.random() < NETWORK_SHARE):
            yield NETWORK, [rng.choice(["host", "sm_90a"])]
        chosen = []
        if only is None and self._ideas:
            rng = random.Random(seed)
            try:
                for device in sorted({self._device, rng.choice(["host", "cuda"])}):
                    chosen += [f"idea {device}:{key}" for key in idea_keys(mlir, device)]
            except Stop as stop:
                findings.append(stop.finding)
            rng.shuffle(chosen)
            rare = [stage for stage in chosen if stage.rpartition(":")[2] in RARE_IDEAS]
            if rare and rng.random() < 0.7:
                chosen.insert(0, chosen.pop(chosen.index(rare[0])))
            chosen = [f"{stage}:{rng.choice((0, 0, 1, 2, 4))}" for stage in chosen[:self._ideas]]
        elif only and only.startswith("idea "):
            chosen = [only]
        for stage in chosen:
            device, key, *variant = stage[5:].split(":")
            number = int(variant[0]) if variant else 0
            yield stage, [f"--llm-lower=provider=builtin device={device} idea={key} variant={number}"]


