# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is linked with the archives of LLVM and MLIR themselves. Debian exports each MLIR archive with a link to
# libLLVM.so, so linking the targets themselves gives two copies of LLVM: walk their closure, drop
# the shared libraries, and link the archive files in one group.

# kgen_archive_closure(OUT TARGET...) collects archive files of imported LLVM/MLIR targets.
function(kgen_archive_closure out)
  set(todo ${ARGN})
  set(seen "")
  set(files "")
  while(todo)
    list(POP_FRONT todo lib)
    if(lib MATCHES "^\\$<LINK_ONLY:(.*)>$")
      set(lib ${CMAKE_MATCH_1})
    endif()
    if(lib IN_LIST seen OR lib STREQUAL "LLVM" OR lib STREQUAL "MLIR" OR NOT TARGET ${lib})
      continue()
    endif()
    list(APPEND seen ${lib})
    get_target_property(type ${lib} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      get_target_property(file ${lib} LOCATION)
      list(APPEND files ${file})
    endif()
    get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
    if(deps)
      list(APPEND todo ${deps})
    endif()
  endwhile()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

find_library(KGEN_STATIC_Z libz.a)
find_library(KGEN_STATIC_ZSTD libzstd.a)

# Links NAME against ARCHIVES and what they need of the system.
function(kgen_link_archives name)
  cmake_parse_arguments(ARG "" "" "LINK;ARCHIVES" ${ARGN})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} -Wl,--start-group ${ARG_ARCHIVES} -Wl,--end-group
    ${KGEN_STATIC_Z} ${KGEN_STATIC_ZSTD} xml2 dl m Threads::Threads)
  # libxml2 (Windows manifests) is named for the linker's sake only and dropped as unused.
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,--gc-sections)
  if(KGEN_STATIC)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -s)
  endif()
endfunction()

# What the search half takes of LLVM: its support library and the readers of machine code.
function(kgen_link_search_half name)
  llvm_map_components_to_libnames(llvm_libs support object targetparser)
  kgen_archive_closure(archives ${llvm_libs})
  kgen_link_archives(${name} LINK ${ARGN} ARCHIVES ${archives})
endfunction()

function(kgen_link_static name)
  get_property(components GLOBAL PROPERTY KGEN_MLIR_COMPONENTS)
  # What the tools themselves take, beside what each library named.
  list(APPEND components MLIROptLib MLIRTranslateLib MLIRParser MLIRPass MLIRTransforms MLIRTransformDialect
    MLIRTransformDialectTransforms MLIRTransformTuneExtension MLIRFuncDialect MLIRLinalgTransforms)
  list(REMOVE_DUPLICATES components)
  # What MLIR's archives take from LLVM came through libLLVM.so, so name the LLVM components here.
  llvm_map_components_to_libnames(llvm_libs core support irreader bitwriter analysis orcjit perfjitevents native
    transformutils passes ipo targetparser frontendopenmp objcarcopts)
  kgen_archive_closure(archives ${components} ${llvm_libs})
  kgen_link_archives(${name} LINK ${ARGN} ARCHIVES ${archives})
endfunction()
