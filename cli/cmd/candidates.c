/* From options to fits. */
#include "cmd/candidates.h"

#include <stdlib.h>

/* Where the prior is not given, the options that are about the zero prior mean it. */
static gbs_prior_kind prior_of(const struct options *o) {
    if (given(o, OPT_PRIOR))
        return o->choice[OPT_PRIOR] == PRIOR_ZERO ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
    bool zero = given(o, OPT_PAPER) || given(o, OPT_RESTARTS) || o->choice[OPT_SELECT] == SELECT_CV;
    return zero ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
}

/* What stands behind `auto`: rows that are tested once cannot choose from a grid too. */
static gbs_bound bound_of(const struct options *o) {
    if (given(o, OPT_PAPER))
        return GBS_BOUND_PAPER;
    gbs_bound bound = given(o, OPT_BOUND) ? (gbs_bound)o->choice[OPT_BOUND] : GBS_BOUND_AUTO;
    bool grid = given(o, OPT_LAMBDA_GRID) || given(o, OPT_PRIOR_GRID);
    return bound == GBS_BOUND_AUTO && grid ? GBS_BOUND_KL : bound;
}

gbs_fit_options candidate_base(const struct options *o) {
    gbs_fit_options f = gbs_fit_options_default();
    if (given(o, OPT_TASK))
        f.task = (gbs_task_kind)o->choice[OPT_TASK];
    f.prior = prior_of(o);
    f.bound = bound_of(o);
    f.prior_split = o->number[OPT_PRIOR_SPLIT];
    f.blocks = (size_t)o->count[OPT_BLOCKS];
    f.stratify = given(o, OPT_STRATIFY);
    f.cx = o->number[OPT_CX];
    f.select = o->choice[OPT_SELECT] == SELECT_LAST ? GBS_SELECT_LAST : GBS_SELECT_BOUND;
    if (given(o, OPT_LOSS))
        f.loss = (gbs_loss)o->choice[OPT_LOSS];
    if (given(o, OPT_FAMILY))
        f.family = (gbs_family)(GBS_FAMILY_FIXED + o->choice[OPT_FAMILY]);
    if (given(o, OPT_SCALE))
        f.scale = (gbs_scale)o->choice[OPT_SCALE];
    if (given(o, OPT_SOLVER))
        f.solver = (gbs_solver)o->choice[OPT_SOLVER];
    if (given(o, OPT_FORM))
        f.form = (gbs_form)o->choice[OPT_FORM];
    if (given(o, OPT_SCHEDULE))
        f.schedule = (gbs_schedule)o->choice[OPT_SCHEDULE];
    if (given(o, OPT_LAMBDA))
        f.lambda = o->number[OPT_LAMBDA];
    if (given(o, OPT_PRIOR_SD))
        f.prior_sd = o->number[OPT_PRIOR_SD];
    if (given(o, OPT_CONFIDENCE))
        f.confidence = o->number[OPT_CONFIDENCE];
    if (given(o, OPT_TOL))
        f.tolerance = o->number[OPT_TOL];
    if (given(o, OPT_MAX_ITER))
        f.max_iterations = (size_t)o->count[OPT_MAX_ITER];
    f.intercept = !given(o, OPT_NO_INTERCEPT) && f.task != GBS_TASK_RANK;
    f.constant = o->number[OPT_CONSTANT];
    if (given(o, OPT_COLUMNS))
        f.columns = (gbs_columns)o->choice[OPT_COLUMNS];
    f.trace = given(o, OPT_PATH) && f.task == GBS_TASK_RANK;
    f.sampled_pairs = (size_t)o->count[OPT_PAIRS];
    f.batch = (size_t)o->count[OPT_BATCH];
    f.epochs = (size_t)o->count[OPT_EPOCHS];
    f.restarts = (size_t)o->count[OPT_RESTARTS];
    return f;
}

size_t candidates_folds(const struct options *o) {
    return given(o, OPT_FOLDS) ? (size_t)o->count[OPT_FOLDS] : 5;
}

int candidates_check(const struct app *app) {
    const struct options *o = &app->options;
    const char *name = app->command->name;
    static const enum option_id sgd_only[] = {OPT_BATCH, OPT_EPOCHS, OPT_SCHEDULE};
    bool sgd = o->choice[OPT_SOLVER] == SOLVER_SGD;
    if (given(o, OPT_LAMBDA) && given(o, OPT_LAMBDA_GRID))
        return app_fail(app, EXIT_USAGE, "%s: --lambda and --lambda-grid exclude each other", name);
    if (given(o, OPT_PRIOR_SD) && given(o, OPT_PRIOR_GRID))
        return app_fail(app, EXIT_USAGE, "%s: --prior-sd and --prior-grid exclude each other",
                        name);
    for (size_t k = 0; k < sizeof sgd_only / sizeof *sgd_only; k++)
        if (given(o, sgd_only[k]) && !sgd)
            return app_fail(app, EXIT_USAGE, "%s: --%s needs --solver sgd", name,
                            option_spec(sgd_only[k])->name);
    if (given(o, OPT_FOLDS) && (o->count[OPT_FOLDS] < 2 || o->count[OPT_FOLDS] > 1000))
        return app_fail(app, EXIT_USAGE, "%s: --folds: expected 2 to 1000, found '%s'", name,
                        o->text[OPT_FOLDS]);
    return EXIT_DONE;
}

static size_t bits(unsigned set) {
    return set != 0 ? (size_t)__builtin_popcount(set) : 1;
}

static size_t size_of(const struct grid *g) {
    return g->size > 0 ? g->size : 1;
}

/* The k-th choice of a list; `otherwise` when none was given. */
static int nth(unsigned set, size_t k, int otherwise) {
    for (int i = 0; i < 32; i++)
        if ((set >> i & 1U) != 0 && k-- == 0)
            return i;
    return otherwise;
}

/* The number of rows; in ranking, of the smaller class. */
static double usual_lambda(const struct design *design, gbs_task_kind task) {
    size_t positive = 0;
    for (size_t i = 0; task == GBS_TASK_RANK && design->y != NULL && i < design->n; i++)
        positive += design->y[i] > 0.0;
    if (task != GBS_TASK_RANK)
        return (double)design->n;
    return (double)(positive < design->n - positive ? positive : design->n - positive);
}

int candidates_build(const struct app *app, const struct design *design, struct candidates *out) {
    const struct options *o = &app->options;
    gbs_fit_options base = candidate_base(o);
    base.prior = GBS_PRIOR_ZERO;
    base.bound = GBS_BOUND_KL;
    base.select = GBS_SELECT_LAST;
    if (base.prior_sd == 0.0)
        base.prior_sd = 1.0;
    const struct grid *lambdas = &o->grid[OPT_LAMBDA_GRID], *sds = &o->grid[OPT_PRIOR_GRID];
    size_t losses = bits(o->choices[OPT_LOSS]), families = bits(o->choices[OPT_FAMILY]);
    *out = (struct candidates){.n = losses * families * size_of(sds) * size_of(lambdas)};
    out->item = calloc(out->n, sizeof *out->item);
    out->result = calloc(out->n, sizeof *out->result);
    if (out->item == NULL || out->result == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    if (base.lambda == 0.0)
        base.lambda = usual_lambda(design, base.task);
    for (size_t k = 0; k < out->n; k++) {
        gbs_fit_options *f = &out->item[k];
        size_t rest = k;
        *f = base;
        if (lambdas->size > 0)
            f->lambda = grid_value(lambdas, rest % lambdas->size);
        rest /= size_of(lambdas);
        if (sds->size > 0)
            f->prior_sd = grid_value(sds, rest % sds->size);
        rest /= size_of(sds);
        int family = nth(o->choices[OPT_FAMILY], rest % families, -1);
        f->family = family >= 0 ? (gbs_family)(GBS_FAMILY_FIXED + family) : GBS_FAMILY_AUTO;
        f->loss = (gbs_loss)nth(o->choices[OPT_LOSS], rest / families, GBS_LOSS_ZERO_ONE);
    }
    return EXIT_DONE;
}

int candidates_validate(const struct app *app, const gbs_data *data, const char *file,
                        struct candidates *c) {
    gbs_status status = gbs_cross_validate(app->ctx, data, candidates_folds(&app->options), c->item,
                                           c->n, c->result);
    if (status != GBS_OK)
        return app_fail_status(app, status, status == GBS_ERR_DATA ? file : NULL);
    for (size_t k = 1; k < c->n; k++)
        if (c->result[k].error < c->result[c->best].error - 1e-12)
            c->best = k;
    return EXIT_DONE;
}

void candidates_free(struct candidates *c) {
    free(c->item);
    free(c->result);
    *c = (struct candidates){0};
}
