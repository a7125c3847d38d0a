# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The functions that every library's CMakeLists.txt uses. No globbing: each library lists its sources and
# its direct dependencies.

# The precompiled headers: one target builds each, and all sources of its kind reuse it.
#   KGenMLIRPch    what includes mlir/
#   KGenCommonPch  all other libraries and tools
#   KGenTestPch    the unit tests of those
function(kgen_add_pch name header)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
  target_link_libraries(${name} PRIVATE ${ARGN})
  # Lets ccache and a re-checkout reuse the header: no time stamp inside.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# Lets NAME's sources use the precompiled header PCH, which was compiled with -fPIC: clang refuses it under the -fPIE of executables.
function(kgen_use_pch name pch)
  target_precompile_headers(${name} REUSE_FROM ${pch})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# kgen_add_library(NAME [MLIR] SOURCES a.cpp... [LINK lib...] [MLIR_LIBS MLIRIR...] [DEPENDS tgt...])
#   MLIR       the library includes mlir/ (gets the precompiled header and libMLIR or MLIR_LIBS)
#   LINK       direct dependencies, kgen's own or imported targets
#   MLIR_LIBS  the MLIR component libraries, used by the static build
#   DEPENDS    TableGen targets that must exist first
function(kgen_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;MLIR_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY KGEN_LIBS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    kgen_use_pch(${name} KGenMLIRPch)
    set_property(GLOBAL APPEND PROPERTY KGEN_MLIR_COMPONENTS ${ARG_MLIR_LIBS})
  else()
    kgen_use_pch(${name} KGenCommonPch)
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
  kgen_add_library(KGenKernels${name} MLIR SOURCES ${ARG_SOURCES} LINK KGenKernelsEmit ${ARG_LINK}
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
# Development: links libMLIR.so and libLLVM.so. KGEN_STATIC: links the archives themselves.
function(kgen_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_MLIR)
    kgen_use_pch(${name} KGenMLIRPch)
  else()
    kgen_use_pch(${name} KGenCommonPch)
  endif()
  kgen_link(${name} ${ARG_LINK})
endfunction()

# Links NAME against kgen libraries and LLVM/MLIR in the configuration's way.
function(kgen_link name)
  if(KGEN_STATIC)
    kgen_link_static(${name} ${ARGN})
  else()
    target_link_libraries(${name} PRIVATE ${ARGN} MLIR LLVM)
  endif()
endfunction()

# A GoogleTest binary of one library, run by ctest. MLIR when its sources include mlir/.
# kgen_add_unittest(NAME [MLIR] SOURCES x.cpp... LINK lib...)
function(kgen_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_MLIR)
    kgen_use_pch(${name} KGenMLIRPch)
  else()
    kgen_use_pch(${name} KGenTestPch)
  endif()
  kgen_link(${name} ${ARG_LINK} GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY KGEN_UNITTESTS ${name})
endfunction()

include(KGenStatic)
