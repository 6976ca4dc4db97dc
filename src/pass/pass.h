/* The few sums over rows that everything is made of, and the contract of a back end.
 *
 *   hold        rows, where the back end likes them (memory, a device, a rank's share)
 *   project     scores x'm and their variances x'Sx
 *   slopes      one fused pass: project, the loss of each row, pull back
 *   pair_...    the same over all pairs of two kinds of rows, without an array of the pairs
 *   tile, ring  losses of many coefficient vectors at once
 *
 * Who asks (risk/, judge/) knows neither where the rows lie nor how they are summed; a back end
 * knows nothing of what a loss means. `cpu/` is the first; another is a folder with a gbs_pass_ops
 * of its own and a line in pass.c. Promised by each: how sums are split depends on the shape of the
 * data alone and parts are added in a fixed order, so that any number of threads gives the same
 * bits; and a long pass asks now and then whether the caller wants to stop.
 */
#ifndef GIBBSITE_PASS_PASS_H
#define GIBBSITE_PASS_PASS_H

#include "data/ratings.h"
#include "data/rows.h"
#include "kernel/tile.h"

/* ---------------------------------------------------------------- a loss */

/* The array length a loss works in, so that its temporaries live on the stack. */
enum { GBS_LOSS_TILE = 256 };

/* A loss of the margin z, smoothed by a Gaussian: psi(mu, s) = E loss(z), z ~ N(mu, s^2). Nothing
 * but functions over arrays; a back end that cannot call them finds its own by the name. */
typedef struct gbs_pointwise {
    const char *name;
    /* psi and its partials for n margins; s = 0 gives the loss at mu itself. */
    void (*smoothed)(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s);
    /* The same for n pairs of rows, of which there are many: given s^2 and 1/s, and w = (d psi/d
     * s)/s in place of d psi/d s. s^2 = 1/s = 0 gives any finite numbers. */
    void (*paired)(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w);
    /* psi may fall in s, so that w may be negative: |w| is then another number than w. */
    bool falls;
    /* |mu|/s from which on psi is 0 (mu > 0) or 1 (mu < 0) to the last bit; 0: nowhere. */
    double decided;
    /* Sums of psi and psi^2 over the pairs of one row, as gbs_pair_tails (kernel/pair.h); NULL:
     * `paired` does it. */
    size_t (*pair_sums)(size_t n, double a, double q, const double *other_a, const double *other_q,
                        const double *cross, const double *other_weight, double *sum,
                        double *square_sum);
    /* The plain loss of n rows under GBS_LANES classifiers at once (kernel/tile.h): total[l] +=
     * sum_i loss(margin[i][l]). Both begin on a cache line. */
    void (*add_lanes)(size_t n, const double *margin, double *total);
    /* The same on a ring of states, two at a time: the margins are base[i] + c[k] here[i][l] +-
     * s[k] slope[i][l] and are never stored; total[2 k] takes the plus, total[2 k + 1] the minus,
     * GBS_LANES each. No base is -0. */
    void (*add_ring)(size_t n, const double *base, const double *here, const double *slope,
                     size_t pairs, const double *c, const double *s, double *total);
    /* What a state more costs on a row, in floating-point operations. */
    double state_cost;
    /* The plain loss of all n m differences a_i - b_j, added up; a and b ascending. */
    double (*add_pairs)(size_t n, const double *a, size_t m, const double *b);
} gbs_pointwise;

/* ---------------------------------------------------------------- a Gaussian */

/* What is asked for of H = c sum_i w_i x_i x_i', w = (d psi/d s)/s. */
typedef enum gbs_pull {
    GBS_PULL_TRACE,    /* one number; of an S = variance I */
    GBS_PULL_DIAGONAL, /* d numbers */
    GBS_PULL_MATRIX    /* d x d, lower triangle */
} gbs_pull;

size_t gbs_pull_size(gbs_pull pull, size_t d);

/* A covariance that differs from v I on the span of a few rows alone: S = v I + Q'(C C' - v I) Q,
 * Q = lower^-1 (kept rows) with orthonormal rows. */
typedef struct gbs_span {
    size_t rank;
    double *lower;  /* rank x rank, lower triangular */
    double *factor; /* rank x rank, C, upper triangular */
    gbs_strip kept; /* `rank` rows, dense or CSR */
} gbs_span;

/* How a Gaussian N(m, S) spreads, as data: S = C C' where there is a factor, else diag(tau), else
 * variance I, which a span may change. */
typedef struct gbs_spread {
    size_t d;
    const double *mean;
    double variance;
    const double *tau;    /* d variances, or NULL */
    const double *factor; /* d x d, C, upper triangular; or NULL */
    const gbs_span *span; /* NULL: none. For project alone */
    gbs_pull pull;        /* what is pulled back */
} gbs_spread;

/* ---------------------------------------------------------------- rows, and room to work in */

typedef struct gbs_pass_ops gbs_pass_ops;

/* Rows as a back end holds them: this head, then what is its own business. Each row carries a
 * number y: its margin is y x'theta. Where pairs are looked at, |y| counts equal rows. Rows may
 * have weights, which means of losses over them go by: slopes, tile, ring; not pairs. */
typedef struct gbs_held {
    const gbs_pass_ops *pass;
    gbs_context *ctx;
    size_t n, d;
    bool weighted;
    double mass; /* what a sum of losses is divided by: that of the weights, else n */
} gbs_held;

/* Buffers of the passes for slopes. */
typedef struct gbs_room {
    const gbs_pass_ops *pass;
} gbs_room;

/* The mean loss, and the slopes of lambda times it. */
typedef struct gbs_slopes {
    double risk;
    double *d_mean;    /* d/dm */
    double *pull;      /* (lambda/mass) sum w x x', as far as the spread asks for it */
    double *curvature; /* NULL, or (lambda/mass) sum |w| x x', lower triangle */
} gbs_slopes;

/* States on a ring (smc/ring.c), in pairs at the angles +-(k + 1/2) delta: number 2 k is the plus,
 * 2 k + 1 the minus. */
enum { GBS_RING_MOST = 16 };
typedef struct gbs_ring {
    size_t size; /* states; even */
    double cosine[GBS_RING_MOST / 2], sine[GBS_RING_MOST / 2];
} gbs_ring;

/* A tile of planes: state j is cosine(j) centred + sine(j) direction, relative to a common mean. */
typedef struct gbs_ring_tile {
    const double *centred, *direction;
    double *risk; /* of state j in lane l at j * GBS_LANES + l */
} gbs_ring_tile;

/* Tiles that meet the rows together, at most. */
enum { GBS_GROUP = 4 };

/* Rows that are asked together. */
enum { GBS_VOTE_ROWS = 64 };

/* What many coefficient vectors say of each row: mean and standard deviation of the score, share of
 * those that score above 0 (a score of 0 counts one half), and of the margins the mean plain loss
 * and the share below 0. Any may be NULL. */
typedef struct gbs_vote {
    double *score, *sd, *share, *loss, *error;
} gbs_vote;

/* ---------------------------------------------------------------- ratings */

/* The posterior of one side of the hierarchical model (completion/hierarchical.h) to begin with;
 * D = rank + 1 numbers of mean an item, packed covariances. */
typedef struct gbs_rated_side {
    const double *mean, *cov, *omega;
} gbs_rated_side;

typedef struct gbs_rated_start {
    size_t rank;
    bool single; /* records of items in single precision */
    gbs_rated_side side[2];
    const double *squares, *shape; /* of rows */
} gbs_rated_start;

/* Half a sweep: the rows' (side 0) or the columns' turn. */
typedef struct gbs_half_sweep {
    int side;
    double centre, inverse; /* y = (value - centre) inverse */
    double beta, relax;
    const double *precision, *prior_mean, *leverage;
    double *mean, *omega, *rate; /* set; the last two of rows alone */
    double *totals;              /* packed sum cov, packed sum omega mm', log det, error */
    bool broken;                 /* a precision was not positive definite */
} gbs_half_sweep;

/* Ratings and both sides' posteriors, where the back end likes them. */
typedef struct gbs_rated gbs_rated;

/* ---------------------------------------------------------------- a back end */

/* `positives`: the pairs are those of one of the first so many rows and one of the rest. Pointers
 * to what is made are NULL on failure. Without a word on failure, a function has none. */
struct gbs_pass_ops {
    const char *name;

    /* ---- rows */
    /* The cells are borrowed where they can be, and must outlive what is held. */
    gbs_status (*hold)(gbs_context *ctx, const gbs_rows *rows, gbs_held **out);
    /* Every stride-th row. */
    gbs_status (*hold_part)(const gbs_held *held, size_t stride, gbs_held **out);
    /* Room for `rows` rows as wide as these; n is then set by `fill`. */
    gbs_status (*hold_room)(const gbs_held *held, size_t rows, gbs_held **out);
    /* The rows of `from` named in `row` into a room, whose mass is then their expected share of
     * that of all; less: those minus the rows named there, with y = 1 (NULL: nothing is taken off).
     */
    void (*fill)(gbs_held *room, const gbs_held *from, size_t count, const size_t *row,
                 const size_t *less);
    /* A copy of the rows named, in this machine's memory: arrays of the caller. After a failure
     * too, what there is of it. */
    gbs_status (*keep)(const gbs_held *held, size_t count, const size_t *row, gbs_strip *out);
    void (*release)(gbs_held *held); /* takes NULL */

    /* ---- without a loss */
    /* The rows first .. first + count - 1 as dense ones; their squared lengths. */
    void (*cells)(const gbs_held *held, size_t first, size_t count, double *out);
    void (*norms)(const gbs_held *held, size_t first, size_t count, double *norm2);
    /* x'm of the rows first .. first + count - 1; y times a score of theirs. */
    void (*scores)(const gbs_held *held, size_t first, size_t count, const double *m,
                   double *score);
    void (*margins)(const gbs_held *held, size_t first, size_t count, const double *score,
                    double *margin);
    /* The weights of the rows first .. first + count - 1; 1 where they have none. */
    void (*weights)(const gbs_held *held, size_t first, size_t count, double *weight);
    /* x'm and x'Sx of the rows first .. first + count - 1. */
    gbs_status (*project)(const gbs_held *held, const gbs_spread *spread, size_t first,
                          size_t count, double *score, double *variance);
    /* X diag(weight) X' of the rows picked, count x count, both triangles; NULL: 1, all rows. */
    gbs_status (*gram)(const gbs_held *held, const double *weight, const size_t *pick, size_t count,
                       double *k);

    /* ---- slopes */
    gbs_status (*room)(const gbs_held *held, gbs_pull pull, bool curvature, gbs_room **out);
    gbs_status (*pair_room)(const gbs_held *held, size_t positives, gbs_pull pull, bool curvature,
                            gbs_room **out);
    void (*release_room)(gbs_room *room); /* takes NULL */
    /* Fills `out`: curvature where it has room for one, which the room must then be made for. The
     * room may have been made for other rows of the same columns, of at least as many. */
    gbs_status (*slopes)(const gbs_held *held, const gbs_pointwise *loss, const gbs_spread *spread,
                         double lambda, gbs_room *room, gbs_slopes *out);
    gbs_status (*pair_slopes)(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                              const gbs_spread *spread, double lambda, gbs_room *room,
                              gbs_slopes *out);

    /* ---- the risk alone */
    /* Means of psi and psi^2 over the pairs, 0 where there are none. shown: with progress. */
    gbs_status (*pair_risk)(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                            const gbs_spread *spread, bool shown, double *risk,
                            double *second_moment);
    /* Adds psi of the pairs row[t], less[t] to *sum, in order. */
    gbs_status (*listed_pairs)(const gbs_held *held, const gbs_pointwise *loss,
                               const gbs_spread *spread, size_t count, const size_t *row,
                               const size_t *less, double *sum);

    /* ---- many coefficient vectors; called by many threads at once */
    /* Doubles that these work in. */
    size_t (*tile_room)(const gbs_held *held);
    size_t (*pair_tile_room)(const gbs_held *held);
    /* Mean plain loss of each of the GBS_LANES vectors of a tile. */
    void (*tile)(const gbs_held *held, const gbs_pointwise *loss, const double *theta,
                 double *scratch, double *risk);
    void (*pair_tile)(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                      const double *theta, double *scratch, double *risk);
    /* The same of all states of `count` tiles of planes. base: margins of the common mean, no -0
     * (pairs: its scores). */
    void (*ring)(const gbs_held *held, const gbs_pointwise *loss, const gbs_ring *ring,
                 const double *base, size_t count, const gbs_ring_tile *tile, double *scratch);
    void (*pair_ring)(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                      const gbs_ring *ring, const double *base, size_t count,
                      const gbs_ring_tile *tile, double *scratch);
    /* Row by row, `count` vectors of a given mean, in tiles that follow one another. Unlike the
     * above it makes use of the context's threads. */
    gbs_status (*vote)(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                       const double *tiles, const double *mean, const gbs_vote *out);
    /* Whether a loss over these rows is better given to `many`; NULL: never. */
    bool (*takes_many)(const gbs_held *held, const gbs_pointwise *loss);
    /* Mean plain loss of each of `count` vectors, in tiles that follow one another. On the thread
     * that called the library. */
    gbs_status (*many)(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                       const double *tiles, double *risk);

    /* ---- ratings: NULL, all four, where completion/ does it itself */
    /* *out NULL: the back end leaves these to the caller. */
    gbs_status (*rate)(gbs_context *ctx, const gbs_ratings *ratings, const gbs_rated_start *start,
                       gbs_rated **out);
    gbs_status (*half_sweep)(gbs_rated *rated, gbs_half_sweep *half);
    /* The packed covariances of a side. */
    gbs_status (*covariances)(gbs_rated *rated, int side, double *cov);
    void (*release_rated)(gbs_rated *rated);
};

extern const gbs_pass_ops gbs_cpu_pass;
extern const gbs_pass_ops gbs_cuda_pass;

/* Held by the back end of the context's device. */
gbs_status gbs_hold(gbs_context *ctx, const gbs_rows *rows, gbs_held **out);
void gbs_held_free(gbs_held *held); /* takes NULL */
void gbs_room_free(gbs_room *room); /* takes NULL */
/* The largest squared length of a row; the root mean square of a cell (1 where all are 0). */
double gbs_held_longest(const gbs_held *held);
double gbs_held_typical_cell(const gbs_held *held);

static inline double gbs_ring_cosine(const gbs_ring *ring, size_t state) {
    return ring->cosine[state / 2];
}

static inline double gbs_ring_sine(const gbs_ring *ring, size_t state) {
    return state % 2 == 0 ? ring->sine[state / 2] : -ring->sine[state / 2];
}

#endif
