/* The kernels as the build compiled them, for the driver (cmake/embed_image.cmake writes it). */
#ifndef GIBBSITE_PASS_CUDA_IMAGE_H
#define GIBBSITE_PASS_CUDA_IMAGE_H

extern const unsigned char gbs_cuda_image[];

#endif
