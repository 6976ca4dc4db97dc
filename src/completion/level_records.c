/* What an item looks like from the other side (docs/maths.md, 8.12).
 *
 * z = (factors, 1) and the offset o, an item's bias. A regression on it needs, times tau for a row,
 *
 *   E zz',  E z o,  E o^2,  E z,  E o,   and y times E z and E o,
 *
 * where E tau x x' = omega m m' + S and E tau x = omega m. The record has the triangle of the
 * factors, then E z o of them, E o^2; then E z and E o, which are summed with y as well.
 */
#include "completion/hierarchical.h"
#include "kernel/moments.h"

enum { RECORD_STEP = 16 };

gbs_record_shape gbs_level_record_shape(size_t rank) {
    gbs_record_shape s = {.plain = gbs_packed_size(rank) + rank + 1, .both = rank + 2};
    s.stride = (s.plain + s.both + RECORD_STEP - 1) / RECORD_STEP * RECORD_STEP;
    return s;
}

void gbs_level_record(size_t rank, double omega, const double *mean, const double *cov,
                      double *record) {
    double *pair = record, *offset = record + gbs_packed_size(rank), *single = offset + rank + 1;
    const double *s = cov, bias = mean[rank];
    for (size_t i = 0; i < rank; i++) {
        double x = omega * mean[i];
        for (size_t j = i; j < rank; j++)
            *pair++ = x * mean[j] + *s++;
        offset[i] = x * bias + *s++;
        single[i] = x;
    }
    offset[rank] = omega * bias * bias + *s;
    single[rank] = omega;
    single[rank + 1] = omega * bias;
}

/* Behind the pairs is room for what they overrun: the other numbers come after. */
void gbs_level_record_single(size_t rank, double omega, const double *mean, const double *cov,
                             float *record) {
    float *offset = record + gbs_packed_size(rank), *single = offset + rank + 1;
    const double *s = cov, bias = mean[rank];
    gbs_single_pairs(rank, omega, mean, cov, record);
    for (size_t i = 0; i < rank; i++) {
        double x = omega * mean[i];
        s += rank - i;
        offset[i] = (float)(x * bias + *s++);
        single[i] = (float)x;
    }
    offset[rank] = (float)(omega * bias * bias + *s);
    single[rank] = (float)omega;
    single[rank + 1] = (float)(omega * bias);
}
