/* The whole page of a report. */
#ifndef GIBBSITE_REPORT_PAGE_H
#define GIBBSITE_REPORT_PAGE_H

#include "report/run.h"
#include "report/text.h"

/* mark: see struct page. False: out of memory. *charts: how many it has. */
bool gbs_report_page(const struct run *runs, size_t n, const char *mark, struct text *out,
                     size_t *charts);

#endif
