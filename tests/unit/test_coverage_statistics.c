/* Certificates hold as often as they say: fits to simulated rows whose true risks are known.
 *
 * x ~ N(0, I), y = sign(x'theta) flipped with probability noise (0.1 in even replications, 0.3 in
 * odd ones). The true risk of a model is noise + (1 - 2 noise) E[Gibbs error against the unflipped
 * label], the mean over fresh rows that no fit saw. Its Monte Carlo error is added to it five times
 * before a certificate is compared: the comparison is strict. A certificate that stands above the
 * risk of the first FEW rows, five of their larger errors added, holds; where one does not, all
 * fresh rows judge. Every certificate that a fit lists, whichever was asked for, has to hold by
 * itself; all but that of the first part's vote, whose classifier is not in the model (it is a
 * plain exact binomial bound).
 *
 * The number of violations of each passes a one-sided binomial test at 1e-4 / (number of tests), so
 * that a false alarm has probability below 1e-4 in all. GIBBSITE_COVERAGE=full (make
 * coverage-study) runs 1,000 replications at n = 50, 200, 1000; otherwise there are fewer.
 */
#include "coverage_support.h"
#include "unit/shares.h"

enum { D = 3, KINDS = 10, CONFIDENCES = 2, FEW = 20000 };

static const double confidences[CONFIDENCES] = {0.8, 0.95};

/* One way of fitting; defaults everywhere else. */
static const struct run {
    const char *name;
    gbs_prior_kind prior;
    gbs_bound bound;
    gbs_scale scale;
    bool choose; /* lambda and prior_sd from declared grids, by the bound */
} runs[] = {
    {"default", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, false},
    {"informed kl", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, false},
    {"informed catoni", GBS_PRIOR_INFORMED, GBS_BOUND_CATONI, GBS_SCALE_STANDARD, false},
    {"informed hoeffding", GBS_PRIOR_INFORMED, GBS_BOUND_HOEFFDING, GBS_SCALE_STANDARD, false},
    {"informed paper", GBS_PRIOR_INFORMED, GBS_BOUND_PAPER, GBS_SCALE_STANDARD, false},
    {"zero progressive", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD, false},
    /* and catoni, hoeffding, paper: the same fit */
    {"zero kl", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_UNIT_ROW, false},
    {"zero kl, grids", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, true},
    {"zero catoni, grids", GBS_PRIOR_ZERO, GBS_BOUND_CATONI, GBS_SCALE_UNIT_ROW, true},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* What became of one kind of certificate. */
struct cell {
    gbs_target target;
    gbs_bound method;
    uint64_t fits, violations;
    double value, truth;
};

struct study {
    size_t n, replications, fresh;
    const double *fresh_x, *fresh_y; /* unflipped labels */
    struct cell cells[RUNS][CONFIDENCES][KINDS];
    uint64_t failed[RUNS]; /* no fit: a part lacks a class */
    uint64_t odd;          /* what must not be: another failure, a certificate that is not valid */
};

static void draw_rows(struct dice *r, size_t n, double noise, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < D; k++)
            x[i * D + k] = dice_normal(r);
        bool flip = dice_uniform(r) < noise;
        y[i] = (x[i * D] + 0.5 * x[i * D + 1] > 0.0) != flip ? 1.0 : -1.0;
    }
}

static gbs_fit_settings options_of(const struct run *run, size_t n, double confidence,
                                   double *ladder) {
    static const double sds[] = {0.3, 1.0, 3.0};
    gbs_fit_settings o = gbs_fit_settings_default();
    o.prior = run->prior;
    o.bound = run->bound;
    o.scale = run->scale;
    o.confidence = confidence;
    if (run->choose) {
        for (int k = 0; k < 4; k++)
            ladder[k] = (double)n * pow(0.4, 3 - k);
        o.ladder = ladder;
        o.ladder_size = 4;
        o.prior_grid = sds;
        o.prior_grid_size = COUNT(sds);
        o.select = GBS_SELECT_BOUND;
    }
    return o;
}

/* The true risks of one draw and of the vote, 5 standard errors of the simulation added. */
struct truth {
    double gibbs, vote;
    size_t rows; /* fresh rows that it comes from */
};

static double with_noise(double sum, double squares, size_t n, double noise) {
    double mean = sum / (double)n,
           se = sqrt(fmax(0.0, squares / (double)n - mean * mean) / (double)n);
    return noise + (1.0 - 2.0 * noise) * (mean + 5.0 * se);
}

static bool judge(gbs_context *ctx, const gbs_model *model, const struct study *s, size_t rows,
                  double noise, double *p, struct truth *out) {
    gbs_data *fresh;
    if (gbs_data_dense(ctx, rows, D, s->fresh_x, D, NULL, GBS_BORROW, &fresh) != GBS_OK)
        return false;
    bool ok = gbs_model_predict(ctx, model, fresh, NULL, NULL, p) == GBS_OK;
    double sum = 0.0, squares = 0.0, wrong = 0.0;
    for (size_t i = 0; ok && i < rows; i++) {
        double e = s->fresh_y[i] > 0.0 ? 1.0 - p[i] : p[i];
        sum += e;
        squares += e * e;
        wrong += (p[i] >= 0.5) != (s->fresh_y[i] > 0.0);
    }
    *out = (struct truth){with_noise(sum, squares, rows, noise),
                          with_noise(wrong, wrong, rows, noise), rows};
    gbs_data_free(fresh);
    return ok;
}

static double risk_of(const gbs_certificate *c, const struct truth *truth) {
    return c->target == GBS_TARGET_VOTE ? truth->vote : truth->gibbs;
}

/* The first part's vote is not in the model; the other lines of a card have a test of their own
 * (test_deployed_statistics.c). */
static bool judged_here(gbs_target target) {
    return target == GBS_TARGET_GIBBS || target == GBS_TARGET_VOTE || target == GBS_TARGET_MIXTURE;
}

/* Does every certificate hold by what is known? Then there is no need to know more. */
static bool settled(const gbs_model *model, const struct truth *truth) {
    size_t count;
    const gbs_certificate *list = certificates_of(model, &count);
    bool all = true;
    for (size_t k = 0; k < count; k++)
        all = all && (!judged_here(list[k].target) || list[k].value >= risk_of(&list[k], truth));
    return all;
}

/* Writes down every certificate of a model; a shared table, so one thread at a time. */
static void note(struct study *s, size_t run, size_t c, const gbs_model *model,
                 const struct truth *truth) {
    size_t count;
    const gbs_certificate *list = certificates_of(model, &count);
    s->odd += count == 0 || count > KINDS;
    for (size_t k = 0; k < count && k < KINDS; k++) {
        struct cell *cell = &s->cells[run][c][k];
        double risk = risk_of(&list[k], truth);
        s->odd += !list[k].valid || list[k].confidence != confidences[c] ||
                  !(list[k].value > 0.0 && list[k].value <= 1.0);
        s->odd += cell->fits > 0 &&
                  (cell->target != list[k].target || cell->method != list[k].method);
        cell->target = list[k].target;
        cell->method = list[k].method;
        cell->fits++;
        cell->violations += list[k].value < risk;
        cell->value += list[k].value;
        cell->truth += risk;
    }
}

static void replicate(struct study *s, size_t index, double *x, double *y, double *p) {
    struct dice r = {index * 1000003 + s->n};
    double noise = index % 2 == 0 ? 0.1 : 0.3, ladder[4];
    gbs_context *ctx = NULL;
    gbs_data *data = NULL;
    draw_rows(&r, s->n, noise, x, y);
    bool ok = gbs_context_create(NULL, &ctx) == GBS_OK &&
              gbs_context_set_threads(ctx, 1) == GBS_OK &&
              gbs_context_set_seed(ctx, index + 1) == GBS_OK &&
              gbs_data_dense(ctx, s->n, D, x, D, y, GBS_BORROW, &data) == GBS_OK;
    for (size_t run = 0; ok && run < RUNS; run++) {
        gbs_model_info before = {0};
        struct truth truth = {1.0, 1.0, 0};
        for (size_t c = 0; ok && c < CONFIDENCES; c++) {
            gbs_fit_settings o = options_of(&runs[run], s->n, confidences[c], ladder);
            gbs_model *model;
            gbs_status status = gbs_fit_run(ctx, data, &o, &model);
            if (status ==
                GBS_ERR_DATA) { /* documented: the first part, or all of it, lacks a class */
#pragma omp atomic
                s->failed[run]++;
                break;
            }
            ok = status == GBS_OK;
            gbs_model_info now = ok ? info_of(model) : before;
            /* another confidence need not mean another posterior */
            bool same = c > 0 && now.kl == before.kl && now.gibbs_error == before.gibbs_error &&
                        now.lambda == before.lambda;
            ok = ok && (same || judge(ctx, model, s, FEW, noise, p, &truth));
            if (ok && truth.rows < s->fresh && !settled(model, &truth))
                ok = judge(ctx, model, s, s->fresh, noise, p, &truth);
            before = now;
            if (ok) {
#pragma omp critical
                note(s, run, c, model, &truth);
            }
            gbs_model_free(model);
        }
    }
    if (!ok) {
#pragma omp atomic
        s->odd++;
    }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void run_study(struct study *s) {
    struct dice r = {99};
    double *x = doubles(s->fresh * D), *y = doubles(s->fresh);
    draw_rows(&r, s->fresh, 0.0, x, y);
    s->fresh_x = x;
    s->fresh_y = y;
#pragma omp parallel
    {
        double *own = doubles(s->n * (D + 1) + s->fresh);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < s->replications; i++)
            replicate(s, i, own, own + s->n * D, own + s->n * (D + 1));
        free(own);
    }
    free(x);
    free(y);
}

/* All of it, or the certificates that were asked for. */
static void print_study(const struct study *s, bool all) {
    print_message("# n %zu, %zu replications, true risks from %zu fresh rows where a certificate "
                  "is near them\n",
                  s->n, s->replications, s->fresh);
    print_message("# %-19s %-10s %-11s %10s %11s %6s %10s %10s\n", "fit", "of", "bound",
                  "confidence", "violations", "fits", "mean bound", "true risk");
    for (size_t run = 0; run < RUNS; run++) {
        for (size_t k = 0; k < (all ? KINDS : 1); k++)
            for (size_t c = 0; c < CONFIDENCES; c++) {
                const struct cell *cell = &s->cells[run][c][k];
                if (cell->fits > 0 && judged_here(cell->target))
                    print_message(
                        "# %-19s %-10s %-11s %10g %11llu %6llu %10.4f %10.4f\n", runs[run].name,
                        gbs_target_name(cell->target), gbs_bound_name(cell->method), confidences[c],
                        (unsigned long long)cell->violations, (unsigned long long)cell->fits,
                        cell->value / (double)cell->fits, cell->truth / (double)cell->fits);
            }
        if (s->failed[run] > 0)
            print_message("# %-19s could not be fitted %llu times: a class is missing in a part\n",
                          runs[run].name, (unsigned long long)s->failed[run]);
    }
}

static void check_study(const struct study *s, size_t studies) {
    assert_int_equal(s->odd, 0);
    for (size_t run = 0; run < RUNS; run++) {
        assert_true(s->failed[run] < s->replications / 20 + 3);
        for (size_t c = 0; c < CONFIDENCES; c++) {
            assert_true(s->cells[run][c][0].fits > s->replications / 2);
            for (size_t k = 0; k < KINDS; k++) {
                const struct cell *cell = &s->cells[run][c][k];
                char what[120];
                if (cell->fits == 0 || !judged_here(cell->target))
                    continue;
                snprintf(what, sizeof what, "n %zu, %s, %s of %s, confidence %g", s->n,
                         runs[run].name, gbs_bound_name(cell->method),
                         gbs_target_name(cell->target), confidences[c]);
                assert_share(cell->violations, cell->fits, 1.0 - confidences[c],
                             1e-4 / (double)(studies * RUNS * CONFIDENCES * KINDS), what);
            }
        }
    }
}

static void certificates_hold_as_often_as_they_say(void **state) {
    (void)state;
    bool full = whole_study();
    static const size_t sizes[] = {50, 200, 1000};
#if defined(__SANITIZE_ADDRESS__)
    static const size_t few[] = {12, 6};
#else
    static const size_t few[] = {240, 120};
#endif
    size_t studies = full ? 3 : 2;
    struct study *done = take(studies, sizeof *done);
    for (size_t k = 0; k < studies; k++) {
        done[k].n = sizes[k];
        done[k].replications = full ? 1000 : few[k];
        done[k].fresh = full ? 1000000 : FEW;
        run_study(&done[k]);
        print_study(&done[k], full);
    }
    for (size_t k = 0; k < studies; k++)
        check_study(&done[k], studies);
    free(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold_as_often_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
