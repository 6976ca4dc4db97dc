#!/usr/bin/env bash
# The interface can grow: no struct of the header is the caller's to allocate, and a program built
# with a header whose structs lack their last members runs with the library of today.
. "$(dirname "$0")/../lib.sh"
tool=$GIBBSITE_ROOT/tools/check-abi.py

check 'results are read through const pointers, enumerations grow at their end' "$tool"

# what the check would find
mkdir bad
printf '%s\n' 'GBS_RED 0' 'GBS_GREEN 1' >bad/abi.txt
refused() { # refused WHY DECLARATION...
    printf '%s\n' 'typedef struct gbs_thing { int a; double b; } gbs_thing;' "${@:2}" >bad/bad.h
    "$tool" bad --record bad/abi.txt >found
    check "it finds $1" grep -q "$1" found
}
refused 'by value' 'GBS_API gbs_thing gbs_make(void);'
refused 'fills in' 'GBS_API void gbs_get(gbs_thing *out);'
refused 'array of' 'GBS_API const gbs_thing *gbs_list(size_t *count);'
refused 'inside' 'typedef struct gbs_big { gbs_thing thing; int c; } gbs_big;'

refused 'stands in the list' 'typedef enum gbs_hue { GBS_RED = 0, GBS_HUE_AUTO } gbs_hue;'
refused 'was 1 and is 2' 'typedef enum gbs_hue { GBS_RED = 0, GBS_BLUE, GBS_GREEN } gbs_hue;'
refused 'GBS_GREEN is gone' 'typedef enum gbs_hue { GBS_RED = 0 } gbs_hue;'
refused 'GBS_BLUE is not in' \
    'typedef enum gbs_hue { GBS_RED = 0, GBS_GREEN, GBS_BLUE, GBS_HUE_AUTO = 100 } gbs_hue;'
check 'it takes new ones down' "$tool" bad --record bad/abi.txt --write
check 'and is content' "$tool" bad --record bad/abi.txt

cat >program.c <<'C'
#include <gibbsite.h>
#include <stdio.h>
enum { ROWS = 200, COLUMNS = 2 };
static void show(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    const gbs_certificate *c;
    const gbs_path_point *p;
    const gbs_trace_point *t;
    const gbs_stage_info *s;
    gbs_evaluation *e = NULL;
    printf("%zu rows, %g\n", gbs_model_get_info(model)->n, gbs_model_get_info(model)->lambda);
    for (size_t k = 0; (c = gbs_model_certificate(model, k)) != NULL; k++)
        printf("%s %.17g %zu\n", gbs_target_name(c->target), c->value, c->blocks);
    for (size_t k = 0; (p = gbs_model_path_at(model, k)) != NULL; k++)
        printf("%.17g %.17g\n", p->lambda, p->free_energy);
    for (size_t k = 0; (t = gbs_model_trace_at(model, k)) != NULL; k++)
        printf("%zu %.17g\n", t->solve, t->free_energy);
    for (size_t k = 0; (s = gbs_model_stage(model, k)) != NULL; k++)
        printf("%g %zu\n", s->weight, s->rows);
    if (gbs_model_evaluate(ctx, model, data, &e) == GBS_OK)
        printf("%zu %.17g %.17g\n", e->errors, e->auc,
               gbs_evaluation_reliability(e, 9)->share_positive);
    gbs_evaluation_free(e);
}
static void sample(gbs_context *ctx, const gbs_data *data) {
    gbs_options *options = NULL;
    gbs_particles *particles = NULL;
    const gbs_sample_point *p;
    if (gbs_options_create(ctx, "sample", &options) == GBS_OK &&
        gbs_options_set_count(options, "particles", 64) == GBS_OK &&
        gbs_sample(ctx, data, options, &particles) == GBS_OK) {
        printf("log Z %.17g\n", gbs_particles_get_info(particles)->log_z);
        for (size_t k = 0; (p = gbs_particles_path_at(particles, k)) != NULL; k++)
            printf("%.17g %.17g\n", p->lambda, p->log_z);
    }
    gbs_particles_free(particles);
    gbs_options_free(options);
}
int main(void) {
    static double x[ROWS * COLUMNS], y[ROWS];
    gbs_context *ctx;
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = gbs_random_normal(ctx, 1, i);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = x[i * COLUMNS] + 0.5 * gbs_random_normal(ctx, 2, i) > 0 ? 1 : -1;
    gbs_status status = gbs_data_dense(ctx, ROWS, COLUMNS, x, COLUMNS, y, GBS_COPY, &data);
    if (status == GBS_OK)
        status = gbs_fit(ctx, data, NULL, &model);
    if (status == GBS_OK)
        show(ctx, model, data);
    if (status == GBS_OK)
        sample(ctx, data);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    return status != GBS_OK;
}
C
check 'the header of a version before' "$tool" --cut before
refuse 'is another one' cmp -s before/gibbsite/model.h "$GIBBSITE_ROOT/include/gibbsite/model.h"
build() { # build INCLUDE NAME
    cc -std=c17 -Wall -Wextra -Werror -I "$1" program.c -o "$2" -L "$GIBBSITE_BUILD" -lgibbsite \
        -Wl,-rpath,"$GIBBSITE_BUILD"
}
check 'a program of today builds' build "$GIBBSITE_ROOT/include" now
check 'a program of a version before builds' build before old
./now >now.txt
./old >old.txt
check 'the program says something' test -s now.txt
check 'the old one reads the same numbers' cmp now.txt old.txt
check 'the soname counts interfaces' bash -c "readelf -d now | grep -q 'libgibbsite.so.1]'"
