/* The loop: from the prior to lambda, one temperature at a time.
 *
 *   lambda <- lambda + delta with the effective sample size of exp(-delta r) at its share;  log Z
 *   += log mean exp(-delta r);  resample, move at the new lambda               (docs/maths.md, 7.1)
 *
 * waste-free: M << N ancestors, chains of N/M states, every state a particle (Dau, Chopin 2022);
 * classic: N ancestors, k moves each. The last step ends at lambda exactly, with weights of its own
 * length, and is followed by moves like any other: the particles come out unweighted.
 */
#include "smc/smc.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

/* A step of lambda is never a smaller part of lambda: particles that far from equilibrium are
 * moved, not tempered. */
#define LEAST_STEP 1e-3

/* The ring's narrow windows are led to the first share of moves, its single proposals to the
 * second, at this rate. */
#define WANTED_SHARE 0.7
#define WANTED_TAKEN 0.5
#define TUNING_RATE 3.0
#define SMALLEST_ANGLE 1e-4

/* A chain is to travel this many times the width of the target: its states are then worth
 * averaging, and what they average is worth a standard error. In units of gbs_moved.jump, which is
 * 1 for independent states. */
#define TRAVEL 40.0
/* Below this part of it the standard error is a lower bound. */
#define TRAVEL_TOLD (1.0 / 3.0)

/* An approximation serves when the particles' mean square in its coordinates, which should be 1,
 * lies between these. */
#define NARROWEST 0.7
#define WIDEST 2.0

/* Above it the particles' covariance costs more than it brings. */
enum { FULL_COLUMNS = 1000 };

struct sampler {
    const gbs_smc_problem *problem;
    const gbs_smc_options *o;
    gbs_smc_result *out;
    gbs_reference reference;
    gbs_mover mover;
    double *weight, *scratch;
    size_t *ancestor;
    gbs_families families;
    size_t chains; /* ancestors of a temperature */
    double scale;  /* of the next temperature's moves */
    size_t thin;   /* moves from one particle of a chain to the next */
    double jump;   /* gbs_moved.jump of the temperature before */
    bool missed;   /* the approximation of the temperature before was of no use */
    bool rough;    /* turns by the widest angle are no longer taken as often as wanted */
    bool slow;     /* chains did not travel far enough at some temperature */
    double lambda, log_z;
    size_t temperature;
};

static gbs_status add_point(struct sampler *s, double ess, double acceptance) {
    gbs_smc_result *r = s->out;
    size_t n = s->o->particles;
    if (r->path_size == r->path_room) {
        size_t room = 2 * r->path_room + 64;
        gbs_sample_point *path = gbs_array_alloc(s->problem->ctx, room, sizeof *path);
        if (path == NULL)
            return GBS_ERR_MEMORY;
        if (r->path_size > 0)
            memcpy(path, r->path, r->path_size * sizeof *path);
        gbs_array_free(s->problem->ctx, r->path);
        r->path = path;
        r->path_room = room;
    }
    double mean = 0.0, variance = gbs_families_variance(&s->families, &r->log_z_sd_at_least);
    for (size_t i = 0; i < n; i++)
        mean += r->risk[i] / (double)n;
    r->log_z_sd_at_least = r->log_z_sd_at_least || s->slow;
    double square = s->o->classic
                        ? gbs_family_spread(n, s->families.of, r->risk, s->scratch)
                        : gbs_chain_variance(n, s->temperature == 0 ? n : s->chains, r->risk);
    r->path[r->path_size++] = (gbs_sample_point){.lambda = s->lambda,
                                                 .log_z = s->log_z,
                                                 .log_z_sd = sqrt(variance),
                                                 .gibbs_risk = mean,
                                                 .gibbs_risk_sd = sqrt(square),
                                                 .ess = ess,
                                                 .acceptance = acceptance,
                                                 .step = s->temperature > 0 ? s->scale : NAN};
    return GBS_OK;
}

/* The next lambda; 0 and a message when there is none. */
static gbs_status choose_lambda(struct sampler *s, double *next) {
    const gbs_smc_options *o = s->o;
    double rest = o->lambda - s->lambda;
    if (o->ladder_size > 0) {
        *next = o->ladder[s->temperature - 1];
        return GBS_OK;
    }
    double delta = gbs_temper_step(o->particles, s->out->risk, rest, o->ess, s->weight);
    if (!(delta > 0.0))
        return gbs_fail(
            s->problem->ctx, GBS_ERR_NUMERIC,
            "the risk of every particle overflowed; scale the columns or lower prior_sd");
    delta = fmax(delta, LEAST_STEP * s->lambda);
    *next = delta < rest && s->lambda + delta < o->lambda ? s->lambda + delta : o->lambda;
    return GBS_OK;
}

/* Chains that the particles lie in before the moves of this temperature; those of the prior are all
 * independent. */
static size_t chains_before(const struct sampler *s) {
    return s->temperature == 1 ? s->o->particles : s->chains;
}

/* Weights, log Z and its error on the way to `next`. */
static double reweight(struct sampler *s, double next) {
    size_t n = s->o->particles;
    double log_mean,
        ess = gbs_temper_weights(n, s->out->risk, next - s->lambda, s->weight, &log_mean);
    s->log_z += log_mean;
    gbs_families_weigh(&s->families, chains_before(s), s->weight);
    s->lambda = next;
    return ess;
}

static void resample(struct sampler *s) {
    uint64_t stream = GBS_STREAM_PARTICLES + GBS_DRAWS * s->temperature;
    double u = gbs_uniform(s->problem->ctx->seed, stream + GBS_DRAWS_RESAMPLE, 0);
    gbs_resample(s->o->particles, s->weight, s->chains, u, s->ancestor);
    gbs_families_follow(&s->families, chains_before(s), s->chains, s->ancestor);
}

static gbs_status move(struct sampler *s, gbs_moved *moved) {
    const gbs_smc_options *o = s->o;
    gbs_chains chains = {.problem = s->problem,
                         .reference = &s->reference,
                         .count = s->chains,
                         .from = s->ancestor,
                         .particles = o->particles,
                         .keep_all = !o->classic,
                         .steps = o->classic ? o->moves : s->thin,
                         .lambda = s->lambda,
                         .move = o->move,
                         .scale = s->scale,
                         .ring = gbs_ring_states(s->problem, s->rough),
                         .turns = gbs_ring_turns(s->problem, s->rough),
                         .stream = GBS_STREAM_PARTICLES + GBS_DRAWS * s->temperature};
    double start = gbs_now();
    gbs_status status = gbs_mover_run(&s->mover, &chains, s->out->theta, s->out->risk, moved);
    s->out->seconds_move += gbs_now() - start;
    size_t length = o->particles / s->chains;
    double states = (double)length, travel = states * (double)s->thin * moved->jump;
    s->slow = s->slow || (!o->classic && travel < TRAVEL_TOLD * TRAVEL);
    return status;
}

/* The next temperature's target is close to this one's, and so is what suits it. */
static void tune(struct sampler *s, const gbs_moved *moved) {
    const gbs_smc_options *o = s->o;
    /* jumps that have become shorter will do so again */
    size_t length = o->particles / s->chains;
    double states = (double)length, falls = fmin(1.0, moved->jump / s->jump);
    double wanted = ceil(TRAVEL / (states * moved->jump * falls));
    /* more is a way in from far outside, and will not be gone again */
    s->jump = fmin(1.0, moved->jump);
    if (!o->classic)
        s->thin = wanted >= (double)o->moves ? o->moves : wanted > 1.0 ? (size_t)wanted : 1;
    if (o->move == GBS_MOVE_RING && isfinite(moved->narrow)) {
        bool single = gbs_turn_tuned(gbs_ring_turns(s->problem, s->rough)) == GBS_TURN_SINGLE;
        s->scale *= exp(TUNING_RATE * (moved->narrow - (single ? WANTED_TAKEN : WANTED_SHARE)));
        s->rough = s->rough || s->scale < gbs_ring_step(gbs_ring_states(s->problem, false));
        s->scale = fmax(SMALLEST_ANGLE,
                        fmin(gbs_ring_step(gbs_ring_states(s->problem, s->rough)), s->scale));
    }
}

static gbs_status fit_particles(struct sampler *s, double ess) {
    return gbs_reference_fit(s->problem->ctx, &s->reference, s->o->particles, s->out->theta,
                             s->weight, ess, s->problem->prior_sd);
}

/* What the moves lean on: the approximation that the caller knows of, if it has the width of the
 * particles; else these themselves. */
static gbs_status refer(struct sampler *s, double ess) {
    const gbs_smc_options *o = s->o;
    bool found = s->missed;
    double start = gbs_now();
    gbs_status status = s->missed || o->approximate == NULL ? fit_particles(s, ess) : GBS_OK;
    if (status == GBS_OK && o->approximate != NULL) {
        status = o->approximate(o->user, s->lambda, &s->reference, &found);
        double width = status == GBS_OK && found ? gbs_reference_width(&s->reference, o->particles,
                                                                       s->out->theta, s->weight)
                                                 : NAN;
        s->missed = !(width > NARROWEST && width < WIDEST);
        if (status == GBS_OK && s->missed)
            status = fit_particles(s, ess);
    }
    s->out->seconds_reference += gbs_now() - start;
    return status;
}

static gbs_status climb(struct sampler *s) {
    const gbs_smc_options *o = s->o;
    gbs_context *ctx = s->problem->ctx;
    gbs_status status = GBS_OK;
    while (status == GBS_OK && s->lambda < o->lambda) {
        double next = 0.0, ess;
        gbs_moved moved = {.acceptance = NAN};
        s->temperature++;
        status = choose_lambda(s, &next);
        if (status != GBS_OK)
            return status;
        ess = reweight(s, next);
        status = refer(s, ess);
        if (status != GBS_OK)
            return status;
        resample(s);
        status = move(s, &moved);
        if (status == GBS_OK)
            status = add_point(s, ess, moved.acceptance);
        tune(s, &moved);
        gbs_progress(ctx, "sample", log1p(s->lambda) / log1p(o->lambda));
    }
    return status;
}

static gbs_status prepare(struct sampler *s) {
    gbs_context *ctx = s->problem->ctx;
    size_t n = s->o->particles, d = s->problem->risk->d;
    s->out->theta = gbs_matrix(ctx, n, d);
    s->out->risk = gbs_doubles(ctx, n);
    s->weight = gbs_doubles(ctx, n);
    s->scratch = gbs_doubles(ctx, n);
    s->ancestor = gbs_array_alloc(ctx, s->chains, sizeof *s->ancestor);
    if (s->out->theta == NULL || s->out->risk == NULL || s->weight == NULL || s->scratch == NULL ||
        s->ancestor == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = gbs_families_create(ctx, n, &s->families);
    if (status == GBS_OK)
        status = gbs_reference_create(ctx, d, d <= FULL_COLUMNS, n, &s->reference);
    return status == GBS_OK ? gbs_mover_create(s->problem->risk, s->chains, &s->mover) : status;
}

/* No draw of a normal variable is as far out as this many deviations. */
#define FARTHEST 50.0

/* A score that overflows to NaN would count as no loss: |x| |theta| must stay in range. */
static gbs_status check_reach(const gbs_smc_problem *p) {
    size_t d = p->risk->d;
    double centre = p->prior_mean != NULL ? sqrt(gbs_dot(d, p->prior_mean, p->prior_mean)) : 0.0;
    double theta = centre + FARTHEST * sqrt((double)d) * p->prior_sd;
    if (sqrt(gbs_empirical_longest(p->risk)) * theta < 1e300)
        return GBS_OK;
    return gbs_fail(
        p->ctx, GBS_ERR_NUMERIC,
        "the scores of draws from the prior overflow; scale the columns or lower prior_sd");
}

gbs_status gbs_smc_run(const gbs_smc_problem *problem, const gbs_smc_options *options,
                       gbs_smc_result *out) {
    gbs_context *ctx = problem->ctx;
    struct sampler s = {.problem = problem, .o = options, .out = out};
    *out = (gbs_smc_result){0};
    s.chains = options->classic ? options->particles : options->chains;
    s.thin = 1;
    s.jump = 1.0;
    s.scale = options->move == GBS_MOVE_WALK ? 2.38 / sqrt((double)problem->risk->d)
                                             : gbs_ring_step(gbs_ring_states(problem, false));
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    status = check_reach(problem);
    if (status == GBS_OK)
        status = prepare(&s);
    if (status == GBS_OK)
        status = gbs_particles_from_prior(problem, options->particles, out->theta, out->risk);
    if (status == GBS_OK)
        status = add_point(&s, (double)options->particles, NAN);
    if (status == GBS_OK)
        status = climb(&s);
    gbs_compute_end(ctx);
    gbs_reference_free(ctx, &s.reference);
    gbs_mover_free(&s.mover);
    gbs_array_free(ctx, s.weight);
    gbs_array_free(ctx, s.scratch);
    gbs_array_free(ctx, s.ancestor);
    gbs_families_free(ctx, &s.families);
    if (status != GBS_OK)
        gbs_smc_free(ctx, out);
    return status;
}

void gbs_smc_free(const gbs_context *ctx, gbs_smc_result *result) {
    gbs_array_free(ctx, result->theta);
    gbs_array_free(ctx, result->risk);
    gbs_array_free(ctx, result->path);
    *result = (gbs_smc_result){0};
}
