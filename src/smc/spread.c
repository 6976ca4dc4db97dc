/* Standard errors from a single run (docs/maths.md, 7.6).
 *
 * Waste-free: given the past the M chains of a temperature are independent, and long enough to
 * forget where they began; so the mean over all states has the squared error
 *
 *   sum_m (share_m)^2 (mean_m - mean)^2 x M/(M-1),
 *
 * and the errors of log Z add up over the temperatures. Dau, Chopin: Waste-free sequential Monte
 * Carlo (2022), section 4
 *
 * That is so when chains forget within a temperature. Where they do not, an error lives on in the
 * descendants of the chains that made it, and errors of different temperatures add up before they
 * are squared. So the parts of the chains in the error of log Z are added up by families, the
 * descendants of one chain of the beginning (classic: of one particle):
 *
 *   F_g = sum over the temperatures and the members c of family g of  (share_c)(mean weight_c - 1)
 *   squared error of log Z ~ sum_g F_g^2
 *
 * It is never taken below the sum of squares over all chains and temperatures. When few families
 * are left, what they have is squared and put aside, and every chain begins a family of its own:
 * only errors older than that are not followed any more. The families' number, as the inverse of
 * the sum of their squared shares q, also gives the factor 1/(1 - sum q^2) for means that are taken
 * over few. Chan, Lai (2013); Lee, Whiteley: Variance estimation in the particle filter (2018);
 * Olsson, Douc (2019): ancestors of a fixed lag
 */
#include "smc/smc.h"

#include <math.h>
#include <string.h>

double gbs_chain_variance(size_t n, size_t chains, const double *x) {
    double all = 0.0, sum = 0.0;
    if (chains < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    all /= (double)n;
    for (size_t c = 0; c < chains; c++) {
        size_t from = gbs_chain_offset(n, chains, c), to = gbs_chain_offset(n, chains, c + 1);
        double excess = 0.0;
        for (size_t i = from; i < to; i++)
            excess += x[i] - all;
        sum += excess * excess;
    }
    return sum / ((double)n * (double)n) * ((double)chains / (double)(chains - 1));
}

/* ---------------------------------------------------------------- families */

/* With fewer of them, by the inverse of the sum of squared shares, every chain begins anew. */
#define FEWEST_FAMILIES 8.0

/* The reported error is a lower bound when there are fewer chains than that; when errors live on
 * although chains are meant to forget, or although families had to begin anew; or when Z is off by
 * so much that its logarithm is no longer its relative error. */
#define LIVES_ON 2.0
#define FAR_OFF 0.25

gbs_status gbs_families_create(gbs_context *ctx, size_t n, gbs_families *out) {
    *out = (gbs_families){.n = n};
    out->of = gbs_array_alloc(ctx, n, sizeof *out->of);
    out->next = gbs_array_alloc(ctx, n, sizeof *out->next);
    out->sum = gbs_doubles(ctx, n);
    out->share = gbs_doubles(ctx, n);
    if (out->of == NULL || out->next == NULL || out->sum == NULL || out->share == NULL) {
        gbs_families_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    for (size_t c = 0; c < n; c++)
        out->of[c] = c;
    return GBS_OK;
}

void gbs_families_free(const gbs_context *ctx, gbs_families *f) {
    gbs_array_free(ctx, f->of);
    gbs_array_free(ctx, f->next);
    gbs_array_free(ctx, f->sum);
    gbs_array_free(ctx, f->share);
    *f = (gbs_families){0};
}

static double put_aside(const gbs_families *f) {
    double sum = f->aside;
    for (size_t g = 0; g < f->n; g++)
        sum += f->sum[g] * f->sum[g];
    return sum;
}

/* Sum of the squared shares of the families. */
static double concentration(gbs_families *f, size_t chains) {
    double sum = 0.0;
    memset(f->share, 0, f->n * sizeof *f->share);
    for (size_t c = 0; c < chains; c++)
        f->share[f->of[c]] += 1.0 / (double)chains;
    for (size_t g = 0; g < f->n; g++)
        sum += f->share[g] * f->share[g];
    return sum;
}

void gbs_families_weigh(gbs_families *f, size_t chains, const double *weight) {
    double squares = concentration(f, chains), n = (double)f->n;
    if (squares * FEWEST_FAMILIES > 1.0 && (double)chains > FEWEST_FAMILIES) {
        f->aside = put_aside(f);
        f->renewed = true;
        memset(f->sum, 0, f->n * sizeof *f->sum);
        for (size_t c = 0; c < chains; c++)
            f->of[c] = c;
        squares = 1.0 / (double)chains;
    }
    double factor = squares < 1.0 ? 1.0 / sqrt(1.0 - squares) : 1.0;
    for (size_t c = 0; c < chains; c++) {
        double excess = 0.0;
        for (size_t i = gbs_chain_offset(f->n, chains, c);
             i < gbs_chain_offset(f->n, chains, c + 1); i++)
            excess += weight[i] - 1.0;
        f->sum[f->of[c]] += factor * excess / n;
    }
    f->independent += gbs_chain_variance(f->n, chains, weight);
    f->long_chains = chains < f->n;
    f->few = (double)chains < FEWEST_FAMILIES;
}

void gbs_families_follow(gbs_families *f, size_t chains, size_t count, const size_t *ancestor) {
    size_t length = f->n / chains, longer = f->n % chains, first = longer * (length + 1);
    for (size_t c = 0; c < count; c++) {
        size_t i = ancestor[c],
               chain = i < first ? i / (length + 1) : longer + (i - first) / length;
        f->next[c] = f->of[chain];
    }
    size_t *t = f->of;
    f->of = f->next;
    f->next = t;
}

double gbs_families_variance(const gbs_families *f, bool *at_least) {
    double followed = put_aside(f);
    *at_least = f->few || followed > FAR_OFF ||
                ((f->renewed || f->long_chains) && followed > LIVES_ON * f->independent);
    return fmax(f->independent, followed);
}

double gbs_family_spread(size_t n, const size_t *eve, const double *x, double *scratch) {
    double mean = 0.0, sum = 0.0;
    memset(scratch, 0, n * sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        scratch[eve[i]] += x[i] - mean;
    for (size_t e = 0; e < n; e++)
        sum += scratch[e] * scratch[e];
    return sum / ((double)n * (double)n);
}
