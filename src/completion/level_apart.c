/* Rows of the hierarchical model that stay with their ranks (docs/scale.md).
 *
 * A column's regression asks for sums of the records of its rows, in the order of the rows, four
 * neighbours at a time (kernel/record_sums.c). The rows are dealt out in order, so each rank adds
 * its own to what the ranks before it have added up: sums of columns go from rank to rank, a stage
 * of columns behind the other, and with them the records, three at most, of the four that the next
 * rank completes. So the bits are those of one process, and what travels does not grow with the
 * number of rows. With s = plain + 2 both doubles, d those of a posterior and m the records, on
 * average one and a half, a column costs each of P ranks, beside what its posterior does,
 *
 *   (1 - 1/P) (s + m + s/P),
 *
 * sums from rank to rank and from the last one to the rank that updates the column, and a row that
 * travels (1 - 1/P) (d + 2).
 */
#include "completion/hierarchical.h"
#include "kernel/moments.h"

#include <string.h>

enum { GROUP = 4, STAGES_A_RANK = 16 };
/* Sums that go from rank to rank keep ranks waiting now and then, so a few bytes less are not worth
 * it: rows stay where what travels for them would be so many times as much. */
#define CLEARLY_LESS 1.3
#define RECORDS_KEPT 1.5 /* the mean of 0, 1, 2 and 3 */

struct gbs_levels_apart {
    gbs_share rows;     /* parts of the rows */
    gbs_share columns;  /* blocks of the columns, to be updated */
    size_t first, last; /* the rows of those parts */
    size_t stages, numbers;
    double *sums;   /* columns x numbers */
    uint32_t *from; /* columns x 2: which of a column's ratings are of those rows */
    size_t *at;     /* (columns + 1) x 2: records that come and go with the columns before */
    char *kept[2];  /* those of a stage */
    atomic_int status;
};

static size_t element(const gbs_levels *f) {
    return f->single ? sizeof(float) : sizeof(double);
}

/* Bytes of a record. */
static size_t record_bytes(const gbs_levels *f) {
    return (f->record.plain + f->record.both) * element(f);
}

static size_t stage_block(const gbs_levels *f, size_t stage) {
    return f->ratings->by[1].blocks * stage / f->apart->stages;
}

static size_t stage_column(const gbs_levels *f, size_t stage) {
    return f->ratings->by[1].block[stage_block(f, stage)];
}

/* How many of a column's ratings are of rows before `row`. */
static size_t before(const gbs_rating_list *l, size_t column, size_t row) {
    size_t low = l->start[column], high = l->start[column + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->other[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low - l->start[column];
}

/* ---------------------------------------------------------------- the beginning, and the end */

/* The most records that a stage comes with or leaves. */
static size_t most_kept(const gbs_levels *f, int out) {
    size_t most = 1;
    for (size_t t = 0; t < f->apart->stages; t++) {
        size_t kept = f->apart->at[2 * stage_column(f, t + 1) + (size_t)out] -
                      f->apart->at[2 * stage_column(f, t) + (size_t)out];
        most = kept > most ? kept : most;
    }
    return most;
}

static gbs_status measure(gbs_levels *f) {
    struct gbs_levels_apart *a = f->apart;
    const gbs_rating_list *l = &f->ratings->by[1];
    const gbs_ranks *r = &f->ctx->crew->ranks;
    bool end = r->rank + 1 == r->size;
    a->sums = gbs_matrix(f->ctx, l->items, a->numbers);
    a->from = gbs_array_alloc(f->ctx, 2 * l->items, sizeof *a->from);
    a->at = gbs_array_alloc(f->ctx, 2 * (l->items + 1), sizeof *a->at);
    if (a->sums == NULL || a->from == NULL || a->at == NULL)
        return GBS_ERR_MEMORY;
    for (size_t j = 0; j < l->items; j++) {
        size_t low = before(l, j, a->first),
               high = end ? l->start[j + 1] - l->start[j] : before(l, j, a->last);
        a->from[2 * j] = (uint32_t)low;
        a->from[2 * j + 1] = (uint32_t)high;
        a->at[2 * j + 2] = a->at[2 * j] + low % GROUP;
        a->at[2 * j + 3] = a->at[2 * j + 1] + (end ? 0 : high % GROUP);
    }
    for (int out = 0; out < 2; out++) {
        a->kept[out] = gbs_array_alloc(f->ctx, most_kept(f, out), record_bytes(f));
        if (a->kept[out] == NULL)
            return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

static gbs_status part(gbs_levels *f, gbs_share rows) {
    size_t blocks = f->ratings->by[1].blocks, stages = STAGES_A_RANK * f->ctx->crew->ranks.size;
    gbs_status status = GBS_ERR_MEMORY;
    f->apart = gbs_array_alloc(f->ctx, 1, sizeof *f->apart);
    if (f->apart != NULL) {
        f->apart->rows = rows;
        f->apart->columns = gbs_share_deal(f->ctx, blocks);
        f->apart->first = f->part[rows.begin];
        f->apart->last = f->part[rows.begin + rows.count];
        f->apart->numbers = f->record.plain + 2 * f->record.both;
        f->apart->stages = blocks < stages ? blocks : stages;
        status = measure(f);
    }
    status = gbs_crew_verdict(f->ctx, status);
    if (status != GBS_OK)
        gbs_levels_leave(f);
    return status;
}

gbs_status gbs_levels_part(gbs_levels *f) {
    if (f->ctx->crew == NULL || f->apart != NULL ||
        (f->ctx->device != NULL && f->ctx->device->pass->half_sweep != NULL))
        return GBS_OK;
    const gbs_rating_list *l = f->ratings->by;
    double sums = (double)((f->record.plain + 2 * f->record.both) * sizeof(double)),
           kept = RECORDS_KEPT * (double)record_bytes(f),
           posterior = (double)((f->own + gbs_packed_size(f->own)) * sizeof(double)),
           result = sums / (double)f->ctx->crew->ranks.size, own = (double)f->own,
           columns = (double)l[1].items * (sums + kept + result),
           rows = (double)l[0].items * (posterior + 2.0 * sizeof(double)),
           flops = (double)(f->record.stride * f->ratings->n) +
                   own * own * own * (double)l[0].items;
    gbs_share share = gbs_share_of(f->ctx, f->parts, flops, columns);
    return rows < CLEARLY_LESS * columns || !share.dealt ? GBS_OK : part(f, share);
}

void gbs_levels_leave(gbs_levels *f) {
    struct gbs_levels_apart *a = f->apart;
    f->apart = NULL;
    if (a == NULL)
        return;
    gbs_array_free(f->ctx, a->sums);
    gbs_array_free(f->ctx, a->from);
    gbs_array_free(f->ctx, a->at);
    gbs_array_free(f->ctx, a->kept[0]);
    gbs_array_free(f->ctx, a->kept[1]);
    gbs_array_free(f->ctx, a);
}

void gbs_levels_join(gbs_levels *f) {
    if (f->apart == NULL)
        return;
    const gbs_level_side *rows = &f->side[0];
    const gbs_made made[] = {gbs_made_items(rows->mean, f->own, f->part),
                             gbs_made_items(rows->cov, gbs_packed_size(f->own), f->part),
                             gbs_made_items(rows->omega, 1, f->part),
                             gbs_made_items(f->rate, 1, f->part)};
    gbs_share_gather(f->ctx, &f->apart->rows, made, sizeof made / sizeof *made);
    gbs_levels_leave(f);
}

const gbs_share *gbs_levels_own(const gbs_levels *f, int side) {
    return side == 0 ? &f->apart->rows : &f->apart->columns;
}

gbs_status gbs_levels_sum_rows(const gbs_levels *f, gbs_fold_body add, double *sum) {
    const gbs_share all = {.step = 1, .count = f->parts, .tasks = f->parts};
    return gbs_share_fold(f->ctx, f->apart != NULL ? &f->apart->rows : &all, add, f, sum, 1);
}

/* ---------------------------------------------------------------- a half sweep of columns */

static void sum(const gbs_levels *f, size_t count, const uint32_t *other, const double *value,
                double *to) {
    double centre = f->ratings->center, inverse = 1.0 / f->scale,
           *weighted = to + f->record.plain + f->record.both;
    if (f->single)
        gbs_sum_singles(f->record, count, other, value, centre, inverse, f->records, to, weighted);
    else
        gbs_sum_doubles(f->record, count, other, value, centre, inverse, f->records, to, weighted);
}

/* Where record number `item` lies: those behind all items' are the ones that came along, three for
 * each worker. */
static char *record_at(const gbs_levels *f, size_t item) {
    return (char *)f->records + item * f->record.stride * element(f);
}

/* This rank's ratings of a column are added, and before them those, three at most, whose records
 * came along; those behind the last whole four go on. */
static void add_column(gbs_levels *f, size_t j, size_t base, const char *came, char *go) {
    const struct gbs_levels_apart *a = f->apart;
    const gbs_rating_list *l = &f->ratings->by[1];
    const uint32_t *other = l->other + l->start[j];
    const double *value = l->value + l->start[j];
    size_t low = a->from[2 * j], high = a->from[2 * j + 1], at = low - low % GROUP,
           whole = a->at[2 * j + 3] > a->at[2 * j + 1] ? high - high % GROUP : high,
           bytes = record_bytes(f);
    double *to = a->sums + j * a->numbers;
    uint32_t four[GROUP];
    for (size_t k = at; k < low; k++)
        memcpy(record_at(f, base + k - at), came + (k - at) * bytes, bytes);
    for (size_t k = at; k < at + GROUP && k < high; k++)
        four[k - at] = k < low ? (uint32_t)(base + k - at) : other[k];
    if (at < low && at < whole) {
        size_t count = whole - at < GROUP ? whole - at : GROUP;
        sum(f, count, four, value + at, to);
        at += count;
    }
    if (at < whole)
        sum(f, whole - at, other + at, value + at, to);
    for (size_t k = whole; k < high; k++)
        memcpy(go + (k - whole) * bytes,
               record_at(f, k < low ? base + k - (low - low % GROUP) : other[k]), bytes);
}

struct stage {
    gbs_levels *f;
    size_t number;
};

static void add_block(void *arg, size_t task, size_t worker) {
    const struct stage *s = arg;
    gbs_levels *f = s->f;
    struct gbs_levels_apart *a = f->apart;
    size_t first = stage_column(f, s->number), bytes = record_bytes(f),
           block = stage_block(f, s->number) + task, rows = f->side[0].items;
    for (size_t j = f->ratings->by[1].block[block]; j < f->ratings->by[1].block[block + 1]; j++) {
        if (gbs_loop_stopped(f->ctx, worker, &a->status))
            return;
        add_column(f, j, rows + worker * GROUP,
                   a->kept[0] + (a->at[2 * j] - a->at[2 * first]) * bytes,
                   a->kept[1] + (a->at[2 * j + 1] - a->at[2 * first + 1]) * bytes);
    }
}

static void work(void *arg, size_t number) {
    struct stage s = {arg, number};
    const gbs_levels *f = arg;
    const gbs_rating_list *l = &f->ratings->by[1];
    size_t first = stage_column(f, number), last = stage_column(f, number + 1);
    if (f->ctx->crew->ranks.rank == 0)
        memset(f->apart->sums + first * f->apart->numbers, 0,
               (last - first) * f->apart->numbers * sizeof(double));
    double share = (double)f->apart->rows.count / (double)f->apart->rows.tasks;
    gbs_parallel_for(f->ctx, stage_block(f, number + 1) - stage_block(f, number),
                     share * (double)((l->start[last] - l->start[first]) * f->record.stride),
                     add_block, &s);
}

static void pieces(void *arg, size_t number, bool out, gbs_baton piece[GBS_RELAY_BATONS]) {
    const gbs_levels *f = arg;
    const struct gbs_levels_apart *a = f->apart;
    size_t first = stage_column(f, number), last = stage_column(f, number + 1), k = out ? 1 : 0;
    piece[0] = (gbs_baton){a->sums + first * a->numbers,
                           (last - first) * a->numbers * sizeof(double)};
    piece[1] = (gbs_baton){a->kept[k],
                           (a->at[2 * last + k] - a->at[2 * first + k]) * record_bytes(f)};
}

/* The stages are cut where the shares of the columns are. */
static size_t owner(void *arg, size_t stage) {
    const gbs_levels *f = arg;
    return gbs_share_rank(f->ctx, &f->apart->columns, stage_block(f, stage));
}

gbs_status gbs_levels_relay(gbs_levels *f) {
    struct gbs_levels_apart *a = f->apart;
    gbs_relay relay = {.stages = a->stages,
                       .arg = f,
                       .pieces = pieces,
                       .work = work,
                       .owner = owner,
                       .bytes = f->side[1].items * a->numbers * sizeof(double)};
    atomic_store(&a->status, GBS_OK);
    gbs_status status = gbs_crew_relay(f->ctx, &relay);
    return status != GBS_OK ? status : (gbs_status)atomic_load(&a->status);
}

const double *gbs_levels_relayed(const gbs_levels *f, size_t column) {
    return f->apart->sums + column * f->apart->numbers;
}
