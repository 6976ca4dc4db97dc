/* What is chosen where all classes are fitted together (docs/maths.md, 11.10).
 *
 * Each fold of the rows that choose is left out once; its fits go from a narrow prior to wide ones,
 * each from the means of the last, until the log loss of the rows left out has risen twice. Columns
 * are equal or by relevance (6.4), or mapped (12.4) where that was asked for; `features` auto takes
 * the map where its log loss is lower by two standard errors of the difference.
 */
#include "fit/many_joint.h"
#include "fit/choose.h"
#include "fit/choose_map.h"
#include "fit/side_by_side.h"
#include "fit/temper.h"

#include <math.h>
#include <string.h>

#define NARROWEST 0.00625
#define NARROWEST_MAPPED 0.1
#define LEAST_ROOM 1.0 /* of the intercept's prior, in units of the score */
#define ROUGHLY 0.1    /* nats that may be left, to compare */
#define TIE (1.0 - 1e-9)
#define SURELY 2.0 /* standard errors */
enum { MOST_RISES = 2, MAPPED_COLUMNS = 512 };

/* ---------------------------------------------------------------- the width of the prior */

/* Rows left out, among the learned classes, calibrated. */
static gbs_status judge(gbs_context *ctx, const gbs_joint_folds *s, double *loss, double *value,
                        double *error) {
    size_t *class = gbs_array_alloc(ctx, s->rows->n, sizeof *class);
    double slope;
    if (class == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < s->rows->n; i++)
        class[i] = s->place[(size_t)s->rows->y[i]];
    gbs_class_scores of = {s->rows->n, s->k, s->score, class};
    gbs_status status = gbs_temper(ctx, &of, &slope, loss, error);
    *value = gbs_softmax_mean(of.n, loss);
    gbs_array_free(ctx, class);
    return status;
}

/* One kind of columns while its widths are tried. */
struct walk {
    gbs_joint_folds s;
    gbs_fit_settings *o;
    double widths[GBS_CLASS_WIDTHS], *loss;
    size_t size;
};

/* From width `from` on, up or down, until the log loss has risen twice. */
static gbs_status walk_widths(gbs_classes_fit *f, struct walk *k, size_t from, bool up,
                              gbs_joint_choice *best) {
    gbs_status status = GBS_OK;
    size_t rises = 0;
    double last = up ? INFINITY : best->log_loss;
    for (size_t w = from; status == GBS_OK && w < k->size && rises < MOST_RISES;
         w = up ? w + 1 : w - 1) { /* below 0 is above all */
        double value, error;
        gbs_side_progress progress = {"choice", f->told, f->span / 4.0};
        k->o->prior_sd = k->widths[w];
        status = gbs_side_by_side(f->ctx, k->s.count, progress, gbs_joint_fold_fit, &k->s);
        if (status == GBS_OK)
            status = judge(f->ctx, &k->s, k->loss, &value, &error);
        f->told += progress.span;
        f->candidates++;
        if (status != GBS_OK)
            break;
        rises = value > last ? rises + 1 : 0;
        last = value;
        if (best->any && !(value < TIE * best->log_loss))
            continue;
        best->any = true;
        best->log_loss = value;
        best->error = error;
        best->width = w;
        memcpy(best->loss, k->loss, f->some->n * sizeof *k->loss);
    }
    return status;
}

/* What calibrates: the best once more, in fits that shrink as the one to all rows will. Of many
 * rows others do that. */
static gbs_status score_again(gbs_classes_fit *f, struct walk *k, gbs_joint_choice *best) {
    gbs_side_progress progress = {"choice", f->told, 0.0};
    if (f->some->n < f->head->n)
        return GBS_OK;
    k->s.matched = true;
    gbs_status status = gbs_side_by_side(f->ctx, k->s.count, progress, gbs_joint_fold_fit, &k->s);
    return status == GBS_OK ? gbs_joint_folds_gather(f->ctx, &k->s, &best->scores) : status;
}

/* Widths from `narrowest` on, `start` the first that is tried, in whose valley the best is looked
 * for; what the options say is not chosen. o is left as the best. */
static gbs_status search(gbs_classes_fit *f, const gbs_many *many, gbs_fit_settings *o,
                         double narrowest, size_t start, gbs_joint_choice *best) {
    bool lengths = o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0;
    struct walk k = {.o = o, .size = o->prior_sd > 0.0 ? 1 : GBS_CLASS_WIDTHS};
    gbs_side_progress progress = {"choice", f->told, f->span};
    for (size_t w = 0; w < k.size; w++)
        k.widths[w] = o->prior_sd > 0.0 ? o->prior_sd : narrowest * exp2((double)w);
    if (!(o->constant > 0.0))
        o->constant = lengths ? 1.0 : fmax(1.0, LEAST_ROOM / k.widths[0]);
    best->loss = gbs_doubles(f->ctx, f->some->n);
    k.loss = gbs_doubles(f->ctx, f->some->n);
    gbs_status status = best->loss != NULL && k.loss != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_joint_folds_create(f->ctx, o, f->some, f->fold_of, f->folds, many, &k.s);
    if (status == GBS_OK)
        status = gbs_side_by_side(f->ctx, k.s.count, progress, gbs_joint_fold_build, &k.s);
    k.s.enough = ROUGHLY;
    if (status == GBS_OK)
        status = walk_widths(f, &k, start, true, best);
    if (status == GBS_OK && start > 0 && best->width == start)
        status = walk_widths(f, &k, start - 1, false, best);
    o->prior_sd = k.widths[best->width];
    best->o = *o;
    if (status == GBS_OK)
        status = score_again(f, &k, best);
    gbs_joint_folds_free(f->ctx, &k.s);
    gbs_array_free(f->ctx, k.loss);
    return status;
}

void gbs_joint_choice_free(const gbs_context *ctx, gbs_joint_choice *c) {
    gbs_held_scores_free(ctx, &c->scores);
    gbs_array_free(ctx, c->loss);
    *c = (gbs_joint_choice){0};
}

/* The columns themselves: equal, or by relevance where that was asked for or has the lower log
 * loss. Its widths are tried from the best one of equal columns on. */
static gbs_status try_linear(gbs_classes_fit *f, const gbs_many *many, gbs_joint_choice *out) {
    gbs_fit_settings o = f->o, other;
    gbs_joint_choice relevant = {0};
    bool free_lengths = o.scale == GBS_SCALE_STANDARD && !(o.cx > 0.0);
    double typical;
    o.features = GBS_FEATURES_LINEAR;
    if (o.columns != GBS_COLUMNS_RELEVANCE)
        o.columns = GBS_COLUMNS_EQUAL;
    gbs_status status = gbs_typical_cell(f->ctx, f->some, &o, &typical);
    other = o;
    if (status == GBS_OK)
        status = search(f, many, &o, NARROWEST / typical, 0, out);
    if (status != GBS_OK || f->o.columns != GBS_COLUMNS_AUTO || !free_lengths)
        return status;
    other.columns = GBS_COLUMNS_RELEVANCE;
    status = search(f, many, &other, NARROWEST / typical, out->width, &relevant);
    if (status == GBS_OK && relevant.log_loss < TIE * out->log_loss) {
        gbs_joint_choice worse = *out;
        *out = relevant;
        relevant = worse;
    }
    gbs_joint_choice_free(f->ctx, &relevant);
    return status;
}

/* Under the map that was found. On few of the rows with fewer columns: a width that serves them
 * serves more (docs/maths.md, 12.1). */
static gbs_status try_mapped(gbs_classes_fit *f, const gbs_many *many, const gbs_map_choice *found,
                             gbs_joint_choice *out) {
    gbs_fit_settings o = f->o;
    bool some = f->some->n < f->head->n;
    size_t most = f->some->n - f->some->n / f->folds;
    o.columns = GBS_COLUMNS_EQUAL;
    o.features = found->features;
    o.kernel_width = found->kernel_width;
    o.level_width = found->level_width;
    o.kernel_axes = found->axes;
    o.features_size = found->size < most ? found->size : most;
    if (some && o.features_size > MAPPED_COLUMNS)
        o.features_size = MAPPED_COLUMNS;
    gbs_status status = search(f, many, &o, NARROWEST_MAPPED, 0, out);
    out->o.features_size = found->size;
    return status;
}

/* The better of the two stays in `line`: the map has to be better by two standard errors. */
static void take_better(gbs_classes_fit *f, gbs_joint_choice *line, gbs_joint_choice *mapped) {
    if (line->any && !gbs_softmax_better_by(f->some->n, mapped->loss, line->loss, SURELY))
        return;
    gbs_joint_choice worse = *line;
    *line = *mapped;
    *mapped = worse;
}

/* Of many rows the look at maps has seen more than the folds will: it says which. */
gbs_status gbs_joint_choose(gbs_classes_fit *f, gbs_joint_choice *out) {
    gbs_many *many = NULL;
    gbs_map_choice found = {0};
    gbs_joint_choice other = {0};
    gbs_features asked = f->o.features;
    bool mapped = !gbs_features_linear(asked), line = !mapped || asked == GBS_FEATURES_AUTO;
    gbs_status status = gbs_parts_create(f->ctx, f->some, GBS_SCHEME_SOFTMAX, &many);
    if (status == GBS_OK && mapped)
        status = gbs_choose_map(f->ctx, f->head, &f->o, &found);
    if (asked == GBS_FEATURES_AUTO && f->some->n < f->head->n) {
        mapped = found.helps;
        line = !found.helps;
    }
    if (status == GBS_OK && line)
        status = try_linear(f, many, out);
    if (status == GBS_OK && mapped)
        status = try_mapped(f, many, &found, &other);
    if (status == GBS_OK && mapped)
        take_better(f, out, &other);
    f->candidates += found.candidates;
    gbs_joint_choice_free(f->ctx, &other);
    gbs_many_free(f->ctx, many);
    return status;
}
