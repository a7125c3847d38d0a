# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gate by which PyTorch's runs and kgen's take turns on one card: include/kgen/Evaluate/CardGate.h in Python, and PyTorch's compiler behind it."""
import contextlib
import fcntl
import functools
import os
import pathlib
import signal


class Gate:
    """Locks on FILE and FILE.turn; without FILE nobody else is there. For one thread; the time that it waits does not count for an alarm."""

    def __init__(self, file=None):
        self.file, self.depth, self.held = file, 0, []
        # A forked copy that lives on would hold what this process has given back.
        os.register_at_fork(after_in_child=self.forget)

    @classmethod
    def named(cls, device="cuda:0"):
        """DEVICE's in the folder that KGEN_GATE names."""
        folder = os.environ.get("KGEN_GATE")
        if not folder:
            return cls()
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        return cls(f"{folder}/{device}")

    def forget(self):
        for handle in self.held:
            os.close(handle)
        self.held, self.depth, self.file = [], 0, None

    @contextlib.contextmanager
    def enter(self, how):
        self.depth += 1
        try:
            if self.depth == 1 and self.file:
                left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
                try:
                    # Closed in every program that this one starts.
                    self.held = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for name in (self.file, f"{self.file}.turn")]
                    card, turn = self.held
                    fcntl.flock(turn, fcntl.LOCK_EX)
                    fcntl.flock(card, how)
                    fcntl.flock(turn, fcntl.LOCK_UN)
                finally:
                    if left:
                        signal.setitimer(signal.ITIMER_REAL, left)
            yield
        finally:
            self.depth -= 1
            if self.depth == 0:
                for handle in self.held:
                    fcntl.flock(handle, fcntl.LOCK_UN)
                    os.close(handle)
                self.held = []

    def work(self):
        """Something runs on the card that nobody times."""
        return self.enter(fcntl.LOCK_SH)

    def alone(self):
        """Something is timed."""
        return self.enter(fcntl.LOCK_EX)


def guard(owner, name, place):
    """Has OWNER's function NAME, where there is one, run in PLACE(), until the card is through with it; while guard.off is true it runs as it is."""
    function = vars(owner).get(name)
    if not callable(function):
        return

    @functools.wraps(function)
    def within(*arguments, **named):
        if guard.off:
            return function(*arguments, **named)
        import torch
        with place():
            try:
                return function(*arguments, **named)
            finally:
                if torch.cuda.is_available():
                    torch.cuda.synchronize()

    setattr(owner, name, within)


guard.off = False  # while a caller that holds the gate times what is guarded


def guard_compiler(place, runs=False):
    """Has torch.compile run in PLACE() what it times while it compiles, and with RUNS what it has compiled, which is then not to be timed."""
    try:
        from torch._inductor.runtime import benchmarking
        kinds = [kind for kind in vars(benchmarking).values() if isinstance(kind, type) and issubclass(kind, benchmarking.Benchmarker)]
        for kind in kinds:
            for name in ("benchmark_gpu", "benchmark_many_gpu", "benchmark_gpu_with_cuda_graph"):
                guard(kind, name, place)
    except (ImportError, AttributeError):
        pass
    if not runs:
        return
    try:
        from torch._inductor import output_code
        guard(output_code.CompiledFxGraph, "__call__", place)
    except (ImportError, AttributeError):
        pass
