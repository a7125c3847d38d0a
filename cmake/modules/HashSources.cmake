# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What scripts that write a digest of sources share; ROOT is the repository.

# The sources below FOLDER..., relative to ROOT.
function(kgen_find_sources result)
  set(found "")
  foreach(folder IN LISTS ARGN)
    foreach(suffix cpp h td def cuh)
      file(GLOB_RECURSE files RELATIVE ${ROOT} LIST_DIRECTORIES false "${ROOT}/${folder}/*.${suffix}")
      list(APPEND found ${files})
    endforeach()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The SHA-256 of the names and contents of FILE..., in no matter which order.
function(kgen_hash_sources result)
  set(files ${ARGN})
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 "${ROOT}/${file}" sha)
    string(APPEND all "${file} ${sha}\n")
  endforeach()
  string(SHA256 digest "${all}")
  set(${result} ${digest} PARENT_SCOPE)
endfunction()
