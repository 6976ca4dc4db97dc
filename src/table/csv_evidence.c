/* Is line 1 a header? What the lines below it say.
 *
 *   log odds = sum over the cells of line 1 of log P(cell | names) - log P(cell | another row)
 *
 *   cell     below it in its column                          weight
 *   text     numbers, and t texts among n cells              log min(100, (n + 1) / (1 + t))
 *            (t = 0: log 100)
 *   any      n texts, a of them found once; it is not there  log (n + 1) / (1 + a)
 *   any      it is there, in a line that is another          - log 100
 *   ?, NA    anything                                        - log 100
 *   number   numbers                                         0 in a series; else - log 100 between
 *                                                            the least and the largest, - log 10
 *
 * Rows may come in any order: were line 1 one of n + 1 rows, a + 1 of which have a text that no
 * other has, it would be one of these with probability (a + 1) / (n + 1). A row with a text in a
 * column of numbers would not be read at all. That a name is a value of its column by chance, or a
 * number that is one, is put at 1 in 100, and a name that comes twice at 1 in 10.
 *
 * A series is what numbers are that name columns, such as years or wavelengths: they rise from left
 * to right, in equal steps or all of them unlike the numbers below.
 */
#include "table/csv_columns.h"

#include <math.h>
#include <string.h>

enum { FIRST_LOOK = 1 << 16, LOOK = 1 << 20, ENOUGH_ROWS = 100 };

enum what { EMPTY, MARK, NUMBER, TEXT };

/* The texts of a column, and how often each is found. */
struct levels {
    gbs_text_set set;
    uint32_t *count;
    size_t capacity;
};

struct below {
    uint32_t numbers, texts;
    bool again;     /* a line that is not line 1 once more has its text */
    bool no_points; /* some number has none */
    double low, high;
    struct levels *levels; /* of the texts; NULL: none */
};

struct look {
    gbs_csv *c;
    const gbs_csv_record *first;
    struct below *below; /* of each of its columns */
    size_t repeats;      /* of all of it */
    gbs_pool pool;
    gbs_csv_evidence *out;
};

static gbs_csv_cell cell_of(const gbs_csv_record *record, size_t j) {
    return (gbs_csv_cell){.text = record->text + record->start[j],
                          .length = record->start[j + 1] - record->start[j] - 1};
}

static enum what what_is(const gbs_csv *c, const gbs_csv_cell *cell, double *value) {
    if (cell->length == 0)
        return EMPTY;
    if (gbs_csv_declared_missing(c, cell))
        return MARK;
    switch (gbs_csv_number_kind(c, cell, value)) {
    case GBS_NUMBER_FINITE:
        return NUMBER;
    case GBS_NUMBER_NONE:
        return gbs_number_is_mark(cell->text, cell->length) ? MARK : TEXT;
    default:
        return MARK;
    }
}

/* ---------------------------------------------------------------- what is below */

static bool add_text(struct look *l, struct below *b, const gbs_csv_cell *cell) {
    gbs_context *ctx = l->c->reader->ctx;
    if (b->levels == NULL && (b->levels = gbs_array_alloc(ctx, 1, sizeof *b->levels)) == NULL)
        return false;
    struct levels *v = b->levels;
    size_t k = gbs_text_set_find(&v->set, cell->text, cell->length);
    if (k == GBS_TEXT_NONE) {
        k = v->set.n;
        uint32_t *count = gbs_array_grow(ctx, v->count, &v->capacity, k + 1, sizeof *count);
        if (count == NULL)
            return false;
        v->count = count;
        count[k] = 0;
        if (!gbs_text_set_add(ctx, &v->set, &l->pool, cell->text, cell->length))
            return false;
    }
    v->count[k]++;
    b->texts++;
    return true;
}

static void add_number(const struct look *l, struct below *b, const gbs_csv_cell *cell, double x) {
    char point = l->c->reader->options->comma ? ',' : '.';
    b->low = b->numbers == 0 ? x : fmin(b->low, x);
    b->high = b->numbers == 0 ? x : fmax(b->high, x);
    b->no_points = b->no_points || memchr(cell->text, point, cell->length) == NULL;
    b->numbers++;
}

static bool is_cell(const gbs_csv_record *a, const gbs_csv_record *b, size_t j) {
    gbs_csv_cell x = cell_of(a, j), y = cell_of(b, j);
    return x.length == y.length && memcmp(x.text, y.text, x.length) == 0;
}

/* Line 1 once more says nothing, unless it comes often: files that were put together have their
 * header twice. */
static bool is_first(const struct look *l, const gbs_csv_record *record) {
    size_t j = 0;
    while (j < record->n && j < l->first->n && is_cell(record, l->first, j))
        j++;
    return j == record->n && j == l->first->n;
}

static bool add_row(struct look *l, const gbs_csv_record *record) {
    gbs_csv_evidence *out = l->out;
    if (out->rows == 0) {
        gbs_csv_cell cell = cell_of(record, 0);
        out->zero_below = cell.length == 1 && cell.text[0] == '0';
    }
    out->rows++;
    if (is_first(l, record)) {
        l->repeats++;
        return true;
    }
    for (size_t j = 0; j < record->n && j < l->first->n; j++) {
        gbs_csv_cell cell = cell_of(record, j);
        double x = 0.0;
        enum what what = what_is(l->c, &cell, &x);
        if (what == NUMBER)
            add_number(l, &l->below[j], &cell, x);
        else if (what == TEXT && !add_text(l, &l->below[j], &cell))
            return false;
        l->below[j].again = l->below[j].again || (what == TEXT && is_cell(record, l->first, j));
    }
    return true;
}

static void forget(struct look *l) {
    gbs_context *ctx = l->c->reader->ctx;
    for (size_t j = 0; j < l->first->n; j++) {
        struct levels *v = l->below[j].levels;
        if (v != NULL) {
            gbs_text_set_free(ctx, &v->set);
            gbs_array_free(ctx, v->count);
        }
        gbs_array_free(ctx, v);
        l->below[j] = (struct below){0};
    }
    gbs_pool_free(ctx, &l->pool);
    l->out->rows = l->repeats = 0;
}

/* The records in these bytes of the window. A mistake in them ends the look: who reads them after
 * it says what it is. */
static gbs_status look_at(struct look *l, size_t bytes) {
    const gbs_csv_input *from = &l->c->in;
    gbs_bytes block;
    gbs_csv_record record = {0};
    gbs_reader quiet = *l->c->reader;
    gbs_csv_input in = *from;
    gbs_status status = gbs_bytes_open_memory(quiet.ctx, from->bytes->at, bytes, 0, &block);
    if (status != GBS_OK)
        return status == GBS_ERR_MEMORY ? gbs_reader_no_memory(l->c->reader) : GBS_OK;
    quiet.bytes = in.bytes = &block;
    quiet.quiet = true;
    in.reader = &quiet;
    do {
        record.n = record.text_size = 0;
        record.there = false;
        status = gbs_csv_record_read(&in, &record);
        if (status == GBS_OK && record.there && !add_row(l, &record))
            status = gbs_reader_no_memory(l->c->reader);
    } while (status == GBS_OK && record.there);
    gbs_csv_record_free(quiet.ctx, &record);
    gbs_bytes_close(&block);
    return status == GBS_ERR_DATA ? GBS_OK : status;
}

/* Whole lines of the next `most` bytes, which are in the window then. */
static gbs_status lines_within(const gbs_csv *c, size_t most, size_t *bytes) {
    gbs_bytes *b = c->reader->bytes;
    while (!b->last && (size_t)(b->end - b->at) < most) {
        gbs_status status = gbs_reader_more(c->reader);
        if (status != GBS_OK)
            return status;
    }
    size_t n = (size_t)(b->end - b->at);
    bool all = b->last && n <= most;
    n = n < most ? n : most;
    while (!all && n > 0 && b->at[n - 1] != '\n' && b->at[n - 1] != '\r')
        n--;
    *bytes = n;
    return GBS_OK;
}

/* A little, unless that holds few rows. */
static gbs_status look_below(struct look *l) {
    const gbs_bytes *b = l->c->reader->bytes;
    gbs_status status = GBS_OK;
    bool whole = false;
    for (size_t most = FIRST_LOOK;
         status == GBS_OK && !whole && l->out->rows < ENOUGH_ROWS && most <= LOOK;
         most *= LOOK / FIRST_LOOK) {
        size_t bytes = 0;
        forget(l);
        status = lines_within(l->c, most, &bytes);
        if (status == GBS_OK)
            status = look_at(l, bytes);
        whole = b->last && (size_t)(b->end - b->at) <= most;
    }
    return status;
}

/* ---------------------------------------------------------------- what it says */

static bool of_numbers(const struct below *b) {
    return b->numbers > b->texts;
}

/* A number that does not look like those below it. */
static bool is_unlike(const gbs_csv *c, const struct below *b, const gbs_csv_cell *cell, double x) {
    bool pointed = memchr(cell->text, c->reader->options->comma ? ',' : '.', cell->length) != NULL;
    return x < b->low || x > b->high || (!pointed && !b->no_points);
}

static bool is_year(double x) {
    return x == floor(x) && x >= 1900.0 && x <= 2100.0;
}

/* The numbers of line 1 above numbers: are they a series, are all unlike those below, and all
 * written with digits alone? */
struct numbers {
    size_t n;
    bool rise, steps, unlike, digits;
};

static struct numbers look_at_numbers(const struct look *l) {
    struct numbers s = {.rise = true, .steps = true, .unlike = true, .digits = true};
    double before = 0.0, step = 0.0;
    bool years = true;
    for (size_t j = 0; j < l->first->n; j++) {
        gbs_csv_cell cell = cell_of(l->first, j);
        double x = 0.0;
        if (what_is(l->c, &cell, &x) != NUMBER || !of_numbers(&l->below[j]))
            continue;
        s.rise = s.rise && (s.n == 0 || x > before);
        s.steps = s.steps && (s.n < 2 || fabs(x - before - step) <= 1e-9 * fabs(x));
        step = s.n == 1 ? x - before : step;
        years = years && is_year(x);
        s.unlike = s.unlike && is_unlike(l->c, &l->below[j], &cell, x);
        s.digits = s.digits && strspn(cell.text, "0123456789") == cell.length;
        before = x;
        s.n++;
    }
    s.steps = s.steps && s.rise && (s.n > 2 || (s.n == 2 && step == 1.0 && years));
    return s;
}

static double weight_of(const struct look *l, size_t j, const struct numbers *s) {
    const double odd = log(100.0), rare = log(10.0);
    const struct below *b = &l->below[j];
    const gbs_csv_cell cell = cell_of(l->first, j);
    double x = 0.0, n = (double)b->numbers + b->texts, alone = 0.0;
    enum what what = what_is(l->c, &cell, &x);
    bool often = l->repeats > 1 + l->out->rows / 20;
    if (what == MARK || b->again || (what == TEXT && often))
        return -odd;
    if (what == EMPTY || n == 0.0)
        return 0.0;
    if (what == NUMBER && of_numbers(b)) {
        bool series = s->rise && (s->steps || s->unlike);
        return series ? 0.0 : is_unlike(l->c, b, &cell, x) ? -rare : -odd;
    }
    if (of_numbers(b))
        return b->texts == 0 ? odd : fmin(odd, log((n + 1.0) / (1.0 + b->texts)));
    for (size_t k = 0; k < b->levels->set.n; k++)
        alone += b->levels->count[k] == 1;
    return log((n + 1.0) / (1.0 + alone + (what == NUMBER ? b->numbers : 0)));
}

static gbs_status count_twins(const struct look *l, size_t *twins) {
    gbs_context *ctx = l->c->reader->ctx;
    gbs_text_set names = {0};
    gbs_pool pool = {0};
    bool room = true;
    *twins = 0;
    for (size_t j = 0; room && j < l->first->n; j++) {
        gbs_csv_cell cell = cell_of(l->first, j);
        if (cell.length > 0 && gbs_text_set_find(&names, cell.text, cell.length) != GBS_TEXT_NONE)
            ++*twins;
        else if (cell.length > 0)
            room = gbs_text_set_add(ctx, &names, &pool, cell.text, cell.length);
    }
    gbs_text_set_free(ctx, &names);
    gbs_pool_free(ctx, &pool);
    return room ? GBS_OK : gbs_reader_no_memory(l->c->reader);
}

static gbs_status weigh(struct look *l) {
    gbs_csv_evidence *out = l->out;
    const struct numbers s = look_at_numbers(l);
    double most = 0.0, least = 0.0;
    size_t values = 0; /* cells that others have, too */
    size_t twins, from = l->c->reader->options->names_first ? 1 : 0;
    gbs_status status = count_twins(l, &twins);
    for (size_t j = from; j < l->first->n; j++) {
        gbs_csv_cell cell = cell_of(l->first, j);
        double x, weight = weight_of(l, j, &s);
        enum what what = what_is(l->c, &cell, &x);
        out->texts += what == TEXT;
        out->others += what == NUMBER || what == MARK;
        out->empty += what == EMPTY;
        out->odds += weight;
        values += weight < 0.0 && (what != NUMBER || !of_numbers(&l->below[j]));
        if (weight > most) {
            most = weight;
            out->best = j;
        }
        if (weight < least) {
            least = weight;
            out->worst = j;
        }
    }
    out->odds -= log(10.0) * (double)twins;
    out->series = s.n > 0 && s.unlike && (s.digits || s.rise) && values == 0 && twins == 0;
    return status;
}

gbs_status gbs_csv_weigh(gbs_csv *c, const gbs_csv_record *first, gbs_csv_evidence *out) {
    *out = (gbs_csv_evidence){.best = SIZE_MAX, .worst = SIZE_MAX};
    struct look l = {.c = c, .first = first, .out = out};
    l.below = gbs_array_alloc(c->reader->ctx, first->n, sizeof *l.below);
    if (l.below == NULL)
        return gbs_reader_no_memory(c->reader);
    gbs_status status = look_below(&l);
    if (status == GBS_OK)
        status = weigh(&l);
    size_t rows = out->rows;
    forget(&l);
    out->rows = rows;
    gbs_array_free(c->reader->ctx, l.below);
    return status;
}
