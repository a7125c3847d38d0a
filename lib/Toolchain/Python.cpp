//===- Python.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Toolchain/Python.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace llvm;

namespace kgen::toolchain {

std::string findPython() {
  if (const char *chosen = std::getenv("KGEN_PYTHON"); chosen && *chosen)
    return chosen;
  auto inside = [](const Twine &environment) -> std::string {
    std::string program = (environment + "/bin/python3").str();
    return sys::fs::can_execute(program) ? program : "";
  };
  if (const char *active = std::getenv("VIRTUAL_ENV"); active && *active)
    if (std::string program = inside(active); !program.empty())
      return program;
  // build/bin/kgen-search, or bin/kgen-search of an archive.
  std::string self = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findPython));
  StringRef folder = sys::path::parent_path(self);
  for (int up = 0; up < 2 && !folder.empty(); ++up) {
    folder = sys::path::parent_path(folder);
    if (std::string program = inside(folder + "/.venv"); !program.empty())
      return program;
  }
  return "python3";
}

} // namespace kgen::toolchain
