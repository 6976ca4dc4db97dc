#!/usr/bin/env bash
# The regions of the plane where models say which label, as a picture (SVG) on standard output.
#
#     tools/regions.sh ROWS.csv TITLE=MODEL.json...
#
# ROWS.csv has the columns x1, x2, y with labels -1 and 1, such as `gibbsite simulate --cols 2`
# writes; its first 400 rows are drawn over the regions. GIBBSITE is the program (default:
# build/gibbsite).
set -euo pipefail
: "${GIBBSITE:=build/gibbsite}"
rows=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk 'BEGIN { print "x1,x2";
    for (j = 0; j < 75; j++) for (i = 0; i < 75; i++) printf "%.4f,%.4f\n", -3 + (i + 0.5) * 0.08,
    3 - (j + 0.5) * 0.08 }' >"$tmp/grid.csv"
width=$(($# * 320 + 10))
echo "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 $width 335\" width=\"$width\" \
height=\"335\" font-family=\"sans-serif\" font-size=\"13\">"
echo "<title>regions of the two labels, and 400 rows</title>"
at=10
for model in "$@"; do
    "$GIBBSITE" predict "${model#*=}" "$tmp/grid.csv" -q | cut -d, -f1 | tail -n +2 >"$tmp/labels"
    echo "<g transform=\"translate($at 25)\"><text y=\"-8\">${model%%=*}</text><rect \
width=\"300\" height=\"300\" fill=\"#cfe3f5\"/>"
    # runs of +1 in a line of the grid are one rectangle
    awk '{ i = (NR - 1) % 75; j = int((NR - 1) / 75); if ($1 == 1) { if (!open) { from = i;
        open = 1 } }
           if (open && ($1 != 1 || i == 74)) { to = $1 == 1 ? 75 : i
               printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"4\" fill=\"#f7d9b8\"/>",
                    from * 4, j * 4, (to - from) * 4
                open = 0 }
           if (i == 74) { open = 0; print "" } }' "$tmp/labels" | grep -v '^$'
    awk -F, 'NR > 1 && NR < 402 && $1 > -3 && $1 < 3 && $2 > -3 && $2 < 3 {
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>\n",
            ($1 + 3) * 50, (3 - $2) * 50, ($3 > 0 ? "#b35900" : "#1f5f99") }' "$rows"
    echo '</g>'
    at=$((at + 320))
done
echo '</svg>'
