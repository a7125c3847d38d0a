"""run_bundle.py FOLDER: runs a bundle for device host and says whether each row of its result adds up to one."""
import ctypes
import glob
import json
import os
import random
import shutil
import struct
import sys

folder = sys.argv[1]
root = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("kgen-eval"))))
runtime = ctypes.CDLL(glob.glob(root + "/lib*/libkgen_runtime.so")[0])
runtime.kgen_bundle_workspace_bytes.restype = ctypes.c_size_t
runtime.kgen_bundle_launches.restype = ctypes.c_size_t
plan = json.load(open(folder + "/bundle.json"))["plan"]
bundle, message = ctypes.c_void_p(), ctypes.create_string_buffer(500)


def check(code):
    if code:
        sys.exit(message.value.decode())


def elements(buffer):
    count = 1
    for extent in buffer["shape"]:
        count *= extent
    return count


def aligned(size):
    memory = ctypes.create_string_buffer(size + 256)
    keep.append(memory)
    return (ctypes.addressof(memory) + 255) // 256 * 256


keep = []
random.seed(1)
check(runtime.kgen_bundle_open(folder.encode(), ctypes.byref(bundle), message, 500))
inputs = []
for buffer in plan["inputs"]:
    at = aligned(4 * elements(buffer))
    for i in range(elements(buffer)):
        struct.pack_into("f", (ctypes.c_char * 4).from_address(at + 4 * i), 0, random.uniform(-0.1, 0.1))
    inputs.append(at)
outputs = [aligned(4 * elements(buffer)) for buffer in plan["outputs"]]
workspace = aligned(runtime.kgen_bundle_workspace_bytes(bundle))
check(runtime.kgen_bundle_run(bundle, (ctypes.c_void_p * len(inputs))(*inputs),
                              (ctypes.c_void_p * len(outputs))(*outputs), ctypes.c_void_p(workspace), None, message, 500))
rows, columns = plan["outputs"][0]["shape"]
values = (ctypes.c_float * (rows * columns)).from_address(outputs[0])
sums = [sum(values[r * columns:(r + 1) * columns]) for r in range(rows)]
print(runtime.kgen_bundle_launches(bundle), "launches,", runtime.kgen_bundle_workspace_bytes(bundle), "bytes of workspace")
print("rows add up to one:", all(abs(one - 1) < 1e-4 for one in sums) and len(set(values)) > rows)
