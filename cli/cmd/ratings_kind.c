/* Whether the values of a file are ratings or counts of events (implicit data), which a completion
 * does not know what to do with: that an event did not happen says something too.
 *
 * Counts are whole numbers from 0 or 1 on without a top. Their largest are rare and far away:
 * ratings have a scale, whose upper half somebody uses. A range that is declared is such a scale.
 */
#include "cmd/ratings_use.h"

#include <math.h>
#include <stdbool.h>

/* Fewer may be equal by chance. */
enum { LEAST_EVENTS = 10 };
/* What the largest of counts is at least, and how many times the mean. */
enum { LARGE_COUNT = 20, LARGE_RATIO = 6 };
/* As large at least is what might be a count. */
enum { SMALL_COUNT = 6 };
/* At most this share of counts lies in the upper half of what there is. */
#define RARE 0.02

struct values {
    bool whole; /* and none below 0 */
    double low, high, mean;
    double upper; /* share above the middle of low and high */
    bool falling; /* the least is the most frequent, and so on up to the third */
};

static struct values look_at(const struct cells *t) {
    struct values v = {.whole = true, .low = INFINITY, .high = -INFINITY};
    size_t count[3] = {0}, above = 0;
    double n = (double)t->n;
    for (size_t e = 0; e < t->n; e++) {
        double y = t->rating[e];
        v.whole = v.whole && y >= 0.0 && floor(y) == y;
        v.low = fmin(v.low, y);
        v.high = fmax(v.high, y);
        v.mean += y / n;
    }
    for (size_t e = 0; e < t->n; e++) {
        double up = t->rating[e] - v.low;
        above += t->rating[e] > 0.5 * (v.low + v.high);
        if (v.whole && up < 3.0)
            count[(size_t)up]++;
    }
    v.upper = (double)above / n;
    v.falling = count[0] > count[1] && count[1] > count[2];
    return v;
}

static int refuse(const struct app *app, const struct cells *t, const struct values *v) {
    if (v->low == v->high)
        return app_fail(app, EXIT_BAD_DATA,
                        "%s: every value is 1: events (implicit data) are not supported, a "
                        "completion needs values that differ. If these are ratings, declare what "
                        "they may be: --range LO:HI",
                        t->file);
    return app_fail(app, EXIT_BAD_DATA,
                    "%s: the values look like counts of events, from %.0f to %.0f with a mean of "
                    "%.2g: implicit data are not supported. The logarithms of counts can be "
                    "completed; if these are ratings, declare what they may be: --range LO:HI",
                    t->file, v->low, v->high, v->mean);
}

int ratings_check_kind(const struct app *app, const struct cells *t) {
    if (t->n == 0 || given(&app->options, "range"))
        return EXIT_DONE;
    struct values v = look_at(t);
    bool counting = v.whole && v.low <= 1.0,
         long_tail = counting && v.high >= LARGE_COUNT && v.high > LARGE_RATIO * v.mean;
    if ((v.low == 1.0 && v.high == 1.0 && t->n >= LEAST_EVENTS) || (long_tail && v.upper <= RARE))
        return refuse(app, t, &v);
    if (long_tail ||
        (counting && v.falling && v.high >= SMALL_COUNT && v.upper <= RARE && t->n >= LEAST_EVENTS))
        app_note(app,
                 "%s: the values look like counts of events (implicit data): they are not "
                 "supported, and are taken for ratings",
                 t->file);
    return EXIT_DONE;
}
