/* Models of three classes or more: what they are made of, and what they tell. */
#include "model/many.h"

#include "core/check.h"

static size_t parts_of(gbs_scheme scheme, size_t classes) {
    return scheme == GBS_SCHEME_PAIRS ? classes * (classes - 1) / 2 : classes;
}

void gbs_many_sides(gbs_scheme scheme, size_t classes, size_t p, size_t *one, size_t *other) {
    *one = p;
    *other = SIZE_MAX;
    if (scheme != GBS_SCHEME_PAIRS)
        return;
    for (*one = 0; p >= classes - 1 - *one; ++*one)
        p -= classes - 1 - *one;
    *other = *one + 1 + p;
}

void gbs_many_tell_sides(gbs_many *m) {
    for (size_t p = 0; p < m->parts; p++)
        if (m->part[p] != NULL) {
            gbs_sides *s = &m->part[p]->sides;
            s->classes = m->classes;
            gbs_many_sides(m->scheme, m->classes, p, &s->one, &s->other);
        }
}

void gbs_many_tell_full(gbs_many *m) {
    size_t k = m->classes;
    m->full = false;
    for (size_t i = 0; i < k * k; i++)
        m->full = m->full || (m->slope[i] != 0.0 && i % (k + 1) != 0);
}

gbs_status gbs_many_create(gbs_context *ctx, size_t classes, gbs_scheme scheme, gbs_many **out) {
    gbs_many *m = gbs_array_alloc(ctx, 1, sizeof *m);
    *out = m;
    if (m == NULL)
        return GBS_ERR_MEMORY;
    m->classes = m->card.classes = classes;
    m->scheme = m->card.scheme = scheme;
    m->parts = parts_of(scheme, classes);
    m->part = gbs_array_alloc(ctx, m->parts, sizeof *m->part);
    m->odds = gbs_array_alloc(ctx, m->parts, sizeof *m->odds);
    m->learned = gbs_array_alloc(ctx, classes, sizeof *m->learned);
    m->offset = gbs_doubles(ctx, classes);
    m->slope = gbs_matrix(ctx, classes, classes);
    m->confusion = gbs_array_alloc(ctx, (classes + 1) * classes, sizeof *m->confusion);
    m->result = gbs_array_alloc(ctx, classes, sizeof *m->result);
    if (m->part != NULL && m->odds != NULL && m->learned != NULL && m->offset != NULL &&
        m->slope != NULL && m->confusion != NULL && m->result != NULL)
        return GBS_OK;
    if (m->part == NULL)
        m->parts = 0;
    gbs_many_free(ctx, m);
    *out = NULL;
    return GBS_ERR_MEMORY;
}

void gbs_many_free(gbs_context *ctx, gbs_many *m) {
    if (m == NULL)
        return;
    for (size_t p = 0; p < m->parts; p++)
        gbs_model_free(m->part[p]);
    gbs_array_free(ctx, m->part);
    gbs_array_free(ctx, m->odds);
    gbs_array_free(ctx, m->learned);
    gbs_array_free(ctx, m->offset);
    gbs_array_free(ctx, m->slope);
    gbs_array_free(ctx, m->cost);
    gbs_array_free(ctx, m->confusion);
    gbs_array_free(ctx, m->result);
    gbs_array_free(ctx, m);
}

void gbs_many_count(size_t classes, const size_t *confusion, gbs_class_result *result) {
    for (size_t k = 0; k < classes; k++) {
        result[k].rows = result[k].said = 0;
        result[k].right = confusion[k * classes + k];
        for (size_t j = 0; j < classes; j++)
            result[k].rows += confusion[k * classes + j];
        for (size_t j = 0; j <= classes; j++)
            result[k].said += confusion[j * classes + k];
    }
}

/* ---------------------------------------------------------------- what it tells */

size_t gbs_model_classes(const gbs_model *model) {
    return model == NULL ? 0 : model->many != NULL ? model->many->classes : 2;
}

const gbs_classes_card *gbs_model_classes_card(const gbs_model *model) {
    bool told = model != NULL && model->many != NULL && model->many->tested;
    return told ? &model->many->card : NULL;
}

const gbs_class_result *gbs_model_class_result(const gbs_model *model, size_t k) {
    bool told = gbs_model_classes_card(model) != NULL && k < model->many->classes;
    return told ? &model->many->result[k] : NULL;
}

size_t gbs_model_confusion(const gbs_model *model, size_t is, size_t said) {
    const gbs_many *m = gbs_model_classes_card(model) != NULL ? model->many : NULL;
    return m != NULL && is <= m->classes && said < m->classes ? m->confusion[is * m->classes + said]
                                                              : 0;
}

double gbs_model_cost(const gbs_model *model, size_t is, size_t said) {
    const gbs_many *m = model != NULL ? model->many : NULL;
    bool there = m != NULL && m->cost != NULL && is < m->classes && said < m->classes;
    return there ? m->cost[is * m->classes + said] : is != said ? 1.0 : 0.0;
}

const gbs_model *gbs_model_part(const gbs_model *model, size_t k, size_t *one, size_t *other) {
    size_t sides[2] = {SIZE_MAX, SIZE_MAX};
    const gbs_many *m = model != NULL ? model->many : NULL;
    bool there = m != NULL && k < m->parts;
    if (there)
        gbs_many_sides(m->scheme, m->classes, k, &sides[0], &sides[1]);
    gbs_tell(one, sides[0]);
    gbs_tell(other, sides[1]);
    return there ? m->part[k] : NULL;
}
