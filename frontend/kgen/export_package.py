# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kgen export RUN --format wheel|hf`: a Python package of a found kernel, as a pip wheel or in the layout of Hugging Face kernels.

The package is Python with the machine code inside; it needs PyTorch and the driver. For Hugging Face it is therefore one build variant, `torch-cuda`, whatever
PyTorch's version; `metadata.json` names the architecture.
"""
import base64
import hashlib
import io
import json
import keyword
import pathlib
import re
import zipfile

_TEMPLATES = pathlib.Path(__file__).parent / "export_templates"


def _title(found):
    return f"{found.plan['problem']}: kernels for {found.arch}, precision class {found.plan['precision']}, found by kgen"


def _identity(found):
    """Digits of what the package computes with: the source and the plan."""
    return hashlib.sha256((found.source + json.dumps(found.plan, sort_keys=True)).encode()).hexdigest()[:8]


def _namespace(found):
    return f"_{found.name}_cuda_{_identity(found)}"


def _forward(found):
    """(the arguments of the layer's forward, what it gives run() for each input, the names of the parameters among these). Hugging Face's
    kernelize asks for a forward with the arguments of the one that it takes the place of."""
    arguments, given, parameters = [], [], []
    for buffer in found.plan["inputs"]:
        if buffer.get("parameter"):
            given.append(f"attrgetter({buffer['name']!r})(self)")
            parameters.append(buffer["name"])
            continue
        name = re.sub(r"\W|^(?=\d)", "_", buffer["name"])
        while name in ("self", *arguments) or keyword.iskeyword(name):
            name += "_"
        arguments.append(name)
        given.append(name)
    return arguments, given, parameters


def _modules(found, kernels):
    """{file name: text} of the package around KERNELS, the text of the self-contained file."""
    words = [word.capitalize() for word in found.name.split("_") if word]
    kind = re.sub(r"^\d+", "", "".join(words)) or "Kernel"
    arguments, given, _ = _forward(found)
    fill = {"@TITLE@": _title(found), "@ID@": _namespace(found), "@CLASS@": kind, "@ARGUMENTS@": ", ".join(["self", *arguments]),
            "@GIVEN@": ", ".join(given)}

    def template(name):
        text = (_TEMPLATES / name).read_text()
        for key, value in fill.items():
            text = text.replace(key, value)
        return text
    return {"__init__.py": template("package_init.py"), "_ops.py": template("package_ops.py"), "layers.py": template("package_layers.py"),
            "kernels.py": kernels}


def _archs(found):
    """"sm_90a" as Hugging Face's metadata has it: "9.0a"."""
    digits = re.match(r"sm_(\d+)(\d)([a-z]?)$", found.arch)
    return [f"{digits.group(1)}.{digits.group(2)}{digits.group(3)}"] if digits else []


def hugging_face(found, kernels):
    """{path: text} of a repository: the build variant, its card and VERIFICATION.md."""
    arguments, _, parameters = _forward(found)
    # Their names are of small letters, digits and dashes.
    name = re.sub(r"[^a-z0-9]+", "-", found.name.lower()).strip("-")
    name = name if re.fullmatch(r"[a-z][a-z0-9-]+", name) else f"kernel-{name}".rstrip("-")
    metadata = {"name": name, "id": _namespace(found), "version": 1, "license": "apache-2.0", "python-depends": [],
                "backend": {"type": "cuda", "archs": _archs(found)}}
    variant = "build/torch-cuda"
    files = {f"{variant}/{name}": text for name, text in _modules(found, kernels).items()}
    files[f"{variant}/metadata.json"] = json.dumps(metadata, indent=2) + "\n"
    # Versions of the package `kernels` before the flat layout look for a folder of the repository's name.
    files[f"{variant}/{name.replace('-', '_')}/__init__.py"] = (
        "import importlib.util\nimport pathlib\nimport sys\n\n"
        "_path = pathlib.Path(__file__).parent.parent / \"__init__.py\"\n"
        f"_name = \"{_namespace(found)}_flat\"\n"
        "_spec = importlib.util.spec_from_file_location(_name, _path, submodule_search_locations=[str(_path.parent)])\n"
        "_module = sys.modules[_name] = importlib.util.module_from_spec(_spec)\n_spec.loader.exec_module(_module)\n"
        "layers, run = _module.layers, _module.run\n__all__ = [\"layers\", \"run\"]\n")
    files["README.md"] = (
        f"---\nlibrary_name: kernels\nlicense: apache-2.0\n---\n\n# {found.name}\n\n{_title(found)}.\n\n```python\nfrom kernels import get_kernel\n\n"
        f"kernel = get_kernel(\"OWNER/{name}\", version=1, trust_remote_code=True)\noutputs = kernel.run(*inputs)\n```\n\n"
        f"`kernel.layers` has one for `kernelize`, in the place of a forward with the arguments `({', '.join(arguments)})`"
        + (f" of a module with the parameters {', '.join(parameters)}" if parameters else "") + ".\n"
        "Shapes and types are fixed; VERIFICATION.md says what was checked and what was not.\n")
    files["VERIFICATION.md"] = found.verification()
    return files


def wheel(found, kernels):
    """(file name, bytes) of a wheel that needs PyTorch and a driver at run time."""
    name, version = f"kgen_{found.name}", f"1.0.0+{_identity(found)}"
    info = f"{name}-{version}.dist-info"
    files = {f"{name}/{file}": text for file, text in _modules(found, kernels).items()}
    files[f"{name}/VERIFICATION.md"] = found.verification()
    files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\nSummary: {_title(found)}\n"
                                 "License: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
                                 + found.verification())
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: kgen\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(text.encode())}\n")
    files[f"{info}/RECORD"] = "".join(record) + f"{info}/RECORD,,\n"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            # The same bytes whenever it is written.
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), text)
    return f"{name}-{version}-py3-none-any.whl", memory.getvalue()
