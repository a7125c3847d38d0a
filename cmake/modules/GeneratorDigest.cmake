# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes OUT, a C++ file with the SHA-256 of the code generator's sources. ROOT is the repository. The digest follows
# from the files' names and contents alone, so that two builds of one commit agree.
include(${ROOT}/cmake/modules/HashSources.cmake)
set(folders lib/Support lib/Schedule lib/Dialect lib/Conversion lib/Kernels lib/Target lib/Pipelines lib/GraphCompiler
  include/kgen/Support include/kgen/Schedule include/kgen/Dialect include/kgen/Conversion
  include/kgen/Kernels include/kgen/Target include/kgen/Pipelines)
kgen_find_sources(sources ${folders})
list(APPEND sources lib/Candidate/LaunchPlan.cpp)
# Ideas choose settings; what text a setting gives does not depend on them.
list(FILTER sources EXCLUDE REGEX "/Ideas/|Ideas\\.(cpp|h)$|/Kernels/Catalogue\\.cpp$")
kgen_hash_sources(digest ${sources})
file(WRITE "${OUT}" "namespace kgen::graph {
extern const char *const generatorDigest;
const char *const generatorDigest = \"${digest}\";
} // namespace kgen::graph
")
