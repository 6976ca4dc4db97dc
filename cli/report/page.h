/* The whole page of a report. */
#ifndef GIBBSITE_CLI_OUT_REPORT_PAGE_H
#define GIBBSITE_CLI_OUT_REPORT_PAGE_H

#include "out/text.h"
#include "report/run.h"

/* False: out of memory. *charts: how many it has. */
bool report_page(const struct run *runs, size_t n, const char *version, struct text *out,
                 size_t *charts);

#endif
