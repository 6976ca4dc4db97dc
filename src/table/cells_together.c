/* The plain records of a CSV file of cells, many at a time.
 *
 * A name is looked for in a table that is larger than the caches near the processor, so what a
 * rating costs is the wait for a slot. Here a batch of records is scanned first, and each slot is
 * called for as soon as its name is known; when the names are looked up, the slots have come.
 *
 * Nothing is wrong with a record that is taken here but, perhaps, a name that is not UTF-8. All
 * else (cells that end outside the window, quotes in quotes, mistakes) is left to csv_cell.
 */
#include "table/cells_reader.h"
#include "table/number.h"

#include <string.h>

enum { BATCH = 64, LONGEST_NAME = 256, LONGEST_OTHER = 4096 };

struct name {
    const char *text;
    size_t length;
    uint64_t key;
};

/* ---------------------------------------------------------------- eight bytes at once */

static const uint64_t each = 0x0101010101010101u;

/* The first character is the lowest byte. */
static inline uint64_t eight_bytes(const char *p) {
    uint64_t x;
    memcpy(&x, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* The lowest bit that is set is the highest of the first byte below c, which is at most 128. */
static inline uint64_t bytes_below(uint64_t x, unsigned char c) {
    return (x - each * c) & ~x & each * 128;
}

static inline uint64_t bytes_equal(uint64_t x, unsigned char c) {
    return bytes_below(x ^ each * c, 1);
}

/* ---------------------------------------------------------------- one cell */

static inline bool is_control(char c) {
    return (unsigned char)c < ' ';
}

/* A name up to `stop` or a control character, of which the caller judges. Returns where it stops;
 * NULL: not within the window, or too far. */
static inline const char *find_name(const char *p, const char *end, char stop, struct name *to) {
    if (end - p < 8)
        return NULL;
    uint64_t x = eight_bytes(p), stops = bytes_equal(x, (unsigned char)stop) | bytes_below(x, ' ');
    to->text = p;
    if (stops != 0) {
        to->length = (size_t)__builtin_ctzll(stops) / 8;
        to->key = gbs_text_short_key(x, to->length);
        return p + to->length;
    }
    const char *most = end - p > LONGEST_NAME ? p + LONGEST_NAME : end;
    for (p += 8; p < most && *p != stop && !is_control(*p);)
        p++;
    to->length = (size_t)(p - to->text);
    to->key = gbs_text_key(to->text, to->length);
    return p < most ? p : NULL;
}

/* Behind the cell; NULL: it is for others. */
static inline const char *take_name(const gbs_csv_input *in, const char *p, struct name *to) {
    bool quoted = *p == '"';
    p = find_name(p + quoted, in->bytes->end, quoted ? '"' : in->separator, to);
    if (p == NULL || to->length == 0)
        return NULL;
    if (quoted)
        return *p == '"' ? p + 1 : NULL;
    return p[-1] != ' ' ? p : NULL;
}

static inline const char *take_value(const gbs_cells_reader *r, const char *p, double *to) {
    double x = 0.0;
    const char *start = p;
    p = gbs_number_read(p, r->in.bytes->end, &x);
    if (p == NULL || p - start > LONGEST_OTHER || !gbs_cells_may_be(r->options, x))
        return NULL;
    *to = x;
    return p;
}

static inline const char *pass_other(const gbs_csv_input *in, const char *p) {
    const char *most = in->bytes->end - p > LONGEST_OTHER ? p + LONGEST_OTHER : in->bytes->end;
    if (*p == '"')
        return NULL;
    while (p < most && !in->stop[(unsigned char)*p])
        p++;
    return p;
}

/* ---------------------------------------------------------------- records */

/* Behind the record at p; NULL: it is for others. */
static inline const char *take_record(const gbs_cells_reader *r, const char *p, struct name name[2],
                                      double *value) {
    const gbs_csv_input *in = &r->in;
    const size_t d = r->columns,
                 value_column = r->options->values ? r->column[GBS_CELL_VALUE] : SIZE_MAX;
    for (size_t j = 0; j < d; j++) {
        while (*p == ' ')
            p++;
        if (j == r->column[GBS_CELL_ROW])
            p = take_name(in, p, &name[GBS_CELL_ROW]);
        else if (j == r->column[GBS_CELL_COLUMN])
            p = take_name(in, p, &name[GBS_CELL_COLUMN]);
        else
            p = j == value_column ? take_value(r, p, value) : pass_other(in, p);
        if (p == NULL || (j + 1 < d && *p++ != in->separator))
            return NULL;
    }
    /* At the edge of the window p reads the '\0' there. */
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

/* Most names are short, and in the slot that was called for. */
static inline size_t find(const gbs_text_set *set, const struct name *s) {
    const struct gbs_text_slot *slot = gbs_text_slot_of(set, s->key);
    if (s->length <= GBS_SHORT_TEXT && slot != NULL && slot->key == s->key)
        return slot->number - 1;
    return gbs_text_set_find_key(set, s->text, s->length, s->key);
}

/* The records whose names wait, numbered; the two of a record as they stand in the file. */
static gbs_status look_up(gbs_cells_reader *r, struct name name[][2], size_t count) {
    gbs_cells *t = r->out;
    gbs_status status = GBS_OK;
    const int first = r->column[GBS_CELL_ROW] < r->column[GBS_CELL_COLUMN] ? 0 : 1;
    for (size_t i = 0; i < count && status == GBS_OK; i++) {
        for (int k = 0; k < 2 && status == GBS_OK; k++) {
            const int side = k == 0 ? first : 1 - first;
            const struct name *s = &name[i][side];
            size_t found = find(&t->names[side], s);
            if (found == GBS_TEXT_NONE)
                status = gbs_cells_add_id(r, side, r->in.line + i, s->text, s->length);
            else
                t->id[side][t->n] = (uint32_t)found;
        }
        t->n += status == GBS_OK;
    }
    return status;
}

/* Where the window ends, or in it the part that is read. */
static const char *last_begin(const gbs_cells_reader *r) {
    const gbs_bytes *b = r->in.bytes;
    const gbs_cells_part *part = r->options->part;
    uint64_t left = part != NULL ? part->to - gbs_bytes_offset(b) : UINT64_MAX;
    return left < (uint64_t)(b->end - b->at) ? b->at + left : b->end;
}

gbs_status gbs_cells_take_together(gbs_cells_reader *r) {
    gbs_bytes *b = r->in.bytes;
    const char *end = last_begin(r);
    struct name name[BATCH][2] = {0};
    size_t count = BATCH;
    gbs_status status = GBS_OK;
    if (r->options->one_by_one || r->options->comma || r->in.separator == ' ')
        return GBS_OK;
    while (count == BATCH && status == GBS_OK) {
        const char *p = b->at, *next;
        double none, *value = NULL;
        status = gbs_cells_make_room(r, BATCH);
        if (status != GBS_OK)
            return status;
        value = r->options->values ? r->out->value + r->out->n : NULL;
        for (count = 0; count < BATCH && p < end; count++, p = next) {
            next = take_record(r, p, name[count], value != NULL ? value + count : &none);
            if (next == NULL)
                break;
            for (int side = 0; side < 2; side++)
                __builtin_prefetch(gbs_text_slot_of(&r->out->names[side], name[count][side].key));
        }
        status = look_up(r, name, count);
        b->at += p - b->at;
        r->in.line += count;
    }
    return status;
}
