/* Half a sweep of the hierarchical model over ratings, an item a block of threads
 * (docs/maths.md, 8.12): as src/completion/level_update.c.
 *
 *   A, r = sums of the records of an item's ratings;  P = E Lambda + A = LL',  S = L'^-1 L^-1,
 *   m = S (r + E Lambda c)
 *
 * The sums are bound by memory: each thread has up to four numbers of a record, and the records of
 * eight ratings are on their way at a time. All the rest is in shared memory. A block goes over
 * items a grid apart and adds up in registers, so that the sums depend on the shape of the data
 * alone.
 */

enum { RECORDS_AT_ONCE = 8 };

GBS_DEVICE unsigned int packed_at(unsigned int d, unsigned int i, unsigned int j) {
    return i * d - i * (i + 1) / 2 + j;
}

/* One item a block: E zz', E z o, E o^2, E z, E o (completion/level_records.c). */
GBS_KERNEL gbs_kernel_rating_records(gbs_cuda_ratings_arguments a) {
    unsigned int rank = (unsigned int)a.rank, d = rank + 1, plain = d * (d + 1) / 2,
                 numbers = plain + rank + 2;
    for (size_t item = blockIdx.x; item < a.others; item += gridDim.x) {
        const double *mean = a.other_mean + item * d, *cov = a.other_cov + item * plain;
        double omega = a.other_omega[item];
        for (unsigned int k = threadIdx.x; k < numbers; k += blockDim.x) {
            unsigned int i = 0, j = 0, to = k;
            double x;
            if (k < plain) {
                i = a.place[k] >> 16;
                j = a.place[k] & 0xffffu;
                x = omega * mean[i] * mean[j] + cov[k];
                /* the triangle of the factors, then the column of the offset */
                to = j < rank ? packed_at(rank, i, j) : rank * (rank + 1) / 2 + i;
            } else {
                i = k - plain;
                x = omega * (i < rank ? mean[i] : i == rank ? 1.0 : mean[rank]);
            }
            if (a.single != NULL)
                a.single[item * a.stride + to] = (float)x;
            else
                a.records[item * a.stride + to] = x;
        }
    }
}

/* The sums of an item's records, and of their last numbers times y; `list` and `y`: room for the
 * numbers of GBS_CUDA_LISTED others and their ratings. */
GBS_DEVICE void sum_records(const gbs_cuda_ratings_arguments *a, int rounds, int single,
                            size_t item, unsigned int plain, unsigned int numbers, double *s,
                            uint32_t *list, double *y, double *sum, double *weighted) {
    size_t first = a->start[item], end = a->start[item + 1];
    unsigned int mine = (unsigned int)rounds; /* the round with a number summed with y as well */
    double w = 0.0;
    GBS_UNROLL
    for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
        unsigned int k = threadIdx.x + q * GBS_CUDA_THREADS;
        s[q] = 0.0;
        if (k >= plain && k < numbers)
            mine = q;
    }
    for (; first < end; first += GBS_CUDA_LISTED) {
        unsigned int count = GBS_CUDA_LISTED;
        if (end - first < GBS_CUDA_LISTED)
            count = (unsigned int)(end - first);
        __syncthreads();
        if (threadIdx.x < count) {
            list[threadIdx.x] = a->other[first + threadIdx.x];
            y[threadIdx.x] = (a->value[first + threadIdx.x] - a->centre) * a->inverse;
        }
        __syncthreads();
        for (unsigned int e = 0; e < count; e += RECORDS_AT_ONCE) {
            double wide[RECORDS_AT_ONCE][GBS_CUDA_RECORD_ROUNDS];
            float narrow[RECORDS_AT_ONCE][GBS_CUDA_RECORD_ROUNDS];
            GBS_UNROLL
            for (unsigned int c = 0; c < RECORDS_AT_ONCE; c++) {
                size_t at = (e + c < count ? list[e + c] : 0) * a->stride + threadIdx.x;
                GBS_UNROLL
                for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
                    int here = e + c < count && threadIdx.x + q * GBS_CUDA_THREADS < numbers;
                    if (single)
                        narrow[c][q] = here ? a->single[at + q * GBS_CUDA_THREADS] : 0.0f;
                    else
                        wide[c][q] = here ? a->records[at + q * GBS_CUDA_THREADS] : 0.0;
                }
            }
            GBS_UNROLL
            for (unsigned int c = 0; c < RECORDS_AT_ONCE; c++) {
                double rating = e + c < count ? y[e + c] : 0.0;
                GBS_UNROLL
                for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
                    double x = single ? (double)narrow[c][q] : wide[c][q];
                    s[q] += x;
                    if (q == mine)
                        w += rating * x;
                }
            }
        }
    }
    GBS_UNROLL
    for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
        unsigned int k = threadIdx.x + q * GBS_CUDA_THREADS;
        if (k < numbers)
            sum[k] = s[q];
        if (q == mine)
            weighted[k - plain] = w;
    }
}

/* A_ij, i <= j, out of the sums. */
GBS_DEVICE double regressor(const double *sum, unsigned int rank, unsigned int plain,
                            unsigned int i, unsigned int j) {
    return j < rank ? sum[packed_at(rank, i, j)] : sum[plain + i];
}

/* The lower triangle of p, d x d, becomes L, P = LL'; thread 0 has log|P|. */
GBS_DEVICE double factor_small(double *p, unsigned int d, int *broken) {
    double log_det = 0.0;
    for (unsigned int k = 0; k < d; k++) {
        __syncthreads();
        double pivot = p[k * d + k], inverse = gbs_one_over_root(pivot);
        if (threadIdx.x == 0) {
            if (!(pivot > 0.0) || isinf(pivot))
                *broken = 1;
            log_det += log(pivot);
        }
        __syncthreads();
        for (unsigned int i = k + threadIdx.x; i < d; i += blockDim.x)
            p[i * d + k] *= inverse;
        __syncthreads();
        unsigned int left = d - k - 1;
        for (unsigned int c = threadIdx.x; c < left * left; c += blockDim.x) {
            unsigned int i = k + 1 + c / left, j = k + 1 + c % left;
            if (j <= i)
                p[i * d + j] -= p[i * d + k] * p[j * d + k];
        }
    }
    __syncthreads();
    return log_det;
}

/* l = L^-1, four lanes a column, each of which writes what it reads. */
GBS_DEVICE void invert_small(const double *p, double *l, unsigned int d) {
    unsigned int part = threadIdx.x % 4;
    for (unsigned int from = 0; from < d; from += GBS_CUDA_THREADS / 4) {
        unsigned int j = from + threadIdx.x / 4;
        for (unsigned int i = from; i < d; i++) {
            double sum = part == 0 && i == j ? 1.0 : 0.0;
            for (unsigned int k = j + part; k < i && j < d; k += 4)
                sum -= p[i * d + k] * l[k * d + j];
            sum += gbs_shuffle(sum, 1);
            sum += gbs_shuffle(sum, 2);
            if (j <= i)
                l[i * d + j] = sum / p[i * d + i];
        }
    }
    __syncthreads();
}

/* What a block works in. */
typedef struct rating_room {
    double *sum, *weighted, *p, *l, *cov, *mean, *gap, *b, *r, *work;
} rating_room;

/* P, r and b of an item from its sums. */
GBS_DEVICE void regress(const gbs_cuda_ratings_arguments *a, size_t item, const rating_room *m,
                        unsigned int rank, unsigned int plain) {
    unsigned int d = rank + 1;
    for (unsigned int k = threadIdx.x; k < plain; k += blockDim.x) {
        unsigned int i = a->place[k] >> 16, j = a->place[k] & 0xffffu;
        m->p[j * d + i] = regressor(m->sum, rank, plain, i, j) + a->precision[i * d + j];
    }
    if (threadIdx.x < d) {
        unsigned int i = threadIdx.x, offset = rank * (rank + 1) / 2;
        double b = 0.0, r = m->weighted[i] -
                            (i < rank ? m->sum[offset + i] : m->sum[plain + rank + 1]);
        for (unsigned int j = 0; j < d; j++)
            b += a->precision[i * d + j] * a->prior_mean[item * d + j];
        m->r[i] = r;
        m->b[i] = r + b;
    }
}

/* S and m of an item, both where they are kept too. */
GBS_DEVICE void solve(const gbs_cuda_ratings_arguments *a, size_t item, const rating_room *m,
                      unsigned int d, unsigned int plain) {
    for (unsigned int e = threadIdx.x; e < plain; e += blockDim.x) {
        unsigned int i = a->place[e] >> 16, j = a->place[e] & 0xffffu;
        double sum = 0.0;
        for (unsigned int k = j; k < d; k++)
            sum += m->l[k * d + i] * m->l[k * d + j];
        m->cov[e] = sum;
        a->cov[item * plain + e] = sum;
    }
    __syncthreads();
    if (threadIdx.x < d) {
        unsigned int i = threadIdx.x;
        double best = 0.0, old = a->mean[item * d + i];
        for (unsigned int j = 0; j < d; j++)
            best += m->cov[i < j ? packed_at(d, i, j) : packed_at(d, j, i)] * m->b[j];
        m->mean[i] = old + a->relax * (best - old);
        m->gap[i] = m->mean[i] - a->prior_mean[item * d + i];
        a->mean[item * d + i] = m->mean[i];
    }
    __syncthreads();
}

/* The item's scale, and its part of the error; in thread 0. */
GBS_DEVICE double judge_item(const gbs_cuda_ratings_arguments *a, size_t item, const rating_room *m,
                             unsigned int rank, unsigned int plain, double *omega) {
    unsigned int d = rank + 1, offset = rank * (rank + 1) / 2;
    double square = 0.0, inner = 0.0, prior = 0.0, linear = 0.0;
    for (unsigned int e = threadIdx.x; e < plain; e += blockDim.x) {
        unsigned int i = a->place[e] >> 16, j = a->place[e] & 0xffffu;
        double times = i == j ? 1.0 : 2.0, x = times * regressor(m->sum, rank, plain, i, j);
        square += x * m->mean[i] * m->mean[j];
        inner += x * m->cov[e];
        prior += times * a->precision[i * d + j] * m->gap[i] * m->gap[j];
    }
    if (threadIdx.x < d)
        linear = m->mean[threadIdx.x] * m->r[threadIdx.x];
    square = block_sum(square, m->work);
    inner = block_sum(inner, m->work);
    prior = block_sum(prior, m->work);
    linear = block_sum(linear, m->work);
    double error = m->sum[offset + rank] - 2.0 * m->weighted[rank + 1] - 2.0 * linear + square;
    if (threadIdx.x == 0) {
        if (a->rows) {
            error += a->squares[item];
            double rate = a->beta + 0.5 * (error + prior + (double)d * a->leverage[item]);
            a->rate[item] = rate;
            a->omega[item] = a->shape[item] / rate;
        }
        m->work[GBS_CUDA_WARP] = a->omega[item];
    }
    __syncthreads();
    *omega = m->work[GBS_CUDA_WARP];
    return *omega * error + inner;
}

/* sums, spread, second: `rounds` numbers each. */
GBS_DEVICE void rating_half(const gbs_cuda_ratings_arguments *p, int rounds, int single,
                            double *sums, double *spread, double *second, double *room) {
    const gbs_cuda_ratings_arguments a = *p;
    unsigned int rank = (unsigned int)a.rank, d = rank + 1, plain = d * (d + 1) / 2,
                 numbers = plain + rank + 2;
    rating_room m;
    double log_det = 0.0, error = 0.0;
    GBS_UNROLL
    for (int q = 0; q < rounds; q++)
        spread[q] = second[q] = 0.0;
    m.sum = room;
    m.weighted = m.sum + numbers;
    m.p = m.weighted + rank + 2;
    m.l = m.p + d * d;
    m.cov = m.l + d * d;
    m.mean = m.cov + plain;
    m.gap = m.mean + d;
    m.b = m.gap + d;
    m.r = m.b + d;
    m.work = m.r + d;
    double *y = m.work + 2 * GBS_CUDA_WARP;
    uint32_t *list = (uint32_t *)(y + GBS_CUDA_LISTED);
    for (size_t item = blockIdx.x; item < a.items; item += gridDim.x) {
        double omega;
        sum_records(&a, rounds, single, item, plain, numbers, sums, list, y, m.sum, m.weighted);
        __syncthreads();
        regress(&a, item, &m, rank, plain);
        log_det -= factor_small(m.p, d, a.broken);
        invert_small(m.p, m.l, d);
        solve(&a, item, &m, d, plain);
        error += judge_item(&a, item, &m, rank, plain, &omega);
        GBS_UNROLL
        for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
            unsigned int e = threadIdx.x + q * GBS_CUDA_THREADS;
            if (e < plain) {
                spread[q] += m.cov[e];
                second[q] += omega * m.mean[a.place[e] >> 16] * m.mean[a.place[e] & 0xffffu];
            }
        }
        __syncthreads();
    }
    double *part = a.part + (size_t)blockIdx.x * (2 * plain + 2);
    GBS_UNROLL
    for (unsigned int q = 0; q < (unsigned int)rounds; q++) {
        unsigned int e = threadIdx.x + q * GBS_CUDA_THREADS;
        if (e < plain) {
            part[e] = spread[q];
            part[plain + e] = second[q];
        }
    }
    if (threadIdx.x == 0) {
        part[2 * plain] = log_det;
        part[2 * plain + 1] = error;
    }
}

#define RATING_HALF(name, rounds, single)                                                          \
    GBS_CROWDED_KERNEL(GBS_CUDA_THREADS, 3) name(gbs_cuda_ratings_arguments a) {                   \
        GBS_SHARED(room);                                                                          \
        double sums[rounds], spread[rounds], second[rounds];                                       \
        rating_half(&a, rounds, single, sums, spread, second, room);                               \
    }
GBS_CUDA_RATING_HALVES(RATING_HALF)
#undef RATING_HALF
