/* Losses of pairs whose products x_i'S x_j lie in an array.
 *
 *   mu = a_i - a_j,  s^2 = q_i + q_j - 2 x_i'S x_j                           (docs/maths.md, 5.2)
 *
 * A block has 256 inner rows, one a thread, and GBS_CUDA_PAIR_ROWS outer ones. The array then holds
 * w, for the product with the inner rows.
 */
#define GBS_PAIR_NEAR 1e-4 /* as kernel/pair.h, where it is explained */

enum { GBS_CUDA_PAIR_ROWS = 32 };

/* Two rows so nearly equal that s^2 cancels: the pair is put on the list. */
GBS_DEVICE void put_near(const gbs_cuda_pairs_arguments *a, size_t i, size_t j) {
    unsigned int at = atomicAdd(a->near_count, 1u);
    if (at < a->near_room) {
        a->near_outer[at] = a->first_outer + (uint32_t)i;
        a->near_inner[at] = a->first_inner + (uint32_t)j;
    }
}

/* What one pair adds: psi, psi^2 and w s^2 to the sums, u and w as they are to be summed. */
typedef struct pair_sums {
    double psi, square, spread, u, w;
} pair_sums;

GBS_DEVICE pair_sums meet_pair(const gbs_cuda_pairs_arguments *a, int loss, double mu, double both,
                               double cross, double times, int *near) {
    double square = both - 2.0 * cross;
    pair_sums out = {0.0, 0.0, 0.0, 0.0, 0.0};
    /* NaN is not near: it goes through, and is told by the kernel that projects */
    *near = square <= GBS_PAIR_NEAR * both && times > 0.0;
    int apart = !(square <= GBS_PAIR_NEAR * both);
    double safe = apart ? square : 1.0, inverse = gbs_one_over_root(safe);
    gbs_cuda_slope s = gbs_cuda_smoothed(loss, mu, safe, inverse);
    double counted = apart ? times : 0.0, pull = s.w * safe;
    out.psi = counted * s.psi;
    out.square = out.psi * s.psi;
    out.spread = counted * pull;
    out.u = counted * s.u;
    out.w = fabs(pull) >= a->negligible ? counted * s.w : 0.0;
    if (a->absolute)
        out.w = fabs(out.w);
    return out;
}

GBS_DEVICE void pair_losses(const gbs_cuda_pairs_arguments *a, int loss, double *room) {
    size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
           first = (size_t)blockIdx.y * GBS_CUDA_PAIR_ROWS,
           last = first + GBS_CUDA_PAIR_ROWS < a->outer ? first + GBS_CUDA_PAIR_ROWS : a->outer;
    int here = j < a->inner;
    double other_a = here ? a->inner_a[j] : 0.0, other_q = here ? a->inner_q[j] : 1.0,
           other_times = here ? fabs(a->inner_y[j]) : 0.0;
    double psi = 0.0, square = 0.0, spread = 0.0, u = 0.0, w = 0.0;
    for (size_t i = first; i < last; i++) {
        int near;
        pair_sums p = meet_pair(a, loss, a->sign * (a->outer_a[i] - other_a), 
                                a->outer_q[i] + other_q, here ? a->cross[i * a->inner + j] : 0.0,
                                fabs(a->outer_y[i]) * other_times, &near);
        if (near)
            put_near(a, i, j);
        psi += p.psi;
        square += p.square;
        spread += p.spread;
        if (!a->slopes)
            continue;
        u += p.u;
        w += p.w;
        if (here)
            a->cross[i * a->inner + j] = p.w;
        double row_u = warp_sum(p.u), row_w = warp_sum(p.w);
        if (threadIdx.x % GBS_CUDA_WARP == 0) {
            a->row_u[j / GBS_CUDA_WARP * a->row_layer + i] = row_u;
            a->row_w[j / GBS_CUDA_WARP * a->row_layer + i] = row_w;
        }
    }
    if (a->slopes && here) {
        a->column_u[(size_t)blockIdx.y * a->column_layer + j] = u;
        a->column_w[(size_t)blockIdx.y * a->column_layer + j] = w;
    }
    leave_sums(psi, square, spread, room,
               a->part + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * GBS_CUDA_SUMS);
}

GBS_KERNEL gbs_kernel_pair_losses(gbs_cuda_pairs_arguments a) {
    GBS_SHARED(room);
    if (a.loss == GBS_CUDA_ZERO_ONE)
        pair_losses(&a, GBS_CUDA_ZERO_ONE, room);
    else if (a.loss == GBS_CUDA_HINGE)
        pair_losses(&a, GBS_CUDA_HINGE, room);
    else
        pair_losses(&a, GBS_CUDA_EXPONENTIAL, room);
}
