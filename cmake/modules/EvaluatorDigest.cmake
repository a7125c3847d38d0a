# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes OUT, a C++ file with the SHA-256 of the sources that decide what an evaluator says of a candidate. ROOT is the
# repository. Evaluators of one run must agree on it, on whatever machine each was built.
include(${ROOT}/cmake/modules/HashSources.cmake)
set(folders "")
foreach(library Support Candidate Toolchain Runtime Device Judge Evaluate Oracle Dialect/Aten Conversion)
  list(APPEND folders lib/${library} include/kgen/${library})
endforeach()
kgen_find_sources(sources ${folders})
foreach(folder IN LISTS folders)
  file(GLOB kernels RELATIVE ${ROOT} "${ROOT}/${folder}/*.cu") # its own
  list(APPEND sources ${kernels})
endforeach()
kgen_hash_sources(digest ${sources})
file(WRITE "${OUT}" "namespace kgen::evaluate {
extern const char *const evaluatorDigest;
const char *const evaluatorDigest = \"${digest}\";
} // namespace kgen::evaluate
")
