/* Model, sample and completion files when jansson runs out of memory: each of its allocations
 * refused in turn, that one alone or it and all that follow. The library must say GBS_ERR_MEMORY,
 * or have the same result as ever; never a damaged one, and never blame the file. (The context's
 * own allocations: test_library.c and others. The program as a whole: tests/cli/fault_malloc.sh.)
 */
#include "complete_support.h"

#include "paper_settings.h"
#include "unit/zero_prior.h"

#include <jansson.h>

static struct {
    size_t calls, refused; /* from 1; 0: none is */
    size_t live;
    bool for_good;
} memory;

static void *scarce(size_t bytes) {
    memory.calls++;
    if (memory.refused > 0 &&
        (memory.calls == memory.refused || (memory.for_good && memory.calls > memory.refused)))
        return NULL;
    memory.live++;
    return malloc(bytes);
}

static void give_back(void *block) {
    memory.live -= block != NULL;
    free(block);
}

static void refuse(size_t which, bool for_good) {
    memory.calls = 0;
    memory.refused = which;
    memory.for_good = for_good;
}

/* False when it never came to the refusal. */
static bool stop_refusing(void) {
    bool reached = memory.calls >= memory.refused;
    memory.refused = 0;
    return reached;
}

/* What is written and read, and how. */
struct kind {
    const char *name;
    gbs_status (*write)(gbs_context *ctx, const void *model, char **text, size_t *size);
    gbs_status (*read)(gbs_context *ctx, const char *text, size_t size, void **model);
    void (*release)(void *model);
};

static gbs_status write_model(gbs_context *ctx, const void *model, char **text, size_t *size) {
    return gbs_model_to_json(ctx, model, text, size);
}

static gbs_status read_model(gbs_context *ctx, const char *text, size_t size, void **model) {
    gbs_model *read;
    gbs_status status = gbs_model_from_json(ctx, text, size, &read);
    *model = read;
    return status;
}

static void release_model(void *model) {
    gbs_model_free(model);
}

static const struct kind a_model = {"model", write_model, read_model, release_model};

static gbs_status write_sample(gbs_context *ctx, const void *model, char **text, size_t *size) {
    return gbs_particles_to_json(ctx, model, text, size);
}

static gbs_status read_sample(gbs_context *ctx, const char *text, size_t size, void **model) {
    gbs_particles *read;
    gbs_status status = gbs_particles_from_json(ctx, text, size, &read);
    *model = read;
    return status;
}

static void release_sample(void *model) {
    gbs_particles_free(model);
}

static const struct kind a_sample = {"sample", write_sample, read_sample, release_sample};

static gbs_status write_completion(gbs_context *ctx, const void *model, char **text, size_t *size) {
    return gbs_completion_to_json(ctx, model, text, size);
}

static gbs_status read_completion(gbs_context *ctx, const char *text, size_t size, void **model) {
    gbs_completion *read;
    gbs_status status = gbs_completion_from_json(ctx, text, size, &read);
    *model = read;
    return status;
}

static void release_completion(void *model) {
    gbs_completion_free(model);
}

static const struct kind a_completion = {"completion", write_completion, read_completion,
                                         release_completion};

static void check_memory_error(gbs_context *ctx, const struct kind *kind, const char *what,
                               size_t k, gbs_status status) {
    if (status != GBS_ERR_MEMORY)
        print_error("%s, %s, allocation %zu refused: %s\n", kind->name, what, k,
                    gbs_error_message(ctx));
    assert_int_equal(status, GBS_ERR_MEMORY);
    assert_non_null(strstr(gbs_error_message(ctx), "memory"));
}

/* Number of refusals that were noticed. */
static size_t write_starved(gbs_context *ctx, const struct kind *kind, const void *model,
                            const char *whole, bool for_good) {
    size_t noticed = 0;
    bool reached = true;
    for (size_t k = 1; reached; k++) {
        char *text = NULL;
        size_t size = 0;
        refuse(k, for_good);
        gbs_status status = kind->write(ctx, model, &text, &size);
        reached = stop_refusing();
        if (status == GBS_OK) {
            assert_string_equal(text, whole);
            assert_int_equal(size, strlen(whole));
        } else {
            check_memory_error(ctx, kind, "written", k, status);
            assert_null(text);
            noticed++;
        }
        gbs_release(ctx, text);
    }
    return noticed;
}

static size_t read_starved(gbs_context *ctx, const struct kind *kind, const char *whole,
                           bool for_good) {
    size_t noticed = 0;
    bool reached = true;
    for (size_t k = 1; reached; k++) {
        void *model = NULL;
        refuse(k, for_good);
        gbs_status status = kind->read(ctx, whole, strlen(whole), &model);
        reached = stop_refusing();
        if (status == GBS_OK) {
            char *text;
            assert_int_equal(kind->write(ctx, model, &text, NULL), GBS_OK);
            assert_string_equal(text, whole);
            gbs_release(ctx, text);
            kind->release(model);
        } else {
            check_memory_error(ctx, kind, "read", k, status);
            assert_null(model);
            noticed++;
        }
    }
    return noticed;
}

/* The file of a model, and the model. */
static void starve(gbs_context *ctx, const struct kind *kind, void *model, const char *about) {
    char *whole;
    assert_int_equal(kind->write(ctx, model, &whole, NULL), GBS_OK);
    size_t noticed[2][2];
    for (int for_good = 0; for_good < 2; for_good++) {
        noticed[0][for_good] = write_starved(ctx, kind, model, whole, for_good != 0);
        noticed[1][for_good] = read_starved(ctx, kind, whole, for_good != 0);
        assert_true(noticed[0][for_good] > 100 && noticed[1][for_good] > 100);
    }
    print_message("%s, %s: %zu bytes; %zu and %zu refusals of one, %zu and %zu of all that follow "
                  "were noticed\n",
                  kind->name, about, strlen(whole), noticed[0][0], noticed[1][0], noticed[0][1],
                  noticed[1][1]);
    gbs_release(ctx, whole);
    kind->release(model);
    assert_int_equal(memory.live, 0); /* models hold nothing of jansson's */
}

/* Texts whose ends lie where a buffer that doubles is full, and beyond. */
static char *recipe_of_lengths(void) {
    static const size_t lengths[] = {13, 14, 15, 29, 30, 31, 62, 126, 254, 510};
    char *text = take(4096, 1), *to = text;
    to = stpcpy(to, "{\"number\":-12345.678901234567,\"names\":[");
    for (size_t k = 0; k < COUNT(lengths); k++) {
        *to++ = '"';
        memset(to, 'x', lengths[k]);
        to = stpcpy(to + lengths[k], k + 1 < COUNT(lengths) ? "\"," : "\"]}");
    }
    return text;
}

static void models(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice dice = {11};
    struct table_of_numbers t = make_table(&dice, 40, 3, 1.0, 0.5),
                            wide = make_table(&dice, 12, 30, 0.2, 0.5);
    gbs_data *data = dense_data(ctx, &t), *sparse = sparse_data(ctx, &wide);
    gbs_fit_settings plain = zero_prior_options(), dual = plain,
                     informed = gbs_fit_settings_default(), rank = informed;
    char *recipe = recipe_of_lengths();
    gbs_model *m = fit(ctx, data, &plain);
    assert_int_equal(gbs_model_set_recipe(ctx, m, recipe), GBS_OK);
    starve(ctx, &a_model, m, "a recipe of long names");
    dual.loss = GBS_LOSS_HINGE;
    dual.family = GBS_FAMILY_FULL;
    dual.form = GBS_FORM_DUAL;
    starve(ctx, &a_model, fit(ctx, sparse, &dual), "dual");
    starve(ctx, &a_model, fit(ctx, data, &informed), "informed");
    rank.task = GBS_TASK_RANK;
    starve(ctx, &a_model, fit(ctx, data, &rank), "ranking");
    free(recipe);
    gbs_data_free(data);
    gbs_data_free(sparse);
    free_table(&t);
    free_table(&wide);
    gbs_context_free(ctx);
}

static void samples(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice dice = {12};
    struct table_of_numbers t = make_table(&dice, 30, 2, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = gbs_sample_settings_default();
    char *recipe = recipe_of_lengths();
    gbs_particles *p;
    o.lambda = 5.0;
    o.particles = 16;
    assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
    assert_int_equal(gbs_particles_set_recipe(ctx, p, recipe), GBS_OK);
    starve(ctx, &a_sample, p, "a recipe of long names");
    free(recipe);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void completions(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(13, 6, 5, 1, 30, 0.5, 3.0, true);
    char long_id[6][520], *id[6];
    for (size_t i = 0; i < 6; i++) {
        static const size_t lengths[] = {14, 30, 126, 254, 510, 3};
        memset(long_id[i], 'a' + (char)i, lengths[i]);
        long_id[i][lengths[i]] = '\0';
        id[i] = long_id[i];
    }
    for (int gibbs = 0; gibbs < 2; gibbs++) {
        gbs_complete_settings o = paper_settings();
        gbs_ratings *r;
        gbs_completion *c;
        o.rank = 2;
        o.sampler = gibbs ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        o.draws = 2, o.burn_in = 1;
        o.restarts = 2;
        o.cross_validate = !gibbs;
        o.folds = 2;
        assert_ok(ctx, gbs_ratings_create(ctx, t.n, t.rows, t.columns, t.row, t.column, t.y,
                                          (const char *const *)id, NULL, &r));
        assert_ok(ctx, gbs_complete_run(ctx, r, &o, &c));
        starve(ctx, &a_completion, c, gibbs ? "draws" : "mean field");
        gbs_ratings_free(r);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

/* A recipe is looked at before it is kept. */
static void recipes(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice dice = {14};
    struct table_of_numbers t = make_table(&dice, 20, 2, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = zero_prior_options();
    gbs_model *m = fit(ctx, data, &o);
    char *recipe = recipe_of_lengths();
    size_t noticed = 0;
    assert_int_equal(gbs_model_set_recipe(ctx, m, "\"before\""), GBS_OK);
    bool reached = true;
    for (size_t k = 1; reached; k++) {
        refuse(k, false);
        gbs_status status = gbs_model_set_recipe(ctx, m, recipe);
        reached = stop_refusing();
        if (status == GBS_OK) {
            assert_string_equal(gbs_model_recipe(m), recipe);
            assert_int_equal(gbs_model_set_recipe(ctx, m, "\"before\""), GBS_OK);
        } else {
            check_memory_error(ctx, &a_model, "recipe", k, status);
            assert_string_equal(gbs_model_recipe(m), "\"before\"");
            noticed++;
        }
    }
    assert_true(noticed > 10);
    assert_int_equal(memory.live, 0);
    free(recipe);
    gbs_model_free(m);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    json_set_alloc_funcs(scarce, give_back);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),
        cmocka_unit_test(samples),
        cmocka_unit_test(completions),
        cmocka_unit_test(recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
