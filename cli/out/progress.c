/* A progress bar on standard error. */
#include "out/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 0.7 /* seconds of work before the first bar */
#define INTERVAL 0.1
/* Before a stage has taken so long and come so far, what is left of it is a guess. */
#define LEAST_SECONDS 2.0
#define LEAST_DONE 0.02
enum { WIDTH = 30 };

static struct {
    bool on, visible;
    double began, drawn;
    char stage[32]; /* the one that is drawn */
    double stage_began, stage_from;
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

/* Seconds that the stage has still to go, at the pace that it had so far; below 0: not known. */
static double seconds_left(const char *stage, double done, double t) {
    if (strncmp(bar.stage, stage, sizeof bar.stage - 1) != 0 || done < bar.stage_from) {
        snprintf(bar.stage, sizeof bar.stage, "%s", stage);
        bar.stage_began = t;
        bar.stage_from = done;
    }
    double taken = t - bar.stage_began, gone = done - bar.stage_from;
    return taken < LEAST_SECONDS || gone < LEAST_DONE ? -1.0 : taken * (1.0 - done) / gone;
}

void progress_draw(const char *stage, double done) {
    if (!bar.on)
        return;
    double t = now(), left = seconds_left(stage, done, t);
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
    if (left >= 0.0)
        fprintf(stderr, ", %.0f s left ", left);
    else
        fprintf(stderr, "%13s", ""); /* over what an earlier stage had left */
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
