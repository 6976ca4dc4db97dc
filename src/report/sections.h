/* The sections of a report; each writes what its run has, and says of the rest why it is missing.
 */
#ifndef GIBBSITE_REPORT_SECTIONS_H
#define GIBBSITE_REPORT_SECTIONS_H

#include "report/chart.h"
#include "report/run.h"

/* An additive reading of a bound (certificate.c). */
enum part { PART_SEEN, PART_COMPLEXITY, PART_FIXED, PART_XI, PART_GRID, PART_CONFIDENCE, PARTS };
/* False when the certificate lacks its value or the risk it was seen at. */
bool gbs_certificate_parts(const json_t *certificate, double part[PARTS]);
/* The parts as series of a stacked chart; those that no bar has are left out. drawn: the risk seen
 * comes from draws. */
struct part_series {
    size_t of[PARTS];
};
struct part_series gbs_part_series_add(struct chart *c, const bool used[PARTS], bool drawn);
void gbs_part_row(struct chart *c, const struct part_series *series, size_t row,
                  const double part[PARTS]);
/* "one random draw", "the printed labels", ...; `room` is for those that name a label. */
enum { TARGET_TEXT = 100 };
const char *gbs_certificate_target(const json_t *certificate, char room[static TARGET_TEXT]);
/* The first certificate for which target is `target`; NULL when there is none. */
const json_t *gbs_certificate_of(const json_t *root, const char *target);

/* certificate.c, completion.c */
void gbs_section_certificate(struct page *page, const struct run *run);
void gbs_section_completion(struct page *page, const struct run *run);
/* Of an evaluation on ratings: calibration, errors by the number of ratings of the row. */
void gbs_chart_intervals(struct page *page, const json_t *e);
void gbs_chart_row_counts(struct page *page, const json_t *e);
/* words.c: what the numbers mean and assume. */
void gbs_section_words(struct page *page, const struct run *run);
/* fit.c: convergence, stages, coefficients; path.c: the path. */
void gbs_section_fit(struct page *page, const struct run *run);
void gbs_chart_path(struct page *page, const struct run *run);
void gbs_chart_convergence(struct page *page, const json_t *root);
/* importance.c: how much each column matters, and what it does. */
void gbs_section_importance(struct page *page, const struct run *run);
/* card.c: the certified numbers of a calibrated model, and what they rest on. */
void gbs_card_lines(struct text *t, const json_t *root);
/* The certificate that the labels rest on, of their mean cost where errors have costs, is no better
 * than guessing. */
bool gbs_card_says_nothing(const json_t *root);
void gbs_card_note(struct text *t, const json_t *root);
/* reliability.c: of the rows that tested a model, of other rows, of shares of votes. */
enum reliability_of { RELIABILITY_CARD, RELIABILITY_CALIBRATED, RELIABILITY_VOTES };
void gbs_chart_reliability(struct page *page, const json_t *e, enum reliability_of of);
/* operating.c: curves with the point where the printed labels stand. */
void gbs_chart_roc(struct page *page, const json_t *e);
void gbs_chart_precision(struct page *page, const json_t *e);
/* look.c: what was chosen and why; what the columns of the data look like. */
void gbs_section_choices(struct page *page, const struct run *run);
void gbs_section_look(struct page *page, const struct run *run);
/* expert.c: the certificate for a statistician. */
void gbs_words_expert(struct text *t, const json_t *certificate);
/* test.c: confusion, residuals. `e` is an evaluation: the run itself, or its
 * "test". */
void gbs_section_evaluation(struct page *page, const json_t *root, const json_t *e);
void gbs_chart_residuals(struct page *page, const char *title, const json_t *residuals);
/* sampling.c */
void gbs_section_sampling(struct page *page, const struct run *run);
/* tables.c */
void gbs_section_cv(struct page *page, const struct run *run);
void gbs_section_theory(struct page *page, const struct run *run);
/* facts.c: headline numbers; data, options and every number in full. */
void gbs_section_headline(struct page *page, const struct run *run);
void gbs_section_facts(struct page *page, const struct run *run);
/* compare.c */
void gbs_section_comparison(struct page *page, const struct run *runs, size_t n);

#endif
