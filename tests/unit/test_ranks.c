/* Ranks: several contexts that divide one work get the bits of one, and hear of each other's
 * failures. Here they are threads (thread_ranks.h); tests/cli/mpi.sh has processes over MPI. */
#include "core/ranks.h"
#include "unit/scratch.h"
#include "unit/thread_ranks.h"

#include <unistd.h>

/* ---------------------------------------------------------------- the same bits */

/* The text without what the clock put in: "seconds":0.1 */
static char *timeless(gbs_context *ctx, char *text) {
    static const char key[] = "\"seconds\":";
    char *out = text != NULL ? strdup(text) : NULL;
    for (char *at = out != NULL ? strstr(out, key) : NULL; at != NULL; at = strstr(at, key)) {
        at += strlen(key);
        size_t number = strspn(at, "0123456789+-.e");
        memmove(at, at + number, strlen(at + number) + 1);
    }
    gbs_release(ctx, text);
    return out;
}

struct setting {
    const char *command;
    const char *option[8]; /* names and values by turns */
};

static gbs_options *options_of(gbs_context *ctx, const struct setting *s) {
    gbs_options *options = NULL;
    if (gbs_options_create(ctx, s->command, &options) != GBS_OK)
        return NULL;
    for (size_t k = 0; k < COUNT(s->option) && s->option[k] != NULL; k += 2)
        if (gbs_options_set(options, s->option[k], s->option[k + 1]) != GBS_OK)
            fprintf(stderr, "# %s: %s\n", s->option[k], gbs_error_message(ctx));
    return options;
}

enum { RATINGS = 6000, RATED_ROWS = 150, RATED_COLUMNS = 80 };

/* Made before the ranks begin: they only read them. */
static struct table_of_numbers dense, sparse, fewer; /* fewer: the first rows of dense */
static uint32_t rated_row[RATINGS], rated_column[RATINGS];
static double rating[RATINGS];

static int make_tables(void **state) {
    struct dice r = {77};
    (void)state;
    dense = small_table(31, 2400, repeats(16, 8));
    fewer = dense;
    fewer.n = 900;
    sparse = make_table(&r, 2400, repeats(60, 30), 0.2, 0.5);
    r = (struct dice){5};
    for (size_t e = 0; e < RATINGS; e++) { /* each cell once: steps through all of them */
        size_t cell = e * 2 % (RATED_ROWS * RATED_COLUMNS - 1);
        rated_row[e] = (uint32_t)(cell / RATED_COLUMNS);
        rated_column[e] = (uint32_t)(cell % RATED_COLUMNS);
        rating[e] = sin(0.1 * rated_row[e]) * cos(0.3 * rated_column[e]) + 0.3 * dice_normal(&r);
    }
    return 0;
}

static int drop_tables(void **state) {
    (void)state;
    free_table(&dense);
    free_table(&sparse);
    return 0;
}

/* A fit or a sampling and what it says of each row. */
static char *learn(gbs_context *ctx, const struct table_of_numbers *t, bool csr,
                   const struct setting *s) {
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    gbs_particles *particles = NULL;
    gbs_options *options = options_of(ctx, s);
    char *text = NULL;
    gbs_status status = csr ? gbs_data_csr(ctx, t->n, t->d, t->start, t->column, t->value, t->y,
                                           GBS_BORROW, &data)
                            : gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_BORROW, &data);
    bool sample = strcmp(s->command, "sample") == 0;
    if (status == GBS_OK)
        status = sample ? gbs_sample(ctx, data, options, &particles)
                        : gbs_fit(ctx, data, options, &model);
    if (status == GBS_OK)
        status = sample ? gbs_particles_to_json(ctx, particles, &text, NULL)
                        : gbs_model_to_json(ctx, model, &text, NULL);
    if (status != GBS_OK)
        fprintf(stderr, "# %s\n", gbs_error_message(ctx));
    gbs_particles_free(particles);
    gbs_model_free(model);
    gbs_options_free(options);
    gbs_data_free(data);
    return timeless(ctx, text);
}

static char *learn_dense(gbs_context *ctx, size_t rank, const void *arg) {
    (void)rank;
    return learn(ctx, &dense, false, arg);
}

static char *learn_fewer(gbs_context *ctx, size_t rank, const void *arg) {
    (void)rank;
    return learn(ctx, &fewer, false, arg);
}

static char *learn_sparse(gbs_context *ctx, size_t rank, const void *arg) {
    (void)rank;
    return learn(ctx, &sparse, true, arg);
}

/* The same text from every rank as from one context without ranks (where only the order of accesses
 * is looked at, as from the first rank); and something travelled. */
static void check_job(rank_job job, const void *arg, size_t few, size_t most) {
    gbs_context *ctx = new_context(1, 1);
    char *expected = only_order() ? NULL : job(ctx, 0, arg);
    assert_true(expected != NULL || only_order());
    for (size_t size = few; size <= most; size++) {
        struct rank_run run[MOST_RANKS];
        run_ranks(size, size == 3 ? 2 : 1, job, arg, run);
        for (size_t r = 0; r < size; r++) {
            assert_non_null(run[r].text);
            assert_string_equal(run[r].text, expected != NULL ? expected : run[0].text);
            assert_true(size == 1 || run[r].exchanges > 0);
        }
        for (size_t r = 0; r < size; r++)
            free(run[r].text);
    }
    free(expected);
    gbs_context_free(ctx);
}

static void every_loss_and_family_keeps_its_bits(void **state) {
    static const char *const losses[] = {"zero-one", "hinge", "exponential", "probit"};
    static const char *const families[] = {"fixed", "isotropic", "diagonal", "full"};
    (void)state;
    for (size_t l = 0; l < COUNT(losses); l++)
        for (size_t f = 0; f < COUNT(families); f++) {
            if (short_form() && l != f % COUNT(losses)) /* each of both once */
                continue;
            struct setting s = {"fit", {"loss", losses[l], "family", families[f], "prior", "zero"}};
            check_job(learn_dense, &s, 2, repeats(4, 2));
            check_job(learn_sparse, &s, 2, 2);
        }
}

static void an_informed_fit_keeps_its_bits(void **state) {
    static const struct setting plain = {"fit", {NULL}};
    static const struct setting chosen = {
        "fit", {"lambda-grid", "100:1000:3", "select", "cv", "folds", "2"}};
    (void)state;
    check_job(learn_sparse, &plain, repeats(3, 2), repeats(3, 2));
    check_job(learn_sparse, &chosen, 2, 2);
}

static void pairs_keep_their_bits(void **state) {
    static const char *const losses[] = {"hinge", "zero-one"};
    static const char *const families[] = {"isotropic", "fixed", "diagonal", "full"};
    (void)state;
    /* pairs grow with the square of the rows: all of them once, then so few that of four ranks one
     * has nothing to do */
    for (size_t k = 0; k < repeats(COUNT(losses) * COUNT(families), 1); k++) {
        struct setting s = {"fit",
                            {"task", "rank", "loss", losses[k / COUNT(families)], "family",
                             families[k % COUNT(families)], "prior", "zero"}};
        check_job(k == 0 && !short_form() ? learn_dense : learn_fewer, &s, 2, repeats(4, 2));
    }
}

static void particles_keep_their_bits(void **state) {
    static const struct setting some = {"sample", {"particles", "400", "lambda", "200"}},
                                classic = {"sample",
                                           {"particles", "200", "lambda", "100", "classic", "yes"}};
    (void)state;
    check_job(learn_dense, &some, 2, repeats(4, 2));
    check_job(learn_dense, &classic, 3, 3);
}

/* ---------------------------------------------------------------- ratings */

static char *complete(gbs_context *ctx, size_t rank, const void *arg) {
    gbs_ratings *ratings = NULL;
    gbs_completion *model = NULL;
    gbs_options *options = options_of(ctx, arg);
    char *text = NULL;
    (void)rank;
    gbs_status status = gbs_ratings_create(ctx, RATINGS, RATED_ROWS, RATED_COLUMNS, rated_row,
                                           rated_column, rating, NULL, NULL, &ratings);
    if (status == GBS_OK)
        status = gbs_complete(ctx, ratings, options, &model);
    if (status == GBS_OK)
        status = gbs_completion_to_json(ctx, model, &text, NULL);
    if (status != GBS_OK)
        fprintf(stderr, "# %s\n", gbs_error_message(ctx));
    gbs_completion_free(model);
    gbs_ratings_free(ratings);
    gbs_options_free(options);
    return timeless(ctx, text);
}

static void completions_keep_their_bits(void **state) {
    static const struct setting hierarchical = {"complete", {"rank", "4", "max-iter", "8"}},
                                paper = {"complete",
                                         {"model", "paper", "rank", "3", "max-iter", "8"}};
    (void)state;
    check_job(complete, &hierarchical, 2, repeats(4, 2));
    check_job(complete, &paper, 2, repeats(4, 2));
}

/* ---------------------------------------------------------------- failures */

struct failure {
    size_t rank; /* that gives up */
    bool all;
};

/* One rank gives up; the others are in a fit then, or come to the same place. */
static char *one_fails(gbs_context *ctx, size_t rank, const void *arg) {
    static const struct setting s = {"fit", {"loss", "hinge", "prior", "zero"}};
    const struct failure *f = arg;
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    gbs_options *options = options_of(ctx, &s);
    gbs_status status = GBS_OK;
    const char *words = "no room";
    if (f->all || rank == f->rank)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_data_dense(ctx, dense.n, dense.d, dense.x, dense.d, dense.y, GBS_BORROW,
                                &data);
    if (status == GBS_OK) {
        status = gbs_fit(ctx, data, options, &model);
        words = NULL;
    }
    status = gbs_ranks_agree(ctx, status, words);
    int lost = gbs_ranks_lost(ctx, &words);
    char text[400];
    snprintf(text, sizeof text, "%s %d %s|%s", model != NULL ? "model" : "none", (int)status, words,
             status == GBS_ERR_IO ? gbs_error_message(ctx) : "");
    if (!lost && !f->all)
        snprintf(text, sizeof text, "nobody noticed");
    gbs_model_free(model);
    gbs_options_free(options);
    gbs_data_free(data);
    return strdup(text);
}

static void a_rank_that_fails_ends_the_work_of_all(void **state) {
    (void)state;
    for (size_t who = 0; who < 3; who++) {
        struct failure f = {who, false};
        struct rank_run run[MOST_RANKS];
        char own[200], others[400];
        run_ranks(3, 1, one_fails, &f, run);
        snprintf(own, sizeof own, "none %d rank %zu failed: no room|", GBS_ERR_MEMORY, who);
        snprintf(others, sizeof others, "none %d rank %zu failed: no room|rank %zu failed: no room",
                 GBS_ERR_IO, who, who);
        for (size_t r = 0; r < 3; r++) {
            assert_string_equal(run[r].text, r == who ? own : others);
            free(run[r].text);
        }
    }
}

static void what_fails_on_all_keeps_its_status(void **state) {
    struct failure f = {0, true};
    struct rank_run run[MOST_RANKS];
    char expected[40];
    (void)state;
    run_ranks(3, 1, one_fails, &f, run);
    snprintf(expected, sizeof expected, "none %d |", GBS_ERR_MEMORY);
    for (size_t r = 0; r < 3; r++) {
        assert_string_equal(run[r].text, expected);
        free(run[r].text);
    }
}

/* Ranks that were given different rows are found out before they mix up bytes. */
static char *different_rows(gbs_context *ctx, size_t rank, const void *arg) {
    static const struct setting s = {"fit", {"loss", "hinge", "prior", "zero"}};
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    gbs_options *options = options_of(ctx, &s);
    (void)arg;
    gbs_status status = gbs_data_dense(ctx, dense.n, rank == 0 ? dense.d : dense.d - 1, dense.x,
                                       dense.d, dense.y, GBS_BORROW, &data);
    if (status == GBS_OK)
        status = gbs_fit(ctx, data, options, &model);
    status = gbs_ranks_agree(ctx, status, NULL);
    bool told = status == GBS_ERR_IO && strstr(gbs_error_message(ctx), "same work") != NULL;
    gbs_model_free(model);
    gbs_options_free(options);
    gbs_data_free(data);
    return strdup(told ? "told" : gbs_error_message(ctx));
}

static void ranks_that_differ_are_told_so(void **state) {
    struct rank_run run[MOST_RANKS];
    (void)state;
    run_ranks(2, 1, different_rows, NULL, run);
    for (size_t r = 0; r < 2; r++) {
        assert_string_equal(run[r].text, "told");
        free(run[r].text);
    }
}

/* ---------------------------------------------------------------- rows, files, arguments */

/* Rank r has r + 1 rows of two numbers. */
static char *hand_over(gbs_context *ctx, size_t rank, const void *arg) {
    double own[2 * MOST_RANKS], *all = NULL;
    size_t count = 0;
    char text[400] = "";
    (void)arg;
    for (size_t k = 0; k < 2 * (rank + 1); k++)
        own[k] = (double)(10 * rank + k);
    if (gbs_ranks_rows(ctx, rank + 1, 2, own, &count, &all) != GBS_OK)
        return NULL;
    for (size_t k = 0; k < 2 * count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%g ", all[k]);
    gbs_release(ctx, all);
    return strdup(text);
}

static void rows_of_ranks_come_in_their_order(void **state) {
    struct rank_run run[MOST_RANKS];
    (void)state;
    run_ranks(3, 1, hand_over, NULL, run);
    for (size_t r = 0; r < 3; r++) {
        assert_string_equal(run[r].text, "0 1 10 11 12 13 20 21 22 23 24 25 ");
        assert_int_equal(run[r].bytes, 16 * (r + 1));
        free(run[r].text);
    }
    gbs_context *ctx = new_context(1, 1);
    double *all, one[2] = {3.0, 4.0};
    size_t count;
    assert_ok(ctx, gbs_ranks_rows(ctx, 1, 2, one, &count, &all));
    assert_int_equal(count, 1);
    assert_memory_equal(all, one, sizeof one);
    gbs_release(ctx, all);
    assert_int_equal(gbs_ranks_rows(ctx, 1, 0, one, &count, &all), GBS_ERR_ARGUMENT);
    assert_null(all);
    gbs_context_free(ctx);
}

static char *write_rank(gbs_context *ctx, size_t rank, const void *arg) {
    char text[2] = {(char)('0' + rank), '\0'};
    return gbs_write_file(ctx, arg, text, 1) == GBS_OK ? strdup("written") : NULL;
}

static void only_the_first_rank_writes(void **state) {
    char name[SCRATCH_ROOM], found[4] = "";
    struct rank_run run[MOST_RANKS];
    int fd = mkstemp(scratch_name(name));
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    run_ranks(4, 1, write_rank, name, run);
    for (size_t r = 0; r < 4; r++) {
        assert_string_equal(run[r].text, "written");
        free(run[r].text);
    }
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), 1);
    fclose(file);
    unlink(name);
    assert_string_equal(found, "0");
}

static void bad_tables_are_refused(void **state) {
    gbs_context *ctx = new_context(1, 1);
    struct meeting alone = {.size = 1};
    struct seat seat = {.meeting = &alone};
    gbs_ranks table = {.size = 1,
                       .user = &seat,
                       .largest = seat_largest,
                       .broadcast = seat_broadcast,
                       .gather = seat_gather,
                       .send = seat_send,
                       .receive = seat_receive};
    uint64_t exchanges = 7, bytes = 7;
    const char *words = NULL;
    (void)state;
    pthread_barrier_init(&alone.door, NULL, 1);
    assert_int_equal(gbs_context_set_ranks(NULL, &table), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_ranks(ctx, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_ranks(ctx, &(gbs_ranks){.size = 1}), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_ranks_agree(ctx, GBS_ERR_DATA, NULL), GBS_ERR_DATA);
    assert_int_equal(gbs_ranks_agree(NULL, GBS_OK, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_ranks_lost(ctx, &words), 0);
    assert_string_equal(words, "");
    gbs_ranks_traffic(ctx, &exchanges, &bytes);
    assert_int_equal(exchanges + bytes, 0);
    assert_ok(ctx, gbs_context_set_ranks(ctx, &table));
    assert_int_equal(gbs_context_set_ranks(ctx, &table), GBS_ERR_ARGUMENT);
    gbs_context_free(ctx);
    pthread_barrier_destroy(&alone.door);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_family_keeps_its_bits),
        cmocka_unit_test(an_informed_fit_keeps_its_bits),
        cmocka_unit_test(pairs_keep_their_bits),
        cmocka_unit_test(particles_keep_their_bits),
        cmocka_unit_test(completions_keep_their_bits),
        cmocka_unit_test(a_rank_that_fails_ends_the_work_of_all),
        cmocka_unit_test(what_fails_on_all_keeps_its_status),
        cmocka_unit_test(ranks_that_differ_are_told_so),
        cmocka_unit_test(rows_of_ranks_come_in_their_order),
        cmocka_unit_test(only_the_first_rank_writes),
        cmocka_unit_test(bad_tables_are_refused),
    };
    return cmocka_run_group_tests_name("ranks", tests, make_tables, drop_tables);
}
