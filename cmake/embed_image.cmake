# Turns the compiled kernels into a C file that the library carries.
#
#   cmake -DIMAGE=kernels.fatbin -DOUT=image.c -P embed_image.cmake
file(READ "${IMAGE}" bytes HEX)
string(REPEAT "." 64 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUT}" "/* Written by cmake/embed_image.cmake. */\n#include \"pass/cuda/image.h\"\n\n"
     "_Alignas(16) const unsigned char gbs_cuda_image[] = {\n${bytes}\n};\n")
