# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libkgen_runtime.so: loads bundles and launches them on PyTorch's memory and current stream."""
import ctypes
import json
import os
import pathlib

import torch

from kgen.tools import beside

VERSION = 3
_DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
           "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "i1": torch.bool}
#: Kernels read and write up to 16 bytes at once.
ALIGNMENT = 16


class RuntimeFailed(RuntimeError):
    """A bundle that cannot be loaded or launched, in one sentence."""


def library():
    """The C interface of include/kgen/Runtime/Runtime.h, loaded once."""
    if library.loaded is None:
        path = os.environ.get("KGEN_RUNTIME") or beside("libkgen_runtime.so", "lib")
        if path is None:
            raise RuntimeFailed("libkgen_runtime.so is not found: build it, or name it in KGEN_RUNTIME")
        loaded = ctypes.CDLL(str(path))
        if loaded.kgen_runtime_version() != VERSION:
            raise RuntimeFailed(f"{path} has interface {loaded.kgen_runtime_version()}, this package needs {VERSION}")
        loaded.kgen_bundle_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t]
        loaded.kgen_bundle_close.argtypes = [ctypes.c_void_p]
        for name in ("inputs", "outputs", "workspace_bytes", "launches", "prepared_bytes", "prepare_launches"):
            function = getattr(loaded, "kgen_bundle_" + name)
            function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_size_t
        pointers = ctypes.POINTER(ctypes.c_void_p)
        loaded.kgen_bundle_run.argtypes = [ctypes.c_void_p, pointers, pointers, ctypes.c_void_p, ctypes.c_void_p,
                                            ctypes.c_char_p, ctypes.c_size_t]
        for name in ("prepares_from", "run_reads"):
            getattr(loaded, "kgen_bundle_" + name).argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        loaded.kgen_bundle_updates.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        library.loaded = loaded
    return library.loaded


library.loaded = None


class Bundle:
    """The kernels in FOLDER, which `kgen-eval DIR --bundle FOLDER` wrote. Raises RuntimeFailed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        found = library()
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        if found.kgen_bundle_open(str(self.folder).encode(), ctypes.byref(handle), message, len(message)):
            raise RuntimeFailed(message.value.decode(errors="replace"))
        self.handle, self._close = handle, found.kgen_bundle_close
        description = json.loads((self.folder / "bundle.json").read_text())
        plan = description["plan"]
        #: "cpu" or "cuda", as PyTorch names devices.
        self.device_type = "cpu" if description["device"] == "host" else "cuda"
        self.arch = description["arch"]
        self.precision = plan["precision"]
        self.inputs = [(tuple(buffer["shape"]), _DTYPES[buffer["dtype"]]) for buffer in plan["inputs"]]
        self.outputs = [(tuple(buffer["shape"]), _DTYPES[buffer["dtype"]]) for buffer in plan["outputs"]]
        #: By output: the input that it is, written in place; -1: none.
        self.updates = [found.kgen_bundle_updates(handle, index) for index in range(len(self.outputs))]
        self.workspace_bytes = found.kgen_bundle_workspace_bytes(handle)
        self.launches = found.kgen_bundle_launches(handle)
        #: What is computed when weights change and kept: its bytes, launches, and the inputs that it depends on.
        self.prepared_bytes = found.kgen_bundle_prepared_bytes(handle)
        self.prepare_launches = found.kgen_bundle_prepare_launches(handle)
        self.prepares_from = [index for index in range(len(self.inputs)) if found.kgen_bundle_prepares_from(handle, index)]
        #: The inputs that a run reads, what is prepared being there.
        self.run_reads = [index for index in range(len(self.inputs)) if found.kgen_bundle_run_reads(handle, index)]
        #: Which of a segment's arguments each input is, where a search's graph has another order; how products are scaled.
        self.positions, self.scaled = None, None
        #: Who made it: "applied", "first" or "round0".
        self.kind = None
        self._input_array = ctypes.c_void_p * max(1, len(self.inputs))
        self._output_array = ctypes.c_void_p * max(1, len(self.outputs))

    def __del__(self):
        if getattr(self, "handle", None) is not None:
            self._close(self.handle)

    def empty_outputs(self, device):
        """Row-major tensors for the results."""
        return [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in self.outputs]

    def run(self, tensors):
        """The outputs for TENSORS, queued on the current stream. Inputs that are not row-major are copied first. What the plan
        prepares is computed as well: a Program keeps it."""
        self._check(tensors)
        device = tensors[0].device if tensors else torch.device(self.device_type)
        ready = [tensor if tensor.is_contiguous() and tensor.data_ptr() % ALIGNMENT == 0
                 else tensor.clone(memory_format=torch.contiguous_format) for tensor in tensors]
        outputs = self.empty_outputs(device)
        workspace = torch.empty(self.workspace_bytes, dtype=torch.uint8, device=device)
        if self.device_type == "cuda":
            with torch.cuda.device(device):
                self._launch(ready, outputs, workspace, torch.cuda.current_stream(device).cuda_stream)
        else:
            self._launch(ready, outputs, workspace, None)
        return outputs

    def _check(self, tensors):
        if len(tensors) != len(self.inputs):
            raise RuntimeFailed(f"the kernels of {self.folder} take {len(self.inputs)} tensors, found {len(tensors)}")
        for index, (tensor, (shape, dtype)) in enumerate(zip(tensors, self.inputs)):
            if tuple(tensor.shape) != shape or tensor.dtype != dtype or tensor.device.type != self.device_type:
                raise RuntimeFailed(
                    f"input {index} of {self.folder} is a {tensor.dtype} tensor of shape {tuple(tensor.shape)} on "
                    f"{tensor.device}, expected {dtype} of shape {shape} on {self.device_type}")

    def _launch(self, inputs, outputs, workspace, stream):
        message = ctypes.create_string_buffer(512)
        failed = library().kgen_bundle_run(
            self.handle, self._input_array(*[tensor.data_ptr() for tensor in inputs]),
            self._output_array(*[tensor.data_ptr() for tensor in outputs]), workspace.data_ptr(), stream, message,
            len(message))
        if failed:
            raise RuntimeFailed(message.value.decode(errors="replace"))


#: Bundles by the number that the operator takes; an operator's arguments can be no Python objects.
_bundles = []


def register(bundle):
    """A number for BUNDLE, which lives as long as the process."""
    _bundles.append(bundle)
    return len(_bundles) - 1


def _run(bundle, inputs):
    return _bundles[bundle].run(inputs)


def _run_fake(bundle, inputs):
    return _bundles[bundle].empty_outputs(inputs[0].device if inputs else _bundles[bundle].device_type)


_operators = torch.library.Library("kgen", "DEF")
_operators.define("run(int bundle, Tensor[] inputs) -> Tensor[]")
_operators.impl("run", _run, "CompositeExplicitAutograd")
torch.library.register_fake("kgen::run", _run_fake, lib=_operators)
