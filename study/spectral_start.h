/* A spectral start for coordinate ascent: what the study of starts compares the library's random one with. */
#ifndef GIBBSITE_STUDY_SPECTRAL_START_H
#define GIBBSITE_STUDY_SPECTRAL_START_H

#include "completion/factors.h"

/* Over the means of the columns that gbs_factors_start has set. */
gbs_status spectral_start(gbs_factors *f, uint64_t stream);

#endif
