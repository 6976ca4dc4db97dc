/* A device: its kernels, the memory that passes work in, copies, products. */
#include "pass/cuda/cuda.h"

#include <stdio.h>

/* ---------------------------------------------------------------- failures */

static void note(gbs_cuda_call *call, int error, const char *doing) {
    const char *name = NULL;
    if (error == 0 || call->status != GBS_OK)
        return;
    if (error == GBS_CUDA_OUT_OF_MEMORY) {
        call->status = gbs_fail(call->ctx, GBS_ERR_MEMORY, "the device is out of memory");
        return;
    }
    call->device->driver.error_name(error, &name);
    call->status = gbs_fail(call->ctx, GBS_ERR_IO, "the device failed: %s (%d) while %s",
                            name != NULL ? name : "an error", error, doing);
}

/* ---------------------------------------------------------------- a device's life */

static void close_device(gbs_context *ctx, gbs_device *head) {
    gbs_cuda *d = (gbs_cuda *)head;
    void *last;
    bool pushed = d->context != NULL && d->driver.push(d->context) == 0;
    if (pushed) {
        for (int k = 0; k < GBS_CUDA_ROOMS; k++)
            if (d->room[k] != 0)
                d->driver.free(d->room[k]);
        if (d->handle != NULL)
            d->blas.destroy(d->handle);
        if (d->module != NULL)
            d->driver.unload(d->module);
        d->driver.pop(&last);
    }
    if (d->context != NULL) /* what it still holds goes with it */
        d->driver.release(d->device);
    pthread_mutex_destroy(&d->mutex);
    gbs_array_free(ctx, d);
}

static const char *const kernel_names[] = {
#define NAME(name, arguments) #name,
    GBS_CUDA_KERNELS(NAME)
#undef NAME
};

/* With the device's context current. */
static const char *set_up(gbs_cuda *d, const void *image, int *error) {
    if ((*error = d->driver.load(&d->module, image)) != 0)
        return "loading the kernels";
    for (int k = 0; k < GBS_CUDA_KERNEL_COUNT; k++)
        if ((*error = d->driver.function(&d->kernel[k], d->module, kernel_names[k])) != 0)
            return kernel_names[k];
    *error = d->blas.create(&d->handle);
    return "starting cuBLAS";
}

gbs_status gbs_cuda_open(gbs_context *ctx, const gbs_cuda_driver *driver, const gbs_cuda_blas *blas,
                         const void *image, gbs_cuda **out) {
    gbs_cuda *d = gbs_array_alloc(ctx, 1, sizeof *d);
    const char *doing = "finding the device", *name = NULL;
    void *last;
    int error;
    *out = NULL;
    if (d == NULL)
        return GBS_ERR_MEMORY;
    d->head = (gbs_device){.pass = &gbs_cuda_pass, .release = close_device};
    d->driver = *driver;
    d->blas = *blas;
    pthread_mutex_init(&d->mutex, NULL);
    if ((error = driver->get(&d->device, 0)) == 0)
        error = driver->attribute(&d->multiprocessors, GBS_CUDA_MULTIPROCESSORS, d->device);
    if (error == 0)
        error = driver->retain(&d->context, d->device);
    if (error == 0 && (error = driver->push(d->context)) == 0) {
        doing = set_up(d, image, &error);
        driver->pop(&last);
    }
    if (error == 0) {
        *out = d;
        return GBS_OK;
    }
    driver->error_name(error, &name);
    close_device(ctx, &d->head);
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`device` cuda: %s (%d) while %s",
                    name != NULL ? name : "an error", error, doing);
}

void gbs_cuda_words(const gbs_cuda *d, char *text, size_t room) {
    char name[128] = "a GPU";
    size_t bytes = 0;
    d->driver.name(name, sizeof name, d->device);
    d->driver.total_memory(&bytes, d->device);
    name[sizeof name - 1] = '\0';
    snprintf(text, room, "%s, %.0f GiB, %d multiprocessors", name, (double)bytes / 0x1p30,
             d->multiprocessors);
}

/* ---------------------------------------------------------------- calls */

gbs_cuda_call gbs_cuda_begin(gbs_context *ctx, gbs_cuda *device) {
    gbs_cuda_call call = {.device = device, .ctx = ctx, .status = GBS_OK};
    pthread_mutex_lock(&device->mutex);
    int error = device->driver.push(device->context);
    call.pushed = error == 0;
    note(&call, error, "taking the device");
    return call;
}

gbs_status gbs_cuda_end(gbs_cuda_call *call) {
    gbs_cuda *d = call->device;
    void *last;
    if (call->pushed) /* else what is current is the caller's own */
        d->driver.pop(&last);
    call->pushed = false;
    pthread_mutex_unlock(&d->mutex);
    return call->status;
}

/* ---------------------------------------------------------------- memory */

static gbs_cuda_address address_of(const void *memory) {
    return (gbs_cuda_address)(size_t)memory;
}

void *gbs_cuda_bytes(gbs_cuda_call *call, int room, size_t bytes) {
    gbs_cuda *d = call->device;
    if (call->status == GBS_OK && d->room_bytes[room] < bytes) {
        if (d->room[room] != 0)
            d->driver.free(d->room[room]);
        d->room[room] = 0;
        d->room_bytes[room] = 0;
        note(call, d->driver.allocate(&d->room[room], bytes), "making room");
        if (call->status == GBS_OK)
            d->room_bytes[room] = bytes;
    }
    return call->status == GBS_OK ? (void *)(size_t)d->room[room] : NULL;
}

double *gbs_cuda_doubles(gbs_cuda_call *call, int room, size_t count) {
    return gbs_cuda_bytes(call, room, (count > 0 ? count : 1) * sizeof(double));
}

double *gbs_cuda_allocate(gbs_cuda_call *call, size_t count) {
    gbs_cuda_address address = 0;
    if (call->status == GBS_OK)
        note(call, call->device->driver.allocate(&address, count * sizeof(double)), "making room");
    return call->status == GBS_OK ? (double *)(size_t)address : NULL;
}

void gbs_cuda_free(gbs_cuda_call *call, const void *memory) {
    if (memory != NULL)
        call->device->driver.free(address_of(memory));
}

void gbs_cuda_clear(gbs_cuda_call *call, void *to, size_t bytes) {
    if (call->status == GBS_OK && bytes > 0)
        note(call, call->device->driver.clear(address_of(to), 0, bytes), "clearing memory");
}

void gbs_cuda_send(gbs_cuda_call *call, void *to, const void *from, size_t bytes) {
    if (call->status == GBS_OK && bytes > 0)
        note(call, call->device->driver.to_device(address_of(to), from, bytes), "sending");
}

void gbs_cuda_fetch(gbs_cuda_call *call, void *to, const void *from, size_t bytes) {
    if (call->status == GBS_OK && bytes > 0)
        note(call, call->device->driver.to_host(to, address_of(from), bytes), "computing");
}

void gbs_cuda_send_rows(gbs_cuda_call *call, size_t rows, size_t width, const double *from,
                        size_t from_ld, double *to, size_t to_ld) {
    gbs_cuda_copy copy = {.from_kind = GBS_CUDA_HOST,
                          .from_host = from,
                          .from_pitch = from_ld * sizeof(double),
                          .to_kind = GBS_CUDA_DEVICE,
                          .to = address_of(to),
                          .to_pitch = to_ld * sizeof(double),
                          .width = width * sizeof(double),
                          .height = rows};
    if (call->status == GBS_OK && rows > 0)
        note(call, call->device->driver.copy(&copy), "sending rows");
}

/* ---------------------------------------------------------------- kernels and products */

size_t gbs_cuda_blocks(const gbs_cuda *device, size_t cells) {
    size_t blocks = (cells + GBS_CUDA_THREADS - 1) / GBS_CUDA_THREADS,
           most = 16 * (size_t)device->multiprocessors;
    return blocks < 1 ? 1 : blocks < most ? blocks : most;
}

/* What a block may have without asking. */
enum { PLAIN_SHARED = 48 * 1024 };

void gbs_cuda_launch(gbs_cuda_call *call, int kernel, size_t blocks, size_t blocks_y, size_t shared,
                     void *arguments) {
    gbs_cuda *d = call->device;
    if (call->status != GBS_OK || blocks == 0 || blocks_y == 0)
        return;
    if (shared > PLAIN_SHARED)
        note(call, d->driver.set_attribute(d->kernel[kernel], GBS_CUDA_MOST_SHARED, (int)shared),
             kernel_names[kernel]);
    if (call->status == GBS_OK)
        note(call,
             d->driver.launch(d->kernel[kernel], (unsigned int)blocks, (unsigned int)blocks_y, 1,
                              GBS_CUDA_THREADS, 1, 1, (unsigned int)shared, NULL, &arguments, NULL),
             kernel_names[kernel]);
}

/* cuBLAS counts columns first: it is asked for c' = b'a'. */
void gbs_cuda_multiply(gbs_cuda_call *call, bool a_turned, bool b_turned, size_t m, size_t n,
                       size_t k, const double *a, size_t lda, const double *b, size_t ldb,
                       double keep, double *c, size_t ldc) {
    const double one = 1.0;
    gbs_cuda *d = call->device;
    if (call->status != GBS_OK || m == 0 || n == 0)
        return;
    int error = d->blas.multiply(d->handle, b_turned ? GBS_CUDA_TRANSPOSED : GBS_CUDA_AS_IT_IS,
                                 a_turned ? GBS_CUDA_TRANSPOSED : GBS_CUDA_AS_IT_IS, (int)n, (int)m,
                                 (int)k, &one, b, (int)ldb, a, (int)lda, &keep, c, (int)ldc);
    if (error != 0)
        call->status = gbs_fail(call->ctx, GBS_ERR_IO, "the device failed: error %d of cuBLAS",
                                error);
}

void gbs_cuda_sum(gbs_cuda_call *call, size_t parts, size_t stride, size_t count,
                  const double *part, double times, bool add, double *to) {
    gbs_cuda_parts_arguments a = {.parts = parts,
                                  .stride = stride,
                                  .count = count,
                                  .part = part,
                                  .times = times,
                                  .add = add,
                                  .to = to};
    gbs_cuda_launch(call, gbs_kernel_sum_parts_number, (count + GBS_CUDA_WARP - 1) / GBS_CUDA_WARP,
                    1, GBS_CUDA_THREADS * sizeof(double), &a);
}
