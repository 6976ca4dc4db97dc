/* A progress bar on standard error. */
#include "out/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 0.7 /* seconds of work before the first bar */
#define INTERVAL 0.1
enum { WIDTH = 40 };

static struct {
    bool on, visible;
    double began, drawn;
} bar;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_enable(bool on) {
    bar.on = on && isatty(STDERR_FILENO);
    bar.began = now();
}

void progress_draw(const char *stage, double done) {
    if (!bar.on)
        return;
    double t = now();
    if (t - bar.began < PATIENCE || t - bar.drawn < INTERVAL)
        return;
    int full = done <= 0.0 ? 0 : done >= 1.0 ? WIDTH : (int)(done * WIDTH);
    fprintf(stderr, "\r%s [", stage);
    for (int k = 0; k < WIDTH; k++)
        fputc(k < full ? '=' : k == full ? '>' : ' ', stderr);
    fprintf(stderr, "] %3d %%  %.0f s",
            (int)(100.0 * (done < 0.0   ? 0.0
                           : done > 1.0 ? 1.0
                                        : done)),
            t - bar.began);
    fflush(stderr);
    bar.drawn = t;
    bar.visible = true;
}

void progress_clear(void) {
    if (bar.visible)
        fprintf(stderr, "\r%80s\r", "");
    fflush(stderr);
    bar.visible = false;
}
