/* The kernels of the back end, as one image: it is built into the library and given to the driver
 * as it is (load.c). */
#include "pass/cuda/kernels_rows.cuh"

#include "pass/cuda/kernels_pairs.cuh"

#include "pass/cuda/kernels_many.cuh"

#include "pass/cuda/kernels_strip.cuh"

#include "pass/cuda/kernels_fused_pairs.cuh"

#include "pass/cuda/kernels_fused_many.cuh"

#include "pass/cuda/kernels_fused_rows.cuh"

#include "pass/cuda/kernels_ratings.cuh"
