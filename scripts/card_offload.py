# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile(..., offload=True) on a card: equal answers, and what a model takes of the card's memory.

Usage: card_offload.py [--model NAME] [--types bf16,fp32] [--batch N] [--device cuda:0] [--search MINUTES]      NAME: a model of tests/published.py, of published size with random
weights; resnet (ResNet-50) unless said. fp32 is with products in TF32: strict fp32 prepares nothing of ResNet-50.
Kernels are the catalogue's first ideas, or what a search of MINUTES found. KGEN_BIN and KGEN_RUNTIME name kgen's tools and its runtime. Exit 1 where an answer, or what is to be true of the memory, is wrong.

allocated: torch.cuda.memory_allocated between calls; peak: torch.cuda.max_memory_allocated of one call; both in MB, with the input.
"""
import argparse
import gc
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontend"))


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="resnet")
    parser.add_argument("--types", default="fp32,bf16", help="fp32, bf16 or both, by commas")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--search", type=float, help="minutes of search for the kernels (default: none)")
    return parser.parse_args()


def measure(call, inputs):
    """(answer on the CPU, MB allocated between calls, MB at the peak of a call)."""
    import torch
    device = inputs[0].device
    for _ in range(3):
        call(*inputs)
    gc.collect()
    torch.cuda.synchronize(device)
    torch.cuda.reset_peak_memory_stats(device)
    allocated = torch.cuda.memory_allocated(device) / 1e6
    answer = call(*inputs)
    torch.cuda.synchronize(device)
    return answer.float().cpu(), allocated, torch.cuda.max_memory_allocated(device) / 1e6


def distance(found, expected):
    return ((found - expected).norm() / expected.norm()).item()


def check_states(compiled, module, inputs, bound):
    """What goes wrong when weights change, are called for by the original, or are captured; [] where nothing does."""
    import torch
    faults, offloaded = [], [weight for weight in module.parameters() if weight.device.type == "cpu"]
    if not offloaded:
        return ["nothing was offloaded"]
    device = inputs[0].device
    here = torch.cuda.memory_allocated(device)
    offloaded[0].mul_(0.5)
    found = compiled(*inputs).float().cpu()
    if torch.cuda.memory_allocated(device) != here:
        faults.append("a call that prepared again left memory behind")
    # Another shape: the original, whose answer for the same rows is the same.
    twice = compiled(*(torch.cat([value, value]) for value in inputs))[:len(found)].float().cpu()
    if distance(found, twice) > bound:
        faults.append(f"after a weight changed the answer is off by {distance(found, twice):.2g} of its norm")
    if any(weight.device.type == "cpu" for weight in module.parameters()):
        faults.append("a call of the original left weights off the card")
    compiled(*inputs)
    if not all(weight.device.type == "cpu" for weight in offloaded):
        faults.append("weights did not go again")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed = compiled(*inputs)
    graph.replay()
    if distance(replayed.float().cpu(), found) > 1e-6:
        faults.append("a CUDA graph gives another answer")
    offloaded[0].mul_(2)
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            compiled(*inputs)
        faults.append("preparing offloaded weights in a capture was not refused")
    except RuntimeError as error:
        if "offloaded changed" not in str(error):
            faults.append(f"a capture that prepares says: {error}")
    torch.cuda.synchronize(device)
    compiled(*inputs)
    return faults


def main():
    options = parse()
    import torch
    import kgen
    from tests.published import problem
    torch.cuda.set_device(options.device)  # CUDA graphs are captured there
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    failed = False
    print(f"| {options.model}, batch {options.batch}, {torch.cuda.get_device_name(options.device)} | allocated MB | peak MB of a call | off by |\n|---|---|---|---|")
    for kind in options.types.split(","):
        rows, faults, expected = [], [], None
        bound = {"fp32": 1e-2, "bf16": 5e-2}[kind]
        make, make_inputs = problem(options.model, options.batch, kind)
        for name in ("PyTorch", "kgen", "kgen, offload"):
            gc.collect()
            torch.cuda.empty_cache()
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                module = make().eval().to(options.device)
                inputs = [value.to(options.device) for value in make_inputs()]
                call = module
                if name != "PyTorch":
                    offload = name != "kgen"  # the kernels of its search are the first one's
                    search = "none" if options.search is None else "cached" if offload else options.search
                    call = kgen.compile(module, tuple(inputs), search=search, offload=offload)
                answer, allocated, peak = measure(call, inputs)
                expected = answer if expected is None else expected
                off = distance(answer, expected)
                rows.append((allocated, peak))
                print(f"| {name}, {kind} | {allocated:.1f} | {peak:.1f} | {off:.2g} |", flush=True)
                if off > bound:
                    faults.append(f"{name} is off by {off:.2g} of the answer's norm")
                if name == "kgen, offload":
                    print(f"{kgen.report(call)}", file=sys.stderr)
                    if call.misses:
                        faults.append(f"the original ran: {call.misses}")
                    faults += check_states(call, module, inputs, bound)
            del module, call, inputs
        if not rows[2][1] < rows[1][1]:
            faults.append("a call with offload peaks no lower")
        for fault in faults:
            failed = True
            print(f"WRONG: {kind}: {fault}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
