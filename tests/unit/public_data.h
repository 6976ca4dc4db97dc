/* The public data sets, from the folder GIBBSITE_DATA (default ../shared/data beside the
 * repository). */
#ifndef GIBBSITE_TESTS_PUBLIC_DATA_H
#define GIBBSITE_TESTS_PUBLIC_DATA_H

#include "fit/run.h"
#include "table/design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct public_set {
    gbs_context *ctx;
    gbs_table *table;
    gbs_recipe *recipe;
    gbs_design design;
};

static inline const char *public_folder(void) {
    const char *folder = getenv("GIBBSITE_DATA");
    return folder != NULL ? folder : "../shared/data";
}

/* False when the folder is not there; a file that is there must be read. */
static inline bool public_load(const char *name, const char *positive, struct public_set *out) {
    char path[1024];
    *out = (struct public_set){0};
    snprintf(path, sizeof path, "%s/%s", public_folder(), name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    fclose(file);
    gbs_recipe_wishes wishes = {.positive = positive};
    gbs_design_use use = {.labels = GBS_WITH_LABELS};
    if (gbs_context_create(NULL, &out->ctx) != GBS_OK)
        abort();
    gbs_status status = gbs_table_read_file(out->ctx, path, &(gbs_reading){.header = -1},
                                            &out->table);
    if (status == GBS_OK)
        status = gbs_recipe_learn(out->ctx, out->table, &wishes, &out->recipe);
    if (status == GBS_OK)
        status = gbs_design_build(out->ctx, out->recipe, out->table, &use, &out->design);
    if (status != GBS_OK) {
        fprintf(stderr, "%s\n", gbs_error_message(out->ctx));
        abort();
    }
    return true;
}

static inline void public_free(struct public_set *s) {
    gbs_design_free(s->ctx, &s->design);
    gbs_recipe_free(s->recipe);
    gbs_table_free(s->table);
    gbs_context_free(s->ctx);
}

/* Some rows of a set as data of their own. */
struct picked {
    double *x, *y;
    gbs_data *data;
};

static inline struct picked public_pick(gbs_context *ctx, const gbs_design *d, const size_t *rows,
                                        size_t n) {
    struct picked p = {calloc(n * d->d + 1, sizeof(double)), calloc(n + 1, sizeof(double)), NULL};
    for (size_t i = 0; i < n; i++) {
        memcpy(p.x + i * d->d, d->cells + rows[i] * d->stride, d->d * sizeof(double));
        p.y[i] = d->y[rows[i]];
    }
    if (gbs_data_dense(ctx, n, d->d, p.x, d->d, p.y, GBS_BORROW, &p.data) != GBS_OK)
        abort();
    return p;
}

static inline void picked_free(struct picked *p) {
    gbs_data_free(p->data);
    free(p->x);
    free(p->y);
}

#endif
