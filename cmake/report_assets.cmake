# What the page of a report carries with it, as a C file (embed.cmake):
#
#   cmake -DOUT=FILE.c [-DCHART_JS=chart.min.js] -P report_assets.cmake
if(NOT CHART_JS)
  set(CHART_JS /usr/share/javascript/chart.js/chart.min.js) # libjs-chart.js
endif()
set(report ${CMAKE_CURRENT_LIST_DIR}/../src/report)
set(HEADER report/assets.h)
set(FILES page_html=${report}/page.html page_css=${report}/page.css page_js=${report}/page.js
          licence=${report}/chart.js-licence.txt chart_js=${CHART_JS})
include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
