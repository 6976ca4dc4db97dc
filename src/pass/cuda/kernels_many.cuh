/* The plain losses of many coefficient vectors, one a thread, whose scores lie in an array. */

/* Vectors that lie side by side, GBS_LANES of them (kernel/tile.h). */
enum { TILE_LANES = 16 };

GBS_KERNEL gbs_kernel_spread_tiles(gbs_cuda_tiles_arguments a) {
    size_t cells = a.count * a.ld, step = (size_t)gridDim.x * blockDim.x;
    for (size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += step) {
        size_t p = c / a.ld, k = c % a.ld;
        a.to[c] = k < a.d ? a.tiles[(p / TILE_LANES * a.d + k) * TILE_LANES + p % TILE_LANES] : 0.0;
    }
}

GBS_DEVICE double device_plain_loss(int loss, double z) {
    return loss == GBS_CUDA_ZERO_ONE ? (z < 0.0 ? 0.5 : 0.0) + (z <= 0.0 ? 0.5 : 0.0)
           : loss == GBS_CUDA_HINGE  ? (1.0 - z > 0.0 ? 1.0 - z : 0.0)
           : loss == GBS_CUDA_PROBIT ? gbs_cuda_probit(z, 0.0).psi
                                     : exp(-z);
}

GBS_KERNEL gbs_kernel_many_losses(gbs_cuda_many_arguments a) {
    size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x, from = (size_t)blockIdx.y * a.rows,
           to = from + a.rows < a.n ? from + a.rows : a.n;
    double sum = 0.0;
    if (p >= a.vectors)
        return;
    for (size_t i = from; i < to; i++)
        sum += (a.weight != NULL ? a.weight[i] : 1.0) *
               device_plain_loss(a.loss, a.label[i] * a.score[i * a.vectors + p]);
    a.part[(size_t)blockIdx.y * a.vectors + p] = sum;
}
