# Turns files into one C file that holds them as arrays, for a library that carries what it needs.
#
# Included with OUT, HEADER and FILES (name=path;name=path;...) set: each file becomes `const struct
# asset gbs_asset_NAME` in OUT; HEADER declares them.
set(text "/* Written by cmake/embed.cmake. */\n#include \"${HEADER}\"\n\n")
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" unused "${pair}")
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  file(READ "${path}" bytes HEX)
  # What is put between <script> and </script> must not end it.
  if(bytes MATCHES "3c2f736372697074" AND NOT path MATCHES "[.]html$")
    message(FATAL_ERROR "${path} holds </script")
  endif()
  string(REPEAT "." 64 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char bytes_of_${name}[] = {\n${bytes}\n};\n"
         "const struct asset gbs_asset_${name} = {bytes_of_${name}, sizeof bytes_of_${name}};\n\n")
endforeach()
file(WRITE "${OUT}" "${text}")
