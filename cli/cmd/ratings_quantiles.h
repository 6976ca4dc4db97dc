/* predict --quantiles and --top-quantile of completions. */
#ifndef GIBBSITE_CLI_RATINGS_QUANTILES_H
#define GIBBSITE_CLI_RATINGS_QUANTILES_H

#include "app.h"
#include "out/json.h"

enum { MOST_QUANTILES = 20 };

struct quantiles {
    size_t n;
    double z[MOST_QUANTILES];      /* standard deviations from the mean */
    char name[MOST_QUANTILES][24]; /* q0.05: the column */
    double low, high;              /* the range of the model */
};

/* None without --quantiles. */
int quantiles_read(const struct app *app, const gbs_completion *model, struct quantiles *q);
/* z standard deviations above a prediction of this value, noise included, clipped. */
double quantile_at(const struct quantiles *q, double z, double value, double sd, double noise);
/* z of --top-quantile; 0, the mean, without it. */
double quantiles_top(const struct app *app);

/* Columns of a CSV head, of one line, members of one JSON object. */
void quantiles_head(const struct quantiles *q, struct text *out);
void quantiles_csv(const struct quantiles *q, double value, double sd, double noise,
                   struct text *out);
void quantiles_json(const struct quantiles *q, double value, double sd, double noise,
                    struct json *j);

#endif
