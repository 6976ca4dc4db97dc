/* Files that the build embeds into the library: the page of a report, and Chart.js
 * (cmake/report_assets.cmake). */
#ifndef GIBBSITE_REPORT_ASSETS_H
#define GIBBSITE_REPORT_ASSETS_H

#include <stddef.h>

struct asset {
    const unsigned char *bytes;
    size_t size;
};

extern const struct asset gbs_asset_page_html, gbs_asset_page_css, gbs_asset_page_js,
    gbs_asset_chart_js, gbs_asset_licence;

#endif
