/* The risk over all pairs, without its slopes: what certificates are made of.
 *
 *   mu_ij = a_i - a_j,  s_ij^2 = q_i + q_j - 2 x_i'S x_j,  a = Xm, q_i = x_i'S x_i;
 *   risk = mean of psi(mu, s), and the mean of psi^2                        (docs/maths.md, 5.2)
 *
 * Strips of the larger side ("outer") meet the smaller one ("inner") block by block, as in
 * pair_slopes.c.
 *
 * A loss may be decided: the zero-one loss psi = Phi(-mu/s) is 0 or 1 to 5e-17 where |mu| > 8.4 s.
 * So the rows of each side are taken in the order of their scores: then a block of pairs has scores
 * that are close together, and with s_ij <= sqrt(q_i) + sqrt(q_j) most blocks far from the diagonal
 * are decided by four numbers. What is left are the pairs that the posterior is in doubt about.
 *
 * Each strip has sums of its own, added in order: the same bits for any number of threads. Some
 * strips make a round; between rounds the pass shows how far it is.
 */
#include "kernel/pair.h"
#include "pass/cpu/pair_parts.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows from which sorting pays. */
enum { WORTH_SORTING = 1024, STRIPS_PER_WORKER = 4, ARRAYS = 7 };
/* Doubles in a copy of the smaller side, in order. */
#define MOST_COPIED 16e6
/* Flops of a worker in a round. */
#define A_ROUND 1e10

struct pass {
    gbs_context *ctx;
    const gbs_spread *g;
    const gbs_pointwise *loss;
    gbs_pair_sides sides;
    const double *a[2], *q[2], *times[2]; /* of the outer and the inner rows */
    const size_t *order[2];               /* NULL: as they are */
    double *copy; /* the inner rows in their order; NULL: spelled out block by block */
    /* of each block of inner rows: largest sqrt(q), rows; NULL: nothing is decided in advance */
    const double *reach, *weight;
    double *scratch, *sums;
    size_t worker_size, from; /* first strip of the round */
    atomic_int status;
};

/* ---------------------------------------------------------------- blocks */

static const gbs_rows *rows_of(const struct pass *p, int side) {
    return side == 0 ? &p->sides.outer : &p->sides.inner;
}

static void spell_out(const gbs_rows *rows, const size_t *order, size_t count, double *to) {
    for (size_t i = 0; i < count; i++) {
        gbs_strip one = gbs_rows_slice(rows, order[i], 1).all;
        gbs_strip_densify(&one, to + i * rows->d);
    }
}

/* Rows first .. of a side, in its order. */
static gbs_strip block_of(const struct pass *p, int side, size_t first, size_t count,
                          double *buffer) {
    const gbs_rows *rows = rows_of(p, side);
    if (p->order[side] == NULL)
        return gbs_pair_dense(rows, first, count, buffer);
    bool copied = side == 1 && p->copy != NULL;
    if (!copied)
        spell_out(rows, p->order[side] + first, count, buffer);
    return (gbs_strip){.n = count,
                       .d = rows->d,
                       .dense = copied ? p->copy + first * rows->d : buffer,
                       .ld = rows->d,
                       .stride = 1};
}

static double largest_root(const double *q, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, q[i]);
    return sqrt(most);
}

static double total(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

/* Views into one worker's scratch. */
struct room {
    double *x, *xs, *other, *cross, *mu, *variance, *inverse, *psi, *u, *w, *difference, *work;
    size_t *near;
};

static size_t room_size(size_t d) {
    size_t bi = gbs_pair_outer_rows(d), bj = gbs_pair_inner_rows(d);
    return 2 * bi * d + bj * d + bi * bj + ARRAYS * bj + 2 * d;
}

static struct room room_of(const struct pass *p, size_t worker) {
    size_t d = p->g->d, bi = gbs_pair_outer_rows(d), bj = gbs_pair_inner_rows(d);
    struct room r = {.x = p->scratch + worker * p->worker_size};
    r.xs = r.x + bi * d;
    r.other = r.xs + bi * d;
    r.cross = r.other + bj * d;
    r.mu = r.cross + bi * bj;
    r.variance = r.mu + bj;
    r.inverse = r.variance + bj;
    r.psi = r.inverse + bj;
    r.u = r.psi + bj;
    r.w = r.u + bj;
    r.near = (void *)(r.w + bj); /* numbers of pairs, in room that nothing else uses */
    r.difference = r.w + 2 * bj;
    r.work = r.difference + d;
    return r;
}

/* ---------------------------------------------------------------- one strip */

/* Row i of the block against the inner rows; near pairs come from the difference itself. */
static void meet_row(const struct pass *p, const struct room *r, const gbs_strip *outer, size_t i,
                     size_t row, const gbs_strip *inner, size_t first, double *sums) {
    size_t n = inner->n, near;
    const double *cross = r->cross + i * n, *times = p->times[1] + first, *a = p->a[1] + first,
                 *q = p->q[1] + first;
    double got[2], weight = p->times[0][row];
    if (p->loss->pair_sums != NULL) {
        near = p->loss->pair_sums(n, p->a[0][row], p->q[0][row], a, q, cross, times, &got[0],
                                  &got[1]);
        if (near > 0)
            near = gbs_pair_find_near(n, p->q[0][row], q, cross, r->near);
    } else {
        near = gbs_pair_moments(n, p->a[0][row], p->q[0][row], a, q, cross, r->mu, r->variance,
                                r->inverse, r->near);
        p->loss->paired(n, r->mu, r->variance, r->inverse, r->psi, r->u, r->w);
        for (size_t k = 0; k < near; k++)
            r->psi[r->near[k]] = 0.0;
        gbs_pair_sums all = gbs_pair_add_losses(n, 1.0, times, r->psi);
        got[0] = all.psi;
        got[1] = all.square;
    }
    for (size_t k = 0; k < near; k++) {
        size_t j = r->near[k];
        double mu, s, psi, u, v;
        gbs_pair_near(p->g, outer->dense + i * outer->ld, inner->dense + j * inner->ld,
                      r->difference, r->work, &mu, &s);
        mu *= p->sides.sign;
        p->loss->smoothed(1, &mu, &s, &psi, &u, &v);
        got[0] += times[j] * psi;
        got[1] += times[j] * psi * psi;
    }
    sums[0] += weight * got[0];
    sums[1] += weight * got[1];
}

static void meet(const struct pass *p, const struct room *r, const gbs_strip *outer,
                 size_t first_outer, const gbs_strip *inner, size_t first, double *sums) {
    int d = (int)p->g->d, columns = (int)inner->n;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)outer->n, columns, d, 1.0, r->xs, d,
                inner->dense, (int)inner->ld, 0.0, r->cross, columns);
    for (size_t i = 0; i < outer->n; i++)
        meet_row(p, r, outer, i, first_outer + i, inner, first, sums);
}

/* The scores of a strip of outer rows, as far as they decide. */
struct reach {
    double low, high, root, weight;
};

/* True when all pairs of the strip and a block of inner rows are decided; adds them. */
static bool decided(const struct pass *p, const struct reach *strip, size_t block, size_t first,
                    size_t count, double *sums) {
    if (p->reach == NULL)
        return false;
    double doubt = p->loss->decided * (strip->root + p->reach[block]);
    if (strip->low - p->a[1][first + count - 1] > doubt)
        return true;
    if (p->a[1][first] - strip->high > doubt) {
        sums[0] += strip->weight * p->weight[block];
        sums[1] += strip->weight * p->weight[block];
        return true;
    }
    return false;
}

static void run_strip(void *arg, size_t task, size_t worker) {
    struct pass *p = arg;
    size_t d = p->g->d, step = gbs_pair_outer_rows(d), block = gbs_pair_inner_rows(d),
           n = p->sides.inner.all.n;
    size_t strip = p->from + task, first = strip * step, rows = p->sides.outer.all.n;
    size_t count = rows - first < step ? rows - first : step;
    double *sums = p->sums + 2 * strip;
    struct room r = room_of(p, worker);
    if (gbs_loop_stopped(p->ctx, worker, &p->status))
        return;
    gbs_strip outer = block_of(p, 0, first, count, r.x);
    struct reach reach = {p->a[0][first], p->a[0][first + count - 1],
                          largest_root(p->q[0] + first, count), total(p->times[0] + first, count)};
    gbs_pair_times_covariance(p->g, &outer, r.xs);
    sums[0] = sums[1] = 0.0;
    for (size_t at = 0; at < n; at += block) {
        size_t size = n - at < block ? n - at : block;
        if (decided(p, &reach, at / block, at, size, sums))
            continue;
        if (gbs_loop_stopped(p->ctx, worker, &p->status))
            return;
        gbs_strip inner = block_of(p, 1, at, size, r.other);
        meet(p, &r, &outer, first, &inner, at, sums);
    }
}

/* ---------------------------------------------------------------- the order of the scores */

struct scored {
    double score;
    size_t row;
};

/* No score is NaN here. */
static int by_score(const void *x, const void *y) {
    const struct scored *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Orders one side; its a, q and times follow. */
static void sort_side(struct scored *s, size_t n, double *a, double *q, double *times,
                      double *spare, size_t *order) {
    for (size_t i = 0; i < n; i++)
        s[i] = (struct scored){a[i], i};
    qsort(s, n, sizeof *s, by_score);
    double *const arrays[] = {a, q, times};
    for (size_t k = 0; k < 3; k++) {
        memcpy(spare, arrays[k], n * sizeof *spare);
        for (size_t i = 0; i < n; i++)
            arrays[k][i] = spare[s[i].row];
    }
    for (size_t i = 0; i < n; i++)
        order[i] = s[i].row;
}

/* `facts`: two numbers for each block of inner rows. */
static gbs_status sort_rows(struct pass *p, double *values, size_t *order, double *facts) {
    size_t sizes[2] = {p->sides.outer.all.n, p->sides.inner.all.n},
           firsts[2] = {p->sides.outer_first, p->sides.inner_first};
    size_t n = sizes[0] + sizes[1], most = sizes[0], block = gbs_pair_inner_rows(p->g->d);
    struct scored *s = gbs_array_alloc(p->ctx, most, sizeof *s);
    double *spare = gbs_doubles(p->ctx, most);
    gbs_status status = s != NULL && spare != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (int side = 0; status == GBS_OK && side < 2; side++) {
        double *a = values + firsts[side];
        p->order[side] = order + firsts[side];
        sort_side(s, sizes[side], a, a + n, a + 2 * n, spare, order + firsts[side]);
    }
    if (status == GBS_OK && p->copy != NULL)
        spell_out(&p->sides.inner, p->order[1], sizes[1], p->copy);
    size_t blocks = (sizes[1] + block - 1) / block;
    p->reach = facts;
    p->weight = facts + blocks;
    for (size_t k = 0; status == GBS_OK && k < blocks; k++) {
        size_t count = sizes[1] - k * block < block ? sizes[1] - k * block : block;
        facts[k] = largest_root(p->q[1] + k * block, count);
        facts[blocks + k] = total(p->times[1] + k * block, count);
    }
    gbs_array_free(p->ctx, s);
    gbs_array_free(p->ctx, spare);
    return status;
}

/* ---------------------------------------------------------------- the whole */

static gbs_status run_rounds(struct pass *p, size_t strips, bool progress) {
    double per_strip = (double)p->sides.inner.all.n * (double)gbs_pair_outer_rows(p->g->d) *
                       (2.0 * (double)p->g->d + 50.0);
    size_t workers = gbs_workers(p->ctx), busy = STRIPS_PER_WORKER * workers,
           patient = workers + (size_t)((double)workers * A_ROUND / per_strip);
    size_t round = patient > busy ? patient : busy;
    gbs_status status = GBS_OK;
    for (p->from = 0; status == GBS_OK && p->from < strips; p->from += round) {
        size_t count = strips - p->from < round ? strips - p->from : round;
        double flops = per_strip * (double)count;
        gbs_made sums = gbs_made_doubles(p->sums + 2 * p->from, 2, 2 * count);
        gbs_share share = gbs_share_in_turn(p->ctx, count, flops, 16.0 * (double)count);
        gbs_share_for(p->ctx, &share, flops, run_strip, p);
        gbs_share_gather(p->ctx, &share, &sums, 1);
        status = (gbs_status)atomic_load(&p->status);
        if (status == GBS_OK && progress && strips > round)
            gbs_progress(p->ctx, "pairs", (double)(p->from + count) / (double)strips);
    }
    return status;
}

static gbs_status run(struct pass *p, const gbs_rows *rows, bool progress, double *values,
                      size_t *order, double *facts, size_t strips, double *sums) {
    size_t n = rows->all.n, firsts[2] = {p->sides.outer_first, p->sides.inner_first};
    for (int side = 0; side < 2; side++) {
        p->a[side] = values + firsts[side];
        p->q[side] = p->a[side] + n;
        p->times[side] = p->q[side] + n;
    }
    gbs_pair_project(p->ctx, rows, p->g, p->sides.sign, p->scratch, p->worker_size, values);
    if (gbs_any_nan(2 * n, values)) { /* NaN has no place in an order; and see free_energy.c */
        sums[0] = sums[1] = NAN;
        return GBS_OK;
    }
    gbs_status status = order != NULL ? sort_rows(p, values, order, facts) : GBS_OK;
    if (status == GBS_OK)
        status = run_rounds(p, strips, progress);
    for (size_t strip = 0; status == GBS_OK && strip < strips; strip++) {
        sums[0] += p->sums[2 * strip];
        sums[1] += p->sums[2 * strip + 1];
    }
    return status;
}

gbs_status gbs_cpu_pair_risk(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                             const gbs_spread *g, bool shown, double *risk, double *second_moment) {
    gbs_context *ctx = held->ctx;
    const gbs_rows *rows = gbs_cpu_rows(held);
    struct pass p = {.ctx = ctx, .g = g, .loss = loss, .sides = gbs_pair_sides_of(rows, positives)};
    size_t n = rows->all.n, d = rows->d, inner = p.sides.inner.all.n, step = gbs_pair_outer_rows(d);
    size_t strips = (p.sides.outer.all.n + step - 1) / step,
           blocks = 1 + inner / gbs_pair_inner_rows(d);
    bool sorted = loss->decided > 0.0 && n >= WORTH_SORTING;
    double sums[2] = {0.0, 0.0}, pairs = gbs_pair_weight(rows, positives);
    size_t projecting = gbs_pair_project_room(rows, g->factor != NULL);
    p.worker_size = room_size(d) > projecting ? room_size(d) : projecting;
    p.scratch = gbs_matrix(ctx, gbs_workers(ctx), p.worker_size);
    p.sums = gbs_matrix(ctx, strips > 0 ? strips : 1, 2);
    double *values = gbs_matrix(ctx, 3, n), *facts = gbs_matrix(ctx, 2, blocks);
    bool copied = sorted && (double)inner * (double)d <= MOST_COPIED;
    p.copy = copied ? gbs_matrix(ctx, inner, d) : NULL;
    size_t *order = sorted ? gbs_array_alloc(ctx, n, sizeof *order) : NULL;
    bool room = p.scratch != NULL && p.sums != NULL && values != NULL && facts != NULL &&
                (!sorted || order != NULL) && (!copied || p.copy != NULL);
    gbs_status status = room ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        if (shown)
            gbs_progress_begin(ctx);
        if (inner > 0)
            status = run(&p, rows, shown, values, order, facts, strips, sums);
        gbs_pair_passed(rows, 0, n);
        gbs_compute_end(ctx);
    }
    *risk = inner > 0 ? sums[0] / pairs : 0.0;
    if (second_moment != NULL)
        *second_moment = inner > 0 ? sums[1] / pairs : 0.0;
    gbs_array_free(ctx, p.scratch);
    gbs_array_free(ctx, p.sums);
    gbs_array_free(ctx, values);
    gbs_array_free(ctx, facts);
    gbs_array_free(ctx, p.copy);
    gbs_array_free(ctx, order);
    return status;
}
