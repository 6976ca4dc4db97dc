/* Files of models, samples and completions on disk, read whole. */
#include "core/check.h"
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Models beyond this are refused when read: no model has 4 GB of JSON. */
#define LARGEST_MODEL ((size_t)1 << 32)

static gbs_status io_error(gbs_context *ctx, const char *path, int error) {
    return gbs_fail(ctx, GBS_ERR_IO, "%s: %s", path, strerror(error));
}

gbs_status gbs_model_save(gbs_context *ctx, const gbs_model *model, const char *path) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, path);
    char *text;
    size_t size;
    gbs_status status = gbs_model_to_json(ctx, model, &text, &size);
    if (status == GBS_OK)
        status = gbs_write_file(ctx, path, text, size);
    gbs_release(ctx, text);
    return status;
}

/* Grows as the bytes come, so that a pipe works and a lying size does not matter. */
static gbs_status read_whole(gbs_context *ctx, const char *path, FILE *file, char **out,
                             size_t *size) {
    struct stat about;
    size_t room = 1 << 16, used = 0;
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        (size_t)about.st_size < LARGEST_MODEL)
        room = (size_t)about.st_size + 1;
    char *text = gbs_array_alloc(ctx, room, 1);
    while (text != NULL) {
        used += fread(text + used, 1, room - used, file);
        if (used < room)
            break;
        char *larger = room <= LARGEST_MODEL / 2 ? gbs_array_alloc(ctx, room * 2, 1) : NULL;
        if (larger != NULL)
            memcpy(larger, text, used);
        gbs_array_free(ctx, text);
        text = larger;
        room *= 2;
    }
    if (text == NULL)
        return gbs_fail(ctx, GBS_ERR_MEMORY,
                        room > LARGEST_MODEL ? "%s: too large for a model" : "%s: out of memory",
                        path);
    if (ferror(file)) {
        gbs_array_free(ctx, text);
        return io_error(ctx, path, errno);
    }
    *out = text;
    *size = used;
    return GBS_OK;
}

/* What parse says of the text in `path`; the words of a format error name the file. */
static gbs_status load(gbs_context *ctx, const char *path,
                       gbs_status (*parse)(gbs_context *, const char *, size_t, void *),
                       void *out) {
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return io_error(ctx, path, errno);
    char *text = NULL;
    size_t size = 0;
    gbs_status status = read_whole(ctx, path, file, &text, &size);
    fclose(file);
    if (status != GBS_OK)
        return status;
    status = parse(ctx, text, size, out);
    gbs_array_free(ctx, text);
    if (status == GBS_ERR_FORMAT) {
        char reason[sizeof ctx->error];
        memcpy(reason, ctx->error, sizeof reason);
        gbs_fail(ctx, GBS_ERR_FORMAT, "%.200s: %.300s", path, reason);
    }
    return status;
}

static gbs_status parse_model(gbs_context *ctx, const char *text, size_t size, void *out) {
    return gbs_model_from_json(ctx, text, size, out);
}

gbs_status gbs_model_load(gbs_context *ctx, const char *path, gbs_model **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    return load(ctx, path, parse_model, out);
}

/* Where to put what a file holds; NULL: not here. */
struct any {
    gbs_model **model;
    gbs_particles **particles;
    gbs_completion **completion;
};

/* A file that holds no model says so before its numbers begin. */
static bool is_kind(const char *text, size_t size, const char *kind) {
    char mark[32];
    size_t length = (size_t)snprintf(mark, sizeof mark, "\"kind\":\"%s\"", kind);
    return text != NULL && memmem(text, size < 4096 ? size : 4096, mark, length) != NULL;
}

static gbs_status parse_any(gbs_context *ctx, const char *text, size_t size, void *out) {
    const struct any *any = out;
    if (any->completion != NULL && is_kind(text, size, "completion"))
        return gbs_completion_from_json(ctx, text, size, any->completion);
    if (is_kind(text, size, "sample"))
        return gbs_particles_from_json(ctx, text, size, any->particles);
    return gbs_model_from_json(ctx, text, size, any->model);
}

gbs_status gbs_load(gbs_context *ctx, const char *path, gbs_model **model,
                    gbs_particles **particles) {
    if (model != NULL)
        *model = NULL;
    if (particles != NULL)
        *particles = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, particles);
    struct any any = {.model = model, .particles = particles};
    return load(ctx, path, parse_any, &any);
}

gbs_status gbs_load_any(gbs_context *ctx, const char *path, gbs_model **model,
                        gbs_particles **particles, gbs_completion **completion) {
    if (model != NULL)
        *model = NULL;
    if (particles != NULL)
        *particles = NULL;
    if (completion != NULL)
        *completion = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, particles);
    GBS_NEEDS(ctx, completion);
    struct any any = {model, particles, completion};
    return load(ctx, path, parse_any, &any);
}
