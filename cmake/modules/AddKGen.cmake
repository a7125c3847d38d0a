# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The functions that every library's CMakeLists.txt uses. No globbing: each library lists its sources and
# its direct dependencies.

# Flags of the search half beside those of the build type; its own tests hold how much time it takes.
set(KGEN_SEARCH_FLAGS "" CACHE STRING "Flags for the search half: its libraries, tools and unit tests")
function(kgen_use_flags_of_half name pch)
  if(pch MATCHES "^KGen(Common|Test)Pch$")
    target_compile_options(${name} PRIVATE ${KGEN_SEARCH_FLAGS})
  endif()
endfunction()

# The precompiled headers: one target builds each, and all sources of its kind reuse it.
#   KGenMLIRPch    what includes mlir/
#   KGenAtenPch    what includes the dialect aten beside it, whose ops are more text than all of MLIR's
#   KGenCommonPch  all other libraries and tools
#   KGenTestPch    the unit tests of those
function(kgen_add_pch name header)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
  target_link_libraries(${name} PRIVATE ${ARGN})
  kgen_use_flags_of_half(${name} ${name})
  # Lets ccache and a re-checkout reuse the header: no time stamp inside.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# Lets NAME's sources use the precompiled header PCH, which was compiled with -fPIC: clang refuses it under the -fPIE of executables.
function(kgen_use_pch name pch)
  target_precompile_headers(${name} REUSE_FROM ${pch})
  kgen_use_flags_of_half(${name} ${pch})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# The precompiled header of what was declared with ARG_MLIR or ARG_ATEN; OTHER where neither.
macro(kgen_choose_pch result other)
  if(ARG_ATEN)
    set(${result} KGenAtenPch)
  elseif(ARG_MLIR)
    set(${result} KGenMLIRPch)
  else()
    set(${result} ${other})
  endif()
endmacro()

# kgen_add_library(NAME [MLIR|ATEN] SOURCES a.cpp... [LINK lib...] [MLIR_LIBS MLIRIR...] [DEPENDS tgt...])
#   MLIR       the library includes mlir/ (gets the precompiled header and libMLIR or MLIR_LIBS)
#   ATEN       the same, and it includes the dialect aten
#   LINK       direct dependencies, kgen's own or imported targets
#   MLIR_LIBS  the MLIR component libraries, used by the static build
#   DEPENDS    TableGen targets that must exist first
function(kgen_add_library name)
  cmake_parse_arguments(ARG "MLIR;ATEN" "" "SOURCES;LINK;MLIR_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY KGEN_LIBS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  kgen_choose_pch(pch KGenCommonPch)
  kgen_use_pch(${name} ${pch})
  if(ARG_MLIR OR ARG_ATEN)
    set_property(TARGET ${name} PROPERTY KGEN_MLIR ON)
    set_property(GLOBAL APPEND PROPERTY KGEN_MLIR_COMPONENTS ${ARG_MLIR_LIBS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# kgen_embed_texts(NAME x.inc FILE...): library NAME can include x.inc, rows {"FILE", "its text"} of a C++ array.
function(kgen_embed_texts name inc)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${inc})
  set(files "")
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files ${file})
  endforeach()
  string(REPLACE ";" "," list "${files}")
  set(script ${PROJECT_SOURCE_DIR}/cmake/modules/EmbedText.cmake)
  add_custom_command(OUTPUT ${out} COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFILES=${list} -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  target_sources(${name} PRIVATE ${out})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# kgen_add_family(NAME SOURCES a.cpp... [IDEAS aIdeas.cpp...] [TEMPLATES a.cuh...] [LINK lib...] [MLIR_LIBS MLIRIR...] [DEPENDS tgt...])
# Library KGenKernelsNAME of one kernel family; its templates are found by findCudaTemplate. Its ideas are library
# KGenNAMEIdeas, which the search links, so that they never include mlir/.
function(kgen_add_family name)
  cmake_parse_arguments(ARG "" "" "SOURCES;IDEAS;TEMPLATES;LINK;MLIR_LIBS;DEPENDS" ${ARGN})
  kgen_add_library(KGenKernels${name} ATEN SOURCES ${ARG_SOURCES} LINK KGenKernelsEmit ${ARG_LINK}
    MLIR_LIBS ${ARG_MLIR_LIBS} DEPENDS ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY KGEN_FAMILY_LIBS KGenKernels${name})
  if(ARG_IDEAS)
    kgen_add_library(KGen${name}Ideas SOURCES ${ARG_IDEAS})
    set_property(GLOBAL APPEND PROPERTY KGEN_IDEAS_LIBS KGen${name}Ideas)
  endif()
  list(TRANSFORM ARG_TEMPLATES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY KGEN_KERNEL_TEMPLATES ${ARG_TEMPLATES})
endfunction()

# kgen_add_tool(NAME [MLIR] SOURCES main.cpp LINK lib...)
function(kgen_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  kgen_choose_pch(pch KGenCommonPch)
  kgen_use_pch(${name} ${pch})
  kgen_link(${name} TOOL ${ARG_LINK})
endfunction()

# Whether a library among ARGN, or one that it links, includes mlir/.
function(kgen_reaches_mlir result)
  set(todo ${ARGN})
  set(seen "")
  set(${result} OFF PARENT_SCOPE)
  while(todo)
    list(POP_FRONT todo lib)
    if(lib IN_LIST seen OR NOT TARGET ${lib})
      continue()
    endif()
    list(APPEND seen ${lib})
    get_target_property(mlir ${lib} KGEN_MLIR)
    if(mlir)
      set(${result} ON PARENT_SCOPE)
      return()
    endif()
    get_target_property(links ${lib} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND todo ${links})
    endif()
  endwhile()
endfunction()

# Links NAME, a TOOL or a TEST, against kgen libraries and what they take of LLVM and MLIR. Tools get the archives
# themselves, in every configuration: to load libMLIR.so and libLLVM.so takes 20 ms of each process, ten times what most
# of them do. Tests of the compiler half, each run once, get the shared libraries, and so does what is sanitized.
function(kgen_link name kind)
  kgen_reaches_mlir(mlir ${ARGN})
  if(NOT KGEN_STATIC AND (KGEN_SANITIZE OR (mlir AND kind STREQUAL "TEST")))
    target_link_libraries(${name} PRIVATE ${ARGN} MLIR LLVM)
  elseif(mlir)
    kgen_link_static(${name} ${ARGN})
  else()
    kgen_link_search_half(${name} ${ARGN})
  endif()
endfunction()

# A GoogleTest binary of one library, run by ctest. MLIR when its sources include mlir/.
# kgen_add_unittest(NAME [MLIR|ATEN] SOURCES x.cpp... LINK lib...)
function(kgen_add_unittest name)
  cmake_parse_arguments(ARG "MLIR;ATEN" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  kgen_choose_pch(pch KGenTestPch)
  kgen_use_pch(${name} ${pch})
  kgen_link(${name} TEST ${ARG_LINK} GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY KGEN_UNITTESTS ${name})
endfunction()

include(KGenStatic)
