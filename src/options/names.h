/* Names of choices, each written once: the option table joins them with bars, the name functions
 * list them in the order of their enums. F is the first of a list, N each one after it. */
#ifndef GIBBSITE_OPTIONS_NAMES_H
#define GIBBSITE_OPTIONS_NAMES_H

#define GBS_TASKS(F, N) F("classify") N("rank")
#define GBS_LOSSES(F, N) F("zero-one") N("hinge") N("exponential") N("probit")
#define GBS_FIT_LOSSES(F, N) GBS_LOSSES(F, N) N("auto")
#define GBS_SCHEMES(F, N) F("two") N("rest") N("pairs") N("softmax")
#define GBS_FAMILIES(F, N) F("auto") N("fixed") N("isotropic") N("diagonal") N("full")
#define GBS_SOLVERS(F, N) F("auto") N("lbfgs") N("natural") N("sgd")
#define GBS_SCALES(F, N) F("none") N("standard") N("unit-row")
#define GBS_COLUMN_KINDS(F, N) F("auto") N("equal") N("relevance")
#define GBS_FEATURE_KINDS(F, N) F("linear") N("fourier") N("nystrom") N("auto")
#define GBS_PRIORS(F, N) F("zero") N("informed")
/* Those that may be asked for; the enum has binomial and betting behind them. */
#define GBS_BOUNDS(F, N)                                                                           \
    F("auto") N("kl") N("catoni") N("hoeffding") N("paper") N("progressive") N("vote")
#define GBS_MOVES(F, N) F("auto") N("walk") N("ring")
#define GBS_COMPLETION_MODELS(F, N) F("hierarchical") N("paper")
#define GBS_POSITION_USES(F, N) F("auto") N("on") N("off")
#define GBS_SAMPLERS(F, N) F("vb") N("gibbs")
#define GBS_DEVICES(F, N) F("cpu") N("cuda")

#define GBS_PLAIN(name) name
#define GBS_BARRED(name) "|" name
/* "a|b|c" */
#define GBS_CHOICES(LIST) LIST(GBS_PLAIN, GBS_BARRED)

#endif
