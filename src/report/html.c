/* Pieces of HTML. */
#include "report/html.h"

#include "file/json_write.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gbs_html_text(struct text *t, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t length = gbs_character_bytes((const char *)s);
        if (*s == '<')
            gbs_text_add_bytes(t, "&lt;", 4);
        else if (*s == '>')
            gbs_text_add_bytes(t, "&gt;", 4);
        else if (*s == '&')
            gbs_text_add_bytes(t, "&amp;", 5);
        else if (*s == '"')
            gbs_text_add_bytes(t, "&quot;", 6);
        else if (*s == '\'')
            gbs_text_add_bytes(t, "&#39;", 5);
        else if (length == 0 || (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f)
            gbs_text_add_bytes(t, "\xef\xbf\xbd", 3);
        else
            gbs_text_add_bytes(t, (const char *)s, length);
        s += length > 0 ? length : 1;
    }
}

void gbs_html_print(struct text *t, const char *format, ...) {
    char buffer[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    gbs_html_text(t, buffer);
}

void gbs_html_script_json(struct text *t, const char *json, size_t size) {
    for (size_t k = 0; k < size; k++) {
        if (json[k] == '<' || json[k] == '>' || json[k] == '&')
            gbs_text_add(t, "\\u%04x", (unsigned)json[k]);
        else if (k + 2 < size && memcmp(json + k, "\xe2\x80\xa8", 3) == 0) {
            gbs_text_add_bytes(t, "\\u2028", 6);
            k += 2;
        } else if (k + 2 < size && memcmp(json + k, "\xe2\x80\xa9", 3) == 0) {
            gbs_text_add_bytes(t, "\\u2029", 6);
            k += 2;
        } else {
            gbs_text_add_bytes(t, json + k, 1);
        }
    }
}

/* ---------------------------------------------------------------- numbers */

const char *gbs_number_text(double x, char buffer[static NUMBER_TEXT]) {
    double size = fabs(x);
    if (!isfinite(x))
        snprintf(buffer, NUMBER_TEXT, "–");
    else if ((x == floor(x) || size >= 1e6) && size < 1e12)
        snprintf(buffer, NUMBER_TEXT, "%.0f", x);
    else if (size >= 1e12 || size < 1e-8)
        snprintf(buffer, NUMBER_TEXT, "%.3e", x);
    else if (size < 1e-4) /* three digits, but never 3e-05 */
        snprintf(buffer, NUMBER_TEXT, "%.*f", 2 - (int)floor(log10(size)), x);
    else if (size >= 1000.0)
        snprintf(buffer, NUMBER_TEXT, "%.1f", x);
    else
        snprintf(buffer, NUMBER_TEXT, "%.4g", x);
    return buffer;
}

const char *gbs_percent_text(double share, char buffer[static NUMBER_TEXT]) {
    if (isfinite(share))
        /* a space that does not break */
        snprintf(buffer, NUMBER_TEXT, "%.2f\u00a0%%", 100.0 * share);
    else
        snprintf(buffer, NUMBER_TEXT, "–");
    return buffer;
}

/* What rounding may have left of a whole number is not rounded up. */
const char *gbs_bound_text(double bound, bool percent, bool at_least,
                           char buffer[static NUMBER_TEXT]) {
    double size = fabs(bound), sign = at_least ? -1.0 : 1.0;
    int digits = percent          ? 4
                 : size >= 1000.0 ? 1
                 : size >= 1e-4   ? 3 - (int)floor(log10(size))
                                  : 2 - (int)floor(log10(fmax(size, 1e-300)));
    double unit = pow(10.0, digits), up = sign * ceil(sign * bound * unit - 1e-9) / unit;
    double shown = isfinite(up) ? up : bound;
    return percent ? gbs_percent_text(shown, buffer) : gbs_number_text(shown, buffer);
}

/* ---------------------------------------------------------------- tables */

void gbs_html_table_begin(struct text *t, const char *caption) {
    gbs_text_add(t, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    gbs_html_text(t, caption);
    gbs_text_add(t, "\"><table><caption>");
    gbs_html_text(t, caption);
    gbs_text_add(t, "</caption><thead><tr>");
}

static void open_column(struct text *t, bool numbers) {
    gbs_text_add(t, numbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
}

void gbs_html_column(struct text *t, const char *name, bool numbers) {
    open_column(t, numbers);
    gbs_html_text(t, name);
    gbs_text_add(t, "</th>");
}

void gbs_html_table_body(struct text *t) {
    gbs_text_add(t, "</tr></thead><tbody>\n");
}

void gbs_html_table_open(struct text *t, const char *caption, const char *columns) {
    gbs_html_table_begin(t, caption);
    for (const char *name = columns; name != NULL;) {
        size_t size = strcspn(name, "|");
        bool number = name[0] == '#';
        open_column(t, number);
        gbs_html_print(t, "%.*s", (int)(size - number), name + number);
        gbs_text_add(t, "</th>");
        name = name[size] == '|' ? name + size + 1 : NULL;
    }
    gbs_html_table_body(t);
}

void gbs_html_table_close(struct text *t) {
    gbs_text_add(t, "</tbody></table></div>\n");
}

void gbs_html_row_open(struct text *t, bool marked) {
    gbs_text_add(t, marked ? "<tr class=\"marked\">" : "<tr>");
}

void gbs_html_row_close(struct text *t) {
    gbs_text_add(t, "</tr>\n");
}

void gbs_html_cell(struct text *t, const char *text) {
    gbs_text_add(t, "<td>");
    gbs_html_text(t, text != NULL ? text : "–");
    gbs_text_add(t, "</td>");
}

void gbs_html_head_cell(struct text *t, const char *text) {
    gbs_text_add(t, "<th scope=\"row\">");
    gbs_html_text(t, text != NULL ? text : "–");
    gbs_text_add(t, "</th>");
}

void gbs_html_number_cell(struct text *t, double x) {
    char buffer[NUMBER_TEXT];
    gbs_text_add(t, "<td class=\"n\">%s</td>", gbs_number_text(x, buffer));
}

void gbs_html_bound_cell(struct text *t, double bound, bool percent, bool at_least) {
    char buffer[NUMBER_TEXT];
    gbs_text_add(t, "<td class=\"n\">%s</td>", gbs_bound_text(bound, percent, at_least, buffer));
}

void gbs_html_percent_cell(struct text *t, double share) {
    char buffer[NUMBER_TEXT];
    gbs_text_add(t, "<td class=\"n\">%s</td>", gbs_percent_text(share, buffer));
}

void gbs_html_fact(struct text *t, const char *name, const char *value) {
    gbs_text_add(t, "<div><dt>");
    gbs_html_text(t, name);
    gbs_text_add(t, "</dt><dd>");
    gbs_html_text(t, value);
    gbs_text_add(t, "</dd></div>\n");
}
