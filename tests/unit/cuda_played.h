/* A driver and a cuBLAS that are played by this machine, for the kernels of cuda_twin.h: what is
 * allocated, launched and multiplied is counted, and an allocation may be refused. */
#ifndef GIBBSITE_TESTS_CUDA_PLAYED_H
#define GIBBSITE_TESTS_CUDA_PLAYED_H

#include "unit/cuda_twin.h"

#include "pass/cuda/kernels.cu"

#include "pass/cuda/cuda.h"
#include "unit/support.h"

#include <cblas.h>

#define PLAY(kernel, type)                                                                         \
    static void play_##kernel(void *arguments) {                                                   \
        kernel(*(gbs_cuda_##type##_arguments *)arguments);                                         \
    }
GBS_CUDA_KERNELS(PLAY)
#undef PLAY

static const struct {
    const char *name;
    void (*play)(void *);
} kernels[] = {
#define LINE(kernel, type) {#kernel, play_##kernel},
    GBS_CUDA_KERNELS(LINE)
#undef LINE
};

static struct {
    size_t allocations, launches, products;
    size_t fail_at;          /* the allocation that is refused; 0: none */
    size_t pushed, retained; /* contexts that are current, and in use */
    int push_error;          /* not 0: no context becomes current */
} played;

static int play_number(int *value, int number) {
    *value = number;
    return 0;
}

static int play_init(unsigned int flags) {
    (void)flags;
    return 0;
}

static int play_count(int *count) {
    return play_number(count, 1);
}

static int play_name(char *name, int room, int device) {
    (void)device;
    snprintf(name, (size_t)room, "a played device");
    return 0;
}

static int play_total(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

static int play_attribute(int *value, int which, int device) {
    (void)device;
    return play_number(value, which == GBS_CUDA_MULTIPROCESSORS ? 2 : TWIN_SHARED);
}

static int play_retain(void **context, int device) {
    (void)device;
    *context = &played;
    played.retained++;
    return 0;
}

static int play_release(int device) {
    (void)device;
    assert_true(played.retained-- > 0);
    return 0;
}

static int play_push(void *context) {
    if (context != &played || played.push_error != 0)
        return context != &played ? 1 : played.push_error;
    played.pushed++;
    return 0;
}

static int play_pop(void **context) {
    assert_true(played.pushed-- > 0);
    *context = &played;
    return 0;
}

static int play_load(void **module, const void *image) {
    *module = (void *)image;
    return 0;
}

static int play_unload(void *module) {
    return module != NULL ? 0 : 1;
}

static int play_function(void **function, void *module, const char *name) {
    (void)module;
    for (size_t k = 0; k < COUNT(kernels); k++)
        if (strcmp(kernels[k].name, name) == 0) {
            *function = (void *)&kernels[k];
            return 0;
        }
    return 500;
}

static int play_set(void *function, int which, int value) {
    (void)function;
    return which == GBS_CUDA_MOST_SHARED && value <= TWIN_SHARED ? 0 : 1;
}

static int play_allocate(gbs_cuda_address *address, size_t bytes) {
    if (++played.allocations == played.fail_at)
        return GBS_CUDA_OUT_OF_MEMORY;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(memory, 0xff, bytes); /* NaN */
    *address = (gbs_cuda_address)(size_t)memory;
    return 0;
}

static int play_free(gbs_cuda_address address) {
    free((void *)(size_t)address);
    return 0;
}

static int play_to_device(gbs_cuda_address to, const void *from, size_t bytes) {
    memcpy((void *)(size_t)to, from, bytes);
    return 0;
}

static int play_to_host(void *to, gbs_cuda_address from, size_t bytes) {
    memcpy(to, (const void *)(size_t)from, bytes);
    return 0;
}

static int play_copy(const gbs_cuda_copy *what) {
    assert_int_equal(what->from_kind, GBS_CUDA_HOST);
    for (size_t i = 0; i < what->height; i++)
        memcpy((char *)(size_t)what->to + i * what->to_pitch,
               (const char *)what->from_host + i * what->from_pitch, what->width);
    return 0;
}

static int play_clear(gbs_cuda_address address, unsigned char value, size_t bytes) {
    memset((void *)(size_t)address, value, bytes);
    return 0;
}

static int play_wait(void) {
    return 0;
}

static int play_launch(void *function, unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                       unsigned int block_z, unsigned int shared, void *stream, void **arguments,
                       void **extra) {
    (void)stream;
    (void)extra;
    assert_true(grid_z == 1 && block_y == 1 && block_z == 1 && grid_y < 65536);
    assert_true(block_x <= TWIN_THREADS && shared <= TWIN_SHARED);
    played.launches++;
    size_t k = 0;
    while (&kernels[k] != function)
        k++;
    twin_run(kernels[k].play, arguments[0], grid_x, grid_y, block_x, shared);
    return 0;
}

static int play_error(int error, const char **name) {
    *name = error == 500 ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR";
    return 0;
}

static int play_create(void **handle) {
    *handle = &played;
    return 0;
}

static int play_destroy(void *handle) {
    return handle == &played ? 0 : 1;
}

static int play_multiply(void *handle, int a_way, int b_way, int m, int n, int k,
                         const double *alpha, const double *a, int lda, const double *b, int ldb,
                         const double *beta, double *c, int ldc) {
    (void)handle;
    played.products++;
    cblas_dgemm(CblasColMajor, a_way ? CblasTrans : CblasNoTrans, b_way ? CblasTrans : CblasNoTrans,
                m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
    return 0;
}

static const gbs_cuda_driver driver = {
    play_init,     play_count,   play_number,   play_name,   play_total,     play_attribute,
    play_retain,   play_release, play_push,     play_pop,    play_load,      play_unload,
    play_function, play_set,     play_allocate, play_free,   play_to_device, play_to_host,
    play_copy,     play_clear,   play_wait,     play_launch, play_error};
static const gbs_cuda_blas blas = {play_create, play_destroy, play_multiply};

/* A context on the played device. */
static gbs_context *played_context(void) {
    gbs_context *ctx = new_context(2, 1);
    gbs_cuda *device;
    assert_ok(ctx, gbs_cuda_open(ctx, &driver, &blas, "an image", &device));
    ctx->device = &device->head;
    return ctx;
}

#endif
