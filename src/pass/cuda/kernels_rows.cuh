/* Rows on a device: scores and their variances, losses, what is pulled back.
 *
 *   project, row_losses, pull_columns   as src/pass/cpu/slopes.c, a step each  (docs/maths.md, 4.1)
 *   weigh_rows                          G = diag(w) X - 2 M, X'G is what a matrix pulls back
 */
#include "pass/cuda/arguments.h"
#include "pass/cuda/losses.h"
#include "pass/cuda/threads.h"

/* ---------------------------------------------------------------- sums within a block */

GBS_DEVICE double warp_sum(double x) {
    for (int mask = GBS_CUDA_WARP / 2; mask > 0; mask /= 2)
        x += gbs_shuffle(x, mask);
    return x;
}

/* Of all threads of a block, in thread 0; room: a number a warp. */
GBS_DEVICE double block_sum(double x, double *room) {
    double sum = 0.0;
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % GBS_CUDA_WARP == 0)
        room[threadIdx.x / GBS_CUDA_WARP] = x;
    __syncthreads();
    for (unsigned int k = 0; threadIdx.x == 0 && k < blockDim.x / GBS_CUDA_WARP; k++)
        sum += room[k];
    return sum;
}

GBS_DEVICE void leave_sums(double psi, double square, double spread, double *room, double *part) {
    double sums[GBS_CUDA_SUMS];
    sums[GBS_CUDA_SUM_PSI] = block_sum(psi, room);
    sums[GBS_CUDA_SUM_SQUARE] = block_sum(square, room);
    sums[GBS_CUDA_SUM_SPREAD] = block_sum(spread, room);
    for (int k = 0; threadIdx.x == 0 && k < GBS_CUDA_SUMS; k++)
        part[k] = sums[k];
}

/* ---------------------------------------------------------------- one row a warp */

GBS_KERNEL gbs_kernel_project(gbs_cuda_project_arguments a) {
    size_t warps = (size_t)gridDim.x * (blockDim.x / GBS_CUDA_WARP),
           first = (size_t)blockIdx.x * (blockDim.x / GBS_CUDA_WARP) + threadIdx.x / GBS_CUDA_WARP;
    unsigned int lane = threadIdx.x % GBS_CUDA_WARP;
    for (size_t i = first; i < a.n; i += warps) {
        const double *x = a.x + i * a.ld, *y = a.y != NULL ? a.y + i * a.ld : x;
        double dot = 0.0, square = 0.0;
        for (size_t k = lane; k < a.d; k += GBS_CUDA_WARP) {
            dot += x[k] * a.mean[k];
            square += (a.by != NULL ? a.by[k] : a.times) * y[k] * y[k];
        }
        dot = warp_sum(dot);
        square = warp_sum(square);
        if (lane == 0) {
            a.score[i] = dot;
            a.square[i] = square;
            if (isnan(dot) || isnan(square))
                *a.broken = 1;
        }
    }
}

/* ---------------------------------------------------------------- one row a thread */

GBS_KERNEL gbs_kernel_row_losses(gbs_cuda_losses_arguments a) {
    GBS_SHARED(room);
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double psi = 0.0, square = 0.0, spread = 0.0;
    if (i < a.n) {
        double y = a.sign * (a.label != NULL ? a.label[i] : 1.0), mu = y * a.score[i],
               times = a.weight != NULL ? a.weight[i] : 1.0, variance = a.square[i];
        int apart = variance > a.least;
        gbs_cuda_slope s = apart ? gbs_cuda_smoothed(a.loss, mu, variance,
                                                     gbs_one_over_root(variance))
                                 : gbs_cuda_plain(a.loss, mu);
        int seen = apart && fabs(s.w) * variance >= a.negligible;
        double w = seen ? times * s.w : 0.0;
        psi = times * s.psi;
        square = psi * s.psi;
        spread = w * variance;
        if (a.u != NULL) {
            a.u[i] = y * times * s.u;
            a.w[i] = a.absolute ? fabs(w) : w;
        }
    }
    leave_sums(psi, square, spread, room, a.part + (size_t)blockIdx.x * GBS_CUDA_SUMS);
}

/* ---------------------------------------------------------------- sums down the columns */

/* Eight rows of 32 columns at a time; the eight are added in order. */
GBS_DEVICE double down_sum(double x, double *room) {
    double sum = 0.0;
    __syncthreads();
    room[threadIdx.x] = x;
    __syncthreads();
    for (unsigned int k = threadIdx.x; threadIdx.x < GBS_CUDA_WARP && k < blockDim.x;
         k += GBS_CUDA_WARP)
        sum += room[k];
    return sum;
}

GBS_KERNEL gbs_kernel_pull_columns(gbs_cuda_pull_arguments a) {
    GBS_SHARED(room);
    size_t k = (size_t)blockIdx.y * GBS_CUDA_WARP + threadIdx.x % GBS_CUDA_WARP,
           from = (size_t)blockIdx.x * a.rows, to = from + a.rows < a.n ? from + a.rows : a.n;
    double mean = 0.0, square = 0.0, *part = a.part + 2 * (size_t)blockIdx.x * a.ld;
    for (size_t i = from + threadIdx.x / GBS_CUDA_WARP; k < a.ld && i < to;
         i += blockDim.x / GBS_CUDA_WARP) {
        double x = a.x[i * a.ld + k];
        mean += a.u[i] * x;
        square += x * (a.g != NULL ? a.g[i * a.ld + k] : a.w[i] * x);
    }
    mean = down_sum(mean, room);
    square = down_sum(square, room);
    if (threadIdx.x < GBS_CUDA_WARP && k < a.ld) {
        part[k] = mean;
        part[a.ld + k] = square;
    }
}

GBS_KERNEL gbs_kernel_sum_parts(gbs_cuda_parts_arguments a) {
    GBS_SHARED(room);
    size_t k = (size_t)blockIdx.x * GBS_CUDA_WARP + threadIdx.x % GBS_CUDA_WARP;
    double sum = 0.0;
    for (size_t p = threadIdx.x / GBS_CUDA_WARP; k < a.count && p < a.parts;
         p += blockDim.x / GBS_CUDA_WARP)
        sum += a.part[p * a.stride + k];
    sum = down_sum(sum, room);
    if (threadIdx.x < GBS_CUDA_WARP && k < a.count)
        a.to[k] = (a.add ? a.to[k] : 0.0) + a.times * sum;
}

/* ---------------------------------------------------------------- other rows out of these */

GBS_KERNEL gbs_kernel_weigh_rows(gbs_cuda_weigh_arguments a) {
    size_t cells = a.n * a.ld, step = (size_t)gridDim.x * blockDim.x;
    for (size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += step) {
        double m = 0.0;
        for (size_t layer = 0; layer < a.layers; layer++)
            m += a.m[layer * a.layer + c];
        a.g[c] = a.w[c / a.ld] * a.x[c] - 2.0 * m;
    }
}

GBS_KERNEL gbs_kernel_scale_columns(gbs_cuda_scale_arguments a) {
    size_t cells = a.n * a.ld, step = (size_t)gridDim.x * blockDim.x;
    for (size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += step) {
        size_t k = c % a.ld;
        a.to[c] = k < a.d ? a.x[c] * (a.by != NULL ? a.by[k] : a.times) : 0.0;
    }
}

GBS_KERNEL gbs_kernel_gather(gbs_cuda_gather_arguments a) {
    size_t cells = a.count * a.ld, step = (size_t)gridDim.x * blockDim.x;
    for (size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += step) {
        size_t i = c / a.ld, k = c % a.ld, row = a.row[i], less = a.less != NULL ? a.less[i] : 0;
        double x = a.x[row * a.ld + k] - (a.less != NULL ? a.x[less * a.ld + k] : 0.0);
        a.to[c] = k < a.d && a.by != NULL ? a.by[k] * x : x;
        if (k == 0 && a.weight != NULL)
            a.weight[i] = fabs(a.y[row]) * fabs(a.y[less]);
    }
}
