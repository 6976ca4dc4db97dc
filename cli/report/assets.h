/* Files that the build embeds into the program: the page of a report, and Chart.js
 * (cmake/embed.cmake). */
#ifndef GIBBSITE_CLI_OUT_REPORT_ASSETS_H
#define GIBBSITE_CLI_OUT_REPORT_ASSETS_H

#include <stddef.h>

struct asset {
    const unsigned char *bytes;
    size_t size;
};

extern const struct asset asset_page_html, asset_page_css, asset_page_js, asset_chart_js,
    asset_licence;

#endif
