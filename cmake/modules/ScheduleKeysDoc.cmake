# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes ScheduleKeys.def as a Markdown page: cmake -DTABLE=... -DOUT=... -P ScheduleKeysDoc.cmake
file(READ ${TABLE} text)
# One macro call per line, whatever the wrapping.
string(REGEX REPLACE "\\)\n" ")@" text "${text}")
string(REPLACE "\n" " " text "${text}")
string(REPLACE ";" "," text "${text}")
string(REPLACE "@" ";" lines "${text}")
set(families "# Kernel families\n\n| family | what it computes |\n|---|---|\n")
set(keys "\n# Schedule keys\n\n| key | values | meaning |\n|---|---|---|\n")
foreach(line IN LISTS lines)
  # Words of a choice stand between | in the table, which Markdown would read as columns.
  if(line MATCHES "KGEN_FAMILY\\(([a-z_]+), \"([^\"]*)\"\\)$")
    string(APPEND families "| `${CMAKE_MATCH_1}` | ${CMAKE_MATCH_2} |\n")
  elseif(line MATCHES "KGEN_INT\\(([a-z_]+), ([0-9]+), ([0-9]+), \"([^\"]*)\"\\)$")
    string(APPEND keys "| `${CMAKE_MATCH_1}` | ${CMAKE_MATCH_2} to ${CMAKE_MATCH_3} | ${CMAKE_MATCH_4} |\n")
  elseif(line MATCHES "KGEN_INTS\\(([a-z_]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), +\"([^\"]*)\"\\)$")
    string(APPEND keys "| `${CMAKE_MATCH_1}` | ${CMAKE_MATCH_2} to ${CMAKE_MATCH_3} of ${CMAKE_MATCH_4} to ${CMAKE_MATCH_5} | ${CMAKE_MATCH_6} |\n")
  elseif(line MATCHES "KGEN_(INT_OF|WORD)\\(([a-z0-9_]+), \"([^\"]*)\", +\"([^\"]*)\"\\)$")
    string(REPLACE "|" ", " choices "${CMAKE_MATCH_3}")
    string(APPEND keys "| `${CMAKE_MATCH_2}` | ${choices} | ${CMAKE_MATCH_4} |\n")
  elseif(line MATCHES "KGEN_TEXT\\(([a-z_]+), \"([^\"]*)\"\\)$")
    string(APPEND keys "| `${CMAKE_MATCH_1}` | text | ${CMAKE_MATCH_2} |\n")
  endif()
endforeach()
file(WRITE ${OUT} "${families}${keys}")
