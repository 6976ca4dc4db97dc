/* Coordinate ascent of the hierarchical model, start to stop. */
#ifndef GIBBSITE_COMPLETION_LEVEL_ASCENT_H
#define GIBBSITE_COMPLETION_LEVEL_ASCENT_H

#include "completion/ascent.h"
#include "completion/hierarchical.h"

typedef struct gbs_level_options {
    size_t most_sweeps;
    size_t whole;     /* of the bar, where these sweeps are some of more; 0: most_sweeps */
    double tolerance; /* stop when a sweep lowers F by less than this, in nats a rating, twice */
    bool plain;       /* no over-relaxation */
    /* called after each step that may only lower F (NULL: not) */
    void (*step)(void *user, const gbs_levels *f, const char *name);
    void *user;
    const char *stage; /* of the progress */
    gbs_trace *trace;  /* of the sweeps; may be NULL */
} gbs_level_options;

/* From gbs_levels_start, or from where an earlier call ended (`out` as it left it): goes on until
 * out->sweeps is most_sweeps. */
gbs_status gbs_levels_ascend(gbs_levels *f, const gbs_level_options *o, gbs_ascent *out);

#endif
