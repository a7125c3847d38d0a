# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kgen export RUN --format py|launcher|kernelbench|wheel|hf`: what a search found, as files that need no kgen."""
import base64
import json
import pathlib
import re
import textwrap
import zlib

from kgen.errors import ImportRefused
from kgen.export_host import host_code, workspace_bytes
from kgen.export_package import hugging_face, wheel
from kgen.tools import run_tool

_TEMPLATES = pathlib.Path(__file__).parent / "export_templates"
FORMATS = ("py", "launcher", "kernelbench", "wheel", "hf")


class Found:
    """The best candidate of a run folder, or a candidate folder by itself."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        best = folder / "best" if (folder / "best").exists() else folder
        self.folder = best.resolve()
        self.run = folder
        for name in ("plan.json", "kernel.cu"):
            if not (self.folder / name).is_file():
                raise ImportRefused(f"expected a run folder with a best kernel, or a candidate, but found no {name}", folder)
        self.plan = json.loads((self.folder / "plan.json").read_text())
        self.source = (self.folder / "kernel.cu").read_text()
        measurement = self.folder / "measurement.json"
        self.measurement = json.loads(measurement.read_text()) if measurement.is_file() else {}
        self.name = re.sub(r"\W", "_", self.plan["problem"])

    @property
    def arch(self):
        return self.plan["arch"]

    def reference(self):
        """Round 0 of the run: (plan, source), or None."""
        folder = self.run / "round-00" / "b00"
        if not (folder / "kernel.cu").is_file() or folder.resolve() == self.folder:
            return None
        return json.loads((folder / "plan.json").read_text()), (folder / "kernel.cu").read_text()

    def verification(self):
        """VERIFICATION.md: what was checked, where, and what was not."""
        m = self.measurement
        lines = [f"# What was checked of {self.plan['problem']}", ""]
        if not m:
            lines.append("Nothing: this candidate has no measurement.")
        else:
            tolerance = m.get("tolerance", {})
            lines += [f"- Verdict: {m['verdict']} on {m['device']}, precision class {m.get('precision', self.plan['precision'])}."]
            if tolerance:
                lines.append(f"- Tolerance against fp64: {tolerance['l2']:.2g} (norm), {tolerance['max']:.2g} (one element); measured "
                             "for this problem and class by kgen's evaluation, on inputs from a secret seed.")
            lines += [f"- {error['input']}: error {error['l2']:.2g}, at most {error['max']:.2g} in one element."
                      for error in m.get("errors", [])]
            if m.get("time_us"):
                lines.append(f"- Time there: {m['time_us']:.2f} us, median of {len(m.get('samples', []))} runs with a cold cache"
                             + (f"; the floor is {m['floor_us']:.2f} us." if m.get("floor_us") else "."))
            lines.append(f"- compute-sanitizer: {m.get('sanitizer') or 'not run'}.")
            lines += [f"- Warning: {warning}" for warning in m.get("warnings", [])]
        shapes = ", ".join(f"{b['name']} {b['dtype']} {b['shape']}" for b in self.plan["inputs"])
        lines += ["", "Not checked: other shapes, types or strides than "
                  f"{shapes} (row-major); other architectures than {self.arch}; gradients; inputs with NaN or infinities, unless a "
                  "line above names them."]
        return "\n".join(lines) + "\n"


def _python(found):
    with_image = _machine_code(found)
    text = (_TEMPLATES / "standalone.py").read_text()
    words = base64.b85encode(zlib.compress(with_image, 9)).decode()
    image = "\n".join(f'    b"{part}"' for part in textwrap.wrap(words, 110))
    title = f"{found.plan['problem']}: kernels for {found.arch}, precision class {found.plan['precision']}, found by kgen"
    return (text.replace("@TITLE@", title).replace("@PLAN@", json.dumps(found.plan, indent=1).replace("\\", "\\\\"))
            .replace('    b"@IMAGE@"', image).replace("@NAME@", found.name)
            .replace("@VERIFICATION@", found.verification().strip()))


def _machine_code(found):
    import tempfile
    with tempfile.TemporaryDirectory(prefix="kgen-") as folder:
        run_tool("kgen-eval", found.folder, "--bundle", folder, "--device", found.arch, "--compile-limit", 120)
        return (pathlib.Path(folder) / "kernel.cubin").read_bytes()


def _launcher(found):
    """{file name: text}: NAME.cu with main(), the slow kernels that it is compared with, and how to build it."""
    reference = found.reference()
    number = re.sub(r"\D", "", found.arch)
    suffix = "a" if found.arch.endswith("a") else ""
    build = (f"nvcc -O3 -std=c++17 -gencode arch=compute_{number}{suffix},code=sm_{number}{suffix} {found.name}.cu"
             + (f" {found.name}_reference.cu" if reference else "") + f" -o {found.name}")
    main = (_TEMPLATES / "main.cu").read_text()
    main = main.replace("@BUILD@", build).replace("@HAS_REFERENCE@", "1" if reference else "0")
    tolerance = found.measurement.get("tolerance", {}).get("l2", 1e-3)
    main = main.replace("@TOLERANCE@", repr(max(8 * tolerance, 1e-6)))
    tables = f"constexpr size_t workspaceBytes = {max(workspace_bytes(found.plan), workspace_bytes(reference[0]) if reference else 0)}ull;\n" + "".join(
        f"static const Buffer {kind}s[] = {{" + ", ".join(
            f'{{"{b["name"]}", "{b["dtype"]}", {_count(b["shape"])}ull, "{b.get("init", "normal(0, 1)")}"}}' for b in found.plan[kind + "s"])
        + "};\n" for kind in ("input", "output"))
    files = {f"{found.name}.cu": f"// {build}\n{found.source}\n{host_code(found.plan, 'launch')}\n"
             + main.replace("@BUFFERS@", tables), "VERIFICATION.md": found.verification()}
    if reference:
        plan, source = reference
        kernels = sorted({launch["kernel"] for launch in plan["launches"]})
        renames = "".join(f"#define {kernel} reference_{kernel}\n" for kernel in kernels)
        files[f"{found.name}_reference.cu"] = (
            f"// The kernels of kgen's round 0, which {found.name}.cu is compared with.\n{renames}{source}\n"
            f"{host_code(plan, 'launch_reference')}\n")
    return files


def _count(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def _kernelbench(found, problem):
    """ModelNew in one file, built by load_inline."""
    if problem is None:
        raise ImportRefused("--format kernelbench needs --problem FILE.py, the benchmark's form of the problem")
    original = pathlib.Path(problem).read_text()
    number, suffix = re.sub(r"\D", "", found.arch), "a" if found.arch.endswith("a") else ""
    arguments = []
    positions = iter(range(len(found.plan["inputs"])))
    for buffer in found.plan["inputs"]:
        arguments.append(f"self.{buffer['name']}" if buffer.get("parameter") else f"inputs[{next(positions)}]")
    text = (_TEMPLATES / "kernelbench.py").read_text()
    cuda = found.source + host_code(found.plan, "launch")
    return (text.replace("@ORIGINAL@", original.rstrip()).replace("@NAME@", found.name)
            .replace("@ARGUMENTS@", ", ".join(arguments)).replace("@GENCODE@", f"arch=compute_{number}{suffix},code=sm_{number}{suffix}")
            .replace("@CUDA@", cuda.replace("\\", "\\\\").replace('"""', '\\"\\"\\"'))
            .replace("@OUTPUTS@", repr([(b["dtype"], b["shape"]) for b in found.plan["outputs"]]))
            .replace("@WORKSPACE@", str(workspace_bytes(found.plan))))


def export(run, form, out, problem=None):
    """Writes RUN's best kernel in FORM below or at OUT; the paths that were written. Raises ImportRefused, ToolFailed."""
    found = Found(run)
    out = pathlib.Path(out)
    if form == "launcher":
        files = {out / name: text for name, text in _launcher(found).items()}
    elif form == "py":
        target = out if out.suffix == ".py" else out / f"{found.name}.py"
        files = {target: _python(found), target.with_name("VERIFICATION.md"): found.verification()}
    elif form == "kernelbench":
        target = out if out.suffix == ".py" else out / f"{found.name}_kernelbench.py"
        files = {target: _kernelbench(found, problem), target.with_name("VERIFICATION.md"): found.verification()}
    elif form == "hf":
        files = {out / name: text for name, text in hugging_face(found, _python(found)).items()}
    elif form == "wheel":
        name, content = wheel(found, _python(found))
        files = {out / name: content, out / "VERIFICATION.md": found.verification()}
    else:
        raise ImportRefused(f"--format is {form}, expected one of {', '.join(FORMATS)}")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(files)
