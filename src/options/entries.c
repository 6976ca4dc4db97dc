/* The table of options: the one place where a name, a range, a default or a help text is written.
 *
 * An option is named in backquotes in the texts; a caller spells it in its own way. */
#include "options/entries.h"

#include "options/names.h"

#include <math.h>
#include <string.h>

#define FIT_CV (GBS_FOR_FIT | GBS_FOR_CV)
#define SAMPLE_GAP (GBS_FOR_SAMPLE | GBS_FOR_GAP)
#define LEARN (FIT_CV | GBS_FOR_SAMPLE)
#define EVERY (~0U) /* commands of callers, too */
#define READ (LEARN | GBS_FOR_GAP | GBS_FOR_PREDICT | GBS_FOR_EVALUATE)

/* NOLINTBEGIN(bugprone-macro-parentheses): designators take none */
#define IN_FIT(member) [GBS_SETTINGS_FIT] = offsetof(gbs_fit_settings, member) + 1
#define IN_SAMPLE(member) [GBS_SETTINGS_SAMPLE] = offsetof(gbs_sample_settings, member) + 1
#define IN_COMPLETE(member) [GBS_SETTINGS_COMPLETE] = offsetof(gbs_complete_settings, member) + 1
#define IN_THEORY(member) [GBS_SETTINGS_THEORY] = offsetof(gbs_theory_settings, member) + 1
#define IN_TABLE(member) [GBS_SETTINGS_TABLE] = offsetof(gbs_table_settings, member) + 1
/* NOLINTEND(bugprone-macro-parentheses) */

/* Ranges, with the words that a message has for them. */
#define POSITIVE "a positive number"
#define ANY .low = 0.0
#define ABOVE_ZERO .high = INFINITY, .open_low = 1, .open_high = 1
#define FROM_ZERO .high = INFINITY, .open_high = 1
#define INSIDE_UNIT .high = 1.0, .open_low = 1, .open_high = 1
/* A macro of usual.h as it stands there. */
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#define WHOLE(least, most) "a whole number from " TEXT(least) " to " TEXT(most)
#define MOST_COUNT 1000000000000
#define FROM_1 WHOLE(1, MOST_COUNT)
#define MOST_FOLDS 1000
#define LEAST_PARTICLES 4
#define LEAST_CHAINS 2
#define LEAST_ROWS 2
#define MOST_PARTICLES 1073741824
#define GRID "LO:HI:K with 0 < LO < HI and 2 <= K <= 1000 (or LO = HI and K = 1)"

/* clang-format off */
const gbs_option_entry gbs_option_entries[] = {
    /* ---------------------------------------------------------------- what is learned */
    {{"task", "TASK", GBS_OPTION_CHOICE, LEARN, GBS_CHOICES(GBS_TASKS), NULL, "classify", "model",
      "what to learn: classify, or rank: a score that puts rows of the positive label above the "
      "others; its risk is 1 - AUC, over all pairs of rows",
      ANY,
      .everyday = LEARN,
      .brief = "classify, or rank: a score that puts positive rows above the others"},
     .store = GBS_STORE_INT, .at = {IN_FIT(task), IN_SAMPLE(task)}},
    {{"loss", "LOSS", GBS_OPTION_CHOICE, GBS_FOR_FIT, GBS_CHOICES(GBS_LOSSES) GBS_OR_AUTO, NULL,
      "auto", "model",
      "loss of the margin: " GBS_LISTED(GBS_LOSSES) "; auto: under `bound` vote probit "
      "(in ranking hinge) or zero-one, chosen on the rows to learn from (of three classes or more "
      "softmax, or binary problems where they are better), else zero-one",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = GBS_LISTED(GBS_LOSSES) " (default: chosen)"},
     .store = GBS_STORE_INT, .at = {IN_FIT(loss)}, .last = GBS_LOSS_AUTO},
    {{"loss", "LOSS", GBS_OPTION_CHOICE, GBS_FOR_CV | GBS_FOR_SAMPLE, GBS_CHOICES(GBS_LOSSES), NULL,
      "zero-one",
      "model",
      "loss of the margin: " GBS_LISTED(GBS_LOSSES) "; cv takes several, separated by commas",
      .several = GBS_FOR_CV,
      .everyday = GBS_FOR_CV | GBS_FOR_SAMPLE,
      .brief = GBS_LISTED(GBS_LOSSES) "; of cv several, separated by commas"},
     .store = GBS_STORE_INT, .at = {IN_FIT(loss), IN_SAMPLE(loss)},
     .bits = offsetof(gbs_fit_settings, losses) + 1},
    {{"family", "FAMILY", GBS_OPTION_CHOICE, FIT_CV, GBS_CHOICES(GBS_FAMILIES), NULL,
      "auto", "model",
      "Gaussians to choose from: " GBS_LISTED(GBS_GAUSSIANS) "; auto: full up to "
      TEXT(GBS_USUAL_FULL) " coefficients (with `features` of a kernel "
      TEXT(GBS_USUAL_FULL_MAPPED) "), else diagonal. cv takes several",
      .several = GBS_FOR_CV,
      .everyday = FIT_CV,
      .brief = GBS_LISTED(GBS_GAUSSIANS) " (default: by the number of columns)"},
     .store = GBS_STORE_INT, .at = {IN_FIT(family)},
     .bits = offsetof(gbs_fit_settings, families) + 1},
    {{"lambda", "L", GBS_OPTION_NUMBER, FIT_CV, NULL, POSITIVE, NULL, "model",
      "inverse temperature: how much the mean loss weighs against the distance from the prior "
      "(default: the number of rows learned from, in ranking of those of the smaller class; under "
      "an informed prior and a `bound` such as kl chosen from the first part)",
      ABOVE_ZERO,
      .everyday = FIT_CV,
      .brief = "inverse temperature (default: chosen, or the number of rows)"},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(lambda)}},
    {{"lambda", "L", GBS_OPTION_NUMBER, GBS_FOR_SAMPLE, NULL, "a number from 0", NULL, "model",
      "inverse temperature to end at; 0 is the prior itself (default: the number of rows, in "
      "ranking of those of the smaller class)",
      FROM_ZERO,
      .everyday = GBS_FOR_SAMPLE,
      .brief = "inverse temperature (default: the number of rows)"},
     .store = GBS_STORE_DOUBLE, .at = {IN_SAMPLE(lambda)}},
    {{"lambda", "L", GBS_OPTION_NUMBER, GBS_FOR_COMPLETE, NULL, POSITIVE, NULL, "model",
      "weight of the mean squared error: ratings over twice the noise variance (default: see "
      "`noise`)",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_COMPLETE(lambda)}},
    {{"lambda", "L", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, NULL, "model",
      "inverse temperature (default: the recommended value of each bound)",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(lambda)}},
    {{"lambda-grid", "LO:HI:K", GBS_OPTION_GRID, FIT_CV, NULL, GRID, NULL, "model",
      "K values of `lambda`, evenly spaced on the log scale from LO to HI, each started from the "
      "last solution; see `select`",
      ABOVE_ZERO,
      .everyday = GBS_FOR_CV,
      .brief = "the temperatures to compare"},
     .store = GBS_STORE_NUMBERS, .at = {IN_FIT(ladder)}},
    {{"lambda-grid", "LO:HI:K", GBS_OPTION_GRID, GBS_FOR_COMPLETE, NULL, GRID, NULL, "model",
      "candidates for `select` cv (default: the value learned from the ratings, and 1/4, 1/2, 2 "
      "and 4 times it)",
      ABOVE_ZERO},
     .store = GBS_STORE_NUMBERS, .at = {IN_COMPLETE(lambda_grid)}},
    {{"ladder", "LO:HI:K", GBS_OPTION_GRID, SAMPLE_GAP, NULL, GRID, NULL, NULL,
      "increasing values of `lambda` to go through, the last one is the end (default: chosen on "
      "the way)",
      ABOVE_ZERO},
     .store = GBS_STORE_NUMBERS, .at = {IN_SAMPLE(ladder)}},
    {{"select", "RULE", GBS_OPTION_CHOICE, GBS_FOR_FIT, "bound|cv|last", NULL, "bound", "model",
      "which point of the grids becomes the model: bound (the smallest certificate, the price of "
      "the choice paid), cv (the smallest cross-validated error; without a grid, of "
      TEXT(GBS_USUAL_GRID) " lambdas, the first the number of rows over "
      TEXT(GBS_USUAL_GRID_BELOW) ", each " TEXT(GBS_USUAL_GRID_RATIO) " times the one before), "
      "last (the last lambda)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(select)}},
    {{"select", "RULE", GBS_OPTION_CHOICE, GBS_FOR_COMPLETE, "none|cv", NULL, "none", "model",
      "cv chooses by the error on ratings left out: the rank (a quarter, a half, one and two times "
      "`rank`) and, unless `model` is given, the model; with `model` paper `lambda`, and with it "
      "the noise; the certificate stays valid",
      ANY,
      .everyday = GBS_FOR_COMPLETE,
      .brief = "cv chooses by cross-validation"},
     .store = GBS_STORE_INT, .at = {IN_COMPLETE(cross_validate)}},
    {{"folds", "K", GBS_OPTION_COUNT, FIT_CV | GBS_FOR_COMPLETE, NULL,
      WHOLE(2, MOST_FOLDS), "5", "model",
      "parts for cross-validation: of the rows, stratified by label; of ratings, at random",
      .low = 2.0, .high = MOST_FOLDS,
      .everyday = GBS_FOR_CV,
      .brief = "parts to cross-validate with"},
     .store = GBS_STORE_SIZE,
     .at = {IN_FIT(folds), IN_COMPLETE(folds)}},
    {{"prior", "PRIOR", GBS_OPTION_CHOICE, GBS_FOR_FIT, GBS_CHOICES(GBS_PRIORS), NULL,
      "informed", "model",
      "mean of the Gaussian prior: informed (learned from a first part of the rows, which is then "
      "not certified on), or zero (the default with `paper`, `restarts` and `select` cv)",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "informed by a part of the rows, or zero, as in the paper"},
     .store = GBS_STORE_INT, .at = {IN_FIT(prior)}},
    {{"prior", "PRIOR", GBS_OPTION_CHOICE, GBS_FOR_COMPLETE, GBS_CHOICES(GBS_PRIORS), NULL,
      "zero", "model",
      "prior of the factors, for a certificate of one draw: zero (it looks at no rating; the "
      "paper's model unless `model` says otherwise), or informed (learned from a first part of the "
      "ratings; needs `range`)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_COMPLETE(prior)}},
    {{"prior-sd", "S", GBS_OPTION_NUMBER, FIT_CV, NULL, POSITIVE, NULL, "model",
      "standard deviation of the prior on every coefficient (default 1; under an informed prior, "
      "chosen from earlier rows)",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(prior_sd)}},
    {{"prior-sd", "S", GBS_OPTION_NUMBER, GBS_FOR_SAMPLE, NULL, POSITIVE, "1", "model",
      "standard deviation of the prior on every coefficient",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_SAMPLE(prior_sd)}},
    {{"prior-sd", "S", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, NULL, "model",
      "standard deviation of the prior (default: the recommended value of each bound)",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(prior_sd)}},
    {{"prior-grid", "LO:HI:K", GBS_OPTION_GRID, FIT_CV, NULL, GRID, NULL, "model",
      "K values of `prior-sd`, evenly spaced on the log scale from LO to HI; see `select`",
      ABOVE_ZERO,
      .everyday = GBS_FOR_CV,
      .brief = "the prior widths to compare"},
     .store = GBS_STORE_NUMBERS, .at = {IN_FIT(prior_grid)}},
    {{"prior-split", "F", GBS_OPTION_NUMBER, GBS_FOR_FIT, NULL,
      "a number between 0 and 1, such as 0.5", NULL, "certificate",
      "share of the rows in the first part: of those learned from (default "
      TEXT(GBS_LEARN_PARTS) "/" TEXT(GBS_LEARN_OF) ", more where a class is rare; `bound` kl, "
      "catoni, hoeffding: " TEXT(GBS_SINGLE_SHARE) ", in ranking all rows but "
      TEXT(GBS_RANKED_CERTIFIED) ", from " TEXT(GBS_SINGLE_SHARE) " to " TEXT(GBS_RANKED_SHARE)
      "; progressive: " TEXT(GBS_STAGED_LEAST_SHARE) " to " TEXT(GBS_STAGED_MOST_SHARE)
      ", more where there are few rows per column)",
      INSIDE_UNIT},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(prior_split)}},
    {{"prior-split", "F", GBS_OPTION_NUMBER, GBS_FOR_COMPLETE, NULL,
      "a number between 0 and 1, such as 0.5", "0.8", "certificate",
      "share of the ratings in the first part",
      INSIDE_UNIT},
     .store = GBS_STORE_DOUBLE, .at = {IN_COMPLETE(prior_split)}},
    {{"scale", "SCALE", GBS_OPTION_CHOICE, LEARN, GBS_CHOICES(GBS_SCALES), NULL, "standard",
      "model", "scaling of the columns: none, standard (mean 0, standard deviation 1), unit-row "
      "(each row to length 1)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(scale), IN_SAMPLE(scale)}},
    {{"columns", "KIND", GBS_OPTION_CHOICE, FIT_CV, GBS_CHOICES(GBS_COLUMN_KINDS), NULL,
      "auto", "model",
      "width of the prior on standardised columns: equal, relevance (wider for columns that "
      "correlate more with the label), auto (chosen on the rows to learn from; for a `bound` "
      "other than vote, relevance under an informed prior, else equal)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(columns)}},
    {{"features", "MAP", GBS_OPTION_CHOICE, LEARN,
      GBS_SIZED_CHOICES(GBS_FEATURE_KINDS) GBS_OR_AUTO, NULL, "linear", "model",
      "what is made of the columns: linear (nothing), fourier (beside them D random Fourier "
      "features of the Gaussian kernel), nystrom (beside them the same kernel by D landmarks, rows "
      "to learn from), auto (fit: map, width of the kernel and D chosen on the rows to learn from, "
      "linear among the candidates); D from 2 to " TEXT(GBS_MOST_FEATURES) " (default "
      TEXT(GBS_USUAL_FEATURES) ", fit: chosen)",
      .low = 2.0, .high = GBS_MOST_FEATURES,
      .everyday = LEARN,
      .brief = "linear, or beyond the line: fourier, nystrom, auto"},
     .store = GBS_STORE_SIZED, .at = {IN_FIT(features), IN_SAMPLE(features)},
     .last = GBS_FEATURES_AUTO},
    {{"no-intercept", NULL, GBS_OPTION_FLAG, LEARN, NULL, NULL, NULL, "model",
      "no constant column",
      ANY},
     .store = GBS_STORE_NOT, .at = {IN_FIT(intercept), IN_SAMPLE(intercept)}},
    {{"constant", "V", GBS_OPTION_NUMBER, FIT_CV, NULL, POSITIVE, "1", "model",
      "value of the constant column: the intercept's prior is that much wider",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(constant)}},
    {{"paper", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT, NULL, NULL, NULL, "model",
      "the paper's choices, as printed: prior of mean zero, lambda sqrt(nd), prior sd 1/sqrt(d), "
      "its bound",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "everything as the paper has it"},
     .store = GBS_STORE_INT, .at = {IN_FIT(paper)}},

    /* ---------------------------------------------------------------- what is certified */
    {{"bound", "METHOD", GBS_OPTION_CHOICE, GBS_FOR_FIT,
      GBS_CHOICES(GBS_BOUNDS), NULL, "auto", "certificate",
      "method of the certificate: vote (the labels that `predict` prints, in ranking the score, "
      "tested on a last block of rows), progressive (stages, each tested on fresh rows before the "
      "next learns from them), kl, catoni, hoeffding, paper (as the paper prints it), or auto "
      "(vote under an informed prior, in ranking with `pairs` or `solver` sgd catoni; kl under the "
      "zero prior and where a grid is given; progressive where `blocks` are given)",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "which certificate comes first (default: of the printed labels)"},
     .store = GBS_STORE_INT, .at = {IN_FIT(bound)}},
    {{"confidence", "P", GBS_OPTION_NUMBER,
      GBS_FOR_FIT | GBS_FOR_EVALUATE | GBS_FOR_THEORY | GBS_FOR_SAMPLE | GBS_FOR_COMPLETE, NULL,
      "a number between 0 and 1, such as 0.95", "0.95", "certificate", "confidence of the bounds",
      INSIDE_UNIT,
      .everyday = LEARN | GBS_FOR_COMPLETE,
      .brief = "of the certificates"},
     .store = GBS_STORE_DOUBLE,
     .at = {IN_FIT(confidence), IN_SAMPLE(confidence), IN_COMPLETE(confidence),
            IN_THEORY(confidence)}},
    {{"cost", "FN:FP", GBS_OPTION_PAIR, GBS_FOR_FIT, NULL,
      "FN:FP, two positive numbers, such as 5:1", NULL, "model",
      "what it costs to miss a row of the positive label (FN), and to give it to another row (FP): "
      "the label is then positive from a probability of FP/(FN + FP) on, rows count by the cost of "
      "their error in training where that makes labels cheaper out of fold, and the mean cost is "
      "certified; `bound` vote. Of three classes or more it is a file of costs: a CSV matrix, the "
      "class that is said in its header, the class that is in its first column",
      ABOVE_ZERO,
      .everyday = GBS_FOR_FIT,
      .brief = "costs of a missed positive and of a false alarm, as 5:1"},
     .store = GBS_STORE_RANGE, .at = {IN_FIT(has_cost)}},
    {{"order", "ORDER", GBS_OPTION_CHOICE, GBS_FOR_FIT, "random|time", NULL,
      "random", "certificate",
      "`bound` vote: which rows are learned from and which test: drawn at random, or by the file's "
      "order (time), so that the last rows test and the certificate is about rows like them",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "time: the last rows of the file test the others"},
     .store = GBS_STORE_INT, .at = {IN_FIT(order)}},
    {{"refit", "WHAT", GBS_OPTION_CHOICE, GBS_FOR_FIT, "none|all", NULL, "none", "certificate",
      "`bound` vote: all: a second posterior is fitted to all rows, those of the test too, and is "
      "what `predict` uses. It is not certified: the certificates are those of the first, and "
      "conditional",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "all: deploy a posterior from all rows, which is not certified"},
     .store = GBS_STORE_INT, .at = {IN_FIT(refit)}},
    {{"joint", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT, NULL, NULL, NULL, "certificate",
      "`bound` vote: all certificates hold at once, and each pays for that",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "all numbers of the card hold at once"},
     .store = GBS_STORE_INT, .at = {IN_FIT(joint)}},
    {{"max-weight", "W", GBS_OPTION_NUMBER, GBS_FOR_FIT, NULL, POSITIVE, NULL, "certificate",
      "no row has, or will have, a larger weight (`weights`), which must be known before the rows "
      "are seen: the weighted share of wrong labels is certified too; `bound` vote",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(max_weight)}},
    {{"importance", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT | GBS_FOR_EVALUATE, NULL, NULL, NULL,
      "model",
      "how much each column of the file matters, with standard errors: the rise of the Brier score "
      "(of a ranking the fall of the AUC) when rows take the column from other rows; fit measures "
      "it on the rows that test the labels (`bound` vote) and keeps it in the model, evaluate on "
      "those at hand. And curves of the first columns",
      ANY,
      .everyday = GBS_FOR_FIT,
      .brief = "how much each column matters, on rows kept from the fit"},
     .store = GBS_STORE_INT, .at = {IN_FIT(importance)}},
    {{"blocks", "M", GBS_OPTION_COUNT, GBS_FOR_FIT, NULL, WHOLE(1, GBS_MOST_STAGES), NULL,
      "certificate",
      "`bound` progressive: number of stages, up to " TEXT(GBS_MOST_STAGES)
      " (default: 2 to 4, more where more errors are expected)",
      .low = 1.0, .high = GBS_MOST_STAGES},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(blocks)}},
    {{"stratify", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT, NULL, NULL, NULL, "certificate",
      "split so that the first part has its share of each class; the certificate is then only "
      "conditional",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(stratify)}},
    {{"cx", "CX", GBS_OPTION_NUMBER, GBS_FOR_FIT, NULL, POSITIVE, NULL, "certificate",
      "longer rows are shortened to length CX, in training and prediction; with `loss` hinge and a "
      "`bound` other than progressive the hinge risk gets a certificate",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(cx)}},
    {{"pairs", "N", GBS_OPTION_COUNT, GBS_FOR_FIT, NULL, FROM_1, NULL, "certificate",
      "`task` rank: certify from N pairs of rows drawn at random instead of all of them, for "
      TEXT(GBS_SAMPLING_SHARE) " of the error probability; with `solver` sgd no pass over all "
      "pairs is made at all. Without it, more than " TEXT(GBS_MOST_TERMS) " pairs are passed over "
      "once, for the certificate, and `solver` sgd makes no other pass",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(sampled_pairs)}},

    /* ---------------------------------------------------------------- how it is computed */
    {{"solver", "SOLVER", GBS_OPTION_CHOICE, FIT_CV, GBS_CHOICES(GBS_SOLVERS), NULL, "auto",
      "solver", "auto, lbfgs, natural (natural gradient), sgd (minibatches)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(solver)}},
    {{"form", "FORM", GBS_OPTION_CHOICE, GBS_FOR_FIT, "auto|primal|dual", NULL, "auto", "solver",
      "full family: work with d coefficients (primal) or in the span of the rows (dual); auto: the "
      "smaller",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(form)}},
    {{"batch", "B", GBS_OPTION_COUNT, FIT_CV, NULL, FROM_1, "256", "solver",
      "`solver` sgd: rows in a step; `task` rank: half of them positive, all their pairs; with "
      "`schedule` paper: pairs drawn one by one",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(batch)}},
    {{"epochs", "E", GBS_OPTION_COUNT, FIT_CV, NULL, FROM_1, NULL, "solver",
      "`solver` sgd: passes over the rows (default: " TEXT(GBS_USUAL_EPOCHS)
      ", or as many as make " TEXT(GBS_USUAL_STEPS) " steps); `task` "
      "rank: at most so many, it stops earlier when the free energy has settled: within a "
      "thousandth of what it was at half as many steps, three times in a row",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(epochs)}},
    {{"schedule", "NAME", GBS_OPTION_CHOICE, FIT_CV, "modern|paper", NULL, "modern", "solver",
      "`solver` sgd: modern (Adam, falling steps, averaged) or the paper's steps (t+1)^-0.9, none "
      "of which changes a standard deviation by more than a factor of e",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(schedule)}},
    {{"restarts", "N", GBS_OPTION_COUNT, GBS_FOR_FIT, NULL, FROM_1, NULL, "solver",
      "instead of annealing, keep the best of N starts drawn from the prior",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(restarts)}},
    {{"restarts", "N", GBS_OPTION_COUNT, GBS_FOR_COMPLETE, NULL, FROM_1, "1", "solver",
      "starts, the first spectral, the others random, of which the one with the least free energy "
      "is kept",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(restarts)}},
    {{"tol", "T", GBS_OPTION_NUMBER, FIT_CV, NULL, POSITIVE, "1e-8", "solver",
      "stop when the optimality gap is below T times the free energy, or T where that is below 1; "
      "from the prior a first step is made whatever T is",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_FIT(tolerance)}},
    {{"tol", "T", GBS_OPTION_NUMBER, GBS_FOR_COMPLETE, NULL, POSITIVE,
      TEXT(GBS_PAPER_TOLERANCE), "solver",
      "stop when a sweep lowers the free energy by less than T times it. `model` hierarchical: by "
      "less than T nats for each rating, twice in a row (default there: "
      TEXT(GBS_LEAST_TOLERANCE) ", growing to " TEXT(GBS_MOST_TOLERANCE) " for "
      TEXT(GBS_MANY_RATINGS) " ratings)",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_COMPLETE(tolerance)}},
    {{"max-iter", "N", GBS_OPTION_COUNT, FIT_CV, NULL, FROM_1, "1000", "solver",
      "most iterations for one lambda",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_FIT(max_iterations)}},
    {{"max-iter", "N", GBS_OPTION_COUNT, GBS_FOR_COMPLETE, NULL, FROM_1, "500", "solver",
      "most sweeps",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(max_sweeps)}},
    {{"trace", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT, NULL, NULL, NULL, NULL,
      "`task` rank with `solver` sgd: the path begins with the steps (" TEXT(GBS_TRACED_STEPS)
      " of them at most, or as many as make " TEXT(GBS_TRACED_TERMS) " pairs), each with its "
      "exact risk and bound",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_FIT(trace)}},

    /* ---------------------------------------------------------------- sampling */
    {{"particles", "N", GBS_OPTION_COUNT, SAMPLE_GAP, NULL, WHOLE(LEAST_PARTICLES, MOST_PARTICLES),
      "2000", "solver", "particles, at least " TEXT(LEAST_PARTICLES),
      .low = LEAST_PARTICLES, .high = MOST_PARTICLES,
      .everyday = GBS_FOR_SAMPLE,
      .brief = "how many draws"},
     .store = GBS_STORE_SIZE, .at = {IN_SAMPLE(particles)}},
    {{"ess", "P", GBS_OPTION_NUMBER, SAMPLE_GAP, NULL, "a number between 0 and 1, such as 0.5",
      "0.5", "solver",
      "effective sample size after each step of lambda, as a share of the particles",
      INSIDE_UNIT},
     .store = GBS_STORE_DOUBLE, .at = {IN_SAMPLE(ess)}},
    {{"classic", NULL, GBS_OPTION_FLAG, SAMPLE_GAP, NULL, NULL, NULL, "solver",
      "the paper's algorithm: every particle makes `moves` random-walk moves at each lambda",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_SAMPLE(classic)}},
    {{"waste-free", NULL, GBS_OPTION_FLAG, SAMPLE_GAP, NULL, NULL, NULL, "solver",
      "few long chains, every state a particle (default)",
      ANY},
     .store = GBS_STORE_NONE},
    {{"chains", "M", GBS_OPTION_COUNT, SAMPLE_GAP, NULL, WHOLE(LEAST_CHAINS, MOST_COUNT),
      NULL, "solver",
      "waste-free: number of chains, at least " TEXT(LEAST_CHAINS)
      " (default: near the square root of the particles)",
      .low = LEAST_CHAINS, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_SAMPLE(chains)}},
    {{"moves", "K", GBS_OPTION_COUNT, SAMPLE_GAP, NULL, FROM_1, NULL, "solver",
      "classic: moves of a particle at each lambda (default " TEXT(GBS_USUAL_MOVES) "). "
      "waste-free: most moves between two particles of a chain (default " TEXT(GBS_USUAL_THINNING)
      "; as many are made as the chain needs to travel)",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_SAMPLE(moves)}},
    {{"move", "KIND", GBS_OPTION_CHOICE, SAMPLE_GAP, GBS_CHOICES(GBS_MOVES), NULL, "auto", "solver",
      "walk (random walk, covariance from the particles), ring (a draw from many states around a "
      "variational fit), auto (ring, with `classic` walk)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_SAMPLE(move)}},

    /* ---------------------------------------------------------------- completion */
    {{"model", "NAME", GBS_OPTION_CHOICE, GBS_FOR_COMPLETE | GBS_FOR_CV,
      GBS_CHOICES(GBS_COMPLETION_MODELS), NULL,
      "hierarchical", "model",
      "hierarchical (priors with a mean, a scale for each row, see `positions`), or paper "
      "(independent components, those that are not needed switched off; the default where `prior`, "
      "`noise`, `lambda`, `restarts` or `no-biases` is given; and, where none is, on a table of "
      "fewer than " TEXT(GBS_FEW_RATINGS) " ratings unless hierarchical does clearly better "
      "on ratings left out)",
      ANY,
      .everyday = GBS_FOR_COMPLETE,
      .brief = "hierarchical, or paper"},
     .store = GBS_STORE_INT, .at = {IN_COMPLETE(model)}},
    {{"positions", "USE", GBS_OPTION_CHOICE, GBS_FOR_COMPLETE | GBS_FOR_CV,
      GBS_CHOICES(GBS_POSITION_USES), NULL,
      "auto", "model",
      "`model` hierarchical: which cells are rated says something of rows and columns (on), or "
      "nothing (off); auto: whichever has the lower free energy or the lower error on ratings left "
      "out",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_COMPLETE(positions)}},
    {{"rank", "K", GBS_OPTION_COUNT, GBS_FOR_COMPLETE | GBS_FOR_CV, NULL,
      WHOLE(0, GBS_COMPLETION_MOST_RANK), TEXT(GBS_PLENTY), "model",
      "most components, up to " TEXT(GBS_COMPLETION_MOST_RANK) "; above "
      TEXT(GBS_PLENTY) " and on small tables fewer where ratings left out say so; `model` paper: "
      "those that the ratings do not need are switched off",
      .high = GBS_COMPLETION_MOST_RANK,
      .everyday = GBS_FOR_COMPLETE | GBS_FOR_CV,
      .brief = "number of components; cv compares a quarter to twice as many"},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(rank)}},
    {{"noise", "learn|V", GBS_OPTION_NUMBER, GBS_FOR_COMPLETE, NULL, "learn or a positive number",
      "learn", "model", "variance of the noise: learn, or a value",
      ABOVE_ZERO, .word = "learn",
      ANY},
     .store = GBS_STORE_DOUBLE, .at = {IN_COMPLETE(noise_variance)}},
    {{"no-biases", NULL, GBS_OPTION_FLAG, GBS_FOR_COMPLETE, NULL, NULL, NULL, "model",
      "no mean and no biases of rows and columns: the product of the factors alone, the paper's "
      "model",
      ANY},
     .store = GBS_STORE_NOT, .at = {IN_COMPLETE(biases)}},
    {{"range", "LO:HI", GBS_OPTION_RANGE, GBS_FOR_COMPLETE, NULL,
      "LO:HI with LO < HI, such as 1:5", NULL, "certificate",
      "every value lies in it, known in advance; predictions are clipped to it, and their error "
      "gets a certificate, for which a tenth of the ratings, drawn at random, is kept from the "
      "fit; of fewer than 10,000 ratings 1,000, but no more than a third (`model` paper: none is "
      "kept, and the certificate is about one draw)",
      ANY,
      .everyday = GBS_FOR_COMPLETE,
      .brief = "the values that a rating can have: gives a certificate"},
     .store = GBS_STORE_RANGE, .at = {IN_COMPLETE(has_range)}},
    {{"sampler", "NAME", GBS_OPTION_CHOICE, GBS_FOR_COMPLETE, GBS_CHOICES(GBS_SAMPLERS), NULL,
      "vb", "solver",
      "vb (mean-field approximation), gibbs (draws from the posterior itself, started from "
      "the vb fit)",
      ANY,
      .everyday = GBS_FOR_COMPLETE,
      .brief = "vb, or gibbs: sampling in place of mean field"},
     .store = GBS_STORE_INT, .at = {IN_COMPLETE(sampler)}},
    {{"draws", "N", GBS_OPTION_COUNT, GBS_FOR_COMPLETE, NULL, FROM_1, "200", "solver",
      "`sampler` gibbs: sweeps after the burn-in",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(draws)}},
    {{"burn-in", "M", GBS_OPTION_COUNT, GBS_FOR_COMPLETE, NULL,
      WHOLE(0, MOST_COUNT), "50", "solver",
      "`sampler` gibbs: sweeps before the first draw",
      .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(burn_in)}},
    {{"keep", "N", GBS_OPTION_COUNT, GBS_FOR_COMPLETE, NULL, FROM_1, "25", "solver",
      "`sampler` gibbs: draws kept in the model file, evenly spread; a test averages over all "
      "draws",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_COMPLETE(keep)}},

    /* ---------------------------------------------------------------- theory */
    {{"n", "N", GBS_OPTION_COUNT, GBS_FOR_THEORY, NULL, WHOLE(LEAST_ROWS, MOST_COUNT),
      "1000", "model", "number of rows, at least " TEXT(LEAST_ROWS),
      .low = LEAST_ROWS, .high = MOST_COUNT},
     .store = GBS_STORE_UINT64, .at = {IN_THEORY(n)}},
    {{"d", "D", GBS_OPTION_COUNT, GBS_FOR_THEORY, NULL, FROM_1, "10", "model",
      "number of coefficients",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_THEORY(d)}},
    {{"c", "C1", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, "1", "model",
      "constant of the smoothness assumption: P(<X,a><X,b> < 0) <= c |a - b| for unit a, b",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(c)}},
    {{"C", "C2", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, "1", "model",
      "constant of the margin assumption, at least 1",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(margin)}},
    {{"cx", "CX", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, "1", "model",
      "every row has length at most CX",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(cx)}},
    {{"norm", "B", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, "1", "model",
      "hinge: length of the best coefficients",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(norm)}},
    {{"wanted-error", "E", GBS_OPTION_NUMBER, GBS_FOR_THEORY, NULL, POSITIVE, "0.01", "model",
      "error that the optimiser may leave, for the number of its steps",
      ABOVE_ZERO},
     .store = GBS_STORE_DOUBLE, .at = {IN_THEORY(wanted_error)}},
    {{"rows", "N", GBS_OPTION_COUNT, GBS_FOR_THEORY, NULL, FROM_1, NULL, "model",
      "rows of the matrix to complete",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_THEORY(rows)}},
    {{"cols", "N", GBS_OPTION_COUNT, GBS_FOR_THEORY, NULL, FROM_1, NULL, "model",
      "columns of the matrix to complete",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_THEORY(cols)}},
    {{"rank", "K", GBS_OPTION_COUNT, GBS_FOR_THEORY, NULL, FROM_1, NULL, "model",
      "rank of the matrix to complete; with `rows` and `cols`",
      .low = 1.0, .high = MOST_COUNT},
     .store = GBS_STORE_SIZE, .at = {IN_THEORY(rank)}},

    /* ---------------------------------------------------------------- where it runs */
    {{"device", "DEVICE", GBS_OPTION_CHOICE, EVERY, GBS_CHOICES(GBS_DEVICES), NULL, "cpu", "output",
      "what passes over rows, pairs and ratings run on: cpu, or cuda, an NVIDIA GPU (double "
      "precision; numbers agree to some 1e-12)",
      ANY},
     .store = GBS_STORE_NONE},

    /* ---------------------------------------------------------------- the file */
    {{"target", "COL", GBS_OPTION_TEXT, LEARN, NULL, "the name or number of a column", NULL, "data",
      "column of the labels, by name or number from 1 (default: the column called y, else the "
      "last)",
      ANY,
      .everyday = LEARN,
      .brief = "column of the labels (default: y, else the last)"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(target)}},
    {{"positive", "LABEL", GBS_OPTION_TEXT, LEARN, NULL, "a label", NULL, "data",
      "label that counts as +1 (default: the larger of the two). With more than two labels, which "
      "are told apart without it: LABEL "
      "against the rest",
      ANY,
      .everyday = LEARN,
      .brief = "label that counts as +1; of many labels: this one against the rest"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(positive)}},
    {{"drop", "COLS", GBS_OPTION_TEXT, LEARN, NULL, "names or numbers of columns", NULL, "data",
      "columns to leave out, names or numbers, separated by commas",
      ANY,
      .everyday = LEARN,
      .brief = "columns to leave out, separated by commas"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(drop)}},
    {{"text", "COLS", GBS_OPTION_TEXT, LEARN, NULL, "names or numbers of columns", NULL, "data",
      "columns to read as categories even where they look like numbers, separated by commas",
      ANY,
      .everyday = LEARN,
      .brief = "columns of numbers that are categories"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(text)}},
    {{"keep", "COLS", GBS_OPTION_TEXT, GBS_FOR_PREDICT, NULL, "names or numbers of columns", NULL,
      "output",
      "columns of DATA to copy, as they stand, before the predictions: names or numbers, separated "
      "by commas. Not for completions",
      ANY},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(keep)}},
    {{"weights", "COL", GBS_OPTION_TEXT, FIT_CV, NULL, "the name or number of a column",
      NULL, "data",
      "column that says how much each row counts in training, numbers from 0; it is no feature. "
      "Certificates and errors count every row once, but for the one that `max-weight` asks for. "
      "`task` classify",
      ANY,
      .everyday = FIT_CV,
      .brief = "column that says how much a row counts in training"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(weights)}},
    {{"group", "COL", GBS_OPTION_TEXT, FIT_CV, NULL, "the name or number of a column", NULL, "data",
      "column that says which rows belong together (a patient, a site); it is no feature. They "
      "stay together in the split and in folds, and the certificate is about the mean over groups "
      "of the share of wrong rows; `bound` vote",
      ANY,
      .everyday = FIT_CV,
      .brief = "rows with the same value here stay together"},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(group)}},
    {{"missing", "WHAT", GBS_OPTION_CHOICE, READ, "error|drop|impute", NULL, "error", "data",
      "rows with empty, NA or NaN cells: error; drop (predict leaves their cells empty); or impute "
      "the median or most frequent level of the first part, and mark where. A model fitted so "
      "imputes unless told not to",
      ANY,
      .everyday = LEARN,
      .brief = "cells that are empty, NA or NaN: error, drop the row, or impute"},
     .store = GBS_STORE_INT, .at = {IN_TABLE(missing)}},
    {{"na-values", "LIST", GBS_OPTION_TEXT, READ, NULL, "texts or numbers", NULL, "data",
      "cells that are missing values, separated by commas, besides empty ones, NA and NaN; in "
      "columns of numbers ?, -, ., n/a, null, none are, too. A model remembers them",
      ANY},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(na_values)}},
    {{"sep", "C", GBS_OPTION_TEXT, READ, NULL, "one character, tab or space", NULL, "data",
      "what separates the cells of a CSV file: a character, tab or space (default: a comma, tab, "
      "semicolon or bar, by a look at the first line)",
      ANY},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(separator)}},
    {{"decimal", "C", GBS_OPTION_CHOICE, READ | GBS_FOR_COMPLETE, ".|,", NULL, ".", "data",
      "the decimal sign in CSV files: point or comma; models keep it",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_TABLE(decimal)}},
    {{"cache", "DIR", GBS_OPTION_TEXT, GBS_FOR_FIT, NULL, "a folder", NULL, "data",
      "work on the rows of the file in files in DIR instead of in memory, and keep a binary "
      "cache of it there for the next run; the same numbers come out (default: in memory, or "
      "beside the file where its rows would take more than half of the memory that is left)",
      ANY},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(cache)}},
    {{"cache", "DIR", GBS_OPTION_TEXT, GBS_FOR_COMPLETE, NULL, "a folder", NULL, "data",
      "keep what is as long as the ratings of the file in files in DIR instead of in memory; "
      "nothing stays there; the same numbers come out (default: in memory)",
      ANY},
     .store = GBS_STORE_TEXT, .at = {IN_TABLE(cache)}},
    {{"no-cache", NULL, GBS_OPTION_FLAG, GBS_FOR_FIT, NULL, NULL, NULL, "data",
      "keep no cache of the file, and remove what earlier runs left of files of this name",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_TABLE(no_cache)}},
    {{"header", NULL, GBS_OPTION_FLAG, READ, NULL, NULL, NULL, "data",
      "the first line of the CSV file is a header (default: detected)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_TABLE(header)}},
    {{"no-header", NULL, GBS_OPTION_FLAG, READ | GBS_FOR_COMPLETE, NULL, NULL, NULL, "data",
      "the first line of the CSV file is data (default: detected)",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_TABLE(no_header)}},
    {{"format", "FORMAT", GBS_OPTION_CHOICE, READ, "auto|csv|svmlight|npy", NULL, "auto", "data",
      "csv, svmlight or npy; auto: by the file's name, else by its first bytes. gzip is "
      "detected",
      ANY},
     .store = GBS_STORE_INT, .at = {IN_TABLE(format)}},
};
/* clang-format on */

const size_t gbs_option_entries_size = sizeof gbs_option_entries / sizeof *gbs_option_entries;

int gbs_option_kept(const gbs_option_entry *e, int choice) {
    int last = 0;
    for (const char *p = e->line.choices; *p != '\0'; p++)
        last += *p == '|';
    return e->last != 0 && choice == last ? e->last : choice;
}

unsigned gbs_command_bit(const char *command) {
    static const struct {
        const char *name;
        unsigned bit;
    } commands[] = {{"fit", GBS_FOR_FIT},           {"cv", GBS_FOR_CV},
                    {"sample", GBS_FOR_SAMPLE},     {"gap", GBS_FOR_GAP},
                    {"complete", GBS_FOR_COMPLETE}, {"theory", GBS_FOR_THEORY},
                    {"predict", GBS_FOR_PREDICT},   {"evaluate", GBS_FOR_EVALUATE}};
    for (size_t k = 0; command != NULL && k < sizeof commands / sizeof *commands; k++)
        if (strcmp(commands[k].name, command) == 0)
            return commands[k].bit;
    return 0;
}
