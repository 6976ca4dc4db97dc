/* What complete and inspect print of a completed matrix. */
#include "ratings_use.h"
#include "result.h"

#include <math.h>

static void put_certificate(struct json *j, const gbs_rating_certificate *c) {
    if (!c->present) {
        json_put_string(j, "certificate", NULL);
        return;
    }
    json_open_object(j, "certificate");
    json_put_string(j, "target", "gibbs");
    json_put_string(j, "loss", "squared");
    json_put_string(j, "method", "kl");
    json_put_number(j, "value", c->value);
    json_put_number(j, "rmse", c->rmse);
    json_put_bool(j, "vacuous", c->vacuous != 0);
    json_put_number(j, "confidence", c->confidence);
    json_put_count(j, "blocks", c->n);
    json_put_number(j, "empirical", c->empirical);
    json_put_number(j, "empirical_upper", c->empirical_upper);
    json_put_count(j, "draws", c->draws);
    json_put_number(j, "draws_delta", c->draws_delta);
    json_put_number(j, "kl", c->kl);
    json_open_object(j, "penalty_nats");
    json_put_number(j, "grid", c->grid_nats);
    json_put_number(j, "xi", c->xi_nats);
    json_put_number(j, "confidence", -log(1.0 - c->confidence - c->draws_delta));
    json_close_object(j);
    json_put_string(j, "status", "valid");
    json_open_array(j, "assumptions");
    json_put_string(j, NULL, "ratings are independent draws from one distribution, or cells drawn at random from one table");
    json_put_string(j, NULL, "every value lies in the declared range");
    json_close_array(j);
    json_close_object(j);
}

void result_completion(struct json *j, const gbs_completion_info *i) {
    json_put_string(j, "task", "complete");
    json_put_count(j, "n", i->n);
    json_put_count(j, "rows", i->rows);
    json_put_count(j, "cols", i->columns);
    json_put_count(j, "rank", i->rank);
    json_put_count(j, "effective_rank", i->effective_rank);
    json_put_bool(j, "biases", i->biases != 0);
    json_put_number(j, "lambda", i->lambda);
    json_put_number(j, "noise_variance", i->noise_variance);
    json_put_string(j, "noise", i->noise_learned ? "learned" : "given");
    json_put_number(j, "mean", i->mu);
    json_put_number(j, "free_energy", i->free_energy);
    json_put_number(j, "kl", i->kl);
    json_put_number(j, "rmse", i->rmse);
    json_put_count(j, "sweeps", i->sweeps);
    json_put_bool(j, "converged", i->converged != 0);
    json_put_string(j, "prior", gbs_prior_name(i->prior));
    json_put_number(j, "prior_split", i->prior == GBS_PRIOR_INFORMED ? i->prior_split : NAN);
    json_put_string(j, "sampler", gbs_sampler_name(i->sampler));
    json_put_count(j, "draws", i->draws);
    json_put_count(j, "burn_in", i->burn_in);
    if (i->has_range) {
        json_open_array(j, "range");
        json_put_number(j, NULL, i->low);
        json_put_number(j, NULL, i->high);
        json_close_array(j);
    } else {
        json_put_string(j, "range", NULL);
    }
    put_certificate(j, &i->certificate);
}

static void certificate_text(struct text *out, const gbs_completion_info *i) {
    const gbs_rating_certificate *k = &i->certificate;
    if (!k->present) {
        text_add(out, i->sampler == GBS_SAMPLER_GIBBS
                          ? "  certificate   none: draws of a sampler give estimates\n"
                          : "  certificate   none: it needs the range of the values, --range LO:HI\n");
        return;
    }
    text_add(out, "  certificate   the true RMSE of one random draw is at most %.4f, with confidence %g%s\n", k->rmse,
             k->confidence, k->vacuous ? ": VACUOUS" : "");
    if (k->vacuous)
        text_add(out, "                (always predicting the middle of the range is never off by more than %.4f)\n",
                 0.5 * (i->high - i->low));
    text_add(out,
             "                on %zu ratings: RMSE seen %.4f; nats: KL %.2f + grid %.2f + all at once %.2f + confidence %.2f\n",
             k->n, (i->high - i->low) * sqrt(k->empirical), k->kl, k->grid_nats, k->xi_nats,
             -log(1.0 - k->confidence - k->draws_delta));
    text_add(out,
             "                it assumes that\n"
             "                - ratings are independent draws from one distribution, or cells drawn at random from one table\n"
             "                - every value lies in the declared range\n");
}

void result_completion_text(struct text *out, const gbs_completion_info *i) {
    text_add(out, "  ratings       %zu of %zu rows and %zu columns\n", i->n, i->rows, i->columns);
    if (i->sampler == GBS_SAMPLER_GIBBS)
        text_add(out, "  model         %zu components%s, %zu draws after %zu sweeps, %zu kept\n", i->effective_rank,
                 i->biases ? ", mean and biases" : "", i->draws, i->burn_in, i->kept);
    else
        text_add(out, "  model         %zu components left of %zu%s\n", i->effective_rank, i->rank,
                 i->biases ? ", mean and biases" : "");
    text_add(out, "  noise         variance %.6g (%s), lambda %.6g\n", i->noise_variance,
             i->noise_learned ? "learned" : "given", i->lambda);
    text_add(out, "  free energy   %.8g, of it KL to the prior %.6g; %zu sweeps, %s\n", i->free_energy, i->kl, i->sweeps,
             i->converged ? "converged" : "NOT CONVERGED");
    text_add(out, "  these ratings RMSE %.4f\n", i->rmse);
    certificate_text(out, i);
}

int ratings_inspect(struct app *app, const gbs_completion *model) {
    gbs_completion_info info;
    struct text text = {0};
    struct json j = json_writer(&text);
    gbs_completion_get_info(model, &info);
    if (given(&app->options, OPT_JSON)) {
        json_open_object(&j, NULL);
        result_head(&j, app);
        result_completion(&j, &info);
        json_close_object(&j);
    } else {
        text_add(&text, "%s\n", app->options.inputs[0]);
        result_completion_text(&text, &info);
    }
    int code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}
