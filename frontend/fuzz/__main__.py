# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m fuzz: makes graphs, checks them in several processes, reduces what fails, and tells."""
import argparse
import collections
import json
import logging
import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import warnings

from fuzz.check import NOT_EXPORTED, ROOT, UNDETERMINED, VARIANT, Checker
from fuzz.generate import AIMED_SHARE, generate
from fuzz.ops import table
from fuzz.reduce import reduce_graph, size

# A worker holds torch's caches of exported graphs: it is replaced before they grow.
GRAPHS_PER_WORKER = 150
REDUCED_PER_SIGNATURE = 2
# No stage lasts so long: a worker that gives nothing for this time is lost.
LOST_SECONDS = 400


def _quiet():
    import torch
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)


_checker = None


def _prepare_checker(arguments):
    """This process's own; several devices are dealt out among the processes."""
    global _checker
    if _checker is None:
        _quiet()
        devices = arguments.device.split(",")
        number = multiprocessing.current_process()._identity[0]
        _checker = Checker(devices[number % len(devices)], arguments.ideas, arguments.prepare,
                           arguments.stages.split(","))


def _work(job):
    """One graph: what stages it passed, and its findings; None when the time was over before it began."""
    arguments, index = job
    if arguments.until and time.time() > arguments.until:
        return None
    _prepare_checker(arguments)
    graph = generate(arguments.seed, index, aimed=arguments.aimed)
    folder = pathlib.Path(arguments.out) / graph.name
    stages = collections.Counter()
    start = time.monotonic()
    findings = []
    try:
        findings = _checker.check(graph, folder, index, note=lambda stage: stages.update([stage]))
    except Exception as error:  # the fuzzer's own fault must not end the run
        stages.update([f"fuzzer failed: {type(error).__name__}: {error}"])
    if not findings and not arguments.prepare and not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return index, graph.ops(), stages, findings, time.monotonic() - start


def _reduce(job):
    """A smaller graph with the same kind of finding, written beside the first one."""
    arguments, index, finding = job
    _prepare_checker(arguments)
    graph = generate(arguments.seed, index, aimed=arguments.aimed)
    folder = pathlib.Path(arguments.out) / graph.name

    def fails(smaller):
        with tempfile.TemporaryDirectory() as scratch:
            found = _checker.check(smaller, scratch, index, only=finding.stage)
        return any(other.signature() == finding.signature() for other in found)

    small = reduce_graph(graph, fails, arguments.reduce_seconds)
    path = folder / "reduced.py"
    path.write_text(f"# {finding}\n{small.source()}")
    return index, finding, small.ops(), size(small), str(path)


def _parse(argv):
    parser = argparse.ArgumentParser(prog="fuzz_graphs.sh", description="Random op graphs through all of kgen.")
    parser.add_argument("count", nargs="?", type=int, default=200, help="graphs (200)")
    parser.add_argument("seed", nargs="?", default="0", help="same seed, same graphs (0)")
    parser.add_argument("--device", default="host", help="host or cuda:N; several, with commas between them, share the work")
    parser.add_argument("--ideas", type=int, default=2, help="ideas of the builtin catalogue for each graph (2)")
    parser.add_argument("--aimed", type=float, default=AIMED_SHARE, help=f"share of graphs that begin with a call for a variant of a kernel family that random "
                        f"shapes miss ({AIMED_SHARE})")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--first", type=int, default=0, help="number of the first graph (0)")
    parser.add_argument("--out", default=str(ROOT / "runs/fuzz"), help="folder for what failed (runs/fuzz)")
    parser.add_argument("--reduce-seconds", type=float, default=45, help="for making one failing graph small (45; 0: leave it)")
    parser.add_argument("--seconds", type=float, default=0, help="begin no further graph after so long; what was done is counted")
    parser.add_argument("--json", help="file for the counts and the findings (OUT/summary.json)")
    parser.add_argument("--stages", default="oracle,kernels,network", help="what is checked of each graph (default: oracle,kernels,network)")
    parser.add_argument("--stop", action="store_true", help="stop at the first finding")
    parser.add_argument("--prepare", action="store_true", help="write candidates and leave measuring to a machine with a card")
    parser.add_argument("--keep", action="store_true", help="keep the folders of graphs that passed")
    arguments = parser.parse_args(argv)
    if arguments.prepare and arguments.device == "host":
        arguments.device = "cuda:0"
    arguments.until = time.time() + arguments.seconds if arguments.seconds else 0
    os.environ.setdefault("KGEN_THREADS", str(max(1, len(os.sched_getaffinity(0)) // arguments.jobs)))
    return arguments


def _leave_signals_to_parent():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _pool(arguments):
    return multiprocessing.get_context("fork").Pool(arguments.jobs, _leave_signals_to_parent, maxtasksperchild=GRAPHS_PER_WORKER)


class _Ended(Exception):
    """Ctrl-C, or a SIGTERM."""


def _end(number, frame):
    signal.signal(number, signal.SIG_DFL)  # a second one ends at once
    raise _Ended


def _run(arguments):
    """All graphs; returns (counts by stage, ops, findings as (index, finding), what was left out by graph)."""
    stages, ops, found, left_out = collections.Counter(), collections.Counter(), [], {}
    start = time.monotonic()

    jobs = [(arguments, index) for index in range(arguments.first, arguments.first + arguments.count)]
    with _pool(arguments) as pool:
        done = 0
        results = pool.imap_unordered(_work, jobs)
        try:
            for _ in jobs:
                result = results.next(LOST_SECONDS)
                if result is None:
                    continue
                index, used, noted, findings, seconds = result
                done += 1
                told = [note for note in noted if note.startswith((UNDETERMINED, NOT_EXPORTED))]
                if told:
                    left_out[index] = told
                stages.update({note: count for note, count in noted.items() if note not in told})
                ops.update(used)
                for finding in findings:
                    found.append((index, finding))
                    print(f"g{index}: {finding}", flush=True)
                if found and arguments.stop:
                    break
                if done % 50 == 0:
                    rate = done / (time.monotonic() - start)
                    print(f"-- {done} graphs, {len(found)} findings, {rate:.2f} graphs/s", flush=True)
        except multiprocessing.TimeoutError:
            stages.update([f"fuzzer failed: no process gave anything for {LOST_SECONDS} s"])
        except _Ended:
            print("ended by a signal: graphs under way are given up, what was done is counted", flush=True)
            stages["ended"] = 1
    stages["graphs"] += done
    return stages, ops, found, left_out


def _tell_left_out(left_out):
    """Counts for the summary of what was not compared, graph by graph in full."""
    for index, told in sorted(left_out.items()):
        print(f"g{index} left out: {'; '.join(told)}")
    return {kind.rstrip(": "): sum(any(note.startswith(kind) for note in told) for told in left_out.values())
            for kind in (UNDETERMINED, NOT_EXPORTED)}


def _reduce_findings(arguments, found):
    by_signature = collections.defaultdict(list)
    for index, finding in sorted(found, key=lambda pair: pair[0]):
        if finding.kind != "refused":  # its message names the line
            by_signature[finding.signature()].append((arguments, index, finding))
    jobs = [job for group in by_signature.values() for job in group[:REDUCED_PER_SIGNATURE]]
    with _pool(arguments) as pool:
        reduced = pool.imap_unordered(_reduce, jobs)
        try:
            for _ in jobs:
                index, finding, ops, (calls, results, elements), path = reduced.next(LOST_SECONDS)
                print(f"reduced g{index} to {calls} calls ({', '.join(ops)}), {results} results, {elements} elements: {path}\n"
                      f"    {finding}", flush=True)
        except multiprocessing.TimeoutError:
            print("a process that made a graph small is lost")
        except _Ended:
            print("ended by a signal: what failed is not made any smaller", flush=True)
    return by_signature


def main(argv=None):
    arguments = _parse(argv)
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    for name in table()[1]:
        print(f"no line in fuzz/ops.py calls aten.{name}")
    start = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    stages, ops, found, left_out = _run(arguments)
    if found and arguments.reduce_seconds and not arguments.prepare and not stages["ended"]:
        _reduce_findings(arguments, found)
    kinds = collections.Counter(finding.kind for _, finding in found)
    signatures = collections.Counter(finding.signature() for _, finding in found)
    print("\nfindings by kind and stage")
    for signature, count in signatures.most_common():
        print(f"{count:5}  {signature}")
    never = sorted(set(table()[0]) - set(ops))
    if never:
        print(f"never called: {', '.join(never)}")
    internal = [stage for stage in stages if stage.startswith("fuzzer failed")]
    for stage in internal:
        print(f"{stages[stage]:5}  {stage}")
    not_compared = _tell_left_out(left_out)
    passed = {stage.removeprefix(VARIANT): count for stage, count in sorted(stages.items()) if stage.startswith(VARIANT)}
    print("kernels that passed, by variant: " + ", ".join(f"{count} {variant}" for variant, count in passed.items()))
    summary = {"graphs": stages["graphs"], "imported": stages["import"], "oracle agrees": stages["oracle"],
               "kernels PASS": stages["PASS"], "UNSUPPORTED": stages["UNSUPPORTED"], "wrong": kinds["wrong"],
               "crashes": kinds["crash"], "hangs": kinds["hang"], "errors": kinds["error"], "refused": kinds["refused"],
               **not_compared, "ops": len(ops), "seconds": round(time.monotonic() - start)}
    told = [{"graph": index, "kind": finding.kind, "stage": finding.stage, "message": finding.message} for index, finding in found]
    pathlib.Path(arguments.json or out / "summary.json").write_text(json.dumps(
        {"asked": arguments.count, "seed": arguments.seed, "device": arguments.device, **summary, "faults": internal,
         "findings": told, "left out": left_out, "signatures": signatures, "calls": ops, "variants": passed}, indent=1) + "\n")
    print(", ".join(f"{value} {key}" for key, value in summary.items()))
    return 1 if found or internal or stages["ended"] else 0


if __name__ == "__main__":
    sys.exit(main())
