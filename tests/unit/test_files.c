/* Files of models, samples and completions, opened without knowing which of them a file holds. */
#include "unit/host.h"
#include "unit/scratch.h"

#include <unistd.h>

struct setting {
    struct host host;
    gbs_context *ctx;
    struct table_of_numbers table;
    gbs_data *data;
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
    char folder[SCRATCH_ROOM], model_path[SCRATCH_ROOM + 32], sample_path[SCRATCH_ROOM + 32],
        completion_path[SCRATCH_ROOM + 32];
};

static void write_text(gbs_context *ctx, const char *path, char *text) {
    assert_ok(ctx, gbs_write_file(ctx, path, text, strlen(text)));
    gbs_release(ctx, text);
}

static void set_up(struct setting *s) {
    gbs_fit_settings fitted = zero_prior_options();
    gbs_sample_settings sampled = gbs_sample_settings_default();
    static const uint32_t row[] = {0, 1, 1, 2}, column[] = {0, 0, 1, 1};
    static const double value[] = {1.0, 2.0, 2.5, 4.0};
    gbs_ratings *ratings;
    char *text;
    gbs_context *ctx = s->ctx = host_context(&s->host);
    s->table = small_table(61, 30, 2);
    s->data = dense_data(ctx, &s->table);
    sampled.particles = 32;
    assert_ok(ctx, gbs_ratings_create(ctx, 4, 3, 2, row, column, value, NULL, NULL, &ratings));
    assert_ok(ctx, gbs_fit_run(ctx, s->data, &fitted, &s->model));
    assert_ok(ctx, gbs_sample_run(ctx, s->data, &sampled, &s->particles));
    assert_ok(ctx, gbs_complete_run(ctx, ratings, NULL, &s->completion));
    gbs_ratings_free(ratings);
    assert_non_null(mkdtemp(scratch_name(s->folder)));
    snprintf(s->model_path, sizeof s->model_path, "%s/model.json", s->folder);
    snprintf(s->sample_path, sizeof s->sample_path, "%s/sample.json", s->folder);
    snprintf(s->completion_path, sizeof s->completion_path, "%s/completion.json", s->folder);
    assert_ok(ctx, gbs_model_save(ctx, s->model, s->model_path));
    assert_ok(ctx, gbs_particles_to_json(ctx, s->particles, &text, NULL));
    write_text(ctx, s->sample_path, text);
    assert_ok(ctx, gbs_completion_to_json(ctx, s->completion, &text, NULL));
    write_text(ctx, s->completion_path, text);
}

static void tear_down(struct setting *s) {
    assert_int_equal(unlink(s->model_path), 0);
    assert_int_equal(unlink(s->sample_path), 0);
    assert_int_equal(unlink(s->completion_path), 0);
    assert_int_equal(rmdir(s->folder), 0);
    gbs_model_free(s->model);
    gbs_particles_free(s->particles);
    gbs_completion_free(s->completion);
    gbs_data_free(s->data);
    free_table(&s->table);
    leave(&s->host, s->ctx);
}

static void same_model(struct setting *s, const gbs_model *loaded) {
    double score[30], sd[30], again[30], sd_again[30];
    assert_ok(s->ctx, gbs_model_predict(s->ctx, s->model, s->data, score, sd, NULL));
    assert_ok(s->ctx, gbs_model_predict(s->ctx, loaded, s->data, again, sd_again, NULL));
    assert_true(same_bits(score, again, 30));
    assert_true(same_bits(sd, sd_again, 30));
}

static void same_particles(const struct setting *s, const gbs_particles *loaded) {
    const gbs_sample_info *info = gbs_particles_get_info(loaded);
    assert_int_equal(info->particles, 32);
    assert_int_equal(info->d, 3);
    assert_true(same_bits(gbs_particles_draws(s->particles), gbs_particles_draws(loaded), 32 * 3));
}

static void same_completion(struct setting *s, const gbs_completion *loaded) {
    static const uint32_t row[] = {0, 2, GBS_UNSEEN}, column[] = {1, 0, 1};
    double value[3], sd[3], again[3], sd_again[3];
    assert_ok(s->ctx, gbs_completion_predict(s->ctx, s->completion, 3, row, column, value, sd));
    assert_ok(s->ctx, gbs_completion_predict(s->ctx, loaded, 3, row, column, again, sd_again));
    assert_true(same_bits(value, again, 3));
    assert_true(same_bits(sd, sd_again, 3));
}

static void a_file_of_either_kind_is_opened(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_model *model = (void *)1;
    gbs_particles *particles = (void *)1;
    assert_ok(s.ctx, gbs_load(s.ctx, s.model_path, &model, &particles));
    assert_null(particles);
    same_model(&s, model);
    gbs_model_free(model);
    model = (void *)1;
    assert_ok(s.ctx, gbs_load(s.ctx, s.sample_path, &model, &particles));
    assert_null(model);
    same_particles(&s, particles);
    gbs_particles_free(particles);
    tear_down(&s);
}

static void a_file_of_any_kind_is_opened(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
    assert_ok(s.ctx, gbs_load_any(s.ctx, s.model_path, &model, &particles, &completion));
    assert_true(particles == NULL && completion == NULL);
    same_model(&s, model);
    gbs_model_free(model);
    assert_ok(s.ctx, gbs_load_any(s.ctx, s.sample_path, &model, &particles, &completion));
    assert_true(model == NULL && completion == NULL);
    same_particles(&s, particles);
    gbs_particles_free(particles);
    assert_ok(s.ctx, gbs_load_any(s.ctx, s.completion_path, &model, &particles, &completion));
    assert_true(model == NULL && particles == NULL);
    same_completion(&s, completion);
    gbs_completion_free(completion);
    tear_down(&s);
}

/* Each way to open `path` fails like this: a message that names the file, and no handle. */
static void refuse_file(struct setting *s, const char *path, gbs_status expected) {
    gbs_model *model;
    gbs_particles *particles = (void *)1;
    gbs_completion *completion = (void *)1;
    assert_refused(s->ctx, expected, gbs_load(s->ctx, path, &model, &particles), model);
    assert_null(particles);
    assert_non_null(strstr(gbs_error_message(s->ctx), path));
    model = (void *)1;
    particles = (void *)1;
    assert_int_equal(gbs_load_any(s->ctx, path, &model, &particles, &completion), expected);
    assert_true(model == NULL && particles == NULL && completion == NULL);
    assert_refused(s->ctx, expected, gbs_model_load(s->ctx, path, &model), model);
    assert_non_null(strstr(gbs_error_message(s->ctx), path));
}

static void what_is_no_file_of_ours_is_refused(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    char path[SCRATCH_ROOM + 32];
    static const char *const texts[] = {"",
                                        "{}",
                                        "[1]",
                                        "{\"kind\":\"sample\"}",
                                        "{\"kind\":\"completion\"}",
                                        "{\"kind\":\"model\"}",
                                        "{\"kind\":\"sam"};
    snprintf(path, sizeof path, "%s/odd.json", s.folder);
    refuse_file(&s, path, GBS_ERR_IO); /* it is not there */
    refuse_file(&s, s.folder, GBS_ERR_IO);
    for (size_t k = 0; k < COUNT(texts); k++) {
        assert_ok(s.ctx, gbs_write_file(s.ctx, path, texts[k], strlen(texts[k])));
        refuse_file(&s, path, GBS_ERR_FORMAT);
    }
    assert_int_equal(unlink(path), 0);
    gbs_model *model;
    gbs_particles *particles;
    assert_refused(s.ctx, GBS_ERR_FORMAT, gbs_load(s.ctx, s.completion_path, &model, &particles),
                   model);
    assert_null(particles);
    assert_non_null(strstr(gbs_error_message(s.ctx), "completion"));
    assert_refused(s.ctx, GBS_ERR_FORMAT, gbs_model_load(s.ctx, s.sample_path, &model), model);
    assert_non_null(strstr(gbs_error_message(s.ctx), "sample"));
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_either_kind_is_opened),
        cmocka_unit_test(a_file_of_any_kind_is_opened),
        cmocka_unit_test(what_is_no_file_of_ours_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
