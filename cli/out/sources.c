/* Where the methods behind an answer come from. The names are those of docs/references.bib, which
 * tools/references.py compares; a line of an answer names each of them once. */
#include "out/sources.h"
#include "out/lines.h"
#include "out/result.h"

#include <stdint.h>

enum source {
    AMARI,
    AMBROLADZE,
    BLUM,
    CATONI,
    CLOPPER,
    DAU,
    DEL_MORAL,
    DELONG,
    HALKO,
    HASTIE,
    HOEFFDING,
    KINGMA,
    LIM,
    MAURER,
    NEAL,
    NOCEDAL,
    OPPER,
    PAPER,
    PLATT,
    RAHIMI,
    RIDGWAY,
    SALAKHUTDINOV,
    SEEGER,
    WAUDBY_SMITH,
    WILLIAMS,
    SOURCES
};

/* Key of the entry, and what it is called. */
static const struct {
    const char *key, *name;
} entries[SOURCES] = {
    [AMARI] = {"amari-1998", "Amari 1998"},
    [AMBROLADZE] = {"ambroladze-parrado-hernandez-and-shawe-taylor-2007",
                    "Ambroladze, Parrado-Hernandez and Shawe-Taylor 2007"},
    [BLUM] = {"blum-kalai-and-langford-1999", "Blum, Kalai and Langford 1999"},
    [CATONI] = {"catoni-2007", "Catoni 2007"},
    [CLOPPER] = {"clopper-and-pearson-1934", "Clopper and Pearson 1934"},
    [DAU] = {"dau-and-chopin-2022", "Dau and Chopin 2022"},
    [DEL_MORAL] = {"del-moral-doucet-and-jasra-2006", "Del Moral, Doucet and Jasra 2006"},
    [DELONG] = {"delong-delong-and-clarke-pearson-1988", "DeLong, DeLong and Clarke-Pearson 1988"},
    [HALKO] = {"halko-martinsson-and-tropp-2011", "Halko, Martinsson and Tropp 2011"},
    [HASTIE] = {"hastie-and-tibshirani-1998", "Hastie and Tibshirani 1998"},
    [HOEFFDING] = {"hoeffding-1963", "Hoeffding 1963"},
    [KINGMA] = {"kingma-and-ba-2015", "Kingma and Ba 2015"},
    [LIM] = {"lim-and-teh-2007", "Lim and Teh 2007"},
    [MAURER] = {"maurer-2004", "Maurer 2004"},
    [NEAL] = {"neal-1996", "Neal 1996"},
    [NOCEDAL] = {"nocedal-1980", "Nocedal 1980"},
    [OPPER] = {"opper-and-archambeau-2009", "Opper and Archambeau 2009"},
    [PAPER] = {"alquier-ridgway-and-chopin-2016", "Alquier, Ridgway and Chopin 2016"},
    [PLATT] = {"platt-1999", "Platt 1999"},
    [RAHIMI] = {"rahimi-and-recht-2007", "Rahimi and Recht 2007"},
    [RIDGWAY] = {"ridgway-et-al-2014", "Ridgway et al. 2014"},
    [SALAKHUTDINOV] = {"salakhutdinov-and-mnih-2008", "Salakhutdinov and Mnih 2008"},
    [SEEGER] = {"seeger-2002", "Seeger 2002"},
    [WAUDBY_SMITH] = {"waudby-smith-and-ramdas-2024", "Waudby-Smith and Ramdas 2024"},
    [WILLIAMS] = {"williams-and-seeger-2001", "Williams and Seeger 2001"},
};

/* A line that grows: what for, and whose. */
struct list {
    struct text words;
    uint64_t told; /* bit of each source */
};

static void tell(struct list *l, const char *what, enum source source) {
    if ((l->told >> source & 1U) != 0)
        return;
    l->told |= (uint64_t)1 << source;
    text_add(&l->words, "%s%s %s", l->words.size > 0 ? "; " : "", what, entries[source].name);
}

static void finish(struct list *l, struct text *t) {
    if (l->words.size > 0)
        line_add(t, LINE_LONG, "sources", "%s (docs/references.bib)", l->words.bytes);
    t->failed |= l->words.failed;
    text_free(&l->words);
}

static void tell_bound(struct list *l, gbs_bound method) {
    switch (method) {
    case GBS_BOUND_KL:
        tell(l, "kl bound:", SEEGER);
        tell(l, "its constant:", MAURER);
        break;
    case GBS_BOUND_CATONI:
        tell(l, "catoni bound:", CATONI);
        break;
    case GBS_BOUND_HOEFFDING:
        tell(l, "hoeffding bound:", HOEFFDING);
        break;
    case GBS_BOUND_PROGRESSIVE:
        tell(l, "progressive validation:", BLUM);
        tell(l, "its counts:", CLOPPER);
        break;
    case GBS_BOUND_BINOMIAL:
        tell(l, "binomial bound:", CLOPPER);
        break;
    case GBS_BOUND_BETTING:
        tell(l, "betting:", WAUDBY_SMITH);
        break;
    default: /* the paper's, or made of the others */
        break;
    }
}

static void tell_solver(struct list *l, gbs_solver solver) {
    if (solver == GBS_SOLVER_NATURAL) {
        tell(l, "natural gradient:", AMARI);
        tell(l, "of a Gaussian:", OPPER);
    } else if (solver == GBS_SOLVER_LBFGS) {
        tell(l, "L-BFGS:", NOCEDAL);
    } else if (solver == GBS_SOLVER_SGD) {
        tell(l, "stochastic steps:", KINGMA);
    }
}

void sources_model(struct text *t, const gbs_model *model) {
    struct list l = {0};
    const gbs_model_info *i = gbs_model_get_info(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    const gbs_certificate *c;
    bool calibrated = gbs_model_card(model) != NULL || many != NULL,
         labels = gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS) != 0;
    tell(&l, "Gibbs posteriors:", PAPER);
    for (size_t k = 0; (c = gbs_model_certificate(model, k)) != NULL; k++)
        tell_bound(&l, c->method);
    if (!labels)
        tell(&l, "over pairs:", RIDGWAY);
    if (i->prior == GBS_PRIOR_INFORMED && !calibrated)
        tell(&l, "informed prior:", AMBROLADZE);
    if (i->columns == GBS_COLUMNS_RELEVANCE)
        tell(&l, "relevance of columns, after:", NEAL);
    if (i->map == GBS_FEATURES_FOURIER)
        tell(&l, "random Fourier features:", RAHIMI);
    if (i->map == GBS_FEATURES_NYSTROM)
        tell(&l, "Nystrom's features:", WILLIAMS);
    if (calibrated && labels)
        tell(&l, "calibration:", PLATT);
    if (many != NULL && many->scheme == GBS_SCHEME_PAIRS)
        tell(&l, "each class against each:", HASTIE);
    tell_solver(&l, i->solver);
    finish(&l, t);
}

void sources_evaluation(struct text *t, const gbs_evaluation *e) {
    struct list l = {0};
    if (result_has_labels(e))
        tell(&l, "bounds from counts:", CLOPPER);
    else if (e->auc_se >= 0.0)
        tell(&l, "standard error of the AUC:", DELONG);
    finish(&l, t);
}

void sources_sampling(struct text *t, const gbs_particles *particles) {
    struct list l = {0};
    tell(&l, "Gibbs posteriors:", PAPER);
    tell(&l, "sampling by temperatures:", DEL_MORAL);
    if (!gbs_particles_get_info(particles)->classic)
        tell(&l, "waste-free, and its standard errors:", DAU);
    finish(&l, t);
}

void sources_completion(struct text *t, const gbs_completion *model) {
    struct list l = {0};
    const gbs_completion_info *i = gbs_completion_get_info(model);
    const gbs_rating_certificate *c = gbs_completion_certificate(model);
    bool paper = gbs_completion_get_model(model) == GBS_COMPLETION_PAPER;
    if (paper) {
        tell(&l, "model:", PAPER);
        tell(&l, "components switched off, after:", NEAL);
    }
    if (i->sampler == GBS_SAMPLER_GIBBS || !paper)
        tell(&l, i->sampler == GBS_SAMPLER_GIBBS ? "sampler:" : "hierarchical prior, after:",
             SALAKHUTDINOV);
    if (i->sampler != GBS_SAMPLER_GIBBS)
        tell(&l, "factorised posterior:", LIM);
    tell(&l, "start:", HALKO);
    if (c->present)
        tell_bound(&l, c->draws == 0 ? GBS_BOUND_BETTING : GBS_BOUND_KL);
    finish(&l, t);
}
