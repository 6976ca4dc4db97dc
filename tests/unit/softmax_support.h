/* Softmax by its definition, for tests of calibrations. */
#ifndef GIBBSITE_TESTS_SOFTMAX_SUPPORT_H
#define GIBBSITE_TESTS_SOFTMAX_SUPPORT_H

#include "fit/softmax.h"

#include <math.h>

/* Mean -log p of the classes of the rows that have one, p_c proportional to exp(offset_c + sum_j
 * slope_cj score_j). */
static inline double softmax_log_loss(const gbs_class_scores *s, const double *offset,
                                      const double *slope) {
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        size_t is = s->class[i];
        double total = 0.0;
        if (is >= s->k)
            continue;
        for (size_t c = 0; c < s->k; c++) {
            double above = offset[c] - offset[is];
            for (size_t j = 0; j < s->k; j++)
                above += (slope[c * s->k + j] - slope[is * s->k + j]) * s->score[i * s->k + j];
            total += exp(above);
        }
        sum += log(total);
        count += 1.0;
    }
    return sum / count;
}

#endif
