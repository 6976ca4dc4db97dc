/* Finds the driver of NVIDIA's graphics processors and cuBLAS on this machine, when a device is
 * asked for and not before. */
#include "pass/cuda/cuda.h"

#include <dlfcn.h>
#include <string.h>

/* GBS_CUDA_IMAGE is the compute capability that the kernels are compiled for, ten times. */
#ifdef GBS_CUDA_IMAGE
#include "pass/cuda/image.h"
static const void *const image = gbs_cuda_image;
enum { LEAST_CAPABILITY = GBS_CUDA_IMAGE };
#else
enum { LEAST_CAPABILITY = 0 };
static const void *const image = NULL;
#endif

/* Functions are kept as data on every system that has dlsym. */
static bool find(void *library, const char *symbol, void *member) {
    void *found = dlsym(library, symbol);
    memcpy(member, &found, sizeof found);
    return found != NULL;
}

static bool find_driver(void *library, gbs_cuda_driver *to, const char **missing) {
#define FIND(symbol, member, arguments)                                                            \
    if (!find(library, #symbol, &to->member)) {                                                    \
        *missing = #symbol;                                                                        \
        return false;                                                                              \
    }
    GBS_CUDA_DRIVER(FIND)
    return true;
}

static bool find_blas(void *library, gbs_cuda_blas *to, const char **missing) {
    GBS_CUDA_BLAS(FIND)
    return true;
#undef FIND
}

static void *open_blas(void) {
    static const char *const names[] = {"libcublas.so.13",
                                        "libcublas.so.12",
                                        "libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so.13",
                                        "/usr/local/cuda/lib64/libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so"};
    void *library = NULL;
    for (size_t k = 0; library == NULL && k < sizeof names / sizeof *names; k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static gbs_status missing_device(gbs_context *ctx, const char *why) {
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`device` cuda: %s", why);
}

/* The driver, started, with a device that suits the kernels. */
static gbs_status start(gbs_context *ctx, void *library, gbs_cuda_driver *driver) {
    const char *missing;
    int count = 0, device = 0, major = 0, minor = 0;
    if (library == NULL)
        return missing_device(ctx, "there is no driver of an NVIDIA GPU here (libcuda.so.1)");
    if (!find_driver(library, driver, &missing))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`device` cuda: the GPU's driver is too old (it has no %s)", missing);
    if (driver->init(0) != 0 || driver->count(&count) != 0 || count < 1)
        return missing_device(ctx, "the driver finds no GPU");
    if (driver->get(&device, 0) != 0 ||
        driver->attribute(&major, GBS_CUDA_CAPABILITY_MAJOR, device) != 0 ||
        driver->attribute(&minor, GBS_CUDA_CAPABILITY_MINOR, device) != 0 ||
        10 * major + minor < LEAST_CAPABILITY)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`device` cuda: the GPU is too old (compute capability %d.%d is needed)",
                        LEAST_CAPABILITY / 10, LEAST_CAPABILITY % 10);
    return GBS_OK;
}

gbs_status gbs_cuda_load(gbs_context *ctx, gbs_cuda **out) {
    gbs_cuda_driver driver;
    gbs_cuda_blas blas;
    const char *missing;
    *out = NULL;
    if (image == NULL)
        return missing_device(ctx, "this library was built without it (nvcc was not found)");
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *other = NULL;
    gbs_status status = start(ctx, library, &driver);
    if (status == GBS_OK && (other = open_blas()) == NULL)
        status = missing_device(ctx, "cuBLAS is not found (libcublas.so.13)");
    if (status == GBS_OK && !find_blas(other, &blas, &missing))
        status = missing_device(ctx, "cuBLAS is too old");
    if (status == GBS_OK)
        status = gbs_cuda_open(ctx, &driver, &blas, image, out);
    return status; /* once loaded they stay: CUDA leaves threads and handlers behind */
}
