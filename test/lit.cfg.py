"""lit configuration: tools on PATH, and the features that tests may REQUIRE."""
import ctypes
import os
import shutil
import subprocess

import lit.formats

config.name = "kgen"
config.test_format = lit.formats.ShTest(not os.environ.get("KGEN_LIT_EXTERNAL_SHELL"))
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kgen_obj_root, "test")

tools = [os.path.join(config.kgen_obj_root, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [config.environment["PATH"]])
config.environment["PYTHONPATH"] = os.path.join(config.kgen_src_root, "frontend")
for name in ("HOME", "KGEN_NVRTC", "KGEN_CACHE_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# A test starts without what other searches found.
config.environment["KGEN_LIBRARY"] = "none"
config.environment["XDG_STATE_HOME"] = os.path.join(config.test_exec_root, "state")
# Tests run side by side on tensors of a few elements: PyTorch's own threads would only wait for each other (the importer's tests took 69 s of
# processor time with two, 33 with one).
config.environment["OMP_NUM_THREADS"] = "1"
config.substitutions.append(("%problems", os.path.join(config.kgen_src_root, "problems")))
config.substitutions.append(("%bin", os.path.join(config.kgen_obj_root, "bin")))
config.substitutions.append(("%src", config.kgen_src_root))
config.substitutions.append(("%python", shutil.which("python3") or "python3"))


def loads(*names):
    for name in names:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


# REQUIRES: host-compiler (g++ for device host), slurm, nvrtc (compile for a card), gpu (run on one), torch, transformers.
if shutil.which("g++"):
    config.available_features.add("host-compiler")
if os.environ.get("KGEN_NVRTC") or loads("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
    config.available_features.add("nvrtc")
if os.path.exists("/dev/nvidia0") and loads("libcuda.so.1"):
    config.available_features.add("gpu")
# A Slurm that a test starts itself; its daemons run as root.
if os.geteuid() == 0 and all(shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
                             for name in ("slurmctld", "slurmd", "srun", "munged")):
    config.available_features.add("slurm")
# Asked of the Python that tests run, which need not be lit's own.
for package in ("torch", "transformers"):
    if subprocess.run([shutil.which("python3") or "python3", "-c", "import importlib.util, sys; "
                       f"sys.exit(importlib.util.find_spec('{package}') is None)"]).returncode == 0:
        config.available_features.add(package)
