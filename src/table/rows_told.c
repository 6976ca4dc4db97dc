/* What data that a table made tells of its rows and its recipe. */
#include "data/rows.h"
#include "table/rows_source.h"

static const struct source *source_of(const gbs_data *data) {
    return data != NULL ? (const struct source *)data->source : NULL;
}

const gbs_recipe *gbs_data_recipe(const gbs_data *data) {
    return source_of(data) != NULL ? source_of(data)->recipe : NULL;
}

size_t gbs_data_left_out(const gbs_data *data) {
    return source_of(data) != NULL ? source_of(data)->design.left_out : 0;
}

size_t gbs_data_missing(const gbs_data *data, size_t k) {
    const struct source *s = source_of(data);
    size_t inputs = s != NULL ? gbs_recipe_inputs(s->recipe) : 0;
    if (s == NULL || s->design.missing == NULL || k >= inputs + GBS_MISSING_INPUT)
        return 0;
    return s->design.missing[k < inputs ? GBS_MISSING_INPUT + k : k - inputs];
}

size_t gbs_data_table_row(const gbs_data *data, size_t i) {
    const struct source *s = source_of(data);
    return s != NULL && s->design.rows != NULL && i < s->design.n ? s->design.rows[i] : i;
}

const char *gbs_data_kept_column(const gbs_data *data, size_t k) {
    const struct source *s = source_of(data);
    return s != NULL && k < s->kept.columns ? s->kept.name[k] : NULL;
}

const char *gbs_data_kept(const gbs_data *data, size_t k, size_t row) {
    const struct source *s = source_of(data);
    return s != NULL && k < s->kept.columns && row < s->kept.rows
               ? s->kept.text[row * s->kept.columns + k]
               : NULL;
}

size_t gbs_data_unseen(const gbs_data *data, size_t k, const char **level) {
    const struct source *s = source_of(data);
    bool there = s != NULL && s->design.unseen != NULL && k < gbs_recipe_inputs(s->recipe);
    if (level != NULL)
        *level = there ? s->design.example[k] : NULL;
    return there ? s->design.unseen[k] : 0;
}
