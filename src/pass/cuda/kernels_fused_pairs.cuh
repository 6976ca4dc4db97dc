/* Pairs whose scores never go to memory: product, loss and the product with w in one kernel.
 *
 *   x_i'S x_j -> psi, u, w -> sums of u and w down and across, M += w X_inner  (docs/maths.md, 5.2)
 *
 * A block has 128 outer rows, 16 a warp, and meets the inner ones 32 at a time; the next 32 are on
 * their way meanwhile. What the matrix units leave of x_i'S x_j in a lane's registers is where they
 * take w from, if column c of a product is named as row_of_column says: then nothing is exchanged.
 * M stays in registers, 8 columns a tile.
 */
enum {
    PAIR_OUTER = 128,
    PAIR_INNER = 8 * GBS_STRIP_TILES,
    PAIR_WARPS = GBS_CUDA_THREADS / GBS_CUDA_WARP,
    PAIR_FACTS = 3 * PAIR_INNER,                 /* a, q and y of inner rows */
    PAIR_COLUMNS = PAIR_WARPS * PAIR_INNER * 2 /* sums of u and w, a set a warp */
};

/* One of 32 inner rows: what is asked of it beside its cells. */
typedef struct pair_row {
    double a, q, times;
} pair_row;

GBS_DEVICE pair_row inner_row(const double *facts, unsigned int row, size_t left) {
    pair_row r = {0.0, 1.0, 0.0};
    if (row < left) {
        r.a = facts[row];
        r.q = facts[PAIR_INNER + row];
        r.times = fabs(facts[2 * PAIR_INNER + row]);
    }
    return r;
}

GBS_DEVICE pair_row outer_row(const gbs_cuda_pairs_arguments *p, size_t i) {
    pair_row r = {0.0, 1.0, 0.0};
    if (i < p->outer) {
        r.a = p->outer_a[i];
        r.q = p->outer_q[i];
        r.times = fabs(p->outer_y[i]);
    }
    return r;
}

GBS_DEVICE void bring_inner(const gbs_cuda_pairs_arguments *p, unsigned int stride, size_t first,
                            double *rows, double *facts) {
    copy_rows(rows, stride, p->inner_x + first * p->ld, (unsigned int)p->ld, PAIR_INNER);
    if (threadIdx.x < PAIR_INNER && first + threadIdx.x < p->inner) {
        facts[threadIdx.x] = p->inner_a[first + threadIdx.x];
        facts[PAIR_INNER + threadIdx.x] = p->inner_q[first + threadIdx.x];
        facts[2 * PAIR_INNER + threadIdx.x] = p->inner_y[first + threadIdx.x];
    }
    gbs_copy_commit();
}

/* Lanes 2 `half` apart: one keeps the sums of the first `half` numbers, the other of the rest. */
GBS_DEVICE void halve(double *v, int half, unsigned int lane) {
    int upper = (lane & (2u * (unsigned int)half)) != 0;
    GBS_UNROLL
    for (int k = 0; k < half; k++) {
        double keep = upper ? v[half + k] : v[k], give = upper ? v[k] : v[half + k];
        v[k] = keep + gbs_shuffle(give, 2 * half);
    }
}

/* Adds up the 16 numbers of each of the eight lanes that share t = lane % 4; lane 4 g + t is left
 * with numbers 2 g and 2 g + 1. */
GBS_DEVICE void add_lanes(double *v, unsigned int lane) {
    halve(v, 8, lane);
    halve(v, 4, lane);
    halve(v, 2, lane);
}

/* Sums of a lane over all that it meets. */
typedef struct pair_lane {
    double psi, square, spread, u[2], w[2];
} pair_lane;

/* Losses of a warp's 16 x 32 pairs: w takes the place of the products, and the sums of u and w down
 * the columns go to `columns`. */
GBS_DEVICE void meet_losses(const gbs_cuda_pairs_arguments *p, int loss,
                            double product[GBS_STRIP_TILES][4], const pair_row *mine,
                            const double *facts, size_t outer, size_t inner, unsigned int lane,
                            pair_lane *sums, double *columns) {
    double v[4 * GBS_STRIP_TILES];
    GBS_UNROLL
    for (int c = 0; c < 2 * GBS_STRIP_TILES; c++) {
        const int j = c / 2;
        const unsigned int side = (unsigned int)c % 2;
        unsigned int row = 8u * (unsigned int)j + row_of_column(2 * (lane % 4) + side);
        pair_row other = inner_row(facts, row, p->inner - inner);
        double u = 0.0, w = 0.0;
        GBS_UNROLL
        for (unsigned int half = 0; half < 2; half++) {
            int near;
            pair_sums s = meet_pair(p, loss, p->sign * (mine[half].a - other.a),
                                    mine[half].q + other.q, product[j][2 * half + side],
                                    mine[half].times * other.times, &near);
            if (near)
                put_near(p, outer + 8 * half, inner + row);
            sums->psi += s.psi;
            sums->square += s.square;
            sums->spread += s.spread;
            sums->u[half] += s.u;
            sums->w[half] += s.w;
            u += s.u;
            w += s.w;
            product[j][2 * half + side] = s.w;
        }
        v[2 * c] = u;
        v[2 * c + 1] = w;
    }
    if (!p->slopes)
        return;
    add_lanes(v, lane);
    unsigned int tile = lane / 8, side = lane / 4 % 2,
                 row = 8 * tile + row_of_column(2 * (lane % 4) + side);
    columns[2 * row] = v[0];
    columns[2 * row + 1] = v[1];
}

/* m += w X_inner, `tiles` times 8 columns. */
GBS_DEVICE void pull_inner(double (*m)[4], int tiles, double w[GBS_STRIP_TILES][4],
                           const double *rows, unsigned int stride, unsigned int lane) {
    const double *even = rows + row_of_column(2 * (lane % 4)) * stride + lane / 4,
                 *odd = rows + row_of_column(2 * (lane % 4) + 1) * stride + lane / 4;
    GBS_UNROLL
    for (int j = 0; j < GBS_STRIP_TILES; j++) {
        double left[4] = {w[j][0], w[j][2], w[j][1], w[j][3]};
        GBS_UNROLL
        for (int c = 0; c < tiles; c++) {
            unsigned int at = (unsigned int)j * 8 * stride + 8 * (unsigned int)c;
            double right[2] = {even[at], odd[at]};
            gbs_multiply(m[c], left, right);
        }
    }
}

/* The sums of u and w of 32 inner rows, over the block's warps. */
GBS_DEVICE void leave_columns(const gbs_cuda_pairs_arguments *p, size_t first,
                              const double *columns) {
    size_t row = threadIdx.x / 2;
    if (!p->slopes || threadIdx.x >= 2 * PAIR_INNER || first + row >= p->inner)
        return;
    double sum = 0.0;
    for (int warp = 0; warp < PAIR_WARPS; warp++)
        sum += columns[warp * 2 * PAIR_INNER + (int)threadIdx.x];
    (threadIdx.x % 2 == 0 ? p->column_u
                          : p->column_w)[(size_t)blockIdx.x * p->column_layer + first + row] = sum;
}

GBS_DEVICE void leave_rows(const gbs_cuda_pairs_arguments *p, pair_lane *sums, double (*m)[4],
                           int tiles, size_t outer, unsigned int lane) {
    for (int half = 0; half < 2; half++) {
        size_t i = outer + 8 * (size_t)half, layer = (size_t)blockIdx.y * p->row_layer;
        double u = sums->u[half], w = sums->w[half];
        u += gbs_shuffle(u, 1);
        w += gbs_shuffle(w, 1);
        u += gbs_shuffle(u, 2);
        w += gbs_shuffle(w, 2);
        if (!p->slopes || i >= p->outer)
            continue;
        if (lane % 4 == 0) {
            p->row_u[layer + i] = u;
            p->row_w[layer + i] = w;
        }
        double *to = p->m + (size_t)blockIdx.y * p->m_layer + i * p->ld + 2 * (lane % 4);
        GBS_UNROLL
        for (int c = 0; c < tiles; c++)
            if (8 * (size_t)c < p->ld) {
                to[8 * c] = m[c][2 * half];
                to[8 * c + 1] = m[c][2 * half + 1];
            }
    }
}

/* Blocks in x have 128 outer rows each, those in y a share of the inner ones. */
GBS_DEVICE void fused_pairs(const gbs_cuda_pairs_arguments *p, int loss, int tiles,
                            double (*m)[4]) {
    const unsigned int stride = GBS_CUDA_PAIR_STRIDE((unsigned int)tiles);
    GBS_SHARED(shared);
    unsigned int warp = threadIdx.x / GBS_CUDA_WARP, lane = threadIdx.x % GBS_CUDA_WARP;
    unsigned int steps = (unsigned int)p->ld / 8;
    size_t first = (size_t)blockIdx.x * PAIR_OUTER,
           blocks = (p->inner + PAIR_INNER - 1) / PAIR_INNER,
           from = blocks * blockIdx.y / gridDim.y, to = blocks * (blockIdx.y + 1) / gridDim.y,
           outer = first + 16 * warp + lane / 4;
    double *xs = shared, *rows = xs + PAIR_OUTER * stride, *facts = rows + 2 * PAIR_INNER * stride,
           *columns = facts + 2 * PAIR_FACTS;
    pair_row mine[2] = {outer_row(p, outer), outer_row(p, outer + 8)};
    pair_lane sums = {0.0, 0.0, 0.0, {0.0, 0.0}, {0.0, 0.0}};
    GBS_UNROLL
    for (int c = 0; c < tiles; c++)
        m[c][0] = m[c][1] = m[c][2] = m[c][3] = 0.0;
    clear_behind(xs, stride, (unsigned int)p->ld, PAIR_OUTER + 2 * PAIR_INNER);
    copy_rows(xs, stride, p->outer_xs + first * p->ld, (unsigned int)p->ld, PAIR_OUTER);
    bring_inner(p, stride, from * PAIR_INNER, rows, facts);
    for (size_t b = from; b < to; b++) {
        size_t turn = (b - from) % 2;
        double *here = rows + turn * PAIR_INNER * stride, product[GBS_STRIP_TILES][4];
        gbs_copy_wait(0);
        __syncthreads();
        if (b > from)
            leave_columns(p, (b - 1) * PAIR_INNER, columns + (1 - turn) * PAIR_COLUMNS);
        if (b + 1 < to)
            bring_inner(p, stride, (b + 1) * PAIR_INNER, rows + (1 - turn) * PAIR_INNER * stride,
                        facts + (1 - turn) * PAIR_FACTS);
        meet_rows(product, xs + 16 * warp * stride, here, stride, steps, lane);
        meet_losses(p, loss, product, mine, facts + turn * PAIR_FACTS, outer, b * PAIR_INNER, lane,
                    &sums, columns + turn * PAIR_COLUMNS + warp * 2 * PAIR_INNER);
        pull_inner(m, tiles, product, here, stride, lane);
    }
    __syncthreads();
    if (to > from)
        leave_columns(p, (to - 1) * PAIR_INNER, columns + (to - 1 - from) % 2 * PAIR_COLUMNS);
    leave_rows(p, &sums, m, tiles, outer, lane);
    leave_sums(sums.psi, sums.square, sums.spread, columns,
               p->part + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * GBS_CUDA_SUMS);
}

#define FUSED_PAIRS(name, loss, tiles)                                                             \
    GBS_LONE_KERNEL(GBS_CUDA_THREADS) name(gbs_cuda_pairs_arguments a) {                           \
        double m[(tiles) > 0 ? (tiles) : 1][4];                                                    \
        fused_pairs(&a, loss, tiles, m);                                                           \
    }
GBS_CUDA_FUSED_PAIRS(FUSED_PAIRS)
#undef FUSED_PAIRS
