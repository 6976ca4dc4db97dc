/* Which device a context's passes run on. */
#include "pass/device.h"

#include "core/check.h"
#include "options/names.h"
#include "pass/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#define ONE_MORE(name) , name
static const char *const names[] = {GBS_DEVICES(GBS_PLAIN, ONE_MORE)};
enum { CPU, CUDA, DEVICES };

const char *gbs_device_name(size_t k) {
    return k < DEVICES ? names[k] : NULL;
}

static gbs_status find(gbs_context *ctx, const char *name, size_t *k) {
    for (*k = 0; *k < DEVICES; ++*k)
        if (strcmp(names[*k], name) == 0)
            return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`device`: expected cpu or cuda, found '%.60s'", name);
}

/* NULL for this machine's processors; on failure *out is as before. */
static gbs_status make(gbs_context *ctx, const char *name, gbs_device **out) {
    size_t k;
    gbs_cuda *cuda = NULL;
    gbs_status status = find(ctx, name, &k);
    if (status == GBS_OK && k == CUDA && ctx->crew != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`device` %s: the context is one of several ranks",
                        name);
    if (status == GBS_OK && k == CUDA)
        status = gbs_cuda_load(ctx, &cuda);
    if (status == GBS_OK)
        *out = cuda != NULL ? &cuda->head : NULL;
    return status;
}

static void release(gbs_context *ctx, gbs_device *device) {
    if (device != NULL)
        device->release(ctx, device);
}

gbs_status gbs_context_set_device(gbs_context *ctx, const char *device) {
    gbs_device *made = NULL;
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    GBS_NEEDS(ctx, device);
    gbs_status status = gbs_context_idle(ctx, "gbs_context_set_device");
    if (status == GBS_OK)
        status = make(ctx, device, &made);
    if (status != GBS_OK)
        return status;
    release(ctx, ctx->device);
    ctx->device = made;
    return GBS_OK;
}

gbs_status gbs_device_begin(gbs_context *ctx, const char *device, gbs_device **before) {
    *before = ctx->device;
    if (device == NULL || (strcmp(device, names[CUDA]) == 0 && ctx->device != NULL))
        return GBS_OK;
    return make(ctx, device, &ctx->device);
}

void gbs_device_end(gbs_context *ctx, gbs_device *before) {
    if (ctx->device != before)
        release(ctx, ctx->device);
    ctx->device = before;
}

gbs_status gbs_device_describe(gbs_context *ctx, const char *device, char *text, size_t room) {
    size_t k;
    gbs_cuda *cuda = NULL;
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    GBS_NEEDS(ctx, device);
    GBS_NEEDS(ctx, text);
    gbs_status status = find(ctx, device, &k);
    if (status == GBS_OK && k == CUDA)
        status = gbs_cuda_load(ctx, &cuda);
    if (status != GBS_OK) {
        const char *words = gbs_error_message(ctx), *colon = strstr(words, ": ");
        snprintf(text, room, "%s", k == CUDA && colon != NULL ? colon + 2 : words);
        return status;
    }
    if (cuda == NULL) {
        gbs_context_count(ctx);
        snprintf(text, room, "%d processors", ctx->cpus);
        return GBS_OK;
    }
    gbs_cuda_words(cuda, text, room);
    cuda->head.release(ctx, &cuda->head);
    return GBS_OK;
}
