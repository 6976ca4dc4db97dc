/* How predictions of ratings do in detail: whether intervals of every size hold what they promise,
 * and how the error falls with the number of training ratings of a row. */
#include "cmd/ratings_use.h"

#include <math.h>

/* Levels of the intervals, and how many standard deviations a normal law has them in. */
static const struct {
    double level, width;
} intervals[] = {{0.5, 0.6744897501960817},
                 {0.8, 1.2815515655446004},
                 {0.9, 1.6448536269514722},
                 {0.95, 1.959963984540054},
                 {0.99, 2.5758293035489004}};

/* Groups of rows by their number of training ratings, each from here to the next. */
static const size_t groups[] = {0, 1, 10, 30, 100, 300};

enum { INTERVALS = sizeof intervals / sizeof *intervals, GROUPS = sizeof groups / sizeof *groups };

static size_t group_of(size_t count) {
    size_t g = GROUPS - 1;
    while (groups[g] > count)
        g--;
    return g;
}

void cells_detail_json(struct json *j, const gbs_completion *model, const struct cells *c) {
    double inside[INTERVALS] = {0.0}, squares[GROUPS] = {0.0};
    size_t in_group[GROUPS] = {0}, n = c->n;
    for (size_t e = 0; e < n; e++) {
        double off = fabs(c->rating[e] - c->value[e]), sd = sqrt(c->sd[e] * c->sd[e] + c->noise[e]);
        size_t count = 0;
        for (size_t k = 0; k < INTERVALS; k++)
            inside[k] += off <= intervals[k].width * sd;
        if (c->index[0][e] != GBS_UNSEEN)
            gbs_completion_seen(model, c->index[0][e], &count);
        size_t g = group_of(count);
        squares[g] += off * off;
        in_group[g]++;
    }
    json_open_array(j, "intervals");
    for (size_t k = 0; k < INTERVALS; k++) {
        json_open_object(j, NULL);
        json_put_number(j, "level", intervals[k].level);
        json_put_number(j, "share", inside[k] / (double)n);
        json_close_object(j);
    }
    json_close_array(j);
    json_open_array(j, "by_row_count");
    for (size_t g = 0; g < GROUPS; g++) {
        if (in_group[g] == 0)
            continue;
        json_open_object(j, NULL);
        json_put_count(j, "from", groups[g]);
        json_put_count(j, "n", in_group[g]);
        json_put_number(j, "rmse", sqrt(squares[g] / (double)in_group[g]));
        json_close_object(j);
    }
    json_close_array(j);
}
