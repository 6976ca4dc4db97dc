/* The page of a report. */
#include "native.h"

#include <string.h>

SEXP gbsr_report(SEXP name, SEXP json) {
    const char *called = texts_of(name)[0], *text = texts_of(json)[0];
    gbs_report *runs = NULL;
    char *html = NULL;
    size_t size = 0;
    call *c;
    PROTECT(call_short(&c));
    if (c->status == GBS_OK && call_ok(c, gbs_report_create(c->ctx, &runs)) &&
        call_ok(c, gbs_report_add_run(c->ctx, runs, called, text, strlen(text))))
        call_ok(c, gbs_report_html(c->ctx, runs, NULL, &html, &size, NULL));
    gbs_report_free(runs);
    SEXP result = call_end_text(c, html, size);
    UNPROTECT(1);
    return result;
}
