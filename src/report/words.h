/* Sentences of a report with numbers in them. */
#ifndef GIBBSITE_REPORT_WORDS_H
#define GIBBSITE_REPORT_WORDS_H

#include "report/html.h"
#include "report/sections.h"

/* Says format with every %s already text; the paragraph is opened and closed by the caller. */
#define SAY(...) gbs_html_print(t, __VA_ARGS__)

/* Room for the numbers of a sentence. */
struct word_numbers {
    char value[NUMBER_TEXT], other[NUMBER_TEXT], third[NUMBER_TEXT], confidence[NUMBER_TEXT],
        doubt[NUMBER_TEXT];
};

/* Its confidence, and what is left of 1. */
void gbs_confidence_texts(struct word_numbers *n, double confidence);

/* words_runs.c: of runs that have no certificate to explain. */
void gbs_words_evaluate(struct page *page, const struct run *run);
void gbs_words_sampling(struct page *page, const struct run *run);
void gbs_words_plain(struct page *page, const struct run *run);

#endif
