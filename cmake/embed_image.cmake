# Compiles the kernels and turns them into a C file that the library carries. What the compiler says
# of registers stays in IMAGE.log (tests/cli/cuda.sh reads it).
#
#   cmake -DNVCC=nvcc -DARCHITECTURE=90 -DROOT=folder -DIMAGE=kernels -P embed_image.cmake
set(virtual compute_${ARCHITECTURE})
execute_process(
  COMMAND ${NVCC} -fatbin -O3 -std=c++17 -Xptxas -v -I${ROOT}/src -gencode arch=${virtual},code=sm_${ARCHITECTURE}
          -gencode arch=${virtual},code=${virtual} -o ${IMAGE}.fatbin ${ROOT}/src/pass/cuda/kernels.cu
  RESULT_VARIABLE failed
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said)
file(WRITE "${IMAGE}.log" "${said}")
if(failed)
  message(FATAL_ERROR "${said}")
elseif(said MATCHES "warning")
  message(WARNING "${said}")
endif()

# The assembler takes the bytes as they are; as numbers in C they would be 14 MB of text.
file(WRITE "${IMAGE}.c" "/* Written by cmake/embed_image.cmake. */
#include \"pass/cuda/image.h\"

__asm__(\".pushsection .rodata\\n\"
        \".balign 16\\n\"
        \".globl gbs_cuda_image\\n\"
        \".hidden gbs_cuda_image\\n\"
        \".type gbs_cuda_image, @object\\n\"
        \"gbs_cuda_image:\\n\"
        \".incbin \\\"${IMAGE}.fatbin\\\"\\n\"
        \".size gbs_cuda_image, . - gbs_cuda_image\\n\"
        \".popsection\\n\");
")
