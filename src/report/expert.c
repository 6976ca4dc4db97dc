/* The certificate in a statistician's words: what is random, what is fixed, which tail is computed,
 * and whose theorem it is. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

#define SAY(...) gbs_html_print(t, __VA_ARGS__)

static void binomial(struct text *t, const json_t *c, const char *delta) {
    double n = gbs_run_number(c, "blocks"), errors = round(n * gbs_run_number(c, "empirical"));
    char rows[NUMBER_TEXT], count[NUMBER_TEXT];
    SAY("Given the rows to learn from, the predictor f is fixed, with all that was chosen and "
        "calibrated; its errors on the %s rows of the last block are Binomial(%s, R(f)). The bound "
        "is the upper limit of Clopper and Pearson (1934): the largest p for which at most %s "
        "errors have probability at least %s. It holds given the rows to learn from, and so "
        "without the condition. ",
        gbs_number_text(n, rows), rows, gbs_number_text(errors, count), delta);
}

static void betting(struct text *t, const json_t *c) {
    char rows[NUMBER_TEXT];
    SAY("The losses of %s fresh units lie in [0, 1]; a wealth that bets against a mean of m is a "
        "martingale where m is the true mean, and by Ville's inequality (1939) seldom grows large. "
        "The bound is the largest m that the bets of Waudby-Smith and Ramdas (2024) do not "
        "refute. ",
        gbs_number_text(gbs_run_number(c, "blocks"), rows));
}

static void posterior(struct text *t, const json_t *c) {
    char kl[NUMBER_TEXT], rows[NUMBER_TEXT];
    gbs_number_text(gbs_run_number(c, "kl"), kl);
    gbs_number_text(gbs_run_number(c, "blocks"), rows);
    if (gbs_run_is(c, "method", "kl"))
        SAY("A PAC-Bayesian bound (Seeger 2002, with the constant of Maurer 2004): with the stated "
            "probability over %s independent units, kl(r, R) is at most (KL + log xi(n) + "
            "log(1/delta))/n for every posterior at once; here KL = %s nats. ",
            rows, kl);
    else if (gbs_run_is(c, "method", "catoni"))
        SAY("Catoni's bound (2007) at a lambda fixed before the %s certified units were seen; here "
            "KL = %s nats. ",
            rows, kl);
    else if (gbs_run_is(c, "method", "progressive"))
        SAY("Progressive validation (Blum, Kalai and Langford 1999): stage t is a function of "
            "earlier rows alone, so that its errors on its own block of %s rows in all are "
            "binomial given the past; their tails are combined over the stages. ",
            rows);
    else
        SAY("A PAC-Bayesian bound of Hoeffding's kind at a lambda fixed in advance, on %s units; "
            "here KL = %s nats. ",
            rows, kl);
}

void gbs_words_expert(struct text *t, const json_t *c) {
    char delta[NUMBER_TEXT];
    gbs_number_text(round(1e9 * (1.0 - gbs_run_number(c, "confidence"))) / 1e9, delta);
    gbs_text_add(t, "<details class=\"numbers expert\"><summary>For a statistician</summary>\n<p>");
    if (gbs_run_is(c, "method", "binomial"))
        binomial(t, c, delta);
    else if (gbs_run_is(c, "method", "betting"))
        betting(t, c);
    else
        posterior(t, c);
    SAY("One-sided, of finite samples, delta = %s; no asymptotics, and no model of how labels come "
        "about beyond what is assumed beside.",
        delta);
    gbs_text_add(t, "</p></details>\n");
}
