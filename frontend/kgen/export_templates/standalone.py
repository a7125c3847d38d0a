"""@TITLE@.

One file that needs only PyTorch and the CUDA driver: `from @NAME@ import run; outputs = run(*inputs)`. Inputs are
row-major tensors of the shapes in PLAN on one card; kernels go to the current stream and nothing waits. Run as a program
it says what it holds and times itself.

@VERIFICATION@
"""
import base64
import ctypes
import json
import zlib

import torch

PLAN = json.loads("""
@PLAN@
""")
IMAGE = zlib.decompress(base64.b85decode(
    b"@IMAGE@"
))
_DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
           "i32": torch.int32, "i8": torch.int8, "i1": torch.bool}
_MAP_TYPES = {"f64": 8, "f32": 7, "f16": 6, "bf16": 9, "i64": 5, "i32": 3, "i8": 0, "i1": 0}


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute."""
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class _Config(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


_cuda = None
_loaded = {}


def _driver():
    global _cuda
    if _cuda is None:
        if not torch.cuda.is_available():
            raise RuntimeError("these kernels need a CUDA device, and PyTorch sees none")
        _cuda = ctypes.CDLL("libcuda.so.1")
    return _cuda


def _check(result, what):
    if result:
        text = ctypes.c_char_p()
        _driver().cuGetErrorString(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {(text.value or b'unknown error').decode()}")


def _functions(device):
    """The kernels on DEVICE, loaded once."""
    if device.index not in _loaded:
        major, minor = torch.cuda.get_device_capability(device)
        if f"sm_{major}{minor}" != PLAN["arch"].rstrip("af"):
            raise RuntimeError(f"these kernels are for {PLAN['arch']}, this card is sm_{major}{minor}")
        torch.cuda.current_stream(device).synchronize()  # makes the context current
        module, functions = ctypes.c_void_p(), []
        _check(_driver().cuModuleLoadData(ctypes.byref(module), IMAGE), "cuModuleLoadData")
        for launch in PLAN["launches"]:
            function = ctypes.c_void_p()
            _check(_driver().cuModuleGetFunction(ctypes.byref(function), module, launch["kernel"].encode()), launch["kernel"])
            if launch.get("shared_bytes", 0) > 32 * 1024:
                _check(_driver().cuFuncSetAttribute(function, 8, launch["shared_bytes"]), launch["kernel"])
            functions.append(function)
        _loaded[device.index] = functions
    return _loaded[device.index]


def _bytes(word):
    return 0 if word in (None, "none") else int(str(word).rstrip("B"))


def _steps(value, first):
    return 0 if value == 0 else 1 if value == first else 2 if value == 2 * first else 3


def _tensor_map(spec, base):
    """CUtensorMap: 128 bytes, 64-byte aligned."""
    memory = ctypes.create_string_buffer(192)
    at = (ctypes.addressof(memory) + 63) // 64 * 64
    rank = len(spec["dims"])
    _check(_driver().cuTensorMapEncodeTiled(
        ctypes.c_void_p(at), _MAP_TYPES[spec["dtype"]], rank, ctypes.c_void_p(base), (ctypes.c_uint64 * 5)(*spec["dims"]),
        (ctypes.c_uint64 * 5)(*spec.get("strides", [])), (ctypes.c_uint32 * 5)(*spec["box"]),
        (ctypes.c_uint32 * 5)(1, 1, 1, 1, 1), 0, _steps(_bytes(spec.get("swizzle")), 32),
        _steps(_bytes(spec.get("l2")), 64), 0), "cuTensorMapEncodeTiled")
    return memory, at


def _fits(index, tensor, buffer):
    if tuple(tensor.shape) != tuple(buffer["shape"]) or tensor.dtype != _DTYPES[buffer["dtype"]] or not tensor.is_cuda:
        raise ValueError(f"input {index} ({buffer['name']}) is a {tensor.dtype} tensor of shape {tuple(tensor.shape)} on "
                         f"{tensor.device}, expected {buffer['dtype']} of shape {tuple(buffer['shape'])} on a card")
    return tensor if tensor.is_contiguous() and tensor.data_ptr() % 16 == 0 else tensor.clone(
        memory_format=torch.contiguous_format)


def run(*inputs):
    """The outputs for INPUTS, in the order of PLAN; a tensor, or a tuple of several."""
    if len(inputs) != len(PLAN["inputs"]):
        raise ValueError(f"expected {len(PLAN['inputs'])} tensors, found {len(inputs)}")
    _driver()
    ready = [_fits(index, tensor, buffer) for index, (tensor, buffer) in enumerate(zip(inputs, PLAN["inputs"]))]
    device = ready[0].device
    # Of an output that is an input's new value the kernels write what changes.
    outputs = [ready[buffer["updates"]].clone() if "updates" in buffer else
               torch.empty(buffer["shape"], dtype=_DTYPES[buffer["dtype"]], device=device) for buffer in PLAN["outputs"]]
    pieces = [torch.empty(max(1, piece["bytes"]), dtype=torch.uint8, device=device) for piece in PLAN.get("workspace", [])]
    memory = {"in": ready, "out": outputs, "ws": pieces}

    def address(argument):
        name = argument["buffer"]
        kind = name.rstrip("0123456789")
        return memory[kind][int(name[len(kind):])].data_ptr() + argument.get("offset", 0)

    with torch.cuda.device(device):
        for launch, function in zip(PLAN["launches"], _functions(device)):
            values = []
            for argument in launch["args"]:
                if "buffer" in argument:
                    value = ctypes.c_void_p(address(argument))
                elif "tensor_map" in argument:
                    values.append(_tensor_map(argument["tensor_map"], address(argument["tensor_map"])))
                    continue
                else:
                    kind, number = next(iter(argument.items()))
                    value = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}[kind](number)
                values.append((value, ctypes.addressof(value)))
            attributes = (_Attribute * 2)()
            count, cluster = 0, launch.get("cluster", [1, 1, 1])
            if cluster != [1, 1, 1]:
                attributes[count].id, attributes[count].value[:3] = 4, cluster
                count += 1
            if launch.get("cooperative"):
                attributes[count].id, attributes[count].value[0] = 2, 1
                count += 1
            config = _Config(tuple(launch["grid"]), tuple(launch["block"]), launch.get("shared_bytes", 0),
                             torch.cuda.current_stream(device).cuda_stream, attributes, count)
            arguments = (ctypes.c_void_p * max(1, len(values)))(*[at for _, at in values])
            _check(_driver().cuLaunchKernelEx(ctypes.byref(config), function, arguments, None), launch["kernel"])
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


if __name__ == "__main__":
    print(__doc__)
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device here: nothing was run")
    examples = [torch.randn(b["shape"], device="cuda").to(_DTYPES[b["dtype"]]) if b["dtype"] in ("f64", "f32", "f16", "bf16")
                else torch.zeros(b["shape"], dtype=_DTYPES[b["dtype"]], device="cuda") for b in PLAN["inputs"]]
    for _ in range(3):
        run(*examples)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(20):
        run(*examples)
    end.record()
    torch.cuda.synchronize()
    print(f"{1e3 * begin.elapsed_time(end) / 20:.1f} us a run, warm, 20 in a row")
