# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kgen apply RUN`: what searches found, kept by what the graph computes and not by what anything in it is called."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import tempfile

from kgen.errors import ImportRefused
from kgen.tools import run_tool

_FILES = ("kernel.cu", "plan.json", "graph.mlir", "annotated.mlir", "measurement.json", "idea.md")
#: A kernel of a stricter class is right in a wider one.
_ALSO = {"tf32": ("tf32", "strict-fp32")}


def cache_root():
    """$KGEN_CACHE_DIR, else ~/.cache/kgen."""
    root = os.environ.get("KGEN_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kgen")
    return pathlib.Path(root)


def canonical(text):
    """(words, order): TEXT, an op graph, without names, attributes and places; ORDER is the argument that stands in each position
    of the words, which number arguments in the order of their use."""
    printed = run_tool("kgen-opt", "-", text=text)
    head = re.search(r"func\.func @[^(]*\((.*?)\) -> .*?\{\n(.*)\n  \}", printed, re.S)
    if head is None:
        raise ImportRefused("expected one function with results")
    types = dict(re.findall(r"(%arg\d+): (tensor<[^>]*>)", head.group(1)))
    body = "\n".join(line.strip() for line in head.group(2).splitlines())
    order = list(dict.fromkeys(re.findall(r"%arg\d+\b", body)))
    order += [name for name in types if name not in order]
    number = {name: f"%a{position}" for position, name in enumerate(order)}
    body = re.sub(r"%arg\d+\b", lambda found: number[found.group()], body)
    words = "\n".join([*(f"{number[name]}: {types[name]}" for name in order), body])
    return words, [int(name[4:]) for name in order]


def _folder(words, precision, target):
    return cache_root() / "applied" / hashlib.sha256("\0".join([words, precision, target]).encode()).hexdigest()[:32]


def apply(run):
    """Makes RUN's best kernel known to kgen.compile(search="cached") and torch.compile(backend="kgen") on this machine; what was
    kept, in words. Raises ImportRefused, ToolFailed."""
    run = pathlib.Path(run)
    candidate = (run / "best" if (run / "best").exists() else run).resolve()
    if not (candidate / "plan.json").is_file():
        raise ImportRefused("expected a run folder with a best kernel, or a candidate, but found no plan.json", run)
    plan = json.loads((candidate / "plan.json").read_text())
    measurement = json.loads((candidate / "measurement.json").read_text()) if (candidate / "measurement.json").is_file() else {}
    if measurement.get("verdict") != "PASS":
        raise ImportRefused(f"its best kernel was not verified (its verdict is {measurement.get('verdict', 'missing')})", run)
    # A network's graph lies with its rounds.
    graph = next((place / "graph.mlir" for place in (candidate, run, run / "network") if (place / "graph.mlir").is_file()), None)
    if graph is None:
        raise ImportRefused("expected the run's graph.mlir", run)
    text = graph.read_text()
    words, order = canonical(text)
    target = "host" if measurement["device"].startswith("host") else plan["arch"]
    precision = plan["precision"]
    folder = _folder(words, precision, target)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as new:
        new = pathlib.Path(new)
        for name in [*_FILES, *plan.get("modules", [])]:
            if (candidate / name).is_file():
                shutil.copy(candidate / name, new)
        (new / "graph.mlir").write_text(text)
        (new / "applied.json").write_text(json.dumps({"order": order, "run": str(run.resolve()), "target": target}) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
        new.mkdir()  # for the context manager
    where = "on device host" if target == "host" else f"on {target}"
    allowed = {"tf32": ", where TF32 is allowed (torch.set_float32_matmul_precision(\"high\"), or precision=\"tf32\")"}.get(precision, "")
    return f"kept for {plan['problem']} {where}, precision class {precision}{allowed}: {folder}"


def applied_any():
    """Whether anything was applied here."""
    return (cache_root() / "applied").is_dir()


def lookup(text, precision, target):
    """(candidate folder, position in TEXT's arguments of each of the candidate's inputs) that was applied for the graph TEXT; None
    when there is none."""
    if not applied_any():
        return None
    words, order = canonical(text)
    for also in _ALSO.get(precision, (precision,)):
        folder = _folder(words, also, target)
        if (folder / "applied.json").is_file():
            theirs = json.loads((folder / "applied.json").read_text())["order"]
            # Their argument theirs[k] is this text's order[k].
            positions = [0] * len(order)
            for own, other in zip(order, theirs):
                positions[other] = own
            return folder, positions
    return None


def scaled(candidate):
    """How a candidate folder's products of float32 are computed where it is by scaled fp16, in words; None for others."""
    annotated, plan = pathlib.Path(candidate) / "annotated.mlir", pathlib.Path(candidate) / "plan.json"
    if not annotated.is_file() or not plan.is_file():
        return None
    text = annotated.read_text()
    if "wgmma" not in text or not any(buffer["dtype"] == "f32" for buffer in json.loads(plan.read_text())["inputs"]):
        return None
    return "sums of two scaled fp16 parts" if "fp16x3" in text else "scaled fp16 in the place of TF32"
