/* inspect --card: what whoever is handed a model should know of it. Data, choices, certificates
 * with what they assume, limits, and where it comes from; in markdown, or as one JSON object.
 *
 * All of it is read off the model file. What a file of an older version does not keep is said to be
 * "not recorded".
 */
#include "cmd/card.h"
#include "cmd/card_limits.h"
#include "cmd/ratings_use.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 40, MOST_LABELS = 12 };

/* ---------------------------------------------------------------- markdown */

/* A name from a file: what markdown or a terminal would take for its own is made plain. */
static void add_plain(struct text *t, const char *name) {
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 32 || *c == 127) {
            text_add_bytes(t, "?", 1);
            continue;
        }
        if (strchr("\\`*_{}[]<>#|", *c) != NULL)
            text_add_bytes(t, "\\", 1);
        text_add_bytes(t, c, 1);
    }
}

static void add_class(struct text *t, const gbs_recipe *recipe, int class) {
    struct text name = {0};
    result_class(recipe, class, &name);
    add_plain(t, name.bytes != NULL ? name.bytes : "");
    t->failed |= name.failed;
    text_free(&name);
}

static void add_title(struct text *t, const struct app *app) {
    const char *path = app->options.inputs[0], *slash = strrchr(path, '/');
    text_add(t, "# Model card: ");
    add_plain(t, slash != NULL && slash[1] != '\0' ? slash + 1 : path);
    text_add(t, "\n\n");
}

static void add_origin(struct text *t, const gbs_origin *o, const char *unit) {
    text_add(t, "\n## Where it comes from\n\n- fitted by gibbsite %s; this card by gibbsite %s\n",
             o->version != NULL ? o->version : "(not recorded)", gbs_version());
    if (o->recorded)
        text_add(
            t,
            "- seed: %llu\n- hash of the %zu %s, in any order: `%s`\n\nThe same rows, options, "
            "seed and version give this model again, on one kind of processor.\n",
            (unsigned long long)o->seed, o->rows, unit, o->hash);
    else
        text_add(t, "- seed: not recorded\n- hash of the %s: not recorded\n", unit);
}

/* ---------------------------------------------------------------- data */

static void rows_text(struct text *t, const gbs_model *model) {
    const gbs_model_info *i = gbs_model_get_info(model);
    const gbs_origin *o = gbs_model_origin(model);
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    size_t learned = card != NULL   ? card->learned
                     : many != NULL ? many->learned
                                    : 0,
           tested = card != NULL   ? card->tested
                    : many != NULL ? many->tested
                                   : 0;
    text_add(t, "- rows: %zu", i->n);
    if (tested > 0)
        text_add(t, ", %zu to learn from and %zu to test on", learned, tested);
    text_add(t, "\n");
    if (!o->recorded)
        text_add(t, "- rows left out, exact copies: not recorded\n");
    if (o->recorded && o->left_out > 0)
        text_add(t, "- left out before: %s with a missing value\n",
                 counted(o->left_out, "row").text);
    if (o->recorded && o->copies > 0)
        text_add(t, "- exact copies of other rows: %zu\n", o->copies);
    if (i->weighted)
        text_add(t, "- rows had weights\n");
}

/* Names of the columns of one kind. */
static void columns_text(struct text *t, const gbs_recipe *recipe, bool texts) {
    const char *name;
    size_t levels, count = 0;
    for (size_t k = 0; (name = gbs_recipe_input(recipe, k, &levels)) != NULL; k++) {
        if ((levels > 0) != texts || count++ >= MOST_COLUMNS)
            continue;
        text_add(t, count > 1 ? ", " : texts ? "- texts: " : "- numbers: ");
        add_plain(t, name);
        if (texts)
            text_add(t, " (%zu levels)", levels);
    }
    if (count > MOST_COLUMNS)
        text_add(t, ", and %zu more", count - MOST_COLUMNS);
    if (count > 0)
        text_add(t, "\n");
}

static void data_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    const char *target = gbs_recipe_target(recipe);
    size_t classes = gbs_recipe_classes(recipe);
    text_add(t, "\n## Data\n\n");
    rows_text(t, model);
    text_add(t, "- label: ");
    if (target != NULL) {
        add_plain(t, target);
        text_add(t, ", ");
    }
    if (result_is_many(recipe)) {
        text_add(t, "%zu classes:", classes);
        for (size_t k = 0; k < classes && k < MOST_LABELS; k++) {
            text_add(t, k > 0 ? ", " : " ");
            add_class(t, recipe, (int)k + 1);
        }
        text_add(t, classes > MOST_LABELS ? ", ...\n" : "\n");
    } else {
        text_add(t, "positive is ");
        add_class(t, recipe, 1);
        text_add(t, ", negative is ");
        add_class(t, recipe, -1);
        text_add(t, "\n");
    }
    text_add(t, "- columns: %zu, which become %s\n", gbs_recipe_inputs(recipe),
             counted(gbs_recipe_features(recipe), "feature").text);
    columns_text(t, recipe, false);
    columns_text(t, recipe, true);
}

/* ---------------------------------------------------------------- choices */

static void choices_text(struct text *t, const gbs_model *model) {
    const gbs_model_info *i = gbs_model_get_info(model);
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    const gbs_selection *s = gbs_model_selection(model);
    text_add(t, "\n## Choices\n\n- task: %s\n- loss: %s\n- family of Gaussians: %s\n",
             result_task(model), gbs_loss_name(i->loss), gbs_family_name(i->family));
    text_add(t, "- features: %s, %s%s\n", gbs_features_name(i->map),
             counted(i->d, "coefficient").text, i->intercept ? " with the intercept" : "");
    text_add(t, "- columns scaled: %s%s\n", gbs_scale_name(i->scale),
             i->columns == GBS_COLUMNS_RELEVANCE ? ", by relevance" : "");
    text_add(t, "- prior: %s, standard deviation %g; lambda %g\n", gbs_prior_name(i->prior),
             i->prior_sd, i->lambda);
    if (gbs_model_stages(model) > 1)
        text_add(t, "- stages: %zu, drawn at random for each prediction\n",
                 gbs_model_stages(model));
    if (card != NULL && gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS))
        text_add(t,
                 "- cost of a missed positive and of a false alarm: %g and %g; positive from "
                 "probability %.4g on\n",
                 card->cost_missed, card->cost_false, card->threshold);
    if (many != NULL && isfinite(many->cost))
        text_add(t,
                 "- labels of least expected cost, by a matrix of costs; mean cost on the fresh "
                 "rows %.4g\n",
                 many->cost);
    if (s->candidates > 0)
        text_add(t, "- chosen: the best of %s, on %zu folds of the rows to learn from\n",
                 counted(s->candidates, "candidate").text, s->folds);
    text_add(t, "- solver: %s, %s\n", gbs_solver_name(i->solver),
             i->converged ? "converged" : "NOT CONVERGED");
}

/* ---------------------------------------------------------------- certificates */

static void certificates_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_certificate *c = gbs_model_certificate(model, 0), *each;
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    struct baseline base = baseline_of(model, NULL);
    const char *text;
    char name[LINE_NAME];
    text_add(t, "\n## Certificate\n\n");
    struct text sentence = {0};
    result_sentence(&sentence, model);
    t->failed |= sentence.failed;
    if (sentence.bytes != NULL)
        text_add(t, "**%s.**\n", sentence.bytes);
    text_free(&sentence);
    if (base.rows > 0) {
        text_add(t, "\nBaseline: always saying ");
        add_class(t, recipe, base.label);
        text_add(t, " is wrong in %.2f %% of the fresh rows.\n", 100.0 * base.error);
    }
    if (c == NULL)
        return;
    text_add(t, "\n| at most | of | seen | on | method | confidence | status |\n"
                "|---:|---|---:|---:|---|---:|---|\n");
    for (size_t k = 0; (each = gbs_model_certificate(model, k)) != NULL; k++) {
        text_add(t, "| %.4f | ", text_up(each->value, 4));
        add_plain(t, result_certified(each, result_is_tested(model), recipe, name));
        char seen[32] = "-"; /* of no row */
        if (isfinite(each->empirical))
            snprintf(seen, sizeof seen, "%.4f", each->empirical);
        text_add(t, " | %s | %zu %s | %s | %g | %s |\n", seen, each->blocks,
                 each->grouped                                                ? "groups"
                 : each->risk == GBS_RISK_AUC || each->risk == GBS_RISK_PAIRS ? "pairs"
                                                                              : "rows",
                 gbs_bound_name(each->method), each->confidence,
                 each->valid ? "valid" : "CONDITIONAL");
    }
    text_add(t, (card != NULL && card->joint) || (many != NULL && many->joint)
                    ? "\nAll lines hold at once.\n"
                    : "\nEach line holds by itself; the first was chosen in advance.\n");
    text_add(t, "\nIt assumes that\n\n");
    for (unsigned k = 0; (text = gbs_assumption_text(k, NULL)) != NULL; k++)
        if ((c->assumptions >> k & 1U) != 0)
            text_add(t, "- %s\n", text);
}

static void fresh_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_card *card = gbs_model_card(model);
    if (card == NULL || !gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS))
        return;
    text_add(t, "\n## On the %zu fresh rows\n\n| | said ", card->tested);
    add_class(t, recipe, 1);
    text_add(t, " | said ");
    add_class(t, recipe, -1);
    text_add(t, " |\n|---|---:|---:|\n| is ");
    add_class(t, recipe, 1);
    text_add(t, " | %zu | %zu |\n| is ", card->true_positive, card->false_negative);
    add_class(t, recipe, -1);
    text_add(t, " | %zu | %zu |\n", card->false_positive, card->true_negative);
    text_add(t, "\nBrier score %.4f, log loss %.4f", card->brier, card->log_loss);
    if (isfinite(card->auc))
        text_add(t, ", AUC %.4f", card->auc);
    text_add(t, ".\n");
}

/* ---------------------------------------------------------------- the whole */

static void columns_json(struct json *j, const gbs_recipe *recipe) {
    const char *name;
    size_t levels;
    json_open_object(j, "data");
    json_put_string(j, "target", gbs_recipe_target(recipe));
    json_open_array(j, "columns");
    for (size_t k = 0; (name = gbs_recipe_input(recipe, k, &levels)) != NULL; k++) {
        json_open_object(j, NULL);
        json_put_string(j, "name", name);
        json_put_string(j, "type", levels > 0 ? "text" : "number");
        json_put_count(j, "levels", levels);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static int model_json(const struct app *app, const gbs_model *model, const gbs_recipe *recipe,
                      struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_string(&j, "kind", "model-card");
    columns_json(&j, recipe);
    int code = result_describe(&j, app, model,
                               GBS_DESCRIBE_INFO | GBS_DESCRIBE_SELECTION | GBS_DESCRIBE_CARD |
                                   GBS_DESCRIBE_CERTIFICATES | GBS_DESCRIBE_ORIGIN);
    json_open_array(&j, "limits");
    card_model_limits(&(struct card_limits){.json = &j}, model, recipe);
    json_close_array(&j);
    json_close_object(&j);
    return code;
}

int card_model(const struct app *app, const gbs_model *model, const gbs_recipe *recipe,
               struct text *out) {
    if (given(&app->options, "json"))
        return model_json(app, model, recipe, out);
    add_title(out, app);
    text_add(out, "A classifier or ranker fitted and certified by gibbsite: "
                  "a Gaussian over linear rules,\nthe approximation of a Gibbs posterior.\n");
    data_text(out, model, recipe);
    choices_text(out, model);
    certificates_text(out, model, recipe);
    fresh_text(out, model, recipe);
    text_add(out, "\n## Limits\n\n");
    card_model_limits(&(struct card_limits){.markdown = out}, model, recipe);
    add_origin(out, gbs_model_origin(model), "rows");
    return EXIT_DONE;
}

static int completion_json(const struct app *app, const gbs_completion *model, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_string(&j, "kind", "model-card");
    int code = result_completion(
        &j, app, model, GBS_DESCRIBE_INFO | GBS_DESCRIBE_CERTIFICATES | GBS_DESCRIBE_ORIGIN);
    json_open_array(&j, "limits");
    card_completion_limits(&(struct card_limits){.json = &j}, model);
    json_close_array(&j);
    json_close_object(&j);
    return code;
}

int card_completion(const struct app *app, const gbs_completion *model, struct text *out) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    if (given(&app->options, "json"))
        return completion_json(app, model, out);
    add_title(out, app);
    text_add(out, "A completed matrix of ratings, fitted by gibbsite.\n");
    text_add(out, "\n## Data\n\n- ratings: %zu, of %s and %s\n", i->n,
             counted(i->rated_rows, "row").text, counted(i->rated_columns, "column").text);
    if (i->rows > i->rated_rows || i->columns > i->rated_columns)
        text_add(out, "- known from features alone: %s and %s\n",
                 counted(i->rows - i->rated_rows, "row").text,
                 counted(i->columns - i->rated_columns, "column").text);
    if (i->has_range)
        text_add(out, "- declared range of the values: %g to %g\n", i->low, i->high);
    text_add(out, "\n## Choices\n\n- model: %s, %zu components\n",
             gbs_completion_model_name(gbs_completion_get_model(model)), i->effective_rank);
    text_add(out, "- positions of the ratings: %s\n",
             gbs_completion_uses_positions(model) ? "used" : "not used");
    text_add(out, "- prior: %s; noise variance %.4g\n", gbs_prior_name(i->prior),
             i->noise_variance);
    if (i->sampler == GBS_SAMPLER_GIBBS)
        text_add(out, "- drawn by a Gibbs sampler: %s after %s\n", counted(i->draws, "draw").text,
                 counted(i->burn_in, "sweep").text);
    else
        text_add(out, "- solver: %s, %s\n", counted(i->sweeps, "sweep").text,
                 i->converged ? "converged" : "NOT CONVERGED");
    text_add(out, "\n## Certificate\n\n");
    completion_card_certificate(out, model);
    text_add(out, "\n## Limits\n\n");
    card_completion_limits(&(struct card_limits){.markdown = out}, model);
    add_origin(out, gbs_completion_origin(model), "ratings");
    return EXIT_DONE;
}
