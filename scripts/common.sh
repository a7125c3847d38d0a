# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the other scripts: what they share about this machine. No output when all is there.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm=/usr/lib/llvm-22
venv=${KGEN_VENV:-$root/.venv}

packages=(libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 clang-format-22 libclang-rt-22-dev
  g++ cmake ninja-build ccache libcurl4-openssl-dev nlohmann-json3-dev libsqlite3-dev
  libboost-context-dev libgtest-dev libgmock-dev libbenchmark-dev libzstd-dev libxml2-dev zlib1g-dev
  python3 python3-venv slurmctld slurmd slurm-client munge)

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# Installs the Debian packages that are missing.
ensure_packages() {
  local missing=() p
  for p in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "these packages are missing, install them first: apt-get install ${missing[*]}"
  echo "installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p "$root/build"
  (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}") \
    >"$root/build/packages.log" 2>&1 || { tail -5 "$root/build/packages.log" >&2; die "apt-get failed; the whole log is build/packages.log"; }
}

# Makes the Python environment with the named pip requirements ("name==version") in it.
ensure_python() {
  [ -x "$venv/bin/python3" ] || python3 -m venv "$venv" || die "python3 -m venv $venv failed"
  local missing=()
  mapfile -t missing < <("$venv/bin/python3" - "$@" <<'PY'
import importlib.metadata
import sys
for requirement in sys.argv[1:]:
    name, _, version = requirement.partition("==")
    try:
        if importlib.metadata.version(name).split("+")[0] == version:
            continue
    except importlib.metadata.PackageNotFoundError:
        pass
    print(requirement)
PY
  )
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing with pip: ${missing[*]}"
  mkdir -p "$root/build"
  "$venv/bin/python3" -m pip install --disable-pip-version-check "${missing[@]}" >"$root/build/pip.log" 2>&1 ||
    { tail -5 "$root/build/pip.log" >&2; die "pip failed; the whole log is build/pip.log"; }
}

# PyTorch for the CPU: this spelling exactly, another one brings gigabytes of CUDA.
ensure_torch() { ensure_python torch==2.13.0; }

# The models that the frontend's tests compile; it takes the PyTorch that is there.
ensure_transformers() { ensure_python transformers==5.23.0 numpy==2.4.6; }

# NVRTC and the headers that it needs, so that a machine without a card compiles for one.
ensure_nvrtc() {
  ensure_python nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85
}

# ccache takes compiles with a precompiled header only so; clang checks the header, which has no time stamp (AddKGen.cmake).
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

# Configures once and builds what is out of date. ensure_build [PRESET] [TARGET...]; presets dev and ci share a folder.
ensure_build() {
  local preset=${1:-dev} dir
  shift || true
  case $preset in dev | ci) dir=$root/build ;; *) dir=$root/build-$preset ;; esac
  mkdir -p "$dir"
  if [ ! -f "$dir/build.ninja" ]; then
    (cd "$root" && cmake --preset "$preset") >"$dir/configure.log" 2>&1 ||
      { tail -15 "$dir/configure.log" >&2; die "cmake failed; the whole log is $dir/configure.log"; }
  fi
  local jobs=${KGEN_JOBS:-2}
  if ! ninja -C "$dir" -n "$@" | grep -q 'no work to do'; then
    echo "building ($preset, $jobs jobs)"
    ninja -C "$dir" -j "$jobs" "$@" >"$dir/build.log" 2>&1 ||
      { grep -E -A8 'error:|FAILED' "$dir/build.log" | head -40 >&2; die "the build failed; the whole log is $dir/build.log"; }
  fi
}
