# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUT=x.inc -DFILES=a.cuh,b.cuh -P EmbedText.cmake
# Writes one initialiser {"a.cuh", "its text"}, per file: the texts travel inside the binary, so
# that a released tool needs no data files.
string(REPLACE "," ";" files "${FILES}")
set(text "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  # A string literal has at most 65535 characters by the standard; adjacent ones are joined.
  string(LENGTH "${content}" length)
  set(literals "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 8000 part)
    string(APPEND literals "R\"~text~(${part})~text~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND text "{\"${name}\",\n${literals}},\n")
endforeach()
file(WRITE ${OUT} "${text}")
