/* Options with one member out of range, by the place of the member in its struct. */
#ifndef GIBBSITE_TESTS_MISUSE_H
#define GIBBSITE_TESTS_MISUSE_H

#include "unit/host.h"

/* A member, and what a message about it has to contain: its name, or the option that fills it, in
 * the backquotes by which programs know options and spell them their own way. */
struct member {
    const char *name;
    size_t at;
};

#define MEMBER(type, name)                                                                         \
    { #name, offsetof(type, name) }
#define OPTION(type, name, option)                                                                 \
    { "`" option "`", offsetof(type, name) }

/* The call that must refuse the options. */
typedef gbs_status (*optioned_call)(gbs_context *ctx, const void *options, void *user);

static inline void check_refused(gbs_context *ctx, optioned_call call, const void *options,
                                 void *user, const char *name, double value, const char *file,
                                 int line) {
    gbs_status status = call(ctx, options, user);
    bool named = strstr(gbs_error_message(ctx), name) != NULL;
    bool flagged = strstr(gbs_error_message(ctx), "--") != NULL;
    if (status == GBS_ERR_ARGUMENT && named && !flagged)
        return;
    print_error("%s = %g: status %d, '%s'\n", name, value, (int)status, gbs_error_message(ctx));
    _fail(file, line);
}

#define assert_options_refused(ctx, call, options, user, name, value)                              \
    check_refused((ctx), (call), (options), (user), (name), (value), __FILE__, __LINE__)

/* `size` bytes of `defaults` with `bytes` at the member's place. */
static inline void change(void *options, const void *defaults, size_t size, struct member m,
                          const void *value, size_t bytes) {
    memcpy(options, defaults, size);
    memcpy((char *)options + m.at, value, bytes);
}

/* An enumeration of `count` values: others do not exist, and the message lists those that do. */
static inline void refuse_choice(gbs_context *ctx, optioned_call call, void *user,
                                 const void *defaults, size_t size, struct member m, int count) {
    void *options = take(1, size);
    const int bad[] = {-1, count, 99, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < COUNT(bad); k++) {
        char last[32];
        change(options, defaults, size, m, &bad[k], sizeof bad[k]);
        assert_options_refused(ctx, call, options, user, m.name, bad[k]);
        snprintf(last, sizeof last, "or %d (", count - 1);
        assert_non_null(strstr(gbs_error_message(ctx), last));
    }
    free(options);
}

/* NaN, the infinities, and `count` values more. */
static inline void refuse_number(gbs_context *ctx, optioned_call call, void *user,
                                 const void *defaults, size_t size, struct member m,
                                 const double *more, size_t count) {
    void *options = take(1, size);
    static const double never[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < COUNT(never) + count; k++) {
        double value = k < COUNT(never) ? never[k] : more[k - COUNT(never)];
        change(options, defaults, size, m, &value, sizeof value);
        assert_options_refused(ctx, call, options, user, m.name, value);
    }
    free(options);
}

static inline void refuse_size(gbs_context *ctx, optioned_call call, void *user,
                               const void *defaults, size_t size, struct member m, size_t value) {
    void *options = take(1, size);
    change(options, defaults, size, m, &value, sizeof value);
    assert_options_refused(ctx, call, options, user, m.name, (double)value);
    free(options);
}

#endif
