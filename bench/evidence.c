/* log Z, run after run: is its standard error what it says, and how much sooner than the paper's
 * algorithm is it known?
 *
 *   spread of log Z over 100 runs over the standard error that one run reports, pima and german,
 *   lambda = n                                                    target: within a factor 1.5
 *   german: processor time x mean squared error of log Z, classic over the default
 *                                                                 target: at least 5
 *
 * One thread, processor time. The mean squared error is about a common log Z that many particles
 * give: the classic runs' bias counts too.
 *
 *   evidence [spread] [classic]               the parts named, otherwise both
 *   evidence FILE LOSS LAMBDA PARTICLES RUNS  one line for any data; LAMBDA 0: the number of rows
 */
#include "bench.h"
#include "fit/run.h"

static gbs_context *ctx;

/* What many runs with their own seeds did. */
struct runs {
    size_t count, at_least; /* runs; those whose standard error is a lower bound */
    /* of log Z; mean reported standard error; mean and least time of one */
    double mean, sd, reported, seconds, quickest;
};

static gbs_sample_info draw(gbs_data *s, const gbs_sample_settings *o, uint64_t seed,
                            double *seconds) {
    gbs_particles *p;
    ctx->seed = seed;
    double t = thread_seconds();
    if (gbs_sample_run(ctx, s, o, &p) != GBS_OK) {
        fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
        exit(1);
    }
    *seconds = thread_seconds() - t;
    gbs_sample_info info = *gbs_particles_get_info(p);
    gbs_particles_free(p);
    return info;
}

static struct runs repeat(gbs_data *s, const gbs_sample_settings *o, size_t count) {
    struct runs r = {.count = count, .quickest = INFINITY};
    double square = 0.0, seconds;
    for (size_t k = 0; k < count; k++) {
        gbs_sample_info info = draw(s, o, 100 + k, &seconds);
        double delta = info.log_z - r.mean;
        r.mean += delta / (double)(k + 1);
        square += delta * (info.log_z - r.mean);
        r.reported += info.log_z_sd / (double)count;
        r.at_least += info.log_z_sd_at_least != 0;
        r.seconds += seconds / (double)count;
        r.quickest = fmin(r.quickest, seconds);
    }
    r.sd = sqrt(square / ((double)count - 1.0));
    return r;
}

static void say(const struct runs *r) {
    printf("log Z %.3f, spread %.4f over %zu runs, reported %.4f (%.2f of it", r->mean, r->sd,
           r->count, r->reported, r->reported / r->sd);
    if (r->at_least > 0)
        printf("; a lower bound in %zu", r->at_least);
    printf("), %.1f ms: time x square %.4g\n", 1e3 * r->seconds, r->seconds * r->sd * r->sd);
    fflush(stdout);
}

static void spread(const char *name, gbs_loss loss, size_t count) {
    gbs_data *s = public_rows(ctx, name);
    if (s == NULL)
        return;
    gbs_sample_settings o = gbs_sample_settings_default();
    o.loss = loss;
    printf("%s, %s, lambda = n = %zu, %zu particles: ", name, gbs_loss_name(loss), gbs_data_rows(s),
           o.particles);
    fflush(stdout);
    struct runs r = repeat(s, &o, count);
    say(&r);
    gbs_data_free(s);
}

static double cost(gbs_data *s, const gbs_sample_settings *o, size_t count, double truth,
                   const char *what) {
    struct runs r = repeat(s, o, count);
    double square = (r.mean - truth) * (r.mean - truth) +
                    r.sd * r.sd * ((double)count - 1.0) / (double)count;
    printf("  %-24s log Z %.2f, off by %.3f (root mean square), %.1f ms: time x square %.4g\n",
           what, r.mean, sqrt(square), 1e3 * r.seconds, square * r.seconds);
    fflush(stdout);
    return square * r.seconds;
}

static void against_classic(gbs_loss loss, double lambda) {
    double seconds;
    gbs_data *s = public_rows(ctx, "german/german.csv");
    if (s == NULL)
        return;
    gbs_sample_settings o = gbs_sample_settings_default();
    o.loss = loss;
    o.lambda = lambda;
    o.particles = 20000;
    gbs_sample_info truth = draw(s, &o, 1, &seconds);
    printf("german, %s, lambda %g: log Z %.3f +- %.3f by 20000 particles\n", gbs_loss_name(loss),
           lambda, truth.log_z, truth.log_z_sd);
    o.particles = 2000;
    double plain = cost(s, &o, 30, truth.log_z, "default, 2000 particles");
    o.classic = 1;
    o.particles = 1000;
    o.moves = 5;
    double classic = cost(s, &o, 20, truth.log_z, "classic, 1000 x 5 moves");
    o.moves = 50;
    classic = fmin(classic, cost(s, &o, 8, truth.log_z, "classic, 1000 x 50 moves"));
    printf("  equal standard error sooner by a factor %.0f (target at least 5)\n", classic / plain);
    gbs_data_free(s);
}

static void one_line(char **argv) {
    gbs_sample_settings o = gbs_sample_settings_default();
    while (gbs_loss_name(o.loss) != NULL && strcmp(gbs_loss_name(o.loss), argv[2]) != 0)
        o.loss++;
    o.lambda = atof(argv[3]) > 0.0 ? atof(argv[3]) : -1.0;
    o.particles = strtoul(argv[4], NULL, 10);
    gbs_data *s = read_rows(ctx, argv[1]);
    if (s == NULL)
        return;
    printf("%s, %s: ", argv[1], argv[2]);
    struct runs r = repeat(s, &o, strtoul(argv[5], NULL, 10));
    say(&r);
    gbs_data_free(s);
}

int main(int argc, char **argv) {
    if (gbs_context_create(NULL, &ctx) != GBS_OK || gbs_context_set_threads(ctx, 1) != GBS_OK)
        return 1;
    if (argc == 6)
        one_line(argv);
    if (wanted(argc, argv, "spread")) {
        for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_EXPONENTIAL; loss++)
            spread("pima/train.csv", loss, 100);
        spread("german/german.csv", GBS_LOSS_HINGE, 100);
        spread("german/german.csv", GBS_LOSS_ZERO_ONE, 30); /* seven seconds each */
    }
    for (gbs_loss loss = GBS_LOSS_ZERO_ONE; wanted(argc, argv, "classic") && loss <= GBS_LOSS_HINGE;
         loss++)
        against_classic(loss, 500.0);
    gbs_context_free(ctx);
    return 0;
}
