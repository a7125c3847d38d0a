# cmake -DOUT=x.inc -DFILES=a,b -P EmbedText.cmake: writes {"name", R"(text)"} rows of a C++ array.
string(REPLACE "," ";" files "${FILES}")
set(text "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} body)
  string(APPEND text "{\"${name}\", R\"kgen_embed(${body})kgen_embed\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
