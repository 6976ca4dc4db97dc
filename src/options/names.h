/* Names of choices, each written once: the option table joins them with bars, the name functions
 * list them in the order of their enums. F is the first of a list, N each one after it. A new one
 * comes at the end: what does not belong to the list has a number of its own, from GBS_AWAY on. */
#ifndef GIBBSITE_OPTIONS_NAMES_H
#define GIBBSITE_OPTIONS_NAMES_H

enum { GBS_AWAY = 100 };

#define GBS_TASKS(F, N) F("classify") N("rank")
#define GBS_LOSSES(F, N) F("zero-one") N("hinge") N("exponential") N("probit")
/* To be asked for behind a list: the line of the option table says with which number. */
#define GBS_OR_AUTO "|auto"
#define GBS_SCHEMES(F, N) F("two") N("rest") N("pairs") N("softmax")
#define GBS_GAUSSIANS(F, N) F("fixed") N("isotropic") N("diagonal") N("full")
#define GBS_FAMILIES(F, N) F("auto") GBS_GAUSSIANS(N, N)
#define GBS_SOLVERS(F, N) F("auto") N("lbfgs") N("natural") N("sgd")
#define GBS_SCALES(F, N) F("none") N("standard") N("unit-row")
#define GBS_COLUMN_KINDS(F, N) F("auto") N("equal") N("relevance")
/* S: those that take a number of columns, too */
#define GBS_FEATURE_KINDS(F, N, S) F("linear") S("fourier") S("nystrom")
#define GBS_PRIORS(F, N) F("zero") N("informed")
/* Those that may be asked for. */
#define GBS_BOUNDS(F, N)                                                                           \
    F("auto") N("kl") N("catoni") N("hoeffding") N("paper") N("progressive") N("vote")
#define GBS_MOVES(F, N) F("auto") N("walk") N("ring")
#define GBS_COMPLETION_MODELS(F, N) F("hierarchical") N("paper")
#define GBS_POSITION_USES(F, N) F("auto") N("on") N("off")
#define GBS_SAMPLERS(F, N) F("vb") N("gibbs")
#define GBS_DEVICES(F, N) F("cpu") N("cuda")

#define GBS_PLAIN(name) name
#define GBS_BARRED(name) "|" name
#define GBS_BARRED_SIZED(name) "|" name "[:D]"
#define GBS_FOLLOWED(name) ", " name
/* "a, b, c", for sentences */
#define GBS_LISTED(LIST) LIST(GBS_PLAIN, GBS_FOLLOWED)
/* "a|b|c" */
#define GBS_CHOICES(LIST) LIST(GBS_PLAIN, GBS_BARRED)
#define GBS_SIZED_CHOICES(LIST) LIST(GBS_PLAIN, GBS_BARRED, GBS_BARRED_SIZED)

#endif
