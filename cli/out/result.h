/* Results that several commands print: JSON pieces and tables for people. */
#ifndef GIBBSITE_CLI_RESULT_H
#define GIBBSITE_CLI_RESULT_H

#include "app.h"
#include "out/curves.h"
#include "out/json.h"
#include "out/lines.h"

/* The label of a class, +1 or -1, of more than two one more than its number; the same in at most
 * `most` columns. */
void result_class(const gbs_recipe *recipe, int class, struct text *out);
const char *result_class_short(const gbs_recipe *recipe, int class, size_t most,
                               char out[static LINE_NAME]);

/* The name of a model's task; was an evaluation of labels, or of scores alone? */
const char *result_task(const gbs_model *model);
bool result_has_labels(const gbs_evaluation *e);

/* "gibbsite": version, "command": name */
void result_head(struct json *j, const struct app *app);
/* Members that the library tells of a model, of an object that is the outermost value: parts are
 * bits of gbs_describe. EXIT_DONE, or an exit code already reported. */
int result_describe(struct json *j, const struct app *app, const gbs_model *model, unsigned parts);
/* The members of an object that the library told, which goes back to it. */
int result_members(struct json *j, const struct app *app, gbs_status status, char *members);

/* Always saying the most frequent label: what it errs on the rows that tested the model or, of a
 * model without such, on the rows at hand. rows 0: there is none. */
struct baseline {
    size_t rows;
    int label; /* of a class, as above */
    double error;
};
/* data NULL: none are at hand. */
struct baseline baseline_of(const gbs_model *model, const gbs_data *data);
/* What the labels are held against: always the same one, the most frequent, or with costs the one
 * that costs least on the rows that tested. */
struct guess {
    const gbs_certificate *certificate; /* the one to compare; NULL: there is nothing to compare */
    bool cost;                          /* by the mean cost, else by the error */
    int label;
    double value;
};
struct guess guess_of(const gbs_model *model, const struct baseline *b);
/* The certificate is no better. */
bool guess_is_as_good(const struct guess *g);
/* "baseline" of the rows at hand; the library tells that of a card. */
void result_baseline(struct json *j, const gbs_recipe *recipe, const struct baseline *b);
void result_baseline_text(struct text *t, enum line_kind kind, const gbs_model *model,
                          const gbs_recipe *recipe, const struct baseline *b);

/* A share of rows, and what its true value is at least (docs/maths.md, 11.7). */
struct rate {
    double seen, lower; /* seen: NaN where nothing was counted */
};
/* What the labels are worth to one class. */
struct rates {
    struct rate precision, recall, f1;
};
/* rows: of the class; said: given its label; hits: both. */
struct rates result_rates(size_t hits, size_t said, size_t rows, double confidence);
/* Seen, and in brackets what is true at least: the head of a table, and a line's three cells. */
extern const char result_rates_head[];
void result_rates_text(struct text *t, const struct rates *r);

/* Three classes or more (result_classes.c): is it so; the labels, or two of them, as words; an
 * evaluation. */
bool result_is_many(const gbs_recipe *recipe);
void result_labels_text(struct text *words, const gbs_recipe *recipe, size_t most);
void result_classes(struct json *j, const gbs_evaluation *e, double confidence,
                    const gbs_model *model, const gbs_recipe *recipe);
void result_classes_text(struct text *t, enum line_kind kind, const gbs_evaluation *e,
                         double confidence, const gbs_model *model, const gbs_recipe *recipe);
/* It was tested on a last block. */
bool result_is_tested(const gbs_model *model);

/* Whose risk a certificate bounds, in a few words; calibrated: the model was tested on a last
 * block. Some of the words are put together in `name`. */
const char *result_certified(const gbs_certificate *c, bool calibrated, const gbs_recipe *recipe,
                             char name[static LINE_NAME]);
/* The first certificate in one sentence. */
void result_sentence(struct text *words, const gbs_model *model);
void result_certificates_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe,
                              const struct baseline *baseline);
/* On standard error: the certificate is conditional, or says nothing; the model says one label. */
void result_warnings(const struct app *app, const gbs_model *model, const gbs_recipe *recipe,
                     const struct baseline *b);

/* Its certificates take groups of rows, not rows, for independent: bounds of an evaluation, which
 * are for independent rows, are left out (NaN). The note on standard error says so. */
bool result_in_groups(const gbs_model *model);
void result_groups_note(const struct app *app, const gbs_model *model);
/* The binomial bound is at --confidence. roc may be NULL, and model where there is
 * none (particles). */
void result_evaluation(struct json *j, const struct app *app, const gbs_evaluation *e,
                       const struct roc *roc, const gbs_model *model, const gbs_recipe *recipe);
void result_evaluation_text(struct text *t, enum line_kind kind, const struct app *app,
                            const gbs_evaluation *e, const gbs_model *model,
                            const gbs_recipe *recipe);
void result_model_text(struct text *t, const gbs_model *model);
/* "options": the files, the options given, the seed. */
void result_options(struct json *j, const struct app *app);
/* "coefficients" of the scaled columns and, where the score is linear, per unit of the columns as
 * they came (result_coefficients.c): the forty that are best told from zero. */
int result_coefficients(struct json *j, const struct app *app, const gbs_model *model,
                        const gbs_recipe *recipe);
/* The largest, as a table. */
struct coefficients {
    const gbs_model *model; /* NULL: of particles */
    const gbs_recipe *recipe;
    size_t d;
    const double *mean, *sd;
    size_t (*column)(const void *of, size_t k); /* of the data, behind coefficient k */
    const void *of;
};
int result_coefficients_text(struct text *t, const struct app *app,
                             const struct coefficients *shown);

/* How much each column matters, "importance" (result_importance.c): a line or a table, and JSON;
 * nothing of NULL. */
void result_importance_text(struct text *t, enum line_kind kind, const gbs_explanation *e);
/* The short line, of fewer columns or none where t would have more than so many lines. */
void result_importance_within(struct text *t, const gbs_explanation *e, size_t lines);
int result_importance(struct json *j, const struct app *app, const gbs_explanation *e);

#endif
