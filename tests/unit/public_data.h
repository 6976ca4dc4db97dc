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
    struct table table;
    struct recipe recipe;
    struct design design;
};

static inline const char *public_folder(void) {
    const char *folder = getenv("GIBBSITE_DATA");
    return folder != NULL ? folder : "../shared/data";
}

/* False when the folder is not there; a file that is there must be read. */
static inline bool public_load(const char *name, const char *positive, struct public_set *out) {
    char path[1024], error[1024] = "";
    snprintf(path, sizeof path, "%s/%s", public_folder(), name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    fclose(file);
    struct table_options options = {.header = -1};
    struct recipe_options choose = {.positive = positive};
    if (table_read(path, &options, &out->table, error, sizeof error) != TABLE_OK ||
        !recipe_learn(&out->table, &choose, &out->recipe, error, sizeof error) ||
        design_build(&out->recipe, &out->table, LABELS_NEEDED, &out->design, error, sizeof error) !=
            TABLE_OK) {
        fprintf(stderr, "%s\n", error);
        abort();
    }
    return true;
}

static inline void public_free(struct public_set *s) {
    design_free(&s->design);
    recipe_free(&s->recipe);
    table_free(&s->table);
}

/* Some rows of a set as data of their own. */
struct picked {
    double *x, *y;
    gbs_data *data;
};

static inline struct picked public_pick(gbs_context *ctx, const struct design *d,
                                        const size_t *rows, size_t n) {
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
