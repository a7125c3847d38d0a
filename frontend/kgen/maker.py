# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of a piece of a graph, as bundles: what a search found, the catalogue's first ideas, or generic ones."""
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import tempfile

import torch

from kgen.applied import apply, applied_any, cache_root, lookup, scaled
from kgen.errors import ImportRefused
from kgen.runtime import Bundle, RuntimeFailed
from kgen.tools import ToolFailed, find_tool, run_tool

#: What computes a segment that nobody searched for: what the catalogue holds for the best, or the kernels that take any graph.
KERNELS = ("first", "generic")


def cache_folder():
    """Where bundles are kept, by what is in them."""
    return cache_root() / "bundles"


def default_kernels(device):
    """What computes a segment that nobody searched for: $KGEN_KERNELS, else the catalogue's first ideas on a card, where they are many
    times as fast, and generic kernels on device host, where answers count."""
    kernels = os.environ.get("KGEN_KERNELS") or ("generic" if device.type == "cpu" else "first")
    if kernels not in KERNELS:
        raise ValueError(f"KGEN_KERNELS is {kernels!r}, expected \"first\" or \"generic\"")
    return kernels


class Maker:
    """Makes bundles of graphs, each text once. `notes`: what could not be searched or made, and why."""

    def __init__(self, device, search, precision, kernels):
        self.device, self.search, self.precision = device, search, precision
        self.kernels = kernels or default_kernels(device)
        self.target = "host" if device.type == "cpu" else self._architecture()
        self.notes = []

    @property
    def searches(self):
        """Whether minutes of search were asked for."""
        return isinstance(self.search, (int, float))

    def takes_first_ideas(self):
        """Whether all kernels are the catalogue's first ideas, as none can have been found."""
        return self.kernels == "first" and (self.search == "none" or (self.search == "cached" and not applied_any()))

    def bundles(self, texts):
        """{text: its Bundle, or the error that stands in its place}; compiled side by side."""
        def make(text):
            try:
                return self._bundle(lambda: self._folder(text))
            except (ToolFailed, RuntimeFailed) as error:
                return error
        texts = sorted(texts)
        # One search at a time: they time what they find.
        workers = 1 if self.searches else os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return dict(zip(texts, pool.map(make, texts)))

    def generic(self, text):
        """The bundle of TEXT's generic kernels. Raises ToolFailed, RuntimeFailed."""
        return self._bundle(lambda: self._round0(text))

    def whole(self, text):
        """The bundle of TEXT, all of a graph, by the catalogue's first ideas. Raises ToolFailed, RuntimeFailed."""
        return self._bundle(lambda: self._firsts(text))

    @staticmethod
    def _bundle(make):
        """The Bundle in what MAKE, as _folder(), gives."""
        folder, positions, how = make()
        try:
            bundle = Bundle(folder)
        except RuntimeFailed:
            # Damaged, or of another version: what can be made again is no reason to do without.
            shutil.rmtree(folder, ignore_errors=True)
            bundle = Bundle(make()[0])
        bundle.positions, bundle.scaled = positions, how
        bundle.kind = folder.name.rpartition("-")[2]
        return bundle

    def found(self, text):
        """What was applied for TEXT, as lookup() has it, unless the search is "none"."""
        if self.search == "none":
            return None
        # Without a class in the text, the types say it.
        precision = self.precision or ("fp16" if "xf16>" in text else "bf16" if "xbf16>" in text else "strict-fp32")
        return lookup(text, precision, self.target)

    def searched(self, text, otherwise):
        """What a search of TEXT found, as lookup() has it; None, and a note that begins with OTHERWISE, where it found nothing."""
        try:
            self._search(text)
            return self.found(text)
        except (ToolFailed, ImportRefused) as error:
            self.notes.append(f"{otherwise}: {error}")
            return None

    def _folder(self, text):
        """(bundle's folder, which argument of TEXT each of its inputs is, None for the same, how products are scaled)."""
        found = self.found(text)
        if found is None and self.searches:
            found = self.searched(text, "a search failed, its kernel is the first one")
        if found is not None:
            candidate, positions = found
            words = "".join(path.read_text() for path in sorted(candidate.glob("*.cu"))) + (candidate / "plan.json").read_text()
            try:
                return self._kept(words, "applied", lambda work: shutil.copytree(candidate, work, dirs_exist_ok=True)), positions, scaled(
                    candidate)
            except ToolFailed as error:
                self.notes.append(f"what was applied for a kernel does not compile any more: {error}")
        if self.kernels == "first":
            try:
                return self._firsts(text)
            except ToolFailed as error:
                self.notes.append(f"a segment has generic kernels: {error}")
        return self._round0(text)

    def _firsts(self, text):
        count = self._multiprocessors()
        folder = self._kept(f"{text}\0{count}", "first", lambda work: self._first(text, count, work))
        return folder, None, scaled(folder)

    def _round0(self, text):
        return self._kept(text, "round0", lambda work: self._lower(text, work)), None, None

    def _kept(self, words, kind, make):
        """The bundle of WORDS, made from the candidate that MAKE puts into a folder where there is none yet."""
        key = hashlib.sha256("\0".join([words, self.target, self._tools()]).encode()).hexdigest()[:32]
        folder = cache_folder() / f"{key}-{kind}"
        if not (folder / "bundle.json").exists():
            with tempfile.TemporaryDirectory(prefix="kgen-") as work:
                make(pathlib.Path(work))
                self._install(pathlib.Path(work), self.target, folder)
        return folder

    def _architecture(self):
        major, minor = torch.cuda.get_device_capability(self.device)
        return f"sm_{major}{minor}" + ("a" if major >= 9 else "")

    def _multiprocessors(self):
        """How many the card has; None on device host."""
        return None if self.target == "host" else torch.cuda.get_device_properties(self.device).multi_processor_count

    @staticmethod
    def _tools():
        """Names the tools that wrote a bundle: other ones may write another text."""
        if Maker.version is None:
            digest = hashlib.sha256()
            for name in ("kgen-opt", "kgen-translate", "kgen-search"):
                digest.update(run_tool(name, "--version").encode())
                facts = os.stat(find_tool(name))
                digest.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())
            Maker.version = digest.hexdigest()
        return Maker.version

    version = None

    @staticmethod
    def _lower(text, folder):
        (folder / "graph.mlir").write_text(text)
        lowered = run_tool("kgen-opt", "-", "--kgen-lower", text=text)
        (folder / "kernel.cu").write_text(run_tool("kgen-translate", "--kgen-to-cuda", "-", text=lowered))
        (folder / "plan.json").write_text(run_tool("kgen-translate", "--kgen-to-plan", "-", text=lowered))

    def _first(self, text, multiprocessors, folder):
        graph = folder / "segment.mlir"
        graph.write_text(text)
        run_tool("kgen-search", "first", "--problem", graph, "--target", self.target, "--out", folder,
                 *(("--multiprocessors", multiprocessors) if multiprocessors else ()))

    def _search(self, text):
        with tempfile.TemporaryDirectory(prefix="kgen-") as work:
            graph = pathlib.Path(work) / "segment.mlir"
            graph.write_text(text)
            device = "host" if self.target == "host" else f"cuda:{self.device.index or 0}"
            run_tool("kgen-search", "--problem", graph, "--device", device, "--max-minutes", self.search, "--out",
                     pathlib.Path(work) / "run")
            apply(pathlib.Path(work) / "run")

    @staticmethod
    def _install(candidate, target, folder):
        """Compiles CANDIDATE into FOLDER under another name first, so that FOLDER is whole or absent."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as new:
            run_tool("kgen-eval", candidate, "--bundle", new, "--device", target, "--compile-limit", 120)
            for name in ("graph.mlir", "kernel.cu", "plan.json", "annotated.mlir", "measurement.json", "ideas.txt"):
                if (candidate / name).is_file():
                    shutil.copy(candidate / name, new)
            kept = pathlib.Path(new).rename(folder) if not folder.exists() else None
            if kept is not None:
                os.mkdir(new)  # for the context manager
