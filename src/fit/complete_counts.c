/* Whether values are ratings or counts of events (implicit data), which a completion does not know
 * what to do with: that an event did not happen says something too.
 *
 * Counts are whole numbers from 0 or 1 on without a top. Their largest are rare and far away:
 * ratings have a scale, whose upper half somebody uses. A range that is declared is such a scale.
 */
#include "fit/complete.h"

#include <math.h>

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

static struct values look_at(const gbs_ratings *r) {
    struct values v = {.whole = true, .low = r->low, .high = r->high};
    size_t count[3] = {0}, above = 0;
    double n = (double)r->n;
    for (size_t e = 0; e < r->n; e++) {
        double y = r->by[0].value[e], up = y - v.low;
        v.whole = v.whole && y >= 0.0 && floor(y) == y;
        v.mean += y / n;
        above += y > 0.5 * (v.low + v.high);
        if (v.whole && up < 3.0)
            count[(size_t)up]++;
    }
    v.upper = (double)above / n;
    v.falling = count[0] > count[1] && count[1] > count[2];
    return v;
}

static gbs_status refuse(gbs_context *ctx, const struct values *v) {
    if (v->low == v->high)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "every value is 1: events (implicit data) are not supported, a completion "
                        "needs values that differ. If these are ratings, declare what they may be: "
                        "`range` LO:HI");
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "the values look like counts of events, from %.0f to %.0f with a mean of %.2g: "
                    "implicit data are not supported. The logarithms of counts can be completed; "
                    "if these are ratings, declare what they may be: `range` LO:HI",
                    v->low, v->high, v->mean);
}

gbs_status gbs_completion_check_kind(gbs_context *ctx, const gbs_ratings *r) {
    struct values v = look_at(r);
    bool counting = v.whole && v.low <= 1.0,
         long_tail = counting && v.high >= LARGE_COUNT && v.high > LARGE_RATIO * v.mean;
    if ((v.low == 1.0 && v.high == 1.0 && r->n >= LEAST_EVENTS) || (long_tail && v.upper <= RARE))
        return refuse(ctx, &v);
    if (v.low == v.high && r->n > 1)
        gbs_log(ctx, GBS_LOG_WARNING,
                "every value is %.10g, and so is every prediction. If these are events rather than "
                "ratings (implicit data): they are not supported",
                v.low);
    if (long_tail ||
        (counting && v.falling && v.high >= SMALL_COUNT && v.upper <= RARE && r->n >= LEAST_EVENTS))
        gbs_log(ctx, GBS_LOG_WARNING,
                "the values look like counts of events (implicit data): they are not supported, "
                "and are taken for ratings");
    return GBS_OK;
}
