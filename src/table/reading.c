/* How the options say that a file is read. */
#include "table/reading.h"

#include "table/csv_cell.h"

#include <string.h>

gbs_status gbs_reading_check(gbs_context *ctx, const gbs_options *options, unsigned commands) {
    if (options == NULL || (options->command & commands) != 0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "these are the options of another command");
}

gbs_status gbs_reading_from(gbs_context *ctx, const gbs_table_settings *s, gbs_reading *out) {
    const char *sep = s->separator;
    *out = (gbs_reading){.format = (gbs_table_format)s->format,
                         .header = s->no_header ? 0
                                   : s->header  ? 1
                                                : -1,
                         .target = s->target,
                         .weights = s->weights,
                         .group = s->group,
                         .comma = s->decimal != 0,
                         .keep_missing = s->missing != GBS_MISSING_ERROR};
    if (s->header && s->no_header)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`header` and `no-header` exclude each other");
    if (sep == NULL)
        return GBS_OK;
    out->separator = strcmp(sep, "tab") == 0 || strcmp(sep, "\\t") == 0 ? '\t'
                     : strcmp(sep, "space") == 0                        ? ' '
                                                                        : sep[0];
    bool one = out->separator == '\t' || out->separator == ' ' ||
               (sep[0] != '\0' && sep[1] == '\0');
    if (!one || !gbs_csv_may_separate(out->separator))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`sep`: expected one character that is no part of a number or a word, "
                        "tab or space, found '%.20s'",
                        sep);
    if (out->comma && out->separator == ',')
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`sep` and `decimal` are both a comma: cells cannot be told apart");
    return GBS_OK;
}

gbs_status gbs_lists_split(gbs_context *ctx, const gbs_table_settings *s, gbs_lists *out) {
    *out = (gbs_lists){0};
    gbs_status status = gbs_names_split(ctx, s->drop, &out->drop);
    if (status == GBS_OK)
        status = gbs_names_split(ctx, s->text, &out->text);
    if (status == GBS_OK)
        status = gbs_names_split(ctx, s->keep, &out->keep);
    return status == GBS_OK ? gbs_names_split(ctx, s->na_values, &out->na) : status;
}

void gbs_lists_free(const gbs_context *ctx, gbs_lists *l) {
    gbs_names_free(ctx, &l->drop);
    gbs_names_free(ctx, &l->text);
    gbs_names_free(ctx, &l->na);
    gbs_names_free(ctx, &l->keep);
}
