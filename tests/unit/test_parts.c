/* Rows part by part: the same rows, labels, levels and scores as the file at once; a mistake is
 * found where it stands; files that are written piece by piece. */
#include "unit/people.h"

/* What the parts of a file add up to. */
struct sum {
    gbs_context *ctx;
    const gbs_model *model;
    size_t parts, rows, left_out, unseen;
    double score[ROWS], label[ROWS];
    size_t row[ROWS];
    char kept[ROWS][8];
    size_t stop; /* the part that says no; 0: none does */
};

static gbs_status add(const gbs_data *part, size_t before, void *user) {
    struct sum *s = user;
    size_t n = gbs_data_rows(part);
    assert_int_equal(before, s->rows + s->left_out);
    if (++s->parts == s->stop)
        return GBS_ERR_NUMERIC;
    if (n > 0)
        assert_ok(s->ctx,
                  gbs_model_predict(s->ctx, s->model, part, s->score + s->rows, NULL, NULL));
    for (size_t i = 0; i < n; i++) {
        s->label[s->rows + i] = gbs_data_labels(part)[i];
        s->row[s->rows + i] = before + gbs_data_table_row(part, i);
        if (gbs_data_kept_column(part, 0) != NULL)
            snprintf(s->kept[s->rows + i], sizeof s->kept[0], "%s",
                     gbs_data_kept(part, 0, gbs_data_table_row(part, i)));
    }
    for (size_t k = 0; k < gbs_recipe_inputs(gbs_data_recipe(part)); k++)
        s->unseen += gbs_data_unseen(part, k, NULL);
    s->left_out += gbs_data_left_out(part);
    s->rows += n;
    return GBS_OK;
}

static gbs_model *model_of(gbs_context *ctx, const char *path) {
    gbs_table *t;
    gbs_data *train;
    gbs_model *model;
    assert_ok(ctx, gbs_table_read(ctx, path, NULL, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &train));
    assert_ok(ctx, gbs_fit(ctx, train, NULL, &model));
    gbs_table_free(t);
    gbs_data_free(train);
    return model;
}

/* The file at once against parts of several sizes. Parts of whole strips have the same bits; of
 * others sums may be taken in another order. */
static void compare(gbs_context *ctx, const gbs_model *model, const char *path,
                    const gbs_options *o) {
    static const size_t sizes[] = {1, 7, 100, ROWS - 1, ROWS, 1000};
    static struct sum whole, parts;
    gbs_recipe *recipe;
    gbs_data *all;
    assert_ok(ctx, gbs_recipe_from_model(ctx, model, &recipe));
    assert_ok(ctx, gbs_table_read_for(ctx, path, recipe, GBS_WITH_LABELS, o, &all));
    whole = (struct sum){.ctx = ctx, .model = model};
    assert_ok(ctx, add(all, 0, &whole));
    for (size_t k = 0; k < COUNT(sizes); k++) {
        parts = (struct sum){.ctx = ctx, .model = model};
        assert_ok(ctx, gbs_table_read_parts(ctx, path, recipe, GBS_WITH_LABELS, o, sizes[k], add,
                                            &parts));
        size_t n = whole.rows;
        assert_int_equal(parts.rows, n);
        assert_int_equal(parts.left_out, whole.left_out);
        assert_int_equal(parts.unseen, whole.unseen);
        assert_int_equal(parts.parts, (n + whole.left_out + sizes[k] - 1) / sizes[k]);
        assert_memory_equal(parts.label, whole.label, n * sizeof *whole.label);
        assert_memory_equal(parts.row, whole.row, n * sizeof *whole.row);
        assert_memory_equal(parts.kept, whole.kept, n * sizeof *whole.kept);
        for (size_t i = 0; i < n; i++)
            assert_close(parts.score[i], whole.score[i], 1e-13, 1e-13);
    }
    assert_true(gbs_model_part_rows(model, 1) >= 1);
    parts = (struct sum){.ctx = ctx, .model = model};
    assert_ok(ctx, gbs_table_read_parts(ctx, path, recipe, GBS_WITH_LABELS, o,
                                        gbs_model_part_rows(model, 1), add, &parts));
    if (whole.left_out == 0)
        assert_memory_equal(parts.score, whole.score, whole.rows * sizeof *whole.score);
    gbs_data_free(all);
    gbs_recipe_free(recipe);
}

static void parts_of_a_csv_file_are_the_file(void **state) {
    (void)state;
    static struct people old, new;
    static char odd[ROWS * 64];
    gbs_context *ctx = new_context(1, 1);
    make_people(&old, 1);
    make_people(&new, 2);
    gbs_model *model = model_of(ctx, old.name);
    compare(ctx, model, new.name, NULL);

    /* blank lines, marks before the first number, levels that nobody has seen, missing cells */
    size_t used = 0, line = 0;
    for (const char *at = new.csv; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n") + 1;
        const char *comma = strchr(at, ',');
        if (line > 0 && (line < 4 || line % 50 == 0))
            used += (size_t)snprintf(odd + used, sizeof odd - used, "?%.*s",
                                     (int)(length - (size_t)(comma - at)), comma);
        else if (line > 0 && line % 30 == 0)
            used += (size_t)snprintf(odd + used, sizeof odd - used, "\n31,pilot%zu,40,yes\n", line);
        else
            used += (size_t)snprintf(odd + used, sizeof odd - used, "%.*s", (int)length, at);
        at += length;
    }
    char path[NAME_ROOM];
    write_file(path, odd);
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "predict", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "drop"));
    assert_ok(ctx, gbs_options_set(o, "keep", "age"));
    compare(ctx, model, path, o);
    unlink(path);
    gbs_options_free(o);
    gbs_model_free(model);
    forget_people(&old);
    forget_people(&new);
    gbs_context_free(ctx);
}

static void parts_of_an_svmlight_file_are_the_file(void **state) {
    (void)state;
    static char text[ROWS * 64];
    struct dice r = {3};
    size_t used = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double x = dice_normal(&r);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %zu:%.3f %zu:%.3f\n",
                                 i % 40 == 7 ? "# a remark\n" : "", x > 0.0 ? 1 : -1, i % 2 + 1, x,
                                 i % 9 + 5, dice_normal(&r));
    }
    char path[NAME_ROOM];
    write_file(path, text);
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    gbs_table *t;
    gbs_data *train;
    gbs_model *model;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "format", "svmlight"));
    assert_ok(ctx, gbs_table_read(ctx, path, o, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, o, &train));
    assert_ok(ctx, gbs_fit(ctx, train, o, &model));
    compare(ctx, model, path, o);
    unlink(path);
    gbs_model_free(model);
    gbs_data_free(train);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

static void a_mistake_is_found_where_it_stands(void **state) {
    (void)state;
    static struct people old;
    static struct sum s;
    gbs_context *ctx = new_context(1, 1);
    make_people(&old, 1);
    gbs_model *model = model_of(ctx, old.name);
    gbs_recipe *recipe;
    assert_ok(ctx, gbs_recipe_from_model(ctx, model, &recipe));
    char path[NAME_ROOM];
    write_file(path, "age,job,shoe,happy\n41,clerk,38,yes\n42,clerk,38,no\n43,clerk,38,no\n\n"
                     "old,clerk,38,no\n");
    s = (struct sum){.ctx = ctx, .model = model};
    assert_int_equal(gbs_table_read_parts(ctx, path, recipe, GBS_WITH_LABELS, NULL, 2, add, &s),
                     GBS_ERR_DATA);
    assert_int_equal(s.parts, 1);
    assert_non_null(strstr(gbs_error_message(ctx), ":6: column 'age'"));
    assert_non_null(strstr(gbs_error_message(ctx), "found 'old'"));

    s = (struct sum){.ctx = ctx, .model = model, .stop = 2}; /* the callback may end it */
    assert_int_equal(
        gbs_table_read_parts(ctx, old.name, recipe, GBS_WITH_LABELS, NULL, 50, add, &s),
        GBS_ERR_NUMERIC);
    assert_int_equal(s.parts, 2);
    assert_int_equal(gbs_table_read_parts(ctx, old.name, recipe, GBS_WITH_LABELS, NULL, 0, add, &s),
                     GBS_ERR_ARGUMENT);
    assert_int_equal(
        gbs_table_read_parts(ctx, old.name, recipe, GBS_WITH_LABELS, NULL, 5, NULL, &s),
        GBS_ERR_ARGUMENT);
    unlink(path);
    gbs_recipe_free(recipe);
    gbs_model_free(model);
    forget_people(&old);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- pieces */

struct pieces {
    size_t next, fails; /* the piece that fails; 0: none */
};

static gbs_status piece(const char **bytes, size_t *size, void *user) {
    static const char *const texts[] = {"one,", "two", "\nthree\n"};
    struct pieces *p = user;
    if (p->fails > 0 && p->next + 1 == p->fails)
        return GBS_ERR_NUMERIC;
    *bytes = p->next < COUNT(texts) ? texts[p->next] : NULL;
    *size = p->next < COUNT(texts) ? strlen(texts[p->next]) : 0;
    p->next++;
    return GBS_OK;
}

static void pieces_become_one_file_or_none(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    char path[NAME_ROOM], text[64] = "";
    write_file(path, "before");
    struct pieces p = {0, 2};
    assert_int_equal(gbs_write_pieces(ctx, path, piece, &p), GBS_ERR_NUMERIC);
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(text, 1, sizeof text, file), strlen("before"));
    fclose(file);
    p = (struct pieces){0, 0};
    assert_ok(ctx, gbs_write_pieces(ctx, path, piece, &p));
    file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "one,two\nthree\n");
    assert_int_equal(gbs_write_pieces(ctx, path, NULL, NULL), GBS_ERR_ARGUMENT);
    unlink(path);
    gbs_context_free(ctx);
}

static void particles_have_parts_of_their_own(void **state) {
    (void)state;
    assert_int_equal(gbs_particles_part_rows(NULL, 5), 5);
    assert_int_equal(gbs_model_part_rows(NULL, 5), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_csv_file_are_the_file),
        cmocka_unit_test(parts_of_an_svmlight_file_are_the_file),
        cmocka_unit_test(a_mistake_is_found_where_it_stands),
        cmocka_unit_test(pieces_become_one_file_or_none),
        cmocka_unit_test(particles_have_parts_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
