/* Many coefficient vectors whose scores never go to memory: a block has 128 of them, 16 a warp, and
 * meets the rows 32 at a time; the losses of what the matrix units leave are added up at once.
 */
enum {
    MANY_VECTORS = 128,
    MANY_ROWS = 8 * GBS_STRIP_TILES,
    MANY_FACTS = 2 * MANY_ROWS /* y and weight */
};

GBS_DEVICE void bring_many(const gbs_cuda_many_arguments *p, size_t first, double *rows,
                           double *facts) {
    copy_rows(rows, p->stride, p->x + first * p->ld, (unsigned int)p->ld, MANY_ROWS);
    if (threadIdx.x < MANY_ROWS) {
        size_t i = first + threadIdx.x;
        facts[threadIdx.x] = i < p->n ? p->label[i] : 0.0;
        facts[MANY_ROWS + threadIdx.x] = i >= p->n           ? 0.0
                                         : p->weight != NULL ? p->weight[i]
                                                             : 1.0;
    }
    gbs_copy_commit();
}

/* Blocks in y have `rows` rows each, a multiple of 32. */
GBS_DEVICE void fused_many(const gbs_cuda_many_arguments *p, int loss) {
    GBS_SHARED(shared);
    unsigned int warp = threadIdx.x / GBS_CUDA_WARP, lane = threadIdx.x % GBS_CUDA_WARP;
    unsigned int stride = p->stride;
    size_t first = (size_t)blockIdx.x * MANY_VECTORS,
           from = (size_t)blockIdx.y * p->rows, to = from + p->rows < p->n ? from + p->rows : p->n,
           mine = first + 16 * warp + lane / 4, turn = 0;
    double *theta = shared, *rows = theta + MANY_VECTORS * stride,
           *facts = rows + 2 * MANY_ROWS * stride, sum[2] = {0.0, 0.0};
    copy_rows(theta, stride, p->theta + first * p->ld, (unsigned int)p->ld, MANY_VECTORS);
    bring_many(p, from, rows, facts);
    for (size_t i = from; i < to; i += MANY_ROWS, turn = 1 - turn) {
        double product[GBS_STRIP_TILES][4];
        gbs_copy_wait(0);
        __syncthreads();
        if (i + MANY_ROWS < to)
            bring_many(p, i + MANY_ROWS, rows + (1 - turn) * MANY_ROWS * stride,
                       facts + (1 - turn) * MANY_FACTS);
        meet_rows(product, theta + 16 * warp * stride, rows + turn * MANY_ROWS * stride, stride,
                  (unsigned int)p->ld / 8, lane);
        GBS_UNROLL
        for (int c = 0; c < 2 * GBS_STRIP_TILES; c++) {
            const int j = c / 2;
            const unsigned int side = (unsigned int)c % 2;
            const double *fact = facts + turn * MANY_FACTS + 8 * j +
                                 row_of_column(2 * (lane % 4) + side);
            sum[0] += fact[MANY_ROWS] * device_plain_loss(loss, fact[0] * product[j][side]);
            sum[1] += fact[MANY_ROWS] * device_plain_loss(loss, fact[0] * product[j][2 + side]);
        }
    }
    for (int half = 0; half < 2; half++) {
        sum[half] += gbs_shuffle(sum[half], 1);
        sum[half] += gbs_shuffle(sum[half], 2);
        if (lane % 4 == 0 && mine + 8 * (size_t)half < p->vectors)
            p->part[(size_t)blockIdx.y * p->vectors + mine + 8 * (size_t)half] = sum[half];
    }
}

#define FUSED_MANY(name, loss)                                                                     \
    GBS_KERNEL name(gbs_cuda_many_arguments a) {                                                   \
        fused_many(&a, loss);                                                                      \
    }
GBS_CUDA_FUSED_MANY(FUSED_MANY)
#undef FUSED_MANY
