/* Rows under a full Gaussian, read once: X C, losses, X'diag(w)X in one kernel.
 *
 *   Y = X (C, m) -> s^2 = |Y|^2, x'm -> psi, u, w -> X'diag(w)X and X'u        (docs/maths.md, 4.1)
 *
 * A block keeps C, with the mean in the column behind its last, in shared memory, and strips of 32
 * rows go through, three at a time: one is on its way, one gives Y, one is pulled back. C is
 * triangular and the pull symmetric, so that each product is half of one. The pull stays in
 * registers, tiles of 16 x 8 dealt out to the warps; its row d, where x has no column, has u in
 * place of w x.
 */
enum {
    STRIP = GBS_CUDA_STRIP,
    STRIP_STAGES = 3,
    STRIP_WARPS = GBS_CUDA_THREADS / GBS_CUDA_WARP,
    COLUMN_GROUPS = STRIP_WARPS / 2,
    STRIP_FACTS = 2 * STRIP
};

/* Tiles of the lower triangle: 16 rows `down`, 8 columns `across`, which may be 2 down + 1. */
GBS_DEVICE int tiles_across(int down, int columns) {
    return 2 * down + 2 < columns ? 2 * down + 2 : columns;
}

/* Numbers of the columns, in shared memory, that tile t has its rows and its columns from. */
typedef struct pull_tile {
    unsigned int down, across;
} pull_tile;

GBS_DEVICE pull_tile tile_of(int t, int columns) {
    int down = 0;
    for (; t >= tiles_across(down, columns); down++)
        t -= tiles_across(down, columns);
    pull_tile tile = {16u * (unsigned int)down, 8u * (unsigned int)t};
    return tile;
}

GBS_DEVICE void bring_strip(const gbs_cuda_strips_arguments *p, unsigned int stride, size_t strip,
                            double *rows) {
    copy_rows(rows, stride, p->x + strip * STRIP * p->ld, (unsigned int)p->ld, STRIP);
    gbs_copy_commit();
}

/* |Y|^2 of a warp's 16 rows over its share of the columns, and the scores, into shared memory. Of
 * each group of four tiles of columns a warp has one: which k are above its diagonal is known but
 * for three. */
GBS_DEVICE void project_strip(const gbs_cuda_strips_arguments *p, int tiles, const double *rows,
                              const double *factor, double *square, double *score) {
    const unsigned int stride = GBS_CUDA_ROW_STRIDE((unsigned int)tiles);
    unsigned int warp = threadIdx.x / GBS_CUDA_WARP, lane = threadIdx.x % GBS_CUDA_WARP,
                 row = 16 * (warp % 2) + lane / 4, group = warp / 2;
    const double *from = rows + 16 * (warp % 2) * stride,
                 *other = factor + lane % 4 * stride + 8 * group + lane / 4;
    double y[4][4], v[2] = {0.0, 0.0};
    GBS_UNROLL
    for (int q = 0; q < 4; q++)
        y[q][0] = y[q][1] = y[q][2] = y[q][3] = 0.0;
    GBS_UNROLL
    for (int k = 0; k < tiles; k++) {
        double left[4];
        take_rows(left, from + 8 * k, stride, lane);
        GBS_UNROLL
        for (int q = 0; q < 4; q++)
            if (k < 4 * q + 4 && 4 * q < tiles &&
                (4 * q + 3 < tiles || 4u * (unsigned int)q + group < (unsigned int)tiles) &&
                (k <= 4 * q || (unsigned int)k <= 4u * (unsigned int)q + group)) {
                const double *at = other + 8u * (unsigned int)k * stride + 32u * (unsigned int)q;
                double right[2] = {at[0], at[4 * stride]};
                gbs_multiply(y[q], left, right);
            }
    }
    GBS_UNROLL
    for (int c = 0; c < 8; c++) {
        const int q = c / 2, side = c % 2;
        size_t column = 32 * (size_t)q + 8 * group + 2 * (lane % 4) + (size_t)side;
        if (column == p->d) {
            score[row] = y[q][side];
            score[row + 8] = y[q][2 + side];
        } else {
            v[0] += y[q][side] * y[q][side];
            v[1] += y[q][2 + side] * y[q][2 + side];
        }
    }
    for (int half = 0; half < 2; half++) {
        v[half] += gbs_shuffle(v[half], 1);
        v[half] += gbs_shuffle(v[half], 2);
        if (lane % 4 == 0)
            square[group * STRIP + row + 8u * (unsigned int)half] = v[half];
    }
}

/* What a row has beside its cells. */
typedef struct strip_row {
    double y, times;
} strip_row;

GBS_DEVICE strip_row row_of(const gbs_cuda_strips_arguments *p, size_t i) {
    strip_row r = {p->sign, 0.0};
    if (i < p->n) {
        r.y *= p->label != NULL ? p->label[i] : 1.0;
        r.times = p->weight != NULL ? p->weight[i] : 1.0;
    }
    return r;
}

/* Losses of a strip, a row a lane of one warp; u and w into shared memory. */
GBS_DEVICE void lose_strip(const gbs_cuda_strips_arguments *p, strip_row row, int here,
                           const double *square, const double *score, double *facts,
                           double *sums) {
    unsigned int lane = threadIdx.x % GBS_CUDA_WARP;
    double variance = 0.0, mu = row.y * score[lane];
    GBS_UNROLL
    for (int group = 0; group < COLUMN_GROUPS; group++)
        variance += square[group * STRIP + (int)lane];
    int apart = variance > p->least;
    gbs_cuda_slope s = apart ? gbs_cuda_smoothed(p->loss, mu, variance, gbs_one_over_root(variance))
                             : gbs_cuda_plain(p->loss, mu);
    int seen = apart && fabs(s.w) * variance >= p->negligible;
    double w = seen ? row.times * s.w : 0.0;
    if (here && (isnan(mu) || isnan(variance)))
        *p->broken = 1;
    sums[GBS_CUDA_SUM_PSI] += here ? row.times * s.psi : 0.0;
    sums[GBS_CUDA_SUM_SQUARE] += here ? row.times * s.psi * s.psi : 0.0;
    sums[GBS_CUDA_SUM_SPREAD] += here ? w * variance : 0.0;
    facts[lane] = here ? row.y * row.times * s.u : 0.0;
    facts[STRIP + lane] = here ? w : 0.0;
}

/* pull += the warp's tiles of X'diag(w)X over a strip. */
GBS_DEVICE void pull_strip(const gbs_cuda_strips_arguments *p, int tiles, int most,
                           const double *rows, const double *facts, const pull_tile *tile,
                           int count, double (*pull)[4]) {
    const unsigned int stride = GBS_CUDA_ROW_STRIDE((unsigned int)tiles);
    unsigned int lane = threadIdx.x % GBS_CUDA_WARP, g = lane / 4, t = lane % 4,
                 d = (unsigned int)p->d;
    const double *from = rows + t * stride + g;
    GBS_UNROLL
    for (unsigned int k = 0; k < STRIP; k += 8) {
        const double *near = from + k * stride, *far = near + 4 * stride;
        double u[2] = {facts[k + t], facts[k + t + 4]},
               w[2] = {facts[STRIP + k + t], facts[STRIP + k + t + 4]}, left[4] = {0.0};
        GBS_UNROLL
        for (int q = 0; q < most; q++)
            if (q < count) {
                double right[2] = {near[tile[q].across], far[tile[q].across]};
                if (q == 0 || tile[q].across == 0) { /* sixteen other rows */
                    unsigned int column = tile[q].down;
                    left[0] = column + g == d ? u[0] : w[0] * near[column];
                    left[1] = column + g + 8 == d ? u[0] : w[0] * near[column + 8];
                    left[2] = column + g == d ? u[1] : w[1] * far[column];
                    left[3] = column + g + 8 == d ? u[1] : w[1] * far[column + 8];
                }
                gbs_multiply(pull[q], left, right);
            }
    }
}

/* What a block has pulled back, both triangles; sum u x in row d. */
GBS_DEVICE void leave_pull(const gbs_cuda_strips_arguments *p, int most, const pull_tile *tile,
                           int count, double (*pull)[4]) {
    unsigned int lane = threadIdx.x % GBS_CUDA_WARP;
    double *to = p->part + (size_t)blockIdx.x * p->ld * p->ld;
    GBS_UNROLL
    for (int q = 0; q < most; q++)
        GBS_UNROLL
        for (unsigned int e = 0; e < 4; e++) {
            size_t i = tile[q].down + lane / 4 + 8 * (e / 2),
                   j = tile[q].across + 2 * (lane % 4) + e % 2;
            if (q < count && j <= i && i <= p->d) {
                to[i * p->ld + j] = pull[q][e];
                to[j * p->ld + i] = pull[q][e];
            }
        }
}

/* `most`: tiles of a warp, of which the first, that has the losses, has none. */
GBS_DEVICE void fused_rows(const gbs_cuda_strips_arguments *p, int tiles, int most,
                           pull_tile *tile, double (*pull)[4]) {
    GBS_SHARED(shared);
    const unsigned int stride = GBS_CUDA_ROW_STRIDE((unsigned int)tiles),
                       rows_size = STRIP * stride;
    unsigned int warp = threadIdx.x / GBS_CUDA_WARP, lane = threadIdx.x % GBS_CUDA_WARP, turn = 0;
    size_t strips = (p->n + STRIP - 1) / STRIP;
    double *factor = shared, *rows = factor + 8u * (unsigned int)tiles * stride,
           *square = rows + STRIP_STAGES * rows_size, *score = square + COLUMN_GROUPS * STRIP,
           *facts = score + STRIP, sums[GBS_CUDA_SUMS] = {0.0, 0.0, 0.0};
    int all = 0, first = most * ((int)warp - 1);
    for (int down = 0; 2 * down < tiles; down++)
        all += tiles_across(down, tiles);
    int count = warp == 0 || first >= all ? 0 : all - first < most ? all - first : most;
    GBS_UNROLL
    for (int q = 0; q < most; q++) {
        tile[q] = tile_of(q < count ? first + q : 0, tiles);
        pull[q][0] = pull[q][1] = pull[q][2] = pull[q][3] = 0.0;
    }
    for (unsigned int c = threadIdx.x; c < 8u * (unsigned int)tiles * stride;
         c += GBS_CUDA_THREADS) {
        size_t k = c / stride, j = c % stride;
        factor[c] = k >= p->ld || j >= p->ld ? 0.0
                    : j == p->d              ? p->mean[k]
                                             : p->factor[k * p->ld + j];
    }
    clear_behind(rows, stride, (unsigned int)p->ld, STRIP_STAGES * STRIP);
    if (blockIdx.x < strips)
        bring_strip(p, stride, blockIdx.x, rows);
    unsigned int stage = 0;
    for (size_t strip = blockIdx.x; strip < strips; strip += gridDim.x, turn++) {
        unsigned int next = stage < STRIP_STAGES - 1 ? stage + 1 : 0,
                     last = stage > 0 ? stage - 1 : STRIP_STAGES - 1;
        strip_row row = {0.0, 0.0};
        if (warp == 0)
            row = row_of(p, strip * STRIP + lane);
        gbs_copy_wait(0);
        __syncthreads();
        if (strip + gridDim.x < strips)
            bring_strip(p, stride, strip + gridDim.x, rows + next * rows_size);
        project_strip(p, tiles, rows + stage * rows_size, factor, square, score);
        __syncthreads();
        if (warp == 0)
            lose_strip(p, row, strip * STRIP + lane < p->n, square, score,
                       facts + turn % 2 * STRIP_FACTS, sums);
        else if (turn > 0)
            pull_strip(p, tiles, most, rows + last * rows_size,
                       facts + (turn + 1) % 2 * STRIP_FACTS, tile, count, pull);
        stage = next;
    }
    __syncthreads();
    if (turn > 0)
        pull_strip(p, tiles, most,
                   rows + (stage > 0 ? stage - 1 : STRIP_STAGES - 1) * rows_size,
                   facts + (turn - 1) % 2 * STRIP_FACTS, tile, count, pull);
    leave_pull(p, most, tile, count, pull);
    leave_sums(sums[0], sums[1], sums[2], square, p->sums + (size_t)blockIdx.x * GBS_CUDA_SUMS);
}

/* Tiles of the lower triangle over the seven other warps. */
#define TILES_A_WARP(tiles) ((((tiles) + 1) / 2 * (((tiles) + 1) / 2 + 1) - (tiles) % 2 + 6) / 7)

#define FUSED_ROWS(name, tiles)                                                                    \
    GBS_LONE_KERNEL(GBS_CUDA_THREADS) name(gbs_cuda_strips_arguments a) {                          \
        pull_tile tile[TILES_A_WARP(tiles)];                                                       \
        double pull[TILES_A_WARP(tiles)][4];                                                       \
        fused_rows(&a, tiles, TILES_A_WARP(tiles), tile, pull);                                    \
    }
GBS_CUDA_FUSED_ROWS(FUSED_ROWS)
#undef FUSED_ROWS
