# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes OUT, a C++ file with the SHA-256 of the code generator's sources. ROOT is the repository. The digest follows
# from the files' names and contents alone, so that two builds of one commit agree.
set(folders lib/Support lib/Schedule lib/Dialect lib/Conversion lib/Kernels lib/Target lib/Pipelines lib/GraphCompiler
  include/kgen/Support include/kgen/Schedule include/kgen/Dialect include/kgen/Conversion
  include/kgen/Kernels include/kgen/Target include/kgen/Pipelines)
set(sources lib/Candidate/LaunchPlan.cpp)
foreach(folder IN LISTS folders)
  foreach(suffix cpp h td def cuh)
    file(GLOB_RECURSE files RELATIVE ${ROOT} LIST_DIRECTORIES false "${ROOT}/${folder}/*.${suffix}")
    list(APPEND sources ${files})
  endforeach()
endforeach()
# Ideas choose settings; what text a setting gives does not depend on them.
list(FILTER sources EXCLUDE REGEX "/Ideas/|Ideas\\.(cpp|h)$|/Kernels/Catalogue\\.cpp$")
list(SORT sources)
foreach(file IN LISTS sources)
  file(SHA256 "${ROOT}/${file}" sha)
  string(APPEND all "${file} ${sha}\n")
endforeach()
string(SHA256 digest "${all}")
file(WRITE "${OUT}" "namespace kgen::graph {
extern const char *const generatorDigest;
const char *const generatorDigest = \"${digest}\";
} // namespace kgen::graph
")
