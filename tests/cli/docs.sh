#!/usr/bin/env bash
# The pages: the C interface has words for every name, the HTML builds, its links lead somewhere,
# and mistakes are found; comments cite sections of docs/maths.md that are there.
. "$(dirname "$0")/../lib.sh"
[[ -x /usr/bin/python3 ]] || { skip 'the pages' 'needs /usr/bin/python3'; exit 0; }
header=$GIBBSITE_ROOT/include/gibbsite.h

# The names, found another way than the script finds them: what the preprocessor leaves.
check 'the page of the C interface' bash -c '"$1" "$2" >api.md' bash \
    "$GIBBSITE_ROOT/tools/api_page.py" "$header" || exit
missing=''
# an umbrella over pages a topic; gibbsite/mpi.h, which needs MPI, stands outside
sed -n 's,^#include "gibbsite/\(.*\)",\1,p' "$header" | sed "s,^,${header%.h}/," \
    | xargs cat >pages.h
cc -E -P -fpreprocessed pages.h 2>/dev/null >bare.h # without comments
names=$(grep -oE '\b(gbs|GBS)_[A-Za-z0-9_]+' bare.h | grep -vxE 'GBS_API' | sort -u)
for name in $names; do grep -qE "\b$name\b" api.md || missing+=" $name"; done
if [[ ! $missing ]]; then ok "the page has all $(wc -w <<<"$names") names of the header"; else \
    not_ok 'the page has every name' "$missing"; fi
missing=''
functions=$(grep -oE '\bgbs_[a-z_0-9]+\(' bare.h | tr -d '(' | sort -u)
for name in $functions; do
    # an anchor, and words before the next heading: in a line of prose, not of code
    awk -v anchor="<a id=\"c-$name\"></a>" '
        index($0, anchor) { inside = 1; next }
        /^### / && inside == 1 { inside = 2; next }
        /^##/ { inside = 0 }
        /^```/ { code = !code; next }
        inside && !code && /[a-z]+ [a-z]+|[A-Za-z]{4}/ { found = 1 }
        END { exit !found }' api.md || missing+=" $name"
done
if [[ ! $missing ]]; then ok "each of $(wc -w <<<"$functions") functions has words"; else not_ok \
    'every function has words' "$missing"; fi
for name in \
    $(grep -oE '^(typedef )?(struct|enum) gbs_[a-z_]+' pages.h | awk '{ print $NF }' | sort -u); do
    grep -q "id=\"c-$name\"" api.md || not_ok "the page has $name"
done

# changed PAGE SCRIPT: the header with one of its pages changed, in the folder changed/.
changed() {
    rm -rf changed
    mkdir changed
    cp -r "$header" "${header%.h}" changed/
    sed -i "$2" "changed/gibbsite/$1"
}
changed base.h 's,^/\* The version of the library that was linked.*,,'
refuse 'a function without words is refused' "$GIBBSITE_ROOT/tools/api_page.py" changed/gibbsite.h
changed data.h 's,^GBS_API size_t gbs_data_rows,size_t gbs_data_rows,'
refuse 'what it cannot read is refused' "$GIBBSITE_ROOT/tools/api_page.py" changed/gibbsite.h

# Citations in comments: right as they are, and a wrong one is found, over the end of a line too.
check 'comments cite sections of docs/maths.md that are there' \
    "$GIBBSITE_ROOT/tools/check_citations.py"
mkdir -p cited/src cited/docs
printf '# Maths\n\n## 4. Solvers\n\n### 4.2 A gap\n' >cited/docs/maths.md
cites() { # cites NAME EXIT COMMENT [MESSAGE]
    printf '/* %b */\n' "$3" >cited/src/a.c
    as "$1"
    expect_exit "$2" "$GIBBSITE_ROOT/tools/check_citations.py" cited
    if [[ ${4:-} ]]; then expect_stdout "$4"; fi
}
cites 'sections that are there' 0 'docs/maths.md, 4 and 4.2'
cites 'a section that is not there' 1 'docs/maths.md, 4.3' \
    'src/a.c: docs/maths.md has no section 4.3'
cites 'a list of sections' 1 'docs/maths.md, 4 to 4.2, 7.1' 'has no section 7.1'
cites 'a citation over two lines' 1 'docs/maths.md,\n * 5.1' 'has no section 5.1'
cites 'a citation without a section' 1 'see docs/maths.md for it' 'without a section'
cites 'a file and a name that are there' 0 'a.c has it */ int gbs_here; /* gbs_here, GBS_ANY_*'
cites 'a file that is not there' 1 'see\n * b.c' 'src/a.c:1: a comment mentions b.c, and there'
cites 'a name that nothing has' 1 'gbs_gone does it' 'src/a.c:1: a comment mentions gbs_gone, and'
cites 'a page that is not there' 1 'docs/nowhere.md' 'docs/nowhere.md is not there'

# References: right as they are; a key that is not there, a wrong name, an entry that nobody cites.
references=$GIBBSITE_ROOT/tools/references.py
check 'every source that is cited is in docs/references.bib' "$references"
sourced() { # sourced NAME EXIT FILE SCRIPT [MESSAGE]
    rm -rf sourced
    mkdir -p sourced/cli/out sourced/docs
    cp "$GIBBSITE_ROOT/README.md" sourced
    cp "$GIBBSITE_ROOT"/docs/{*.md,references.bib} sourced/docs
    cp "$GIBBSITE_ROOT/cli/out/sources.c" sourced/cli/out
    sed -i "$4" "sourced/$3"
    as "$1"
    expect_exit "$2" "$references" sourced
    if [[ ${5:-} ]]; then expect_stdout "$5"; fi
}
sourced 'a copy is right too' 0 README.md ''
sourced 'a key that is not there' 1 docs/maths.md 's/#catoni-2007/#catoni-2008/' \
    'leads to catoni-2008'
sourced 'a name that is another' 1 docs/maths.md 's/\[Catoni 2007\]/[Catoni 2006]/' \
    'is called Catoni 2007'
sourced 'a key that its authors do not make' 1 docs/references.bib \
    's/{maurer-2004,/{maurer-2003,/' 'should be maurer-2004'
sourced 'a page that is out of date' 1 docs/references.bib \
    's/Lecture Notes in Statistics/Lectures/' 'is not what references.bib makes'
sourced 'a source of the program' 1 cli/out/sources.c 's/"Platt 1999"/"Plat 1999"/' \
    'is called Platt 1999'
sourced 'an entry that nobody cites' 1 docs/maths.md 's/(references.md#yu-et-al-2016)//' \
    'yu-et-al-2016 is cited nowhere'

need_program pandoc || exit 0
site() { "$GIBBSITE_ROOT/tools/docs.py" "$GIBBSITE" "$1"; }
expect_exit 0 site "$tmp/html"
expect_stdout '^[0-9]+ pages, [0-9]+ links checked'
for page in "$GIBBSITE_ROOT"/docs/*.md; do
    expect_file "html/$(basename "$page" .md).html"
done
for page in api commands examples contributing; do expect_file "html/$page.html"; done
check 'formulas are MathML' grep -q '<math .*<mfrac>' html/maths.html
refuse 'no formula is left as text' grep -lE '<span class="math' html/*.html
# A line of a formula that begins with + or - is a list to markdown, and its dollars stay.
refuse 'no dollars are left of a formula' bash -c \
    "sed 's,<pre.*</pre>,,; /<pre/,/<\\/pre>/d; s,<code[^>]*>[^<]*</code>,,g' html/maths.html \
html/errata.html | grep -n '\\$'"
refuse 'no page asks the network for anything' grep -lE \
    '(src|href)="(https?:)?//[^"]*\.(js|css|png|woff2?)"|<script|@import' html/*.html html/style.css
check 'the commands are there with their options' grep -q -- '--lambda-grid' html/commands.html

# In a real browser: no page is wider than a small screen of 400 px (390 and a scrollbar), but for
# what scrolls inside it.
if need_program chromium; then
    {
        echo '<pre id="out"></pre>'
        find "$PWD/html" -name '*.html' -not -path '*/gallery/*' | while read -r page; do
            printf '<iframe style="width:400px;height:600px;border:0" src="file://%s" '\
'onload="%s"></iframe>\n' "$page" \
                "document.getElementById('out').textContent += 'width ' + \
this.contentDocument.documentElement.scrollWidth + ' ' + this.src + ';'"
        done
    } >frames.html
    chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$tmp/browser" --virtual-time-budget=20000 \
        --dump-dom "file://$PWD/frames.html" 2>/dev/null \
        | grep -o '^<pre id="out">.*</pre>\|width [0-9]* [^;<]*;' | grep '^width' \
        | sort -u >widths.txt
    holds 'the browser saw every page' \
        "$(wc -l <widths.txt) == $(find html -name '*.html' -not -path '*/gallery/*' | wc -l)"
    wide=$(awk '$2 > 400' widths.txt)
    if [[ ! $wide ]]; then ok 'no page is wider than 400 px'; else not_ok \
        'no page is wider than 400 px' "$wide"; fi
fi

# Mistakes, in a copy: a link to no page, a formula that is none, a page in no list; then a link to
# no place.
copy=$tmp/copy
mkdir "$copy"
(cd "$GIBBSITE_ROOT" && cp \
    -r docs examples include cli src tools README.md CONTRIBUTING.md CHANGELOG.md "$copy")
broken() { # broken NAME TEXT EXPECTED: a line more on the first page
    cp "$GIBBSITE_ROOT/docs/index.md" "$copy/docs/index.md"
    printf '\n%s\n' "$2" >>"$copy/docs/index.md"
    as "$1"
    expect_exit 1 "$copy/tools/docs.py" "$GIBBSITE" "$tmp/broken"
    expect_stderr "$3"
}
broken 'a link to no page' '[x](nowhere.md)' 'docs/index.md: the link nowhere.md leads nowhere'
broken 'a formula that is none' '$\frac{1}$' 'Could not convert TeX math'
echo '# Alone' >"$copy/docs/alone.md"
as 'a page in no list'
expect_exit 1 "$copy/tools/docs.py" "$GIBBSITE" "$tmp/broken"
expect_stderr 'docs/alone.md is in no list'
expect_exit 0 "$GIBBSITE_ROOT/tools/docs.py" --check html
sed -i 's,<main>,<main><a href="formats.html#nowhere">x</a>,' html/theory.html
as 'a link to no place'
expect_exit 1 "$GIBBSITE_ROOT/tools/docs.py" --check html
expect_stderr 'theory.html: formats.html#nowhere: no such place'
