/* Which device a context's passes run on. */
#include "core/check.h"
#include "pass/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"cpu", "cuda"};
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

gbs_status gbs_context_set_device(gbs_context *ctx, const char *device) {
    size_t k;
    gbs_cuda *cuda = NULL;
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    GBS_NEEDS(ctx, device);
    gbs_status status = find(ctx, device, &k);
    if (status == GBS_OK && k == CUDA)
        status = gbs_cuda_load(ctx, &cuda);
    if (status != GBS_OK)
        return status;
    if (ctx->device != NULL)
        ctx->device->release(ctx, ctx->device);
    ctx->device = cuda != NULL ? &cuda->head : NULL;
    return GBS_OK;
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
        snprintf(text, room, "%d processors", ctx->cpus);
        return GBS_OK;
    }
    gbs_cuda_words(cuda, text, room);
    cuda->head.release(ctx, &cuda->head);
    return GBS_OK;
}
