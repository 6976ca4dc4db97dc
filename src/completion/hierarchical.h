/* The hierarchical model of a matrix (docs/maths.md, 8.11): Normal-Wishart priors with regressed
 * means, biases inside the vectors, and a scale per row shared by its noise and its prior.
 *
 *   y_ij ~ N(u_i'v_j + a_i + b_j, 1/tau_i), standardised;  x_i = (u_i, a_i), w_j = (v_j, b_j)
 *   tau_i ~ Ga(20, beta), x_i | tau_i ~ N(B'phi_i, (tau_i Lambda)^-1), w_j ~ N(B'phi_j, Lambda^-1)
 *   Lambda ~ W(D + 1, I/w0),  B | Lambda ~ MN(0, diag(b)^-1, Lambda^-1),  b_p ~ Ga(1e-3, 1e-3)
 *
 * B, Lambda, b and phi are each side's own; b = 1 for the intercept, the first feature. The
 * posterior is q(x_i, tau_i) Normal-gamma, q(w_j) normal, q(B, Lambda) matrix normal and Wishart,
 * q(b_p) gamma; beta is a number. Seen from a row a column is the vector z = (v_j, 1) and the
 * offset b_j, and the other way round: half a sweep is one regression an item.
 */
#ifndef GIBBSITE_COMPLETION_HIERARCHICAL_H
#define GIBBSITE_COMPLETION_HIERARCHICAL_H

#include "core/ranks.h"
#include "data/ratings.h"
#include "kernel/record_sums.h"
#include "pass/pass.h"

typedef struct gbs_level_side {
    size_t items, features;
    double *phi;      /* items x features: the intercept first */
    double *mean;     /* items x D */
    double *cov;      /* items x packed(D): of a row times its tau */
    double *best;     /* items x D: of a draw, its conditional mean; NULL: not kept */
    double *omega;    /* items: E tau of a row, 1 for a column */
    double *centre;   /* items x D: prior means at the last half sweep */
    double *leverage; /* items: phi'G^-1 phi then; of rows alone */
    /* q(B, Lambda), q(b) */
    double *coef;          /* features x D: mean of B */
    double *gram_root;     /* features x features, lower: G = LL', the precision of B */
    double *gram_variance; /* features: diagonal of G^-1 */
    double *relevance, *relevance_rate; /* features: E b_p; the rate of its gamma distribution */
    double *scatter;                    /* D x D: inverse scale of the Wishart distribution */
    double *precision;                  /* D x D: E Lambda */
    double log_gram, log_precision;     /* log|G|; E log|Lambda| */
    /* sums over the items, of the last half sweep */
    double *second;   /* D x D: sum omega mm' */
    double *spread;   /* D x D: sum cov */
    double *cross;    /* features x D: sum omega phi m' */
    double *weighted; /* features x features: sum omega phi phi' */
    double log_det;   /* sum log|cov| */
} gbs_level_side;

typedef struct gbs_levels {
    gbs_context *ctx;
    const gbs_ratings *ratings;
    size_t rank, own; /* K; D = K + 1 */
    double scale;     /* y = (value - ratings->center) / scale */
    double w0[2];     /* of each side: scale of the Wishart prior */
    gbs_level_side side[2];
    double *shape, *rate; /* of q(tau_i) */
    double *squares;      /* rows: sum of y^2 */
    double alpha, beta;   /* shape and rate of the prior of tau */
    /* Fixed: the prior looks at no rating (gbs_levels_fix_prior). w0 stays, and beta is the mean of
     * q(beta), a gamma law of this shape and rate. */
    bool fixed;
    double beta_shape, beta_rate;
    double relevance_prior; /* shape and rate of the prior of b_p */
    uint64_t stream;    /* 0: variational; else a Gibbs draw with random numbers of this stream */
    double error;       /* sum over the ratings of E tau (y - p)^2, of the last half sweep */
    double relax;       /* of the next half sweep's means: 1 is plain, below 2 */
    double reach, fall; /* of the next sweep: its relax; by how much the last one lowered F */
    double first_fall;  /* of the first sweep; 0: there was none yet */
    gbs_record_shape record;
    bool single; /* records in single precision */
    void *records;
    double *partial, *scratch;
    double *work; /* features x (own + features), of the side that has more of them */
    size_t per_block, per_worker;
    /* Rows in parts of whole blocks, whose borders depend on the ratings alone: rows of part p are
     * part[p] .. part[p + 1] - 1, its blocks those from gbs_level_part_block(f, p) on. */
    size_t *part, parts;
    double *total;    /* per_block: of all blocks, and how many broke down */
    gbs_rated *rated; /* NULL: half sweeps are done here, not by the context's device */
    struct gbs_levels_apart *apart; /* NULL: every rank knows all rows */
} gbs_levels;

/* Shape of tau's prior. */
#define GBS_LEVEL_SHAPE 20.0
/* The least noise variance, of standardised ratings, that beta stands for: ratings that are fitted
 * without error would take it to zero. */
#define GBS_LEVEL_LEAST_NOISE 1e-4
/* Shape and rate of the prior of b_p. */
#define GBS_RELEVANCE_PRIOR 1e-3
/* Of beta / alpha where it has a prior, the noise variance of standardised ratings: Ga(1, 1). */
#define GBS_LEVEL_NOISE_PRIOR 1.0

/* Room for all of it. phi[s], items x features[s], stays the caller's. */
gbs_status gbs_levels_create(gbs_context *ctx, const gbs_ratings *ratings, size_t rank,
                             double *const phi[2], const size_t features[2], bool single,
                             gbs_levels *out);
void gbs_levels_free(gbs_levels *f);

/* Before the start: the unit of y is given, and the prior one that was known before the ratings:
 * w0 is 1, and beta / alpha ~ Ga(1, 1). What phi and the centre of the ratings are is the caller's
 * to see to. */
void gbs_levels_fix_prior(gbs_levels *f, double unit);

/* Columns from the leading singular vectors of the ratings, all else wide. */
gbs_status gbs_levels_start(gbs_levels *f, uint64_t stream);
/* Columns as another fit of the same rank has them: items x D, factors and bias in units of the
 * ratings, the factors of both sides of one size. */
gbs_status gbs_levels_start_from(gbs_levels *f, const double *columns);

/* Where another fit of the same rank and table ended, to other ratings of it: all of q but what
 * hangs on features, which may be others. */
gbs_status gbs_levels_start_at(gbs_levels *f, const gbs_levels *other);

/* Half a sweep: the best q of the rows (0) or columns (1) given all else, means over-relaxed. */
gbs_status gbs_levels_update_side(gbs_levels *f, int side);
/* The number beta that suits the rows best. */
gbs_status gbs_levels_update_rate(gbs_levels *f);
/* The best q(B, Lambda) of a side; its mean of B over-relaxed by `relax`. */
gbs_status gbs_levels_update_hyper(gbs_levels *f, int side, double relax);
/* The number w0 of a side that suits its precision best. */
void gbs_levels_update_width(gbs_levels *f, int side);
/* The best q(b) of a side. */
void gbs_levels_update_relevance(gbs_levels *f, int side);
/* What follows from scatter: E Lambda and E log|Lambda|. False: not positive definite. */
bool gbs_level_take_scatter(const gbs_levels *f, gbs_level_side *side);

/* Minus the evidence bound, in nats, of the ratings as they came. Exact after any step. */
double gbs_levels_free_energy(const gbs_levels *f);
/* Its part that is the expected loss, minus the log likelihood: the rest is KL(q || prior). */
double gbs_levels_expected_loss(const gbs_levels *f);

/* Matrices, own x own, that take the vectors of rows and columns to axes of falling size; what is
 * predicted stays. */
gbs_status gbs_levels_axes(const gbs_levels *f, double *turn[2]);

/* Sums over the items of a side that the hyper-parameters need (gbs_levels_update_side calls it).
 */
gbs_status gbs_levels_sum_side(gbs_levels *f, int side);
/* centre and leverage of a side. */
gbs_status gbs_levels_centre_side(gbs_levels *f, int side);

/* One record of an item for the other side: see level_records.c. */
void gbs_level_record(size_t rank, double omega, const double *mean, const double *cov,
                      double *record);
/* The same in single precision, for an item that is not the last of its side. */
void gbs_level_record_single(size_t rank, double omega, const double *mean, const double *cov,
                             float *record);
gbs_record_shape gbs_level_record_shape(size_t rank);

/* ---------------------------------------------------------------- level_device.c */

/* Half a sweep by the context's device; *done false: there is none that does it. */
gbs_status gbs_levels_device_side(gbs_levels *f, int side, bool *done);
/* Fetches what lies on the device alone, and lets it go. Whoever reads covariances, or changes what
 * a device knows, comes after this. */
gbs_status gbs_levels_settle(gbs_levels *f);
/* Lets it go as it is. */
void gbs_levels_forget(gbs_levels *f);

/* ---------------------------------------------------------------- level_apart.c */

/* From here to gbs_levels_join what is known of a row stays with the rank that has its part, where
 * that spares bytes. */
gbs_status gbs_levels_part(gbs_levels *f);
/* Every rank gets to know the others' rows. */
void gbs_levels_join(gbs_levels *f);
/* Lets them go as they are. */
void gbs_levels_leave(gbs_levels *f);
/* Which parts of the rows, or blocks of the columns, are this rank's. */
const gbs_share *gbs_levels_own(const gbs_levels *f, int side);
/* Sums over the ratings of this rank's columns, from the records of the rows that each rank has. */
gbs_status gbs_levels_relay(gbs_levels *f);
/* Those of a column: plain + 2 both numbers. */
const double *gbs_levels_relayed(const gbs_levels *f, size_t column);
/* A sum over the rows, one after the other, beginning with *sum; add is called for each part in
 * order, on the rank that has it. */
gbs_status gbs_levels_sum_rows(const gbs_levels *f, gbs_fold_body add, double *sum);

/* What the vectors of a row and a column predict, standardised. */
static inline double gbs_level_predict(const gbs_levels *f, const double *x, const double *z) {
    double p = x[f->rank] + z[f->rank];
    for (size_t k = 0; k < f->rank; k++)
        p += x[k] * z[k];
    return p;
}

static inline size_t gbs_level_part_block(const gbs_levels *f, size_t part) {
    return f->ratings->by[0].blocks * part / f->parts;
}

#endif
