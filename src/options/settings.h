/* Settings: options as the library's own functions read them, one struct a job.
 *
 * gbs_options (what a caller set, by name) becomes one of these through the table (entries.c): each
 * line of the table says which member it fills. A default is written there and nowhere else.
 */
#ifndef GIBBSITE_OPTIONS_SETTINGS_H
#define GIBBSITE_OPTIONS_SETTINGS_H

#include "gibbsite.h"
#include "options/usual.h"

/* Full family: work in the d coordinates, or in the row space of the data (never a d x d matrix).
 * AUTO: dual when d > n. */
typedef enum gbs_form { GBS_FORM_AUTO = 0, GBS_FORM_PRIMAL, GBS_FORM_DUAL } gbs_form;

/* Step sizes of the stochastic solver. */
typedef enum gbs_schedule {
    /* Adam, steps falling to zero, the last quarter of the iterates averaged */
    GBS_SCHEDULE_MODERN = 0,
    GBS_SCHEDULE_PAPER /* x <- x - (t + 1)^-0.9 gradient */
} gbs_schedule;

/* Which point of the grids becomes the model. */
typedef enum gbs_select {
    GBS_SELECT_BOUND = 0, /* the smallest certificate, the price of the choice paid */
    GBS_SELECT_CV,        /* the smallest cross-validated error */
    GBS_SELECT_LAST       /* the last lambda of the ladder, the first prior_sd */
} gbs_select;

/* The most cells of mapped rows: a gigabyte. */
enum { GBS_MOST_MAPPED_CELLS = 1 << 27 };

/* How the rows come that are learned from and then tested on. */
typedef enum gbs_order { GBS_ORDER_RANDOM = 0, GBS_ORDER_TIME /* as in the file */ } gbs_order;

/* What is fitted once more after the test, and deployed without one. */
typedef enum gbs_refit_kind { GBS_REFIT_NONE = 0, GBS_REFIT_ALL } gbs_refit_kind;

/* What a fit is asked for. */
typedef struct gbs_fit_settings {
    gbs_task_kind task;
    gbs_loss loss;
    gbs_family family;
    gbs_solver solver;
    gbs_form form;
    gbs_scale scale;
    int intercept;   /* non-zero: one more column, the last, of the same value everywhere */
    double constant; /* that value: how much wider the prior of the intercept is; 0: 1. Always 1
                        where rows have a promised length (unit-row, cx) */
    gbs_features features;
    size_t features_size; /* columns that a map makes; 0: chosen, or GBS_USUAL_FEATURES */
    int hint;             /* nobody named a map: where one would do clearly better, it is said */
    double kernel_width;  /* of the map's kernel, in median distances of the rows; 0: 1 */
    double level_width;   /* of columns of two values in that distance; 0: 1 */
    double kernel_axes;   /* share of Fourier's frequencies that lie along single columns */
    gbs_columns columns;
    gbs_prior_kind prior; /* default: informed */
    /* inverse temperature of each posterior; 0: chosen; under the zero prior the number of rows, in
     * ranking of the smaller class */
    double lambda;
    double prior_sd; /* standard deviation of the prior in every coordinate; 0: chosen, 1 under the
                        zero prior */
    double prior_split; /* informed, progressive: share of the rows in the first part; 0: chosen */
    size_t blocks;      /* progressive: stages; 0: chosen */
    int stratify; /* non-zero: the split keeps the shares of the classes; certificates are then
                     conditional */
    double cx; /* > 0: rows longer than this are shortened to it, in training and prediction alike;
                  the hinge risk then has a certificate too (unit rows have it with cx = 1) */
    /* values of prior_sd to choose from, declared in advance; NULL: prior_sd alone */
    const double *prior_grid;
    size_t prior_grid_size;
    gbs_select select; /* what to choose among the ladder and the prior grid */
    double tolerance;  /* stop when the optimality gap (or what stands for it) is below tolerance *
                          max(1, |F|) */
    double enough; /* and when a second-order estimate of what is left is below this; 0: never */
    size_t max_iterations; /* per rung of the ladder */
    /* increasing lambdas to anneal through, declared in advance; NULL: chosen */
    const double *ladder;
    size_t ladder_size;
    size_t restarts; /* > 0: no annealing; the best of this many starts drawn from the prior */
    size_t batch;    /* sgd: rows a step; 0: as usual */
    size_t epochs;   /* sgd: passes over the rows; 0: as usual. Rankings: at most */
    gbs_schedule schedule; /* sgd */
    /* ranking: the certificate's risk comes from this many pairs drawn at random, and a tenth of
       the error probability pays for that; 0: from all pairs */
    size_t sampled_pairs;
    /* sgd in ranking: the path begins with the steps (at most GBS_TRACED_STEPS, or as many as make
     * GBS_TRACED_TERMS pairs), each with its exact risk and bound */
    int trace;
    gbs_bound bound;   /* of the certificate that comes first */
    double confidence; /* of every certificate */
    unsigned looked;   /* bits of gbs_looked */
    /* Facts of the rows, which the fit sets: they have weights; groups; rows with missing cells
     * were left out; so were rows of weight 0; labels decided against a last block; they are of few
     * kinds and stand in an order that is not random (data/kinds.h). */
    int weighted, grouped, missing_left_out, zero_left_out, by_labels, sorted;
    /* of draws that a certificate counts: from the rows in their order */
    uint64_t draw_seed;
    gbs_order order;                /* deployed */
    gbs_refit_kind refit;           /* deployed */
    int paper;                      /* the constants that the paper recommends */
    size_t folds;                   /* of a choice by cross-validation */
    int has_cost;                   /* deployed: */
    double cost_missed, cost_false; /* of a row of +1 labelled -1, and the reverse */
    double max_weight; /* deployed: no weight is larger, the risk by weight is certified; 0: not */
    int joint;         /* deployed: all certificates hold at once */
    int importance;    /* deployed: of the columns, on the last block */
    const double *costs; /* many classes: what saying each of a row of each costs, [is][said] */
    unsigned losses, families; /* cv: bits of those to compare; 0: the one above */
    /* a model to start from, or NULL; and the raw column behind each of the data's, NULL: itself */
    const gbs_model *start;
    const uint32_t *start_columns;
} gbs_fit_settings;

/* What a sampling is asked for. */
typedef struct gbs_sample_settings {
    /* rank: the loss is that of x_i'theta - x_j'theta, mean over all pairs of a positive and a
     * negative row */
    gbs_task_kind task;
    gbs_loss loss;
    gbs_scale scale;
    int intercept; /* rank: there is none */
    /* inverse temperature to end at; 0 is the prior; negative: the number of rows, in ranking of
     * the smaller class */
    double lambda;
    double prior_sd; /* of the prior N(0, prior_sd^2 I) */
    gbs_features features;
    size_t features_size; /* as in a fit */
    size_t particles;
    double ess; /* the next lambda leaves this share of effective particles */
    /* increasing positive lambdas to go through instead, the last one is the end; NULL: chosen on
     * the way */
    const double *ladder;
    size_t ladder_size;
    /* the paper's algorithm: every particle makes `moves` moves; otherwise waste-free: few long
     * chains, every state kept */
    int classic;
    size_t moves;  /* classic: of a particle at each lambda. waste-free: at most, between neighbours
                      in a chain. 0: as usual */
    size_t chains; /* waste-free: at most particles / 2; 0: chosen */
    gbs_move move;
    double confidence; /* of the estimated bound */
} gbs_sample_settings;

/* Whether the positions of the ratings say something of rows and columns. */
typedef enum gbs_positions {
    GBS_POSITIONS_AUTO = 0, /* by free energy, else by ratings left out */
    GBS_POSITIONS_ON,
    GBS_POSITIONS_OFF
} gbs_positions;

/* What a completion is asked for. */
typedef struct gbs_complete_settings {
    gbs_completion_model model;
    gbs_positions positions; /* hierarchical */
    size_t rank;             /* most components; those that the ratings do not need are dropped */
    int biases;              /* mu, a_i and b_j; 0: u_i'v_j alone, the paper's model */
    double lambda;           /* weight of the mean squared error, n / (2 noise variance); 0: see
                              noise_variance */
    double noise_variance;   /* 0: learned */
    int cross_validate;      /* the noise by the held-out error over `folds` folds of the ratings
                              (informed: of the first part); hierarchical: the rank */
    size_t folds;
    int choose_model; /* hierarchical: `cross_validate`, and a small table, may take the paper's
                         model instead */
    /* to choose from; NULL: learned noise, and multiples of it */
    const double *lambda_grid;
    size_t lambda_grid_size;
    /* starts of the ascent, the first from the spectrum of the ratings, others random; the least
     * free energy is kept */
    size_t restarts;
    /* values lie in [low, high], declared in advance: predictions are clipped to it, and there is a
     * certificate */
    int has_range;
    double low, high; /* of that */
    /* default: zero (the hierarchical one); informed: from a first part of the ratings, certified
     * on the others */
    gbs_prior_kind prior;
    int zero_prior; /* hierarchical: a draw under a prior that looks at no rating is certified, in
                       place of the predictor */
    double prior_split; /* informed: share of the ratings in the first part; 0: as usual */
    double confidence;  /* of the certificate */
    /* stop when a sweep lowers the free energy by less than this share of it; hierarchical: by less
     * than this for each rating, twice, 0: chosen by their number */
    double tolerance;
    size_t max_sweeps;
    gbs_sampler sampler;
    size_t draws, burn_in; /* gibbs: sweeps that count, and before */
    size_t keep;           /* gibbs: draws kept in the model, at most `draws` */
    /* gibbs: cells to average over all draws, numbered from 0 (GBS_UNSEEN: a row or column without
     * ratings), into cell_value and cell_sd */
    size_t cells;
    const uint32_t *cell_row, *cell_column;
    double *cell_value, *cell_sd;
} gbs_complete_settings;

/* 0 in lambda and prior_sd: the recommended value of each bound. */
typedef struct gbs_theory_settings {
    uint64_t n;        /* rows, at least 2 */
    size_t d;          /* coefficients */
    double c;          /* P(<X,a><X,b> < 0) <= c |a - b| for unit a, b */
    double margin;     /* C >= 1 of the margin assumption */
    double confidence; /* between 0 and 1 */
    double lambda, prior_sd;
    double cx;               /* |x| <= cx (hinge) */
    double norm;             /* of the best coefficients (hinge; 1 elsewhere) */
    double wanted_error;     /* of the optimiser; 0: not asked */
    size_t rows, cols, rank; /* matrix completion; 0: not asked */
} gbs_theory_settings;

/* What becomes of rows with missing cells: in the order of the option `missing`. */
typedef enum gbs_missing { GBS_MISSING_ERROR, GBS_MISSING_DROP, GBS_MISSING_IMPUTE } gbs_missing;

/* How a file of rows is read, and what of it is learned. */
typedef struct gbs_table_settings {
    int format;    /* 0: by name, else by the bytes; csv, svmlight, npy */
    int header;    /* the first line is a header */
    int no_header; /* the first line is data; neither: detected */
    int missing;   /* a gbs_missing */
    const char *target, *positive;
    const char *drop, *text;     /* names or numbers, separated by commas */
    const char *keep;            /* the same */
    const char *weights, *group; /* name or number of the column of the weights, of the groups */
    const char *na_values;       /* cells that are missing, separated by commas */
    const char *separator;       /* of cells: one character, or tab; NULL: detected */
    int decimal;                 /* 0: a point, 1: a comma */
    const char *cache;           /* folder that rows are worked on in; NULL: memory, if they fit */
    int no_cache;                /* no cache of the file stays in the folder */
} gbs_table_settings;

/* The defaults of the table. */
gbs_fit_settings gbs_fit_settings_default(void);
gbs_sample_settings gbs_sample_settings_default(void);
gbs_complete_settings gbs_complete_settings_default(void);
gbs_theory_settings gbs_theory_settings_default(void);

/* What the options say; NULL: the defaults. Arrays and texts stay those of the options. */
void gbs_fit_settings_from(const gbs_options *options, gbs_fit_settings *out);
void gbs_sample_settings_from(const gbs_options *options, gbs_sample_settings *out);
void gbs_complete_settings_from(const gbs_options *options, gbs_complete_settings *out);
void gbs_theory_settings_from(const gbs_options *options, gbs_theory_settings *out);
void gbs_table_settings_from(const gbs_options *options, gbs_table_settings *out);

/* GBS_ERR_ARGUMENT where a choice is none of those that the table offers. */
gbs_status gbs_fit_settings_check(gbs_context *ctx, const gbs_fit_settings *settings);
gbs_status gbs_sample_settings_check(gbs_context *ctx, const gbs_sample_settings *settings);
gbs_status gbs_complete_settings_check(gbs_context *ctx, const gbs_complete_settings *settings);

#endif
