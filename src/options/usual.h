/* Numbers that help texts spell and code goes by: each is written here and nowhere else. Macros, so
 * that the option table can make texts of them. */
#ifndef GIBBSITE_OPTIONS_USUAL_H
#define GIBBSITE_OPTIONS_USUAL_H

/* ---------------------------------------------------------------- models */

/* Columns that a map makes where nobody says how many; and the most that can be asked for. */
#define GBS_USUAL_FEATURES 500
#define GBS_MOST_FEATURES 100000
/* Most columns of the full family; of columns that a map made: 2,000, and some that it keeps. */
#define GBS_USUAL_FULL 200
#define GBS_USUAL_FULL_MAPPED 2500
/* Candidates of `select` cv without a grid: their number, the first (the number of rows over this),
 * each this many times the one before. */
#define GBS_USUAL_GRID 5
#define GBS_USUAL_GRID_BELOW 64
#define GBS_USUAL_GRID_RATIO 4

/* ---------------------------------------------------------------- the first part of the rows */

/* What a deployed predictor learns from: so many of so many parts. */
#define GBS_LEARN_PARTS 2
#define GBS_LEARN_OF 3
/* What is certified once; rankings: rows that are enough to certify with, and the share that the
 * first part then has at most. */
#define GBS_SINGLE_SHARE 0.5
#define GBS_RANKED_CERTIFIED 9000
#define GBS_RANKED_SHARE 0.9
/* The progressive bound: least and most. */
#define GBS_STAGED_LEAST_SHARE 0.3
#define GBS_STAGED_MOST_SHARE 0.5
#define GBS_MOST_STAGES 16

/* ---------------------------------------------------------------- passes and steps */

/* Of the stochastic solver: passes, or steps where those are more. */
#define GBS_USUAL_EPOCHS 20
#define GBS_USUAL_STEPS 4000
/* More pairs are passed over for the certificate alone. */
#define GBS_MOST_TERMS 2e9
/* Of the error probability, for pairs that were sampled: it costs the bound a tenth of a nat. */
#define GBS_SAMPLING_SHARE 0.1
/* A traced step is judged on all terms of the risk: so many of them in all, and so many steps. */
#define GBS_TRACED_TERMS 3e9
#define GBS_TRACED_STEPS 1000

/* ---------------------------------------------------------------- sampling */

/* Moves of a sampler, most moves between two particles. */
#define GBS_USUAL_MOVES 5
#define GBS_USUAL_THINNING 100

/* ---------------------------------------------------------------- completion */

#define GBS_COMPLETION_MOST_RANK 512
/* Components that are enough to see what a set is like; more are asked for with reason. */
#define GBS_PLENTY 16
/* A table of fewer ratings is small: fits of it cost little, and its ratings can be left out part
 * by part. */
#define GBS_FEW_RATINGS 20000
/* The fall of the free energy by a sweep, in nats a rating, at which an ascent stops: at least
 * this, at most that, which is reached at so many ratings. */
#define GBS_LEAST_TOLERANCE 5e-5
#define GBS_MOST_TOLERANCE 2e-4
#define GBS_MANY_RATINGS 1000000
/* The same of the paper's model, as a share of the free energy. */
#define GBS_PAPER_TOLERANCE 1e-6

#endif
