# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kgen.compile(..., offload=True) on a card: equal answers, and what a model takes of the card's memory.

Usage: card_offload.py [--batch N] [--device cuda:0]      ResNet-50 of the transformers package, its defaults, random weights, bf16, and fp32 with products in
TF32: strict fp32 prepares nothing of it.
KGEN_BIN and KGEN_RUNTIME name kgen's tools and its runtime. Exit 1 where an answer, or what is to be true of the memory, is wrong.

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
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--device", default="cuda:0")
    return parser.parse_args()


def measure(call, x):
    """(answer on the CPU, MB allocated between calls, MB at the peak of a call)."""
    import torch
    for _ in range(3):
        call(x)
    gc.collect()
    torch.cuda.synchronize(x.device)
    torch.cuda.reset_peak_memory_stats(x.device)
    allocated = torch.cuda.memory_allocated(x.device) / 1e6
    answer = call(x)[0]
    torch.cuda.synchronize(x.device)
    return answer.float().cpu(), allocated, torch.cuda.max_memory_allocated(x.device) / 1e6


def distance(found, expected):
    return ((found - expected).norm() / expected.norm()).item()


def check_states(compiled, module, x, bound):
    """What goes wrong when weights change, are called for by the original, or are captured; [] where nothing does."""
    import torch
    faults, offloaded = [], [weight for weight in module.parameters() if weight.device.type == "cpu"]
    if not offloaded:
        return ["nothing was offloaded"]
    here = torch.cuda.memory_allocated(x.device)
    offloaded[0].mul_(0.5)
    found = compiled(x)[0].float().cpu()
    if torch.cuda.memory_allocated(x.device) != here:
        faults.append("a call that prepared again left memory behind")
    # Another shape: the original, whose answer for the same rows is the same.
    twice = compiled(torch.cat([x, x]))[0][:len(x)].float().cpu()
    if distance(found, twice) > bound:
        faults.append(f"after a weight changed the answer is off by {distance(found, twice):.2g} of its norm")
    if any(weight.device.type == "cpu" for weight in module.parameters()):
        faults.append("a call of the original left weights off the card")
    compiled(x)
    if not all(weight.device.type == "cpu" for weight in offloaded):
        faults.append("weights did not go again")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed = compiled(x)[0]
    graph.replay()
    if distance(replayed.float().cpu(), found) > 1e-6:
        faults.append("a CUDA graph gives another answer")
    offloaded[0].mul_(2)
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            compiled(x)
        faults.append("preparing offloaded weights in a capture was not refused")
    except RuntimeError as error:
        if "offloaded changed" not in str(error):
            faults.append(f"a capture that prepares says: {error}")
    torch.cuda.synchronize(x.device)
    compiled(x)
    return faults


def main():
    options = parse()
    import torch
    import transformers
    import kgen
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    failed = False
    print(f"| ResNet-50, batch {options.batch}, {torch.cuda.get_device_name(options.device)} | allocated MB | peak MB of a call | off by |\n|---|---|---|---|")
    for dtype, bound in ((torch.float32, 1e-2), (torch.bfloat16, 5e-2)):
        rows, faults, expected = [], [], None
        for name in ("PyTorch", "kgen", "kgen, offload"):
            gc.collect()
            torch.cuda.empty_cache()
            torch.manual_seed(1)
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                module = transformers.ResNetModel(transformers.ResNetConfig()).eval().to(options.device, dtype)
                x = torch.randn(options.batch, 3, 224, 224, device=options.device, dtype=dtype)

                def call(x, module=module):
                    return module(x).to_tuple()
                compiled = None
                if name != "PyTorch":
                    compiled = kgen.compile(module, (x,), search="none", offload=name != "kgen")
                    call = lambda x, compiled=compiled: compiled(x).to_tuple()
                answer, allocated, peak = measure(call, x)
                expected = answer if expected is None else expected
                off = distance(answer, expected)
                rows.append((allocated, peak))
                print(f"| {name}, {str(dtype)[6:]} | {allocated:.1f} | {peak:.1f} | {off:.2g} |", flush=True)
                if off > bound:
                    faults.append(f"{name} is off by {off:.2g} of the answer's norm")
                if name == "kgen, offload":
                    print(f"{kgen.report(compiled)}", file=sys.stderr)
                    if compiled.misses:
                        faults.append(f"the original ran: {compiled.misses}")
                    faults += check_states(lambda x: compiled(x).to_tuple(), module, x, bound)
            del module, compiled, call, x
        if not rows[2][1] < rows[1][1]:
            faults.append("a call with offload peaks no lower")
        for fault in faults:
            failed = True
            print(f"WRONG: {str(dtype)[6:]}: {fault}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
