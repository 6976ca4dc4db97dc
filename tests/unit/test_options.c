/* The option table and the options set by name: what is refused, what is kept, what the settings
 * become; and that each line of the table is sound. */
#include "options/options.h"
#include "unit/host.h"

static const char *const commands[] = {"fit",      "cv",     "sample",  "gap",
                                       "complete", "theory", "predict", "evaluate"};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* A name means one thing for a command, its default is one of its values, and it has words. */
static void every_line_is_sound(void **state) {
    (void)state;
    const gbs_option *line;
    for (size_t k = 0; (line = gbs_option_at(k)) != NULL; k++) {
        gbs_option_value v;
        assert_true(strlen(line->help) > 0 && line->commands != 0);
        assert_true((line->argument == NULL) == (line->type == GBS_OPTION_FLAG));
        assert_true((line->choices != NULL) == (line->type == GBS_OPTION_CHOICE));
        if (line->standard != NULL)
            assert_int_equal(gbs_option_read(NULL, line, 0, line->standard, &v), GBS_OK);
        for (size_t c = 0; c < COMMANDS; c++)
            if ((line->commands & gbs_command_bit(commands[c])) != 0)
                assert_ptr_equal(gbs_option_find(commands[c], line->name), line);
    }
    assert_null(gbs_option_at(SIZE_MAX));
    assert_null(gbs_option_find("fit", "no-such-option"));
    assert_null(gbs_option_find("nonsense", "loss"));
}

struct wrong {
    const char *command, *name, *value;
};

/* Each leaves the option as it was and says which option, what was expected and what was found. */
static void a_value_out_of_range_is_refused(void **state) {
    (void)state;
    static const struct wrong wrong[] = {{"fit", "loss", "squared"},
                                         {"fit", "loss", "hinge,zero-one"},
                                         {"fit", "lambda", "0"},
                                         {"fit", "lambda", "-1"},
                                         {"fit", "lambda", "nan"},
                                         {"fit", "lambda", "inf"},
                                         {"fit", "lambda", "0x10"},
                                         {"fit", "lambda", "1e999"},
                                         {"fit", "lambda", ""},
                                         {"fit", "lambda-grid", "1:2"},
                                         {"fit", "lambda-grid", "2:1:3"},
                                         {"fit", "lambda-grid", "1:2:1"},
                                         {"fit", "lambda-grid", "1:1:2"},
                                         {"fit", "lambda-grid", "0:1:3"},
                                         {"fit", "lambda-grid", "1:2:1001"},
                                         {"fit", "lambda-grid", "1:2:3:4"},
                                         {"fit", "confidence", "1"},
                                         {"fit", "confidence", "0"},
                                         {"fit", "blocks", "17"},
                                         {"fit", "blocks", "0"},
                                         {"fit", "max-iter", "0"},
                                         {"fit", "max-iter", "1.5"},
                                         {"fit", "stratify", "perhaps"},
                                         {"complete", "range", "5:1"},
                                         {"complete", "range", "1"},
                                         {"complete", "noise", "guess"},
                                         {"complete", "rank", "513"},
                                         {"sample", "lambda", "-0.5"},
                                         {"theory", "n", "1"}};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        gbs_options *o;
        assert_int_equal(gbs_options_create(ctx, wrong[k].command, &o), GBS_OK);
        assert_int_equal(gbs_options_set(o, wrong[k].name, wrong[k].value), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), wrong[k].name));
        assert_false(gbs_options_given(o, wrong[k].name));
        gbs_options_free(o);
    }
    gbs_context_free(ctx);
}

static void values_come_back_by_type(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o, *copy;
    size_t count;
    const double ladder[] = {1.0, 2.5, 7.0}, falling[] = {2.0, 1.0};
    assert_int_equal(gbs_options_create(ctx, "fit", &o), GBS_OK);
    assert_string_equal(gbs_options_get(o, "loss"), "auto");
    assert_int_equal(gbs_options_choice(o, "loss"), GBS_LOSS_AUTO);
    assert_true(isnan(gbs_options_number(o, "lambda")) && gbs_options_number(o, "tol") == 1e-8);
    assert_int_equal(gbs_options_set(o, "loss", "hinge"), GBS_OK);
    assert_int_equal(gbs_options_set_number(o, "lambda", 1.0 / 3.0), GBS_OK);
    assert_int_equal(gbs_options_set_number(o, "restarts", 3.0), GBS_OK);
    assert_int_equal(gbs_options_set_number(o, "restarts", 3.5), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_number(o, "restarts", -1.0), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_count(o, "max-iter", 7), GBS_OK);
    assert_int_equal(gbs_options_set_flag(o, "no-intercept", 1), GBS_OK);
    assert_int_equal(gbs_options_set_flag(o, "stratify", 0), GBS_OK);
    assert_int_equal(gbs_options_set_flag(o, "lambda", 1), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_numbers(o, "lambda-grid", falling, 2), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_numbers(o, "lambda-grid", ladder, 0), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_numbers(o, "lambda-grid", NULL, 3), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_numbers(o, "lambda", ladder, 3), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set_numbers(o, "lambda-grid", ladder, 3), GBS_OK);
    assert_int_equal(gbs_options_copy(o, &copy), GBS_OK);
    gbs_options_free(o);
    assert_true(gbs_options_number(copy, "lambda") == 1.0 / 3.0);
    assert_true(gbs_options_number(copy, "restarts") == 3.0);
    assert_true(gbs_options_given(copy, "no-intercept") && !gbs_options_given(copy, "stratify"));
    const double *values = gbs_options_numbers(copy, "lambda-grid", &count);
    assert_true(count == 3 && memcmp(values, ladder, sizeof ladder) == 0);
    assert_int_equal(gbs_options_unset(copy, "loss"), GBS_OK);
    assert_int_equal(gbs_options_choice(copy, "loss"), GBS_LOSS_AUTO);
    assert_string_equal(gbs_options_line(copy, "loss")->name, "loss");
    assert_null(gbs_options_line(copy, "particles"));
    gbs_options_free(copy);
    gbs_context_free(ctx);
}

/* What a line says is what the job reads. */
static void options_fill_their_settings(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    gbs_fit_settings f;
    gbs_complete_settings c;
    gbs_sample_settings s;
    assert_int_equal(gbs_options_create(ctx, "fit", &o), GBS_OK);
    gbs_fit_settings_from(o, &f);
    assert_true(f.prior == GBS_PRIOR_INFORMED && f.bound == GBS_BOUND_AUTO && f.intercept == 1);
    gbs_options_set(o, "no-intercept", NULL);
    gbs_options_set(o, "prior-grid", "0.1:10:3");
    gbs_options_set(o, "restarts", "2");
    gbs_fit_settings_from(o, &f);
    assert_true(f.intercept == 0 && f.restarts == 2 && f.prior_grid_size == 3);
    assert_true(fabs(f.prior_grid[1] - 1.0) < 1e-15 && f.prior_grid[2] == 10.0);
    assert_true(f.prior == GBS_PRIOR_ZERO && f.bound == GBS_BOUND_KL); /* restarts; a grid */
    gbs_options_free(o);
    assert_int_equal(gbs_options_create(ctx, "complete", &o), GBS_OK);
    gbs_options_set(o, "range", "1:5");
    gbs_options_set(o, "noise", "learn");
    gbs_options_set(o, "no-biases", NULL);
    gbs_complete_settings_from(o, &c);
    assert_true(c.has_range && c.low == 1.0 && c.high == 5.0 && c.noise_variance == 0.0);
    assert_true(!c.biases && c.rank == 16 && c.prior_split == 0.8);
    gbs_options_free(o);
    assert_int_equal(gbs_options_create(ctx, "sample", &o), GBS_OK);
    gbs_sample_settings_from(o, &s);
    assert_true(s.lambda == -1.0 && s.particles == 2000 && s.intercept == 1);
    gbs_options_set(o, "lambda", "0");
    gbs_sample_settings_from(o, &s);
    assert_true(s.lambda == 0.0);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

static const gbs_option own[] = {{"colour", "C", GBS_OPTION_CHOICE, GBS_FOR_FIT | GBS_FOR_CALLER,
                                  "red|blue", NULL, "red", "x", "a line of the caller's own",
                                  .low = 0.0}};

static void callers_may_add_lines(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    assert_int_equal(gbs_options_create_with(ctx, GBS_FOR_FIT, own, 1, sizeof *own, &o), GBS_OK);
    assert_string_equal(gbs_options_get(o, "colour"), "red");
    assert_int_equal(gbs_options_set(o, "colour", "green"), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_options_set(o, "colour", "blue"), GBS_OK);
    assert_int_equal(gbs_options_choice(o, "colour"), 1);
    assert_int_equal(gbs_options_check(o), GBS_OK);
    gbs_options_free(o);
    assert_int_equal(gbs_options_create_with(ctx, GBS_FOR_CALLER, own, 1, sizeof *own, &o), GBS_OK);
    assert_int_equal(gbs_options_set(o, "loss", "hinge"), GBS_ERR_ARGUMENT);
    gbs_options_free(o);
    assert_int_equal(gbs_options_create(ctx, "dance", &o), GBS_ERR_ARGUMENT);
    assert_null(o);
    gbs_context_free(ctx);
}

/* A program built with a longer struct than the library's. */
struct longer_option {
    gbs_option line;
    const char *later[3];
};

static void lines_may_be_of_another_size(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o, *copy;
    struct longer_option lines[3];
    memset(lines, 0xa5, sizeof lines);
    for (size_t k = 0; k < 3; k++)
        lines[k].line = own[0];
    lines[1].line.name = "shape";
    lines[2].line.name = "size";
    assert_int_equal(
        gbs_options_create_with(ctx, GBS_FOR_FIT, &lines[0].line, 3, sizeof *lines, &o), GBS_OK);
    assert_int_equal(gbs_options_set(o, "size", "blue"), GBS_OK);
    assert_int_equal(gbs_options_copy(o, &copy), GBS_OK);
    memset(lines, 0, sizeof lines); /* they were copied */
    assert_string_equal(gbs_options_get(copy, "shape"), "red");
    assert_string_equal(gbs_options_get(copy, "size"), "blue");
    assert_null(gbs_options_line(copy, "later"));
    gbs_options_free(o);
    assert_int_equal(gbs_options_create_with(ctx, GBS_FOR_FIT, own, 1, 8, &o), GBS_ERR_ARGUMENT);
    assert_null(o);
    assert_true(strstr(gbs_error_message(ctx), "sizeof(gbs_option)") != NULL);
    gbs_context_free(ctx); /* handles outlive it */
    gbs_options_free(copy);
}

struct clash {
    const char *command, *set[3][2];
};

static void contradictions_are_refused(void **state) {
    (void)state;
    static const struct clash clashes[] = {
        {"fit", {{"lambda", "1"}, {"lambda-grid", "1:2:2"}}},
        {"fit", {{"prior-sd", "1"}, {"prior-grid", "1:2:2"}}},
        {"fit", {{"batch", "10"}}},
        {"fit", {{"restarts", "2"}, {"solver", "sgd"}}},
        {"fit", {{"form", "dual"}, {"family", "diagonal"}}},
        {"fit", {{"folds", "3"}}},
        {"fit", {{"select", "cv"}, {"lambda", "1"}, {"prior-sd", "1"}}},
        {"fit", {{"select", "bound"}}},
        {"fit", {{"select", "last"}, {"prior-grid", "1:2:2"}}},
        {"fit", {{"paper", NULL}, {"lambda", "3"}}},
        {"fit", {{"paper", NULL}, {"prior", "informed"}}},
        {"fit", {{"bound", "progressive"}, {"lambda-grid", "1:2:2"}}},
        {"fit", {{"blocks", "2"}, {"bound", "kl"}}},
        {"fit", {{"prior-split", "0.5"}, {"prior", "zero"}}},
        {"fit", {{"pairs", "100"}}},
        {"fit", {{"task", "rank"}, {"loss", "exponential"}}},
        {"fit", {{"task", "rank"}, {"stratify", NULL}}},
        {"sample", {{"classic", NULL}, {"chains", "4"}}},
        {"gap", {{"classic", NULL}, {"waste-free", NULL}}},
        {"complete", {{"lambda", "1"}, {"noise", "1"}}},
        {"complete", {{"folds", "3"}}},
        {"complete", {{"prior", "informed"}}},
        {"complete", {{"draws", "10"}}},
        {"theory", {{"rows", "10"}, {"cols", "10"}}}};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < sizeof clashes / sizeof *clashes; k++) {
        gbs_options *o;
        assert_int_equal(gbs_options_create(ctx, clashes[k].command, &o), GBS_OK);
        assert_int_equal(gbs_options_check(o), GBS_OK);
        for (size_t i = 0; i < 3 && clashes[k].set[i][0] != NULL; i++)
            assert_int_equal(gbs_options_set(o, clashes[k].set[i][0], clashes[k].set[i][1]),
                             GBS_OK);
        assert_int_equal(gbs_options_check(o), GBS_ERR_ARGUMENT);
        assert_true(strchr(gbs_error_message(ctx), '`') != NULL);
        gbs_options_free(o);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_sound),
        cmocka_unit_test(a_value_out_of_range_is_refused),
        cmocka_unit_test(values_come_back_by_type),
        cmocka_unit_test(options_fill_their_settings),
        cmocka_unit_test(callers_may_add_lines),
        cmocka_unit_test(lines_may_be_of_another_size),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
