/* predict --quantiles of completions. */
#ifndef GIBBSITE_CLI_RATINGS_QUANTILES_H
#define GIBBSITE_CLI_RATINGS_QUANTILES_H

#include "app.h"
#include "out/json.h"

enum { MOST_QUANTILES = 20 };

struct quantiles {
    size_t n;
    double level[MOST_QUANTILES];
    char name[MOST_QUANTILES][24]; /* q0.05: the column */
    double *value;                 /* n for each cell */
};

/* None without --quantiles. */
int quantiles_read(const struct app *app, struct quantiles *q);
/* Those of the cells. */
int quantiles_of(const struct app *app, const gbs_completion *model, size_t cells,
                 const uint32_t *row, const uint32_t *column, struct quantiles *q);
void quantiles_free(struct quantiles *q);

/* Columns of a CSV head, of the line of a cell, members of one JSON object. */
void quantiles_head(const struct quantiles *q, struct text *out);
void quantiles_csv(const struct quantiles *q, size_t cell, struct text *out);
void quantiles_json(const struct quantiles *q, size_t cell, struct json *j);

#endif
